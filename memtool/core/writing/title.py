"""What a new entry is called when nobody says: the first clause of its text, as plain words."""

from __future__ import annotations

import re
from _collections_abc import Iterator

from memtool.core.entry import read_heading
from memtool.core.split.prose import blocks
from memtool.core.split.words import is_mark, unmarked

LONGEST = 60
"""Characters."""
_READ = 2000
"""Characters of a text that are looked at."""
_TASK = re.compile(r"\s*\[[ xX]\]\s+")
_SENTENCE = re.compile(r"(?<=.{12})[.!?]+[\"')\]]*(?=\s+[^a-z\s])|(?<=.{4})[。！？]")
_CLAUSE = re.compile(r"(?<=.{12})(?:[,;:](?=\s)|\s[-–—](?=\s))|(?<=.{4})(?:[，；：、]|——)")
"""Either has letters enough before it to stand alone; "Note:" tells nothing."""
_CLOSING = re.compile(r"(?:(?:^|\s+)#+)+$")
"""What a heading would take for its closing marks."""
_WORD = re.compile(r"[^\W_]")
_LOOSE = " ,;:-–—，；：、。"


def title_of(text: str) -> str:
    """Give the first clause of *text*: plain words on one line, at most 60 characters; empty where it has none."""
    titles = (_title(unmarked(part)) for part in _parts(text[:_READ]))
    return next((title for title in titles if _WORD.search(title)), "")


def _parts(text: str) -> Iterator[str]:
    """Yield the paragraphs of *text*, and then, for a text that is all code, its lines."""
    plain, found = blocks(text.encode(errors="replace"), 0)
    for kind, start, end in found:
        if kind != "html":
            yield _TASK.sub("", plain[start:end].decode().lstrip(" #").replace("|", " "), count=1)
    yield from text.split("\n")


def _title(words: str) -> str:
    end = _SENTENCE.search(words)
    title = _fitting(words[: end.end()] if end else words)
    while (bare := _bare(title)) != title:
        title = bare
    return title


def _bare(title: str) -> str:
    """Take off what would read as a date or a scope of its own, and loose marks."""
    return _CLOSING.sub("", read_heading(title)[2]).lstrip(_LOOSE).rstrip(_LOOSE + ".")


def _fitting(words: str) -> str:
    """Cut *words* at the last clause that fits; else between two words, and never within one."""
    if len(words) <= LONGEST:
        return words
    clauses = [found.start() for found in _CLAUSE.finditer(words, 0, LONGEST + 2)]
    parted = [at for at in range(1, LONGEST + 1) if not joined(words[at - 1], words[at])]
    ends = clauses or [at for at in parted if words[at] == " "] or parted
    return words[: ends[-1]] if ends else ""


def joined(left: str, right: str) -> bool:
    """Tell whether two characters that touch belong to one word; scripts without blanks part anywhere."""
    return is_mark(right) or (_spells(left) and _spells(right))


def _spells(char: str) -> bool:
    return char == "_" or char.isdigit() or char.lower() != char.upper()
