"""What a sync notes about the clone that it runs in: checks and merges that plain git would not have here."""

from __future__ import annotations

from collections.abc import Iterator

from memtool.jobs.setup import managers
from memtool.jobs.setup.driver import driver_state
from memtool.jobs.setup.hooks import hooks_state


def notes(root: str) -> Iterator[str]:
    """Yield what is missing; a sync itself checks and merges all the same."""
    absent = [hook.name for hook in hooks_state(root) if not (hook.ours and hook.executable)]
    if absent and managers.find(root) is None:
        yield f"plain git commits are not checked here: no hook of memtool's as {', '.join(absent)}; run memtool init"
    if said := driver_state(root):
        yield said
