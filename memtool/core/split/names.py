"""The paths of the parts: from their headings, legal and distinct on every system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from unicodedata import category, normalize

from memtool.core.split.words import JOINERS, head, is_mark, visible

MAX_NAME = 120
"""Bytes of a file's name, its ending included."""
_ENDING = ".md"
_READ = 10 * MAX_NAME
"""Characters of a heading that are looked at for a name."""
_UNNAMED = "section"
_NUMBER = 8
"""Bytes kept free for the number that tells one name from its equals."""
_APOSTROPHES = frozenset("'‘’ʼ＇")
_PORTS = (f"{port}{number}" for port in ("com", "lpt") for number in "123456789¹²³")
_RESERVED = ("con", "prn", "aux", "nul", *_PORTS)
"""What Windows takes for a device, whatever its ending."""


class Names:
    """Hands out the paths of the parts of one source, in the folder *into*."""

    def __init__(self, into: str, taken: Collection[str]) -> None:
        """*taken* are names in that folder that no part may have: the source's own, the index page's."""
        self.into = into
        self._taken = {folded(name) for name in (*taken, *(stem + _ENDING for stem in _RESERVED))}
        self._numbers = Counter[str]()

    def take(self, title: str, above: tuple[str, ...]) -> str:
        """Give the path of the part that *title* names, which stands under the headings *above*."""
        name = next(name for name in self._candidates(title, above) if folded(name) not in self._taken)
        self._taken.add(folded(name))
        return f"{self.into}/{name}" if self.into else name

    def _candidates(self, title: str, above: tuple[str, ...]) -> Iterator[str]:
        """Yield names from the shortest on: alone, under the nearest heading, under all of them, numbered."""
        longest = MAX_NAME - len(_ENDING)
        stem = _cut(_words(title), longest) or _UNNAMED
        near = _cut(_under(" ".join(above[-1:]), stem), longest)
        yield stem + _ENDING
        yield near + _ENDING
        yield _cut(_under(" ".join(above), stem), longest) + _ENDING
        base = _cut(near, longest - _NUMBER)
        while True:  # the count goes on where the last of this name ended, so that many equals cost no search
            self._numbers[base] += 1
            yield f"{base}-{self._numbers[base] + 1}{_ENDING}"


def _under(above: str, stem: str) -> str:
    """Put words of *above*, to half a name, in front of *stem*."""
    front = _cut(_words(above), MAX_NAME // 2)
    return f"{front}-{stem}" if front else stem


def folded(name: str) -> str:
    """Give what is equal for names that some file system takes for one."""
    return normalize("NFC", normalize("NFC", name).casefold())


def _words(text: str) -> str:
    """Write *text* as lower-case words with ``-`` between them; empty where it has no letter and no digit."""
    out = "-"
    for char in normalize("NFC", visible(text[:_READ]).lower()):
        if category(char)[0] in "LN" and char not in _APOSTROPHES:
            out += char
        elif is_mark(char):
            out += "" if out.endswith("-") else char  # of a sign that is left out
        elif out[-1] != "-" and char not in _APOSTROPHES and char not in JOINERS:
            out += "-"
    return out.strip("-")


def _cut(words: str, limit: int) -> str:
    """Shorten *words* to *limit* bytes: at a word's end if that loses little, never between a letter and its mark."""
    start = head(words, limit)
    if start == words:
        return words
    whole = words.rfind("-", 0, len(start) + 1)
    return words[: whole if whole > len(start) * 2 // 3 else len(start)].strip("-")
