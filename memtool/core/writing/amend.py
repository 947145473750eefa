"""Changes of one entry: a part of it void, all of it void, or confirmed; written only where it reads back as meant.

What goes is never lost: it stays in the entry, quoted under the day and the reason.
"""

from __future__ import annotations

from memtool.core.blocks import headings
from memtool.core.document import line_end, read
from memtool.core.entry import VERIFIED, VOID_SINCE, Entry, RecordLine, Void, entries
from memtool.core.writing.compose import one_line, refuse_no_date, refuse_open
from memtool.core.writing.escape import plain
from memtool.core.writing.parts import key, parts
from memtool.core.writing.passage import Span, find, removal
from memtool.core.writing.reread import prove
from memtool.errors import MemtoolError


def revised(data: bytes, entry: Entry, *, void: str, reason: str, day: str, now: str = "") -> bytes:
    """Give the file *data* with the part *void* of *entry*'s live text quoted as void, and *now* in its place.

    Raises MemtoolError unless *void* stands there exactly once, and all else stays.
    """
    _, live, _ = _spans(data, entry)
    span = find(data, live, void)
    there = plain(now, "the new text").strip().replace(b"\n", line_end(data))
    within = next(one for one in live if one[0] <= span[0] < one[1])
    start, end = span if there else removal(data, span, within)
    section = data[entry.start : start] + there + data[end : entry.end]
    left = b"".join(
        data[first:start] + there + data[end:last] if (first, last) == within else data[first:last]
        for first, last in live
    )
    return _voided(data, entry, section, live=left, void=Void(day, reason, data[slice(*span)]))


def withdrawn(data: bytes, entry: Entry, *, reason: str, day: str) -> bytes:
    """Give the file *data* with all live text of *entry* quoted as void; its heading and record lines stay.

    Raises MemtoolError where there is no live text.
    """
    if not entry.live.strip():
        raise MemtoolError("the entry has no live text", hint="There is nothing left to withdraw.")
    end = line_end(data)
    top, _, records = _spans(data, entry)
    kept = b"".join(end + data[slice(*span)].strip(b"\r\n") + end for span in records)
    void = Void(day, reason, entry.live.strip(b"\r\n"))
    return _voided(data, entry, data[entry.start : top] + kept, live=b"", void=void)


def confirmed(data: bytes, entry: Entry, *, day: str) -> bytes:
    """Give the file *data* with ``Verified`` of *entry* set to *day*; raises MemtoolError for an entry that is void."""
    refuse_no_date(day, "the day")
    if entry.voids and not entry.live.strip():
        raise MemtoolError("the entry is void", hint="What holds instead can be remembered as a new entry.")
    start, stop, text = _slot(data, entry, f"> **{VERIFIED}:** {day}".encode())
    before = sum(len(item.records) for item in entries(data[entry.start : start]))
    after = before + (stop > start)
    records = (*entry.records[:before], RecordLine(VERIFIED, day), *entry.records[after:])
    return _proved(data, entry, data[:start] + text + data[stop:], entry.replace(records=records))


def _slot(data: bytes, entry: Entry, line: bytes) -> tuple[int, int, bytes]:
    """Give start and end of what the record *line* replaces, and the line with what sets it off there."""
    end = line_end(data)
    old, after, void = _marks(data, _spans(data, entry)[2])
    if old:
        return *old, line
    if after >= 0:
        return after, after, (b"" if data[after - 1 : after] in {b"\n", b"\r"} else end) + line + end
    if void >= 0:
        return void, void, line + end + end
    at = entry.start + len(data[entry.start : entry.end].rstrip(b"\r\n"))
    return at, at, end * 2 + line + (end if at == entry.end else b"")


def _marks(data: bytes, records: list[Span]) -> tuple[Span | None, int, int]:
    """Find the last ``Verified`` line, the end of the last record line above all void text, and the first of that."""
    old, after, void = None, -1, -1
    for first, last in records:
        at = first
        for line in data[first:last].splitlines(keepends=True):
            if key(line).startswith(VOID_SINCE):
                void = at if void < 0 else void
                break
            if key(line) == VERIFIED:
                old = at, at + len(line.rstrip(b"\r\n"))
            at += len(line)
        if at > first and void in {-1, at}:
            after = at
    return old, after, void


def _spans(data: bytes, entry: Entry) -> tuple[int, list[Span], list[Span]]:
    """Give where the content of *entry* starts, its live spans, and its record blocks."""
    section = data[entry.start : entry.end]
    at = top = entry.start + (headings(section)[0].end if entry.level else 0)
    live, records = list[Span](), list[Span]()
    for is_record, part in parts(data[top : entry.end]):
        (records if is_record else live).append((at, at + len(part)))
        at += len(part)
    return top, live, records


def _voided(data: bytes, entry: Entry, section: bytes, *, live: bytes, void: Void) -> bytes:
    """Put *section* in the place of *entry*, and *void* below it; *live* is what is to be read there."""
    void = void.replace(reason=one_line(void.reason, "the reason"))
    refuse_no_date(void.since, "the day")
    if not void.reason:
        raise MemtoolError("the reason is blank", hint="Say why it no longer holds, in one line.")
    end = line_end(data)
    was = data[entry.start : entry.end]
    tail = was[len(was.rstrip(b"\r\n")) :] or end
    kept = section.rstrip(b"\r\n")
    block = (end * 2 if kept else b"") + _quoted(void, end) + tail
    result = data[: entry.start] + kept + block + data[entry.end :]
    return _proved(data, entry, result, entry.replace(live=live, voids=(*entry.voids, void)))


def _quoted(void: Void, end: bytes) -> bytes:
    head = f"> **{VOID_SINCE} {void.since}:** {void.reason} It said:".encode()
    lines = void.text.splitlines(keepends=True)
    return head + end + b">" + end + b"".join((b"> " if line.strip(b"\r\n") else b">") + line for line in lines)


def _proved(data: bytes, entry: Entry, result: bytes, meant: Entry) -> bytes:
    """Give *result*, if it reads as *data* with *meant* for *entry*."""
    at = entries(data, read(data).body).index(entry)
    try:
        prove(data, result, at=at, meant=meant)
    except MemtoolError:
        refuse_open(data)
        raise
    return result
