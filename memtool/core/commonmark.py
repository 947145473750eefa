"""The reference for headings: markdown-it-py's block rules, against which a split checks the light scanner's answer.

Not for hooks: its import alone takes five times Python's own start.
"""

from __future__ import annotations

from collections.abc import Sequence

from memtool.core.blocks import Heading
from memtool.core.document import BOM
from memtool.errors import MemtoolError

Place = tuple[int, int, int]
"""Level, first line and last line of a heading, lines counted from 1."""

_NESTING = 10_000
"""The preset's own 20 loses every heading behind a list that is ten deep, without a word."""


def disagreement(body: bytes, found: Sequence[Heading]) -> int:
    """Give the first line at which markdown-it-py sees another heading than *found* in *body*; 0 where none differs.

    Raises MemtoolError where markdown-it-py cannot read the text: some shapes make it fail.
    """
    ours = [(heading.level, heading.line, _last_line(body, heading)) for heading in found]
    differing = set(ours) ^ set(headings(body))
    return min((line for _, line, _ in differing), default=0)


def _last_line(body: bytes, heading: Heading) -> int:
    return heading.line + len(body[heading.start : heading.end].splitlines()) - 1  # of bytes: LF, CRLF and CR only


def headings(body: bytes) -> list[Place]:
    """List the headings of *body* that stand in no quote or list."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"maxNesting": _NESTING}).disable("inline")
    text = body.removeprefix(BOM).decode("utf-8", "replace")
    try:
        tokens = reader.parse(text)
    except (RecursionError, IndexError) as error:
        raise MemtoolError(f"markdown-it-py cannot read this text ({type(error).__name__})") from error
    return [
        (int(token.tag[1:]), token.map[0] + 1, token.map[1])
        for token in tokens
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
