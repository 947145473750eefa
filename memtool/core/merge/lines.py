"""A text that both sides changed, merged by lines.

Lines are alike whatever ends them, so that a side which only changed line ends is in nobody's way.
"""

from __future__ import annotations

from _collections_abc import Iterator

from memtool.core.document import line_end
from memtool.core.merge.three import settled, taken

Lines = list[bytes]
Kept = dict[int, int]
"""The lines of the base that a side kept, by where they stand there."""


def merged(base: bytes, ours: bytes, theirs: bytes, *, end: bytes) -> bytes | None:
    """Merge three texts, whose last lines lack their *end*; None where both sides changed the same lines.

    What the two put in at the same place both stays: in a memory that is mostly one item more in a list.
    """
    was, one, other = ((text + end).splitlines(keepends=True) if text else [] for text in (base, ours, theirs))
    in_one, in_other = _kept(was, one), _kept(was, other)
    for slide in (_as_found, _down, _up):  # what two sides put in may only seem to touch
        regions = _regions(was, one, other, slide(in_one, _bare(one)), slide(in_other, _bare(other)))
        found = [_settle(*region) for region in regions]
        if None not in found:
            return b"".join(line for lines in found for line in lines or ()).rstrip(b"\r\n")
    return None


def _regions(
    base: Lines, ours: Lines, theirs: Lines, in_ours: Kept, in_theirs: Kept
) -> Iterator[tuple[Lines, Lines, Lines]]:
    """Cut the three at each base line that both sides kept; a region is one such line, or what lies between two."""
    at = mine = other = 0
    for line in sorted(in_ours.keys() & in_theirs.keys()):
        yield base[at:line], ours[mine : in_ours[line]], theirs[other : in_theirs[line]]
        at, mine, other = line + 1, in_ours[line] + 1, in_theirs[line] + 1
        yield base[line:at], ours[mine - 1 : mine], theirs[other - 1 : other]
    yield base[at:], ours[mine:], theirs[other:]


def _kept(base: Lines, side: Lines) -> Kept:
    from difflib import SequenceMatcher

    blocks = SequenceMatcher(None, _bare(base), _bare(side)).get_matching_blocks()
    return {block.a + at: block.b + at for block in blocks for at in range(block.size)}


def _as_found(kept: Kept, _: Lines) -> Kept:
    return kept


def _down(kept: Kept, side: Lines) -> Kept:
    """Let what a side put in stand as far down as it may: of two equal lines around it, below the upper one."""
    slid = dict(kept)
    for line in sorted(kept):
        first = slid.get(line - 1, -1) + 1
        if (line == 0 or line - 1 in slid) and first < slid[line] and side[first] == side[slid[line]]:
            slid[line] = first
    return slid


def _up(kept: Kept, side: Lines) -> Kept:
    """Let what a side put in stand as far up as it may."""
    slid = dict(kept)
    for line in sorted(kept, reverse=True):
        last = slid.get(line + 1, 0) - 1
        if last > slid[line] and side[last] == side[slid[line]]:
            slid[line] = last
    return slid


def _bare(lines: Lines) -> Lines:
    return [line.rstrip(b"\r\n") for line in lines]


def _settle(base: Lines, ours: Lines, theirs: Lines) -> Lines | None:
    if settled(base, ours, theirs):
        return taken(base, ours, theirs)
    bare = _bare(base), _bare(ours), _bare(theirs)
    if settled(*bare):
        return max(ours, theirs) if bare[1] == bare[2] else theirs if bare[0] == bare[1] else ours
    return None if base else _both(ours, theirs)


def _both(ours: Lines, theirs: Lines) -> Lines:
    """Put two insertions one below the other; what goes on with the block above comes first."""
    if _within(ours, theirs) or _within(theirs, ours):
        return max(ours, theirs, key=len)
    first, second = sorted((ours, theirs), key=lambda lines: (not lines[0].strip(), lines))
    apart = any(not line.strip() for line in (*ours, *theirs))
    gap = [line_end(first[-1])] if apart and first[-1].strip() and second[0].strip() else []
    return [*first, *gap, *second]


def _within(part: Lines, whole: Lines) -> bool:
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))
