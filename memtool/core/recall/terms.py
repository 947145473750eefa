"""What counts as a word: the same for what is written in an entry and for what is asked.

Case, accents and width are folded, English endings cut. An identifier (``git-ops``, ``v2.1``, ``C++``) counts whole and
in its parts. Scripts that put no blanks between words are kept as runs, and indexed by pairs of characters: each
character starts one pair, or stands alone at the end of its run, so that a single one is found by how a pair starts.
"""

from __future__ import annotations

from _collections_abc import Iterator
from itertools import groupby
from unicodedata import category, normalize

from memtool.core.recall.stem import stem

JOINERS = "-_.+#/@:"
"""What joins the parts of an identifier."""
_LOOSE = "-_./@:"
"""Those that end no identifier, as ``+`` and ``#`` do in ``C++`` and ``C#``."""
_LONGEST = 64
"""Characters of a word; the rest of a longer one (a key, a picture as text) is not looked at."""
_REMEMBERED = 20
"""The longest piece of text that is cut into words only once; longer ones seldom come again."""
_SPACED_MARKS = range(0x0900, 0x1B00)
"""Scripts whose vowels are marks; any other mark is an accent."""
_BLOCKS = (
    range(0x0E00, 0x0F00),  # Thai, Lao
    range(0x1000, 0x10A0),  # Burmese
    range(0x1780, 0x1800),  # Khmer
    range(0x3005, 0x3008),
    range(0x3040, 0x3100),  # Japanese
    range(0x31F0, 0x3200),
    range(0x3400, 0x4DC0),  # Chinese
    range(0x4E00, 0xA000),
    range(0xAC00, 0xD7A4),  # Korean
    range(0xF900, 0xFB00),
    range(0x20000, 0x40000),
)


class _Unspaced(dict[str, bool]):
    """Whether a character belongs to a script without blanks between words."""

    def __missing__(self, char: str) -> bool:
        self[char] = found = any(ord(char) in block for block in _BLOCKS)
        return found


class _Letters(dict[int, str]):
    """What each character is folded to: a letter, a joiner, nothing (marks) or a blank (all else)."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = self._fold(code)
        return folded

    @staticmethod
    def _fold(code: int) -> str:
        char = chr(code)
        kind = category(char)
        if kind == "Cf" or (kind[0] == "M" and code not in _SPACED_MARKS):
            return ""
        if kind[0] in "LMN":
            return char if code in _SPACED_MARKS or _UNSPACED[char] else normalize("NFD", char)[0]
        return char if char in JOINERS else " "


class _Words(dict[str, str]):
    """The words of each piece of text between blanks, with blanks between them."""

    def __missing__(self, piece: str) -> str:
        words = " ".join(_words(piece))
        if len(piece) <= _REMEMBERED:
            self[piece] = words
        return words


_UNSPACED = _Unspaced()
_LETTERS = _Letters()
_WORDS = _Words()


def is_unspaced(text: str) -> bool:
    """Tell whether *text* starts with a character of a script without blanks between words."""
    return _UNSPACED[text[0]]


def fold(text: str) -> str:
    """Give the words of *text*, one blank between them; a run of unspaced characters is one, of any length."""
    pieces = normalize("NFKC", text.casefold()).translate(_LETTERS).split()
    return " ".join(filter(None, map(_WORDS.__getitem__, pieces)))


def _words(piece: str) -> Iterator[str]:
    if piece.isascii():
        yield from _identifier(piece)
        return
    for unspaced, chars in groupby(piece, _UNSPACED.__getitem__):
        run = "".join(chars)
        if unspaced:
            yield run
        else:
            yield from _identifier(run)


def _identifier(text: str) -> Iterator[str]:
    """Yield a plain word without its ending; an identifier whole, then its parts."""
    whole = text.lstrip(JOINERS).rstrip(_LOOSE)
    parts = whole.translate(_APART).split()
    if parts and parts != [whole]:
        yield whole[:_LONGEST]
    yield from (stem(part[:_LONGEST]) for part in parts)


_APART = dict.fromkeys(map(ord, JOINERS), " ")


def terms(folded: str) -> Iterator[str]:
    """Yield what is indexed of *folded* text: its words, and for a run the pair that starts at each character."""
    for word in folded.split():
        if is_unspaced(word):
            yield from (word[at : at + 2] for at in range(len(word)))
        else:
            yield word


def length(folded: str) -> int:
    """Count the terms of *folded* text."""
    return sum(len(word) if is_unspaced(word) else 1 for word in folded.split())
