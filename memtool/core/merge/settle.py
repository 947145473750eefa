"""What stays of the sections of two sides, and what is set aside."""

from __future__ import annotations

from memtool.core.entry import TOP
from memtool.core.merge import lines
from memtool.core.merge.aside import BOTH, DELETED, Aside
from memtool.core.merge.match import Name
from memtool.core.merge.section import Section, merged
from memtool.core.merge.side import Side, Sides
from memtool.core.merge.three import settled, taken
from memtool.model import Record


class Kept(Record):
    """A section that stays."""

    section: Section
    aside: Aside | None = None


def kept(sides: Sides, *, end: bytes) -> dict[Name, Kept]:
    """Settle each section by itself: by name what stays; *end* is the line end."""
    found: dict[Name, Kept] = {}
    for name in {**sides.base.sections, **sides.ours.sections, **sides.theirs.sections}:
        versions = (side.sections.get(name) for side in (sides.base, sides.ours, sides.theirs))
        stays = _settle(*versions, end=end)
        if stays:
            found[name] = stays
    return found | _parents(sides.ours, sides, found) | _parents(sides.theirs, sides, found)


def _settle(base: Section | None, ours: Section | None, theirs: Section | None, *, end: bytes) -> Kept | None:
    texts = [one and one.text for one in (base, ours, theirs)]
    if settled(*texts):
        stays = ours if taken(*texts) == texts[1] else theirs
        return Kept(stays) if stays else None
    if ours and theirs:
        return _by_lines(base, ours, theirs, end=end)
    only = ours or theirs
    return Kept(only, _told(only, DELETED)) if only else None


def _by_lines(base: Section | None, ours: Section, theirs: Section, *, end: bytes) -> Kept:
    """Merge by lines what both sides changed; where that fails, the later stays and the other is set aside."""
    text = lines.merged(base.text if base else b"", ours.text, theirs.text, end=end)
    if text is not None and (one := merged(text, base, ours, theirs)):
        return Kept(one)
    other, stays = sorted((ours, theirs), key=lambda one: one.weight)
    return Kept(stays, _told(stays, BOTH, other.text))


def _parents(side: Side, sides: Sides, found: dict[Name, Kept]) -> dict[Name, Kept]:
    """Give the headings that the other side deleted, but under which *side* has something of its own that stays."""
    common = sides.ours.sections.keys() & sides.theirs.sections.keys()
    back: dict[Name, Kept] = {}
    child = 0
    for name, section in reversed(side.sections.items()):
        if name in common:
            child = 0 if section.level < child else child
        elif name in found:
            child = section.level
        elif 0 < section.level < child:
            child = section.level
            back[name] = Kept(section, _told(section, DELETED))
    return back


def _told(section: Section, reason: str, text: bytes = b"") -> Aside:
    return Aside(section.entry.heading or TOP, reason, text=text, slug=section.entry.slug)
