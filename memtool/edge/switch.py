"""The work tree, the index and the branch brought from one commit to another, with nothing of the user's in the way.

Markdown is written whole or not at all, with a journal (`transaction`); other files as git writes them, each put in its
place in one step. What the user has staged or changed elsewhere stays as it is.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence

from memtool.edge import checkout
from memtool.edge.checkout import REGULAR
from memtool.edge.delta import Delta, deltas
from memtool.edge.files import MAX_FILE, read_regular
from memtool.edge.lock import patiently
from memtool.edge.plumbing import Objects, git, path_of, raw_path
from memtool.edge.repository import status
from memtool.edge.transaction import Move, change
from memtool.edge.trees import Blob
from memtool.errors import MemtoolError
from memtool.model import Record

_PATIENCE = 5.0
"""Seconds to try again while another git holds the index."""


class InTheWay(MemtoolError):  # noqa: N818 (it names what stands there)
    """Local changes, or files that git does not look after, stand where a commit has other content."""

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__(f"changed here, and in what comes: {', '.join(paths)}", hint="Commit or move them yourself.")
        self.paths = tuple(paths)


class _Plan(Record):
    """What has to be done for each path."""

    before: dict[str, bytes | None]
    after: dict[str, bytes | None]
    """The files that memtool writes itself."""
    others: tuple[Delta, ...]


def switch(root: str, old: str, new: str, *, reason: str) -> None:
    """Bring everything from the commit *old*, which HEAD has to name, to *new*; *reason* is for the reflog.

    Raises InTheWay, and changes nothing, where that would lose local work; Changed where something moved meanwhile.
    """
    differing = deltas(root, old, new)
    left_out = _left_out(root)
    here = [one for one in differing if one.path not in left_out or os.path.lexists(os.path.join(root, one.path))]
    with Objects(root) as objects:
        plan = _plan(root, objects, here)
        touched = _refuse_in_the_way(root, objects, here, plan)
        others = [one for one in plan.others if one.path not in touched]

        def arrive() -> str:
            _index(root, differing, left_out)
            checkout.put(root, objects, others)
            checkout.make_executable(root, here)
            git(root, "update-ref", "-m", reason, "HEAD", new, old or "0" * len(new))
            return new

        change(root, plan.before, plan.after, arrive, move=Move(old, new, tuple(one.path for one in others)))
    git(root, "update-index", "-q", "--refresh", ok=(0, 1))


def _plan(root: str, objects: Objects, differing: Sequence[Delta]) -> _Plan:
    """Settle which files memtool writes, and what it takes them for: where the disk has what it should, that."""
    blobs = {blob.oid for one in differing for blob in (one.old, one.new) if blob and blob.mode in REGULAR}
    sizes = {info[0]: info[2] for info in objects.info(sorted(blobs)) if info}
    mine = [one for one in differing if _is_mine(one, sizes)]
    wanted = sorted({blob.oid for one in mine for blob in (one.old, one.new) if blob})
    data = {oid: data for oid, data in zip(wanted, objects.contents(wanted), strict=True) if data is not None}
    before: dict[str, bytes | None] = {}
    for one in mine:
        now = read_regular(os.path.join(root, one.path))
        there = now if isinstance(now, bytes) else None
        is_right = one.new is not None and there == data[one.new.oid]
        was = data[one.old.oid] if one.old else None
        before[one.path] = there if there == was or is_right or _is_clean(root, one, there) else was
    # folders are freed before files take their place
    ordered = sorted(mine, key=lambda one: (one.new is not None, one.path))
    after = {one.path: data[one.new.oid] if one.new else None for one in ordered}
    return _Plan(before, after, tuple(one for one in differing if one.path not in before))


def _is_mine(one: Delta, sizes: dict[bytes, int]) -> bool:
    blobs = [blob for blob in (one.old, one.new) if blob]
    return one.path.endswith(".md") and all(sizes.get(blob.oid, MAX_FILE + 1) <= MAX_FILE for blob in blobs)


def _is_clean(root: str, one: Delta, there: bytes | None) -> bool:
    """Tell whether the disk holds what git keeps, though in other bytes: line ends that git converts."""
    if one.old is None or there is None:
        return False
    return git(root, "hash-object", "--stdin", "--path", one.path, stdin=there).strip() == one.old.oid


# --- what stands in the way ------------------------------------------------------------------------------------------


def _refuse_in_the_way(root: str, objects: Objects, differing: Sequence[Delta], plan: _Plan) -> set[str]:
    """Raise InTheWay where local work would be lost; list what the user has already made what it is to be."""
    states = status(root)
    going = {one.path for one in differing if one.new is None}
    hidden = _hidden(root)
    touched = [
        one
        for one in differing
        if _is_touched(root, one, states) or (one.path in hidden and not _is_old(root, objects, one))
    ]
    found = [one.path for one in touched if not _is_as_meant(root, objects, one, states, plan)]
    found += (folder for one in differing if one.new for folder in _above(root, one.path) if folder not in going)
    found += (one.path for one in differing if one.new and _is_folder(root, one.path, one.new, going))
    if found:
        raise InTheWay(sorted(set(found)))
    return {one.path for one in touched}


def _hidden(root: str) -> set[str]:
    """List what git is told not to look at in the work tree: its status says nothing of those."""
    listed = git(root, "ls-files", "-v", "-z").split(b"\0")
    return {path_of(record[2:]) for record in listed if record[:1] == b"S" or record[:1].islower()}


def _is_old(root: str, objects: Objects, one: Delta) -> bool:
    """Tell whether a path is as it was, or left out of the work tree."""
    there = os.path.lexists(os.path.join(root, one.path))
    return not there or checkout.holds(root, objects, one.path, one.old)


def _is_touched(root: str, one: Delta, states: dict[str, str]) -> bool:
    """Tell whether git sees a change there; of a file that it ignores it says nothing."""
    return one.path in states or (one.old is None and os.path.isfile(os.path.join(root, one.path)))


def _is_as_meant(root: str, objects: Objects, one: Delta, states: dict[str, str], plan: _Plan) -> bool:
    letters = states.get(one.path, "??")
    if letters[0] not in " ?" and letters[1] != " ":
        return False  # staged, and changed again: two versions, of which one would be lost
    if one.path in plan.after:
        return plan.before[one.path] == plan.after[one.path]
    return checkout.holds(root, objects, one.path, one.new)


def _is_folder(root: str, path: str, new: Blob, going: Collection[str]) -> bool:
    """Tell whether a folder stands where a file comes, and holds more than what goes, or nothing that could go."""
    place = os.path.join(root, path)
    if new.mode == checkout.SUBMODULE or os.path.islink(place) or not os.path.isdir(place):
        return False
    held = [os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(place) for name in names]
    return not held or any(name not in going for name in held)


def _above(root: str, path: str) -> Iterator[str]:
    """Yield the folder above *path* that is no folder."""
    parts = path.split("/")
    for at in range(1, len(parts)):
        folder = "/".join(parts[:at])
        place = os.path.join(root, folder)
        if os.path.lexists(place) and (os.path.islink(place) or not os.path.isdir(place)):
            yield folder


# --- the index -------------------------------------------------------------------------------------------------------


def _index(root: str, differing: Sequence[Delta], left_out: Collection[str]) -> None:
    """Let the index hold the new blobs; other paths, and what is staged there, stay."""
    gone = b"0" * max((len(blob.oid) for one in differing for blob in (one.old, one.new) if blob), default=0)
    lines = (
        b"%s %s\t%s\0" % (*((one.new.mode, one.new.oid) if one.new else (b"0", gone)), raw_path(one.path))
        for one in sorted(differing, key=lambda one: one.new is not None)
    )
    _change_index(root, "--index-info", b"".join(lines))
    again = b"".join(raw_path(one.path) + b"\0" for one in differing if one.new and one.path in left_out)
    if again:
        _change_index(root, "--skip-worktree", again, "--stdin")


def _left_out(root: str) -> set[str]:
    """List what a sparse checkout leaves out of the work tree."""
    if git(root, "config", "--type=bool", "--get", "core.sparseCheckout", ok=(0, 1)).strip() != b"true":
        return set()
    listed = git(root, "ls-files", "-t", "-z").split(b"\0")
    return {path_of(record[2:]) for record in listed if record.startswith(b"S ")}


def _change_index(root: str, how: str, records: bytes, *more: str) -> None:
    patiently(lambda: git(root, "update-index", "-z", how, *more, stdin=records), seconds=_PATIENCE)
