"""Makes the digest from history: from nothing, or from what the last one knew and the commits since.

Both give the same bytes. One git lists commits, newest first, and is ended as soon as it is known who moved what and
when; one reads descriptions. What moved is added up from those commits where the windows hold few of them, and is the
difference of trees where they hold many.
"""

from __future__ import annotations

import time

from memtool.core import digest as page
from memtool.core import document
from memtool.core.changes import (
    DAY,
    MAX_SIMILAR,
    Commit,
    Dating,
    Edges,
    Split,
    advance,
    identical,
    midnight,
    similar,
    walk,
)
from memtool.core.config import Config
from memtool.core.digest import Facts, Move
from memtool.edge.history import Differences, Log, Point, edges, touching
from memtool.edge.plumbing import Objects, raw_path
from memtool.jobs import ledger as ledgers
from memtool.jobs.ledger import Ledger

LOOK = 12
"""Commits after which it is guessed whether the windows' edges are far."""
FAR = 256
"""Commits from which on comparing trees is faster than adding up what each of them changed."""
MAX_READ = 1 << 20
"""Bytes of a file that is read for its description, or to find what it was before a rename."""
MAX_NAMED = 64
"""Paths that are named to git; more, and it lists all changes."""
AT_ONCE = 12
"""Files that are read together for their descriptions; two or three times that many fit on the page."""
LEAST_LINE = 48
"""Bytes; lines are a little longer at least, so this bounds how many there can be."""


def empty(config: Config, point: Point, *, hidden: str) -> bytes:
    """Give the digest where there is no commit: none yet, or only ones older than a shallow clone's first day."""
    midnight(point.day)  # a day that is none is refused here as everywhere
    facts = Facts(point.day, point.agent, history=False, shallow=hidden)
    return page.compose(facts, config, lambda _: "").encode()


def make(root: str, config: Config, point: Point, log: Log, *, kept: bytes = b"") -> tuple[bytes, bytes]:
    """Give the digest at *point*, and what to hand in as *kept* for a later commit of the same day.

    *log* is that of the point's tip. *kept* is used where it fits, and makes no difference but in time.
    """
    start = midnight(point.day)
    starts = [start - days * DAY for days in (config.digest_days, config.digest_project_days)]
    earlier = ledgers.read(kept)
    log.keep(earlier.log if earlier else b"")
    with Objects(root) as objects:
        objects.start()
        ledger = _followed(log, config, point, starts, earlier) or _surveyed(root, config, point, starts)
        maker = _Maker(root, config, ledger, objects)
        maker.date(log, start=min(starts), cut=point.cut)
        log.stop()
        text = maker.text(point)
    return text.encode(), ledgers.write(ledger.replace(descriptions=maker.descriptions, log=log.used()))


def _followed(log: Log, config: Config, point: Point, starts: list[int], earlier: Ledger | None) -> Ledger | None:
    """Add up what the first parents changed, back to the windows' edges or to *earlier*; None if that is a long way."""
    found = Edges(starts, point.cut)
    commits: list[Commit] = []
    oid = point.tip
    while oid and not found.done:
        # With all commits up to there inside, the votes of those behind count as they did for the earlier digest.
        if earlier and oid == earlier.tip and found.inside:
            ends, before, hidden = [len(commits)] * 2, earlier.before, earlier.hidden
            files, projects = earlier.files, earlier.projects
            break
        if len(commits) >= FAR or (len(commits) == (FAR // 4 if earlier else LOOK) and _is_far(commits, min(starts))):
            return None
        commits.append(log[oid])
        found.add(oid, commits[-1].committed)
        oid = next(iter(commits[-1].parents), "")
    else:
        ends, before, hidden = [split.at for split in found.splits], found.before(), found.hidden()
        files, projects = {}, {}
    return Ledger(
        point.tip,
        before,
        hidden,
        advance(files, reversed(commits[: ends[0]]), config.is_memory),
        advance(projects, reversed(commits[: ends[1]]), lambda path: _in_project(config, path)),
        earlier.descriptions if earlier else {},
    )


def _is_far(commits: list[Commit], start: int) -> bool:
    """Guess that *start* lies far behind *commits*; the newest of a few times counts, lest one clock is behind."""
    reached = commits[0].committed - max(commit.committed for commit in commits[-4:])
    return reached * FAR < (commits[0].committed - start) * len(commits)


def _surveyed(root: str, config: Config, point: Point, starts: list[int]) -> Ledger:
    """Compare the trees at both ends of each window."""
    found = edges(root, point.tip, starts, point.cut)
    short, long = found.before()
    with (
        Differences(root, short, point.tip) as files,
        Differences(root, long, point.tip, config.projects) as projects,
    ):
        return Ledger(
            point.tip,
            (short, long),
            found.hidden(),
            {path: (old, new) for path, old, new in files if old != new and config.is_memory(path)},
            {path: (old, new) for path, old, new in projects if old != new and _in_project(config, path)},
            {},
        )


def _in_project(config: Config, path: str) -> bool:
    return bool(config.project_of(path)) and config.is_memory(path)


class _Maker:
    """Puts the facts of one digest together: dates, renames, descriptions."""

    def __init__(self, root: str, config: Config, ledger: Ledger, objects: Objects) -> None:
        self.root = root
        self.config = config
        self.ledger = ledger
        self.objects = objects
        self.descriptions: dict[bytes, str] = {}
        self._contents: dict[bytes, bytes] = {}
        self._near: list[bytes] = []
        room = config.digest_budget // LEAST_LINE + 1
        self.files = Dating({path: path for path in ledger.files}, room=room)
        self.projects = Dating({path: config.project_of(path) for path in ledger.projects}, room=room)

    def date(self, log: Log, *, start: int, cut: frozenset[str]) -> None:
        """Find who moved what and when, in as few commits as it takes; *start* is where the longer window begins."""
        edge = Split(start)
        datings = (self.files, {self.ledger.before[0]}), (self.projects, {self.ledger.before[1]})
        for commit in walk(self.ledger.tip, log.__getitem__) if self.ledger.files or self.ledger.projects else ():
            for dating, behind in datings:
                if commit.oid in behind:  # the state before the window, and what led to it
                    behind.update(commit.parents)
                else:
                    dating.add(commit)
            edge.add(commit.committed)
            if self._enough(commit.committed):
                return
            if edge.done:
                break
        # What is left was changed before the windows and merged in them, or by merges and housekeeping alone.
        for dating, base in zip((self.files, self.projects), self.ledger.before, strict=True):
            if paths := list(dating.undated()):
                named = paths if len(paths) <= MAX_NAMED else []
                for commit in touching(self.root, self.ledger.tip, base, named, cut):
                    dating.add(commit)
            dating.settle()

    def _enough(self, now: int) -> bool:
        """Tell whether all lines that can be written are known; where files fill the page, projects have a share."""
        crowded = self.files.lines(now) >= self.files.room
        room = self.projects.room // page.SHARE + 1 if crowded else self.projects.room
        return (crowded or self.files.done) and (self.projects.done or self.projects.lines(now) >= room)

    def text(self, point: Point) -> str:
        """Write the digest."""
        listed, pairs = self._moved_files(point.day)
        projects = self._moved_projects(point.day)
        self._near = [
            move.oid
            for found in (projects, listed)
            for move in page.candidates(found, self.config.digest_budget)
            if move.oid and move.oid not in self.ledger.descriptions
        ]
        facts = Facts(
            point.day,
            point.agent,
            files=tuple(listed),
            projects=tuple(projects),
            older_files=len(self.ledger.files) - pairs - len(listed) - len(self.files.chores),
            older_projects=len(set(self.projects.wanted.values())) - len(projects) - len(self.projects.chores),
            shallow=_date(self.ledger.hidden) if self.ledger.hidden else "",
        )
        return page.compose(facts, self.config, self._describe)

    def _moved_files(self, day: str) -> tuple[list[Move], int]:
        """Give the files that moved, newest first, and how many of them are renames."""
        table, renamed = self.ledger.files, identical(self.ledger.files)
        listed = page.moves(table, self.files.found, renamed, day)
        near = page.candidates(listed, self.config.digest_budget)
        gone = {move.path: table[move.path][0] for move in near if move.kind == "removed"}
        came = {move.path: move.oid for move in near if move.kind == "new"}
        if gone and came:
            more = self._similar(gone, came)
            renamed |= more
            listed = page.moves(table, self.files.found, renamed, day) if more else listed
        return listed, len(renamed)

    def _similar(self, gone: dict[str, bytes], came: dict[str, bytes]) -> dict[str, str]:
        gone, came = (dict(sorted(side.items())[:MAX_SIMILAR]) for side in (gone, came))
        self._fetch([*gone.values(), *came.values()])
        return similar(
            {path: self._contents[oid] for path, oid in gone.items()},
            {path: self._contents[oid] for path, oid in came.items()},
        )

    def _moved_projects(self, day: str) -> list[Move]:
        """Give the projects that moved, newest first."""
        found = [Move(project, "", "", b"", commit, "project") for project, commit in self.projects.found.items()]
        found = page.newest_first(found, day)
        near = {move.path: move for move in page.candidates(found, self.config.digest_budget)}
        bulk = {move.path: move for group in page.fold(found) if len(group) > 1 for move in group}
        kinds = self._kinds([*near, *bulk])
        faces = self._faces([move for path, move in near.items() if kinds[path] != "removed"])
        return [move.replace(kind=kinds.get(move.path, ""), oid=faces.get(move.path, b"")) for move in found]

    def _kinds(self, projects: list[str]) -> dict[str, str]:
        """Tell which of *projects* are new or removed: all that changed in them is, and nothing else is in them."""
        before: dict[str, bytes] = dict.fromkeys(projects, b"")
        now = before.copy()
        for path, (old, new) in self.ledger.projects.items():
            project = self.projects.wanted[path]
            if project in before:
                before[project], now[project] = before[project] or old, now[project] or new
        base, tip = self.ledger.before[1], self.ledger.tip
        came = [(base, project) for project, oid in before.items() if base and not oid]
        gone = [(tip, project) for project, oid in now.items() if not oid]
        there = self._there(came + gone)
        kinds = dict.fromkeys(projects, "")
        kinds |= {project: "new" for project in projects if not before[project] and (base, project) not in there}
        return kinds | {project: "removed" for project in projects if not now[project] and (tip, project) not in there}

    def _faces(self, moves: list[Move]) -> dict[str, bytes]:
        """Find the blob that describes each project: its one file, its README, or what changed in it last.

        A file that moved in the shorter window has a line of its own; its description is not repeated.
        """
        tip, table = self.ledger.tip, self.ledger.projects
        there = self._there([(tip, f"{move.path}/README.md") for move in moves if move.path not in table])
        found = {}
        for move in moves:
            quiet = (
                new
                for path, _, new in move.commit.changes
                if self.projects.wanted.get(path) == move.path and path not in self.ledger.files
            )
            readme = there.get((tip, f"{move.path}/README.md"), b"")
            found[move.path] = table[move.path][1] if move.path in table else readme or next(filter(None, quiet), b"")
        return found

    def _there(self, asked: list[tuple[str, str]]) -> dict[tuple[str, str], bytes]:
        """Find which of (commit, path) exist, and their ids; a path that holds a line end is taken for there."""
        plain = [pair for pair in asked if "\n" not in pair[1]]
        answers = self.objects.info([b"%s:%s" % (commit.encode(), raw_path(path)) for commit, path in plain])
        there = {pair: answer[0] for pair, answer in zip(plain, answers, strict=True) if answer}
        return {pair: b"" for pair in asked if "\n" in pair[1]} | there

    def _fetch(self, oids: list[bytes]) -> None:
        """Read many blobs in two rounds; what is too large to be read at a start, or missing, counts as empty."""
        new = [oid for oid in dict.fromkeys(oids) if oid and oid not in self._contents]
        answers = self.objects.info(new)
        small = [oid for oid, answer in zip(new, answers, strict=True) if answer and answer[2] <= MAX_READ]
        self._contents |= dict.fromkeys(new, b"")
        for oid, data in zip(small, self.objects.contents(small), strict=True):
            self._contents[oid] = data or b""

    def _describe(self, move: Move) -> str:
        known = self.ledger.descriptions.get(move.oid)
        if known is None:
            if move.oid not in self._contents:
                at = self._near.index(move.oid) if move.oid in self._near else len(self._near)
                self._fetch([move.oid, *self._near[at : at + AT_ONCE]])
            read = document.read(self._contents[move.oid])
            known = page.plain(read.description or read.title)
        self.descriptions[move.oid] = known
        return known


def _date(seconds: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(min(seconds, 253402300799)))
