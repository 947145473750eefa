"""A file or an entry followed back through history, from each commit to each parent, under the name it has there."""

from __future__ import annotations

from _collections_abc import Callable, Iterable, Iterator, Sequence

from memtool.core.changes import Table
from memtool.core.log.commit import Commit, Moves
from memtool.model import Record


class Thing(Record):
    """A file or an entry in one state."""

    path: str
    content: bytes
    """The blob id of a file, or the bytes of an entry without the line ends behind it; empty where there is none."""
    slug: str = ""
    """Of an entry."""
    mark: bytes = b""
    """What a file must hold that holds the entry, where that is known of one that is not there."""


class Step(Record):
    """What one commit did to a thing."""

    commit: Commit
    was: Thing | None
    """As its first parent has it; None where a shallow clone does not tell."""
    now: Thing


State = tuple[Commit, Thing, list[Thing]]
"""A commit, a thing in it, and the thing in each of its parents; no such where a shallow clone lacks them."""
Before = Callable[[Thing, Commit, Table], Thing]
"""Gives a thing as it was in that parent of a commit against which the commit changed the table."""


def states(
    start: Thing, commits: Sequence[Commit], tables: Callable[[Commit], list[Table]], before: Before
) -> Iterator[State]:
    """Follow *start*, a thing in the first of *commits*, which come children before parents, to the roots."""
    wanted: dict[str, dict[Thing, None]] = {commits[0].oid: {start: None}}
    for commit in commits:
        for thing in wanted.pop(commit.oid, ()):
            was = [before(thing, commit, table) for table in tables(commit)]
            yield commit, thing, was
            for parent, one in zip(commit.parents, was, strict=False):  # a root has a table and no parent
                wanted.setdefault(parent, {})[one] = None


def steps(found: Iterable[State]) -> Iterator[Step]:
    """Keep what a commit changed; a merge, only where it made what none of its parents has."""
    for commit, now, was in found:
        if commit.cut and now.content:
            yield Step(commit, None, now)
        elif was and all(_differs(one, now) for one in was):
            yield Step(commit, was[0], now)


def _differs(one: Thing, other: Thing) -> bool:
    return (one.path, one.content) != (other.path, other.content) and bool(one.content or other.content)


def file_before(moves: Moves) -> Before:
    """Give what follows files: a new one to what it was moved or split from, else to an earlier one of its name."""

    def before(thing: Thing, commit: Commit, table: Table) -> Thing:
        if thing.path not in table:
            return thing
        old = table[thing.path][0]
        source = "" if old or not thing.content else moves.of(commit, table).get(thing.path, "")
        return Thing(source, table[source][0]) if source else Thing(thing.path, old)

    return before
