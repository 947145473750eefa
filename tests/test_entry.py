"""The grammar of entries: golden files that a person can read, and what must hold for any bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtool.core import document, entry
from memtool.core.entry import Entry, entries
from memtool.errors import MemtoolError

GOLDEN = Path(__file__).parent / "golden" / "entries"


def picture(data: bytes) -> str:
    """Draw what memtool reads in a file, one block an entry."""
    return "\n".join(_picture(item) for item in entries(data, document.read(data).body))


def _picture(item: Entry) -> str:
    lines = [f"line {item.line}, bytes {item.start}-{item.end}, level {item.level}: #{item.slug}"]
    lines += [f"  {name}: {value}" for name in ("date", "scope", "title") if (value := getattr(item, name))]
    lines += [f"  above: {' > '.join(item.above)}"] * bool(item.above)
    lines += [f"  live: {item.live.strip()!r}"]
    lines += [f"  {record.key}: {record.value}" for record in item.records]
    lines += [f"  void since {void.since} ({void.reason}): {void.text!r}" for void in item.voids]
    lines += [f"  status on 2026-11-30: {item.status(today='2026-11-30')}"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.md")), ids=lambda path: path.stem)
def test_entries_are_read_as_the_golden_files_say(path: Path) -> None:
    """Void text, Chinese, unclosed fences and comments, forged and repeated headings are read as written down."""
    assert picture(path.read_bytes()) == path.with_suffix(".txt").read_text()


@given(st.binary(max_size=400))
def test_any_bytes_are_tiled_by_their_entries(data: bytes) -> None:
    """The slices of the entries, in order, are the body; only blank space may stand before the first."""
    found = entries(data)
    at = found[0].start if found else len(data)
    assert not data[:at].strip()
    for item in found:
        assert item.start == at
        at = item.end
    assert at == len(data)


@given(st.lists(st.sampled_from(["Notes", "notes", "Notes-1", "！", "a b", "Top", "top"]), max_size=12))
def test_slugs_are_unique_and_never_empty(titles: list[str]) -> None:
    """Every section of a file has an anchor of its own."""
    found = [item.slug for item in entries("".join(f"# {title}\n" for title in titles).encode())]
    assert len(set(found)) == len(found) == len(titles)
    assert all(found)


def test_an_entry_is_void_only_when_nothing_live_is_left() -> None:
    """Status comes from text and place: void, expired, proposed, revised, current, in this order."""
    void = b"## a\n\n> **Void since 2026-01-01:** r. It said:\n>\n> old\n"
    dated = b"## a\n\nlive\n\n> **Valid until:** 2026-06-30\n"
    (gone,), (revised,), (until,) = entries(void), entries(void + b"\nnew\n"), entries(dated)
    assert gone.status(today="2026-02-01", proposed=True) == "void"
    assert revised.status(today="2026-02-01") == "revised"
    assert until.status(today="2026-06-30") == "current"
    assert until.status(today="2026-07-01") == "expired"
    assert revised.status(today="2026-02-01", valid_until="2026-01-31") == "expired"
    assert revised.status(today="2026-02-01", proposed=True) == "proposed"


@pytest.mark.parametrize(
    ("heading", "read"),
    [
        ("2026-07-14 [project:blog] Post length", ("2026-07-14", "project:blog", "Post length")),
        ("2026-07-14", ("2026-07-14", "", "")),
        ("2026-07-14 [*]", ("2026-07-14", "*", "")),
        ("[agent:a.b_c-d] x", ("", "agent:a.b_c-d", "x")),
        ("[project:two words] x", ("", "", "[project:two words] x")),
        ("[1] footnote", ("", "", "[1] footnote")),
        ("2026-07-14T10:00 x", ("", "", "2026-07-14T10:00 x")),
        ("2024-02-29 leap", ("2024-02-29", "", "leap")),
        ("2023-02-29 none", ("", "", "2023-02-29 none")),
    ],
)
def test_a_heading_is_cut_into_date_scope_and_title(heading: str, read: tuple[str, str, str]) -> None:
    """A date and a strict scope are taken off the front; anything else is title."""
    assert entry.read_heading(heading) == read


def test_a_ref_finds_its_entry_and_a_stale_one_finds_nothing() -> None:
    """path#slug reads every entry of that heading; a hash picks one, and fits only the bytes it was made of."""
    data = (GOLDEN / "repeated.md").read_bytes()
    first, second = (item for item in entries(data) if item.slug in {"notes", "notes-1"})
    full = entry.ref("topics/log.md", data, second)
    assert entry.parse_ref(str(full)) == full
    assert entry.find(data, full) == [second]
    assert len(entry.find(data, entry.parse_ref("topics/log.md#notes"))) == 3
    assert entry.find(data.replace(b"two", b"2"), full) == []
    assert entry.find(data, entry.ref("topics/log.md", data, first).replace(slug="log")) == []


@pytest.mark.parametrize("text", ["", "#", "a.md", "a.md#", "#slug", "a.md#@abcdef"])
def test_what_is_no_ref_is_refused_with_the_form_of_one(text: str) -> None:
    """A ref that names no file or no section is an error that shows what a ref looks like."""
    with pytest.raises(MemtoolError, match="is no ref") as error:
        entry.parse_ref(text)
    assert "path#slug" in error.value.hint


def test_void_text_that_goes_on_without_its_mark_stays_void() -> None:
    """CommonMark lets a quote's paragraph go on without `>`; what was withdrawn does not come back by it."""
    (lazy,) = entries(b"## a\n\n> **Void since 2026-08-01:** r. It said:\n>\n> old\nlazy tail\n")
    assert (lazy.status(today="2026-09-01"), lazy.voids[0].text) == ("void", b"old\nlazy tail")
    (new,) = entries(b"## a\n\n> **Void since 2026-08-01:** r. It said:\n>\n> old\n\nnew text\n")
    assert (new.status(today="2026-09-01"), new.live.strip()) == ("revised", b"new text")


def test_a_valid_until_that_is_no_date_expires_nothing() -> None:
    """Only a calendar date can pass."""
    (found,) = entries(b"## a\n\nlive\n\n> **Valid until:** 1 May 2030\n")
    assert found.status(today="2026-09-01") == "current"
