"""What the resident tier weighs, and the report that a person reads."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtool.core import budget
from memtool.core.budget import bill, sections, tokens, ways_out, weigh
from memtool.core.config import Config

FILE = (
    b"# Rules\n\nIntro.\n\n## Short\n\nx\n\n## Long\n\n" + b"word " * 100 + b"\n\n### Inner\n\nmore\n\n## Last\n\ny\n"
)


def test_the_bill_is_for_the_fullest_agent_with_the_digest_reserved() -> None:
    """Shared files count once, of the agents' own files only the largest, the digest by its whole budget."""
    tree = {
        "resident/rules.md": b"x" * 100,
        "resident/agents/a.md": b"x" * 10,
        "resident/agents/b.md": "记".encode() * 10,
        "topics/t.md": b"x" * 9999,
    }
    found = bill(tree, Config())
    assert [(weight.path, weight.bytes, weight.chars) for weight in found.resident] == [
        ("resident/rules.md", 100, 100),
        ("resident/agents/a.md", 10, 10),
        ("resident/agents/b.md", 30, 10),
    ]
    assert (found.bytes, found.budget) == (100 + 30 + 2048, 12288)


def test_tokens_are_estimated_by_the_kind_of_letter() -> None:
    """Four ASCII letters, one Chinese character, two of anything else make a token."""
    assert tokens("") == 0
    assert tokens("abcd" * 10) == 10
    assert tokens("记忆记忆") == 4
    assert tokens("éé") == 1


def test_sections_are_weighed_below_the_title() -> None:
    """A title above everything is no section; the heaviest comes first, with its line."""
    assert [(line, name) for _, line, name in sections(FILE)] == [(9, "Long"), (5, "Short"), (17, "Last")]
    assert sections(b"no heading\n") == []
    assert sections(b"# Only one\n\ntext\n") == [(17, 1, "Only one")]


def test_each_way_out_says_what_it_saves() -> None:
    """Compress, move, split: by how many bytes, of what."""
    found = {way.way: way.saves for way in ways_out(FILE, weigh("rules.md", FILE, 400))}
    assert list(found) == ["compress", "move", "split"]
    assert found["compress"] == len(FILE) - 400
    assert found["move"] == sections(FILE)[0][0] - budget.POINTER
    assert found["split"] == sum(size for size, _, _ in sections(FILE)) - 120 - 3 * budget.POINTER


@given(st.binary(max_size=300), st.integers(1, 400))
def test_no_way_out_saves_less_than_nothing_or_more_than_all(data: bytes, limit: int) -> None:
    """The figures are possible ones, whatever the file holds."""
    weight = weigh("a.md", data, limit)
    assert all(0 <= way.saves <= len(data) for way in ways_out(data, weight))
