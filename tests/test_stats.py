"""The bill: what was read, what is read now, what to split first."""

from __future__ import annotations

from memtool.core.config import Config
from memtool.core.stats import asdict, largest, stats, text

TREE = {
    "resident/rules.md": b"r" * 1000,
    "resident/agents/a.md": b"a" * 100,
    "resident/agents/b.md": b"b" * 300,
    "topics/small.md": b"s" * 10,
    "topics/middle.md": b"m" * 500,
    "topics/large.md": b"l" * 40_000,
    "INDEX.md": b"i" * 50,
    "README.md": b"x" * 9_999,
}


def test_the_start_is_the_fullest_agents_with_the_digest_reserved() -> None:
    """Everything is all memory, without index and README; a typical topic is the median one."""
    bill = stats(TREE, Config())
    assert bill.everything.bytes == 1000 + 100 + 300 + 10 + 500 + 40_000
    assert bill.start.bytes == 1000 + 300 + 2048
    assert (bill.topic.path, bill.topic.bytes) == ("topics/middle.md", 500)


def test_the_largest_files_are_named_to_be_split() -> None:
    """From 16 KB on a file is worth two parts."""
    bill = stats(TREE, Config())
    assert [size.path for size in largest(bill)] == ["topics/large.md"]
    assert asdict(bill)["split_first"] == ["topics/large.md"]


def test_the_bill_fits_one_screen_and_an_empty_memory_too() -> None:
    """Shares below a tenth have a decimal, so that they are not all 0 %."""
    shown = text(stats(TREE, Config()))
    assert "start, digest reserved           3,348         837          8.0 %" in shown
    assert len(shown.splitlines()) < 24
    assert "0.0 %" in text(stats({}, Config()))
