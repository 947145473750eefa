"""English endings: ``deploys``, ``deployed`` and ``deploying`` are one word to a search.

Light on purpose: plurals, ``-ed``, ``-ing``, ``-ly`` and a final ``e`` or ``y``. Longer endings (``-ation``, ``-ment``)
found no more in the judged sets, and join words that differ.
"""

from __future__ import annotations

_VOWELS = frozenset("aeiouy")
_HISSING = ("sses", "xes", "ches", "shes")


def stem(word: str) -> str:
    """Give *word*, in lower case, without its ending; a word of other letters than ``a`` to ``z`` stays as it is."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    word = _without_plural(word)
    if len(word) > 4:
        word = _without_tense(word)
    if len(word) > 5:
        word = word.removesuffix("ly")
    if len(word) > 4 and word.endswith("y"):
        return word[:-1] + "i"
    return word.removesuffix("e") if len(word) > 4 else word


def _without_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(_HISSING):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] not in "su" else word


def _without_tense(word: str) -> str:
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 2 and not _VOWELS.isdisjoint(rest):
            return rest[:-1] if rest[-1] == rest[-2] and rest[-1] not in "lsz" else rest
    return word
