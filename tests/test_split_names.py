"""The promises of memtool.core.split.words and names: headings as plain words, and as names of files."""

from __future__ import annotations

import unicodedata
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtool.core.blocks import Heading, headings
from memtool.core.split.names import MAX_NAME, Names
from memtool.core.split.words import plain, unmarked

DEVICES = {"con", "prn", "aux", "nul"} | {a + b for a, b in product(("com", "lpt"), "123456789¹²³")}
MARKS = "`*_[]()<>!\\&#;:~-/ @.'’\u200b\u200d\u0301\u20e3\ufe0f\U000e0041"
titles = st.one_of(st.text(max_size=60), st.text(MARKS + "aB1é中ক", max_size=60), st.sampled_from(sorted(DEVICES)))


def heading(text: str) -> Heading:
    return Heading(2, 0, 0, 1, text.encode("utf-8", "surrogateescape"), setext=False)


def name(title: str, *above: str) -> str:
    return Names("", ()).take(title, above)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('**Set** _up_ ~~the~~ *[tools](a/b(c).md "t")*', "Set up the tools"),
        ("[![build](b.svg)](https://ci) memtool", "build memtool"),
        ("[1.2.0][r] - [2026-01-01] [^note]", "1.2.0 - 2026-01-01"),
        ("`bd --json` and ``a ` b`` of snake_case", "bd --json and a ` b of snake_case"),
        ("`__init__` is not __init__", "__init__ is not init"),
        ("`&amp;` &amp; &#x4E2D; AT&T &copy", "&amp; & 中 AT&T &copy"),
        ("Press <kbd>Esc</kbd><!-- why? --> at <https://a.b>", "Press Esc at https://a.b"),
        (r"\*no emphasis\* \[no link\](x) 2 * 3", "*no emphasis* [no link](x) 2 * 3"),
        ("two\nlines \t folded\r\n", "two lines folded"),
        ("zero\u200b width\u202e &#x200b;\U000e0041\x07!", "zero width !"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("dict[str, int]", "dict str, int"),
        ("`open ** never closed [", "`open never closed"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_heading_is_read_as_plain_words(written: str, read: str) -> None:
    """What markdown hides is gone, what it shows stays, on one line."""
    assert plain(heading(written)) == read


@pytest.mark.parametrize("source", [b"## Set *up* ##\n", b"   ## Set up\n", b"Set\n`up`\n---\n"])
def test_any_kind_of_heading_is_read(source: bytes) -> None:
    """Closing marks and underlines are no part of what a heading says."""
    assert plain(headings(source)[0]) == "Set up"


@given(st.one_of(st.binary(max_size=80), st.text(MARKS + "a1中", max_size=80).map(str.encode)))
def test_any_bytes_are_read_as_one_visible_line(text: bytes) -> None:
    """No heading, whatever its bytes, gives a control character, an invisible one or a line end."""
    said = plain(Heading(1, 0, 0, 1, text, setext=False))
    assert said == " ".join(said.split())
    assert {unicodedata.category(char) for char in said} & {"Cc", "Cs", "Zl", "Zp"} == set()
    assert {char for char in said if unicodedata.category(char) == "Cf"} <= {"\u200c", "\u200d"}


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Don't **stop**!", "dont-stop.md"),
        ("C++ & C#: what's new?", "c-c-whats-new.md"),
        ("会议记录：第二次", "会议记录-第二次.md"),
        ("বাংলা ভাষা", "বাংলা-ভাষা.md"),
        ("ภาษาไทย ก็ได้", "ภาษาไทย-ก็ได้.md"),
        ("Cafe\u0301", "caf\u00e9.md"),
        ("../../etc/passwd", "etc-passwd.md"),
        ("2026-07-14 — v1.2", "2026-07-14-v1-2.md"),
        ("🎉", "section.md"),
        ("\u0301 \u3164", "section.md"),
        ("1\ufe0f\u20e3 First", "1-first.md"),
    ],
)
def test_a_name_keeps_the_letters_of_every_script(title: str, expected: str) -> None:
    """Letters, digits and their marks stay; all else is one dash between words, and no path."""
    assert name(title) == expected


def test_equal_headings_get_distinct_names_that_say_where_they_stand() -> None:
    """First the heading alone, then under the nearest one, then under all, then with a number."""
    names = Names("topics", {"INDEX.md", "source.md"})
    above = ("One", "Two")
    assert [names.take("Overview", above) for _ in range(5)] == [
        "topics/overview.md",
        "topics/two-overview.md",
        "topics/one-two-overview.md",
        "topics/two-overview-2.md",
        "topics/two-overview-3.md",
    ]
    assert names.take("Index", ()) == "topics/index-2.md"
    assert names.take("Source", ("The",)) == "topics/the-source.md"


@pytest.mark.parametrize(
    ("first", "second"), [("Straße", "STRASSE"), ("É", "e\u0301"), ("Σας", "ΣΑΣ"), ("ǅ", "ǆ"), ("a b", "A  b")]
)
def test_names_that_one_file_system_takes_for_another_are_a_clash(first: str, second: str) -> None:
    """Letter case, and how accents are written, tell no two files apart on every system."""
    names = Names("", ())
    assert names.take(first, ()) == name(first)
    assert names.take(second, ()).endswith("-2.md")


@pytest.mark.parametrize("device", sorted(DEVICES))
def test_no_part_is_named_like_a_windows_device(device: str) -> None:
    """A heading that is a device's name gets a word in front, or a number."""
    assert name(device.upper()) == f"{device}-2.md"
    assert name(device, "Old tools") == f"old-tools-{device}.md"


def test_a_long_heading_is_cut_where_a_word_ends() -> None:
    """A name stays under its limit, and its last word is whole where that loses little."""
    assert name("many words " * 40).removesuffix(".md").split("-")[-1] in {"many", "words"}
    assert name("x" * 500) == "x" * (MAX_NAME - 3) + ".md"
    assert name("x" * 90 + " " + "y" * 500) == "x" * 90 + ".md"


@given(st.integers(0, 8).map("a".__mul__), st.sampled_from(["কি", "é", "ก็", "g\u0308\u0308", "한", "中"]))
def test_no_letter_is_cut_from_its_marks(before: str, letter: str) -> None:
    """What a long name ends with is a whole letter of the script."""
    stem = name(before + letter * 100).removesuffix(".md").removeprefix(before)
    assert stem == letter.casefold() * (len(stem) // len(letter))


@given(st.lists(st.tuples(titles, st.lists(titles, max_size=3).map(tuple)), max_size=25), st.sets(titles, max_size=5))
def test_names_are_legal_and_distinct_on_every_system(
    asked: list[tuple[str, tuple[str, ...]]], taken: set[str]
) -> None:
    """Whatever the headings, each name is a plain file of the folder that no other and none taken is equal to."""
    held = {f"{one}.md" for one in taken}
    names = Names("", held)
    paths = [names.take(title, above) for title, above in asked]
    folded = [unicodedata.normalize("NFC", unicodedata.normalize("NFC", one).casefold()) for one in [*paths, *held]]
    assert len(set(folded[: len(paths)])) == len(paths)
    assert set(folded[: len(paths)]).isdisjoint(folded[len(paths) :])
    for path in paths:
        stem = path.removesuffix(".md")
        assert len(path.encode()) <= MAX_NAME
        assert path == unicodedata.normalize("NFC", path) == stem + ".md"
        assert stem.strip("-") == stem != ""
        assert "--" not in stem
        assert all(char == "-" or unicodedata.category(char)[0] in "LNM" for char in stem)
        assert stem.casefold() not in DEVICES


def test_many_equal_headings_cost_no_search() -> None:
    """The last of ten thousand equal headings asks for no more names than the tenth."""
    names = Names("", ())
    asked = [names.take("Added", ("Changelog",)) for _ in range(10_000)]
    assert len(set(asked)) == 10_000
    assert asked[-1] == "changelog-added-9999.md"
    assert names._numbers == {"changelog-added": 9_998}


@given(st.text(MARKS + "a1", max_size=30), st.integers(1, 300))
def test_repeating_a_text_reads_the_same_again(text: str, times: int) -> None:
    """Marks that never end, however often they are repeated, hide nothing of what stands behind them."""
    assert unmarked(f"{text * times} plain".replace("`", "'").replace("<", "(")).endswith("plain")
