"""Which commit and agent wrote an entry: read from history as it grows, looked up where it was kept, never by blame.

A commit of memtool's names by hash the entries that it wrote; of any other only the files are known. Commits are
added up in the order of git's history, what a merge brings in just before it, never by clocks; so what was kept and
carried on says the same as what is read from nothing.
"""

from __future__ import annotations

import os
from _collections_abc import Iterator

from memtool.core.changes import HOUSEKEEPING, Table, identical
from memtool.core.log.commit import SPLIT, parts
from memtool.edge import cache
from memtool.edge.history import log_command, log_entries, raw_change, trailer
from memtool.edge.location import common_dir, head, read_line
from memtool.edge.plumbing import GitError, git, path_of, raw_path, records
from memtool.model import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

_LOG = log_command(
    "%n".join(("%H %P", "%as", "%an", *map(trailer, ("Op", "Agent", "Hash", "Source")))),
    "--topo-order",
    "--reverse",
    "--diff-merges=first-parent",
)
_NAME, _VERSION = "provenance", "provenance-1"

_NO_ENTRY = HOUSEKEEPING | {SPLIT, "relink"}
"""Values of the trailer ``Memory-Op`` of commits whose agent is the author of no entry."""

_NAMED, _CHANGED, _TOUCHED, _MOVED = "n", "c", "t", "m"
"""What is kept: by hash and path who wrote an entry; by path who changed the file, who did only if nobody else did (a
merge, or a commit that says what it wrote), and the path that it was moved from."""

_Kept = dict[str, str]
"""Kind and what it is about, to what is known: a path, or commit, date and agent with a blank between."""


class Origin(Record):
    """Where an entry comes from."""

    commit: str
    agent: str
    """The trailer ``Memory-Agent``, else the author's name."""
    date: str
    """The author's day, in the author's time zone: ``2026-09-21``."""
    exact: bool
    """Whether the commit names this entry by its hash; else it is the last that may have written it, by its file."""


class Provenance:
    """Who wrote the entries of one commit's files."""

    def __init__(self, kept: bytes) -> None:
        self._kept = kept

    @classmethod
    def load(cls, root: str) -> Self:
        """Read what is known of the history behind HEAD, carried on where HEAD has moved, or made from nothing.

        Raises GitError where git cannot read that history.
        """
        tip, shallow = head(root), read_line(os.path.join(common_dir(root), "shallow"))
        stamp = [tip.encode(), shallow.encode("utf-8", "surrogateescape")]
        sections = cache.load(root, _NAME, _VERSION)
        if not tip or sections[:2] == stamp:
            return cls(sections[2] if tip else b"")
        cut = frozenset(shallow.split())
        known = _carried_on(root, tip, cut, sections) if sections[1:2] == stamp[1:] else None
        kept = _packed(_from_nothing(root, tip, cut) if known is None else known)
        cache.save(root, _NAME, _VERSION, (*stamp, kept))
        return cls(kept)

    def origin(self, path: str, entry_hash: str) -> Origin | None:
        """Tell where the entry of *path* with *entry_hash* comes from; None where no commit in this clone tells."""
        for name in self._names(path):
            if said := self._get(_NAMED + entry_hash + name):
                return _origin(said, exact=True)
        said = self._get(_CHANGED + path) or self._get(_TOUCHED + path)
        return _origin(said, exact=False) if said else None

    def _names(self, path: str) -> Iterator[str]:
        """Yield *path* and where its entries were before, the latest first."""
        seen = set[str]()
        while path and path not in seen:
            yield path
            seen.add(path)
            path = self._get(_MOVED + path)

    def _get(self, key: str) -> str:
        """Find what is kept without reading the rest of it; empty where nothing is."""
        mark = b"\0\0%b\0" % raw_path(key)
        at = self._kept.find(mark)
        start = at + len(mark)
        return path_of(self._kept[start : self._kept.index(b"\0", start)]) if at >= 0 else ""


def _origin(said: str, *, exact: bool) -> Origin:
    commit, date, agent = said.split(" ", 2)
    return Origin(commit, agent, date, exact)


def _packed(kept: _Kept) -> bytes:
    return raw_path("".join(f"\0\0{key}\0{said}" for key, said in kept.items()) + "\0")


def _unpacked(data: bytes) -> _Kept:
    pairs = path_of(data)[2:-1].split("\0\0")
    return dict(pair.split("\0") for pair in pairs if pair)


# --- history ---------------------------------------------------------------------------------------------------------


class _Commit(Record):
    """What one commit tells of the entries that it wrote."""

    oid: str
    parents: tuple[str, ...]
    said: str
    """The commit, its date and its agent, as they are kept."""
    operation: str
    hashes: tuple[str, ...]
    source: bytes
    """The blob of the file that it split, or nothing."""
    changes: Table

    @property
    def is_merge(self) -> bool:
        return len(self.parents) > 1

    @property
    def is_weak(self) -> bool:
        """Tell a commit that has not written what else stands in its files."""
        return self.is_merge or self.operation in _NO_ENTRY or bool(self.hashes)

    def moved(self) -> dict[str, str]:
        """Find the files whose text was elsewhere before: new path to old path; a merge repeats what others moved."""
        if self.is_merge:
            return {}
        if self.operation == SPLIT:
            return parts(self.source, self.changes)
        return identical(self.changes)


def _from_nothing(root: str, tip: str, cut: frozenset[str]) -> _Kept:
    kept: _Kept = {}
    for commit in _commits(root, tip):
        _add(kept, commit, cut)
    return kept


def _carried_on(root: str, tip: str, cut: frozenset[str], sections: list[bytes]) -> _Kept | None:
    """Carry on what was kept for an earlier commit; None where that would not be what is read from nothing."""
    base, kept = sections[0].decode(), _unpacked(sections[2])
    start = _start(root, base, tip)
    if not start:
        return None
    for commit in _commits(root, f"^{start}", tip):
        if start != base and commit.moved():
            return None
        _add(kept, commit, cut)
    return kept


def _start(root: str, base: str, tip: str) -> str:
    """Find the commit behind which all that *base* lacks of *tip* is added; empty where *tip* does not grow from it.

    That is *base*, or where a merge puts it second, the fork. What was added since the fork is then added once more,
    in its new place, which is right so long as no file was moved: all else says the same whatever was known before.
    """
    try:
        lines = git(root, "rev-list", "--parents", "--end-of-options", f"^{base}", tip).decode().splitlines()
    except GitError:  # the earlier commit is no longer there
        return ""
    parents = {oid: above for oid, *above in map(str.split, lines)}
    if not any(base in above for above in parents.values()):
        return ""
    start = tip
    while start in parents:
        start = parents[start][0] if parents[start] else ""
    return start


def _commits(root: str, *revisions: str) -> Iterator[_Commit]:
    """Yield commits, parents before their children."""
    for oid, (header, *fields) in log_entries(records(root, *_LOG, "--end-of-options", *revisions, "--")):
        ids, date, author, operation, agent, hashes, source = header.decode("utf-8", "replace").split("\n")
        changes = {path: (old, new) for path, old, new in map(raw_change, fields[::2], fields[1::2])}
        yield _Commit(
            oid,
            tuple(ids.split(" ")[1:]),
            f"{oid} {date} {agent.strip() or author}",
            operation,
            tuple(filter(_is_hash, hashes.split())),
            source.partition(" ")[0].encode(),
            changes,
        )


def _is_hash(word: str) -> bool:
    return len(word) == 6 and all(char in "0123456789abcdef" for char in word)


def _add(kept: _Kept, commit: _Commit, cut: frozenset[str]) -> None:
    """Add the next commit; one whose parents are cut off seems to add every file, so only what it names counts."""
    written = [path for path, (_, new) in commit.changes.items() if new]
    kept |= {_NAMED + name + path: commit.said for name in commit.hashes for path in written}
    if commit.oid in cut:
        return
    moved = commit.moved()
    before = {kind + path: kept.get(kind + old, "") for path, old in moved.items() for kind in (_CHANGED, _TOUCHED)}
    kind = _TOUCHED if commit.is_weak else _CHANGED
    for path in written:
        if not commit.is_merge and not commit.changes[path][0]:
            _forget(kept, path)
        if path not in moved:
            kept[kind + path] = commit.said
    kept |= {_MOVED + path: old for path, old in moved.items()}
    kept |= {key: said for key, said in before.items() if said}


def _forget(kept: _Kept, path: str) -> None:
    """Drop what was known of an earlier file of that name."""
    for kind in (_CHANGED, _TOUCHED, _MOVED):
        kept.pop(kind + path, None)
