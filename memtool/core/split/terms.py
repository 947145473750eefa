"""The terms of a line of markdown: what it stresses, what it calls by name, and its words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category

from memtool.core.split.words import is_mark, unmarked, visible

LEAD, MARKED, PAIR, NAME, WORD = 3.0, 2.0, 1.2, 1.0, 0.4
"""Weights of what a line starts with, of bold and code, of two names together, of a name, and of a word."""
LONGEST = 60
"""Bytes of one term: a longer one leaves no room for others."""
_WORD = 40
"""Characters of one word; a longer one is an address or a key."""

_ITEM = re.compile(r"\s*(?:>\s?)*(?:(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?|\|\s*)")
_LEADS = re.compile(r".{2,60}?(?= [—–-] |: |：| ?[(（|])|.{2,40}$")
_BOLD = re.compile(r"(\*\*|__)(?=\S)([^*_|]{2,60}?)\1")
_CODE = re.compile(r"(?<!`)`(?![ ),;!?])([^`|]{2,40}?)(?<! )`(?!`)")
DANGLING = re.compile(
    r"(?:(?:^| )(?:a|an|and|are|as|at|be|but|by|for|from|if|in|into|is|it|its|of|on|or|so|that|the|then|this|to|via"
    r"|when|where|which|with))+$"
)
"""What no phrase that is whole ends with."""
_DEFINITION = re.compile(r" {0,3}\[[^\]]+\]: ")
_HAN = re.compile(r"(?<![^\W_])[\u3400-\u9fff]{2,8}(?![^\W_])")
_PARTICLES = frozenset("的了是在和与或不也就都而及其这那")
_RANDOM = re.compile(
    r"(?<!\w)(?=[\d-]*[a-f])(?=[a-f-]*\d)[\da-f-]{7,}(?![\w-])|(?=\w*\d)(?=\w*[A-Z])(?=\w*[a-z])[\w+/=]{20,}"
)
_NUMBERED = re.compile(r"\w+ #?[\d.]+")
_SIGNS = frozenset("{}[]()<>%=$#\"'’*|\\@`~")
_OPENERS = "./<&@$~#-_"
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<", "）": "（", "+": "+", "#": "#", "_": "_"}


def terms(line: str, kind: str) -> Iterator[tuple[str, float]]:
    """Yield what *line* speaks of, with its weight; what has none tells only that other parts speak of it too."""
    if kind == "text" and _DEFINITION.match(line):
        return
    item = _ITEM.match(line) if kind == "text" else None
    rest = line[item.end() :] if item else line
    if kind == "text":
        yield from _marked(rest, item=bool(item))
    said = unmarked(rest)
    for text, weight in _spoken(said):
        yield text, weight * (kind != "heading")
    for run in _HAN.findall(said):
        yield run, 0.0 if _PARTICLES & set(run) else NAME


def _marked(line: str, *, item: bool) -> Iterator[tuple[str, float]]:
    """Yield what is bold or code in *line*, and what it starts with as an *item* of a list or a table."""
    found = [(trimmed(unmarked(bold[2])), MARKED if bold.start() else LEAD) for bold in _BOLD.finditer(line)]
    found += [(visible(code[1]), MARKED) for code in _CODE.finditer(line)]
    if item and (lead := _LEADS.match(unmarked(line))):
        found.append((trimmed(lead[0]), MARKED))
    for text, weight in found:
        if len(text) > 2 and len(text.encode()) <= LONGEST and _tells(text) and not DANGLING.search(text):
            yield text, NAME if _NUMBERED.fullmatch(text) else weight


def _spoken(text: str) -> Iterator[tuple[str, float]]:
    """Yield the words of *text*, and the pairs of them."""
    before, starts = "", True
    for written in text.split():
        word = _word(written)
        first = starts and word.istitle()  # any word may be written so there
        if word:
            yield word, 0.0 if first else NAME if _is_name(word) else WORD
        if word and before:
            yield f"{before} {word}", PAIR if _is_name(word) and before != before.lower() else WORD
        before = "" if first or _is_sign(written[-1]) else word
        starts = written[-1] in ".!?:"


def _word(written: str) -> str:
    """Give the word that stands between the punctuation of *written*; nothing where it is none that tells."""
    word = trimmed(written).removesuffix("'s").removesuffix("’s") if len(written) <= _WORD else ""
    long_enough = len(word.replace(".", "")) >= (3 if _is_name(word) else 4)
    return word if long_enough and _tells(word) and not _SIGNS & set(word) else ""


def _is_name(word: str) -> bool:
    """Tell a word with a capital letter, a digit or a sign, such as ``plan_id``, from one of the language."""
    return word != word.lower() or not all(char.isalpha() or is_mark(char) or char in "-/" for char in word)


def _tells(text: str) -> bool:
    return has_letter(text) and not is_random(text)


def is_random(text: str) -> bool:
    """Tell a text with a hash or a key in it."""
    return _RANDOM.search(text) is not None


def has_letter(text: str) -> bool:
    return any(map(str.isalpha, text))


def trimmed(text: str) -> str:
    """Take the punctuation and pictures off both ends of *text* that are no part of it."""
    start, end = 0, len(text)
    while start < end and _is_sign(text[start]) and (text[start] not in _OPENERS or text[start + 1 : start + 2] == " "):
        start += 1
    while start < end and _is_sign(text[end - 1]) and _CLOSERS.get(text[end - 1], "\0") not in text[start : end - 1]:
        end -= 1
    return text[start:end]


def _is_sign(char: str) -> bool:
    return category(char)[0] in "PSZ"
