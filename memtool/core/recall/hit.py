"""An entry as an answer: labelled with its date, scope, age and status, and quoted so that it can only be data."""

from __future__ import annotations

from _collections_abc import Iterator

from memtool.core import document
from memtool.core.changes import DAY, midnight
from memtool.core.config import Config
from memtool.core.dates import is_date
from memtool.core.document import Document
from memtool.core.entry import (
    REVISED,
    VALID_UNTIL,
    VERIFIED,
    VOID_SINCE,
    WHY,
    Entry,
    Ref,
    entries,
    is_scope,
    ref,
)
from memtool.core.lint.records import near_misses
from memtool.core.lint.status import rotting
from memtool.core.recall.terms import fold, terms
from memtool.model import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtool.core.entry import Status

OLD = 180
"""Days after which an entry that nobody has confirmed since is to be verified before use."""
LIVE = frozenset(("current", "revised", "proposed"))
"""The statuses that are shown unasked; void and expired text never comes back as current."""


class Hit(Record):
    """One answer, in the shape of ``memtool.recall/1``."""

    ref: str
    path: str
    line: int
    heading: str
    """The headings above it and its own, outermost first, with ``›`` between."""
    text: str
    """Its live text; void text only where that was asked for."""
    status: Status
    source_date: str
    verified: str
    age_days: int | None
    """Since it was confirmed last, else since its date; None where it has neither."""
    scope: str
    why: str
    """The reason that it gives."""
    score: float
    commit: str
    agent: str
    qualifier: str
    """What has to be known before it is used; empty where nothing has."""


def labelled(path: str, data: bytes, entry: Entry, config: Config, today: str) -> Hit:
    """Label an *entry* of the file *data* at *path*; score, commit and agent are for the caller to add."""
    parsed = document.read(data)
    status = entry.status(today=today, valid_until=parsed.valid_until, proposed=path.startswith(config.inbox + "/"))
    source_date, verified = _day(entry.date, parsed.source_date), _day(entry.record(VERIFIED), parsed.verified)
    told = [day for day in (source_date, verified, *(void.since for void in entry.voids)) if is_date(day)]
    age = _days(max((day for day in told if day <= today), default=max(told, default="")), today)
    said = entry.live if status != "void" else b"\n\n".join(void.text for void in entry.voids)
    return Hit(
        ref=str(address(path, data, entry)),
        path=path,
        line=entry.line,
        heading=" › ".join(part for part in (*_above(entry, data, parsed), _heading(entry)) if part) or parsed.title,
        text=said.decode("utf-8", "replace").strip("\r\n"),
        status=status,
        source_date=source_date,
        verified=verified,
        age_days=age,
        scope=entry.scope or (parsed.scope if is_scope(parsed.scope) else ""),
        why=entry.record(WHY),
        score=0.0,
        commit="",
        agent="",
        qualifier="; ".join(_qualifiers(path, entry, status, age, config, parsed)),
    )


def _day(*values: str) -> str:
    """Give the first of *values* that starts with a date; labels hold nothing that could pass for another label."""
    return next((value[:10] for value in values if is_date(value[:10])), "")


def _above(entry: Entry, data: bytes, parsed: Document) -> Iterator[str]:
    """Yield the headings above an entry, without those that are void or say what is void."""
    if VOID_SINCE.encode() not in data:
        yield from entry.above
        return
    void = {
        item.heading
        for item in entries(data, parsed.body)
        if item.voids and (not item.live.strip() or _tells_void(item))
    }
    yield from (heading for heading in entry.above if heading not in void)


def address(path: str, data: bytes, entry: Entry) -> Ref:
    """Give the ref by which an entry is named: by its date, not its title, where the title says what is void."""
    said = ref(path, data, entry)
    return said.replace(slug=entry.date or REVISED) if _tells_void(entry) else said


def _heading(entry: Entry) -> str:
    """Give the heading of an entry; without its title where that says what is void."""
    if not _tells_void(entry):
        return entry.heading
    return " ".join(part for part in (entry.date, f"[{entry.scope}]" * bool(entry.scope), "(revised)") if part)


def _tells_void(entry: Entry) -> bool:
    """Tell whether the title of an entry that still says something has a word of what is void and of nothing live."""
    if not (entry.voids and entry.live.strip()):
        return False
    void = {term for part in entry.voids for term in terms(fold(part.text.decode("utf-8", "replace")))}
    live = set(terms(fold(entry.live.decode("utf-8", "replace"))))
    return any(term in void and term not in live for term in terms(fold(entry.title)))


def _days(day: str, today: str) -> int | None:
    return (midnight(today) - midnight(day)) // DAY if day else None


def _qualifiers(
    path: str, entry: Entry, status: Status, age: int | None, config: Config, parsed: Document
) -> Iterator[str]:
    if status == "void":
        yield f"void since {entry.voids[-1].since or 'an unknown day'}: it no longer holds"
    elif entry.voids:
        yield f"revised {entry.voids[-1].since}: a part of it no longer holds and is left out"
    if status == "expired":
        yield "expired: it held until " + min(
            filter(is_date, (entry.record(VALID_UNTIL)[:10], parsed.valid_until[:10]))
        )
    lines = entry.live.decode("utf-8", "replace").splitlines()
    if any(near_misses([(0, line) for line in lines if "**" in line])):
        yield "a line of it that was meant to say what no longer holds, or until when, is written wrong"
    for folder, what in ((config.handoffs, "a handoff"), (config.inbox, "proposed")):
        if path.startswith(folder + "/"):
            yield f"{what}: no current authorization"
    if entry.set_aside:
        yield "set aside in a merge: nobody has settled which of two versions holds"
    if age is not None and age < 0:
        yield "dated in the future"
    old = age is None or age > OLD
    if old or any(map(rotting, lines)):
        yield "verify before use: " + ("undated" if age is None else f"{age:,} days old" if old else "it tells a state")
