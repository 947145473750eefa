"""The account of a sync in which something moved: what came, what went, and what a person should look at."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from memtool.core.check import Change, check
from memtool.core.config import Config
from memtool.edge.delta import Delta, deltas
from memtool.edge.location import load_config
from memtool.edge.plumbing import Objects, git
from memtool.edge.trees import CommitTree
from memtool.jobs.sync.result import Moved, Resident, Result, Trip
from memtool.model import Finding


def accounted(root: str, result: Result, trip: Trip, today: str) -> Result:
    """Add to *result* what moved on *trip*."""
    came = deltas(root, trip.base, trip.tip) if trip.tip and trip.end != trip.start else []
    went = deltas(root, trip.tip, trip.end) if trip.sent or (result.dry_run and trip.asked) else []
    with Objects(root) as objects:
        before, after = CommitTree(objects, trip.start), CommitTree(objects, trip.end)
        config = load_config(after)[0]
        paths = tuple(sorted(one.path for one in deltas(root, trip.start, trip.end)))
        changed = [path for path in config.resident_paths(after) if path in set(paths)]
        copies = [one.path for one in came if one.new and one.old is None and config.is_conflict(one.path)]
        return result.replace(
            pulled=_count(root, trip.tip, trip.start) if came else 0,
            pushed=_count(root, trip.end, trip.tip) if trip.sent else 0,
            came=_moved(came, config),
            went=_moved(went, config),
            told=bool(copies),
            resident_changes=tuple(Resident(path, _diff(path, before, after)) for path in changed),
            findings=(*result.findings, *_errors(after, config, paths, _parents(objects, trip), today)),
        )


def _parents(objects: Objects, trip: Trip) -> tuple[CommitTree, ...]:
    return tuple(CommitTree(objects, oid) for oid in (trip.start, trip.tip) if oid)


def _errors(
    tree: CommitTree, config: Config, paths: Sequence[str], parents: Sequence[CommitTree], today: str
) -> Iterator[Finding]:
    """Yield what is wrong with what came, judged like what is written here; it is kept all the same."""
    found = check(tree, config, source="sync", today=today, change=Change(tuple(paths), tuple(parents)))
    return (finding for finding in found.findings if finding.severity == "error")


def _moved(found: Sequence[Delta], config: Config) -> tuple[Moved, ...]:
    """List files that moved; the pages of the index, which follow the others, are left out."""
    return tuple(
        Moved(one.path, "gone" if one.new is None else "new" if one.old is None else "changed")
        for one in found
        if not config.is_index(one.path)
    )


def _count(root: str, tip: str, known: str) -> int:
    return int(git(root, "rev-list", "--count", tip, *([f"^{known}"] if known else [])))


def _diff(path: str, before: CommitTree, after: CommitTree) -> str:
    was, now = ((tree.get(path) or b"").decode("utf-8", "replace").splitlines() for tree in (before, after))
    return "\n".join(difflib.unified_diff(was, now, f"before/{path}", f"now/{path}", lineterm="", n=1))
