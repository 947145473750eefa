"""What a query asks. Any text is one: no character of it has a meaning of its own."""

from __future__ import annotations

from _collections_abc import Iterator
from itertools import groupby, pairwise

from memtool.core.recall.stem import stem
from memtool.core.recall.terms import fold, is_unspaced
from memtool.model import Record

_LONGEST = 4_000
"""Characters of a query that are read; a whole page pasted in asks no more than its beginning."""
_MOST = 64
"""Terms of a query that are looked for."""
_ENGLISH = (
    "a about after again all also am an and any are as at be because been before being both but by can could did do "
    "does doing don down each few for from further had has have having he her here hers him his how i if in into is "
    "it its just like ll m me more most my myself no nor not now of off on once only or other our ours out over own "
    "please re s same she should so some such t than that the their them then there these they this those through "
    "to too under until up us ve very was we were what when where which while who whom whose why will with would "
    "you your yours"
)
_COMMON = frozenset(map(stem, _ENGLISH.split()))
"""What says nothing of what is asked for; it counts in the order of answers, not for having one."""
_MONTHS = "january february march april may june july august september october november december"
_MONTH = {stem(name): at for at, month in enumerate(_MONTHS.split(), start=1) for name in (month, month[:3])}


class Query(Record):
    """The words of a query, folded."""

    terms: tuple[str, ...]
    """What is looked for, each once: words, identifiers, pairs of unspaced characters, or one that stands alone."""
    telling: tuple[str, ...]
    """The terms that say what is asked for; all of them, where none does."""
    phrases: tuple[str, ...]
    """Each two words that stand side by side, with a blank between."""
    characters: tuple[str, ...]
    """The characters of the pairs, each once."""


def parse(text: str) -> Query:
    """Read a query; it has no terms where nothing in *text* is a letter or digit."""
    read = text[:_LONGEST]
    if read != text:
        read = read.rpartition(" ")[0] or read  # half a word would be another word
    words = fold(read).split()
    terms = tuple(dict.fromkeys((*_terms(words), *days(words))))[:_MOST]
    runs = "".join(word for word in words if is_unspaced(word))
    return Query(
        terms,
        tuple(term for term in terms if term not in _COMMON) or terms,
        tuple(dict.fromkeys(_phrases(words)))[:_MOST],
        tuple(char for char in dict.fromkeys(runs) if char not in terms)[:_MOST],
    )


def _terms(words: list[str]) -> Iterator[str]:
    for word in words:
        if is_unspaced(word) and len(word) > 1:
            yield from map("".join, pairwise(word))
        else:
            yield word


def _phrases(words: list[str]) -> Iterator[str]:
    for unspaced, run in groupby(words, is_unspaced):
        if not unspaced:
            yield from map(" ".join, pairwise(run))


def days(words: list[str]) -> Iterator[str]:
    """Yield ``MM-DD`` for each day that *words*, folded, name: ``May 4th``, ``4 May``, ``5月4日``."""
    for first, second in pairwise(words):
        month = _MONTH.get(first) or _MONTH.get(second)
        day = _day(second if first in _MONTH else first)
        if month and day:
            yield f"{month:02}-{day:02}"
    for first, sign, second in zip(words, words[1:], words[2:], strict=False):
        if sign == "月" and (month := _day(first)) and month <= 12 and (day := _day(second)):
            yield f"{month:02}-{day:02}"


def _day(word: str) -> int:
    digits = word.rstrip("stndrh") if word[:1].isdecimal() else ""
    return int(digits) if digits.isdecimal() and len(digits) <= 2 and int(digits) <= 31 else 0
