"""The promises of memtool.core.writing.amend: one entry changes, no word is lost, and all else stays byte for byte."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtool.core import document
from memtool.core.entry import Entry, RecordLine, Void, entries
from memtool.core.writing.amend import confirmed, revised, withdrawn
from memtool.core.writing.compose import Draft, appended
from memtool.errors import MemtoolError

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not beside this checkout")
DAY = "2026-11-30"

FILE = """\
---
description: read before posting
---
# Posts

## 2026-07-14 [project:blog] Post length

Keep each post near 3,000 words. It is the house rule.

- first
- second
- third

Last words.

> **Why:** readers finish them.
> **Source:** talk

## 2026-07-15 Tables

| a | b |
|---|---|
| 1 | 2 |

```sh
make all

make test
```
"""


def read(data: bytes) -> list[Entry]:
    return entries(data, document.read(data).body)


def entry(data: bytes, title: str) -> Entry:
    return next(item for item in read(data) if item.title == title)


def revise(text: str, void: str, now: str = "", *, title: str = "Post length") -> str:
    data = text.encode("utf-8", "surrogateescape")
    done = revised(data, entry(data, title), void=void, reason="it moved.", day=DAY, now=now)
    return done.decode("utf-8", "surrogateescape")


def live(text: str, title: str = "Post length") -> str:
    return entry(text.encode(), title).live.decode()


def test_a_sentence_becomes_void_and_its_successor_stands_in_its_place() -> None:
    """The void text is quoted at the end of its entry, below the records; nothing else moves."""
    done = revise(FILE, " Keep each post near 3,000 words.\n", "Keep each post at 4,000 words.")
    expected = FILE.replace("near 3,000 words", "at 4,000 words").replace(
        "> **Source:** talk\n",
        "> **Source:** talk\n\n"
        "> **Void since 2026-11-30:** it moved. It said:\n>\n> Keep each post near 3,000 words.\n",
    )
    assert done == expected


def test_all_live_text_can_be_withdrawn() -> None:
    """Heading and records stay, the text stands quoted, and the entry is void."""
    data = FILE.encode()
    done = withdrawn(data, entry(data, "Tables"), reason="no more", day=DAY)
    assert done.decode() == FILE[: FILE.index("| a")] + (
        "> **Void since 2026-11-30:** no more It said:\n>\n> | a | b |\n> |---|---|\n> | 1 | 2 |\n>\n"
        "> ```sh\n> make all\n>\n> make test\n> ```\n"
    )
    assert entry(done, "Tables").status(today=DAY) == "void"
    with pytest.raises(MemtoolError, match="no live text"):
        withdrawn(done, entry(done, "Tables"), reason="again", day=DAY)
    with pytest.raises(MemtoolError, match="is void"):
        confirmed(done, entry(done, "Tables"), day=DAY)


@pytest.mark.parametrize(
    ("text", "void", "left"),
    [
        ("One. Two. Three.", "Two.", "One. Three."),
        ("One. Two.", "Two.", "One."),
        ("One. Two.", "One.", "Two."),
        ("Use Ada, Bob, and Cid.", ", Bob", "Use Ada, and Cid."),
        ("Use red paint.", "paint", "Use red."),
        ("- a\n- b\n- c", "b", "- a\n- c"),
        ("- a\n- b\n- c", "- b", "- a\n- c"),
        ("1. a\n2. b", "b", "1. a"),
        ("- [ ] a\n- [x] b", "b", "- [ ] a"),
        ("- a\n- b\n  more\n- c", "b", "- a\n- more\n- c"),
        ("- a\n  - b\n  - c", "- b", "- a\n  - c"),
        ("one\n\ntwo\n\nthree", "two", "one\n\nthree"),
        ("one\n\ntwo", "two", "one"),
        ("one\n\ntwo", "one", "two"),
        ("one\ntwo\nthree", "one\ntwo", "three"),
        ("ends here\nand there too", "here\nand", "ends there too"),
        ("| a |\n|---|\n| 1 |\n| 2 |", "| 1 |", "| a |\n|---|\n| 2 |"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "1", "| a | b |\n|---|---|\n| | 2 |"),
        ("```\na\nb\n```", "a", "```\nb\n```"),
        ("x\n\n```\na\n```", "```\na\n```", "x"),
        ("结论是四万字。旧的规则还在。", "旧的规则还在。", "结论是四万字。"),
        ("结论是四万字", "四万", "结论是字"),
        ("> one\n> two", "two", "> one"),
        ("> one\n> two", "> two", "> one"),
        ("port is 22, and 49222 is new", "22", "port is, and 49222 is new"),
    ],
)
def test_what_stays_reads_well(text: str, void: str, left: str) -> None:
    """No empty bullet, no double blank line and no double space stays, and the void text is what was named."""
    for end in ("\n", "\r\n"):
        for below in ("", "\n", "\n\n> **Why:** so\n", "\n\n## Next\n\nkept\n"):
            file = f"# A\n\n## Post length\n\n{text}{below}".replace("\n", end)
            done = revise(file, void)
            changed = entry(done.encode(), "Post length")
            assert changed.live.decode().strip() == left.replace("\n", end)
            assert changed.voids == (Void(DAY, "it moved.", void.replace("\n", end).encode()),)
            assert changed.status(today=DAY) == "revised"
            assert [item.live for item in read(done.encode()) if item.title == "Next"] == [
                item.live for item in read(file.encode()) if item.title == "Next"
            ]


@pytest.mark.parametrize(
    ("text", "void", "said", "hint"),
    [
        ("a b\n\nb c", "b", "stands 2 times in the entry, in lines 3, 5", "Quote more"),
        ("aa aa aa", "aa aa", "stands 2 times in the entry, in lines 3, 3", "Quote more"),
        ("The port is 49222.", "22", "does not stand in the entry", "whole words"),
        ("The port is 22.", "The Port is 22", "the nearest is line 3: The port is 22.", "whole words"),
        ("nothing alike", "端口", "does not stand in the entry", "whole words"),
        ("a", " \n", "is empty", "Quote the part"),
        ("a\n\n> **Why:** because", "because", "does not stand in the entry", "whole words"),
        ("a\n\n> **Void since 2026-01-01:** r. It said:\n>\n> old", "old", "does not stand in the entry", "whole"),
    ],
)
def test_a_void_text_that_does_not_stand_there_once_is_refused(text: str, void: str, said: str, hint: str) -> None:
    """The message names the lines, or the nearest one; records and void text are no live text."""
    with pytest.raises(MemtoolError, match=re.escape(said)) as error:
        revise(f"## Post length\n\n{text}\n", void)
    assert hint in error.value.hint


@pytest.mark.parametrize(
    ("text", "void", "now"),
    [
        ("Old # heading", "Old", ""),
        ("a\n\nb\n\n---\n\nc", "b", "b\n---"),
        ("> note\n> **Why:** text", "note", "**Void since 2026-01-01:** x"),
        ("a b", "b", "b\n\n## Forged"),
        ("a b", "a b", "> **Why:** forged"),
        ("a b", "b", "b\n```"),
        ("```\na\n```", "```\na", ""),
        ("a\n\n<!-- b -->", "-->", ""),
    ],
)
def test_a_change_that_would_forge_structure_is_refused(text: str, void: str, now: str) -> None:
    """What would make a heading, a record or an open fence of what stays is never written."""
    file = f"## Post length\n\n{text}\n\n> **Why:** x\n\n## Next\n\nkept\n"
    with pytest.raises(MemtoolError, match="nothing was changed"):
        revise(file, void, now)


@pytest.mark.parametrize("reason", ["", " \n ", "\udc80"])
def test_a_reason_is_needed_and_must_read_back(reason: str) -> None:
    """A blank reason says nothing; one that reads back otherwise would be another one."""
    data = FILE.encode()
    with pytest.raises(MemtoolError) as error:
        withdrawn(data, entry(data, "Tables"), reason=reason, day=DAY)
    assert error.value.hint


@pytest.mark.parametrize("now", ["a\0b", "\udcff", "a\rb"])
def test_a_successor_must_be_plain_text(now: str) -> None:
    """NUL, a lone carriage return and what is not UTF-8 are refused, and named."""
    with pytest.raises(MemtoolError, match="line 1 of the new text"):
        revise(FILE, "second", now)


def test_days_are_checked() -> None:
    """Only a calendar date can be written."""
    data = FILE.encode()
    with pytest.raises(MemtoolError, match="is no date"):
        confirmed(data, entry(data, "Tables"), day="today")
    with pytest.raises(MemtoolError, match="is no date"):
        withdrawn(data, entry(data, "Tables"), reason="r", day="2026-02-30")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("text\n", "text\n\n> **Verified:** 2026-11-30\n"),
        ("text", "text\n\n> **Verified:** 2026-11-30\n"),
        ("text\n\n> **Why:** x\n", "text\n\n> **Why:** x\n> **Verified:** 2026-11-30\n"),
        ("text\n\n> **Why:** x", "text\n\n> **Why:** x\n> **Verified:** 2026-11-30\n"),
        ("text\n\n> **Verified:** 2026-01-01\n> **Why:** x\n", "text\n\n> **Verified:** 2026-11-30\n> **Why:** x\n"),
        (
            "text\n\n> **Verified:** 2025-01-01\n> **Verified:** 2026-01-01",
            "text\n\n> **Verified:** 2025-01-01\n> **Verified:** 2026-11-30",
        ),
        (
            "text\n\n> **Void since 2026-01-01:** r. It said:\n>\n> **Verified:** 1999\n",
            "text\n\n> **Verified:** 2026-11-30\n\n> **Void since 2026-01-01:** r. It said:\n>\n> **Verified:** 1999\n",
        ),
        (
            "text\n\n> **Why:** x\n> **Void since 2026-01-01:** r. It said:\n>\n> old\n",
            "text\n\n> **Why:** x\n> **Verified:** 2026-11-30\n> **Void since 2026-01-01:** r. It said:\n>\n> old\n",
        ),
        ("text\n\n> an ordinary quote\n", "text\n\n> an ordinary quote\n\n> **Verified:** 2026-11-30\n"),
    ],
)
def test_confirming_sets_one_line(before: str, after: str) -> None:
    """The last Verified line changes; where there is none it stands below the records, above all void text."""
    for head, end in (("## A\n\n", "\n"), ("", "\n"), ("## A\n\n", "\r\n")):
        data = (head + before).replace("\n", end).encode()
        (only,) = read(data)
        assert confirmed(data, only, day=DAY) == (head + after).replace("\n", end).encode()


@pytest.mark.parametrize(
    "text",
    [
        "- a\n- b\n\n      code\n",
        "> a quote\n>\n> of two parts\n\nand text",
        "```md\n# no heading\n> **Void since 2026-01-01:** x\n```",
        "端口是 22。\n\n| 表 |\n|---|\n",
        "<!-- a comment -->\n\ntext",
        "a\n\n> **Why:** because\n\nmore text behind the record\n\n> **Void since 2026-01-01:** r. It said:\n>\n> x",
        "<div>\n\nopen html",
        "text \udcff not UTF-8",
    ],
)
def test_any_text_is_quoted_verbatim(text: str) -> None:
    """Lists, fences, tables, Chinese, quotes and bytes that are no UTF-8 read back as they stood."""
    for end in ("\n", "\r\n"):
        file = f"## A\n\n{text}\n\n## B\n\nkept".replace("\n", end).encode("utf-8", "surrogateescape")
        first, second = read(file)
        done = withdrawn(file, first, reason="r", day=DAY)
        now, kept = read(done)
        assert now.voids == (*first.voids, Void(DAY, "r", first.live.strip(b"\r\n")))
        assert (now.live.strip(), now.records) == (b"", first.records)
        assert done[kept.start : kept.end] == file[second.start : second.end]


WORDS = ["one", "two", "three,", "四。", "`five`", "**six**", "(seven)", "8"]
TEXTS = st.lists(
    st.sampled_from([*WORDS, "\n", "\n\n", "\n- ", "\n> ", "\n1. ", "\n    ", "# ", "---", "```", "\n| "]), min_size=1
).map(" ".join)
KINDS = st.sampled_from(["append", "revise", "withdraw", "confirm"])
STEPS = st.lists(st.tuples(KINDS, st.integers(0, 99), st.integers(0, 99), TEXTS), max_size=8)


def step(data: bytes, what: str, numbers: tuple[int, int], text: str) -> bytes:
    found = read(data)
    if what == "append" or not found:
        return appended(data, Draft(text, date=DAY, why="so"))
    item = found[numbers[0] % len(found)]
    if what == "withdraw":
        return withdrawn(data, item, reason="no more", day=DAY)
    if what == "confirm":
        return confirmed(data, item, day=DAY)
    pieces = re.findall(r"\S+", item.live.decode()) or [""]
    return revised(
        data, item, void=pieces[numbers[1] % len(pieces)], reason="r", day=DAY, now=text if len(text) % 2 else ""
    )


def words(data: bytes) -> set[str]:
    return set(re.findall(r"\w+", data.decode()))


@given(STEPS, st.sampled_from(["\n", "\r\n"]))
def test_no_sequence_of_changes_loses_a_word_or_touches_another_entry(
    steps: list[tuple[str, int, int, str]], end: str
) -> None:
    """Each step is refused, or changes one entry; every word that ever stood there still does, every void text too."""
    data = FILE.replace("\n", end).encode()
    for what, one, other, text in steps:
        try:
            done = step(data, what, (one, other), text)
        except MemtoolError:
            continue
        was = [data[item.start : item.end].rstrip(b"\r\n") for item in read(data)]
        now = [done[item.start : item.end].rstrip(b"\r\n") for item in read(done)]
        assert len(now) == len(was) + (what == "append")
        assert sum(a != b for a, b in zip(was, now, strict=False)) <= (what != "append")
        assert words(data) <= words(done)
        assert document.read(done).front == document.read(data).front
        for before, after in zip(read(data), read(done), strict=False):
            assert after.voids[: len(before.voids)] == before.voids
        data = done


def test_a_revised_entry_can_be_revised_again() -> None:
    """Each change adds a block below the last; the file reads as a history."""
    once = revise(FILE, "near 3,000", "at 4,000")
    twice = revise(once, "at 4,000", "at 5,000")
    found = entry(twice.encode(), "Post length")
    assert [void.text for void in found.voids] == [b"near 3,000", b"at 4,000"]
    assert found.records == (RecordLine("Why", "readers finish them."), RecordLine("Source", "talk"))
    assert live(twice).startswith("\nKeep each post at 5,000 words.")


def test_what_ends_open_is_refused_with_its_line() -> None:
    """A fence that nothing closes would swallow the record: the message names where it opens."""
    data = b"## A\n\ntext\n\n```\ncode\n"
    (only,) = read(data)
    with pytest.raises(MemtoolError, match="line 5 of the file opens"):
        confirmed(data, only, day=DAY)


@needs_data
def test_real_sections_can_be_confirmed_and_withdrawn() -> None:
    """In real files sections take a confirmation, and give their text back as void text, verbatim."""
    for path in sorted(DATA.glob("big-files/*--*.md")):
        data = path.read_bytes()
        for item in read(data)[::50]:
            if not item.live.strip():
                continue
            done = withdrawn(data, item, reason="r", day=DAY)
            (gone,) = [one for one in read(done) if one.slug == item.slug]
            assert gone.voids[-1].text == item.live.strip(b"\r\n"), (path.name, item.line)
            assert len(confirmed(data, item, day=DAY)) > len(data), (path.name, item.line)
