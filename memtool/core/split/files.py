"""The files that a split writes: each part with its front matter, and the source as the route to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memtool.core import document, row
from memtool.core.document import Document
from memtool.core.plainyaml import quote
from memtool.core.split.plan import Part, Plan
from memtool.core.split.words import plain
from memtool.errors import MemtoolError

_USE = "Split along its headings, word for word; open the one or two that fit your task."
_ABOUT, _ALL = 120, 3072
"""Bytes of the sub-headings that a line of the route names at most, and that all lines name together."""
_OWN = {
    *("description", "description_status", "summary", "read_when", "title", "name", "aliases"),
    *("verified", "last_verified", "review_by"),
}
"""What is said of the source as a whole; a part says its own."""


def files(plan: Plan, describe: Callable[[Part], str]) -> dict[str, bytes | None]:
    """Give the files of *plan* in the order in which they are written: the parts, then the source; None: it goes.

    *describe* drafts the description of a part. Raises MemtoolError where the front matter cannot be handed on.
    """
    line_end = document.line_end(plan.data)
    handed_on = _handed_on(plan)
    made: dict[str, bytes | None] = {}
    for part in plan.parts:
        own = (f"description: {quote(describe(part))}", "description_status: draft")
        head = line_end.join((b"---", *(line.encode() for line in own), b"")) + handed_on + b"---" + line_end
        if error := document.read(head).error:
            raise MemtoolError(
                f"{plan.source}:1: the front matter cannot be handed on to {part.path}: {error.message}",
                hint="Write each key on a line of its own, at the left margin, and less than 8 KB of them.",
            )
        made[part.path] = head + plan.slice(part)
    made[plan.source] = None if plan.remove else _route(plan, line_end)
    return made


def left_out(plan: Plan) -> list[str]:
    """List the keys of the source's front matter that its parts do not have."""
    return [key for key in document.read(plan.data).front if key in _OWN]


def _handed_on(plan: Plan) -> bytes:
    """Give the lines of the source's front matter that hold for its parts too, byte for byte."""
    parsed = document.read(plan.data)
    if parsed.error:
        raise MemtoolError(
            f"{plan.source}:{parsed.error.line}: the front matter cannot be read, so it cannot be handed on",
            hint=parsed.error.hint or "Mend it first; `memtool check` says how.",
        )
    if not parsed.front:
        return b""
    lines = b"".join(_key_lines(parsed, key) for key in parsed.front if key not in _OWN)
    probe = document.read(b"---\n" + lines + b"---\n")
    if probe.error or probe.front != {key: value for key, value in parsed.front.items() if key not in _OWN}:
        raise MemtoolError(
            f"{plan.source}:1: the front matter cannot be handed on line by line",
            hint="Write each key on a line of its own, at the left margin.",
        )
    return lines


def _key_lines(parsed: Document, key: str) -> bytes:
    start, end = document.key_lines(parsed)[key]
    return parsed.data[start:end]


def _route(plan: Plan, line_end: bytes) -> bytes:
    """Give the source as it is left: what stood before its first heading, and a line for each part."""
    kept = plan.data[: plan.kept]
    title = row.inline(_title(plan), row.MAX_TITLE)
    base = plan.source.rpartition("/")[0]
    about = min(_ABOUT, _ALL // len(plan.parts))
    lines = [f"# {title}", "", _USE, "", *(_line(part, base, about) for part in plan.parts), ""]
    gap = line_end if plan.data[plan.body : plan.kept].strip() and not kept.endswith(line_end * 2) else b""
    return kept + gap + line_end.join(line.encode() for line in lines)


def _title(plan: Plan) -> str:
    """Give the title of the whole: by key, by the one heading above all others, or by the file's name."""
    found = [heading for part in plan.parts for heading in part.headings]
    above_all = all(other.level > found[0].level for other in found[1:])
    named = document.read(plan.data).front.get("title", "")
    name = plan.source.rpartition("/")[2].removesuffix(".md")
    return (named if isinstance(named, str) else "") or (plain(found[0]) if above_all else "") or name


def _line(part: Part, base: str, limit: int) -> str:
    """Write the route's line of one part: a link, and in *limit* bytes the first of the headings that are in it."""
    title = row.inline(part.title, row.MAX_TITLE) or "untitled"
    about = row.inline("; ".join(_named(part)), limit) if limit >= _ABOUT // 4 else ""
    link = f"- [{title}]({row.destination(row.relative(part.path, base))})"
    return f"{link}: {about}" if about else link


def _named(part: Part) -> Sequence[str]:
    others = (plain(heading) for heading in part.headings)
    return list(dict.fromkeys(text for text in others if text and text != part.title))
