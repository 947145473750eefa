"""A passage of an entry's live text: where it stands, and what has to go with it so that what stays reads well."""

from __future__ import annotations

import re
from _collections_abc import Iterator, Sequence

from memtool.core.document import line_number, next_line
from memtool.core.writing.title import joined
from memtool.errors import MemtoolError

Span = tuple[int, int]
"""Start and end, in bytes of the file."""

_ANY_END = rb"(?:\r\n|\r|\n)"
_MARKS = re.compile(rb"[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?")
"""What opens a line before its first word: quotes, and one list item."""
_BULLET = re.compile(rb"[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]")
_CLOSES = b",.;:!?)"
_BLANK = b" \t"
_SHOWN = 80
_ALIKE = 8
"""Characters in one piece by which a line counts as meant."""


def find(data: bytes, live: Sequence[Span], wanted: str) -> Span:
    """Give where *wanted*, outer white space ignored, stands in the spans *live* of the file *data*.

    Raises MemtoolError unless it stands there exactly once; within a longer word it does not count.
    """
    text = wanted.strip().replace("\r\n", "\n").encode("utf-8", "surrogateescape")
    if not text:
        raise MemtoolError("the void text is empty", hint="Quote the part that no longer holds, word for word.")
    found = list(_occurrences(data, live, text))
    if not found:
        raise MemtoolError(f"the void text does not stand in the entry{_nearest(data, live, text)}",
                           hint="Quote whole words, exactly as they stand there.")  # fmt: skip
    if len(found) > 1:
        numbers = ", ".join(str(line_number(data, start)) for start, _ in found)
        raise MemtoolError(f"the void text stands {len(found)} times in the entry, in lines {numbers}",
                           hint="Quote more of what stands around the one that is meant.")  # fmt: skip
    return found[0]


def _occurrences(data: bytes, live: Sequence[Span], text: bytes) -> Iterator[Span]:
    pattern = re.compile(b"(?=(%s))" % _ANY_END.join(map(re.escape, text.split(b"\n"))))
    for first, last in live:
        for match in pattern.finditer(data, first, last):
            if not _within_word(data, match.start(1)) and not _within_word(data, match.end(1)):
                yield match.span(1)


def _within_word(data: bytes, at: int) -> bool:
    left, right = data[max(at - 4, 0) : at].decode(errors="ignore"), data[at : at + 4].decode(errors="ignore")
    return bool(left and right) and joined(left[-1], right[0])


def _nearest(data: bytes, live: Sequence[Span], text: bytes) -> str:
    """Name the live line that has most of the first line of *text* in one piece."""
    from difflib import SequenceMatcher

    start = text.partition(b"\n")[0].decode(errors="replace")[:_SHOWN].casefold()
    matcher = SequenceMatcher(None, "", start, autojunk=False)
    best, said = min(len(start) // 3, _ALIKE), ""
    for at, end in ((at, end) for span in live for at, end in _lines(data, span)):
        line = data[at:end].decode(errors="replace").strip()
        matcher.set_seq1(line.casefold())
        if (size := matcher.find_longest_match().size) > best:
            best, said = size, f"; the nearest is line {line_number(data, at)}: {line[:_SHOWN]}"
    return said


def _lines(data: bytes, span: Span) -> Iterator[Span]:
    at, last = span
    while at < last:
        yield at, (at := min(next_line(data, at), last))


def removal(data: bytes, span: Span, within: Span) -> Span:
    """Give what goes when *span*, in the live text *within*, goes: whole lines, or words and the blanks beside them."""
    start, end = span
    first = max(data.rfind(b"\n", within[0], start), data.rfind(b"\r", within[0], start), within[0] - 1) + 1
    following = next_line(data, end)
    before, after = data[first:start], data[end:following]
    opens = _MARKS.fullmatch(before) is not None
    if after.strip():
        return _words(start, end, before, after, opens=opens)
    if not opens:
        return start - len(before) + len(before.rstrip(_BLANK)), end
    if before.strip() and (rest := _continued(data, following, within[1])):
        return start, rest
    return first, _without_blank(data, first, following, within)


def _words(start: int, end: int, before: bytes, after: bytes, *, opens: bool) -> Span:
    """Leave one blank where two would stay, and none before a mark that closes."""
    if opens or before[-1:] in _BLANK:
        end += len(after) - len(after.lstrip(_BLANK))
    if not opens and after.lstrip(_BLANK)[:1] in _CLOSES:
        start -= len(before) - len(before.rstrip(_BLANK))
    return start, end


def _continued(data: bytes, at: int, last: int) -> int:
    """Give where the text of the line at *at* starts, if it goes on with the list item above it; 0 if it does not."""
    line = data[at : min(next_line(data, at), last)]
    indent = len(line) - len(line.lstrip(_BLANK))
    return at + indent if indent and line.strip() and not _BULLET.match(line) else 0


def _without_blank(data: bytes, first: int, following: int, within: Span) -> int:
    """Take the blank line below the lines that go, where one stands above them too."""
    above = data[within[0] : first].splitlines()
    below = next_line(data, following)
    if above and not above[-1].strip() and following < within[1] and not data[following:below].strip():
        return below
    return following
