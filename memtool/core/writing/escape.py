"""Text that becomes the content of an entry: nothing in it may end the entry, or pass for what memtool wrote."""

from __future__ import annotations

from _collections_abc import Iterator
from itertools import pairwise, takewhile

from memtool.core.blocks import headings, left_open
from memtool.core.document import line_number
from memtool.core.marks import BLANK
from memtool.core.writing.parts import key, parts
from memtool.errors import MemtoolError

_WHITE = b" \t\n"
_PASSES = 20
"""An escaped line goes on with the paragraph above it, and by that the next line may become an underline."""


def escaped(text: str) -> bytes:
    """Give *text* as content: LF ends, no outer blank lines, a backslash before what would forge structure.

    Raises MemtoolError, with the line of *text*, for what no backslash can mend.
    """
    content = plain(text, "the text")
    end = len(content.rstrip(_WHITE))
    start = content.rfind(b"\n", 0, len(content) - len(content.lstrip(_WHITE))) + 1
    body, above = content[start:end] + content[end:].partition(b"\n")[0], content.count(b"\n", 0, start)
    if not end:
        raise MemtoolError("the text is empty", hint="Give one fact: the conclusion, and why it holds.")
    body = _backslashed(body, above)
    if line := left_open(b"\n" + body):
        raise MemtoolError(
            f"line {above + line - 1} of the text opens a fence, a comment or a tag that nothing closes",
            hint="Close it, or put a backslash before it.",
        )
    return body


def plain(text: str, what: str) -> bytes:
    """Give *text* as UTF-8 with LF ends; raises MemtoolError where it cannot be, naming *what* and the line."""
    content = checked(text, what).encode().replace(b"\r\n", b"\n")
    if (at := content.find(b"\r")) >= 0:
        raise MemtoolError(
            f"line {line_number(content, at)} of {what} ends in a carriage return alone",
            hint="End its lines with a line feed.",
        )
    return content


def checked(text: str, what: str) -> str:
    """Give *text* back; raises MemtoolError for NUL and for bytes that are not UTF-8, naming *what* and the line."""
    bad = next((at for at, char in enumerate(text) if char == "\0" or "\ud800" <= char <= "\udfff"), -1)
    if bad >= 0:
        kind = "a NUL" if text[bad] == "\0" else "a byte that is not UTF-8"
        raise MemtoolError(
            f"line {text.count(chr(10), 0, bad) + 1} of {what} holds {kind}", hint="Give plain text in UTF-8."
        )
    return text


def _backslashed(body: bytes, above: int) -> bytes:
    """Escape what forges, until nothing does; *above* is the number of lines that *body* had above it."""
    for _ in range(_PASSES):
        marks = sorted(_forging(body))
        if not marks:
            return body
        first = line_number(body, marks[0])
        body = b"\\".join(body[start:end] for start, end in pairwise([0, *marks, len(body)]))
    raise MemtoolError(
        f"line {above + first} of the text would be read as a heading or a record line",
        hint="Put it in a code fence, or word it otherwise.",
    )


def _forging(body: bytes) -> Iterator[int]:
    """Yield where the marks stand by which lines of *body* would be headings, underlines or record lines."""
    content = b"\n" + body  # as below a heading, where a byte order mark is none
    for heading in headings(content):
        yield _mark(content, content[: heading.end].rstrip().rfind(b"\n") + 1 if heading.setext else heading.start)
    at = 0
    for is_record, part in parts(content):
        if is_record:
            start = at
            for line in takewhile(key, part.splitlines(keepends=True)):
                yield _mark(content, start)
                start += len(line)
        at += len(part)


def _mark(content: bytes, start: int) -> int:
    """Give where the first mark of the line at *start* stands, counted without the line put above."""
    while content[start] in BLANK:
        start += 1
    return start - 1
