"""The history of a memory as people and programs read it."""

from __future__ import annotations

from _collections_abc import Iterable, Iterator, Sequence
from itertools import groupby
from shlex import quote

from memtool.core.log.commit import Commit
from memtool.core.terminal import printable
from memtool.model import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OID = 8
"""Digits by which a commit is shown."""
_NAMED = 3
"""Paths of one commit that the text names; JSON has all."""
_EDIT = "edit"
_SAME = {"remember": "recorded", "revise": "revised", "forget": "withdrawn", "verify": "confirmed", "split": "split"}
"""What an operation does to an entry or a file, in the word that its line says anyway."""
_VERBS = {
    "changed": "changed ", "added": "new ", "split": "split off ", "renamed": "renamed ", "removed": "removed ",
    "cut": "here already ",
}  # fmt: skip
"""How the files of one commit are told, in this order, by what it did to them."""
_WIDTH = 72
"""Characters of a reason or a subject that the text shows; JSON has all."""


class Change(Record):
    """What one commit did to one file or entry, in the shape of ``memtool.log/1``."""

    commit: str
    date: str
    agent: str
    author: str
    op: str
    path: str
    from_path: str
    """Where it was before; empty where it did not move."""
    status: str
    """Of a file added, changed, renamed, split or removed; of an entry recorded, edited, revised, confirmed, withdrawn,
    moved or removed; ``cut`` where a shallow clone tells no more."""
    subject: str
    reason: str
    """As the entry itself gives it."""
    ref: str = ""
    """The entry as it was then; empty where the change is one of a file."""

    @property
    def who(self) -> str:
        return self.agent or self.author


class Log(Record):
    """The changes of a memory, of a file or of an entry, newest first."""

    ref: str
    """What was asked for; empty for all of the memory."""
    changes: tuple[Change, ...]
    older: int
    """How many more changes there are; of all of the memory, commits."""
    gone: bool = False
    """Whether what was asked for is not there any more."""

    def asdict(self) -> dict[str, Any]:
        """Give the log in the shape of ``memtool.log/1``."""
        changes = [change.asdict() for change in self.changes]
        return {"schema": "memtool.log/1", "ref": self.ref, "gone": self.gone, "older": self.older, "changes": changes}


def word(text: str) -> str:
    """Give a path or a ref as one word of a shell's line; a ``#`` inside a word needs no quotes."""
    plain = text[:1] + text[1:].replace("#", "")
    return printable(text if quote(plain) == plain else quote(text))


def change(commit: Commit, path: str, status: str, **more: str) -> Change:
    """Make the change that *commit* made to *path*; *more* are ``from_path``, ``reason`` and ``ref``."""
    return Change(
        commit=commit.oid, date=commit.date, agent=commit.agent, author=commit.author, op=commit.op or _EDIT,
        path=path, from_path=more.get("from_path", ""), status=status, subject=commit.subject,
        reason=more.get("reason", ""), ref=more.get("ref", ""),
    )  # fmt: skip


def memory_lines(log: Log) -> Iterator[str]:
    """Yield one line a commit: day, commit, who, operation, and what it touched."""
    commits = [list(changes) for _, changes in groupby(log.changes, key=lambda one: one.commit)]
    rows = [(one[0].date, one[0].commit[:OID], one[0].who, one[0].op, _touched(one)) for one in commits]
    yield from _aligned(rows)
    if log.older:
        count, s = len(commits), "" if log.older == 1 else "s"
        yield f"{log.older:,} older commit{s}: memtool log -n {count + min(count, log.older)}"


def _touched(changes: Sequence[Change]) -> str:
    """Name the entries, whose verb is the operation, then the files, each verb once before its own."""
    verbs = ["", *_VERBS.values()]
    named = sorted(changes, key=lambda one: verbs.index(_verb(one)))[:_NAMED]
    groups = (verb + ", ".join(map(_place, ones)) for verb, ones in groupby(named, key=_verb))
    more = len(changes) - _NAMED
    return ", ".join(groups) + (f" and {more:,} more" if more > 0 else "")


def _verb(one: Change) -> str:
    return "" if one.ref else _VERBS[one.status]


def _place(one: Change) -> str:
    if one.ref:
        return one.ref
    return one.path + (f" (was {one.from_path})" if one.from_path and one.status == "renamed" else "")


def lines(log: Log) -> Iterator[str]:
    """Yield the history of one file or entry: what it is, a line a change, and what can be done next."""
    count = len(log.changes) + log.older
    yield f"{printable(log.ref)}: {count:,} change{'' if count == 1 else 's'}"
    yield ""
    yield from _aligned([(one.date, one.commit[:OID], one.who, _done(one), _why(one)) for one in log.changes])
    if log.older:
        yield f"{log.older:,} older: memtool log {word(log.ref)} -n {count}"
    if any(one.status == "cut" for one in log.changes):
        yield "This clone is shallow, so history ends there. `git fetch --unshallow` brings the rest."
    if log.gone:
        yield ""
        yield _way_back(log)


def _done(one: Change) -> str:
    """Say what was done, and by which operation of memtool's, unless that is the same word."""
    said = "here already" if one.status == "cut" else one.status
    if one.from_path:
        said += f" from {one.from_path}"
    return said if one.op == _EDIT or _SAME.get(one.op) == one.status else f"{said} ({one.op})"


def _why(one: Change) -> str:
    """Give the reason of the entry, or the subject of a commit that a person wrote."""
    said = one.reason or (one.subject if one.op == _EDIT else "")
    return said if len(said) <= _WIDTH else said[: _WIDTH - 1] + "…"


def _way_back(log: Log) -> str:
    last = log.changes[0]
    if last.status == "removed":
        return f"It is gone. To bring it back: memtool restore {word(log.ref)}"
    return f"It is in {printable(last.path)} now: memtool log {word(last.path)}"


def _aligned(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield lines whose columns but the last are as wide as the widest cell, ends bare."""
    shown = [tuple(map(printable, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)][:-1]
    for row in shown:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        yield "  ".join((*cells, row[-1])).rstrip()
