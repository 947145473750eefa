"""Two bodies merged, section by section."""

from __future__ import annotations

from _collections_abc import Iterator, Sequence
from heapq import merge as merge_sorted
from itertools import chain, pairwise

from memtool.core.merge.aside import Merged
from memtool.core.merge.match import Name
from memtool.core.merge.order import woven
from memtool.core.merge.section import cut
from memtool.core.merge.settle import Kept, kept
from memtool.core.merge.side import Sides, read

_FALLING = str.maketrans("0123456789", "9876543210")
_FIRST = 7
"""Deeper than any heading: what stands before the first one."""


def merge(base: bytes, ours: bytes, theirs: bytes, *, end: bytes, inline: bool = False) -> Merged | None:
    """Merge two bodies, front matter left off; *end* is the line end of what has to be put between sections.

    With *inline* what was set aside stands in the body, below what stayed in its place, and is no aside any more. None
    where the sections, put together, would not be read as they are meant: one of them leaves a fence open.
    """
    sides = read(base, ours, theirs)
    stays = kept(sides, end=end)
    order = _order(sides, stays)
    if inline:
        order, stays = _with_asides(order, stays)
    gaps = [_gap(sides, *pair, end=end) for pair in pairwise([None, *order, None])]
    texts = [stays[name].section.text for name in order]
    data = b"".join(chain.from_iterable(zip(gaps, [*texts, b""], strict=True)))
    found = cut(data).sections
    if [section.text for section in found] != texts:
        return None
    asides = ((stays[name].aside, section.entry.slug) for name, section in zip(order, found, strict=True) if not inline)
    return Merged(data, tuple(aside.replace(slug=slug) for aside, slug in asides if aside))


def _order(sides: Sides, stays: dict[Name, Kept]) -> list[Name]:
    """List what stays in the order in which it is to stand."""
    base, ours, theirs = (
        [name for name in side.sections if name in stays] for side in (sides.base, sides.ours, sides.theirs)
    )
    falling = _newest_first(sides)

    def rank(chunk: list[Name]) -> tuple[int, str, list[bytes]]:
        head = stays[chunk[0]].section
        date = head.entry.date.translate(_FALLING) if falling else head.entry.date
        return -(head.level or _FIRST), date, [stays[name].section.text for name in chunk]

    def together(*runs: list[Name]) -> list[Name]:
        """Put the deepest first, for it belongs above; then go by date, then by bytes."""
        return [name for chunk in merge_sorted(*(_chunks(run, stays) for run in runs), key=rank) for name in chunk]

    return woven(base, ours, theirs, together)


def _chunks(run: Sequence[Name], stays: dict[Name, Kept]) -> Iterator[list[Name]]:
    """Cut a run so that each section stays with those under it."""
    chunk: list[Name] = []
    for name in run:
        if chunk and stays[name].section.level <= stays[chunk[0]].section.level:
            yield chunk
            chunk = []
        chunk.append(name)
    if chunk:
        yield chunk


def _with_asides(order: list[Name], stays: dict[Name, Kept]) -> tuple[list[Name], dict[Name, Kept]]:
    """Put what was set aside right below what stayed, as a section of its own that takes nothing under it along."""
    out, new = list[Name](), dict[Name, Kept]()
    for name, following in zip(order, [*order[1:], None], strict=False):
        out.append(name)
        aside, level = stays[name].aside, stays[name].section.level
        if aside and aside.text:
            below = stays[following].section.level if following else 0
            one = cut(aside.inline(max(level, below))).sections[0]
            new[one.text, 0] = Kept(one)
            out.append((one.text, 0))
    return out, stays | new


def _newest_first(sides: Sides) -> bool:
    """Tell whether the dated sections go down, as most of the three bodies have them."""
    votes = 0
    for side in (sides.base, sides.ours, sides.theirs):
        dates = [one.entry.date for one in side.sections.values() if one.entry.date] or [""]
        votes += (dates[0] > dates[-1]) - (dates[0] < dates[-1])
    return votes > 0


def _gap(sides: Sides, before: Name | None, after: Name | None, *, end: bytes) -> bytes:
    """Give what stands between two neighbours: as one of the sides has it, or a blank line."""
    base, ours, theirs = (side.gaps.get((before, after)) for side in (sides.base, sides.ours, sides.theirs))
    if ours is None or theirs is None:
        found = theirs if ours is None else ours
        return _new_gap(sides, before, after, end=end) if found is None else found
    if base == ours:
        return theirs
    return ours if base == theirs else max(ours, theirs, key=lambda gap: (len(gap), gap))


def _new_gap(sides: Sides, before: Name | None, after: Name | None, *, end: bytes) -> bytes:
    """Give what stands between two that were no neighbours; at either end, the longer of what both sides have there."""
    if before is not None and after is not None:
        return end * 2
    outer = [list(side.gaps.values()) for side in (sides.ours, sides.theirs)]
    return max((gaps[0] if before is None else gaps[-1] for gaps in outer), key=lambda gap: (len(gap), gap))
