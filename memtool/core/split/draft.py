"""Drafted descriptions: the occasion to open a part, in the part's own words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from math import log

from memtool.core.blocks import lines
from memtool.core.document import MAX_DESCRIPTION, line_number
from memtool.core.lint.secrets import secrets
from memtool.core.split.plan import Part, Plan
from memtool.core.split.terms import DANGLING, LONGEST, NAME, WORD, has_letter, is_random, terms, trimmed
from memtool.core.split.words import head, plain, unmarked

_PATH = 80
"""Bytes of the headings that name a part."""
_MOST = 12
"""Triggers of one draft: each is paid for whenever the index is read."""
_ALL, _LEAST = 6144, 100
"""Bytes that the rows of one split may take in the index together, and each draft at least: a page holds 8 KB."""
_ROW = 12
"""Bytes of a row that are neither title, path nor description."""
_MARKUP = frozenset("<>[]@`\\")
"""What an index would have to escape."""


class _Term:
    """A term of one part."""

    def __init__(self, text: str) -> None:
        self.text = text
        """As it was first written."""
        self.weight = 0.0
        self.count = 0


class Drafts:
    """Drafts the descriptions of one plan's parts; what tells them apart is counted once."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        rows = sum(len(part.path.encode()) + len(part.title.encode()) + _ROW for part in plan.parts)
        self._limit = max(_LEAST, min(MAX_DESCRIPTION, (_ALL - rows) // len(plan.parts)))
        self._secret = {line for line, _ in secrets(plan.data)}
        self._common = set[str]()
        """Words that are written small somewhere: with a capital letter they are no names."""
        self._terms = dict(zip((part.start for part in plan.parts), self._read(), strict=True))
        self._parts_with = Counter(key for found in self._terms.values() for key in found)
        self._parts_under = Counter(kind for part in plan.parts for kind in self._headings(part))

    def of(self, part: Part) -> str:
        """Give the description of *part*: one line, at most MAX_DESCRIPTION bytes, that says when to read it.

        Of many parts each gets less, so that all fit on a page of the index.
        """
        path = _path(part, self._plan.source)
        headings = self._headings(part)
        if 2 * sum(map(_is_chinese, (part.title, *headings))) > len(headings):
            start, colon, between = f"涉及“{path}”前先读", "：", "；"
        else:
            start, colon, between = f"read before {path}", ": ", "; "
        alike = [text for kind, text in headings.items() if kind == _kind(part.title) or not has_letter(kind)]
        own = [text for kind, text in headings.items() if self._parts_under[kind] == 1]
        wanted = [*alike, *own, *self._distinctive(part), *headings.values()]
        triggers = _fitting(wanted, self._limit - len((start + colon).encode()), path, between)
        return start + colon * bool(triggers) + between.join(triggers)

    def _headings(self, part: Part) -> dict[str, str]:
        """Map the kinds of the other headings in *part* to what they say, those of a higher level first.

        Those of one kind, such as dates or versions, are named by the first and the last.
        """
        found = sorted(part.headings, key=lambda heading: heading.level)
        texts = [plain(heading) for heading in found if heading.line not in self._secret]
        kinds: dict[str, list[str]] = {}
        for text in map(_short, [text for text in texts if text not in (part.title, *part.above)]):
            if any(map(str.isalnum, text)) and not is_random(text):
                kinds.setdefault(_kind(text), []).append(text)
        return {kind: " – ".join(dict.fromkeys((said[0], said[-1]))) for kind, said in kinds.items()}

    def _distinctive(self, part: Part) -> list[str]:
        """List the terms of *part*, those first that stand in it often and in few others."""
        scores = {term.text: self._score(key, term) for key, term in self._terms[part.start].items()}
        return [text for text in sorted(scores, key=scores.__getitem__, reverse=True) if scores[text] > 0]

    def _score(self, key: str, term: _Term) -> float:
        parts = len(self._plan.parts)
        is_word = term.weight == WORD or (term.weight == NAME and key in self._common)
        words = key.split() if is_word else []
        if is_word and term.count < (3 if len(words) == 1 else 2):
            return 0
        if any(self._parts_with[text] * 2 > parts for text in (key, *words)):
            return 0
        return (WORD if is_word else term.weight) * (1 + log(max(term.count, 1))) * log(parts / self._parts_with[key])

    def _read(self) -> list[dict[str, _Term]]:
        """Collect the terms of each part, from the lines that hold no secret."""
        data, body = self._plan.data, self._plan.body
        ends = iter([part.end for part in self._plan.parts])
        end = self._plan.kept
        found: list[dict[str, _Term]] = [{}]  # what stands before the first part
        for number, (kind, start, stop) in enumerate(lines(data[body:]), line_number(data, body)):
            while body + start >= end:
                end = next(ends)
                found.append({})
            if kind in {"blank", "html"} or number in self._secret:
                continue
            for text, weight in terms(data[body + start : body + stop].decode("utf-8", "replace"), kind):
                key = text.casefold()
                if weight == WORD:
                    self._common.add(key)
                term = found[-1].setdefault(key, _Term(text))
                term.weight = max(term.weight, weight)
                term.count += weight > 0
        return found[1:]


def _fitting(texts: Iterable[str], room: int, path: str, between: str) -> list[str]:
    """Take of *texts*, in order, what fits into *room* bytes and is not said by then."""
    taken: list[str] = []
    said = path.casefold()
    for text in texts:
        size = len((between * bool(taken) + text).encode())
        key = text.casefold().strip("-")
        if (
            _MARKUP.isdisjoint(text)
            and size <= room
            and key not in said
            and not any(key.startswith(one.casefold()) for one in taken)
        ):
            taken.append(text)
            said += between + key
            room -= size
        if len(taken) == _MOST:
            break
    return taken


def _kind(heading: str) -> str:
    """Give what headings share that differ only in their numbers."""
    return _NUMBER.sub("0", heading.casefold())


def _path(part: Part, source: str) -> str:
    """Name *part* by its heading and, as far as there is room, by those above it; by none that holds a secret."""
    names = [name for text in (*part.above, part.title) if (name := text.rstrip(" :：")) and not secrets(text.encode())]
    names = names or [unmarked(source.rpartition("/")[2].removesuffix(".md"))]
    while len(names) > 1 and len(" › ".join(names).encode()) > _PATH:
        names.pop(0)
    return _cut(" › ".join(names), _PATH)


_NUMBER = re.compile(r"\d[\d.]*")
_EXPLAINS = re.compile(r"(?<=.{8})(?: [—–-] |: |：| ?[(（]|, |，|。)")


def _short(text: str) -> str:
    """Give what a heading says before it explains itself."""
    text = text.replace(";", ",").replace("；", "，").rstrip(" :：")
    if len(text.encode()) > LONGEST:
        text = _EXPLAINS.split(text, maxsplit=1)[0]
    return _cut(text, LONGEST)


def _cut(text: str, limit: int) -> str:
    """Shorten *text* to *limit* bytes at the end of a word that can be the last; without blanks, of a character."""
    kept = head(text, limit)
    if kept == text:
        return text
    if " " in kept[len(kept) // 2 :]:
        kept = text[: len(kept) + 1].rpartition(" ")[0]
    return trimmed(DANGLING.sub("", kept)) or kept


def _is_chinese(text: str) -> bool:
    """Tell Chinese, which writes no kana between its characters, from Japanese."""
    return any("\u3400" <= char <= "\u9fff" for char in text) and not any("\u3040" <= char <= "\u30ff" for char in text)
