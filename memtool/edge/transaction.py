"""Several files changed and committed together, or not at all, whatever fails and whenever memtool is killed.

Until the commit is made, a journal under the git directory holds what stood in the files before. Whoever finds one that
nobody is working on undoes what was begun: the files are then as they were, or the commit is whole.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping

from memtool.edge import cache, repository
from memtool.edge.delta import deltas
from memtool.edge.files import read_regular, remove, sweep, write_atomically
from memtool.edge.location import WRITING, cache_path, git_dir, head
from memtool.edge.lock import Busy, git_at_work, git_has_ended, locked
from memtool.edge.plumbing import Objects, git, path_of, raw_path, records, succeeds
from memtool.edge.stale import clear_locks
from memtool.edge.trees import CommitTree, blob_id
from memtool.errors import MemtoolError
from memtool.model import Record

_VERSION = "undo-2"
_PATIENCE = 5
"""Seconds to wait for a git that a killed command left running."""
_AGAIN = "Run the command again."
_NONE = "none"
"""The id of a file that is not there."""
_SHA1 = 40
"""Hex digits."""

Files = Mapping[str, bytes | None]
"""Path to content; None for a file that is not there."""


class Changed(MemtoolError):  # noqa: N818 (it names what happened to the repo)
    """What a change was made for is not as it was: made anew, it may fit."""


class _Step(Record):
    """One file, before and after."""

    path: str
    old: bytes | None
    new: str
    """The id of what it becomes, as git names a blob of these bytes."""


class _Journal(Record):
    """What was begun."""

    head: str
    """The commit on which it was begun."""
    target: str
    """The commit that ends it, where it is known beforehand."""
    steps: tuple[_Step, ...]


class Move(Record):
    """A change that leads from one commit to another, which is there already."""

    start: str
    """The commit that HEAD has to name; empty before the first one."""
    target: str


def change(root: str, before: Files, after: Files, commit: Callable[[], str], *, move: Move | None = None) -> str:
    """Give the files of *after* their new content, in that order, call *commit*, and give the commit that it makes.

    *before* is what the caller took the files for: raises Changed, and changes nothing, where one has changed since, or
    HEAD is not where *move* starts. When anything fails, *commit* too, the files are put back and the error goes on.
    """
    with locked(root):
        settle(root)
        tip = head(root)
        if move and tip != move.start:
            raise Changed(f"{root}: somebody else has committed meanwhile; nothing was written", hint=_AGAIN)
        for path in after:
            if _content(root, path) != before.get(path):
                raise Changed(f"{path}: changed meanwhile; nothing was written", hint=_AGAIN)
        steps = tuple(_Step(path, before.get(path), _id(new, tip)) for path, new in after.items())
        _save(root, _Journal(tip, move.target if move else "", steps))
        try:
            for path, new in after.items():
                _put(root, path, new)
            with git_at_work(root):
                made = commit()
        except BaseException:
            settle(root)
            raise
        remove(_place(root), upto=git_dir(root))
        return made


def recover(root: str) -> str:
    """Undo what a killed command left half done, and say so; nothing where there is nothing, or its command runs."""
    if not os.path.lexists(_place(root)) or WRITING in os.environ:  # a hook of its commit asks
        return ""
    try:
        with locked(root, wait=_PATIENCE):
            return settle(root)
    except Busy:
        return ""


def settle(root: str) -> str:
    """Bring what the journal tells of to an end: keep it where it was committed, else undo it; say which."""
    journal = _load(root)
    if journal is None:
        return ""
    _wait_for_git(root)
    committed = _is_committed(root, journal)
    kept = [] if committed else _undo(root, journal)
    for folder in {os.path.dirname(os.path.join(root, step.path)) for step in journal.steps}:
        sweep(folder)
    remove(_place(root), upto=git_dir(root))
    if committed:
        return "a command that was interrupted had done its work; it is committed"
    left = f"; left as they are, for they were changed since: {', '.join(kept)}" if kept else ""
    return f"a command that was interrupted is undone; {len(journal.steps) - len(kept)} files are as they were{left}"


def _is_committed(root: str, journal: _Journal) -> bool:
    """Tell whether some commit since the journal was begun holds all that it tells of; later ones may change that."""
    tip = head(root)
    if not tip or tip == journal.head:
        return False
    if journal.target:
        return succeeds(root, "merge-base", "--is-ancestor", journal.target, tip)
    since = (tip, f"^{journal.head}") if journal.head else (tip,)
    with Objects(root) as objects:
        trees = (CommitTree(objects, line.decode()) for line in git(root, "rev-list", *since).split())
        return any(all(_blob(tree, step.path) == step.new for step in journal.steps) for tree in trees)


def _undo(root: str, journal: _Journal) -> list[str]:
    """Put the files back; leave, and list, those that somebody else has changed or committed since."""
    kept = []
    tip = head(root)
    with Objects(root) as objects:
        committed = CommitTree(objects, tip) if tip else None
        for step in reversed(journal.steps):
            now = _content(root, step.path)
            if now == step.old:
                continue
            if _id(now, tip) != step.new or _blob(committed, step.path) == step.new:
                kept.append(step.path)
            else:
                _put(root, step.path, step.old)
        meant = {path: oid for path, oid in _meant(root, journal).items() if _blob(committed, path) != oid}
        new = {path for path in meant if _blob(committed, path) == _NONE}
    staged = _staged(root, meant)
    repository.unstage(root, [path for path, oid in meant.items() if path in new or staged.get(path, _NONE) == oid])
    return kept


def _meant(root: str, journal: _Journal) -> dict[str, str]:
    """Map each path that was to change to the id that the index may hold of it by now."""
    if not journal.target:
        return {step.path: step.new for step in journal.steps}
    found = deltas(root, journal.head, journal.target)
    return {one.path: one.new.oid.decode() if one.new else _NONE for one in found}


def _blob(tree: CommitTree | None, path: str) -> str:
    blob = tree.blob(path) if tree is not None else None
    return blob.oid.decode() if blob else _NONE


def _staged(root: str, paths: Collection[str]) -> dict[str, str]:
    """Map those of *paths* that the index holds to the ids of their blobs."""
    listed = (record.partition(b"\t") for record in records(root, "ls-files", "-s", "-z")) if paths else ()
    return {path_of(path): about.split(b" ")[1].decode() for about, _, path in listed if path_of(path) in paths}


def _wait_for_git(root: str) -> None:
    """Wait for a git that a killed writer left running; raises MemtoolError when one holds the index for long."""
    lock = os.path.join(git_dir(root), "index.lock")
    end = time.monotonic() + _PATIENCE
    idle = git_has_ended(root, wait=_PATIENCE)
    if idle:
        clear_locks(root)
    while os.path.lexists(lock) or not idle:
        if time.monotonic() > end:
            what = lock if os.path.lexists(lock) else root
            raise MemtoolError(
                f"{what}: a git is at work here, or was killed",
                hint="Wait for it; when none runs any more, remove its index.lock and run the command again.",
            )
        time.sleep(0.05)


def _content(root: str, path: str) -> bytes | None:
    """Read a file of the work tree; None where none is. Raises MemtoolError for what is no regular file."""
    place = os.path.join(root, path)
    data = read_regular(place)
    if isinstance(data, bytes):
        return data
    if os.path.lexists(place):
        raise MemtoolError(f"{path}: {data}; nothing was changed")
    return None


def _put(root: str, path: str, content: bytes | None) -> None:
    place = os.path.join(root, path)
    if content is None:
        remove(place, upto=root)
    else:
        write_atomically(place, content)


def _id(content: bytes | None, tip: str) -> str:
    """Name *content* as git does in the repo of the commit *tip*; a repo without a commit is taken for one of SHA-1."""
    return _NONE if content is None else blob_id(content, len(tip) or _SHA1).decode()


# --- the journal -----------------------------------------------------------------------------------------------------


def _place(root: str) -> str:
    return cache_path(root, "undo")


def _save(root: str, journal: _Journal) -> None:
    sections = [journal.head.encode(), journal.target.encode()]
    for step in journal.steps:
        sections += [raw_path(step.path), b"" if step.old is None else b"=" + step.old, step.new.encode()]
    write_atomically(_place(root), cache.pack(_VERSION, sections))


def _load(root: str) -> _Journal | None:
    data = read_regular(_place(root))
    if isinstance(data, str):
        return None
    sections = cache.unpack(_VERSION, data)
    if not sections:
        raise MemtoolError(
            f"{_place(root)}: damaged; a command was interrupted here, and what it did cannot be undone by itself",
            hint="`git status` shows what it left; settle that, then remove the file.",
        )
    tip, target, *rest = sections
    steps = (
        _Step(path_of(path), old[1:] if old else None, new.decode())
        for path, old, new in zip(rest[::3], rest[1::3], rest[2::3], strict=True)
    )
    return _Journal(tip.decode(), target.decode(), tuple(steps))
