"""A new entry stands at the end of its file, reads back as meant, and moves nothing else."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtool.core import document
from memtool.core.blocks import lines
from memtool.core.entry import TOP, Entry, RecordLine, entries, read_heading
from memtool.core.writing.compose import Draft, appended, normalised
from memtool.core.writing.escape import escaped
from memtool.core.writing.process import is_process
from memtool.core.writing.title import LONGEST, joined, title_of
from memtool.errors import MemtoolError

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not beside this checkout")

LINES = [
    *("", "   ", "# One", "## 2026-01-01 [a:b] Two", "word", "a longer line, with words.", "===", "---", "- item"),
    *("  more", "1. first", "> quote", "> **Why:** so", "> **Void since 2026-01-01:** r. It said:", ">", "```", "~~~"),
    *("<!-- open", "--> shut", "<div>", "<pre>", "    code", "| a | b |", "[x]:", "结论是 49222。", "> ```", "- ```"),
    *(
        "\ufeff# x",
        "\\# y",
        "description: z",
        "...",
        "> **验证：** x",
        "> **Verified:** 2026-01-01",
        "\tq",
        "a\u2028# b",
    ),
]
TEXTS = st.lists(st.sampled_from(LINES) | st.text(max_size=8), max_size=9).map("\n".join)
FILES = st.builds(
    lambda front, body, end, last: (front + body).replace("\n", end).encode("utf-8", "surrogatepass") + last,
    st.sampled_from(["", "\ufeff", "---\ndescription: read before x\n---\n", "---\ndescription: x\n"]),
    TEXTS,
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([b"", b"\n", b"\r\n", b"\xff\n"]),
)
DRAFT = Draft("Keep it short.", date="2026-11-30")


def read(data: bytes) -> list[Entry]:
    return entries(data, document.read(data).body)


def slices(data: bytes) -> list[bytes]:
    return [data[item.start : item.end] for item in read(data)]


def refusal(data: bytes, draft: Draft) -> MemtoolError:
    with pytest.raises(MemtoolError) as error:
        appended(data, draft)
    assert error.value.hint
    return error.value


def test_an_entry_is_heading_text_and_records() -> None:
    """The entry stands below a blank line, its records below its text, in a fixed order."""
    draft = Draft(
        "Keep each post at 4,000 words. Shorter ones are not read.",
        date="2026-07-14", scope="project:blog", why="readers\n  finish them", source="talk", valid_until="2027-01-31",
    )  # fmt: skip
    assert appended(b"# Log\n", draft).decode() == (
        "# Log\n\n"
        "## 2026-07-14 [project:blog] Keep each post at 4,000 words\n\n"
        "Keep each post at 4,000 words. Shorter ones are not read.\n\n"
        "> **Source:** talk\n> **Why:** readers finish them\n> **Valid until:** 2027-01-31\n"
    )


@given(FILES, TEXTS, st.sampled_from(["", "*", "kind:name"]), st.text(max_size=20), st.text(max_size=20))
@example(b"---\ndescription: x\n", "```\n---\n```", "", "", "")
@example(b"> ```\n> open", "a", "", "", "")
def test_an_appended_entry_reads_back_or_is_refused(data: bytes, text: str, scope: str, title: str, why: str) -> None:
    """Whatever the file and the text: refused, or one entry more, as meant, and nothing else moved."""
    draft = Draft(text, date="2026-11-30", scope=scope, title=title, why=why)
    try:
        result = appended(data, draft)
    except MemtoolError:
        return
    assert result.startswith(data)
    assert document.read(result).front == document.read(data).front
    *others, new = read(result)
    assert [item.rstrip(b"\r\n") for item in slices(result)[:-1]] == [item.rstrip(b"\r\n") for item in slices(data)]
    assert [(item.slug, item.voids, item.records) for item in others] == [
        (item.slug, item.voids, item.records) for item in read(data)
    ]
    assert (new.level, new.date, new.scope, new.voids) == (2, "2026-11-30", scope, ())
    assert new.records == ((RecordLine("Why", " ".join(why.split())),) if why.split() else ())
    assert new.live.strip(b"\r\n").splitlines() == escaped(text).splitlines()
    assert new.slug not in {item.slug for item in others}
    if title.split():
        assert new.title.startswith(" ".join(title.split()))


@given(TEXTS)
def test_escaping_adds_backslashes_and_nothing_else(text: str) -> None:
    """An escaped text is the text, with backslashes before marks; what is escaped already stays as it is."""
    try:
        done = escaped(text)
    except MemtoolError:
        return
    assert escaped(done.decode()) == done
    for was, now in zip(text.replace("\r\n", "\n").strip(" \t\n").split("\n"), done.decode().split("\n"), strict=False):
        assert now.strip(" \t") in {was.strip(" \t"), "\\" + was.strip(" \t")}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("# x", "\\# x"),
        ("  ## x", "  \\## x"),
        ("a\n---\nb", "a\n\\---\nb"),
        ("a\n===", "a\n\\==="),
        ("a\n\n---\n\nb", "a\n\n---\n\nb"),
        ("> **Void since 2026-01-01:** x", "\\> **Void since 2026-01-01:** x"),
        ("a\n> **Why:** x\n> **Source:** y", "a\n\\> **Why:** x\n\\> **Source:** y"),
        ("> **Why:** x\n===", "\\> **Why:** x\n\\==="),
        ("> he said\n> **Why:** x", "> he said\n> **Why:** x"),
        ("> **Note:** x", "> **Note:** x"),
        ("```sh\n# x\n> **Why:** x\n---\n```", "```sh\n# x\n> **Why:** x\n---\n```"),
        ("<!-- # x\n# y -->", "<!-- # x\n# y -->"),
        ("- # in a list", "- # in a list"),
        ("#tag and #1", "#tag and #1"),
        ("\n\n    code\n\n", "    code"),
        ("ends in two blanks  \n \n", "ends in two blanks  "),
        ("a\r\nb", "a\nb"),
    ],
)
def test_only_what_would_forge_is_escaped(text: str, written: str) -> None:
    """Headings, underlines and record lines get a backslash; code, comments, quotes, rules and lists stay verbatim."""
    assert escaped(text) == written.encode()
    (new,) = read(appended(b"", DRAFT.replace(text=text)))
    assert (new.live.strip(b"\n"), new.records, new.voids) == (written.encode(), (), ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        (" \n\t\n", "empty"),
        ("\na\n```\nb", "line 3 of the text opens"),
        ("a\n\n<!-- b", "line 3 of the text opens"),
        ("a\nb\0", "line 2 of the text holds a NUL"),
        ("a\n\udcff", "line 2 of the text holds a byte that is not UTF-8"),
        ("a\nb\rc", "line 2 of the text ends in a carriage return"),
        ("a\n" + "---\n" * 40, "line 21 of the text would be read as a heading"),
    ],
)
def test_what_no_backslash_mends_is_refused_with_its_line(text: str, said: str) -> None:
    """The message names the line of the text, the hint the way out."""
    assert said in refusal(b"# Log\n", DRAFT.replace(text=text)).message


@pytest.mark.parametrize("data", [b"# A\n\n```\ncode\n", b"# A\n\n<!-- x\n", b"# A\r\n\r\n<pre>\r\nx"])
def test_a_file_that_ends_in_something_open_is_refused_with_its_line(data: bytes) -> None:
    """An open fence or comment would swallow the entry: the message names the line that opens it."""
    assert "line 3 of the file opens" in refusal(data, DRAFT).message
    fronted = b"---\ndescription: x\n---\n" + data
    assert "line 6 of the file opens" in refusal(fronted, DRAFT).message


def test_a_text_that_would_close_open_front_matter_is_refused() -> None:
    """A rule in the text may not turn the head of the file into front matter."""
    assert "nothing was changed" in refusal(b"---\ndescription: x\n", DRAFT.replace(text="```\n---\n```")).message


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("date", "2026-02-30"),
        ("date", ""),
        ("valid_until", "soon"),
        ("scope", "two words"),
        ("scope", "project"),
        ("title", "[project:blog] x"),
        ("title", "ends in #"),
        ("title", "a\0b"),
        ("why", "\udc80"),
        ("source", "a \0"),
    ],
)
def test_a_field_that_cannot_be_written_is_refused(field: str, value: str) -> None:
    """Dates, scopes, titles and record values are checked, never mended."""
    assert refusal(b"", DRAFT.replace(**{field: value})).message


def test_a_heading_that_the_file_has_gets_a_number() -> None:
    """No two entries of a file answer to the same anchor, not even by letters that the anchor drops."""
    data = appended(appended(appended(b"", DRAFT), DRAFT), DRAFT.replace(title="Keep it: SHORT"))
    assert [item.title for item in read(data)] == ["Keep it short", "Keep it short (2)", "Keep it: SHORT (3)"]
    taken = b"## 2026-11-30 Keep it short\n\n## 2026-11-30 Keep it short\n"
    assert read(appended(taken, DRAFT))[-1].title == "Keep it short (2)"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("tail", ["", "{}", "{}{}", "{}   {}"])
def test_the_entry_keeps_the_line_ends_of_the_file(end: str, tail: str) -> None:
    """A missing last line end is added, one blank line stands between, and CRLF stays CRLF."""
    data = ("# A{}{}last" + tail).replace("{}", end).encode()
    result = appended(data, DRAFT.replace(text="a\n\nb", why="c"))
    new = end.join(["## 2026-11-30 a", "", "a", "", "b", "", "> **Why:** c", ""]).encode()
    assert result.startswith(data)
    assert result.endswith(new)
    between = result[len(data.rstrip()) : -len(new)].decode()
    assert between.count(end) == 2


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Keep **each** post at [4,000](x) words. Not less.", "Keep each post at 4,000 words"),
        ("Note: the `max_size` of a pool is 8.", "Note: the max_size of a pool is 8"),
        ("Use v1.2 of e.g. requests here. Then stop.", "Use v1.2 of e.g. requests here"),
        ("端口是 49222。旧的是 22。", "端口是 49222"),
        ("- [ ] Ask Ada\n- [ ] Ask Bob", "Ask Ada"),
        ("## Result\n\ntext", "Result"),
        ("> quoted words", "quoted words"),
        ("| port | 22 |\n|---|---|", "port 22"),
        ("```\nmake all\n```", "make all"),
        ("[project:blog] 2026-01-01 [*] Done", "project:blog 2026-01-01 Done"),
        ("2026-01-01 was the day", "was the day"),
        ("We write C #", "We write C"),
        ("---\n\n***", ""),
        ("a hard\nwrapped line", "a hard wrapped line"),
        ("word " * 30, "word word word word word word word word word word word word"),
        (
            "The first clause of this sentence, because of a reason that goes on and on",
            "The first clause of this sentence",
        ),
        ("x" * 200, ""),
    ],
)
def test_a_title_is_the_first_clause_in_plain_words(text: str, title: str) -> None:
    """Marks go, the cut comes at the end of a sentence, of a clause, or else of a word."""
    assert title_of(text) == title


@given(TEXTS | st.text())
def test_a_title_is_short_on_one_line_and_a_title(text: str) -> None:
    """No text gives a title that is long, that breaks off within a word, or that reads as date or scope."""
    title = title_of(text)
    assert len(title) <= LONGEST
    assert title == " ".join(title.split())
    assert read_heading(title) == ("", "", title)
    assert {unicodedata.category(char) for char in title} & {"Cc", "Cs", "Zl", "Zp"} == set()


@given(st.lists(st.sampled_from(["wort", "a", "49222", "ключ", "结论", "，", "、", "max_size", "naïve"]), min_size=1))
def test_a_title_never_breaks_off_within_a_word(words: list[str]) -> None:
    """The cut of a long sentence has a word before it and none behind it."""
    line = " ".join(words)
    title = title_of(line)
    assert line.lstrip("，、 ").startswith(title)
    rest = line.lstrip("，、 ")[len(title) :]
    assert not (title and rest and joined(title[-1], rest[0]))


@given(st.text(), st.sampled_from(["\u200b", "\ufeff", "\u00ad", "\u200d", "\ufe0f"]))
@example("\ufdfa", "\u200b")
def test_normalising_folds_case_space_and_the_invisible(text: str, hidden: str) -> None:
    """What a reader would take for the same text has the same value, and a value stays what it is."""
    value = normalised(text)
    assert normalised(value) == value
    assert normalised(f" \n{text}\t ") == value
    assert normalised("Ａ Café" + hidden) == normalised("a\u3000cafe\u0301") == "a café"


@pytest.mark.parametrize(
    "text",
    [
        "I tried the cache first, it failed, then I looked at the proxy.",
        "Today we looked at the parser.",
        "Let me check the log.",
        "OK, let me read the file first.",
        "First, I ran the tests.",
        "首先看了日志，然后重启了服务，最后修复了。",
        "今天我们讨论了部署。",
        "我先试了缓存，然后又改了代理。",
        "- Step 1: open it\n- Step 2: read it\n- Step 3: close it",
        "10:01 started\n\n10:05 ran it\n\n10:09 done",
    ],
)
def test_a_story_is_told_from_a_conclusion(text: str) -> None:
    """Who tells what was done in which order is asked for what came of it, in one sentence."""
    assert is_process(text).startswith("It ")


@pytest.mark.parametrize(
    "text",
    [
        "Pipes swallow exit codes; use pipefail.",
        "We chose SQLite because one file is enough.",
        "Run the migration first, then restart.",
        "First install uv, then run the tests.",
        "部署前首先备份数据库。",
        "Today's limit is 4 KB.",
        "Step 1 of the release is the changelog.",
        "```\nLet me check\n```\nis what the agent prints.",
        "The user tried Vim, and prefers Emacs.",
        "",
    ],
)
def test_a_conclusion_is_no_story(text: str) -> None:
    """A rule, a choice with its reason and an instruction pass."""
    assert is_process(text) == ""


@needs_data
def test_few_sections_of_real_files_are_taken_for_a_story() -> None:
    """Of the sections of real documentation and memory files, one in fifty at most is doubted."""
    found = [item for path in DATA.glob("big-files/*--*.md") for item in read(path.read_bytes())]
    doubted = [item for item in found if is_process(item.live.decode(errors="replace"))]
    assert len(found) > 500
    assert len(doubted) * 50 <= len(found)


@needs_data
def test_real_files_take_an_entry_and_keep_all_others() -> None:
    """Every real file has one entry more, or is refused because it ends open."""
    for path in [*DATA.glob("big-files/*--*.md"), *DATA.glob("front-matter/**/*.md")]:
        data = path.read_bytes()
        was = [(item.slug, item.line) for item in read(data)]
        assert [(item.slug, item.line) for item in read(appended(data, DRAFT))][:-1] == was, path.name


@needs_data
def test_real_texts_become_entries() -> None:
    """Paragraphs that people and agents wrote are taken as they are; whatever they hold, they stay inside."""
    for path in [*DATA.glob("retrieval/memorybank-*/corpus.jsonl")]:
        for row in path.read_text().splitlines():
            text = json.loads(row)["text"]
            if not text.strip():
                continue
            (new,) = read(appended(b"", DRAFT.replace(text=text)))
            assert new.slug != TOP
            assert new.live.strip(b"\n") == escaped(text)
            assert not any(kind == "heading" for kind, _, _ in lines(escaped("x\n\n" + text)))
