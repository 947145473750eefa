"""A new entry at the end of a memory file, written only where it reads back as meant."""

from __future__ import annotations

from itertools import count
from unicodedata import normalize

from memtool.core import document
from memtool.core.blocks import left_open
from memtool.core.dates import is_date
from memtool.core.document import line_end
from memtool.core.entry import SOURCE, VALID_UNTIL, WHY, Entry, RecordLine, entries, is_scope, read_heading, slug
from memtool.core.split.words import JOINERS, visible
from memtool.core.writing.escape import checked, escaped
from memtool.core.writing.reread import prove
from memtool.core.writing.title import title_of
from memtool.errors import MemtoolError
from memtool.model import Record


class Draft(Record):
    """An entry that is to be."""

    text: str
    """Markdown."""
    date: str
    """``YYYY-MM-DD``."""
    title: str = ""
    """Empty for the first clause of the text."""
    scope: str = ""
    """``*`` or ``kind:name``; or nothing."""
    why: str = ""
    source: str = ""
    valid_until: str = ""
    """``YYYY-MM-DD``, the last day on which it holds; or nothing."""


def appended(data: bytes, draft: Draft) -> bytes:
    """Give the file *data* with the entry of *draft* at its end.

    Raises MemtoolError unless, read again, it has exactly that entry more, and all else is as it was.
    """
    _check(draft)
    text = escaped(draft.text)
    found = entries(data, document.read(data).body)
    title = _new_title(draft, found)
    heading = _heading(draft, title)
    records = _records(draft)
    end = line_end(data)
    start = data + _gap(data, end)
    result = start + _written(heading, text, records).replace(b"\n", end)
    meant = Entry(
        level=2, heading=heading, date=draft.date, scope=draft.scope, title=title, slug=slug(heading),
        start=len(start), end=len(result), line=document.line_number(result, len(start)), above=(),
        live=text.replace(b"\n", end), records=records, voids=(),
    )  # fmt: skip
    try:
        prove(data, result, at=len(found), meant=meant)
    except MemtoolError:
        refuse_open(data)
        raise
    return result


def refuse_open(data: bytes) -> None:
    """Raise MemtoolError, naming the line, where *data* ends in a fence, comment or tag that nothing closes."""
    body = document.read(data).body
    if line := left_open(data[body:]):
        line += document.line_number(data, body) - 1
        raise MemtoolError(
            f"line {line} of the file opens a fence, a comment or a tag that nothing closes, and what is written below"
            " would be part of it; nothing was changed",
            hint="Close it by hand first.",
        )


def normalised(text: str) -> str:
    """Give the value by which two texts say the same: NFKC, case, white space and the invisible folded."""
    shown = visible(text.translate(dict.fromkeys(map(ord, JOINERS))))
    return visible(normalize("NFKC", normalize("NFKC", shown).casefold()))


def one_line(value: str, what: str) -> str:
    """Give *value* on one line, white space folded; raises MemtoolError for what is not UTF-8 text."""
    return " ".join(checked(value, what).split())


def refuse_no_date(day: str, what: str) -> None:
    if not is_date(day):
        raise MemtoolError(f"{what} {day!r} is no date", hint="Give a calendar date, YYYY-MM-DD.")


def _check(draft: Draft) -> None:
    refuse_no_date(draft.date, "the date")
    if draft.valid_until:
        refuse_no_date(draft.valid_until, "valid until")
    if draft.scope and not is_scope(draft.scope):
        raise MemtoolError(
            f"the scope {draft.scope!r} is none", hint="A scope is * or kind:name of letters, digits, '.', '_', '-'."
        )


def _new_title(draft: Draft, found: list[Entry]) -> str:
    """Give the title with which the heading is new in the file."""
    wanted = one_line(draft.title, "the title") or title_of(draft.text)
    if read_heading(_heading(draft, wanted)) != (draft.date, draft.scope, wanted):
        raise MemtoolError(f"the title {wanted!r} starts with a scope", hint="Give the scope as scope.")
    taken = {item.slug for item in found} | {slug(item.heading) for item in found}
    titles = (wanted if number == 1 else f"{wanted} ({number})".lstrip() for number in count(1))
    return next(title for title in titles if slug(_heading(draft, title)) not in taken)


def _heading(draft: Draft, title: str) -> str:
    return " ".join(filter(None, (draft.date, draft.scope and f"[{draft.scope}]", title)))


def _records(draft: Draft) -> tuple[RecordLine, ...]:
    given = ((SOURCE, draft.source), (WHY, draft.why), (VALID_UNTIL, draft.valid_until))
    lines = ((key, one_line(value, key)) for key, value in given)
    return tuple(RecordLine(key, value) for key, value in lines if value)


def _gap(data: bytes, end: bytes) -> bytes:
    """Give what makes the last line whole and a blank one stand below it."""
    if not data.removeprefix(document.BOM):
        return b""
    gap = b"" if data.endswith((b"\n", b"\r")) else end
    return gap + (end if (data + gap).splitlines()[-1].strip() else b"")


def _written(heading: str, text: bytes, records: tuple[RecordLine, ...]) -> bytes:
    quoted = "".join(f"> **{record.key}:** {record.value}\n" for record in records).encode()
    return b"## %s\n\n%s\n" % (heading.encode(), text) + (b"\n" + quoted if quoted else b"")
