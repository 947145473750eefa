"""Where the bytes and the anchors of a source lie once it is split."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence

from memtool.core import document
from memtool.core.blocks import Heading
from memtool.core.entry import Slugs, raw_text, slug
from memtool.core.split.plan import Plan
from memtool.core.split.words import plain
from memtool.model import Record

Id = tuple[str, int]
"""An anchor that is no heading's, and its offset in the source."""


class Goal(Record):
    """Where an anchor of the source is now."""

    path: str
    anchor: str
    """What it is called in that file; nothing where another one there hides it."""
    renamed: bool


class Move:
    """Answers where what stood in the source is, by its offset there or by its name."""

    def __init__(self, plan: Plan, after: Mapping[str, bytes], ids: Sequence[Id]) -> None:
        """*after* are the files that the split writes, *ids* the source's, in order."""
        self.plan = plan
        self._starts = [part.start for part in plan.parts]
        self._shifts = {part.path: len(after[part.path]) - part.end for part in plan.parts}
        if not plan.remove:
            self._shifts[plan.source] = document.read(after[plan.source]).body - plan.body
        self._readings = [_Reading(plan, ids, words) for words in (plain, raw_text)]
        self._headings: dict[str, int] = {}
        for part in plan.parts:
            for heading in part.headings:
                self._headings.setdefault(slug(plain(heading)), heading.start)

    def path(self, at: int) -> str:
        """Give the file that holds the source's byte *at* now."""
        part = bisect_right(self._starts, at) - 1
        return self.plan.parts[part].path if part >= 0 else self.plan.source

    def shift(self, path: str) -> int:
        """Tell by how many bytes what the file *path* got of the source lies further on than it did there."""
        return self._shifts[path]

    def anchor(self, fragment: str) -> Goal | None:
        """Find the anchor that *fragment* names in the source, as GitHub or as an entry's ref writes it."""
        for name in (fragment, slug(fragment)) if fragment else ():
            for reading in self._readings:
                if name in reading.whole:
                    at = reading.whole[name]
                    anchor = reading.now.get(at, "")
                    return Goal(self.path(at), anchor, renamed=anchor != name)
        return None

    def heading(self, words: str) -> Goal | None:
        """Find the first heading of these *words*."""
        at = self._headings.get(slug(words)) if words else None
        return None if at is None else Goal(self.path(at), self._readings[0].now.get(at, ""), renamed=False)


class _Reading:
    """The anchors of the source when its headings are read in one way."""

    def __init__(self, plan: Plan, ids: Sequence[Id], words: Callable[[Heading], str]) -> None:
        self.whole = _anchors([heading for part in plan.parts for heading in part.headings], ids, words)
        self.now: dict[int, str] = {}
        """By offset in the source, what an anchor is called in the file that holds it now."""
        starts = [0, *(part.start for part in plan.parts)]
        ends = [plan.kept, *(part.end for part in plan.parts)]
        headings: list[Sequence[Heading]] = [(), *(part.headings for part in plan.parts)]
        for start, end, held in zip(starts, ends, headings, strict=True):
            inside = ids[bisect_left(ids, start, key=_offset) : bisect_left(ids, end, key=_offset)]
            self.now |= {at: name for name, at in _anchors(held, inside, words).items()}


def _anchors(headings: Sequence[Heading], ids: Sequence[Id], words: Callable[[Heading], str]) -> dict[str, int]:
    """Map each anchor of one file to its offset; of equal names the first counts."""
    slugs = Slugs()
    named = [(slugs.take(slug(words(heading))), heading.start) for heading in headings]
    found: dict[str, int] = {}
    for name, at in sorted([*named, *ids], key=_offset):
        found.setdefault(name, at)
    return found


def _offset(named: Id) -> int:
    return named[1]
