"""Memory files as two machines change them: hypothesis strategies for the tests of the merge.

Every word that anybody writes is new (``w17``), so that a test can say of each whether it is still there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import count
from typing import NamedTuple

from hypothesis import strategies as st

from memtool.core import document
from memtool.core.merge.section import cut

DAYS = ["2026-11-01", "2026-11-15", "2026-11-30"]
KEYS = ["description", "scope", "aliases", "verified"]
WORD = re.compile(rb"\bw\d+\b")


def words(*contents: bytes) -> set[bytes]:
    return {word for data in contents for word in WORD.findall(data)}


class Page(NamedTuple):
    """One memory file: its front matter, and its sections as lists of lines."""

    front: dict[str, str]
    sections: list[list[str]]

    @classmethod
    def read(cls, data: bytes) -> Page:
        """Take a file apart that `written` made, whatever a merge has made of it since."""
        body = document.read(data).body
        front = [line.partition(": ") for line in data[:body].decode().splitlines()]
        sections = [section.text.decode().split("\n") for section in cut(data[body:]).sections]
        return cls({key: value for key, mark, value in front if mark}, sections)

    def written(self, end: str = "\n") -> bytes:
        keys = [f"{key}: {value}" for key, value in self.front.items()]
        front = ["---", *keys, "---", ""] if keys else []
        body = "\n\n".join("\n".join(lines) for lines in self.sections)
        text = "\n".join([*front, body]) + "\n" * bool(body)
        return text.replace("\n", end).encode()

    def copy(self) -> Page:
        return Page(dict(self.front), [list(lines) for lines in self.sections])


class Author:
    """Who writes on all sides of one case; *draw* decides what."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self.draw = draw
        self.number = count()

    def pick(self, choices: Sequence[str]) -> str:
        return choices[self.at(len(choices))]

    def at(self, size: int) -> int:
        return self.draw(st.integers(0, size - 1))

    def word(self) -> str:
        return f"w{next(self.number)}"

    def section(self, level: int | None = None) -> list[str]:
        """Write a section of one of the usual shapes."""
        mark = "#" * (level or 2 + self.at(2))
        lines = [f"{mark} {self.pick(['', *(day + ' ' for day in DAYS)])}{self.word()}", "", f"{self.word()} text."]
        more = self.at(4)
        if more == 1:
            lines += ["", f"- {self.word()}", f"- {self.word()}"]
        if more == 2:
            lines += ["", f"> **Why:** {self.word()}"]
        if more == 3:
            lines += ["", "```", f"# {self.word()}", "```"]
        return lines

    def page(self) -> Page:
        front = {key: self.value(key) for key in KEYS[: self.at(len(KEYS) + 1)]}
        top = [[f"{self.word()} intro"]] * self.at(2)
        return Page(front, [*top, self.section(1), *(self.section() for _ in range(self.at(5)))])

    def value(self, key: str) -> str:
        return self.pick(DAYS) if key == "verified" else self.word()

    def changed(self, page: Page, most: int = 4) -> Page:
        new = page.copy()
        for _ in range(self.at(most + 1)):
            CHANGES[self.at(len(CHANGES))](self, new)
        return new


def append(author: Author, page: Page) -> None:
    page.sections.append(author.section())


def insert(author: Author, page: Page) -> None:
    page.sections.insert(author.at(len(page.sections) + 1), author.section())


def delete(author: Author, page: Page) -> None:
    if page.sections:
        del page.sections[author.at(len(page.sections))]


def move(author: Author, page: Page) -> None:
    if page.sections:
        section = page.sections.pop(author.at(len(page.sections)))
        page.sections.insert(author.at(len(page.sections) + 1), section)


def edit(author: Author, page: Page) -> None:
    if page.sections:
        lines = page.sections[author.at(len(page.sections))]
        at = author.at(len(lines))
        lines[at] = f"{lines[at]} {author.word()}" if lines[at].strip("`") else lines[at]


def add_line(author: Author, page: Page) -> None:
    if page.sections:
        lines = page.sections[author.at(len(page.sections))]
        lines.append(author.pick([f"- {(word := author.word())}", f"> **Verified:** {author.pick(DAYS)} {word}"]))


def drop_line(author: Author, page: Page) -> None:
    if page.sections:
        lines = page.sections[author.at(len(page.sections))]
        if len(lines) > 1:
            del lines[1 + author.at(len(lines) - 1)]


def withdraw(author: Author, page: Page) -> None:
    if page.sections:
        lines = page.sections[author.at(len(page.sections))]
        quoted = [f"> {line}".rstrip() for line in lines[2:]]
        lines[2:] = [f"> **Void since {author.pick(DAYS)}:** {author.word()} It said:", ">", *quoted]


def key(author: Author, page: Page) -> None:
    name = author.pick(KEYS)
    page.front[name] = author.value(name)


def drop_key(author: Author, page: Page) -> None:
    if page.front:
        del page.front[author.pick(list(page.front))]


CHANGES = [append, append, insert, delete, move, edit, edit, add_line, drop_line, withdraw, key, drop_key]
ENDS = ["\n", "\r\n", "\r"]


@st.composite
def pages(draw: st.DrawFn) -> list[bytes]:
    """Give a page and what each of two authors made of it."""
    author = Author(draw)
    base = author.page()
    end = author.pick(ENDS)
    return [page.written(end) for page in (base, author.changed(base), author.changed(base))]


def kept_by_all(base: bytes, ours: bytes, theirs: bytes) -> set[bytes]:
    """Give the words that nobody deleted: what is new on a side, and what is old on both."""
    old = words(base)
    return (words(ours, theirs) - old) | (old & words(ours) & words(theirs))


PATHS = ["topics/a.md", "topics/b.md", "projects/c.md"]


class Librarian:
    """Somebody who changes a whole tree of pages."""

    def __init__(self, author: Author) -> None:
        self.author = author

    def changed(self, tree: dict[str, Page]) -> dict[str, Page]:
        """Change some pages of *tree*; then delete, rename or add one, or move a section to another."""
        author = self.author
        new = {path: author.changed(page, 2) for path, page in tree.items()}
        for _ in range(author.at(3)):
            path = author.pick(sorted(new)) if new else ""
            kind = author.at(4)
            if kind == 0:
                new[f"topics/{author.word()}.md"] = author.page()
            elif kind == 1 and path:
                del new[path]
            elif kind == 2 and path:
                new[f"history/{author.word()}.md"] = new.pop(path)
            elif kind == 3 and path and new[path].sections:
                page = new[path]
                section = page.sections.pop(author.at(len(page.sections)))
                new.setdefault(f"topics/{author.word()}.md", Page({}, [])).sections.append(section)
        return new


@st.composite
def trees(draw: st.DrawFn) -> list[dict[str, bytes]]:
    """Give a tree of pages and what each of two authors made of it."""
    author = Author(draw)
    base = {path: author.page() for path in PATHS}
    librarian = Librarian(author)
    return [
        {path: page.written() for path, page in tree.items()}
        for tree in (base, librarian.changed(base), librarian.changed(base))
    ]
