"""What is searched of a memory file, folded: what the file says of itself, and each entry's heading and live text."""

from __future__ import annotations

from _collections_abc import Iterator

from memtool.core import document
from memtool.core.document import Document
from memtool.core.entry import Entry, entries
from memtool.core.recall.terms import fold, length
from memtool.model import Record


class Fields(Record):
    """One entry as it is searched; void parts and record lines are not."""

    above: str
    """The headings that it stands under."""
    heading: str
    text: str
    length: int
    """The terms of heading and text."""


class Searched(Record):
    """One memory file as it is searched."""

    about: str
    """Its title, description, aliases and path."""
    entries: tuple[Fields, ...]


def searched(path: str, data: bytes) -> Searched:
    """Read what is searched of the file *data* at *path*; its entries in the order of `entry.entries`."""
    parsed = document.read(data)
    return Searched(_about(path, parsed), tuple(map(_fields, entries(data, parsed.body))))


def _about(path: str, parsed: Document) -> str:
    return fold(" ".join((parsed.title, parsed.description, *_aliases(parsed), path.removesuffix(".md"))))


def _aliases(parsed: Document) -> Iterator[str]:
    value = parsed.front.get("aliases", "")
    yield from (part for part in (value if isinstance(value, list) else [value]) if isinstance(part, str))


def _fields(item: Entry) -> Fields:
    heading = fold(f"{item.heading} {item.date[5:]}")  # the day by itself too: a question seldom names the year
    text = fold(item.live.decode("utf-8", "replace"))
    return Fields(fold(" ".join(item.above)), heading, text, length(heading) + length(text))
