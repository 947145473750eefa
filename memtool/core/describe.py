"""The description of a memory file: how good it is, whether a text can be one, and the bytes that say it.

Only the value's own bytes are changed; PyYAML's marks tell where they stand. What comes out is read again and compared
with what went in before anybody may write it.
"""

from __future__ import annotations

from _collections_abc import Iterator

from memtool.core import row
from memtool.core.document import BOM, MAX_DESCRIPTION, Document, line_end, line_number, next_line, read
from memtool.core.lint import routing
from memtool.core.lint.secrets import secrets
from memtool.core.plainyaml import quote
from memtool.core.terminal import printable
from memtool.errors import MemtoolError
from memtool.model import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    import yaml

    from memtool.core.plainyaml import BadYaml

    State = Literal["good", "missing", "draft", "weak", "unreadable"]

_KEY, _NEIGHBOUR, _STATUS = "description", "summary", "description_status"


class Described(Record):
    """What stands for one file in the index."""

    path: str
    bytes: int
    """Of the whole file; 0 where it cannot be read."""
    state: State
    description: str
    reason: str
    """Why it is weak or cannot be read (``path:line: message``); empty otherwise."""


def present(path: str, data: bytes | str) -> Described:
    """Judge the description of the file at *path*; *data* as a str says why the file cannot be read."""
    if isinstance(data, str):
        return Described(path, 0, "unreadable", "", f"{path}: {data}")
    page = read(data)
    text = page.description
    if page.error:
        return Described(path, len(data), "unreadable", "", f"{path}:{page.error.line}: {page.error.message}")
    if not text:
        return Described(path, len(data), "missing", "", "")
    size = len(text.encode())
    over = f"has {size:,} bytes; the index shows {MAX_DESCRIPTION}" if size > MAX_DESCRIPTION else ""
    reason = over or routing.weakness(text, page.title)
    if page.draft:
        return Described(path, len(data), "draft", text, reason)
    return Described(path, len(data), "weak" if reason else "good", text, reason)


# --- what can be one -------------------------------------------------------------------------------------------------


def checked(text: str) -> str:
    """Give *text*, without blanks around it, if it can be a description: one line, at most 300 bytes, nothing hidden.

    Raises MemtoolError; what a credential is, is never repeated.
    """
    text = text.strip()
    if not text:
        raise MemtoolError("the description is blank", hint='Say when to open the file: "read before …".')
    if len(text.splitlines()) > 1:
        raise MemtoolError("the description has more than one line", hint="It stands on one line of the index.")
    if char := next(filter(_is_hidden, text), ""):
        raise MemtoolError(f"the description holds a control or invisible character, U+{ord(char):04X}")
    if (size := len(text.encode())) > MAX_DESCRIPTION:
        raise MemtoolError(
            f"the description has {size:,} bytes, {size - MAX_DESCRIPTION:,} over {MAX_DESCRIPTION}",
            hint="Keep the triggers: when to open the file.",
        )
    if found := secrets(text.encode()):
        raise MemtoolError(f"the description holds a secret ({found[0][1]})", hint="If it is real, revoke it.")
    return text


def _is_hidden(char: str) -> bool:
    """Tell what a row of the index would drop or replace."""
    return char in "\t\x1f" or (char != "\ufffd" and row.inline(f"a{char}a", 9) in {"aa", "a\ufffda"})


# --- the bytes that say it -------------------------------------------------------------------------------------------


class Change(Record):
    """A file before and after its description was set."""

    path: str
    before: bytes
    after: bytes

    def diff(self) -> Iterator[str]:
        """Yield the lines of a unified diff of the two front matters; control characters are shown, not sent."""
        from difflib import unified_diff

        name = printable(self.path)
        heads = [data[: read(data).body].splitlines() for data in (self.before, self.after)]
        old, new = ([printable(line.decode("utf-8", "replace")) for line in head] for head in heads)
        return unified_diff(old, new, name, name, lineterm="")


_Edit = tuple[int, int, bytes]
"""From, to, and the bytes that stand there instead."""


class _Value(Record):
    """Where a top-level key and its value stand, in bytes of the file."""

    key: int
    margin: int
    """The column of the key."""
    start: int
    end: int
    """Just past the value; of a block scalar just past its ``|`` or ``>``."""
    block: tuple[int, int]
    """The lines of text of a block scalar; an empty range elsewhere."""
    text: str | None
    """None for a list or a map."""

    def become(self, value: str) -> Iterator[_Edit]:
        blank = b" " if self.start == self.end else b""
        yield self.start, self.end, blank + value.encode()
        yield *self.block, b""

    def below(self, data: bytes) -> int:
        """Give the first byte of the line below the value."""
        return max(next_line(data, self.end), self.block[1])


def change(path: str, data: bytes, text: str, *, draft: bool = False) -> Change:
    """Set the description of the file at *path*, whose bytes are *data*, to *text*, as a *draft* or approved.

    Raises MemtoolError where that cannot be done in the description's own bytes, all else being kept.
    """
    page = _prepared(path, data)
    after = page.data
    edits = sorted(_edits(path, page, text, draft=draft), key=lambda edit: edit[0])
    for start, end, new in reversed(edits):
        after = after[:start] + new + after[end:]
    _prove(path, page, read(after), text, draft=draft)
    return Change(path, data, after)


def _prepared(path: str, data: bytes) -> Document:
    """Read the file; with an empty block where it has none, without the description where that alone is at fault."""
    page = read(data)
    if page.error:
        return _mended(path, data, page.error)
    mark = BOM if data.startswith(BOM) else b""
    fence = b"---" + line_end(data)
    return page if page.body > len(mark) else read(mark + fence + fence + data[len(mark) :])


def _mended(path: str, data: bytes, error: BadYaml) -> Document:
    """Read the file as if no value stood on the line of *error*, where that is the description and nothing else."""
    lines = data.splitlines(keepends=True)
    above, line, below = lines[: error.line - 1], lines[error.line - 1 : error.line], lines[error.line :]
    key, colon, value = b"".join(line).partition(b":")
    if key == _KEY.encode():
        page = read(b"".join((*above, key, colon, _kept(value), *below)))
        if page.error is None and not page.front[_KEY]:  # no line below goes on with the value
            return page
    hint = error.hint or "Mend it first."
    raise MemtoolError(f"{path}:{error.line}: {error.message}; nothing was changed", hint=hint)


def _kept(value: bytes) -> bytes:
    """Give what stays of a line when its value goes: the line end, and a comment unless a quote makes it doubtful."""
    content = value.rstrip(b"\r\n")
    comment = -1 if content.lstrip()[:1] in {b'"', b"'"} else content.find(b" #")
    return value[comment if comment >= 0 else len(content) :]


def _edits(path: str, page: Document, text: str, *, draft: bool) -> Iterator[_Edit]:
    found = _values(page)
    about, status = found.get(_key(page)), found.get(_STATUS)
    for value in (about, status):
        if value and value.text is None:
            where = f"{path}:{line_number(page.data, value.key)}"
            raise MemtoolError(f"{where}: a list or a map stands here", hint="Make it text first; nothing was changed.")
    margin = b" " * min((value.margin for value in found.values()), default=0)
    start = next_line(page.data, 0)
    below = about.below(page.data) if about else start
    if about:
        yield from about.become(quote(text))
    else:
        yield start, start, margin + f"{_KEY}: {quote(text)}".encode() + line_end(page.data)
    if draft and status:
        yield from status.become("draft")
    elif draft:
        yield below, below, margin + f"{_STATUS}: draft".encode() + line_end(page.data)
    elif status and status.text == "draft":
        yield status.key - status.margin, status.below(page.data), b""


def _key(page: Document) -> str:
    """Give the key under which the description of *page* stands, or will stand."""
    return _NEIGHBOUR if _NEIGHBOUR in page.front and _KEY not in page.front else _KEY


def _values(page: Document) -> dict[str, _Value]:
    """Map each top-level key of the front matter to the place of its value."""
    import yaml

    first, *inner, _ = page.data[: page.body].splitlines(keepends=True)
    text = b"".join(inner).decode()
    root = yaml.compose(text, Loader=yaml.BaseLoader)
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    return {key.value: _value(page.data, len(first), text, key, node) for key, node in pairs}


def _value(data: bytes, start: int, text: str, key: yaml.Node, node: yaml.Node) -> _Value:
    begin, end, name = (
        start + len(text[: mark.index].encode()) for mark in (node.start_mark, node.end_mark, key.start_mark)
    )
    block = (end, end)
    if getattr(node, "style", None) in {"|", ">"}:  # it ends behind the blank lines below it, which stay
        head = next_line(data, begin)
        body = data[head:end].rstrip(b" \r\n")
        block = (head, next_line(data, head + len(body)) if body else head)
        end = head - len(data[begin:head].lstrip(b"|>+-0123456789"))
    value = node.value if isinstance(node.value, str) else None
    return _Value(name, key.start_mark.column, begin, end, block, value)


def _prove(path: str, before: Document, after: Document, text: str, *, draft: bool) -> None:
    """Raise MemtoolError unless *after* is *before* with the description *text*, to the last key and byte."""
    ours = (_key(before), _STATUS)
    others = [[item for item in page.front.items() if item[0] not in ours] for page in (before, after)]
    bodies = [page.data[page.body :] for page in (before, after)]
    as_meant = after.front.get(ours[0]) == text and after.draft == draft
    if after.error or not as_meant or others[0] != others[1] or bodies[0] != bodies[1]:
        why = f" ({after.error.message})" if after.error else ""
        said = f"{path}: a description cannot be set here without changing more than it{why}; nothing was changed"
        raise MemtoolError(said, hint=f"Write it by hand: {_KEY}: {quote(text)}")
