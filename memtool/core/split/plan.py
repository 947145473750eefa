"""Where a big file is cut: its sections, and the parts that they are put together to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import log2

from memtool.core import document
from memtool.core.blocks import Heading, headings, left_open, within
from memtool.core.commonmark import disagreement
from memtool.core.config import KB
from memtool.core.document import line_number
from memtool.core.split.names import Names
from memtool.core.split.titles import Titles
from memtool.errors import MemtoolError
from memtool.model import Record

TARGET = 8 * KB
"""Bytes of a part that an agent reads at one time; docs/split.md says why."""
SMALL = TARGET // 4
"""Bytes below which the lead-in of a chapter stays with the chapter; a resident file is cut to parts of this size."""


class Part(Record):
    """One slice of the source, and the file to which it goes."""

    path: str
    start: int
    """Bytes from the start of the source."""
    end: int
    title: str
    """The heading that names it, as plain text; of several sections the first and the last."""
    above: tuple[str, ...]
    """The headings under which that one stands, outermost first."""
    headings: tuple[Heading, ...]
    """All headings in it; offsets and lines are those of the source."""


class Plan(Record):
    """How one file is to be split; nothing is written yet."""

    source: str
    data: bytes
    body: int
    """Where the source's body starts, behind byte order mark and front matter."""
    parts: tuple[Part, ...]
    level: int
    """The deepest level of heading that is cut at, 1 to 6."""
    remove: bool
    """The source goes; else it stays, with what stands before its first heading, as the route to its parts."""
    open_line: int
    """The line at which a fence or comment is opened that never ends, so that the rest holds no heading; 0: none."""

    @property
    def kept(self) -> int:
        """How many bytes at the start of the source are in no part: they stay there, or go with it."""
        return self.parts[0].start

    def slice(self, part: Part) -> bytes:
        return self.data[part.start : part.end]

    def oversize(self) -> list[Part]:
        """List the parts that are over the target: no heading at this level cuts them."""
        return [part for part in self.parts if part.end - part.start > TARGET]


class Cut(Record):
    """What the user asks for."""

    level: int = 0
    """Cut at headings of this level and above; 0: where the parts come nearest to TARGET."""
    deep: bool = False
    """Cut a section over TARGET one level deeper."""
    setext: bool = False
    """Cut at underlined headings too; in real files most are accidents."""
    remove: bool = False
    """Leave no route."""
    target: int = TARGET
    """Bytes to which parts are to come near."""
    into: str | None = None
    """The folder of the parts; None: beside the source, or where the index leads."""


class _Section(Record):
    """What lies between two cuts: one section of the source, or some that belong together."""

    heading: Heading
    """The first heading."""
    main: Heading
    """The one that names it: the first that does not merely lead in."""
    end: int

    @property
    def size(self) -> int:
        return self.end - self.heading.start


def plan(source: str, data: bytes, names: Callable[[], Names], cut: Cut) -> Plan:
    """Plan to cut *data*, the file *source*; *names* makes what hands out the paths of the parts.

    Raises MemtoolError where there is nothing to cut, or where two readers see other headings.
    """
    body = document.read(data).body
    found = _agreed(source, data, body)
    open_line = left_open(data[body:])
    open_line += (line_number(data, body) - 1) if open_line else 0
    cuttable = [heading for heading in found if cut.setext or not heading.setext]
    _refuse_hopeless(source, cuttable, cut.level, open_line)
    level, sections = cut.level, []
    if level:
        sections = _at_level(found, cuttable, len(data), level)
    else:
        level, sections = _nearest(found, cuttable, len(data), cut.target)
    if cut.deep:
        sections = [piece for section in sections for piece in _deeper(section, cuttable, level, cut.target)]
    if len(sections) < 2:
        raise _one_part(source, len(data), cuttable, cut.level)
    first = body if cut.remove else sections[0].heading.start  # nobody else keeps what stands before the first heading
    parts = _parts(sections, found, Titles(found, cuttable), names(), first=first)
    return Plan(source, data, body, parts, level, cut.remove, open_line)


def _agreed(source: str, data: bytes, body: int) -> list[Heading]:
    """List the headings on which two readers of CommonMark agree, with the offsets and lines of the file."""
    found = headings(data[body:])
    if line := disagreement(data[body:], found):
        raise MemtoolError(
            f"{source}:{line_number(data, body) - 1 + line}: two readers of CommonMark disagree on a heading here",
            hint="Write it as `# Name` with a blank line above it, or indent or quote what is no heading.",
        )
    return in_file(found, data, body)


def in_file(found: Sequence[Heading], data: bytes, body: int) -> list[Heading]:
    """Give the headings of a body with the offsets and lines of its file."""
    lines = line_number(data, body) - 1
    return [
        heading.replace(start=heading.start + body, end=heading.end + body, line=heading.line + lines)
        for heading in found
    ]


def _refuse_hopeless(source: str, cuttable: Sequence[Heading], level: int, open_line: int) -> None:
    rest = f" Line {open_line} opens a fence, comment or tag that never ends: the rest is no markdown." * bool(
        open_line
    )
    if not cuttable:
        raise MemtoolError(f"{source}: no heading to cut at", hint=f"A part needs a heading, such as `## Name`.{rest}")
    if len(cuttable) == 1:
        raise MemtoolError(
            f"{source}:{cuttable[0].line}: one heading only; there is nothing to cut",
            hint=f"Put a heading above each subject, such as `## Name`.{rest}",
        )
    if level and all(heading.level != level for heading in cuttable):
        raise MemtoolError(f"{source}: no heading at level {level}", hint=_levels(cuttable) + rest)


def _one_part(source: str, size: int, cuttable: Sequence[Heading], level: int) -> MemtoolError:
    if level:
        return MemtoolError(f"{source}: cut at level {level}, all of it is one part", hint=_levels(cuttable))
    return MemtoolError(
        f"{source}: {size:,} bytes, small enough for one part", hint=f"--level N cuts it anyway. {_levels(cuttable)}"
    )


def _levels(cuttable: Sequence[Heading]) -> str:
    levels = [heading.level for heading in cuttable]
    return "Headings by level: " + ", ".join(f"{levels.count(n)} at {n}" for n in sorted(set(levels))) + "."


# --- sections --------------------------------------------------------------------------------------------------------


def _at_level(found: Sequence[Heading], cuttable: Sequence[Heading], end: int, level: int) -> list[_Section]:
    """Cut at each heading of *level* or above; a short lead-in stays with the section that it leads in."""
    cuts = [heading for heading in cuttable if heading.level <= level]
    if cuts[0].start != found[0].start:  # the parts start at the first heading, whatever it is
        cuts.insert(0, found[0])
    ends = [heading.start for heading in cuts[1:]] + [end]
    return _lead_in([_Section(cut, cut, stop) for cut, stop in zip(cuts, ends, strict=True)])


def _lead_in(sections: Sequence[_Section]) -> list[_Section]:
    """Join a section that holds little but the heading of a chapter with the first section of that chapter."""
    joined: list[_Section] = []
    for section in sections:
        last = joined[-1] if joined else None
        if last and last.size < SMALL and last.main.level < section.heading.level:
            joined[-1] = _Section(last.heading, section.main, section.end)
        else:
            joined.append(section)
    return joined


def _nearest(
    found: Sequence[Heading], cuttable: Sequence[Heading], end: int, target: int
) -> tuple[int, list[_Section]]:
    """Choose the level whose parts, small sections joined, come nearest to *target*; of equals, the highest."""
    levels = sorted({heading.level for heading in cuttable})
    candidates = [(level, _packed(_at_level(found, cuttable, end, level), target)) for level in levels]
    return min(candidates, key=lambda candidate: (len(candidate[1]) < 2, _distance(candidate[1], target)))


def _distance(sections: Sequence[_Section], target: int) -> float:
    """Tell how far from *target* the byte of an average part lies, in doublings."""
    total = sum(section.size for section in sections)
    return sum(section.size * abs(log2(section.size / target)) for section in sections) / total


def _packed(sections: Sequence[_Section], target: int) -> list[_Section]:
    """Join sections too small to stand alone, below a quarter of *target*, with their neighbours, up to *target*."""
    packed: list[_Section] = []
    for section in sections:
        if packed and _belongs(packed[-1], section, target):
            packed[-1] = packed[-1].replace(end=section.end)
        else:
            packed.append(section)
    if len(packed) > 1 and packed[-1].size < target // 4 and packed[-2].size + packed[-1].size <= target:
        last = packed.pop()
        packed[-1] = packed[-1].replace(end=last.end)
    return packed


def _belongs(before: _Section, section: _Section, target: int) -> bool:
    """Tell whether *section* goes to the part *before* it: either is small, both fit, and no chapter starts here.

    One that is not worth a file of its own may make the part a little larger than *target*.
    """
    tiny = min(before.size, section.size) < target // 16
    if before.size + section.size > target + (target // 8 if tiny else 0):
        return False
    starts_chapter = section.heading.level < before.main.level
    return before.size < target // 4 or (section.size < target // 4 and not starts_chapter)


def _deeper(section: _Section, cuttable: Sequence[Heading], level: int, target: int) -> list[_Section]:
    """Cut a section over *target* at the next level of heading that it holds."""
    inside = within(cuttable, section.heading.start, section.end)
    below = [heading.level for heading in inside if heading.level > level]
    if section.size <= target or not below:
        return [section]
    return _packed(_at_level([section.heading], inside, section.end, min(below)), target)


# --- parts -----------------------------------------------------------------------------------------------------------


def _parts(
    sections: Sequence[_Section], found: Sequence[Heading], titles: Titles, names: Names, *, first: int
) -> tuple[Part, ...]:
    """Make the parts; the first of them starts at byte *first*."""
    starts = [first, *(section.heading.start for section in sections[1:])]
    parts = []
    for section, (start, end) in zip(sections, pairwise([*starts, sections[-1].end]), strict=True):
        title, above = titles.of(start, end, section.main)
        held = tuple(within(found, start, end))
        parts.append(Part(names.take(title, above), start, end, title, above, held))
    return tuple(parts)
