"""The pages of the index: rows laid out for an agent that must find one or two files.

Flat: one page with all rows under their folders. Folders: a page in each folder, which names the folders below it and
the files in it. The same rows give the same bytes everywhere: nothing here asks a locale, a clock or a file system.
"""

from __future__ import annotations

from _collections_abc import Mapping

from memtool.core import row
from memtool.core.config import Config, basename
from memtool.core.page import FLAT, MARK, folder_of, page_in

_HEAD = MARK.decode() + " from the descriptions of the files: edit those, not this page. -->\n"
_FILES = "Each line says when to read a file. Open the one or two that fit your task, and no others."
_PAGES = "Each folder has a page like this one. Go on with the one that fits your task, and no other."
_BOTH = (
    "Each line says when to read a file, each folder has a page like this one. Go on with the one or two that fit your "
    "task, and no others."
)
_EMPTY = "No file is on demand yet."
_USE = {(False, False): _EMPTY, (False, True): _FILES, (True, False): _PAGES, (True, True): _BOTH}
"""What to do with a page that lists (folders, files)."""
_HINTS = (200, 120, 60, 0)
"""Bytes of the words that tell what lies in a folder: the most with which its page keeps to the budget."""
_NAMED, _EACH = 6, 48
"""How many of the things in a folder such a hint names, and in how many characters each."""


def assemble(lines: Mapping[str, bytes], config: Config) -> dict[str, bytes]:
    """Lay the rows, by path, out on pages: path to content."""
    folders: dict[str, list[bytes]] = {}
    for key in sorted(lines, key=_raw):
        folders.setdefault(folder_of(key), []).append(lines[key])
    # a folder's own sub-folders come right behind it, before a neighbour whose name only starts like its own
    ordered = sorted(folders, key=lambda folder: _raw(folder).replace(b"/", b"\0"))
    if config.index_layout == FLAT:
        return {config.index: _flat({folder: folders[folder] for folder in ordered})}
    return _Folders({folder: folders[folder] for folder in ordered}, config).pages()


def _raw(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _flat(folders: Mapping[str, list[bytes]]) -> bytes:
    out = [f"{_HEAD}# Index\n\n{_USE[False, bool(folders)]}\n".encode()]
    for folder, lines in folders.items():
        out += [f"\n## {_name(folder)}\n\n".encode() if folder else b"\n", b"\n".join(lines), b"\n"]
    return b"".join(out)


def _name(folder: str) -> str:
    return row.inline(folder, 4 * len(folder)) + "/"


class _Folders:
    """The layout with a page in each folder, from the rows of each folder that has some, in order."""

    def __init__(self, lines: Mapping[str, list[bytes]], config: Config) -> None:
        self.config = config
        self.lines = lines
        self.below: dict[str, list[str]] = {"": []}
        """The folders directly below each folder, in order."""
        self.files: dict[str, int] = {"": 0}
        """How many rows lie below each folder, at any depth."""
        for folder in lines:
            self.add(folder)

    def add(self, folder: str) -> None:
        """Count the rows of *folder* for all that it lies in, and enter what is new among them."""
        here, new = folder, ""
        while True:
            known = here in self.below
            self.below.setdefault(here, []).extend([new] if new else [])
            self.files[here] = self.files.get(here, 0) + len(self.lines[folder])
            if not here:
                return
            new = "" if known else here
            here = here.rpartition("/")[0]

    def shown(self, folder: str) -> str:
        """Go down from *folder* past those that hold nothing but one folder: a page there would only be in the way."""
        while folder not in self.lines and len(self.below[folder]) == 1:
            (folder,) = self.below[folder]
        return folder

    def pages(self) -> dict[str, bytes]:
        """Write the page of each folder; that of the root also lists the folder in which it lies."""
        found, waiting = {}, [self.shown(folder) for folder in self.below[""]]
        while waiting:
            folder = waiting.pop()
            found[page_in(folder, self.config)] = self.page([folder])
            waiting += map(self.shown, self.below[folder])
        home = self.config.index.rpartition("/")[0]
        found[self.config.index] = self.page(["", home] if home and home in self.below else [""])
        return dict(sorted(found.items()))

    def page(self, shown: list[str]) -> bytes:
        """Write one page that lists the folders *shown*, with as many hints as its budget allows."""
        base = page_in(shown[0], self.config).rpartition("/")[0]
        below = [self.shown(folder) for here in shown for folder in self.below[here] if folder not in shown]
        held = [line for here in shown for line in self.lines.get(here, ())]
        head = self.head(shown[0], base, _USE[bool(below), bool(held)])
        for limit in _HINTS if below else (0,):
            lists = [("Folders", [self.folder(folder, base, limit) for folder in below]), ("Files", held)]
            data = head + b"".join(_list(title, lines, both=bool(below and held)) for title, lines in lists)
            if len(data) <= self.config.index_budget:
                break
        return data

    def head(self, folder: str, base: str, use: str) -> bytes:
        if folder:
            above = row.relative(page_in(self.above(folder), self.config), base)
            use += f" One level up: [{row.inline(above, 4 * len(above))}]({row.destination(above)})."
        return f"{_HEAD}# Index{' of ' + _name(folder) if folder else ''}\n\n{use}\n".encode()

    def above(self, folder: str) -> str:
        """Give the folder on whose page *folder* is listed."""
        above = folder.rpartition("/")[0]
        while above and self.shown(above) != above:
            above = above.rpartition("/")[0]
        return above

    def folder(self, folder: str, base: str, limit: int) -> bytes:
        """Write the row of a folder: how many files lie in it, and what about."""
        files = self.files[folder]
        about = f"{files} file{'' if files == 1 else 's'}"
        hint = self.hint(folder, limit)
        about = f"{about}: {hint}" if hint else about
        return row.written(page_in(folder, self.config), row.relative(folder, base) + "/", about, base=base)

    def hint(self, folder: str, limit: int) -> str:
        """Name what lies in *folder*, chosen evenly over its folders, then its files, in up to *limit* bytes."""
        below, lines = self.below[folder], self.lines.get(folder, [])
        chosen = [_name(basename(below[at])) for at in _spread(len(below), _NAMED)]
        chosen += [row.parts(lines[at])[0].decode() for at in _spread(len(lines), _NAMED - len(chosen))]
        if len(chosen) > 1:
            chosen = [text if len(text) <= _EACH else text[: _EACH - 1].rstrip() + "…" for text in chosen]
        more = len(below) + len(lines) > len(chosen)
        while chosen:
            text = "; ".join(chosen) + ("; …" if more else "")
            if len(text.encode()) <= limit:
                return text
            chosen.pop()
            more = True
        return ""


def _list(title: str, lines: list[bytes], *, both: bool) -> bytes:
    heading = f"## {title}\n\n".encode() if both else b""
    return b"\n" + heading + b"\n".join(lines) + b"\n" if lines else b""


def _spread(count: int, some: int) -> list[int]:
    """Choose *some* of *count* places, evenly."""
    return [at * count // some for at in range(some)] if some < count else list(range(count))
