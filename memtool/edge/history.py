"""What git tells about the past: the edge of a window, what differs between commits, who changed what and when.

A question here is one process that is read as it writes and ended as soon as enough is known; several can run at once.
"""

from __future__ import annotations

import os
from _collections_abc import Iterable, Iterator, Sequence

from memtool.core.changes import Commit, Edges, midnight
from memtool.edge.plumbing import EMPTY_TREE, Process, path_of
from memtool.errors import MemtoolError
from memtool.model import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self


def trailer(key: str) -> str:
    """Give how `git log` is asked for the trailer ``Memory-KEY``: on one line, empty where there is none."""
    return f"%(trailers:key=Memory-{key},valueonly,unfold,separator=%x20)"


def log_command(form: str, *options: str) -> tuple[str, ...]:
    """Give the words of a `git log` that prints *form* and the changes of each commit, whatever the user has set."""
    settings = ("trailer.separators=:", "core.commentChar=#")  # with another one a trailer is none, or a line one
    shape = ("--raw", "--no-abbrev", "-z", "--no-renames", "--root")
    plain = ("--no-show-signature", "--no-color", "--no-notes", "--encoding=UTF-8")
    return (*(word for one in settings for word in ("-c", one)), "log", *shape, *plain, *options, f"--format={form}")


_LOG = log_command(
    f"%H %P%n%ct %at %as%n%an%n{trailer('Op')}%n{trailer('Agent')}",
    "--diff-merges=first-parent",
)


class Point(Record):
    """Of which state of which clone a digest is, for whom."""

    tip: str
    """A commit; empty before the first one."""
    day: str
    """``2026-09-21``, UTC."""
    agent: str
    cut: frozenset[str]
    """The commits whose parents a shallow clone lacks."""


def as_of(root: str, point: Point) -> tuple[Point, str]:
    """Go back from *point* to the first parent that was the tip at the end of its day, by the zones of the committers.

    Empty where there was none; then the day of the oldest commit is given too, if a shallow clone hides what was.
    """
    midnight(point.day)  # refuses what is no date
    after = _number(point.day.encode()) + 1
    if not point.tip:
        return point, ""
    found = edges(root, point.tip, [after], point.cut, times=("--no-commit-header", "--format=%cs %H"))
    hidden = f"{found.hidden():08}" if found.hidden() else ""
    days = hidden and f"{hidden[:-4]}-{hidden[-4:-2]}-{hidden[-2:]}"
    return point.replace(tip="" if hidden else found.before()[0]), days


def _number(time: bytes) -> int:
    """Read a time in seconds, or a day, whose digits make a number that sorts as days do."""
    return int(time.replace(b"-", b""))


_ENVIRONMENT = {
    "GIT_LITERAL_PATHSPECS": "1",  # a path is a path, and no other reading of it may be set beside this one
    "GIT_GLOB_PATHSPECS": "0",
    "GIT_NOGLOB_PATHSPECS": "0",
    "GIT_ICASE_PATHSPECS": "0",
}


def edges(
    root: str, tip: str, starts: Iterable[int], cut: frozenset[str], *, times: Sequence[str] = ("--timestamp",)
) -> Edges:
    """Find where the first parents of *tip* cross *starts*; git is ended as soon as that is sure."""
    found = Edges(starts, cut)
    with _process(root, "rev-list", "--first-parent", *times, "--end-of-options", tip) as process:
        rest = b""
        for data in process.chunks():
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                time, _, oid = line.partition(b" ")
                found.add(oid.decode(), _number(time))
                if found.done:
                    return found
    return found


class Differences:
    """What differs between two commits, below *folders* or anywhere; git starts at once, so two can run together."""

    def __init__(self, root: str, base: str, tip: str, folders: Iterable[str] = ()) -> None:
        ends = (base or EMPTY_TREE[len(tip)], tip)
        self._process = _process(root, "diff-tree", "-r", "-z", "--raw", "--no-renames", *ends, "--", *folders)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._process.__exit__()

    def __iter__(self) -> Iterator[tuple[str, bytes, bytes]]:
        """Yield (path, blob before, blob now)."""
        fields = _fields(self._process)
        return (raw_change(field, next(fields)) for field in fields)


class Log:
    """The commits behind *tip*, read from one `git log` as far as they are asked for.

    *cut* are the commits whose parents a shallow clone lacks. git prints commits in about the order in which they are
    asked for, so little is read that is not needed. *few* says that only some will be: then git prints one by one.
    """

    def __init__(self, root: str, tip: str, cut: frozenset[str], *, few: bool = False) -> None:
        self._cut = cut
        self._process = _process(root, *_LOG, "--end-of-options", tip, flush=few)
        self._stream = log_entries(_fields(self._process))
        self._kept: dict[str, list[bytes]] = {}
        self._read: dict[str, list[bytes]] = {}
        self._commits: dict[str, Commit] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._process.__exit__()

    def stop(self) -> None:
        """Read no further: git would fill the pipe with commits that nobody asks for."""
        self._process.stop()

    def keep(self, kept: bytes) -> None:
        """Take what an earlier Log gave by `used`: it need not be read again."""
        self._kept = dict(log_entries(iter(kept.split(b"\0")))) if kept else {}

    def __getitem__(self, oid: str) -> Commit:
        """Give one commit, reading on until git has printed it."""
        if oid not in self._commits:
            if oid not in self._kept and oid not in self._read:
                self._read_on(oid)
            self._commits[oid] = _commit(self._read.get(oid) or self._kept[oid], self._cut)
        return self._commits[oid]

    def _read_on(self, wanted: str) -> None:
        for oid, entry in self._stream:
            self._read[oid] = entry
            if oid == wanted:
                return
        raise MemtoolError(f"git log does not show the commit {wanted}", hint="Run `git fsck`.")

    def used(self) -> bytes:
        """Give all commits that were asked for, for a later Log."""
        return b"\0".join(field for oid in self._commits for field in self._read.get(oid) or self._kept[oid])


def touching(root: str, tip: str, base: str, paths: Sequence[str], cut: frozenset[str]) -> Iterator[Commit]:
    """Yield the commits of *tip* that *base* lacks and that may have changed *paths* (all, where none is named)."""
    limits = (f"^{base}", tip) if base else (tip,)
    specs = ("--full-history", "--parents", "--", *paths) if paths else ("--",)
    with _process(root, *_LOG, *limits, *specs) as process:
        for _, entry in log_entries(_fields(process)):
            yield _commit(entry, cut)


def _process(root: str, *args: str, flush: bool = False) -> Process:
    return Process(root, *args, env=os.environ | _ENVIRONMENT | {"GIT_FLUSH": "1" if flush else "0"})


def _fields(process: Process) -> Iterator[bytes]:
    rest = b""
    for data in process.chunks():
        *whole, rest = (rest + data).split(b"\0")
        yield from whole
    if rest:
        yield rest


def log_entries(fields: Iterator[bytes]) -> Iterator[tuple[str, list[bytes]]]:
    """Cut what `git log` prints into commits: (id, its fields), a header and then two fields for each change."""
    entry = [next(fields, b"")]
    for field in fields:
        if field.lstrip(b"\n").startswith(b":"):
            entry += (field, next(fields))
        else:
            yield entry[0][: entry[0].find(b" ")].decode(), entry
            entry = [field]
    if entry[0]:
        yield entry[0][: entry[0].find(b" ")].decode(), entry


def _commit(entry: list[bytes], cut: frozenset[str]) -> Commit:
    """Read one commit; one whose parents are cut off seems to add every file, which tells nothing."""
    ids, times, author, op, agent = entry[0].decode(errors="replace").split("\n", 4)
    oid, *parents = ids.split()
    committed, written, date = times.split()
    changes = () if oid in cut else tuple(map(raw_change, entry[1::2], entry[2::2]))
    return Commit(oid, tuple(parents), int(committed), int(written), date, agent.strip() or author, op, changes)


def raw_change(field: bytes, path: bytes) -> tuple[str, bytes, bytes]:
    return path_of(path), *_blobs(field)


def _blobs(field: bytes) -> tuple[bytes, bytes]:
    """Read ``:mode mode blob blob status``; the blob of a side that does not exist is empty."""
    _, _, old, new, _ = field.split(b" ")
    return old.strip(b"0") and old, new.strip(b"0") and new
