"""One row of the index, ``- [title](path) — description``: written so that no file's text can break out of it.

A title and a description are data from the files. On one line, with what is active in markdown escaped, they can
forge no row, heading, link, image or HTML, and no ``@path`` that an agent's host would load.
"""

from __future__ import annotations

from memtool.core import document
from memtool.core.document import MAX_DESCRIPTION

MAX_TITLE = 120
"""Bytes; a heading can be a paragraph long, and the index only has to name the file."""
NO_DESCRIPTION = "(no description)"
NOT_READ = b"(not read: "
"""How the description starts of what is no regular, readable file."""

_INVISIBLE = (
    *range(0x200B, 0x200C),  # the zero-width space; the joiners behind it are part of real words and emoji
    *range(0x202A, 0x202F),  # these turn the direction of what follows
    *range(0x2066, 0x206A),
    0xFEFF,
    *range(0xE0000, 0xE0080),  # tags: letters that no screen shows and a model reads
)
_WHITE = (0x20, 0xA0, 0x1680, 0x180E, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
_CONTROL = (*range(0x20), *range(0x7F, 0xA0))
_SURROGATES = range(0xD800, 0xE000)

# Sets that are written out, not str.isprintable(): that one changes with Python's version, the index must not.
_CLEAN: dict[int, str | None] = (
    dict.fromkeys((*_CONTROL, *_SURROGATES), "\ufffd")
    | dict.fromkeys(_INVISIBLE)
    | {ord(char): " " for char in "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029"}
)
_ESCAPES = {ord(char): "\\" + char for char in "\\`[]<"}
_UNSAFE = frozenset(map(chr, (*_CONTROL, *_SURROGATES, *_INVISIBLE, *_WHITE, 0xAD, 0x200C, 0x200D, 0x200E, 0x200F))) | (
    frozenset('"#%&()<>?@[\\]`:')
)


def of_file(path: str, data: bytes, *, base: str) -> bytes:
    """Write the row of the memory file *data*, on a page that lies in the folder *base*."""
    parsed = document.read(data)
    about = parsed.description
    if parsed.error:
        return written(path, parsed.title, f"(unreadable: line {parsed.error.line})", base=base)
    return written(path, parsed.title, inline(about, MAX_DESCRIPTION) or NO_DESCRIPTION, base=base)


def of_odd(path: str, what: str, *, base: str) -> bytes:
    """Write the row of what is no regular, readable file."""
    return written(path, "", f"{NOT_READ.decode()}{what})", base=base)


def of_journal(folder: str, *, base: str) -> bytes:
    """Write the one row of an agent's journal, such as ``notes/laptop/``; a month more in it changes nothing."""
    agent = folder[:-1].rpartition("/")[2]
    return written(folder, f"Journal of {agent}", "its dated entries, one file a month", base=base)


def written(path: str, title: str, about: str, *, base: str) -> bytes:
    """Put a row together; *title* is any text, or nothing for the file's name, *about* is safe already."""
    name = inline(title, MAX_TITLE) or inline(path.rpartition("/")[2].removesuffix(".md"), MAX_TITLE) or "untitled"
    return joined(name.encode(), destination(relative(path, base)), about.encode())


def joined(title: bytes, target: str, about: bytes) -> bytes:
    """Give the row of what is all safe already."""
    return b"- [%s](%s) \xe2\x80\x94 %s" % (title, target.encode(), about)  # with an em dash


def inline(value: str, limit: int) -> str:
    """Make *value* plain text on one line of markdown, at most *limit* bytes before it is escaped."""
    if not (value.isascii() and value.isprintable()):
        value = value.translate(_CLEAN)
    value = cut(" ".join(value.split()), limit)
    if "[" in value or "`" in value or "]" in value or "<" in value or "\\" in value:
        value = value.translate(_ESCAPES)
    return _without_imports(value) if "@" in value else value


def cut(value: str, limit: int) -> str:
    """Shorten *value* to *limit* bytes, between two characters, and show by … that it goes on."""
    if len(value) * 4 <= limit or len(data := value.encode()) <= limit:
        return value
    return data[: limit - 3].decode(errors="ignore").rstrip() + "…"


def _without_imports(value: str) -> str:
    r"""Write ``@path`` as ``\@path``: hosts load a file so named where white space or nothing stands before it.

    Within a word (an address of mail) nothing loads it, and it stays readable.
    """
    first, *rest = value.split("@")
    out = first
    for part in rest:
        out += ("@" if out[-1:].isascii() and out[-1:].isalnum() else "\\@") + part
    return out


def destination(path: str) -> str:
    """Write *path* as the destination of a link; the bytes that one cannot hold become ``%20`` and the like."""
    if _UNSAFE.isdisjoint(path):
        return path
    return "".join(char if char not in _UNSAFE else _percent(char) for char in path)


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogateescape"))


def relative(path: str, base: str) -> str:
    """Give *path* as seen from the folder *base*, both from the root of the repo."""
    up = ""
    while base and not path.startswith(base + "/"):
        base = base.rpartition("/")[0]
        up += "../"
    return up + (path[len(base) + 1 :] if base else path)


def parts(line: bytes) -> tuple[bytes, bytes, bytes]:
    """Take a row apart: title, destination, description, as they stand there; three times nothing where it is none."""
    at = 2
    while line.startswith(b"- [") and (at := line.find(b"](", at + 1)) > 0:
        title = line[3:at]
        if (len(title) - len(title.rstrip(b"\\"))) % 2:
            continue  # an escaped bracket of the title
        target, close, about = line[at + 2 :].partition(b")")
        return (title, target, about.removeprefix(" — ".encode())) if close else (b"", b"", b"")
    return b"", b"", b""
