"""`resolve`: the open conflicts on a screen, and one of them closed in one commit."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memtool.core.config import Config
from memtool.core.log.report import word
from memtool.core.merge import resolve as core
from memtool.core.terminal import printable
from memtool.edge import repository
from memtool.edge.files import read_regular
from memtool.edge.location import head, load_config
from memtool.edge.pending import pending
from memtool.edge.plumbing import Objects
from memtool.edge.transaction import Files
from memtool.edge.trees import CommitTree, Folder
from memtool.errors import MemtoolError
from memtool.jobs.commit import Message, commit, index_pages, on_disk, trailer_path
from memtool.jobs.conflict import Conflict, diff, named
from memtool.jobs.recall import refuse_outside
from memtool.jobs.revise import Writer
from memtool.jobs.uncommitted import refuse_loss
from memtool.model import Finding, Record

if TYPE_CHECKING:
    from memtool.core.merge.resolve import Keep

_SHOWN = 5
"""How many conflicts a screen shows; JSON has all."""


def overview(found: Sequence[Conflict], by_hand: Sequence[Finding]) -> Iterator[str]:
    """Yield the open conflicts on one screen, those that are to be settled *by_hand* last."""
    if not found and not by_hand:
        yield "No conflict is open."
    if found:
        yield from _copies(found)
    if found and by_hand:
        yield ""
    for one in by_hand[:_SHOWN]:
        yield f"{printable(one.path)}:{one.line}: {one.message}. {one.hint}"
    if len(by_hand) > _SHOWN:
        yield f"… and {len(by_hand) - _SHOWN:,} more (memtool check names them)"


def _copies(found: Sequence[Conflict]) -> Iterator[str]:
    count = f"{len(found):,} open conflict{'' if len(found) == 1 else 's'}"
    yield f"{count}. Where neither text is right, edit the file, then --keep here."
    for one in found[:_SHOWN]:
        yield ""
        yield from one.lines()
    if len(found) > _SHOWN:
        yield f"\n… and {len(found) - _SHOWN:,} more (--format json has all)"


class Closed(Record):
    """A conflict that was closed, or would be."""

    conflict: Conflict
    keep: Keep
    data: bytes | None
    """The file as it is then."""
    commit: str = ""
    """Empty for a dry run."""

    def asdict(self) -> dict[str, Any]:
        """Give what was done, as ``closed`` of ``memtool.resolve/1``."""
        one = self.conflict
        return {"copy": one.place, "path": one.copy.path, "keep": self.keep, "commit": self.commit}

    def lines(self) -> Iterator[str]:
        """Yield what was done, or would be."""
        one = self.conflict
        if not self.commit:
            yield from diff(one.data or b"", self.data or b"", names=(one.copy.path, one.copy.path))
        settled, deleted = f"is settled: commit {self.commit[:12]}", "is deleted"
        if not self.commit:
            settled, deleted = "would be settled", "would be deleted"
        yield f"{printable(one.copy.aim)} {settled}; {printable(one.place)} {deleted}"


def asdict(found: Sequence[Conflict], by_hand: Sequence[Finding], closed: Closed | None = None) -> dict[str, Any]:
    """Give the conflicts that are open, and what was done, in the shape of ``memtool.resolve/1``."""
    return {
        "schema": "memtool.resolve/1",
        "conflicts": [one.asdict() for one in found],
        "by_hand": [one.asdict() for one in by_hand],
        "closed": closed and closed.asdict(),
    }


def close(writer: Writer, name: str, keep: Keep) -> Closed:
    """Close the conflict that *name* means in one commit; raises MemtoolError, and changes nothing, where it cannot.

    What would be lost, being in no commit, is such a reason: of the file, unless it stays as it is, else of the copy.
    """
    root = writer.root
    config = load_config(Folder(root))[0].writable()
    repository.leave_commit_in_progress()
    repository.refuse_unfinished(root)
    one = named(root, name, config)
    if keep != "here":
        _refuse_other(root, one.copy.path, config)
    _refuse_uncommitted(root, one, keep)
    try:
        closed = Closed(one, keep, core.settled(one.data, one.copy, keep))
    except MemtoolError as error:
        by_hand = f"Put by hand into {one.copy.path} what is right, then: memtool resolve {word(one.place)} --keep here"
        raise MemtoolError(f"{one.copy.path}: {error.message}; nothing was changed", hint=by_hand) from None
    return closed if writer.dry_run else closed.replace(commit=_write(writer, closed, config))


def _refuse_other(root: str, path: str, config: Config) -> None:
    """Raise MemtoolError unless *path* is a place for a memory file, and nothing but such a file stands there."""
    refuse_outside(root, path)
    if not config.is_memory(path):
        raise MemtoolError(f"{path}: no memory file")
    why = read_regular(os.path.join(root, path))
    if isinstance(why, str) and os.path.lexists(os.path.join(root, path)):
        raise MemtoolError(f"{path}: {why}")


def _refuse_uncommitted(root: str, one: Conflict, keep: Keep) -> None:
    """Raise MemtoolError where the copy is not committed, and where the text that is not kept is in no commit."""
    with Objects(root) as objects:
        committed = CommitTree(objects, "HEAD") if head(root) else None
        if committed is None or one.place not in committed:
            hint = "Commit it, or delete it if you have settled it."
            raise MemtoolError(f"{one.place}: not committed yet", hint=hint)
        if keep == "here":
            refuse_loss(root, committed, one.place)
        else:
            refuse_loss(root, committed, one.copy.path, otherwise=", or settle it by hand there and --keep here")


def _write(writer: Writer, closed: Closed, config: Config) -> str:
    root, one = writer.root, closed.conflict
    path, place = one.copy.path, one.place
    before = {place: on_disk(root, place), path: one.data}
    after: dict[str, bytes | None] = {place: None}
    if closed.data is not None and (closed.data != one.data or path in repository.touched(root)):
        after = {path: closed.data, place: None}
    waiting = repository.uncommitted(root, pending(root))
    pages = _pages(root, config, {name: on_disk(root, name) for name in waiting} | after)
    trailers = [trailer for name in after for trailer in trailer_path(name)]
    message = Message("Settle a conflict", "resolve", writer.agent, trailers)
    return commit(root, before, after | pages, message, also=[name for name in waiting if name not in after])


def _pages(root: str, config: Config, changes: Files) -> dict[str, bytes | None]:
    with Objects(root) as objects:
        return index_pages(root, CommitTree(objects, "HEAD"), config, changes)
