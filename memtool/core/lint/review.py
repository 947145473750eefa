"""Priorities and goals: each carries the day on which a person looks at it again."""

from __future__ import annotations

from _collections_abc import Iterator

from memtool.core.blocks import headings
from memtool.core.dates import is_date

_HEADINGS = ("priorit", "goal", "focus", "objective", "优先", "目标", "重点")
_NEGATED = ("non-goal", "not a goal", "no goal", "非目标")
_REVIEW = ("review", "revisit", "复查", "复审", "回顾")


def due(data: bytes, *, today: str, review_by: str = "") -> Iterator[tuple[int, str]]:
    """Yield (line, message) for each section of priorities or goals without a review date, or past it.

    The date stands in the section's lines behind a word such as ``review``, or is the file's own *review_by*.
    """
    found = headings(data)
    for at, head in enumerate(found):
        text = " ".join(head.text.decode("utf-8", "replace").split())
        folded = text.casefold()
        if not any(word in folded for word in _HEADINGS) or any(word in folded for word in _NEGATED):
            continue
        end = next((later.start for later in found[at + 1 :] if later.level <= head.level), len(data))
        dates = list(_review_dates(data[head.start : end].decode("utf-8", "replace"))) or [review_by] * bool(review_by)
        if not dates:
            yield head.line, f"“{text}” has no review date"
        elif min(dates) < today:
            yield head.line, f"“{text}” was to be reviewed by {min(dates)}"


def _review_dates(section: str) -> Iterator[str]:
    for line in section.splitlines():
        folded = line.casefold()
        word = next((folded.find(word) for word in _REVIEW if word in folded), -1)
        if word >= 0:
            yield from (folded[at : at + 10] for at in range(word, len(folded) - 9) if is_date(folded[at : at + 10]))
