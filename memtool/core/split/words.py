"""Markdown as the plain words that name a file and tell what is in it."""

from __future__ import annotations

import re
from html import unescape
from unicodedata import category

from memtool.core.blocks import Heading

_LONGEST = 10_000
"""Characters of one text that are read: an underlined heading may be a paragraph as long as the file."""

_MARK = re.compile(
    r"""
      \\ (?P<escaped> [!-/:-@\[-`{-~] )
    | (?<!`) (?P<ticks>`+) (?!`) (?P<code> .{1,500}? ) (?<!`) (?P=ticks) (?!`)
    | (?P<entity> & (?: \#\d{1,7} | \#x[\da-f]{1,6} | [a-z][a-z\d]{1,30} ) ; )
    | < (?P<address> [a-z][a-z\d+.-]*: [^<>\s]* | [^<>\s@]+ @ [^<>\s@]+ ) >
    | <!-- .{0,500}? --> | < /? [a-z] [^<>]* >
    | \[ \^ [^\[\]\s]+ \]
    | (?P<index> (?<=\w) \[ )
    | !? \[
    | \] (?: \( (?: \\. | [^()\\] | \( [^()]* \) )* \) | \[ [^\[\]]* \] )?
    | \*+ (?= \S ) | (?<= \S ) \*+
    | (?<! \w ) _+ | (?<! _ ) _+ (?! \w )
    | ~~
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
"""What is written and not read: one alternative a mark, those first in which others are no marks.

A mark that has no end costs at most a fixed look ahead.
"""

JOINERS = "\u200c\u200d"
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""What Unicode counts as letters, marks and signs, and no screen shows."""


def plain(heading: Heading) -> str:
    """Give a heading's text on one line, without the marks of links, code and emphasis."""
    return unmarked(heading.text.decode("utf-8", "replace"))


def unmarked(markdown: str) -> str:
    """Give inline *markdown* on one line as it would be read: no marks, nothing invisible."""
    return visible(_MARK.sub(_read, markdown[:_LONGEST]))


def _read(mark: re.Match[str]) -> str:
    """Give what is to be read of one mark."""
    if mark["entity"]:
        return unescape(mark["entity"])
    if mark["index"]:
        return " "
    return mark["escaped"] or mark["code"] or mark["address"] or ""


def visible(text: str) -> str:
    """Give *text* on one line, white space folded, without invisible and control characters.

    The two joiners stay, for they are part of real words.
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    return " ".join(text.translate({ord(char): _shown(char) for char in set(text)}).split())


def _shown(char: str) -> str:
    kind = category(char)
    if kind in {"Cc", "Zl", "Zp", "Zs"}:
        return " "
    if kind == "Cs":
        return "\ufffd"
    return "" if (kind == "Cf" and char not in JOINERS) or char in _FILLERS or _selects_a_variant(char) else char


def _selects_a_variant(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef" or "\u180b" <= char <= "\u180f"


def head(text: str, limit: int) -> str:
    """Give the longest start of *text* that fits into *limit* bytes and parts no letter from its marks."""
    end = len(text.encode()[:limit].decode(errors="ignore"))
    while 0 < end < len(text) and is_mark(text[end]):
        end -= 1
    return text[:end]


def is_mark(char: str) -> bool:
    """Tell a sign that is written onto the letter before it."""
    return category(char) in {"Mn", "Mc"}
