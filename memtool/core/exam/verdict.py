"""Marking: what a memory gave, held against what a case says may and must come out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from memtool.core.exam.case import QUERIED, Case, Forbid, Stale, folded
from memtool.model import Record

Outcome = Literal["LEAK", "INVENTED", "STALE", "MISS", "PASS", "VACUOUS", "UNEXERCISED", "NA"]
HARD: tuple[Outcome, ...] = ("LEAK", "INVENTED", "STALE")
"""What no rate of passes makes good."""
MARKS: tuple[Outcome, ...] = (*HARD, "MISS", "PASS")
"""The outcomes of a case that could be judged, worst first."""
OUTCOMES: tuple[Outcome, ...] = (*MARKS, "VACUOUS", "UNEXERCISED", "NA")


class Hit(Record):
    """One entry of an answer."""

    ref: str
    text: str
    """All that the answer shows of the entry, its heading included."""
    qualifier: str = ""
    """What the answer says beside it that makes it no plain fact; empty where it says nothing."""
    status: str = "current"

    def is_at(self, wanted: str) -> bool:
        """Tell whether *wanted*, a ref with or without its hash, or a path, is the address of this entry."""
        path, mark, rest = self.ref.rpartition("#")
        return wanted in {self.ref, path, f"{path}{mark}{rest.partition('@')[0]}"}


class Answer(Record):
    """What a surface gave."""

    hits: tuple[Hit, ...] = ()
    data: bytes = b""
    """The final bytes, ranked, cut and fenced as a model reads them, without an echo of the query."""

    @property
    def shown(self) -> str:
        """The final bytes, folded."""
        return folded(self.data.decode("utf-8", "replace"))


class Verdict(Record):
    """The mark of one case, with what the metrics are made of."""

    case: Case
    outcome: Outcome
    why: str = ""
    """What was wrong, in one sentence; empty for a pass."""
    hits: int = 0
    relevant: int = 0
    """How many of the hits were expected."""
    wanted: int = 0
    found: int = 0
    """How many of the things *wanted* came out; of those of which any will do, one is wanted."""
    rank: int = 0
    """The place of the first relevant hit, from 1; 0 where there is none."""
    bytes: int = 0
    refused: tuple[str, ...] = ()
    """What the memory refused to do after the set-up, in its words."""
    passed_by: tuple[str, ...] = ()
    """The controls that pass the case."""


def judge(case: Case, answer: Answer, *, further: Sequence[Answer] = ()) -> Verdict:
    """Mark *answer* to *case*, whose refs are real; *further* answers, such as probes, are searched for leaks only."""
    outcome, why = next(_faults(case, answer, further), ("PASS", ""))
    relevant = [at for at, hit in enumerate(answer.hits, start=1) if _is_relevant(case, hit)]
    missing, wanted = list(_missing(case, answer)), len(_wanted(case))
    return Verdict(
        case=case, outcome=outcome, why=why, hits=len(answer.hits), relevant=len(relevant), wanted=wanted,
        found=wanted - len(missing), rank=next(iter(relevant), 0), bytes=len(answer.data),
    )  # fmt: skip


def _faults(case: Case, answer: Answer, further: Sequence[Answer]) -> Iterator[tuple[Outcome, str]]:
    """Yield all that is wrong, the worst first."""
    for given in (answer, *further):
        yield from (("LEAK", why) for why in _leaks(case.forbid, given))
    if case.abstain and answer.hits:
        yield "INVENTED", f"there is no answer, and {answer.hits[0].ref} came out"
    yield from (("STALE", why) for why in _unqualified(case.stale, answer))
    if case.surface in QUERIED and len(answer.hits) > case.k:
        yield "MISS", f"{len(answer.hits)} hits came out, at most {case.k} may"
    if case.budget and len(answer.data) > case.budget:
        yield "MISS", f"{len(answer.data):,} bytes came out, at most {case.budget:,} may"
    yield from (("MISS", f"{what} did not come out") for what in _missing(case, answer))


def _leaks(forbid: Forbid, answer: Answer) -> Iterator[str]:
    places = [answer.shown, *(folded(hit.text) for hit in answer.hits)]
    for text in forbid.text:
        if any(folded(text) in place for place in places):
            yield f"“{text}” came out"
    yield from (f"{hit.ref} came out" for hit in answer.hits if any(map(hit.is_at, forbid.refs)))


def _unqualified(stale: Stale, answer: Answer) -> Iterator[str]:
    """Yield what is stale and came out as if it held: in a hit without a qualifier, or beside all hits."""
    excused = [hit for hit in answer.hits if hit.qualifier and stale.unless_qualified]
    for hit in answer.hits:
        if hit not in excused and any(map(hit.is_at, stale.refs)):
            yield f"{hit.ref} ({hit.status}) came out and no longer holds"
    for text in map(folded, stale.text):
        within = sum(folded(hit.text).count(text) for hit in excused)
        unqualified = any(text in folded(hit.text) for hit in answer.hits if hit not in excused)
        if unqualified or answer.shown.count(text) > within:
            yield f"“{text}” came out and no longer holds"


def _wanted(case: Case) -> list[tuple[bool, tuple[str, ...]]]:
    """List what is wanted: whether each is a ref, and the alternatives of which one is enough."""
    expect = case.expect
    each = [(True, (ref,)) for ref in expect.refs_all] + [(False, (text,)) for text in expect.text_all]
    return each + [(is_ref, some) for is_ref, some in ((True, expect.refs_any), (False, expect.text_any)) if some]


def _missing(case: Case, answer: Answer) -> Iterator[str]:
    for is_ref, some in _wanted(case):
        if is_ref and not any(hit.is_at(ref) for hit in answer.hits for ref in some):
            yield " or ".join(some)
        if not is_ref and not any(folded(text) in answer.shown for text in some):
            yield " or ".join(f"“{text}”" for text in some)


def _is_relevant(case: Case, hit: Hit) -> bool:
    text = folded(hit.text)
    return any(map(hit.is_at, case.expect.refs)) or any(folded(wanted) in text for wanted in case.expect.texts)
