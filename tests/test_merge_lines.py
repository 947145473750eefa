"""A section that both sides changed is merged by its lines, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtool.core.merge.lines import merged

# A word is a line, and _ a blank one. The fourth text is the merged one; None where both changed the same lines.
CASES = [
    ("only one side changed", "a b c", "a b c", "a x c", "a x c"),
    ("both the same", "a b c", "a x c", "a x c", "a x c"),
    ("far apart", "a b c d e", "A b c d e", "a b c d E", "A b c d E"),
    ("one deletes, one adds", "a b c d", "a c d", "a b c d e", "a c d e"),
    ("the same line", "a b c", "a x c", "a y c", None),
    ("two lines that touch", "a b c d", "a x c d", "a b y d", None),
    ("a line deleted on one side and changed on the other", "a b c", "a c", "a x c", None),
    ("an item more in a list, on each side", "a b", "a b x", "a b y", "a b x y"),
    ("the same item, and one more", "a b", "a b x", "a b x y", "a b x y"),
    ("a paragraph more on each side", "a", "a _ x", "a _ y", "a _ x _ y"),
    ("what goes on with a block comes before a new one", "a _ b", "a _ b _ x", "a _ b y", "a _ b y _ x"),
    ("a blank line keeps paragraphs apart", "a _ b", "a _ x _ b", "a y _ b", "a y _ x _ b"),
    ("nothing before", "", "a x", "a y", "a x a y"),
    ("a line, and a paragraph put in below it", "a _ b", "x _ b", "a _ y _ b", "x _ y _ b"),
    ("a line, and a paragraph put in above it", "a _ b", "a _ x", "a _ y _ b", "a _ y _ x"),
    ("all deleted, and changed", "a b", "", "a x", None),
]


def text(written: str, end: str = "\n") -> bytes:
    return end.join(written.replace("_", "").split(" ")).encode()


@pytest.mark.parametrize(("base", "ours", "theirs", "expected"), [case[1:] for case in CASES],
                         ids=[case[0] for case in CASES])  # fmt: skip
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_merged_by_lines(base: str, ours: str, theirs: str, expected: str | None, end: str) -> None:
    """Changes of different lines are put together, insertions at one place both stay; all else is no merge."""
    versions = [text(one, end) for one in (base, ours, theirs)]
    wanted = None if expected is None else text(expected, end)
    assert merged(*versions, end=end.encode()) == wanted
    assert merged(versions[0], versions[2], versions[1], end=end.encode()) == wanted


def test_other_line_ends_are_in_nobodys_way() -> None:
    """One side writes CRLF, the other changes a word: both are done."""
    assert merged(b"a\nb\nc\nd", b"a\r\nb\r\nc\r\nd", b"a\nb\nc\nx", end=b"\n") == b"a\r\nb\r\nc\r\nx"


def test_a_paragraph_slides_to_either_side() -> None:
    """Of the blank lines around what was put in either may be the new one: that the other side changed one line by it
    is no conflict, whichever it is."""
    base, put_in = text("h _ a _ b _ c"), text("h _ a _ n _ b _ c")
    for changed in ("H _ a _ b _ c", "h _ A _ b _ c", "h _ a _ B _ c", "h _ a _ b _ C"):
        wanted = text(changed.replace("_ b", "_ n _ b").replace("_ B", "_ n _ B"))
        assert merged(base, put_in, text(changed), end=b"\n") == wanted


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "- x", "    y"]), max_size=8).map(
    lambda rows: "\n".join(rows).strip("\n").encode()
)


@given(TEXTS, TEXTS, TEXTS)
def test_no_side_is_preferred(base: bytes, ours: bytes, theirs: bytes) -> None:
    """The sides can be swapped; one that changed nothing has no say; what either added is there."""
    done = merged(base, ours, theirs, end=b"\n")
    assert done == merged(base, theirs, ours, end=b"\n")
    assert merged(base, base, theirs, end=b"\n") == theirs
    new = {*ours.splitlines(), *theirs.splitlines()} - {*base.splitlines()}
    assert done is None or new - {b""} <= {*done.splitlines()}
