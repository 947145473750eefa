"""Commits as `log` reads them, and where the files of one came from."""

from __future__ import annotations

from _collections_abc import Callable, Iterable

from memtool.core.changes import MAX_SIMILAR, Table, identical, similar
from memtool.model import Record

SPLIT = "split"
Read = Callable[[bytes], bytes]
"""Gives the content of a blob; empty for one that is no text to be read."""


class Commit(Record):
    """One commit and what it says of itself."""

    oid: str
    parents: tuple[str, ...]
    tree: str
    date: str
    """The author's day, UTC: ``2026-09-21``."""
    author: str
    subject: str
    op: str
    """The trailer ``Memory-Op``; empty in a commit that memtool did not make."""
    agent: str
    """The trailer ``Memory-Agent``, or nothing."""
    hashes: frozenset[str]
    """The trailer ``Memory-Hash``: the entries that it wrote."""
    source: bytes
    """The blob of the file that it split, or nothing."""
    changes: Table
    """Against its parent; of a merge, only what differs from each of its parents, before as the first has it."""
    cut: bool
    """Whether this clone is shallow and lacks its parents: it only seems to add every file."""

    @property
    def is_merge(self) -> bool:
        return len(self.parents) > 1


def parts(source: bytes, table: Table) -> dict[str, str]:
    """Map the files that the split of the blob *source* made to the path that it had."""
    paths = [path for path, (old, _) in table.items() if old and old == source]
    return {path: paths[0] for path, (old, _) in table.items() if paths and not old}


class Moves:
    """Where the files that a commit seems to add came from; *read* gives contents, to find what was edited too."""

    def __init__(self, commits: Iterable[Commit], read: Read) -> None:
        self._read = read
        self._parts: dict[str, str] = {}
        for commit in commits:
            if commit.op == SPLIT:
                self._parts |= parts(commit.source, commit.changes)

    def of(self, commit: Commit, table: Table) -> dict[str, str]:
        """Map the new paths in *table*, what *commit* changed against one parent, to old ones, as the digest does."""
        if commit.op == SPLIT:
            return parts(commit.source, table)
        found = identical(table) | (self._split_before(table) if commit.is_merge else {})
        gone = {path: old for path, (old, new) in table.items() if not new and path not in found.values()}
        came = {path: new for path, (old, new) in table.items() if not old and path not in found}
        return found | similar(self._contents(gone), self._contents(came)) if gone and came else found

    def _split_before(self, table: Table) -> dict[str, str]:
        """Find the parts that a merge brings to a side which knows only the file they were split from."""
        new = (path for path, (old, _) in table.items() if not old)
        return {path: self._parts[path] for path in new if table.get(self._parts.get(path, ""), (b"", b""))[0]}

    def _contents(self, side: dict[str, bytes]) -> dict[str, bytes]:
        return {path: self._read(oid) for path, oid in sorted(side.items())[:MAX_SIMILAR]}
