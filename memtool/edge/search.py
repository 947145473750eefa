"""The search cache: SQLite's full-text index of all entries, kept under the git directory.

The file is never changed in place: a change is made in memory and written whole, so that a reader needs no lock and a
writer waits for nobody. Its time of change is set to a fixed one, as a seal: whatever else writes to it breaks that.
"""

from __future__ import annotations

import os
import sqlite3
from _collections_abc import Iterable, Iterator, Sequence
from unicodedata import unidata_version
from zlib import compress, decompress, error

from memtool import __version__
from memtool.core.recall.fields import Fields, Searched
from memtool.core.recall.query import Query
from memtool.core.recall.rank import Candidate, Corpus
from memtool.core.recall.terms import JOINERS, is_unspaced, terms
from memtool.edge.files import write_atomically
from memtool.edge.plumbing import path_of, raw_path
from memtool.errors import MemtoolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

_VERSION = f"search-1 {__version__} {unidata_version}"
_SEAL = 946_684_800 * 10**9
"""Nanoseconds from 1970 to 2000."""
_PATIENCE = 0.1
"""Seconds to wait for another program that holds the file."""
_BATCH = 50
"""How many candidates are ranked together."""
_ROUTES, _OF_ROUTE = 3, 10
"""How many files join the first of them by what they say of themselves, and with how many entries each."""
_FTS = f"""content='', tokenize="ascii tokenchars '{JOINERS}'\""""
_SCHEMA = f"""
PRAGMA page_size = 8192;
CREATE TABLE state (version TEXT, tree BLOB);
CREATE TABLE files (id INTEGER PRIMARY KEY, path BLOB UNIQUE, oid BLOB, entries INT, terms INT);
CREATE TABLE texts (id INTEGER PRIMARY KEY, text BLOB);
CREATE VIRTUAL TABLE entries USING fts5(heading, text, {_FTS});
CREATE VIRTUAL TABLE routes USING fts5(about, {_FTS});
"""

DAMAGE = (sqlite3.Error, error, ValueError, TypeError, IndexError)
"""What reading a cache can raise that is not as it was written."""


class Index:
    """The full-text index of one tree: in memory, or as it was kept."""

    def __init__(self, base: sqlite3.Connection) -> None:
        self._base = base

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._base.close()

    def state(self) -> bytes:
        """Give the state of the tree that this is the index of; nothing where it had none."""
        return bytes(self._one("SELECT tree FROM state")[0])

    def files(self) -> dict[str, bytes]:
        """Map the path of each file to the id that git has, or would have, for its bytes."""
        return {path_of(path): oid for path, oid in self._base.execute("SELECT path, oid FROM files")}

    def oid(self, path: str) -> bytes:
        """Give the id of the bytes that were indexed of the file at *path*."""
        return bytes(self._one("SELECT oid FROM files WHERE path = ?", raw_path(path))[0])

    def corpus(self, query: Query) -> Corpus:
        """Count the entries, and those that hold each of the terms asked for."""
        entries, size = self._one("SELECT total(entries), total(terms) FROM files")
        return Corpus(int(entries), max(1.0, size / max(1.0, entries)), self._found("entries", query))

    def route_corpus(self, query: Query) -> Corpus:
        """Count the files, and those that say of themselves each of the terms asked for."""
        return Corpus(self._one("SELECT count(*) FROM files")[0], 1.0, self._found("routes", query))

    def _found(self, table: str, query: Query) -> dict[str, int]:
        count = f"SELECT count(*) FROM {table} WHERE {table} MATCH ?"  # noqa: S608 (a name of ours)
        return {term: self._one(count, _any_of([term]))[0] for term in query.terms}

    def candidates(self, wanted: Sequence[str], told: Sequence[str]) -> Iterator[list[Candidate]]:
        """Yield entries that hold any of the *wanted* terms, in batches, the likeliest first.

        The first entries of the files that say of themselves any of *told* are in the first batch.
        """
        query = "SELECT rowid FROM entries WHERE entries MATCH ? AND rank MATCH 'bm25(3.0, 1.0)' ORDER BY rank"
        found = self._base.execute(query, (_any_of(wanted),))
        batch = [row for (row,) in found.fetchmany(_BATCH)]
        batch += [row for rows in self._routed(told, _ROUTES) for row in rows[:_OF_ROUTE]]
        given: set[int] = set()
        while batch:
            new = [row for row in dict.fromkeys(batch) if row not in given]
            yield list(self._candidates(new))
            given.update(new)
            batch = [row for (row,) in found.fetchmany(_BATCH)]

    def routes(self, wanted: Sequence[str]) -> list[Candidate]:
        """List the files that say of themselves what is *wanted*, likeliest first."""
        files = (self._file(rows.start) for rows in self._routed(wanted, _BATCH))
        return [Candidate((path, 0), "", "", text.about, 1) for path, _, text in files]

    def _routed(self, wanted: Sequence[str], most: int) -> list[range]:
        """List the rows of each of the *most* files that likeliest say of themselves what is *wanted*."""
        query = (
            "SELECT id, entries FROM routes JOIN files ON id = routes.rowid WHERE routes MATCH ? ORDER BY rank LIMIT ?"
        )
        return [range(first, first + number) for first, number in self._base.execute(query, (_any_of(wanted), most))]

    def _candidates(self, rows: Iterable[int]) -> Iterator[Candidate]:
        path, held, text = "", range(0), Searched("", ())
        for row in sorted(rows):
            if row not in held:
                path, held, text = self._file(row)
            item = text.entries[row - held.start]
            yield Candidate(
                (path, row - held.start), f"{text.about} {item.above}", item.heading, item.text, item.length
            )

    def _file(self, row: int) -> tuple[str, range, Searched]:
        """Give the file to which a *row* belongs: its path, its rows and what is searched of it."""
        query = "SELECT id, entries, path, text FROM files JOIN texts USING (id) WHERE id <= ? ORDER BY id DESC LIMIT 1"
        first, number, path, text = self._one(query, row)
        return path_of(path), range(first, first + number), _unpacked(text)

    def _one(self, query: str, *values: object) -> tuple[Any, ...]:
        found: tuple[Any, ...] = self._base.execute(query, values).fetchone()
        return found

    # --- change ------------------------------------------------------------------------------------------------------

    def load(self) -> None:
        """Take the index into memory, where it can be changed."""
        base = sqlite3.connect(":memory:")
        base.deserialize(self._base.serialize())  # `backup` would wait without end for who holds the file
        self._base.close()
        self._base = base

    def put(self, path: str, oid: bytes, text: Searched) -> None:
        """Take in a file whose bytes have the id *oid*, in place of what the index held of it."""
        self.drop(path)
        last = self._base.execute("SELECT id, entries FROM files ORDER BY id DESC LIMIT 1").fetchone()
        first = sum(last) + 1 if last else 1
        size = sum(item.length for item in text.entries)
        values = (first, raw_path(path), oid, len(text.entries), size)
        self._base.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?)", values)
        self._base.execute("INSERT INTO texts VALUES (?, ?)", (first, _packed(text)))
        self._base.executemany("INSERT INTO entries (rowid, heading, text) VALUES (?, ?, ?)", _rows(first, text))
        self._base.execute("INSERT INTO routes (rowid, about) VALUES (?, ?)", (first, _cut(text.about)))

    def drop(self, path: str) -> None:
        """Take a file out, if it is in."""
        found = self._base.execute("SELECT id FROM files WHERE path = ?", (raw_path(path),)).fetchone()
        if found is None:
            return
        (first,) = found
        _, _, text = self._file(first)  # FTS5 holds no text, and takes out only what it is told
        delete = "INSERT INTO entries (entries, rowid, heading, text) VALUES ('delete', ?, ?, ?)"
        self._base.executemany(delete, _rows(first, text))
        delete = "INSERT INTO routes (routes, rowid, about) VALUES ('delete', ?, ?)"
        self._base.execute(delete, (first, _cut(text.about)))
        self._base.execute("DELETE FROM files WHERE id = ?", found)
        self._base.execute("DELETE FROM texts WHERE id = ?", found)

    def settle(self, state: bytes) -> None:
        """Note the *state* of the tree that this is now the index of."""
        self._base.execute("UPDATE state SET tree = ?", (state,))

    def tidy(self) -> None:
        """Give back the room that the making of a new index took."""
        self._base.commit()
        self._base.execute("VACUUM")

    def keep(self, place: str) -> None:
        """Write the index to *place*; one that cannot be written is no error, the next run is only slower."""
        self._base.commit()
        try:
            write_atomically(place, self._base.serialize())
            os.utime(place, ns=(_SEAL, _SEAL))
        except (MemtoolError, OSError):
            return


def new() -> Index:
    """Make an empty index, in memory; raises MemtoolError where this Python's SQLite has no full-text search."""
    base = sqlite3.connect(":memory:")
    try:
        base.executescript(_SCHEMA)
    except sqlite3.OperationalError as why:
        raise MemtoolError(f"the SQLite of this Python cannot search text ({why})", hint="It needs FTS5.") from why
    base.execute("INSERT INTO state VALUES (?, x'')", (_VERSION,))
    base.commit()
    return Index(base)


def kept(place: str) -> Index | None:
    """Open the index at *place*; None where there is none, its seal is broken, or another version made it."""
    try:
        if os.stat(place).st_mtime_ns != _SEAL:
            return None
        base = sqlite3.connect(os.fsencode(place), timeout=_PATIENCE)
    except (OSError, *DAMAGE):
        return None
    try:
        version = base.execute("SELECT version FROM state").fetchone()
    except DAMAGE:
        version = None
    if version == (_VERSION,):
        return Index(base)
    base.close()
    return None


def _any_of(wanted: Iterable[str]) -> str:
    """Write what FTS5 looks for: each term quoted; a character that stands alone, by how a pair starts."""
    quoted = (f'"{term}"*' if len(term) == 1 and is_unspaced(term) else f'"{term}"' for term in wanted)
    return " OR ".join(quoted) or '""'


def _rows(first: int, text: Searched) -> Iterator[tuple[int, str, str]]:
    return ((row, _cut(item.heading), _cut(item.text)) for row, item in enumerate(text.entries, start=first))


def _cut(folded: str) -> str:
    return " ".join(terms(folded))


def _packed(text: Searched) -> bytes:
    lines = (f"{item.above}\t{item.heading}\t{item.text}\t{item.length}" for item in text.entries)
    return compress("\n".join((text.about, *lines)).encode(), 9)


def _unpacked(data: bytes) -> Searched:
    about, *lines = decompress(data).decode().split("\n")
    parts = (line.split("\t") for line in lines)
    return Searched(about, tuple(Fields(above, head, text, int(size)) for above, head, text, size in parts))
