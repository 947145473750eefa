"""Which section of a changed body is which of the old one, wherever it stands and whatever was changed in it."""

from __future__ import annotations

from _collections_abc import Callable, Hashable, Sequence

from memtool.core.changes import similar
from memtool.core.merge.section import Section

Name = int | tuple[Hashable, int]
"""The number of a section in the old body; of a new section, what it is, and which of several alike."""
TOP = -1
"""The name of what stands before the first heading: there is one at most, new or old."""

# Tried in this order, each on what the ones before it left over.
_ALIKE: tuple[Callable[[Section], Hashable], ...] = (
    lambda one: one.text,
    lambda one: (one.entry.above, one.entry.heading),
    lambda one: one.below or None,
    lambda one: one.entry.heading or None,
)


def names(base: Sequence[Section]) -> list[Name]:
    """Name the sections of the old body by their number."""
    return [at if one.level else TOP for at, one in enumerate(base)]


def matched(base: Sequence[Section], side: Sequence[Section]) -> list[Name]:
    """Name the sections of the body *side*: as the old one each comes from, a new one by its text and its place.

    So the same section, new on both sides, has one name; equal ones on one side are numbered.
    """
    found: dict[int, Name] = {at: TOP for at, one in enumerate(side) if not one.level}
    free = [at for at, one in enumerate(base) if one.level]
    for alike in _ALIKE:
        _pair(base, side, alike, found=found, free=free)
    _similar(base, side, found=found, free=free)
    _in_place(base, side, found=found, free=free)
    return _with_new(side, found)


def _with_new(side: Sequence[Section], found: dict[int, Name]) -> list[Name]:
    """Name the new ones too: a dated entry by its text alone, for it is one of its kind.

    Another section is the same only under the same heading, a heading with nothing below only behind the same section.
    """
    seen: dict[Hashable, int] = {}
    anchor: Name | None = None
    parents: list[tuple[int, Name | None]] = [(0, None)]
    for at, one in enumerate(side):
        while parents[-1][0] >= one.level > 0:
            parents.pop()
        if at in found:
            anchor = found[at]
        else:
            key = one.text, anchor if not one.below else None if one.entry.date else parents[-1][1]
            seen[key] = seen.get(key, 0) + 1
            found[at] = key, seen[key]
        if one.level:
            parents.append((one.level, found[at]))
    return [found[at] for at in range(len(side))]


def agree(ours: Sequence[Section], mine: list[Name], theirs: Sequence[Section], others: list[Name]) -> None:
    """Give one name to what is new on one side and stands word for word on the other, as an old section."""
    _adopt(ours, mine, theirs, others)
    _adopt(theirs, others, ours, mine)


def _adopt(side: Sequence[Section], named: list[Name], other: Sequence[Section], names: list[Name]) -> None:
    there = {one.text: at for at, one in enumerate(other) if isinstance(names[at], int)}
    mine, known = dict(zip(named, side, strict=True)), set(names)
    for at, one in enumerate(side):
        if isinstance(named[at], int) or named[at] in known or one.text not in there:
            continue
        old = names[there[one.text]]
        if old not in mine:
            named[at] = old
            mine[old] = one
        elif mine[old].text != one.text:
            names[there[one.text]] = named[at]


def _pair(
    base: Sequence[Section],
    side: Sequence[Section],
    alike: Callable[[Section], Hashable],
    *,
    found: dict[int, Name],
    free: list[int],
) -> None:
    """Pair those in order for which *alike* gives the same; None is like nothing."""
    waiting: dict[Hashable, list[int]] = {}
    for old in reversed(free):
        waiting.setdefault(alike(base[old]), []).append(old)
    for at, one in enumerate(side):
        if at not in found and (key := alike(one)) is not None and waiting.get(key):
            found[at] = waiting[key].pop()
    taken = set(found.values())
    free[:] = [old for old in free if old not in taken]


def _similar(base: Sequence[Section], side: Sequence[Section], *, found: dict[int, Name], free: list[int]) -> None:
    """Pair those of one date that have most of their lines in common."""
    left = [at for at in range(len(side)) if at not in found]
    pairs = similar({str(at): base[at].text for at in free}, {str(at): side[at].text for at in left})
    for new, old in pairs.items():
        if base[int(old)].entry.date == side[int(new)].entry.date:
            found[int(new)] = int(old)
            free.remove(int(old))


def _in_place(base: Sequence[Section], side: Sequence[Section], *, found: dict[int, Name], free: list[int]) -> None:
    """Pair titles, and headings with nothing below, that stand alone between the same two neighbours: worded anew."""
    old_names = [None, *names(base), None]
    around = {(old_names[at], old_names[at + 2]): at for at in free}
    for at in [at for at in range(len(side)) if at not in found]:
        before = found.get(at - 1) if at else None
        after = found.get(at + 1)
        known = (at == 0 or before is not None) and (at + 1 == len(side) or after is not None)
        old = around.get((before, after)) if known else None
        if old is not None and _is_bare(base[old]) and _is_bare(side[at]) and base[old].level == side[at].level:
            found[at] = old


def _is_bare(one: Section) -> bool:
    return not one.entry.date and (one.level == 1 or not one.below)
