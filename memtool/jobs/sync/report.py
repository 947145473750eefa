"""What a sync has to tell in the end, and the digest of a memory that has moved."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memtool.edge.location import head, load_config
from memtool.edge.plumbing import git
from memtool.edge.trees import Folder
from memtool.errors import MemtoolError
from memtool.jobs.session import refresh_digest
from memtool.jobs.sync.health import notes
from memtool.jobs.sync.result import Result, Trip


def _open(root: str) -> Iterator[str]:
    """Note the conflict copies that wait, as long as they do."""
    try:
        names = os.listdir(os.path.join(root, load_config(Folder(root))[0].conflicts))
    except (MemtoolError, OSError):
        return
    count = sum(name.endswith(".md") for name in names)
    if count:
        yield f"{count} open conflict{'' if count == 1 else 's'}: memtool resolve"


def told(root: str, so_far: Result, trip: Trip, *, agent: str, today: str) -> Result:
    """Finish the result of a sync that has ended; refresh the digest where the memory has moved."""
    if so_far.state == "not-trusted":  # git answers nothing more
        return so_far
    waiting = () if so_far.state == "conflict-kept" else _open(root)  # that end says it itself
    result = so_far.replace(commit=head(root), notes=(*so_far.notes, *waiting, *notes(root)))
    if trip.end and (trip.end != trip.start or trip.sent or (so_far.dry_run and trip.end != trip.tip)):
        from memtool.jobs.sync.account import accounted

        result = accounted(root, result, trip, today)
        if not so_far.dry_run:
            git(root, "maintenance", "run", "--auto", "--quiet", ok=(0, 1, 128))  # as a fetch by hand would
    try:
        if not result.dry_run:
            refresh_digest(root, agent=agent, today=today)
    except (MemtoolError, OSError) as error:
        result = result.replace(notes=(*result.notes, f"the digest was not refreshed: {error}"))
    return result
