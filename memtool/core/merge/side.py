"""The body as the base and each side has it, its sections named alike in all three."""

from __future__ import annotations

from itertools import pairwise

from memtool.core.merge.match import Name, agree, matched, names
from memtool.core.merge.section import Body, Section, cut
from memtool.model import Record

Gaps = dict[tuple[Name | None, Name | None], bytes]


class Side(Record):
    """One version of a body."""

    sections: dict[Name, Section]
    """By name, in order."""
    gaps: Gaps
    """What stands between two neighbours; None is the start, and the end."""


class Sides(Record):
    """The three versions of a body."""

    base: Side
    ours: Side
    theirs: Side


def read(base: bytes, ours: bytes, theirs: bytes) -> Sides:
    """Cut three bodies into sections."""
    was, one, other = cut(base), cut(ours), cut(theirs)
    mine, others = matched(was.sections, one.sections), matched(was.sections, other.sections)
    agree(one.sections, mine, other.sections, others)
    return Sides(_side(was, names(was.sections)), _side(one, mine), _side(other, others))


def _side(body: Body, named: list[Name]) -> Side:
    pairs = pairwise([None, *named, None])
    return Side(dict(zip(named, body.sections, strict=True)), dict(zip(pairs, body.gaps, strict=True)))
