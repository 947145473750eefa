"""`resolve`: the open conflict copies of the work tree, and one of them closed in one commit."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from memtool.core import document
from memtool.core.config import Config
from memtool.core.lint.conflict import inline as set_aside
from memtool.core.merge import resolve as core
from memtool.core.merge.copy import Copy, copies, read
from memtool.core.terminal import printable
from memtool.edge import repository
from memtool.edge.files import read_regular
from memtool.edge.location import head, load_config
from memtool.edge.pending import pending
from memtool.edge.plumbing import Objects
from memtool.edge.transaction import Files
from memtool.edge.trees import CommitTree, Folder, WorkTree
from memtool.errors import MemtoolError
from memtool.jobs.commit import Message, commit, index_pages, on_disk, trailer_path
from memtool.jobs.recall import refuse_outside
from memtool.jobs.revise import Writer
from memtool.model import Finding, Record

if TYPE_CHECKING:
    from memtool.core.merge.resolve import Keep

_SHOWN = 5
"""How many conflicts a screen shows; JSON has all."""
_SHORT = 20
"""Lines up to which a text is shown whole."""
_MEANINGS: dict[Keep, str] = {
    "here": "what stands there now is right",
    "copy": "what was set aside is right",
    "both": "both are: what was set aside goes behind the other",
}


class Conflict(Record):
    """An open conflict."""

    place: str
    """Where its copy lies."""
    copy: Copy
    data: bytes | None
    """The file that it is about, as it is now; None where it is gone."""

    @property
    def here(self) -> bytes | None:
        """The text that stands in the place of the copy's; None where none does."""
        try:
            return None if self.data is None else core.standing(self.data, self.copy)
        except MemtoolError:
            return None

    def asdict(self) -> dict[str, Any]:
        here = self.here
        return {
            "copy": self.place, "path": self.copy.path, "slug": self.copy.slug, "what": self.copy.what,
            "reason": self.copy.reason, "here": None if here is None else here.decode("utf-8", "replace"),
            "aside": self.copy.text.decode("utf-8", "replace"), "keep": list(core.options(self.data, self.copy)),
        }  # fmt: skip

    def lines(self) -> Iterator[str]:
        """Yield what it is about, and the commands that close it."""
        command = f"memtool resolve {printable(shlex.quote(self.place))}"
        yield self._head()
        yield f"  {command:{len(command) + 12}}  show both texts"
        yield from self._ways(command)

    def shown(self) -> Iterator[str]:
        """Yield both texts, as what would change if the copy took the place of what stands there, and the commands."""
        here = self.here
        yield self._head()
        yield ""
        yield from _diff(here or b"", self.copy.text, names=(self.copy.path, self.place))
        yield ""
        if here is None:
            yield "What it was set aside from is not there any more, or cannot be told for certain."
        yield from self._ways(f"memtool resolve {printable(shlex.quote(self.place))}")

    def _head(self) -> str:
        return f"{printable(self.copy.aim)}: {printable(self.copy.reason)}"

    def _ways(self, command: str) -> Iterator[str]:
        for keep in core.options(self.data, self.copy):
            yield f"  {command} --keep {keep}  {_MEANINGS[keep]}"


def _diff(old: bytes, new: bytes, *, names: tuple[str, str]) -> Iterator[str]:
    was, now = ([printable(line) for line in data.decode("utf-8", "replace").splitlines()] for data in (old, new))
    if was == now:
        yield "(no line differs)"
    context = 3 if max(len(was), len(now)) > _SHORT else _SHORT
    before, after = map(printable, names)
    yield from unified_diff(was, now, before, after, n=context, lineterm="")


def conflicts(root: str) -> list[Conflict]:
    """List the open conflicts of the work tree, by the places of their copies."""
    tree = WorkTree(root)
    config = load_config(tree)[0]
    return [Conflict(place, copy, on_disk(root, copy.path)) for place, copy in copies(tree, config)]


def inline(root: str) -> list[Finding]:
    """List the texts that git's merge driver kept in the files themselves: those are settled by hand."""
    tree = WorkTree(root)
    config = load_config(tree)[0]
    pages = ((path, tree.get(path, b"")) for path in tree if config.is_memory(path))
    return [finding for path, data in pages for finding in set_aside(path, data, document.read(data).body)]


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


def conflict(root: str, place: str) -> Conflict:
    """Give the conflict whose copy lies at *place*; raises MemtoolError for what is none."""
    return _conflict(root, place, load_config(Folder(root))[0])


def _conflict(root: str, place: str, config: Config) -> Conflict:
    data = read_regular(os.path.join(root, place))
    copy = None if isinstance(data, str) else read(place, data, config)
    if copy is None:
        why = data if isinstance(data, str) else "no conflict copy"
        raise MemtoolError(f"{place}: {why}", hint="`memtool resolve` lists the open ones.")
    return Conflict(place, copy, on_disk(root, copy.path))


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
            yield from _diff(one.data or b"", self.data or b"", names=(one.copy.path, one.copy.path))
        done = f"is settled: commit {self.commit[:12]}" if self.commit else "would be settled"
        yield f"{printable(one.copy.aim)} {done}; {printable(one.place)} is deleted"


def asdict(found: Sequence[Conflict], by_hand: Sequence[Finding], closed: Closed | None = None) -> dict[str, Any]:
    """Give the conflicts that are open, and what was done, in the shape of ``memtool.resolve/1``."""
    return {
        "schema": "memtool.resolve/1",
        "conflicts": [one.asdict() for one in found],
        "by_hand": [one.asdict() for one in by_hand],
        "closed": closed and closed.asdict(),
    }


def close(writer: Writer, place: str, keep: Keep) -> Closed:
    """Close the conflict whose copy lies at *place* in one commit; raises MemtoolError, and changes nothing, else."""
    root = writer.root
    config = load_config(Folder(root))[0].writable()
    repository.leave_commit_in_progress()
    repository.refuse_unfinished(root)
    one = _conflict(root, place, config)
    if keep != "here":
        _refuse_other(root, one.copy.path, config)
    try:
        closed = Closed(one, keep, core.settled(one.data, one.copy, keep))
    except MemtoolError as error:
        by_hand = f"Put by hand into {one.copy.path} what is right, then: memtool resolve {place} --keep here"
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


def _write(writer: Writer, closed: Closed, config: Config) -> str:
    root, one = writer.root, closed.conflict
    path, place = one.copy.path, one.place
    before = {place: on_disk(root, place), path: one.data}
    after: dict[str, bytes | None] = {place: None}
    if closed.data is not None and (closed.data != one.data or path in repository.touched(root)):
        after = {path: closed.data, place: None}
    waiting = repository.uncommitted(root, pending(root))
    pages = _pages(root, place, config, {name: on_disk(root, name) for name in waiting} | after)
    trailers = [trailer for name in after for trailer in trailer_path(name)]
    message = Message("Settle a conflict", "resolve", writer.agent, trailers)
    return commit(root, before, after | pages, message, also=[name for name in waiting if name not in after])


def _pages(root: str, place: str, config: Config, changes: Files) -> dict[str, bytes | None]:
    """Give the pages of the index that change with *changes*; raises MemtoolError for a copy not committed yet."""
    with Objects(root) as objects:
        committed = CommitTree(objects, "HEAD") if head(root) else None
        if committed is None or place not in committed:
            raise MemtoolError(f"{place}: not committed yet", hint="Commit it, or delete it if you have settled it.")
        return index_pages(root, committed, config, changes)
