"""A memory file: front matter, then a body. Bytes in; nothing here ever writes one back changed."""

from __future__ import annotations

from memtool.core import plainyaml
from memtool.core.blocks import headings
from memtool.core.plainyaml import BadYaml
from memtool.model import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtool.core.plainyaml import Lines, Value

BOM = b"\xef\xbb\xbf"
MAX_DESCRIPTION = 300
"""Bytes of one description: it stands on one line of the index."""

# The neighbours' names are read too; ours come first.
_DESCRIPTION = ("description", "summary")
_SOURCE_DATE = ("source_date", "modified", "date", "created")
_VALID_UNTIL = ("valid_until", "expires")
_VERIFIED = ("verified", "last_verified")
_TITLE = ("title", "name")
_OURS = (*_DESCRIPTION, *_SOURCE_DATE, *_VALID_UNTIL, *_VERIFIED, *_TITLE, "read_when", "scope", "review_by", "aliases")


class Document(Record):
    """What stands in one memory file."""

    data: bytes
    front: dict[str, Value]
    """The front matter; empty where there is none or it cannot be read."""
    body: int
    """Where the body starts, in bytes."""
    error: BadYaml | None = None
    """Why the front matter cannot be read, with its line in the file."""

    @property
    def description(self) -> str:
        """The trigger by which the index routes here, on one line; empty where there is none."""
        return self._first(_DESCRIPTION) or self._line("read_when")

    @property
    def draft(self) -> bool:
        return self._line("description_status") == "draft"

    @property
    def source_date(self) -> str:
        return self._first(_SOURCE_DATE)[:10]

    @property
    def valid_until(self) -> str:
        return self._first(_VALID_UNTIL)[:10]

    @property
    def verified(self) -> str:
        return self._first(_VERIFIED)[:10]

    @property
    def review_by(self) -> str:
        return self._line("review_by")[:10]

    @property
    def scope(self) -> str:
        return self._line("scope")

    @property
    def title(self) -> str:
        """The title by name or first heading; empty where there is neither."""
        return self._first(_TITLE[:1]) or first_heading(self.data, self.body) or self._first(_TITLE[1:])

    def _first(self, keys: tuple[str, ...]) -> str:
        return next((text for text in map(self._line, keys) if text), "")

    def _line(self, key: str) -> str:
        value = self.front.get(key, "")
        parts = value if isinstance(value, list) else [value]
        return " ".join("; ".join(part for part in parts if isinstance(part, str)).split())


def read(data: bytes) -> Document:
    """Cut *data* into front matter and body; an unreadable front matter is told in ``error``, never raised."""
    fences = _fences(data)
    if fences is None:
        return Document(data, {}, _top(data), _unclosed(data))
    start, end, body = fences
    block = data[start:end]
    if len(block) > plainyaml.MAX_BYTES:
        return Document(
            data,
            {},
            body,
            BadYaml(1, f"{len(block):,} bytes of front matter; at most {plainyaml.MAX_BYTES:,} are read"),
        )
    try:
        value = plainyaml.load(_text(block), first=2)
    except BadYaml as error:
        if not _looks_like_keys(block):
            return Document(data, {}, _top(data))
        return Document(data, {}, body, error)
    if isinstance(value, dict):
        return Document(data, value, body)
    return Document(data, {}, _top(data) if value else body)


def _top(data: bytes) -> int:
    """Give where the text starts: behind a byte order mark."""
    return len(BOM) if data.startswith(BOM) else 0


def _fences(data: bytes) -> tuple[int, int, int] | None:
    """Find the block between the first line ``---`` and the next ``---`` or ``...``: (start, end, body)."""
    at = _top(data)
    if not data.startswith(b"---", at):
        return None
    start = next_line(data, at)
    if data[at:start].rstrip() != b"---":
        return None
    at = start
    while at < len(data):
        following = next_line(data, at)
        if data[at : at + 3] in {b"---", b"..."} and data[at:following].rstrip() in {b"---", b"..."}:
            return start, at, following
        at = following
    return None


def next_line(data: bytes, at: int) -> int:
    """Give the offset just past the line at *at*; lines end at LF, CRLF or a lone CR, as in CommonMark."""
    newline = data.find(b"\n", at)
    newline = len(data) if newline < 0 else newline
    carriage = data.find(b"\r", at, newline)
    if carriage < 0:
        return min(newline + 1, len(data))
    return newline + 1 if carriage + 1 == newline < len(data) else carriage + 1


def line_end(data: bytes) -> bytes:
    """Give the line end of the first line, LF where it has none; those of the rest may differ."""
    first = data[: next_line(data, 0)]
    return first[len(first.rstrip(b"\r\n")) :] or b"\n"


def line_number(data: bytes, at: int) -> int:
    """Give the line, from 1, in which the byte at *at* stands."""
    before = data[:at]
    return 1 + before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")


def key_lines(parsed: Document) -> dict[str, tuple[int, int]]:
    """Map each top-level key of a front matter to its lines (start, end), comments right above them included.

    What is written in braces on one line has the same lines for each key.
    """
    fences = _fences(parsed.data)
    if fences is None or not parsed.front:
        return {}
    start, end, _ = fences
    where: Lines = {}
    plainyaml.load(_text(parsed.data[start:end]), lines=where)
    starts = [start]
    while starts[-1] < end:
        starts.append(next_line(parsed.data, starts[-1]))
    first = {str(path[0]): line - 1 for path, line in where.items() if len(path) == 1}
    for key, line in first.items():
        while line and parsed.data.startswith(b"#", starts[line - 1]):
            line -= 1  # noqa: PLW2901 (it goes up)
        first[key] = line
    following = [*sorted(first.values())[1:], len(starts) - 1]
    ends = dict(zip(sorted(first.values()), following, strict=True))
    return {key: (starts[line], starts[ends[line]]) for key, line in first.items()}


def _text(block: bytes) -> str:
    try:
        text = block.decode()
    except UnicodeDecodeError as error:
        raise BadYaml(line_number(block, error.start) + 1, f"not UTF-8: the byte {block[error.start]:#04x}") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _looks_like_keys(block: bytes) -> bool:
    """Tell front matter that is broken from prose between two rules: it starts with a key or a comment, or has ours."""
    lines = [line for line in block.splitlines() if line.strip()]
    words = [line.partition(b":")[0] for line in lines if b":" in line]
    ours = any(word.decode("ascii", "replace") in _OURS for word in words)
    return ours or bool(lines and (lines[0].startswith(b"#") or (words and b" " not in words[0].strip())))


def _unclosed(data: bytes) -> BadYaml | None:
    """Name front matter that is opened and never closed; a rule at the top of a body is none."""
    head = data.removeprefix(BOM)
    if not head.startswith(b"---") or head[: next_line(head, 0)].rstrip() != b"---":
        return None
    at = next_line(head, 0)
    key = head[at : next_line(head, at)].partition(b":")[0].decode("ascii", "replace")
    if key in _OURS:
        return BadYaml(1, "front matter is opened here and never closed", hint="Put a line --- below its last key.")
    return None


def first_heading(data: bytes, body: int) -> str:
    """Give the text of the first heading, without its marks; empty where there is none."""
    rest = data[body:]
    at = len(rest) - len(rest.lstrip(b"\r\n"))
    usual = rest.startswith(b"# ", at)  # then one line tells, and the file is not scanned
    found = headings(rest[at : next_line(rest, at)] if usual else rest)
    return " ".join(found[0].text.decode("utf-8", "replace").split()) if found else ""
