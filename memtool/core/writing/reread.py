"""What a changed file says when it is read again: the proof without which nothing is written."""

from __future__ import annotations

from memtool.core import document
from memtool.core.entry import Entry, entries
from memtool.errors import MemtoolError

_FIELDS = {
    "level": "heading",
    "heading": "heading",
    "date": "date",
    "scope": "scope",
    "title": "title",
    "slug": "anchor",
    "live": "live text",
    "records": "record lines",
    "voids": "void text",
}
"""What an entry is made of, and how a message calls it."""


def prove(before: bytes, after: bytes, *, at: int, meant: Entry) -> None:
    """Raise MemtoolError unless *after* reads as *before* with *meant* as its entry number *at*, all else the same.

    Where *at* is the number of entries that were there, *meant* is a new one at the end.
    """
    was, now = _read(before), _read(after)
    expected = [*was[:at], meant, *was[at + 1 :]]
    if _front(before) != _front(after) or len(now) != len(expected):
        raise _differs("the entries around it")
    for number, (wanted, got) in enumerate(zip(expected, now, strict=True)):
        if number != at and _bytes(before, wanted) != _bytes(after, got):
            raise _differs("the entries around it")
        for field, wording in _FIELDS.items():
            if _value(wanted, field) != _value(got, field):
                raise _differs(f"its {wording}" if number == at else "the entries around it")


def _read(data: bytes) -> list[Entry]:
    return entries(data, document.read(data).body)


def _front(data: bytes) -> bytes:
    return data[: document.read(data).body]


def _bytes(data: bytes, item: Entry) -> bytes:
    return data[item.start : item.end].rstrip(b"\r\n")  # a blank line more may stand between two entries


def _value(item: Entry, field: str) -> object:
    value = getattr(item, field)
    return value.strip(b"\r\n") if field == "live" else value


def _differs(what: str) -> MemtoolError:
    return MemtoolError(
        f"read again, {what} would not be as meant; nothing was changed",
        hint="Word it without the marks that markdown reads there, or put the text in a code fence.",
    )
