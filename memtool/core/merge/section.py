"""The sections of a body as a merge sees them: without the blank lines around, which come and go with a neighbour."""

from __future__ import annotations

from memtool.core.dates import is_date
from memtool.core.document import next_line
from memtool.core.entry import VERIFIED, Entry, entries
from memtool.model import Record

BLANK = b"\r\n"


class Section(Record):
    """One section: its bytes, and what `entries` reads in them."""

    text: bytes
    """Without the line ends before and behind it."""
    entry: Entry

    @property
    def level(self) -> int:
        """1 to 6; 0 for what stands before the first heading."""
        return self.entry.level

    @property
    def below(self) -> bytes:
        """What stands below the heading's first line."""
        return self.text[next_line(self.text, 0) :].strip() if self.level else self.text

    @property
    def weight(self) -> tuple[int, str, bytes]:
        """By which the one of two versions is found that stays: what is void in either stays void."""
        days = (self.entry.date, self.entry.record(VERIFIED)[:10], *(void.since for void in self.entry.voids))
        return len(self.entry.voids), max(day if is_date(day) else "" for day in days), self.text


class Body(Record):
    """A body cut up: joined in turn, gap, section, gap … are its bytes."""

    sections: tuple[Section, ...]
    gaps: tuple[bytes, ...]
    """The line ends before, between and behind the sections: one more than there are sections."""


def cut(body: bytes) -> Body:
    """Cut a body, front matter left off, into sections and gaps."""
    sections, gaps = list[Section](), list[bytes]()
    at = 0
    for entry in entries(body):
        whole = body[entry.start : entry.end]
        text = whole.strip(BLANK)
        start = entry.start + whole.index(text)
        gaps.append(body[at:start])
        sections.append(Section(text, entry))
        at = start + len(text)
    return Body(tuple(sections), (*gaps, body[at:]))


def merged(text: bytes, base: Section | None, ours: Section, theirs: Section) -> Section | None:
    """Read *text*, merged by lines; None unless it is one section with what either side says about it, and no more.

    So nothing that one side declared void is back, and no line has slipped into a void part or out of one.
    """
    found = cut(text).sections
    if len(found) != 1 or found[0].text != text or found[0].level not in {ours.level, theirs.level}:
        return None
    old = _said(base) if base else set()
    mine, other, now = _said(ours), _said(theirs), _said(found[0])
    return found[0] if (mine | other) - old <= now <= mine | other else None


def _said(one: Section) -> set[Record]:
    return {*one.entry.records, *one.entry.voids}
