"""The rows of many files at once: of most, their first bytes and one regular expression tell all.

Loaded only where many files are to be read: `re` takes half as long to import as Python to start. It decides nothing
that `document` would decide otherwise (a property test); what it cannot be sure of goes there, whole.
"""

from __future__ import annotations

import os
import re
from _collections_abc import Iterator, Sequence

from memtool.core import document, index, row
from memtool.core.config import Config
from memtool.core.page import base_of
from memtool.edge.files import MAX_FILE, read_regular

HEAD = 8192
"""Bytes that are read of a file at first; most memory files are shorter."""
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK

_PLAIN = rb"[A-Za-z0-9_./~(+$<=^\\;]%s(?:(?::(?=[^ \n])|(?<! )\#)%s)*" % ((rb"[^\x00-\x1f\x7f:#]*",) * 2)
_ITEM = rb"[A-Za-z0-9_./][A-Za-z0-9_./ -]*"
_VALUE = rb"(?:%s|\"[^\"\\\x00-\x1f\x7f]*\"|'[^'\x00-\x1f\x7f]*'|\[%s(?:, %s)*\])" % (_PLAIN, _ITEM, _ITEM)
_LINE = rb"[A-Za-z_][A-Za-z0-9_.-]*:(?: +%s)? *\n" % _VALUE
_TOP = re.compile(rb"(?:---\n((?:%s)+)---\n)?[\r\n]*# ([^\r\n#]+)[\r\n]" % _LINE)
_PAIRS = re.compile(rb"^([^:\n]+): *(.*)$", re.MULTILINE)

_WORD = rb"[!-;=-?A-Z^_a-~]+"
_SAFE = re.compile(rb"%s(?: %s)*" % (_WORD, _WORD))
"""Text that a row holds as it stands: ASCII, nothing that is active in markdown, single blanks."""


def rows(root: str, paths: Sequence[str], config: Config) -> Iterator[tuple[str, bytes]]:
    """Yield each of *paths* with its row, as `index.rows` would write it; nothing for a page of another layout."""
    return ((path, _row_of(root, path, config)) for path in paths)


def _row_of(root: str, path: str, config: Config) -> bytes:
    place = f"{root}/{path}"
    told = told_by(_head(place))
    if told:
        return _row(path, *told, base=base_of(path, config))
    data = read_regular(place)
    return index.of_odd(path, data, config) if isinstance(data, str) else index.of_data(path, data, config)


def _row(path: str, title: bytes, description: bytes, *, base: str) -> bytes:
    short = len(title) <= row.MAX_TITLE and len(description) <= document.MAX_DESCRIPTION
    if short and _SAFE.fullmatch(title) and _SAFE.fullmatch(description):
        return row.joined(title, row.destination(row.relative(path, base)), description)
    about = row.inline(description.decode(), document.MAX_DESCRIPTION) or row.NO_DESCRIPTION
    return row.written(path, title.decode("utf-8", "replace"), about, base=base)


def _head(place: str) -> bytes:
    """Read the first bytes of a regular file of sane size; nothing of any other."""
    try:
        fd = os.open(place, _FLAGS)
    except OSError:
        return b""
    try:
        data = os.read(fd, HEAD)
        return data if len(data) < HEAD or os.fstat(fd).st_size <= MAX_FILE else b""
    except OSError:
        return b""
    finally:
        os.close(fd)


def told_by(head: bytes) -> tuple[bytes, bytes] | None:
    """Read title and description from the first bytes of a file; None where they do not tell for sure."""
    top = _TOP.match(head)
    if top is None:
        return None
    block, heading = top.groups()
    title = heading.strip(b" \t")
    description = _description(block) if block else b""
    return (title, description) if title and description is not None else None


def _description(block: bytes) -> bytes | None:
    """Give the description of plain front matter, or nothing; None where another key could count, or is not plain."""
    pairs: list[tuple[bytes, bytes]] = _PAIRS.findall(block)
    front = dict(pairs)
    if len(front) < len(pairs) or b"title" in front or not (block.isascii() or _is_text(block)):
        return None
    value = front.get(b"description", b"").strip(b" ")
    if value[:1] in {b'"', b"'"}:
        value = value[1:-1]
    elif value[:1] == b"[":
        return None
    return value if value.strip() or front.keys().isdisjoint({b"summary", b"read_when"}) else None


def _is_text(block: bytes) -> bool:
    try:
        return block.decode().replace("\n", "").isprintable()
    except UnicodeDecodeError:
        return False
