"""What moved between two commits, who moved it and when; from what git tells, without asking it.

Clocks are wrong now and then, so no single date decides anything: the edge of a window is where the fewest clocks
disagree (Split), and commits are read on until nothing newer can follow (Dating).
"""

from __future__ import annotations

from _collections_abc import Callable, Iterable, Iterator, Mapping

from memtool.errors import MemtoolError
from memtool.model import Record

Table = dict[str, tuple[bytes, bytes]]
"""What differs between two trees: path to (blob id before, blob id now), empty where there is none."""

DAY = 86400
SLOP = 32
"""How many more commits must look older than a window than look younger, before its edge is believed."""
BULK = 12
"""More files than this whose newest change is the same commit are one line."""
HOUSEKEEPING = frozenset({"init", "index"})
"""Values of the trailer ``Memory-Op`` that date a file only where no other commit does."""
MAX_SIMILAR = 50
"""Removed and added files, each, that are compared by content to find renames."""

_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class Commit(Record):
    """One commit, and what it changed against its first parent."""

    oid: str
    parents: tuple[str, ...]
    committed: int
    """Seconds since 1970, by the clock that the commit was made with."""
    written: int
    """The same for its author: older where it was rebased."""
    date: str
    """The author's day, in the author's time zone: ``2026-09-21``."""
    agent: str
    """The trailer ``Memory-Agent``, else the author's name."""
    op: str
    """The trailer ``Memory-Op``; empty in a commit that memtool did not make."""
    changes: tuple[tuple[str, bytes, bytes], ...]
    """(path, blob id before, blob id now), renames as removed and added."""


def midnight(day: str) -> int:
    """Give 00:00 UTC of *day*, ``2026-09-21``, in seconds since 1970. Raises MemtoolError for what is no date."""
    year, month, date = (int(part) if part.isdecimal() and part.isascii() else 0 for part in _parts(day))
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not (year and 1 <= month <= 12 and 1 <= date <= _MONTHS[month - 1] + (leap and month == 2)):
        raise MemtoolError(f"{day!r} is no date; write it as 2026-09-21")
    before = year - 1
    days = 365 * before + before // 4 - before // 100 + before // 400 - 719162
    return (days + sum(_MONTHS[: month - 1]) + (leap and month > 2) + date - 1) * DAY


def _parts(day: str) -> tuple[str, str, str]:
    if len(day) == 10 and day[4] == day[7] == "-":
        return day[:4], day[5:7], day[8:]
    return "", "", ""


class Split:
    """Where commits, newest first, cross *start*: the cut that the fewest of their clocks contradict.

    A commit that is newer than *start* speaks for a cut behind it, an older one for a cut before it; the cut with the
    most votes wins, the deepest of equals. So one clock that is 90 days behind moves nothing, while `git log --since`
    would stop there.
    """

    def __init__(self, start: int) -> None:
        self.start = start
        self.seen = 0
        self.at = 0
        """How many commits lie inside."""
        self.done = False
        """Whether the edge is believed: no more commits are needed, or counted."""
        self._score = self._low = 0

    def add(self, time: int) -> None:
        if self.done:
            return
        self.seen += 1
        self._score += 1 if time < self.start else -1
        if self._score <= self._low:
            self._low, self.at = self._score, self.seen
        self.done = self._score >= self._low + SLOP

    @property
    def inside(self) -> bool:
        """Tell whether all commits so far lie inside."""
        return self.at == self.seen


class Edges:
    """Where commits, newest first, cross the starts of several windows; *cut* are those whose parents a clone lacks."""

    def __init__(self, starts: Iterable[int], cut: frozenset[str]) -> None:
        self.splits = [Split(start) for start in starts]
        self.oids: list[str] = []
        self.done = False
        self._cut = cut
        self._oldest = 0

    def add(self, oid: str, time: int) -> None:
        self.oids.append(oid)
        self._oldest = time
        self.done = True
        for split in self.splits:
            split.add(time)
            self.done = self.done and split.done

    @property
    def inside(self) -> bool:
        """Tell whether all commits so far lie inside all windows."""
        return all(split.inside for split in self.splits)

    def before(self) -> tuple[str, ...]:
        """Give for each window the commit that shows the state before it; empty where all history lies inside.

        In a shallow clone that does not reach back so far, that is the oldest commit there is: all its files would
        count as new otherwise.
        """
        oldest = self.oids[-1] if self.oids[-1] in self._cut else ""
        return tuple(oldest if split.inside else self.oids[split.at] for split in self.splits)

    def hidden(self) -> int:
        """Give the time of the oldest commit, where a window reaches beyond it and only a deeper clone would tell."""
        return self._oldest if self.oids[-1] in self._cut and any(split.inside for split in self.splits) else 0


def walk(tip: str, commit: Callable[[str], Commit]) -> Iterator[Commit]:
    """Yield *tip* and its ancestors, newest first by committer time, a commit never before one of its children seen.

    This is the order in which `git log` prints them, computed here so that commits kept from an earlier walk and
    commits just read mix to the same order as if all had been read at once.
    """
    pending = [(0, 0, commit(tip))]
    known = {tip}
    while pending:
        newest = max(pending, key=lambda item: item[:2])
        pending.remove(newest)
        yield newest[2]
        for oid in newest[2].parents:
            if oid not in known:
                known.add(oid)
                parent = commit(oid)
                pending.append((parent.committed, -len(known), parent))


class Dating:
    """Finds for each thing in *wanted*, path to the thing it belongs to, the newest commit that moved it.

    Commits come newest first. *room* is how many lines can be written at most: with that many found, all written later
    than any commit still to come can have been, the rest need no date.
    """

    def __init__(self, wanted: Mapping[str, str], *, room: int) -> None:
        self.wanted = wanted
        self.room = room
        self.found: dict[str, Commit] = {}
        self._open = set(wanted.values())
        self.chores: frozenset[str] = frozenset()
        """What memtool's own housekeeping alone has moved: nothing to tell a session."""
        self._weak: dict[str, Commit] = {}
        self._chores: set[str] = set()
        self._lines: list[int] = []

    def add(self, commit: Commit) -> None:
        """Take the next commit: a merge dates what nothing else will have dated in the end, housekeeping nothing."""
        if not self._open:
            return
        moved = {self.wanted[path] for path, _, _ in commit.changes if path in self.wanted} & self._open
        if commit.op in HOUSEKEEPING:
            self._chores |= moved
        elif len(commit.parents) > 1:
            for thing in moved:
                self._weak.setdefault(thing, commit)
        else:
            self.found |= dict.fromkeys(moved, commit)
            self._open -= moved
            self._lines += [commit.written] * (1 if len(moved) > BULK else len(moved))

    @property
    def done(self) -> bool:
        """Tell whether everything wanted has a date."""
        return not self._open

    def lines(self, now: int) -> int:
        """Count the lines found that no commit made at *now* or before can come above."""
        return sum(written >= now for written in self._lines)

    def undated(self) -> dict[str, str]:
        """Give the part of *wanted* that no commit so far has dated."""
        return {path: thing for path, thing in self.wanted.items() if thing in self._open}

    def settle(self) -> None:
        """Let merges date what nothing else did, and tell what housekeeping did; for when every commit was seen."""
        self.found = self._weak | self.found
        self.chores = frozenset(self._chores - self.found.keys())


def advance(table: Table, commits: Iterable[Commit], listed: Callable[[str], bool]) -> Table:
    """Carry *table* on over *commits*, oldest first, each the first child of the one before; *listed* picks paths."""
    after = dict(table)
    for commit in commits:
        for path, old, new in commit.changes:
            base = after[path][0] if path in after else old
            if base == new:
                after.pop(path, None)
            elif path in after or listed(path):
                after[path] = (base, new)
    return after


def identical(table: Table) -> dict[str, str]:
    """Find files that were moved without a change: new path to old path, each once."""
    gone: dict[bytes, list[str]] = {}
    for path in sorted(path for path, (_, new) in table.items() if not new):
        gone.setdefault(table[path][0], []).append(path)
    renamed = {}
    for path in sorted(path for path, (old, _) in table.items() if not old):
        if olds := gone.get(table[path][1]):
            renamed[path] = olds.pop(next((at for at, old in enumerate(olds) if _name(old) == _name(path)), 0))
    return renamed


def similar(removed: Mapping[str, bytes], added: Mapping[str, bytes]) -> dict[str, str]:
    """Find files that were moved and changed, path to content on both sides: new path to old path, each once.

    Lines in common must make up half the bytes of the larger file. At most MAX_SIMILAR of each side are compared, the
    first by path.
    """
    olds = [(path, _lines(removed[path])) for path in sorted(removed)[:MAX_SIMILAR]]
    news = [(path, _lines(added[path])) for path in sorted(added)[:MAX_SIMILAR]]
    pairs = [
        (-_likeness(before, after), _name(old) != _name(new), old, new) for old, before in olds for new, after in news
    ]
    renamed: dict[str, str] = {}
    for likeness, _, old, new in sorted(pairs):
        if likeness <= -0.5 and new not in renamed and old not in renamed.values():
            renamed[new] = old
    return renamed


def _lines(data: bytes) -> dict[bytes, int]:
    """Count the bytes that each different line takes up."""
    counted: dict[bytes, int] = {}
    for line in data.splitlines(keepends=True):
        counted[line] = counted.get(line, 0) + len(line)
    return counted


def _likeness(one: dict[bytes, int], other: dict[bytes, int]) -> float:
    small, large = sorted((sum(one.values()), sum(other.values())))
    if small * 2 < large or not large:
        return 0.0
    return sum(min(size, other.get(line, 0)) for line, size in one.items()) / large


def _name(path: str) -> str:
    return path.rpartition("/")[2]
