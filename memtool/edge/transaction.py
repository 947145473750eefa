"""Several files changed and committed together, or not at all, whatever fails and whenever memtool is killed.

Until the commit is made, a journal under the git directory holds what stood in the files before. Whoever finds one that
nobody is working on undoes what was begun: the files are then as they were, or the commit is whole.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping

from memtool.edge import checkout, journal, repository
from memtool.edge.delta import Delta, deltas
from memtool.edge.files import read_regular, remove, sweep, write_atomically
from memtool.edge.journal import Journal, Step
from memtool.edge.location import WRITING, git_dir, head
from memtool.edge.lock import Busy, git_at_work, git_has_ended, locked
from memtool.edge.plumbing import Objects, git, path_of, records, succeeds
from memtool.edge.stale import clear_locks
from memtool.edge.trees import CommitTree, blob_id
from memtool.errors import MemtoolError
from memtool.model import Record

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


class Move(Record):
    """A change that leads from one commit to another, which is there already."""

    start: str
    """The commit that HEAD has to name; empty before the first one."""
    target: str
    others: tuple[str, ...] = ()
    """Files that *commit* brings from the one to the other, as git writes them; they are as *start* has them."""


def change(root: str, before: Files, after: Files, commit: Callable[[], str], *, move: Move | None = None) -> str:
    """Give the files of *after* their new content, in that order, call *commit*, and give the commit that it makes.

    *before* is what the caller took the files for: raises Changed, and changes nothing, where one has changed since, or
    HEAD is not where *move* starts. When anything fails, *commit* too, the files are put back and the error goes on.
    """
    with locked(root):
        settle(root)
        _wait_for_index(root)  # one that is there already is somebody else's: nothing is begun under it
        tip = head(root)
        if move and tip != move.start:
            raise Changed(f"{root}: somebody else has committed meanwhile; nothing was written", hint=_AGAIN)
        for path in after:
            if _content(root, path) != before.get(path):
                raise Changed(f"{path}: changed meanwhile; nothing was written", hint=_AGAIN)
        steps = tuple(Step(path, before.get(path), _id(new, tip)) for path, new in after.items())
        journal.save(root, Journal(tip, move.target if move else "", move.others if move else (), steps))
        try:
            for path, new in after.items():
                _put(root, path, new)
            with git_at_work(root):
                made = commit()
        except BaseException:
            settle(root)
            raise
        journal.close(root)
        return made


def recover(root: str) -> str:
    """Undo what a killed command left half done, and say so; nothing where there is nothing, or its command runs."""
    if not os.path.lexists(journal.place(root)) or WRITING in os.environ:  # a hook of its commit asks
        return ""
    try:
        with locked(root, wait=_PATIENCE):
            return settle(root)
    except Busy:
        return ""


def settle(root: str) -> str:
    """Bring what the journal tells of to an end: keep it where it was committed, else undo it; say which."""
    begun = journal.load(root)
    if begun is None:
        return ""
    _wait_for_git(root)
    committed = _is_committed(root, begun)
    kept = [] if committed else _undo(root, begun)
    if committed:
        _follow(root, begun)
    _sweep(root, begun)
    journal.close(root)
    if committed:
        return "a command that was interrupted had done its work; it is committed"
    left = f"; left as they are, for they were changed since: {', '.join(kept)}" if kept else ""
    files = len(begun.steps) + len(begun.others) - len(kept)
    if not files and not kept:
        return "a command that was interrupted is undone; it had changed no file"
    return f"a command that was interrupted is undone; {files} files are as they were{left}"


def _is_committed(root: str, begun: Journal) -> bool:
    """Tell whether some commit since the journal was begun holds all that it tells of; later ones may change that."""
    tip = head(root)
    if not tip or tip == begun.head:
        return False
    if begun.target:
        return succeeds(root, "merge-base", "--is-ancestor", begun.target, tip)
    since = (tip, f"^{begun.head}") if begun.head else (tip,)
    with Objects(root) as objects:
        trees = (CommitTree(objects, line.decode()) for line in git(root, "rev-list", *since).split())
        return any(all(_blob(tree, step.path) == step.new for step in begun.steps) for tree in trees)


def _follow(root: str, begun: Journal) -> None:
    """Let the index hold what was committed: git moves the branch first, and may have been killed before the index."""
    tip = head(root)
    empty = _id(b"", tip)  # how the index names a file that is to be committed and was not staged
    found = deltas(root, begun.head, tip)
    before = {one.path: {one.old.oid.decode()} if one.old else {_NONE, empty} for one in found}
    staged = _staged(root, before)
    repository.unstage(root, [path for path, ids in before.items() if staged.get(path, _NONE) in ids])


def _undo(root: str, begun: Journal) -> list[str]:
    """Put the files back; leave, and list, those that somebody else has changed or committed since."""
    tip = head(root)
    with Objects(root) as objects:
        committed = CommitTree(objects, tip) if tip else None
        kept = [step.path for step in reversed(begun.steps) if not _put_back(root, step, committed, tip)]
        meant = {path: oid for path, oid in _meant(root, begun).items() if _blob(committed, path) != oid}
        new = {path for path in meant if _blob(committed, path) == _NONE}
        staged = _staged(root, meant)
        repository.unstage(root, [path for path, oid in meant.items() if path in new or staged.get(path, _NONE) == oid])
        return kept + _put_others_back(root, objects, begun, committed)


def _put_back(root: str, step: Step, committed: CommitTree | None, tip: str) -> bool:
    """Give a file its old content again; False where it is somebody else's by now."""
    now = _content(root, step.path)
    if now == step.old:
        return True
    if _id(now, tip) != step.new or _blob(committed, step.path) == step.new:
        return False
    _put(root, step.path, step.old)
    return True


def _put_others_back(root: str, objects: Objects, begun: Journal, committed: CommitTree | None) -> list[str]:
    """Give the files that git wrote, and the modes, what is committed: else the next move takes them for local work."""
    if not begun.target:
        return []
    found = deltas(root, begun.head, begun.target)
    back = [Delta(one.path, one.new, committed.blob(one.path) if committed else None) for one in found]
    others = [one for one in back if one.path in begun.others]
    written = [one for one in others if checkout.holds(root, objects, one.path, one.old)]
    checkout.put(root, objects, written)
    checkout.make_executable(root, back)
    return [one.path for one in others if not checkout.holds(root, objects, one.path, one.new)]


def _sweep(root: str, begun: Journal) -> None:
    """Take away the temporary files that a killed command left beside those that it was writing."""
    folders = {os.path.dirname(os.path.join(root, path)) for path in (*_meant(root, begun), *begun.others)}
    for folder in folders:
        sweep(folder)
    checkout.sweep(root)


def _meant(root: str, begun: Journal) -> dict[str, str]:
    """Map each path that was to change to the id that the index may hold of it by now."""
    if not begun.target:
        return {step.path: step.new for step in begun.steps}
    found = deltas(root, begun.head, begun.target)
    return {one.path: one.new.oid.decode() if one.new else _NONE for one in found}


def _blob(tree: CommitTree | None, path: str) -> str:
    blob = tree.blob(path) if tree is not None else None
    return blob.oid.decode() if blob else _NONE


def _staged(root: str, paths: Collection[str]) -> dict[str, str]:
    """Map those of *paths* that the index holds to the ids of their blobs."""
    listed = (record.partition(b"\t") for record in records(root, "ls-files", "-s", "-z")) if paths else ()
    return {path_of(path): about.split(b" ")[1].decode() for about, _, path in listed if path_of(path) in paths}


def _wait_for_git(root: str) -> None:
    """Wait for a git that a killed writer left running, move aside what it locked, as far as that is certain."""
    if not git_has_ended(root, wait=_PATIENCE):
        raise _at_work(root)
    clear_locks(root)
    _wait_for_index(root)


def _wait_for_index(root: str) -> None:
    """Wait for a git that holds the index; raises MemtoolError when it does for long."""
    lock = os.path.join(git_dir(root), "index.lock")
    end = time.monotonic() + _PATIENCE
    while os.path.lexists(lock):
        if time.monotonic() > end:
            raise _at_work(lock)
        time.sleep(0.05)


def _at_work(what: str) -> MemtoolError:
    return MemtoolError(
        f"{what}: a git is at work here, or was killed",
        hint="Wait for it; when none runs any more, remove its index.lock and run the command again.",
    )


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
