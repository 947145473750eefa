"""The links that a split breaks: where each stands now, what holds its target, and what mends it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from urllib.parse import unquote_to_bytes

from memtool.core import document
from memtool.core.split import markup
from memtool.core.split.aim import Aim, Aims, Kind
from memtool.core.split.markup import Definition, Link
from memtool.core.split.move import Move
from memtool.core.split.plan import Plan
from memtool.model import Record, Snapshot, odd

_LINE_END = re.compile(rb"[ \t]*(?:\r\n?|\n)[ \t]*")
_LONGEST = 1_000
"""Bytes of a definition that is written out at each reference: a file must not grow without bound by it."""


class BrokenLink(Record):
    """A link that no longer leads where it led before the split; offsets and lines are those of the files after it."""

    path: str
    """The file that holds it."""
    line: int
    """Counted from 1."""
    kind: Kind
    target: str
    """As written; of a reference or footnote, its label."""
    holder: str
    """The file, or file and anchor, that holds the target; nothing where none does."""
    start: int
    """The first byte of what is to be replaced."""
    end: int
    replacement: bytes | None
    """None where a person must look."""


def broken(
    plan: Plan, after: Mapping[str, bytes], snapshot: Snapshot, memory: Callable[[str], bool]
) -> list[BrokenLink]:
    """List the links that the split breaks, by path and place: those of the source, and those into it from elsewhere.

    *after* are the files that the split writes: the parts, and the source where it stays, which must start its body as
    before. *snapshot* is the tree before; of its other files only markdown is read for which *memory* is true.
    """
    found = markup.read(plan.data, plan.body)
    move = Move(plan, after, found.ids)
    aims = Aims(move, after, snapshot)
    labels = _Labels(plan.data, found.definitions, aims)
    moved: dict[str, list[Link]] = {}
    for link in found.links:
        moved.setdefault(move.path(link.start), []).append(link)
    told = [
        one
        for path, links in moved.items()
        for one in _told(path, after[path], ((link, labels.aim(link, path)) for link in links), move.shift(path))
    ]
    for path in snapshot:
        if path.endswith(".md") and path != plan.source and path not in after and memory(path):
            told += _from_outside(path, snapshot, aims)
    return sorted(told, key=lambda link: (link.path, link.start))


def mended(data: bytes, links: Sequence[BrokenLink]) -> bytes:
    """Put the replacements of the *links* of one file in place in its bytes, and touch nothing else."""
    pieces, at = [], 0
    for link in sorted(links, key=lambda link: link.start):
        if link.replacement is not None:
            pieces += [data[at : link.start], link.replacement]
            at = link.end
    return b"".join([*pieces, data[at:]])


def _told(path: str, data: bytes, judged: Iterable[tuple[Link, Aim | None]], shift: int) -> Iterator[BrokenLink]:
    """Tell the links of one file that have an aim; each stands *shift* bytes further on in its *data*."""
    starts: list[int] = []
    for link, aim in judged:
        if aim:
            starts = starts or list(accumulate(map(len, data.splitlines(keepends=True)), initial=0))[:-1]
            start = link.start + shift
            target = link.text.decode("utf-8", "surrogateescape")
            line = bisect_right(starts, start)
            yield BrokenLink(path, line, aim.kind, target, aim.holder, start, link.end + shift, aim.written)


def _from_outside(path: str, snapshot: Snapshot, aims: Aims) -> Iterator[BrokenLink]:
    """Tell the links of another file into the source; most files do not even name it."""
    data = b"" if odd(snapshot, path) else snapshot[path]
    if _names(data, aims.source):
        links = markup.read(data, document.read(data).body).links
        yield from _told(path, data, ((link, aims.judge(link, path, path)) for link in links), 0)


def _names(data: bytes, path: str) -> bool:
    """Tell whether *data* may name the file *path*, percent-encoded, escaped or without ``.md``."""
    name = path.rpartition("/")[2].removesuffix(".md").encode("utf-8", "surrogateescape")
    return name.lower() in unquote_to_bytes(data.replace(b"\\", b"")).lower()


class _Labels:
    """The definitions of the source, by label: the first in all of it counted, the first in each file counts now."""

    def __init__(self, data: bytes, definitions: Sequence[Definition], aims: Aims) -> None:
        self._data = data
        self._aims = aims
        self._first: dict[str, Definition] = {}
        self._here: dict[tuple[str, str], Definition] = {}
        for definition in definitions:
            self._first.setdefault(definition.label, definition)
            self._here.setdefault((aims.move.path(definition.at), definition.label), definition)

    def aim(self, link: Link, path: str) -> Aim | None:
        """Judge a *link* of the source that stands in the file *path* now."""
        if link.kind not in {"reference", "footnote"}:
            return self._aims.judge(link, self._aims.source, path)
        label = markup.label(link.text)
        meant, found = self._first[label], self._here.get((path, label))
        holder = self._aims.move.path(meant.at)
        if found is meant:
            return None
        if link.kind == "footnote":
            return Aim("footnote", holder, None)
        if found and self._target(found) == self._target(meant) and found.title == meant.title:
            return None
        return Aim("reference", holder, self._inline(meant, path))

    def _target(self, definition: Definition) -> bytes:
        return self._data[definition.start : definition.end]

    def _inline(self, meant: Definition, path: str) -> bytes | None:
        """Write the definition *meant* as what stands behind the text of an inline link, in any cell of a table too."""
        aim = self._aims.target(self._target(meant), self._aims.source, path)
        target = aim.written if aim else self._target(meant)
        if target is None or len(target) + len(meant.title) > _LONGEST:
            return None
        if self._data[meant.start - 1 : meant.start] == b"<":
            target = b"<" + target + b">"
        title = _LINE_END.sub(b" ", meant.title).replace(b"|", b"&#124;")
        return b"(" + target.replace(b"|", b"%7C") + (b" " + title if title else b"") + b")"
