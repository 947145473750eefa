"""The digest: what moved lately, on one page that a session reads at its start.

The same facts give the same bytes: no clock, no counter, no order but that of dates and names. What moved is a net
change: a file changed and changed back within the window is not in it.
"""

from __future__ import annotations

from _collections_abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile

from memtool.core.changes import BULK, DAY, Commit, Table, midnight
from memtool.core.config import Config
from memtool.model import Record

LINE = 120
"""Bytes that one line is shortened to; a path is never cut, so a line can be longer."""
LONG_LINE = 160
"""The same where a long path would leave a description less than MIN_DESCRIPTION."""
MIN_DESCRIPTION = 40
SHARE = 3
"""Projects get a third of the budget at least, files the rest, and either what the other leaves."""
MAX_NAME = 32
_AMBIGUOUS = ('"', "\\", ": ", " → ", " -> ", " — ", " (by ", "  ")
_JOINERS = "\u200c\u200d"
"""Invisible, but letters of Persian and emoji hang on them."""


class Move(Record):
    """One file or project that moved."""

    path: str
    kind: str
    """``new``, ``removed``, ``renamed``, or nothing: changed."""
    was: str
    """The old path of what was renamed."""
    oid: bytes
    """The blob as it is now; empty where it is gone."""
    commit: Commit
    """The newest commit that moved it."""
    noun: str = "file"


class Facts(Record):
    """What the digest is made from."""

    day: str
    agent: str
    """Whose digest it is: what others moved is marked."""
    files: tuple[Move, ...] = ()
    """Newest first."""
    projects: tuple[Move, ...] = ()
    older_files: int = 0
    """How many more files moved, all longer ago than those in *files*."""
    older_projects: int = 0
    shallow: str = ""
    """Where the clone's history is cut off inside a window: the day of its oldest commit."""
    history: bool = True
    """Whether there is any commit yet."""


def moves(table: Table, dated: Mapping[str, Commit], renamed: Mapping[str, str], day: str) -> list[Move]:
    """Make the moves of the files that have a date, newest first; *renamed* is new path to old path."""
    gone = set(renamed.values())
    found = []
    for path, (old, new) in table.items():
        was = renamed.get(path, "")
        commits = [dated[name] for name in (path, was) if name in dated]
        if commits and path not in gone:
            kind = "renamed" if was else "" if old and new else "new" if new else "removed"
            found.append(Move(path, kind, was, new, max(commits, key=lambda commit: commit.written)))
    return newest_first(found, day)


def newest_first(found: Iterable[Move], day: str) -> list[Move]:
    """Sort by date, then time, then path; what a clock puts after *day* happened on it."""
    end = midnight(day) + DAY - 1

    def when(move: Move) -> tuple[str, int]:
        return min(move.commit.date, day), min(move.commit.written, end)

    return sorted(sorted(found, key=lambda move: move.path), key=when, reverse=True)


def fold(found: Iterable[Move]) -> list[list[Move]]:
    """Put the moves of one bulk commit together, every other by itself, each group where its newest stands."""
    by_commit: dict[str, list[Move]] = {}
    for move in found:
        by_commit.setdefault(move.commit.oid, []).append(move)
    groups = []
    for move in found:
        together = by_commit[move.commit.oid]
        if len(together) <= BULK:
            groups.append([move])
        elif move is together[0]:
            groups.append(together)
    return groups


def candidates(found: Iterable[Move], budget: int) -> list[Move]:
    """List the moves that can have a line of their own within *budget* bytes, were the descriptions empty."""
    listed = []
    for group in fold(found):
        budget -= _size(_line(group, "", "")) + 1
        if budget < 0:
            break
        listed += group if len(group) == 1 else []
    return listed


def compose(facts: Facts, config: Config, describe: Callable[[Move], str]) -> str:
    """Write the digest, at most ``config.digest_budget`` bytes: whole lines are left out, the oldest, and counted.

    *describe* gives the one-line description of a move; it is asked only for the lines that may be written.
    """

    def render(group: list[Move]) -> str:
        return _line(group, facts.agent, describe(group[0]) if len(group) == 1 and group[0].oid else "")

    projects = _Section(f"Projects, {_last(config.digest_project_days)}", facts.projects, facts.older_projects, render)
    files = _Section(f"Files, {_last(config.digest_days)}", facts.files, facts.older_files, render)
    sections = [section for section in (projects, files) if section.groups]
    page = [f"# What moved, as of {facts.day}"]
    for sentence in _sentences(facts, config):
        page += ["", sentence]
    room = config.digest_budget - _size(_text(page)) - sum(section.frame for section in sections)
    room -= projects.take(room // SHARE if len(sections) > 1 else room)
    room -= files.take(room)
    projects.take(room)
    for section in sections:
        if _size(_text(page + section.text())) <= config.digest_budget:
            page += section.text()
    return _text(page) if _size(_text(page)) <= config.digest_budget else ""


def _sentences(facts: Facts, config: Config) -> Iterator[str]:
    if not facts.history:
        yield "No history yet."
    elif not (facts.files or facts.projects):
        yield (
            f"Nothing moved: no memory file in the {_last(config.digest_days)}, "
            f"no project in the {_last(config.digest_project_days)}."
        )
    elif not facts.files:
        yield f"No memory file moved in the {_last(config.digest_days)}."
    if facts.shallow:
        yield f"This clone is shallow: what moved before {facts.shallow} cannot be seen."
    if facts.agent and any(move.commit.agent != facts.agent for move in facts.files + facts.projects):
        yield f"(by NAME) marks what another agent than {facts.agent} moved."


def _last(days: int) -> str:
    return f"last {days} days" if days > 1 else "last day"


class _Section:
    """A heading, lines taken one by one while there is room, and how many moves the rest stands for."""

    def __init__(self, title: str, found: tuple[Move, ...], older: int, render: Callable[[list[Move]], str]) -> None:
        self.title = title
        self.groups = fold(found)
        self.older = older
        self._render = render
        self._lines: list[str] = []
        self._next = ""

    @property
    def frame(self) -> int:
        """Bytes of the heading and of the line that counts the rest."""
        return _size(_text(["", f"## {self.title}", "", "- and 1,000,000 more, older"]))

    def take(self, room: int) -> int:
        """Take lines of at most *room* bytes; give the bytes taken."""
        taken = 0
        while len(self._lines) < len(self.groups):
            self._next = self._next or self._render(self.groups[len(self._lines)])
            taken += _size(self._next) + 1
            if taken > room:
                return taken - _size(self._next) - 1
            self._lines.append(self._next)
            self._next = ""
        return taken

    def text(self) -> list[str]:
        left = self.older + sum(map(len, self.groups[len(self._lines) :]))
        rest = [f"- and {left:,} more, older"] if left else []
        return ["", f"## {self.title}", "", *self._lines, *rest]


def _text(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def _size(text: str) -> int:
    return len(text.encode())


# --- one line --------------------------------------------------------------------------------------------------------


def _line(group: list[Move], agent: str, description: str) -> str:
    """Write ``- 2026-09-21 new: topics/git.md — read before a rebase… (by desk)``, or the line of a bulk commit."""
    commit = group[0].commit
    by = "" if commit.agent == agent else f" (by {plain(commit.agent)[:MAX_NAME] or 'nobody'})"
    head = f"- {commit.date} {_what(group[0]) if len(group) == 1 else _bulk(group)}"
    used = _size(head) + _size(" — ") + _size(by)
    room = max(LINE - used, min(MIN_DESCRIPTION, LONG_LINE - used))
    short = shorten(plain(description), room) if room >= MIN_DESCRIPTION // 2 else ""
    return head + (short and " — " + short) + by


def _what(move: Move) -> str:
    if move.was:
        return f"renamed: {quoted(move.was)} → {quoted(move.path)}"
    return (move.kind and move.kind + ": ") + quoted(move.path)


def _bulk(group: list[Move]) -> str:
    """Write ``482 new files in core/``, or ``split: 9 files in topics/: 8 new, 1 changed``."""
    kinds = [move.kind or "changed" for move in group]
    named = [kind for kind in ("new", "changed", "renamed", "removed") if kind in kinds]
    op = plain(group[0].commit.op)[:MAX_NAME]
    start = (op and op + ": ") + f"{len(group):,} "
    if len(named) == 1:
        return f"{start}{named[0]} {group[0].noun}s {_place(group)}"
    return f"{start}{group[0].noun}s {_place(group)}: " + ", ".join(f"{kinds.count(kind):,} {kind}" for kind in named)


def _place(group: list[Move]) -> str:
    """Name the folder that all paths share; else the first folders, by how much of the group lies there."""
    folders = [move.path.split("/")[:-1] for move in group]
    common = folders[0]
    for folder in folders:
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(common, folder, strict=False)))
        common = common[:same]
    if common:
        return "in " + quoted("/".join(common) + "/")
    tops = [folder[0] + "/" if folder else "the top folder" for folder in folders]
    names = sorted(set(tops), key=lambda name: (-tops.count(name), name))
    return "in " + ", ".join(map(quoted, names[:3])) + (", …" if len(names) > 3 else "")


def shorten(text: str, room: int) -> str:
    """Cut *text* to *room* bytes of UTF-8, at a space where one is near, and say so by ``…``."""
    if _size(text) <= room:
        return text
    cut = text.encode()[: room - _size("…")].decode(errors="ignore")
    space = cut.rfind(" ")
    return cut[: space if space > len(cut) // 2 else len(cut)].rstrip(" ,;:.，；：。、") + "…"


def plain(text: str) -> str:
    """Put *text* on one line of visible characters: it comes from files and must forge nothing."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable() or char in _JOINERS)


def quoted(path: str) -> str:
    """Give *path* as it is where that reads in one way; else between quotes, escaped as in JSON."""
    if path.isprintable() and path == path.strip() and not any(mark in path for mark in _AMBIGUOUS):
        return path
    return '"' + "".join(map(_escaped, path)) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isprintable():
        return char
    if "\udc80" <= char <= "\udcff":  # a byte that is not UTF-8
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode()
