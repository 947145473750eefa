"""A past text of a file or an entry brought back: the bytes that come of it, and what may not come back."""

from __future__ import annotations

from _collections_abc import Iterator, Sequence

from memtool.core import document
from memtool.core.document import line_end
from memtool.core.entry import Entry, Void, entries
from memtool.core.log.section import END, body_of, bytes_of, numbers
from memtool.core.merge.section import Section, cut
from memtool.core.writing.compose import normalised
from memtool.core.writing.title import joined
from memtool.errors import MemtoolError


def replaced(data: bytes, item: Entry, content: bytes) -> bytes:
    """Give the file *data* with *content* for its entry *item*; raises MemtoolError where more would change."""
    was = data[item.start : item.end]
    tail = was[len(was.rstrip(END)) :] or (line_end(data) if item.end < len(data) else b"")
    found = _read(data)
    at = [one.start for one in found].index(item.start)
    return _proved(data, data[: item.start] + content + tail + data[item.end :], content, at, removed=1)


def put_back(data: bytes, then: bytes, item: Entry) -> bytes:
    """Give the file *data* with *item* of *then*, as it was when it held that, in its old place.

    That is before the next neighbour that is still there, else behind the one before, else at the end. Raises
    MemtoolError where more than that would change.
    """
    number = [one.start for one in _read(then)].index(item.start)
    content, end = bytes_of(then, item), line_end(data if data.strip() else then)
    found = _read(data)
    at = _place(cut(body_of(then)).sections, cut(body_of(data)).sections, number)
    start = found[at].start if at < len(found) else len(data)
    before, after = _spaced(data[:start], end), data[start:]
    return _proved(data, before + content + (end * 2 if after else end) + after, content, at, removed=0)


def _place(old: Sequence[Section], new: Sequence[Section], number: int) -> int:
    """Find before which of the sections *new* that one of *old* belongs which is none of them."""
    there = numbers(old, new)
    following = (there.index(one) for one in range(number + 1, len(old)) if one in there)
    above = (there.index(one) + 1 for one in range(number - 1, -1, -1) if one in there)
    return next(following, next(above, len(new)))


def _spaced(before: bytes, end: bytes) -> bytes:
    """Make the last line whole and a blank one stand below it."""
    if not before.removeprefix(document.BOM):
        return before
    whole = before if before.endswith((b"\n", b"\r")) else before + end
    return whole + end if whole.splitlines()[-1].strip() else whole


def _read(data: bytes) -> list[Entry]:
    return entries(data, document.read(data).body)


def _proved(before: bytes, after: bytes, content: bytes, at: int, *, removed: int) -> bytes:
    """Give *after*, if it reads as *before* with *content* as entry number *at*, and nothing else is another."""
    was, now = _sections(before), _sections(after)
    if now != [*was[:at], content, *was[at + removed :]] or _front(before) != _front(after):
        raise MemtoolError(
            "read again, the entries around it would not be as they are; nothing was changed",
            hint="`memtool log` names the commit; take the text from `git show COMMIT:PATH`, and put it in by hand.",
        )
    return after


def _sections(data: bytes) -> list[bytes]:
    return [bytes_of(data, item) for item in _read(data)]


def _front(data: bytes) -> bytes:
    return data[: document.read(data).body]


# --- what no longer holds --------------------------------------------------------------------------------------------


def returning(newest: bytes, past: bytes) -> Iterator[Void]:
    """Yield the void parts of the file *newest* that its version *past* would assert again, in the same entries."""
    new, old = cut(body_of(newest)).sections, cut(body_of(past)).sections
    for number, one in zip(numbers(new, old), old, strict=True):
        if number >= 0:
            yield from returning_in(new[number].entry, one.entry)


def returning_in(newest: Entry, past: Entry) -> Iterator[Void]:
    """Yield the void parts of an entry that its version *past* would assert again."""
    return (void for void in newest.voids if _asserts(past, void) and not _asserts(newest, void))


def _asserts(item: Entry, void: Void) -> bool:
    """Tell whether the live text of *item* holds, as whole words, what is *void*."""
    live, text = (normalised(data.decode("utf-8", "replace")) for data in (item.live, void.text))
    at = live.find(text) if text else -1
    while at >= 0:
        end = at + len(text)
        if not (at and joined(live[at - 1], text[0])) and not (live[end:] and joined(text[-1], live[end])):
            return True
        at = live.find(text, at + 1)
    return False
