"""One line of `doctor`."""

from __future__ import annotations

from collections.abc import Sequence

from memtool.model import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal


class Check(Record):
    """One thing that was looked at."""

    name: str
    status: Literal["ok", "warn", "fail"]
    message: str
    remedy: str = ""


def ok(name: str, message: str) -> Check:
    return Check(name, "ok", message)


def warn(name: str, message: str, remedy: str = "") -> Check:
    return Check(name, "warn", message, remedy)


def fail(name: str, message: str, remedy: str = "") -> Check:
    return Check(name, "fail", message, remedy)


def lines(checks: Sequence[Check]) -> list[str]:
    """Give the checks as text, each remedy below its trouble."""
    out = []
    for check in checks:
        out.append(f"{check.status:<5} {check.name:<14} {check.message}")
        if check.remedy:
            out.append(f"{'':<21}→ {check.remedy}")
    return out
