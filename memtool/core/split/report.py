"""A split, and the proof of one, as people and programs read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from memtool.core.blocks import Heading
from memtool.core.split.files import left_out
from memtool.core.split.links import BrokenLink
from memtool.core.split.plan import TARGET, Part, Plan
from memtool.core.split.words import plain
from memtool.core.terminal import printable

_SHOWN = 20
"""How many links the text names; JSON has all."""


def asdict(plan: Plan, links: Sequence[BrokenLink], more: Sequence[str] = ()) -> dict[str, Any]:
    """Give a plan in the shape of ``memtool.split/1``, with *more* notes beside its own."""
    return {
        "schema": "memtool.split/1",
        "source": plan.source,
        "bytes": len(plan.data),
        "kept": plan.kept,
        "level": plan.level,
        "parts": [_part(part) for part in plan.parts],
        "links": link_dicts(links),
        "notes": [*notes(plan), *more],
    }


def _part(part: Part) -> dict[str, Any]:
    held = [
        {"line": heading.line, "level": heading.level, "text": plain(heading), "setext": heading.setext}
        for heading in part.headings
    ]
    return {"path": part.path, "start": part.start, "end": part.end, "headings": held}


def link_dicts(links: Sequence[BrokenLink]) -> list[dict[str, Any]]:
    """Give links for JSON: where each stands, what it says, what holds its target, and whether it can be mended."""
    shown = ("path", "line", "kind", "target", "holder")
    return [{**{key: link.asdict()[key] for key in shown}, "mendable": link.replacement is not None} for link in links]


def notes(plan: Plan) -> Iterator[str]:
    """Yield what a person should know of a plan before it is carried out."""
    if plan.open_line:
        yield f"line {plan.open_line} opens a fence, comment or tag that never ends: what follows it holds no heading"
    for part in plan.oversize():
        deeper = any(heading.level > plan.level and not heading.setext for heading in part.headings[1:])
        way = "--deep cuts it further" if deeper else "no deeper heading in it: add some to cut it further"
        yield f"{part.path}: {part.end - part.start:,} bytes, over the {TARGET:,} of a part; {way}"
    if underlined := [heading for part in plan.parts for heading in part.headings if heading.setext]:
        lines = ", ".join(str(heading.line) for heading in underlined[:_SHOWN])
        yield f"underlined headings (line {lines}) are not cut at unless you say --setext"
    if plan.remove and (lost := left_out(plan)):
        yield f"of the source's front matter, {', '.join(lost)} goes with it"


def text(plan: Plan, more: Sequence[str], *, headings: bool) -> Iterator[str]:
    """Yield the lines of a plan: each part with its size, with *headings* each heading with its line; and the notes."""
    yield f"{printable(plan.source)}, {len(plan.data):,} bytes, cut at level {plan.level} into {len(plan.parts)} files:"
    yield ""
    yield f"{'bytes':>8}  {'line':>6}  file"
    for part in plan.parts:
        yield f"{part.end - part.start:>8,}  {_line(part):>6}  {printable(part.path)}"
        yield from (_heading(heading) for heading in part.headings if headings)
    yield ""
    yield f"{printable(plan.source)} {_fate(plan)}."
    yield from (f"note: {printable(note)}" for note in (*notes(plan), *more))


def _fate(plan: Plan) -> str:
    if plan.remove:
        return "goes"
    before = plan.data[plan.body : plan.kept].strip()
    return "stays, as the route to them" + (", with what stood before its first heading" if before else "")


def _line(part: Part) -> str:
    return str(part.headings[0].line) if part.headings else ""


def _heading(heading: Heading) -> str:
    mark = " (underlined)" if heading.setext else ""
    return f"{'':8}  {heading.line:>6}    {'  ' * (heading.level - 1)}{printable(plain(heading))}{mark}"


def link_lines(links: Sequence[BrokenLink]) -> Iterator[str]:
    """Yield how many links of each kind the move breaks, and a line for each with the file that holds its target."""
    kinds = Counter(link.kind for link in links)
    yield f"{len(links):,} links break: " + ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
    yield from (f"  {link_line(link)}" + "  (by hand)" * (link.replacement is None) for link in links[:_SHOWN])
    if len(links) > _SHOWN:
        yield f"  … and {len(links) - _SHOWN} more (--format json has all)"


def link_line(link: BrokenLink) -> str:
    """Write where a link stands, what it says, and which file holds its target."""
    now = link.holder.partition("#")[0] or "nothing, as before"
    return printable(f"{link.path}:{link.line}  {link.kind} {link.target}: {now}")
