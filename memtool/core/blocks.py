"""CommonMark's block structure: where the headings stand, and which lines are prose.

git runs this at every commit, so it imports nothing: markdown-it-py alone takes five times Python's own start. It
keeps the open blocks as the specification's parsing strategy does, in one pass and without recursion, and no line
costs more than its own length, however deep earlier lines have nested. tests/test_blocks.py holds it against
markdown-it-py and shows where the two part.
"""

from __future__ import annotations

from _collections_abc import Callable, Iterator, Sequence
from bisect import bisect_left
from itertools import accumulate, chain, pairwise

from memtool.core.marks import BLANK, DIGITS, END, definition, html_ends, skip
from memtool.model import Record

_BOM = b"\xef\xbb\xbf"
_QUOTE = 0
_CONTAINER = ""
_PLAIN = frozenset(range(256)) - frozenset(b" \t\r\n#>-+*_=`~<[" + DIGITS)
"""A line that starts with one of these opens nothing but a paragraph; most lines do."""


class Heading(Record):
    """A heading at the top level of a document."""

    level: int
    start: int
    """The offset of its first line."""
    end: int
    """The offset just past its last line, which is the underline of a setext heading."""
    line: int
    """Counted from 1."""
    text: bytes
    """Its inline content as it stands there, without marks and outer white space."""
    setext: bool


def headings(data: bytes) -> list[Heading]:
    """List the headings of *data* that stand in no quote, list, code or HTML."""
    return list(_Scan(data).headings())


def within(found: Sequence[Heading], start: int, end: int) -> Sequence[Heading]:
    """Give those of the headings *found*, which are in order, that start from byte *start* on and before *end*."""
    return found[bisect_left(found, start, key=_start) : bisect_left(found, end, key=_start)]


def _start(heading: Heading) -> int:
    return heading.start


def lines(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield each line of *data* as (kind, start, end); the kinds are blank, heading, text, code and html.

    A line that holds nothing but container markers is blank; a heading inside a container is text.
    """
    scan = _Scan(data)
    spans = pairwise(scan.offsets)
    told = 0
    for _ in chain(scan.headings(), (None,)):  # at the end of a heading all kinds so far are settled
        for kind, (start, end) in zip(scan.kinds[told:], spans, strict=False):
            yield kind, start, end
        told = len(scan.kinds)


def left_open(data: bytes) -> int:
    """Give the line, from 1, that opens the fence, comment or tag in which *data* ends; 0 where none is open.

    What only a blank line would end is not meant: the end of the text serves as well.
    """
    scan = _Scan(data)
    for _ in scan.headings():
        pass
    return scan.opened if scan.fence or scan.html else 0


class _Scan:
    """The open blocks, and the line that is read."""

    def __init__(self, data: bytes) -> None:
        self.source = data.splitlines(keepends=True)  # of bytes: ends at LF, CRLF and CR only
        self.offsets = list(accumulate(map(len, self.source), initial=0))
        if data.startswith(_BOM):
            self.source[0] = self.source[0].removeprefix(_BOM) or b"\n"
        self.kinds: list[str] = []
        self.found: list[Heading] = []

        self.containers: list[int] = []  # outermost first: _QUOTE, or how far a list item's content is indented
        self.quotes: list[int] = []  # which of them are quotes: a blank line ends the first, but no list item
        self.bare = False  # the innermost container is a list item with nothing in it yet
        self.paragraph = -1  # the line at which the open paragraph starts; -1 where there is none
        self.definition: Iterator[bool] | None = None  # what the paragraph may be, or what a title may complete
        self.fence = b""  # the run that opened the open fenced code
        self.opened = 0  # the line, from 1, that opened the last fence or HTML block
        self.html: tuple[bytes, ...] | None = None  # what ends the open HTML block; a blank line where it is empty

        self.line = b"\n"  # without its outer white space
        self.at = self.column = 0  # its next byte that is no white space
        self.margin = 0  # the column at which the content of the innermost container starts
        self.depth = 0  # how many of the containers the line continues
        self.rule = -1  # from where on it holds only its last character and white space; -1 until asked

    def headings(self) -> Iterator[Heading]:
        """Read all lines, note the kind of each, and yield each top-level heading where it ends."""
        kinds = self.kinds
        simple = True  # nothing is open, unless a paragraph
        for line in self.source:
            if simple and line[0] in _PLAIN:
                if self.paragraph < 0:
                    self.paragraph = len(kinds)
                kinds.append("text")
            elif simple and line == b"\n":
                self.paragraph = -1
                kinds.append("blank")
            else:
                kinds.append(self.read(line))
                simple = not (self.containers or self.fence or self.definition) and self.html is None
                if self.found:
                    yield self.found.pop()

    def read(self, line: bytes) -> str:
        """Read one line; give its kind."""
        self.line = line.rstrip(b" \t\r\n") + b"\n"
        self.margin = 0
        self.rule = -1
        self.seek(0, 0)
        self.match()
        continued = self.depth == len(self.containers)
        if continued and self.fence:
            return self.in_fence()
        if continued and self.html is not None:
            return self.in_html()
        if self.line[self.at] == END:
            self.close()
            return "blank"
        if self.paragraph < 0 and self.define():
            return "text"
        return self.open()

    def rest(self) -> bytes:
        return self.line[self.at :]

    def seek(self, at: int, column: int) -> None:
        """Go to the first byte from *at* on that is no white space; a tab ends at the next multiple of four columns."""
        while (byte := self.line[at]) in BLANK:
            column += 1 if byte == 0x20 else 4 - column % 4
            at += 1
        self.at, self.column = at, column

    def match(self) -> None:
        """Go down the open containers as far as the line continues them."""
        quotes = 0
        bare, self.bare = self.bare, False
        self.depth = 0
        for width in self.containers:
            if self.line[self.at] == END:
                self.depth = self.quotes[quotes] if quotes < len(self.quotes) else len(self.containers) - bare
                return
            if width == _QUOTE:
                if self.line[self.at] != 0x3E or self.column - self.margin > 3:
                    return
                self.skip_marker(1)
                quotes += 1
            elif self.column - self.margin < width:
                return
            else:
                self.margin += width
            self.depth += 1

    def skip_marker(self, length: int) -> None:
        """Go past a container's marker; one column of white space behind it is part of it."""
        self.margin = self.column + length
        self.seek(self.at + length, self.margin)
        self.margin += self.column > self.margin

    def close(self) -> None:
        """Close the containers that the line does not continue, and the leaf that is open."""
        del self.containers[self.depth :]
        while self.quotes and self.quotes[-1] >= self.depth:
            self.quotes.pop()
        self.paragraph = -1
        self.definition = None
        self.fence = b""
        self.html = None

    def open(self) -> str:
        """Open what starts on the line, from the outside in; what starts nothing is paragraph text."""
        while self.line[self.at] != END:
            if self.column - self.margin > 3:
                if self.paragraph >= 0:
                    return self.text()
                self.close()
                return "code"
            for start in _STARTS.get(self.line[self.at], ()):
                kind = start(self)
                if kind == _CONTAINER:
                    break
                if kind:
                    return kind
            else:
                return self.text()
        return "blank"

    def text(self) -> str:
        if self.paragraph < 0:
            self.close()
            self.paragraph = len(self.kinds)
            if self.line[self.at] == 0x5B:
                self.definition = definition(self.rest)
        self.define()
        return "text"

    def define(self) -> bool:
        """Read the line as part of a definition, if it is; one that is whole is no paragraph any more."""
        whole = next(self.definition, None) if self.definition else None
        if whole is None:
            self.definition = None
        elif whole:
            self.paragraph = -1
        elif self.paragraph < 0:
            self.paragraph = len(self.kinds)  # a title that never ends is one
        return whole is not None

    def in_paragraph(self) -> bool:
        """Tell whether the line stands in the open paragraph itself, not lazily behind its containers."""
        return self.paragraph >= 0 and self.depth == len(self.containers)

    def open_quote(self) -> str:
        self.close()
        self.skip_marker(1)
        self.quotes.append(self.depth)
        return self.contain(_QUOTE)

    def open_item(self) -> str | None:
        end = skip(self.line, self.at, DIGITS)
        number = self.line[self.at : end]
        if len(number) > 9 or self.line[end] not in (b".)" if number else b"-+*") or self.line[end + 1] not in b" \t\n":
            return None
        empty = self.line[end + 1] == END
        if self.in_paragraph() and (empty or (number and int(number) != 1)):
            self.definition = None  # CommonMark would read on in it here, markdown-it-py does not
            return None
        self.close()
        outer = self.margin
        self.skip_marker(end + 1 - self.at)
        if empty:
            self.margin += 1
        elif self.column - self.margin < 4:  # else indented code stands behind the marker
            self.margin = self.column
        self.bare = empty
        return self.contain(self.margin - outer)

    def contain(self, width: int) -> str:
        self.containers.append(width)
        self.depth += 1
        return _CONTAINER

    def open_atx(self) -> str | None:
        content = self.line[self.at : -1].lstrip(b"#")
        level = len(self.line) - 1 - self.at - len(content)
        if level > 6 or content[:1] not in {b"", b" ", b"\t"}:
            return None
        inner = content.rstrip(b"#")
        if inner[-1:] in {b"", b" ", b"\t"}:
            content = inner
        return self.end_heading(len(self.kinds), level, content.strip(BLANK))

    def open_setext(self) -> str | None:
        mark = self.line[self.at : self.at + 1]
        if not self.in_paragraph() or self.line[self.at : -1].strip(mark):
            return None
        text = b"".join(self.source[self.paragraph : len(self.kinds)]).strip(b" \t\r\n")
        return self.end_heading(self.paragraph, 1 if mark == b"=" else 2, text)

    def end_heading(self, first: int, level: int, text: bytes) -> str:
        self.close()
        if self.containers:
            return "text"
        last = len(self.kinds)
        self.kinds[first:] = ["heading"] * (last - first)
        self.found.append(Heading(level, self.offsets[first], self.offsets[last + 1], first + 1, text, last > first))
        return "heading"

    def open_rule(self) -> str | None:
        mark = self.line[self.at]
        if self.line[-2] != mark:
            return None
        if self.rule < 0:  # found once, for all the list markers of a line that ask
            self.rule = len(self.line[:-1].rstrip(b" \t" + self.line[-2:-1]))
        if self.at < self.rule or self.line.count(mark, self.at) < 3:
            return None
        self.close()
        return "text"

    def open_fence(self) -> str | None:
        mark = self.line[self.at : self.at + 1]
        info = self.line[self.at : -1].lstrip(mark)
        length = len(self.line) - 1 - self.at - len(info)
        if length < 3 or (mark == b"`" and mark in info):
            return None
        self.close()
        self.fence = mark * length
        self.opened = len(self.kinds) + 1
        return "code"

    def in_fence(self) -> str:
        rest = self.line[self.at : -1]
        if rest.startswith(self.fence) and not rest.strip(self.fence[:1]) and self.column - self.margin < 4:
            self.fence = b""
        return "code"

    def open_html(self) -> str | None:
        ends = html_ends(self.rest(), interrupting=self.paragraph >= 0)
        if ends is None:
            return None
        self.close()
        self.html = ends
        self.opened = len(self.kinds) + 1
        return self.in_html()

    def in_html(self) -> str:
        text = self.rest().lower()
        if not self.html and text == b"\n":
            self.close()
            return "blank"
        if any(end in text for end in self.html or ()):
            self.html = None
        return "html"


_STARTS: dict[int, tuple[Callable[[_Scan], str | None], ...]] = {
    **dict.fromkeys(b">", (_Scan.open_quote,)),
    **dict.fromkeys(b"#", (_Scan.open_atx,)),
    **dict.fromkeys(b"`~", (_Scan.open_fence,)),
    **dict.fromkeys(b"<", (_Scan.open_html,)),
    **dict.fromkeys(b"=", (_Scan.open_setext,)),
    **dict.fromkeys(b"-", (_Scan.open_setext, _Scan.open_rule, _Scan.open_item)),
    **dict.fromkeys(b"*", (_Scan.open_rule, _Scan.open_item)),
    **dict.fromkeys(b"_", (_Scan.open_rule,)),
    **dict.fromkeys(b"+" + DIGITS, (_Scan.open_item,)),
}
"""What a line may open, by its first byte, in the order of precedence."""
