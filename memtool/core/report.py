"""A check's report as people, programs and GitHub read it."""

from __future__ import annotations

from _collections_abc import Collection, Iterator

from memtool.core.budget import Weight, sections, ways_out
from memtool.core.check import Report
from memtool.core.config import Config
from memtool.core.terminal import printable
from memtool.model import Finding, Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SHOWN = 3
"""How many findings of one code the text shows; JSON has all."""


def text(report: Report, config: Config, snapshot: Snapshot, *, changed: Collection[str] | None = None) -> str:
    """Lay the report out on a screen; for a hook, table and advice are about the files that the commit *changed*."""
    blocks = []
    brief = changed is not None
    heavy = [weight for weight in report.bill.resident if weight.tight and (changed is None or weight.path in changed)]
    if not brief or heavy or any(finding.code == "over-total" for finding in report.findings):
        blocks.append("\n".join(_table(report, config)))
    blocks += ["\n".join(_advice(weight, snapshot[weight.path])) for weight in heavy]
    blocks += ["\n".join(_findings(report.findings, severity)) for severity in ("error", "warning")]
    if not brief:
        blocks.append(summary(report))
    return "\n\n".join(block for block in blocks if block) + "\n"


def summary(report: Report) -> str:
    warnings = len(report.findings) - report.errors
    counts = f"{_count(report.errors, 'error')}, {_count(warnings, 'warning')}"
    unread = f", {report.unread:,} not" if report.unread else ""
    return f"{_count(report.files, 'memory file')} examined{unread} ({report.source}): {counts}."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _table(report: Report, config: Config) -> Iterator[str]:
    bill = report.bill
    total = "in all, for the fullest agent"
    digest = f"{config.digest} (reserved)"
    width = max(len(name) for name in (*(weight.path for weight in bill.resident), total, digest))
    yield f"{'Resident tier':{width}}  {'bytes':>8}  {'chars':>8}  {'~tokens':>8}  {'budget':>8}  {'left':>8}"
    for item in bill.resident:
        numbers = (item.bytes, item.chars, item.tokens, item.budget, item.left)
        yield _row(item.path, width, numbers) + ("  over" if item.left < 0 else "  tight" if item.tight else "")
    yield f"{digest:{width}}  {config.digest_budget:>8,}"
    over = "  over" if bill.bytes > bill.budget else ""
    yield f"{total:{width}}  {bill.bytes:>8,}  {'':8}  {'':8}  {bill.budget:>8,}  {bill.budget - bill.bytes:>8,}{over}"


def _row(name: str, width: int, numbers: tuple[int, ...]) -> str:
    return f"{name:{width}}  " + "  ".join(f"{number:>8,}" for number in numbers)


def _advice(weight: Weight, data: bytes) -> Iterator[str]:
    state = f"{-weight.left:,} bytes over its budget" if weight.left < 0 else f"nearly full, {weight.left:,} bytes left"
    yield f"{weight.path} is {state}."
    for size, line, name in sections(data)[:SHOWN]:
        yield f"  {size:>7,} bytes  line {line:<5} {printable(name)}"
    yield "Ways out:"
    for way in ways_out(data, weight):
        yield f"  {way.way:8}  saves {way.saves:>6,}  {printable(way.how)}"


def _findings(findings: tuple[Finding, ...], severity: str) -> Iterator[str]:
    these = [finding for finding in findings if finding.severity == severity]
    if these:
        yield f"{severity}s:"
    for code in dict.fromkeys(finding.code for finding in these):
        same = [finding for finding in these if finding.code == code]
        said = ""
        for finding in same[:SHOWN]:
            yield f"  {code:18} {place(finding)}  {printable(finding.message)}".rstrip()
            if finding.hint and finding.hint != said:
                said = finding.hint
                yield f"  {'':18} {printable(said)}"
        if len(same) > SHOWN:
            yield f"  {'':18} … and {len(same) - SHOWN:,} more; all of them: memtool check --format json"


def place(finding: Finding) -> str:
    """Give ``path:line``, as editors and terminals open it."""
    name = printable(finding.path) or "(all)"
    return f"{name}:{finding.line}" if finding.line else name


def asdict(report: Report) -> dict[str, Any]:
    """Give the report in the shape of ``memtool.check/1``."""
    return {
        "schema": "memtool.check/1",
        "source": report.source,
        "files": report.files,
        "findings": [finding.asdict() for finding in report.findings],
        "resident": [weight.asdict() | {"left": weight.left} for weight in report.bill.resident],
        "total": {"bytes": report.bill.bytes, "budget": report.bill.budget},
    }


def github(report: Report) -> str:
    """Give the findings as workflow commands, which GitHub shows beside the lines of a pull request."""
    return "".join(
        f"::{finding.severity} file={_property(finding.path)},line={finding.line or 1},"
        f"title=memtool {finding.code}::{_escape(f'{finding.message}. {finding.hint}'.strip())}\n"
        for finding in report.findings
    )


def _escape(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _escape(value).replace(":", "%3A").replace(",", "%2C")
