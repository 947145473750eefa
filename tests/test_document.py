"""A memory file: where its front matter ends, what it says, and how its faults are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtool.core import document
from memtool.core.document import read

DATA = Path(__file__).parent.parent.parent / "shared" / "data" / "front-matter" / "front-matter.jsonl"


@pytest.mark.parametrize(
    ("data", "front", "body"),
    [
        (b"---\na: x --- y\n---\nText\n", {"a": "x --- y"}, b"Text\n"),
        (b"---\na: |\n  one\n  ---\n  two\n---\nText\n", {"a": "one\n---\ntwo\n"}, b"Text\n"),
        (b"---not-a-fence\na: b\n---\n", {}, b"---not-a-fence\na: b\n---\n"),
        (b"Text\n\n---\nb: 2\n---\n", {}, b"Text\n\n---\nb: 2\n---\n"),
        (b"---\nJust prose between rules.\n---\nText\n", {}, b"---\nJust prose between rules.\n---\nText\n"),
        (b"---\n\n---\nText\n", {}, b"Text\n"),
        (b"---\na: b\n...\nText\n", {"a": "b"}, b"Text\n"),
        (b"--- \t\na: b\n---  \nText\n", {"a": "b"}, b"Text\n"),
        (b"\xef\xbb\xbf---\r\na: b\r\n---\r\nText\r\n", {"a": "b"}, b"Text\r\n"),
        (b"---\ra: b\r---\rText\r", {"a": "b"}, b"Text\r"),
        (b"---\na: b\n---", {"a": "b"}, b""),
        (b"\xef\xbb\xbfText", {}, b"Text"),
        (b"", {}, b""),
        (b"----\na: b\n----\n", {}, b"----\na: b\n----\n"),
        (b" ---\na: b\n---\n", {}, b" ---\na: b\n---\n"),
    ],
)
def test_only_the_first_block_between_two_fences_is_front_matter(
    data: bytes, front: dict[str, str], body: bytes
) -> None:
    """A fence is three dashes and blanks at the margin; rules, values and prose are no fences."""
    page = read(data)
    assert (page.front, data[page.body :], page.error) == (front, body, None)


@pytest.mark.parametrize(
    ("data", "line", "said", "hint"),
    [
        (
            b"---\nname: x\ndescription: read before: git ops\n---\n",
            3,
            "not YAML",
            'description: "read before: git ops"',
        ),
        (b"---\ndescription: a\ndescription: b\n---\n", 3, "lines 2 and 3", "Keep one."),
        (
            b"---\nSource date: 2026\ndescription: read before: git\n---\n",
            3,
            "not YAML",
            'description: "read before: git"',
        ),
        (b"---\ndescription: never closed\n\n# Title\n", 1, "never closed", "Put a line ---"),
        (b"---\na: \xff\n---\n", 2, "not UTF-8", ""),
        (b"---\n" + b"# x\n" * 3000 + b"---\n", 1, "at most 8,192", ""),
    ],
)
def test_an_unreadable_front_matter_is_named_by_its_line_in_the_file(
    data: bytes, line: int, said: str, hint: str
) -> None:
    """The error carries the line and, where there is one, the form to paste; the file stays readable."""
    page = read(data)
    assert page.error is not None
    assert (page.error.line, said in page.error.message, hint in page.error.hint) == (line, True, True)
    assert page.front == {}


def test_the_neighbours_names_are_read_too() -> None:
    """`summary`, `read_when`, `last_verified`, `modified` and `expires` mean what ours mean; ours come first."""
    page = read(
        b"---\nsummary: s\nmodified: 2026-01-02T10:00:00Z\nexpires: 2026-05-05\nlast_verified: 2026-03-03\n---\n# T\n"
    )
    assert (page.description, page.source_date, page.valid_until, page.verified) == (
        "s",
        "2026-01-02",
        "2026-05-05",
        "2026-03-03",
    )
    assert read(b"---\nread_when:\n  - a\n  - b\n---\n").description == "a; b"
    assert read(b"---\nsummary: s\ndescription: d\n---\n").description == "d"


@pytest.mark.parametrize(
    ("data", "title"),
    [
        (b"---\ntitle: From front matter\n---\n# Heading\n", "From front matter"),
        (b"---\nname: slug\n---\n\n# Heading ##\n", "Heading"),
        (b"---\nname: slug\n---\nNo heading\n", "slug"),
        (b"```\n# in a fence\n```\n\nSetext\n===\n", "Setext"),
        (b"Text only\n", ""),
    ],
)
def test_the_title_is_the_front_matters_or_the_first_headings(data: bytes, title: str) -> None:
    """A heading inside a fence is none."""
    assert read(data).title == title


@given(st.binary(max_size=200), st.sampled_from([b"", b"---\n", b"\xef\xbb\xbf---\n", b"---\r\n"]))
def test_any_bytes_are_read_and_kept(data: bytes, head: bytes) -> None:
    """Reading never fails and never changes a byte; lines are counted as CommonMark counts them."""
    page = read(head + data)
    assert page.data == head + data
    assert 0 <= page.body <= len(page.data)
    assert document.line_number(page.data, len(page.data)) >= 1


@pytest.mark.skipif(not DATA.exists(), reason="needs ../shared/data/front-matter")
def test_every_real_block_is_parsed_or_named() -> None:
    """1,117 real front-matter blocks: each parsed, or a named error with a line and a form to paste; none skipped."""
    counts = {"ok": 0, "error": 0, "not-a-map": 0}
    for row in map(json.loads, DATA.read_text().splitlines()):
        page = read((row["raw"] + "\nBody\n").encode())
        counts[row["yaml"]] += 1
        if row["yaml"] == "ok":
            assert page.error is None, row["path"]
            assert page.data[page.body :].strip() == b"Body"
        elif row["yaml"] == "error":
            assert page.error is not None, row["path"]
            assert page.error.hint, row["path"]
    assert sum(counts.values()) == 1117
