"""What a link must say, now that the source is split, to lead where it led before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Literal
from urllib.parse import unquote

from memtool.core.lint.links import is_path, join, resolve
from memtool.core.row import destination, relative
from memtool.core.split.markup import Link
from memtool.core.split.move import Goal, Move
from memtool.model import Record, Snapshot, under

Kind = Literal["reference", "footnote", "anchor", "relative", "file", "wikilink"]

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


class Aim(Record):
    """A link that leads elsewhere since the split, and how to write it."""

    kind: Kind
    holder: str
    """The file, or file and anchor, that holds the target now; nothing where none does."""
    written: bytes | None
    """None where no target can be written that leads there."""


class Aims:
    """Judges targets: each as the file *before* had it, and as the file *now* has it."""

    def __init__(self, move: Move, after: Mapping[str, bytes], snapshot: Snapshot) -> None:
        """*after* are the files that the split writes, *snapshot* the tree before."""
        self.move = move
        self.source = move.plan.source
        self.removed = move.plan.remove
        self._after = after
        self._snapshot = snapshot
        self._names = Counter(_name(path) for path in {*snapshot, *after})

    def judge(self, link: Link, before: str, now: str) -> Aim | None:
        """Judge a *link* that needs no definition; None where it leads on right."""
        if link.kind == "wikilink":
            return self._wikilink(link.text, before, now)
        return self.target(link.text, before, now, html=link.kind == "attribute")

    def target(self, raw: bytes, before: str, now: str, *, html: bool = False) -> Aim | None:
        """Judge the target *raw* of a link or definition, or of an *html* attribute; None where it leads on right."""
        text = raw.decode("utf-8", "surrogateescape")
        said = text if html else _ESCAPED.sub(r"\1", text)
        own = before == self.source and said.startswith("#")
        place = self.source if own else resolve(before, said)
        if place == self.source:
            goal = self.move.anchor(unquote(said.partition("#")[2], errors="surrogateescape"))
            if goal:
                return self._anchor(text, goal, now, stays=goal.path == (now if own else resolve(now, said)))
            if self.removed and not own:
                first = self.move.plan.parts[0].path
                return Aim("file", first, _bytes(_path_to(first, now) + text[len(_path_of(text)) :]))
        return self._relative(text, before, now, place)

    def _anchor(self, text: str, goal: Goal, now: str, *, stays: bool) -> Aim | None:
        """Judge the target *text* that names the anchor *goal*; its path *stays* where it leads there as it is."""
        if stays and not goal.renamed:
            return None
        if not goal.anchor:
            return Aim("anchor", goal.path, None)
        path, _, fragment = text.partition("#")
        if not stays:
            _, mark, query = path.partition("?")
            path = _path_to(goal.path, now) + mark + query
        fragment = destination(goal.anchor) if goal.renamed else fragment
        return Aim("anchor", f"{goal.path}#{goal.anchor}", _bytes(f"{path}#{fragment}"))

    def _relative(self, text: str, before: str, now: str, place: str) -> Aim | None:
        """Judge a relative path, which stays as it is written but for the way to its folder."""
        path = _path_of(text)
        meant = join(_coded(before), path)
        if not is_path(path) or "://" in path or meant == join(_coded(now), path):
            return None
        slash = "/" if path.endswith("/") and meant else ""
        way = relative(meant, _folder(_coded(now))) + slash
        return Aim("relative", place if self._exists(place) else "", _bytes(_safe(way) + text[len(path) :]))

    def _exists(self, place: str) -> bool:
        here = place in self._after or place in self._snapshot
        return here or (bool(place) and next(iter(under(self._snapshot, place)), None) is not None)

    def _wikilink(self, raw: bytes, before: str, now: str) -> Aim | None:
        """Judge what stands in ``[[…]]`` before its alias; None where it leads on right."""
        page, mark, words = raw.decode("utf-8", "surrogateescape").partition("#")
        if not (self._is_source(page) if page else before == self.source):
            return None
        inner = words.rpartition("#")[2].strip()
        goal = self.move.anchor(inner) if inner.startswith("^") else self.move.heading(inner)
        if goal and (page or goal.path != now):
            holder = f"{goal.path}#{goal.anchor}" if goal.anchor else goal.path
            return Aim("wikilink", holder, _bytes(f"{self._page(goal.path)}#{words}"))
        if page and self.removed:
            first = self.move.plan.parts[0].path
            return Aim("wikilink", first, _bytes(self._page(first) + mark + words))
        return None

    def _is_source(self, page: str) -> bool:
        """Tell whether a wikilink to *page*, a path or the end of one, means the source."""
        page = page.strip().removesuffix(".md")
        exact = page + ".md"
        if exact in self._snapshot:
            return exact == self.source
        return f"/{self.source.removesuffix('.md')}".casefold().endswith(f"/{page.casefold()}")

    def _page(self, path: str) -> str:
        """Give *path* as a wikilink names it: by its last name, where no other file has that."""
        return (_name(path) if self._names[_name(path)] == 1 else path).removesuffix(".md")


def _path_of(target: str) -> str:
    return target.partition("#")[0].partition("?")[0]


def _path_to(path: str, now: str) -> str:
    return _safe(_coded(relative(path, _folder(now))))


def _coded(path: str) -> str:
    """Write *path* as a destination that may stand in an attribute as well, whatever its quotes."""
    return destination(path).replace("'", "%27")


def _safe(way: str) -> str:
    """Write a relative path so that it cannot be taken for anything else."""
    return way if is_path(way) else "./" + way


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
