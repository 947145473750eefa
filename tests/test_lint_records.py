"""A quote line that was meant as a record line, and is none, is told."""

from __future__ import annotations

import pytest

from memtool.core.lint.records import near_misses


@pytest.mark.parametrize(
    "line",
    [
        "> **void since 2026-08-01:** moved",
        "> **Void since 2026-08-01**: moved",
        "> **Void since 2026-8-1:** moved",
        "> **Verified**: 2026-08-01",
        ">**why:** so",
        "> **Valid until：** soon",
        "> **Verified:** yesterday",
    ],
)
def test_near_misses_are_told(line: str) -> None:
    """A letter, a colon or a date away from a record line."""
    assert [number for number, _ in near_misses([(7, line)])] == [7]


@pytest.mark.parametrize(
    "line",
    [
        "> **Void since 2026-08-01:** moved. It said:",
        "> **Verified:** 2026-08-01",
        "> **Why：** so",
        "> **Source:** a talk",
        "> **Note:** why not",
        "> **Why we left**",
        "**why:** no quote",
        "> a quote with **bold** words",
    ],
)
def test_record_lines_and_other_quotes_are_not(line: str) -> None:
    """Bold words in a quote are most often just that."""
    assert list(near_misses([(1, line)])) == []
