"""Several files changed and committed together, or not at all, whatever fails and whenever memtool is killed.

Until the commit is made, a journal under the git directory holds what stood in the files before. Whoever finds one that
nobody is working on undoes what was begun: the files are then as they were, or the commit is whole.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from hashlib import sha256

from memtool.edge import cache, repository
from memtool.edge.files import read_regular, remove, sweep, write_atomically
from memtool.edge.location import cache_path, git_dir, head
from memtool.edge.lock import Busy, git_at_work, git_has_ended, locked
from memtool.edge.plumbing import Objects, git, path_of, raw_path
from memtool.edge.trees import CommitTree
from memtool.errors import MemtoolError
from memtool.model import Record

_VERSION = "undo-1"
_PATIENCE = 5
"""Seconds to wait for a git that a killed command left running."""

Files = Mapping[str, bytes | None]
"""Path to content; None for a file that is not there."""


class _Step(Record):
    """One file, before and after."""

    path: str
    old: bytes | None
    new: str
    """The hash of what it becomes."""


class _Journal(Record):
    """What was begun."""

    head: str
    """The commit on which it was begun."""
    steps: tuple[_Step, ...]


def change(root: str, before: Files, after: Files, commit: Callable[[], str]) -> str:
    """Give the files of *after* their new content, in that order, call *commit*, and give the commit that it makes.

    *before* is what the caller took the files for: raises MemtoolError, and changes nothing, where one has changed
    since. When anything fails, *commit* too, the files are put back and the error goes on.
    """
    with locked(root):
        settle(root)
        for path in after:
            if _content(root, path) != before.get(path):
                raise MemtoolError(f"{path}: changed meanwhile; nothing was written", hint="Run the command again.")
        steps = tuple(_Step(path, before.get(path), _hash(new)) for path, new in after.items())
        _save(root, _Journal(head(root), steps))
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
    if not os.path.lexists(_place(root)) or repository.WRITING in os.environ:  # a hook of its commit asks
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
    since = ("HEAD", f"^{journal.head}") if journal.head else ("HEAD",)
    if head(root) == journal.head:
        return False
    with Objects(root) as objects:
        trees = (CommitTree(objects, line.decode()) for line in git(root, "rev-list", *since, ok=(0, 128)).split())
        return any(all(_hash(tree.get(step.path)) == step.new for step in journal.steps) for tree in trees)


def _undo(root: str, journal: _Journal) -> list[str]:
    """Put the files back; leave, and list, those that somebody else has changed or committed since."""
    kept = []
    with Objects(root) as objects:
        committed = CommitTree(objects, "HEAD") if head(root) else {}
        for step in reversed(journal.steps):
            now = _content(root, step.path)
            if now == step.old:
                continue
            if _hash(now) != step.new or _hash(committed.get(step.path)) == step.new:
                kept.append(step.path)
            else:
                _put(root, step.path, step.old)
        new = [step.path for step in journal.steps if step.old is None and step.path not in committed]
    git(root, "update-index", "--force-remove", "-z", "--stdin", stdin=b"".join(raw_path(path) + b"\0" for path in new))
    return kept


def _wait_for_git(root: str) -> None:
    """Wait for a git that a killed writer left running; raises MemtoolError when one holds the index for long."""
    lock = os.path.join(git_dir(root), "index.lock")
    end = time.monotonic() + _PATIENCE
    idle = git_has_ended(root, wait=_PATIENCE)
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


def _hash(content: bytes | None) -> str:
    return "none" if content is None else sha256(content).hexdigest()


# --- the journal -----------------------------------------------------------------------------------------------------


def _place(root: str) -> str:
    return cache_path(root, "undo")


def _save(root: str, journal: _Journal) -> None:
    sections = [journal.head.encode()]
    for step in journal.steps:
        sections += [raw_path(step.path), b"" if step.old is None else b"=" + step.old, step.new.encode()]
    write_atomically(_place(root), cache.pack(_VERSION, sections))


def _load(root: str) -> _Journal | None:
    data = read_regular(_place(root))
    if isinstance(data, str):
        return None
    tip, *rest = cache.unpack(_VERSION, data) or [b""]
    if not tip and not rest:
        raise MemtoolError(
            f"{_place(root)}: damaged; a command was interrupted here, and what it did cannot be undone by itself",
            hint="`git status` shows what it left; settle that, then remove the file.",
        )
    steps = (
        _Step(path_of(path), old[1:] if old else None, new.decode())
        for path, old, new in zip(rest[::3], rest[1::3], rest[2::3], strict=True)
    )
    return _Journal(tip.decode(), tuple(steps))
