"""The links, definitions and anchors of a markdown text, each with the exact bytes that a change would replace.

Within a block of prose, brackets are matched as CommonMark's parsing strategy does. All of it is one pass whose cost
grows with the length of the text, whatever stands there.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Literal

from memtool.core.split.prose import NOTE, blocks
from memtool.model import Record

_NESTED = 8
"""How deep brackets in a destination may nest; CommonMark asks for three."""
_LONGEST = 999
"""Letters of a label, by CommonMark."""

_GAP = rb"[ \t\r\n]"
_END = rb"[ \t]*+(?:\r\n?|\n|\Z)"
_TITLE = rb"""("(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))"""
_ANGLE = rb"<((?:[^<>\\\r\n]|\\.)*+)>"
_BARE = rb"(?:[^\\()\x01-\x20\x7f]|\\[!-~]?+)"
for _ in range(_NESTED):
    _BARE = rb"(?:[^\\()\x01-\x20\x7f]|\\[!-~]?+|\(" + _BARE + rb"*+\))"

_INLINE = re.compile(
    rb"\(%s*+(?:%s|(?!<)(%s*+))(?:%s++%s)?+%s*+\)" % (_GAP, _ANGLE, _BARE, _GAP, _TITLE, _GAP), re.DOTALL
)
_LABEL = re.compile(rb"\[((?:[^\[\]\\]|\\.){0,%d}+)\]" % _LONGEST, re.DOTALL)
_DEFINITION = re.compile(
    rb"[ \t]*+%s:%s*+(?:%s|(?!<)(%s++))(?:%s++%s%s|%s)"
    % (_LABEL.pattern, _GAP, _ANGLE, _BARE, _GAP, _TITLE, _END, _END),
    re.DOTALL,
)
_WIKI = re.compile(rb"\[\[([^\[\]\r\n|`<]*+)(?:\|[^\[\]\r\n`<]*+)?\]\](?![\[(])")

_ATTRIBUTE = re.compile(
    rb"""%s++([A-Za-z_:][\w.:-]*+)(?:%s*+=%s*+("[^"]*+"|'[^']*+'|[^\x00-\x20"'=<>`]++))?+""" % (_GAP, _GAP, _GAP)
)
_LEADING = frozenset((b"href", b"src", b"poster", b"data"))
"""The attributes that hold one address."""
_SOURCES = re.compile(rb"(?:\A|,)[ \t\r\n]*+([^ \t\r\n,]++)")
"""The addresses of a ``srcset``."""
_NAME = re.compile(rb"<[A-Za-z][A-Za-z0-9-]*+")
_TAG = re.compile(rb"%s(?:%s)*+%s*+/?>" % (_NAME.pattern, _ATTRIBUTE.pattern, _GAP))
_AUTOLINK = re.compile(rb"<[A-Za-z][A-Za-z0-9+.-]{1,31}+:[^\x00-\x20<>]*+>")

_BLOCK_ID = re.compile(rb"(?<![^ \t\r\n])(\^[A-Za-z0-9-]++)[ \t\r\n]*+\Z")
_TOKEN = re.compile(rb"\\[!-/:-@\[-`{-~]|`++|<|!?\[|\]")
_TICKS = re.compile(rb"`++")


class Link(Record):
    """One thing in a text that leads somewhere."""

    kind: Literal["destination", "attribute", "reference", "footnote", "wikilink"]
    start: int
    """The first byte of what a change replaces: the bare target; of a reference, what stands behind its text."""
    end: int
    text: bytes
    """The target as written; of a reference, its label."""


class Definition(Record):
    """What references by one label lead to; the label of a footnote starts with ``^``, and it has no target."""

    label: str
    """Folded, as `label` gives it."""
    at: int
    """Where the definition starts."""
    start: int
    """The first byte of its target, without ``<>``."""
    end: int
    title: bytes
    """As written, with its quotes; empty where there is none."""


class Markup(Record):
    """What `read` finds."""

    links: list[Link]
    definitions: list[Definition]
    """The one that counts in the whole text stands before all others of its label; those are in order."""
    ids: list[tuple[str, int]]
    """The anchors that HTML sets, and each ``^name`` that ends a block, with their offsets, in order."""


def read(data: bytes, body: int = 0) -> Markup:
    """Find what the markdown *data* links to; its blocks start at byte *body*."""
    text, found = blocks(data, body)
    reader = _Reader(text)
    starts = [reader.define(start, end) if kind == "text" else start for kind, start, end in found]
    for start, (kind, _, end) in zip(starts, found, strict=True):
        if kind == "html":
            reader.read_html(start, end)
        else:
            reader.read(start, end)
    return Markup(reader.links, [*reader.definitions.values(), *reader.repeated], reader.ids)


def label(raw: bytes) -> str:
    """Fold a label as CommonMark does: case, and runs of white space."""
    return b" ".join(raw.split()).decode("utf-8", "surrogateescape").casefold()


class _Reader:
    """Reads block by block, and keeps the brackets that are open in the present one."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.links: list[Link] = []
        self.definitions: dict[str, Definition] = {}
        self.repeated: list[Definition] = []
        self.ids: list[tuple[str, int]] = []

        self.end = 0  # of the block
        self.open: list[tuple[int, bool]] = []  # brackets: where their text starts, whether it is an image's
        self.inert = 0  # how many of them, from the first, hold a link, so that they can be none
        self.newest = 0  # where the text of the last one that was opened starts
        self.ticks: dict[int, list[int]] = {}  # where runs of backticks start, by their length
        self.unclosed = False  # no comment ends behind this point of the block

    def define(self, at: int, end: int) -> int:
        """Read the definitions with which a block starts; give where its prose does."""
        if note := NOTE.match(self.text, at, end):
            self._keep(Definition(label(note[1]), at, note.end(), note.end(), b""))
            return note.end()
        while (found := _DEFINITION.match(self.text, at, end)) and found[1].strip():
            start, stop = found.span(2) if found[2] is not None else found.span(3)
            self._keep(Definition(label(found[1]), at, start, stop, found[4] or b""))
            self.links.append(Link("destination", start, stop, self.text[start:stop]))
            at = found.end()
        return at

    def _keep(self, definition: Definition) -> None:
        if self.definitions.setdefault(definition.label, definition) is not definition:
            self.repeated.append(definition)

    def read_html(self, at: int, end: int) -> None:
        self.end, self.unclosed = end, False
        while (at := self.text.find(b"<", at, end)) >= 0:
            if self.text.startswith(b"<!--", at) and self.text.find(b"-->", at + 4, end) < 0:
                return
            at = self._tag(at)

    def read(self, at: int, end: int) -> None:
        """Read a block of prose, token by token."""
        self.end, self.unclosed = end, False
        self.open, self.inert, self.newest = [], 0, -1
        self.ticks = {}
        for run in _TICKS.finditer(self.text, at, end):
            self.ticks.setdefault(run.end() - run.start(), []).append(run.start())
        while token := _TOKEN.search(self.text, at, end):
            at = self._step(token[0], token.start(), token.end())
        if block := _BLOCK_ID.search(self.text, max(at, end - _LONGEST), end):
            self.ids.append((block[1].decode(), block.start(1)))

    def _step(self, token: bytes, start: int, end: int) -> int:
        """Deal with one *token*; give where to go on."""
        if token.startswith(b"\\"):
            return end
        if token == b"<":
            return self._tag(start)
        if token == b"]":
            return self._close(start)
        if token.startswith(b"`"):
            return self._code(start, end)
        return self._wikilink(end - 1) or self._open(end, image=len(token) > 1)

    def _code(self, start: int, end: int) -> int:
        """Go past a code span, or past the run of backticks that opens none."""
        closers = self.ticks.get(end - start, [])
        at = bisect_left(closers, end)
        return closers[at] + end - start if at < len(closers) else end

    def _tag(self, at: int) -> int:
        """Go past a comment, an address or a tag, and note where the tag leads and what anchor it sets."""
        if self.text.startswith(b"<!--", at) and not self.unclosed:
            end = self.text.find(b"-->", at + 4, self.end)
            self.unclosed = end < 0
            return at + 1 if self.unclosed else end + 3
        tag = _TAG.match(self.text, at, self.end)
        if tag:
            self._attributes(at, tag.end())
        address = tag or _AUTOLINK.match(self.text, at, self.end)
        return address.end() if address else at + 1

    def _attributes(self, at: int, end: int) -> None:
        name = _NAME.match(self.text, at)
        for found in _ATTRIBUTE.finditer(self.text, name.end() if name else at, end):
            start, stop = found.span(2)
            if self.text[start : start + 1] in {b'"', b"'"}:
                start, stop = start + 1, stop - 1
            key, value = found[1].lower(), self.text[start:stop]
            if key in _LEADING and value:
                self.links.append(Link("attribute", start, stop, value))
            elif key == b"srcset":
                spans = (one.span(1) for one in _SOURCES.finditer(value))
                self.links += [Link("attribute", start + a, start + b, value[a:b]) for a, b in spans]
            elif key in {b"id", b"name"} and value:
                self.ids.append((value.decode("utf-8", "surrogateescape"), start))

    def _wikilink(self, at: int) -> int:
        """Read ``[[page#heading|alias]]``, unless a label within it makes it a reference; 0 where none stands."""
        found = _WIKI.match(self.text, at, self.end)
        if not found or label(self.text[at + 2 : found.end() - 2]) in self.definitions:
            return 0
        target = found[1].rstrip(b"\\")  # in a table the bar is escaped
        self.links.append(Link("wikilink", found.start(1), found.start(1) + len(target), target))
        return found.end()

    def _open(self, at: int, *, image: bool) -> int:
        self.open.append((at, image))
        self.newest = at
        return at

    def _close(self, at: int) -> int:
        """Read the link that ends its text at the bracket *at*, if one does; no link may hold another."""
        if not self.open:
            return at + 1
        inner, image = self.open.pop()
        depth = len(self.open)
        inert, self.inert = depth < self.inert, min(depth, self.inert)
        if inert and not image:
            return at + 1
        if end := self._inline(at + 1) or self._reference(inner, at):
            self.inert = self.inert if image else depth
            return end
        return self._footnote(inner, at) or at + 1

    def _inline(self, at: int) -> int:
        found = _INLINE.match(self.text, at, self.end)
        if not found:
            return 0
        start, end = found.span(1) if found[1] is not None else found.span(2)
        self.links.append(Link("destination", start, end, self.text[start:end]))
        return found.end()

    def _reference(self, inner: int, at: int) -> int:
        found = _LABEL.match(self.text, at + 1, self.end)
        raw = found[1] if found and found[1].strip() else self._inside(inner, at)
        if raw.startswith(b"^") or label(raw) not in self.definitions:
            return 0
        end = found.end() if found else at + 1
        self.links.append(Link("reference", at + 1, end, raw))
        return end

    def _footnote(self, inner: int, at: int) -> int:
        raw = self._inside(inner, at)
        if not raw.startswith(b"^") or label(raw) not in self.definitions:
            return 0
        self.links.append(Link("footnote", inner - 1, at + 1, raw))
        return at + 1

    def _inside(self, inner: int, at: int) -> bytes:
        """Give the text between two brackets where it can be a label: none stands within, and it is not too long."""
        return self.text[inner:at] if self.newest == inner and at - inner <= _LONGEST else b""
