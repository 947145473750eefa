"""The report of an exam as people and programs read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import sqrt
from statistics import median
from typing import Any

from memtool.core.exam.engine import DELETE_ALL, NULL
from memtool.core.exam.verdict import HARD, MARKS, OUTCOMES, Verdict
from memtool.core.terminal import printable
from memtool.model import Record

_SHOWN = 12
"""How many cases, and how many tags, the text names; JSON has all."""
_Z = 1.959964
"""Standard errors to each side of an interval of 95 %."""


class Rate(Record):
    """How many of how many passed, with the interval of 95 % by Wilson's formula."""

    passed: int
    cases: int

    @property
    def share(self) -> float:
        return self.passed / self.cases if self.cases else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Give the two ends, from 0 to 1; all of it where there are no cases."""
        if not self.cases:
            return 0.0, 1.0
        spread = _Z * _Z / self.cases
        middle = self.share + spread / 2
        half = sqrt(spread * (self.share * (1 - self.share) + spread / 4))
        return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


def rate(verdicts: Sequence[Verdict]) -> Rate:
    """Count the passes among all of *verdicts*; what could not be judged is no pass."""
    return Rate(sum(verdict.outcome == "PASS" for verdict in verdicts), len(verdicts))


def judged(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """List those of *verdicts* that tell something about the memory."""
    return [verdict for verdict in verdicts if verdict.outcome in MARKS]


def hard(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """List the failures for which an exam ends with exit code 1, whatever else passed."""
    return [verdict for verdict in verdicts if verdict.outcome in HARD]


def by_tag(verdicts: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """Map each tag to its verdicts, in the order of the tags' first cases."""
    found: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        for tag in dict.fromkeys(verdict.case.tags):
            found.setdefault(tag, []).append(verdict)
    return found


class Metrics(Record):
    """How well the judged cases that expect something were answered; each from 0 to 1."""

    cases: int
    precision: float
    """The share of the hits that were expected, over all answers together."""
    recall: float
    """The share of what was wanted that came out within k, averaged over cases."""
    mrr: float
    """One over the place of the first expected hit, averaged over cases; 0 where there was none."""


def metrics(verdicts: Sequence[Verdict]) -> Metrics:
    """Weigh the judged cases that expect something."""
    wanting = [verdict for verdict in judged(verdicts) if verdict.wanted]
    number = max(1, len(wanting))
    return Metrics(
        cases=len(wanting),
        precision=sum(one.relevant for one in wanting) / max(1, sum(one.hits for one in wanting)),
        recall=sum(one.found / one.wanted for one in wanting) / number,
        mrr=sum(1 / one.rank for one in wanting if one.rank) / number,
    )


def passes_of_controls(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """Count how many cases each control passes."""
    counts = Counter(name for verdict in verdicts for name in verdict.passed_by)
    return {name: counts[name] for name in (NULL, DELETE_ALL)}


# --- text ------------------------------------------------------------------------------------------------------------


def text(verdicts: Sequence[Verdict]) -> str:
    """Lay the report out on a screen: outcomes, tags, metrics, controls, and the cases that failed, worst first."""
    blocks = (_head(verdicts), _tags(verdicts), _measures(verdicts), _failures(verdicts))
    return "\n\n".join("\n".join(lines) for block in blocks if (lines := list(block))) + "\n"


def _head(verdicts: Sequence[Verdict]) -> Iterator[str]:
    counts = Counter(verdict.outcome for verdict in verdicts)
    yield f"{_rated(rate(verdicts))} of all {len(verdicts):,} cases passed"
    if len(known := judged(verdicts)) < len(verdicts):
        yield f"{_rated(rate(known))} of the {len(known):,} that could be judged"
    yield "  ".join(f"{outcome} {counts[outcome]:,}" for outcome in OUTCOMES if counts[outcome])


def _rated(found: Rate) -> str:
    low, high = found.interval
    return f"{found.passed:>6,}  {found.share:6.1%}  [{low:.1%}, {high:.1%}]"


def _tags(verdicts: Sequence[Verdict]) -> Iterator[str]:
    groups = sorted(by_tag(verdicts).items(), key=lambda item: rate(item[1]).share)
    if groups:
        yield f"{'Tag':24}  {'cases':>6}  {'passed':>6}  of all  [95 %]"
    for tag, group in groups[:_SHOWN]:
        yield f"{printable(tag):24}  {len(group):>6,}  {_rated(rate(group))}"
    if len(groups) > _SHOWN:
        yield f"  … and {len(groups) - _SHOWN:,} more that did no worse (--format json has all)"


def _measures(verdicts: Sequence[Verdict]) -> Iterator[str]:
    found = metrics(verdicts)
    if found.cases:
        shown = f"precision {found.precision:.3f}  recall@k {found.recall:.3f}  MRR {found.mrr:.3f}"
        yield f"{shown}  ({found.cases:,} cases that expect something)"
    if sizes := [verdict.bytes for verdict in judged(verdicts)]:
        yield f"bytes of an answer: median {median(sizes):,.0f}, largest {max(sizes):,}"
    passes = passes_of_controls(verdicts).items()
    yield "controls that pass as well: " + ", ".join(f"{name} {count:,}" for name, count in passes)


def _failures(verdicts: Sequence[Verdict]) -> Iterator[str]:
    failed = [verdict for verdict in verdicts if verdict.outcome != "PASS"]
    failed.sort(key=lambda verdict: OUTCOMES.index(verdict.outcome))
    for verdict in failed[:_SHOWN]:
        yield printable(f"{verdict.outcome:11}  {verdict.case.place}  {verdict.case.id}: {verdict.why}")
    if len(failed) > _SHOWN:
        yield f"  … and {len(failed) - _SHOWN:,} more (--format json has all)"


# --- data ------------------------------------------------------------------------------------------------------------


def asdict(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Give the report in the shape of ``memtool.eval/1``."""
    counts = Counter(verdict.outcome for verdict in verdicts)
    return {
        "schema": "memtool.eval/1",
        "outcomes": {outcome: counts[outcome] for outcome in OUTCOMES},
        "all": _rate_dict(verdicts),
        "judged": _rate_dict(judged(verdicts)),
        "tags": {tag: _rate_dict(group) for tag, group in by_tag(verdicts).items()},
        "metrics": metrics(verdicts).asdict(),
        "controls": passes_of_controls(verdicts),
        "cases": [_case_dict(verdict) for verdict in verdicts],
    }


def _rate_dict(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    found = rate(verdicts)
    low, high = (round(end, 4) for end in found.interval)
    return {"cases": found.cases, "passed": found.passed, "share": round(found.share, 4), "interval": [low, high]}


def _case_dict(verdict: Verdict) -> dict[str, Any]:
    case = verdict.case
    named = {"id": case.id, "place": case.place, "tags": list(case.tags)}
    shown = ("outcome", "why", "hits", "relevant", "wanted", "found", "rank", "bytes", "refused", "passed_by")
    return named | {key: value for key, value in verdict.asdict().items() if key in shown}
