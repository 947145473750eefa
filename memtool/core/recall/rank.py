"""In which order entries answer a query, and which of them do not answer it at all.

BM25 with full length normalisation: one fact an entry, so what an entry says beside the matter counts against it. On
top of it what measured better (docs/performance.md): words that stand side by side as in the query, words in the
opening, and of unspaced scripts the single characters beside the pairs.
"""

from __future__ import annotations

from _collections_abc import Iterable, Mapping
from math import log

from memtool.core.recall.query import Query
from memtool.core.recall.terms import is_unspaced
from memtool.model import Record

FLOOR = 0.1
"""The share of a query's weight that the best entry must hold; else there is no answer."""
_SPARE, _MANY = 0.3, 5_000
"""What share of it may be left out when candidates are looked for, the commonest words first, and while how many
hold any of them."""
_SATURATION = 2.0
"""BM25's k1: how slowly a word that comes again adds less."""
_HEADING, _ABOUT = 3, 0.5
"""How often a word counts that stands in the heading, or in what is said about the entry."""
_PHRASE, _OPENING, _CHARACTER = 0.5, 0.5, 0.5
"""What a phrase, a word in the opening, a single character is worth, where a word in the text is worth 1."""
_SHORTEST = 0.1
"""The length, as a share of the average one, below which being shorter counts no more."""
_OPENING_LENGTH = 160
"""Characters of folded text, behind the heading."""


class Corpus(Record):
    """What the ranking knows of all entries."""

    entries: int
    length: float
    """The terms of an average one."""
    found: Mapping[str, int]
    """In how many entries each term of the query stands."""

    def weight(self, term: str) -> float:
        """Give what *term* tells: the rarer the more; one that stands nowhere no more than one that stands once."""
        return _rarity(max(1, self.found.get(term, 0)), self.entries)


class Candidate(Record):
    """An entry that may answer; all texts are folded."""

    key: tuple[str, int]
    """The path of its file, and its place among the entries there."""
    about: str
    """What its file says of itself, and the headings above it."""
    heading: str
    text: str
    length: int
    """The terms of heading and text."""


def _rarity(found: int, entries: int) -> float:
    return log(1 + max(0, entries - found + 0.5) / (found + 0.5))


def needed(query: Query, corpus: Corpus) -> list[str]:
    """List the terms by which to look for candidates, rarest first; in a large store not those that are everywhere."""
    rarest = sorted(filter(corpus.found.get, query.terms), key=corpus.weight, reverse=True)
    many = sum(corpus.found.values())
    spare = _SPARE * sum(map(corpus.weight, query.terms))
    while many > _MANY and (spare := spare - corpus.weight(rarest[-1])) > 0:
        many -= corpus.found[rarest.pop()]
    return rarest


def rank(query: Query, candidates: Iterable[Candidate], corpus: Corpus) -> list[tuple[float, tuple[str, int]]]:
    """Give score and key of each of *candidates*, in no order; none where not even the best reaches the floor."""
    held = [(item, _frequencies(query, item)) for item in candidates]
    best = max((sum(corpus.weight(term) for term in query.telling if term in found) for _, found in held), default=0)
    if best < FLOOR * sum(map(corpus.weight, query.telling)):
        return []
    characters = {}
    for char in query.characters:
        number = sum(char in item.heading or char in item.text for item, _ in held)
        characters[char] = _CHARACTER * _rarity(number, len(held))
    return [(_score(query, item, found, characters, corpus), item.key) for item, found in held]


def _frequencies(query: Query, item: Candidate) -> dict[str, float]:
    """Count each term that *item* holds; the heading counts more than the text, what is about it only once."""
    fields = ((item.text, item.text.split()), (item.heading, item.heading.split()), (item.about, item.about.split()))
    counts = {}
    for term in query.terms:
        text, heading, about = (
            folded.count(term) if is_unspaced(term) else words.count(term) for folded, words in fields
        )
        if number := text + _HEADING * heading + _ABOUT * (about > 0):
            counts[term] = number
    return counts


def _score(
    query: Query, item: Candidate, found: Mapping[str, float], characters: Mapping[str, float], corpus: Corpus
) -> float:
    share = max(item.length / corpus.length, _SHORTEST) if item.text else 1.0  # a bare heading says little
    size = _SATURATION * share
    opening, text = f" {item.heading} {item.text[:_OPENING_LENGTH]} ", f" {item.text} "
    score = 0.0
    for term, number in found.items():
        opens = (term if is_unspaced(term) else f" {term} ") in opening
        score += corpus.weight(term) * (_saturated(number, size) + _OPENING * opens)
    for char, weight in characters.items():
        score += weight * _saturated(item.text.count(char) + _HEADING * item.heading.count(char), size)
    for phrase in query.phrases:
        if f" {phrase} " in text:
            score += _PHRASE * min(map(corpus.weight, phrase.split()))
    return score


def _saturated(number: float, size: float) -> float:
    return number * (_SATURATION + 1) / (number + size)
