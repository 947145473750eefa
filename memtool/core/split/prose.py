"""The blocks of a text in which links can stand: paragraphs, headings, rows of tables, and HTML."""

from __future__ import annotations

import re

from memtool.core.blocks import lines

Block = tuple[str, int, int]
"""Kind (text, heading or html), start, end."""

NOTE = re.compile(rb"[ \t]*+\[(\^[^\[\]\s]++)\]:")
"""What a footnote's definition starts with."""
_MARKS = re.compile(rb"(?:[ \t]*+(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t\r\n])))*+")
_ALONE = re.compile(rb"[ \t]*+(?:#{1,6}[ \t\r\n]|\||(?:[-*_=][ \t]*+)++(?:[\r\n]|\Z))")
"""A line that is a block of its own: a heading with ``#``, a row of a table, a rule."""


def blocks(data: bytes, body: int) -> tuple[bytes, list[Block]]:
    """Give *data* with spaces for the marks of quotes and list items, and its blocks from byte *body* on.

    A line goes on with the block above it where it has the same kind and opens no container.
    """
    text = bytearray(data)
    found: list[Block] = []
    last, depth = "", 0
    for kind, start, end in ((kind, start + body, end + body) for kind, start, end in lines(data[body:])):
        if kind in {"blank", "code"}:
            last = ""
            continue
        marks = _marks(data, start, end) if kind == "text" else b""
        text[start : start + len(marks)] = b" " * len(marks)
        alone = kind != "html" and _ALONE.match(text, start, end) is not None
        quotes = marks.count(b">")
        opens = quotes > depth or marks.strip(b" \t>") or (kind == "text" and NOTE.match(text, start, end))
        if kind == last and not (opens or alone):
            found[-1] = (kind, found[-1][1], end)
        else:
            found.append((kind, start, end))
            depth = quotes
        last = "" if alone else kind
    return bytes(text), found


def _marks(data: bytes, start: int, end: int) -> bytes:
    found = _MARKS.match(data, start, end)
    return found[0] if found else b""
