"""Entries: the sections of a memory file, what their record lines say, and the refs by which they are found.

The sections of a file lie end to end: each runs from its heading to the next heading of any level, and what stands
before the first heading is an entry too, ``top``. docs/format.md gives the grammar, tests/golden/entries its cases.
"""

from __future__ import annotations

from _collections_abc import Iterable, Iterator

from memtool.core import document
from memtool.core.blocks import Heading, headings, lines
from memtool.core.dates import is_date
from memtool.core.lint.markers import SET_ASIDE
from memtool.errors import MemtoolError
from memtool.model import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Status = Literal["current", "revised", "void", "expired", "proposed"]

TOP = "top"
REVISED = "revised"
"""The slug, in a ref with a hash, of an undated entry whose title says what is void."""
SOURCE, WHY, VALID_UNTIL, VERIFIED, VOID_SINCE = "Source", "Why", "Valid until", "Verified", "Void since"
_KNOWN = (SOURCE, WHY, VALID_UNTIL, VERIFIED)
_SAID = "It said:"


class RecordLine(Record):
    """One ``> **Key:** value`` line: what an entry knows about itself."""

    key: str
    value: str


class Void(Record):
    """A part of an entry that no longer holds: since when, why, and what it said, verbatim."""

    since: str
    reason: str
    text: bytes


class Entry(Record):
    """One section of a memory file."""

    level: int
    """1 to 6; 0 for what stands before the first heading."""
    heading: str
    """The heading's text as it stands, marks removed."""
    date: str
    """The date that the heading starts with, ``YYYY-MM-DD``; or nothing."""
    scope: str
    """``*`` or ``kind:name``; or nothing."""
    title: str
    """What is left of the heading."""
    slug: str
    """GitHub's anchor of the heading, unique in the file; never empty."""
    start: int
    """The first byte of the entry in its file."""
    end: int
    """Just past its last byte."""
    line: int
    """The line of its first byte, from 1."""
    above: tuple[str, ...]
    """The headings that it stands under, outermost first."""
    live: bytes
    """Its text without heading, record lines and void parts."""
    records: tuple[RecordLine, ...]
    voids: tuple[Void, ...]

    def record(self, key: str) -> str:
        """Give the last value of the record line *key*; empty where there is none."""
        return next((line.value for line in reversed(self.records) if line.key == key), "")

    @property
    def set_aside(self) -> bool:
        """Tell whether a merge put this text here because it did not fit in."""
        return self.heading.startswith(SET_ASIDE.decode())

    def status(self, *, today: str, valid_until: str = "", proposed: bool = False) -> Status:
        """Derive the status from text and place alone; *valid_until* is the file's, *proposed* true in the inbox.

        A text that a merge set aside in the file itself is proposed too: nobody has said that it holds.
        """
        if self.voids and not self.live.strip():
            return "void"
        if any(is_date(day) and day < today for day in (self.record(VALID_UNTIL)[:10], valid_until[:10])):
            return "expired"
        if proposed or self.set_aside:
            return "proposed"
        return "revised" if self.voids else "current"


def entries(data: bytes, body: int = 0) -> list[Entry]:
    """Read the entries of a file whose body starts at byte *body*, in order; joined, their slices are the body."""
    rest = data[body:]
    found, slugs, above = [], Slugs(), list[tuple[int, str]]()
    before = data[:body]
    shift = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")
    for heading, end in _sections(rest):
        if heading is None:
            if rest[:end].strip():
                found.append(_entry(Heading(0, 0, 0, 1, b"", setext=False), (rest[:end], end), slugs.take(TOP), ()))
            continue
        while above and above[-1][0] >= heading.level:
            above.pop()
        text = raw_text(heading)
        path = tuple(name for _, name in above)
        found.append(_entry(heading, (rest[heading.end : end], end), slugs.take(slug(text)), path))
        above.append((heading.level, text))
    return [item.replace(start=body + item.start, end=body + item.end, line=shift + item.line) for item in found]


def _sections(body: bytes) -> Iterator[tuple[Heading | None, int]]:
    heads = headings(body)
    yield None, heads[0].start if heads else len(body)
    for at, head in enumerate(heads):
        yield head, heads[at + 1].start if at + 1 < len(heads) else len(body)


def _entry(heading: Heading, content: tuple[bytes, int], name: str, above: tuple[str, ...]) -> Entry:
    """Read one section: its *heading*, its *content* and where that ends, its slug, and the headings above it."""
    text = raw_text(heading)
    live, records, voids = _read_content(content[0])
    return Entry(
        level=heading.level, heading=text, **dict(zip(("date", "scope", "title"), read_heading(text), strict=True)),
        slug=name, start=heading.start, end=content[1], line=heading.line, above=above,
        live=live, records=records, voids=voids,
    )  # fmt: skip


def raw_text(heading: Heading) -> str:
    """Give a heading's text as it stands there, on one line, marks and all."""
    return " ".join(heading.text.decode("utf-8", "replace").split())


def read_heading(text: str) -> tuple[str, str, str]:
    """Cut a heading's text into date, scope and title: ``2026-07-14 [project:blog] Post length``."""
    date = text[:10] if is_date(text[:10]) and text[10:11] in {"", " "} else ""
    rest = text[len(date) :].lstrip(" ")
    inner, bracket, after = rest[1:].partition("]")
    if rest.startswith("[") and bracket and is_scope(inner) and after[:1] in {"", " "}:
        return date, inner, after.strip(" ")
    return date, "", rest


def is_scope(text: str) -> bool:
    """Tell a scope: ``*``, or ``kind:name`` of letters, digits, ``.``, ``_``, ``-``. Anything else is title."""
    kind, colon, name = text.partition(":")
    return text == "*" or bool(colon and _is_word(kind) and _is_word(name))


def _is_word(text: str) -> bool:
    return bool(text) and all(char.isalnum() or char in "._-" for char in text)


def _read_content(content: bytes) -> tuple[bytes, tuple[RecordLine, ...], tuple[Void, ...]]:
    """Take the record blocks out of a text: quotes whose first line is a record line with a known key."""
    live: list[bytes] = []
    records: list[RecordLine] = []
    voids: list[Void] = []
    for block in quote_blocks(content):
        inner = [unquoted(line) for line in block] if is_quoted(block[0]) else []
        if inner and is_known(inner[0]):
            _read_block(inner, records, voids)
        else:
            live += block
    return b"".join(live), tuple(records), tuple(voids)


def quote_blocks(content: bytes) -> Iterator[list[bytes]]:
    """Yield runs of lines: each run of quote lines that no code or HTML holds, and what lies between."""
    run: list[bytes] = []
    quoting = False
    for kind, start, end in lines(content):
        line = content[start:end]
        quoted = is_quoted(line) and (quoting or kind == "text")  # once open, a quote may hold code of its own
        quoted = quoted or (quoting and kind == "text" and _continues(run[-1], line))
        if run and quoted != quoting:
            yield run
            run = []
        quoting = quoted
        run.append(line)
    if run:
        yield run


def _continues(before: bytes, line: bytes) -> bool:
    """Tell a line without ``>`` that goes on with the paragraph of the quote above it, as CommonMark lets it."""
    starts_text = line[:1].isalnum() or line[:1] >= b"\x80" or line[:1] in b"*_`(\"'["
    return starts_text and not is_quoted(line) and bool(unquoted(before).strip())


def is_quoted(line: bytes) -> bool:
    return line[:4].lstrip(b" ").startswith(b">")


def unquoted(line: bytes) -> bytes:
    if not is_quoted(line):
        return line
    inner = line.lstrip(b" ")[1:]
    return inner.removeprefix(b" ")


def key_value(line: bytes) -> tuple[str, str] | None:
    """Read ``**Key:** value``."""
    if not line.startswith(b"**"):
        return None
    text = line[2:].decode("utf-8", "replace")
    name, mark, value = text.partition("**")
    key, mark = name[:-1], mark if name[-1:] in {":", "："} else ""
    return (key, value.strip()) if mark and key and "*" not in key else None


def is_known(line: bytes) -> bool:
    pair = key_value(line)
    return pair is not None and (pair[0] in _KNOWN or _void_date(pair[0]) is not None)


def _void_date(key: str) -> str | None:
    """Give the date of a ``Void since DATE`` key; None for another key."""
    if key == VOID_SINCE:
        return ""
    rest = key.removeprefix(VOID_SINCE + " ")
    return rest if rest != key and is_date(rest) else None


def _read_block(inner: list[bytes], records: list[RecordLine], voids: list[Void]) -> None:
    """Read one record block; from ``Void since`` on, all of it is what was said, whatever it looks like."""
    for at, line in enumerate(inner):
        pair = key_value(line)
        since = _void_date(pair[0]) if pair else None
        if pair and since is not None:
            voids.append(Void(since, pair[1].removesuffix(_SAID).strip(), _void_text(inner[at + 1 :])))
            return
        if pair:
            records.append(RecordLine(*pair))
        elif records and line.strip():
            last = records.pop()
            records.append(last.replace(value=f"{last.value} {line.decode('utf-8', 'replace').strip()}"))


def _void_text(quoted: Iterable[bytes]) -> bytes:
    """Give the void text verbatim: the lines below the blank one, up to the last that is not blank."""
    text = b"".join(quoted)
    while text[:1] in {b"\n", b"\r"}:
        text = text[1:]
    return text.rstrip(b"\r\n")


class Ref(Record):
    """The address of an entry: ``path#slug@hash``; the hash may be missing where it is read."""

    path: str
    slug: str
    hash: str = ""

    def __str__(self) -> str:
        return f"{self.path}#{self.slug}" + (f"@{self.hash}" if self.hash else "")


def ref(path: str, data: bytes, item: Entry) -> Ref:
    """Give the ref of *item*, an entry of the file *data* at *path*."""
    return Ref(path, item.slug, entry_hash(data[item.start : item.end]))


def entry_hash(content: bytes) -> str:
    """Give the first 6 hex digits of the SHA-256 of an entry's bytes, without the blank lines at its end.

    Those come and go with the entry that follows.
    """
    from hashlib import sha256

    return sha256(content.rstrip(b"\r\n")).hexdigest()[:6]


def parse_ref(text: str) -> Ref:
    """Read ``path#slug`` or ``path#slug@hash``; raises MemtoolError for anything else."""
    path, mark, rest = text.rpartition("#")
    name, at, digits = rest.rpartition("@")
    if not at or len(digits) != 6 or not all(char in "0123456789abcdef" for char in digits):
        name, digits = rest, ""
    if not mark or not path or not name:
        raise MemtoolError(f"{text!r} is no ref", hint="A ref is path#slug or path#slug@hash, as `recall` prints it.")
    return Ref(path, name, digits)


def find(data: bytes, wanted: Ref) -> list[Entry]:
    """List the entries of a file that *wanted* can mean: by slug, repeated headings too, and by hash if it has one."""
    found = entries(data, document.read(data).body)
    same = [item for item in found if wanted.slug in _names(item, by_date=bool(wanted.hash))]
    if wanted.hash:
        same = [item for item in same if entry_hash(data[item.start : item.end]) == wanted.hash]
        same = [item for item in same if item.slug == wanted.slug] or same  # of equal ones, the one that is called so
    return same


def _names(item: Entry, *, by_date: bool) -> set[str]:
    """Give the slugs by which an entry may be called: its own, that of its heading, and its date beside a hash."""
    return {item.slug, slug(item.heading) if item.heading else TOP} | ({item.date or REVISED} if by_date else set())


def slug(text: str) -> str:
    """Give GitHub's anchor of a heading: lower case, letters (CJK too), digits, ``_`` and ``-`` kept; never empty."""
    kept = (char if char.isalnum() or char in "_-" else "-" if char == " " else "" for char in text.strip().lower())
    return "".join(kept) or "section"


class Slugs:
    """Hands out the anchors of one file: a repeated one gets ``-1``, ``-2`` … as on GitHub."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        name = wanted
        while name in self._taken:
            self._taken[wanted] += 1
            name = f"{wanted}-{self._taken[wanted]}"
        self._taken[name] = 0
        return name
