"""An exam that a memory sets itself: its descriptions must lead to their files, and what it withdrew must stay away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memtool.core import document
from memtool.core.entry import Entry, Ref, entries
from memtool.core.exam.case import Case, Control, Expect, Forbid, Stale, folded

Sections = Mapping[str, list[Entry]]
_MARKS = " \t>#-*+"
"""What markdown puts before a line, which says nothing."""


def derived(files: Mapping[str, bytes]) -> list[Case]:
    """Derive the cases of *files*, the memory files that recall searches: path to content.

    Each description is a query that must find its file. Each void text is one that may bring it out with a qualifier
    only (STALE) where the entry still says something, and not at all (LEAK) where it was withdrawn.
    """
    read = {path: entries(data, document.read(data).body) for path, data in files.items()}
    live = folded("\n".join(f"{item.heading}\n{_text(item.live)}" for found in read.values() for item in found))
    cases = [case for path, found in read.items() for case in _description(path, files[path], found)]
    # What a live text says as well may come out, and rightly so.
    return cases + [case for path in read for case in _voids(path, read) if folded(case.query) not in live]


def _description(path: str, data: bytes, found: list[Entry]) -> Iterator[Case]:
    parsed = document.read(data)
    if parsed.description and any(item.live.strip() for item in found):
        tags = ("description", *(["draft"] if parsed.draft else []))
        expect = Expect(refs_any=(path,))
        yield Case(id=f"description {path}", tags=tags, query=parsed.description, expect=expect, place=f"{path}:1")


def _voids(path: str, read: Sections) -> Iterator[Case]:
    for item in read[path]:
        for at, void in enumerate(item.voids, start=1):
            if text := _longest_line(void.text):
                case = _void(Ref(path, item.slug), item, text)
                yield case.replace(id=f"void {at} {case.id}", control=_witness(path, item, read))


def _void(ref: Ref, item: Entry, text: str) -> Case:
    case = Case(id=str(ref), query=text, place=f"{ref.path}:{item.line}")
    if item.live.strip():
        return case.replace(tags=("void", "revised"), stale=Stale(text=(text,)))
    return case.replace(tags=("void", "withdrawn"), forbid=Forbid((str(ref),), (text,), probe=False))


def _witness(path: str, item: Entry, read: Sections) -> Control:
    """Choose what must still come out: the entry itself, else one of its file, else one of any file."""
    for where, found in ((path, [item]), (path, read[path]), *read.items()):
        if text := next((line for one in found if (line := _longest_line(one.live))), ""):
            return Control((where,), text)
    return Control()


def _longest_line(data: bytes) -> str:
    """Give the line that says most, as it stands nowhere else by chance; empty where none says anything."""
    lines = (line.strip(_MARKS) for line in _text(data).splitlines() if any(map(str.isalnum, line)))
    return max(lines, key=len, default="")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
