"""Which file of two changed trees is which file of the old one, under whatever name."""

from __future__ import annotations

from _collections_abc import Iterator, Mapping

from memtool.core.changes import Table, identical, similar
from memtool.core.merge.three import settled, taken
from memtool.model import Record, Snapshot


class Versions(Record):
    """One file in three versions; None where it is not there."""

    path: str
    """Where it is to be."""
    base: bytes | None
    ours: bytes | None
    theirs: bytes | None
    renamed: bool = False
    torn: bool = False
    """Whether the two sides gave it different names."""


def versions(base: Snapshot, ours: Snapshot, theirs: Snapshot) -> Iterator[Versions]:
    """Yield each file of three trees once; two may be to be at the same path."""
    to_ours, to_theirs = _renamed(base, ours, theirs), _renamed(base, theirs, ours)
    for path, data in base.items():
        mine, other = to_ours.get(path, path), to_theirs.get(path, path)
        torn = not settled(path, mine, other)
        place = min(mine, other) if torn else taken(path, mine, other)
        yield Versions(place, data, ours.get(mine), theirs.get(other), place != path, torn)
    new = _added(base, ours, to_ours), _added(base, theirs, to_theirs)
    for path in sorted(new[0].keys() | new[1].keys()):
        yield Versions(path, None, new[0].get(path), new[1].get(path))


def _renamed(base: Snapshot, side: Snapshot, other: Snapshot) -> dict[str, str]:
    """Map the files that *side* renamed to their new paths, where that matters: *other* changed or renamed them too."""
    removed = {path: data for path, data in base.items() if path not in side}
    wanted = [path for path, data in removed.items() if other.get(path) != data]
    if not wanted:
        return {}
    same = {old: new for new, old in identical(_table(removed, _added(base, side, {}))).items()}
    left = {path: data for path, data in removed.items() if path not in same}
    found = same | {old: new for new, old in similar(left, _added(base, side, same)).items()}
    return {path: found[path] for path in wanted if path in found}


def _table(removed: Snapshot, added: Snapshot) -> Table:
    """Say what differs, with contents in the place of ids; an empty file is like no other."""
    gone = {path: (data, b"") for path, data in removed.items() if data}
    return gone | {path: (b"", data) for path, data in added.items() if data}


def _added(base: Snapshot, side: Snapshot, renamed: Mapping[str, str]) -> dict[str, bytes]:
    moved = set(renamed.values())
    return {path: data for path, data in side.items() if path not in base and path not in moved}
