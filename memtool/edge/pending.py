"""Files that are written and wait for a commit: noted before they are written, so that no kill makes one forgotten."""

from __future__ import annotations

from collections.abc import Iterable

from memtool.edge import cache
from memtool.edge.plumbing import path_of, raw_path

_NAME, _VERSION = "pending", "pending-1"


def pending(root: str) -> list[str]:
    """List the files that some command wrote and no commit holds yet, as far as it is noted."""
    return [path_of(raw) for raw in cache.load(root, _NAME, _VERSION)]


def note(root: str, paths: Iterable[str]) -> None:
    """Note that exactly *paths* wait for a commit."""
    cache.save(root, _NAME, _VERSION, [raw_path(path) for path in dict.fromkeys(paths)])
