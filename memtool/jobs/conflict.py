"""The open conflicts of the work tree: what each is about, both of its texts, and who wrote them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from memtool.core import document
from memtool.core.config import Config, basename
from memtool.core.entry import entry_hash
from memtool.core.lint.conflict import inline as set_aside
from memtool.core.log.report import Change, word
from memtool.core.merge import resolve as core
from memtool.core.merge.copy import Copy, copies
from memtool.core.terminal import printable
from memtool.edge.location import head, load_config
from memtool.edge.trees import Folder, WorkTree
from memtool.errors import MemtoolError
from memtool.jobs.commit import on_disk
from memtool.jobs.log import written
from memtool.model import Finding, Record

if TYPE_CHECKING:
    from memtool.core.merge.resolve import Keep

_NAMED = 3
"""How many copies an error names."""
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
    here_by: Change | None = None
    """What wrote the text that stands there; None where that was not asked, or history does not tell."""
    aside_by: Change | None = None
    """The same of the text that was set aside."""

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
            "here_by": self.here_by and self.here_by.asdict(), "aside": self.copy.text.decode("utf-8", "replace"),
            "aside_by": self.aside_by and self.aside_by.asdict(), "keep": list(core.options(self.data, self.copy)),
        }  # fmt: skip

    def lines(self) -> Iterator[str]:
        """Yield what it is about, and the commands that close it."""
        command = f"memtool resolve {word(self.place)}"
        yield self._head()
        yield f"  {command:{len(command) + 12}}  show both texts"
        yield from self._ways(command)

    def shown(self) -> Iterator[str]:
        """Yield both texts, as what would change if the copy took the place of what stands there, and the commands."""
        here = self.here
        yield self._head()
        yield ""
        names = (self.copy.path + _by(self.here_by), self.place + _by(self.aside_by))
        yield from diff(here or b"", self.copy.text, names=names)
        yield ""
        if here is None:
            yield "What it was set aside from is not there any more, or cannot be told for certain."
        yield from self._ways(f"memtool resolve {word(self.place)}")

    def _head(self) -> str:
        return f"{printable(self.copy.aim)}: {printable(self.copy.reason)}"

    def _ways(self, command: str) -> Iterator[str]:
        for keep in core.options(self.data, self.copy):
            yield f"  {command} --keep {keep}  {_MEANINGS[keep]}"


def _by(change: Change | None) -> str:
    return f"  by {change.who}, {change.date}" if change else ""


def diff(old: bytes, new: bytes, *, names: tuple[str, str]) -> Iterator[str]:
    """Yield what differs between two texts, called *names*, as a unified diff that a terminal can show."""
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


def conflict(root: str, name: str) -> Conflict:
    """Give the open conflict that *name* means, with who wrote its texts; raises MemtoolError as `named` does."""
    return _signed(root, named(root, name, load_config(Folder(root))[0]))


def named(root: str, name: str, config: Config) -> Conflict:
    """Give the open conflict that *name* means, by its copy's place, its file or section, or its copy's base name.

    Raises MemtoolError where that is none, or more than one.
    """
    every = list(copies(WorkTree(root), config))
    by_place = [one for one in every if one[0] == name]
    by_aim = [one for one in every if name in {one[1].path, one[1].aim}]
    found = by_place or by_aim or [one for one in every if basename(one[0]) == name]
    if len(found) > 1:
        more = f" and {len(found) - _NAMED:,} more" if len(found) > _NAMED else ""
        places = ", ".join(word(place) for place, _ in found[:_NAMED])
        raise MemtoolError(f"{name}: {len(found):,} conflicts are open there", hint=f"Name a copy: {places}{more}.")
    if not found:
        hint = "`memtool resolve` lists the open ones."
        raise MemtoolError(f"{shlex.quote(name)}: no open conflict of that name", hint=hint)
    place, copy = found[0]
    return Conflict(place, copy, on_disk(root, copy.path))


def _signed(root: str, one: Conflict) -> Conflict:
    """Say of both texts of a conflict what wrote them; of a front matter history is not asked, key by key."""
    here, copy = one.here or b"", one.copy
    if not head(root) or (copy.what and not copy.slug):
        return one
    target = f"{copy.path}#{copy.slug}@{entry_hash(here)}" if copy.slug else copy.path
    here_by, aside_by = written(root, target, (here, copy.text))
    return one.replace(here_by=here_by, aside_by=aside_by)
