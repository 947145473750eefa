"""What a sync did, as a person and a program read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from memtool.core.sync import STATES
from memtool.core.terminal import printable
from memtool.model import Finding, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtool.core.merge.tree import Conflict
    from memtool.jobs.sync.local import Left

_SHOWN = 8
"""Lines of a kind that are shown; JSON has all."""
_NAMED = 3
"""Files that a line names."""
_DIFF = 40
"""Lines of a diff that are shown."""


class Moved(Record):
    """One file that came or went."""

    path: str
    what: str
    """``new``, ``changed`` or ``gone``."""


class Resident(Record):
    """A resident file that other machines changed."""

    path: str
    diff: str


class Trip(Record):
    """How far the two sides are."""

    start: str = ""
    """What this machine had, its own changes committed."""
    base: str = ""
    """The last commit that both had when the sync began."""
    tip: str = ""
    """What the remote had before the last push."""
    end: str = ""
    """What this machine has now, or with a dry run would have."""
    sent: bool = False
    asked: bool = False
    """The remote has said what it has."""


class Result(Record):
    """How a sync ended, and what it did on the way."""

    state: str
    remote: str = ""
    """``origin/main``."""
    detail: Mapping[str, str] = MappingProxyType({})
    """What fills the sentence of the state."""
    commit: str = ""
    """What HEAD names now."""
    pulled: int = 0
    """How many commits came."""
    pushed: int = 0
    """How many commits went."""
    came: tuple[Moved, ...] = ()
    went: tuple[Moved, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    resident_changes: tuple[Resident, ...] = ()
    findings: tuple[Finding, ...] = ()
    left: tuple[Left, ...] = ()
    paths: tuple[str, ...] = ()
    """The files that stopped it."""
    notes: tuple[str, ...] = ()
    told: bool = False
    """A conflict copy came that another machine's merge made."""
    dry_run: bool = False

    @property
    def code(self) -> int:
        return STATES[self.state].code

    @property
    def is_silent(self) -> bool:
        """Nothing of it needs a person, or is new to one."""
        behind = any(one.is_memory for one in self.left)
        return not (self.code or self.told or self.conflicts or self.findings or behind)

    def _filled(self, sentence: str) -> str:
        words = {"why": "", "tip": "", "name": "", "done": "", **self.detail, "remote": self.remote}
        return sentence.format_map(words).strip()

    @property
    def message(self) -> str:
        said = self._filled(STATES[self.state].says)
        why = self.detail.get("why", "")
        return f"{said} ({printable(why)})" if why and why not in said else said

    @property
    def next(self) -> str:
        return self.detail.get("choices") or self._filled(STATES[self.state].next)

    def asdict(self) -> dict[str, Any]:
        """Give the result as ``memtool.sync/1``."""
        lists = ("came", "went", "conflicts", "resident_changes", "findings", "left")
        plain = {name: value for name, value in super().asdict().items() if name not in (*lists, "detail", "told")}
        told = {name: [one.asdict() for one in getattr(self, name)] for name in lists}
        return (
            {"schema": "memtool.sync/1", "code": self.code, "message": self.message, "next": self.next} | plain | told
        )

    def lines(self) -> Iterator[str]:
        """Yield the result as one screen."""
        if self.dry_run:
            yield "dry run, nothing was changed; this is how it would end:"
        yield f"{self.state}: {self.message}"
        yield from _block("came", [_moved(one) for one in self.came])
        yield from _block("went", [_moved(one) for one in self.went])
        yield from _block("both", [_conflict(one) for one in self.conflicts])
        behind = {one.path for one in self.left}
        yield from _block("look", [_finding(one) for one in self.findings if one.path not in behind])
        yield from _block("stop", self.paths)
        yield from _block("left", list(_left(self.left)))
        yield from _block("note", self.notes)
        for one in self.resident_changes:
            yield ""
            yield from _cut([printable(row) for row in one.diff.splitlines()], _DIFF)
        if self.next:
            yield ""
            yield from (f"Next: {line}" if not at else f"      {line}" for at, line in enumerate(self.next.split("\n")))


def _block(word: str, rows: Sequence[str]) -> Iterator[str]:
    for at, row in enumerate(_cut([printable(row) for row in rows], _SHOWN)):
        yield f"  {'' if at else word:<6}{row}"


def _cut(rows: Sequence[str], most: int) -> Iterable[str]:
    if len(rows) <= most:
        return rows
    return [*rows[: most - 1], f"… {len(rows) - most + 1} more; --format json has all"]


def _left(found: Sequence[Left]) -> Iterator[str]:
    """Yield a line for each memory file that stays behind, and one for all that is no memory."""
    yield from (f"{one.path}: {one.why}" for one in found if one.is_memory)
    by_reason: dict[str, list[str]] = {}
    for one in found:
        if not one.is_memory:
            by_reason.setdefault(one.why, []).append(one.path)
    for why, paths in by_reason.items():
        more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
        yield f"{', '.join(paths[:_NAMED])}{more}: {why}"


def _moved(one: Moved) -> str:
    return f"{one.what:<9}{one.path}"


def _conflict(one: Conflict) -> str:
    where = f"{one.path} ({one.what})" if one.what else one.path
    return f"{where}: {one.reason}" + (f" -> {one.copy}" if one.copy else "")


def _finding(one: Finding) -> str:
    place = f"{one.path}:{one.line}" if one.line else one.path
    return f"{place}: {one.code}: {one.message}"
