"""`describe`: what has no description that routes, and descriptions set without another byte changed."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from memory import GOOD, Memory

from memtool.core import document
from memtool.core.describe import Change, change, checked, present
from memtool.core.plainyaml import quote
from memtool.errors import MemtoolError
from memtool.jobs import describe as jobs

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "front-matter" / "front-matter.jsonl"
needs_data = pytest.mark.skipif(not DATA.is_file(), reason="../shared/data is not beside this checkout")

TEXT = 'read before git: it\'s "odd" \\ # 中文'
QUOTED = '"read before git: it\'s \\"odd\\" \\\\ # 中文"'
BOM = b"\xef\xbb\xbf"
ENDS = pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
BODY = "\n# Head\n\n---\nText  \n\n\n"


def set_in(data: bytes, text: str = TEXT, *, draft: bool = False) -> bytes:
    return change("topics/a.md", data, text, draft=draft).after


def refusal(data: bytes, text: str = TEXT) -> MemtoolError:
    with pytest.raises(MemtoolError) as raised:
        set_in(data, text)
    return raised.value


# --- the bytes that are changed --------------------------------------------------------------------------------------

# A front matter, and what it becomes; DESC is the description as it is written.
BLOCKS = {
    "plain": ("a: 1\ndescription: old one\nb: 2\n", "a: 1\ndescription: DESC\nb: 2\n"),
    "plain with comment": ("description:  old  # why\n", "description:  DESC  # why\n"),
    "single quotes": ("description: 'it''s'   \nb: 'x'\n", "description: DESC   \nb: 'x'\n"),
    "double quotes": ('"description" : "a \\" b" # c\n', '"description" : DESC # c\n'),
    "plain, three lines": ("description: a\n  b\n  c # d\nb: 1\n", "description: DESC # d\nb: 1\n"),
    "quoted, two lines": ('description: "a\n\n  b"\nb: 1\n', "description: DESC\nb: 1\n"),
    "on the next line": ("description:\n  a\n  b\nb: 1\n", "description:\n  DESC\nb: 1\n"),
    "folded": (
        "description: >-  # c\n  a\n\n  b: c\n\n\n# about b\nb: 1\n",
        "description: DESC  # c\n\n\n# about b\nb: 1\n",
    ),
    "literal, last": ("b: |\n  x\n\ndescription: |2+\n    a\n  b\n\n", "b: |\n  x\n\ndescription: DESC\n\n"),
    "literal, empty": ("description: |\n\nb: 1\n", "description: DESC\n\nb: 1\n"),
    "empty": ("description:\nb: 1\n", "description: DESC\nb: 1\n"),
    "empty with comment": ("description: # later\nb: 1\n", "description: DESC # later\nb: 1\n"),
    "null": ("description: ~\n", "description: DESC\n"),
    "none": ("# first\nb: 1 # one\nc: [x, 'y']\n", "description: DESC\n# first\nb: 1 # one\nc: [x, 'y']\n"),
    "none, indented": ("  b: 1\n  c: 2\n", "  description: DESC\n  b: 1\n  c: 2\n"),
    "no key": ("", "description: DESC\n"),
    "blank": ("\n", "description: DESC\n\n"),
    "comment alone": ("# later\n", "description: DESC\n# later\n"),
    "neighbour": ("a: 1\nsummary: old # c\n", "a: 1\nsummary: DESC # c\n"),
    "both": ("summary: old\ndescription: ''\n", "summary: old\ndescription: DESC\n"),
    "nested namesake": ("m:\n  description: x\n", "description: DESC\nm:\n  description: x\n"),
    "draft": ("a: 1\ndescription: old\ndescription_status: draft # x\nb: 1\n", "a: 1\ndescription: DESC\nb: 1\n"),
    "draft above": ("description_status: >-\n  draft\n\ndescription: old\n", "\ndescription: DESC\n"),
    "another status": ("description: old\ndescription_status: ok\n", "description: DESC\ndescription_status: ok\n"),
    "wide letters": ("标题: 记忆 🧠\ndescription: 旧 # 注\né: ü\n", "标题: 记忆 🧠\ndescription: DESC # 注\né: ü\n"),
    "in braces": ("{a: 1, description: old, b: 2}\n", "{a: 1, description: DESC, b: 2}\n"),
    "unquoted colon": ("a: 1\ndescription: read before: git\nb: 1\n", "a: 1\ndescription: DESC\nb: 1\n"),
    "unquoted colon with comment": ("description: read before: git  # c\n", "description: DESC # c\n"),
    "open quote": ('description: "read # git\nb: 1\n', "description: DESC\nb: 1\n"),
    "an alias": ("description: *read* it\nb: 1\n", "description: DESC\nb: 1\n"),
    "braces for text": ("description: {{text}}\nb: 1\n", "description: DESC\nb: 1\n"),
}


@ENDS
@pytest.mark.parametrize("mark", [b"", BOM], ids=["", "BOM"])
@pytest.mark.parametrize("name", BLOCKS)
def test_only_the_description_changes(name: str, mark: bytes, end: str) -> None:
    """Order, comments, quoting, line ends, byte order mark, blank lines and body stay as they are."""
    before, after = (
        mark + f"--- \n{block}---\n{BODY}".replace("\n", end).replace("DESC", QUOTED).encode() for block in BLOCKS[name]
    )
    assert set_in(before) == after
    assert set_in(after) == after


@ENDS
@pytest.mark.parametrize("mark", [b"", BOM], ids=["", "BOM"])
@pytest.mark.parametrize(
    "body", ["", "Text", "\n\n# Head\n", "---\nprose between rules\n---\n", "---not-a-fence\na: b\n---\n", "----\n"]
)
def test_a_file_without_front_matter_gets_a_block_on_top(body: str, mark: bytes, end: str) -> None:
    """In its own line ends; every byte of the file follows it."""
    text = body.replace("\n", end).encode()
    own = end.encode() if end.encode() in text else b"\n"
    block = own.join([b"---", f"description: {QUOTED}".encode(), b"---", b""])
    assert set_in(mark + text) == mark + block + text


def test_bytes_of_the_body_that_are_no_text_are_kept() -> None:
    """Only the front matter has to be UTF-8."""
    body = b"\xff\x00\xe9\r\n\n\r" + "记".encode()[:2]
    assert set_in(b"---\na: 1\n---\n" + body) == f"---\ndescription: {QUOTED}\na: 1\n---\n".encode() + body
    assert set_in(body).endswith(b"---\r\n" + body)


@ENDS
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: 1\n", "description: DESC\ndescription_status: draft\na: 1\n"),
        ("a: 1\ndescription: x # c\nb: 1\n", "a: 1\ndescription: DESC # c\ndescription_status: draft\nb: 1\n"),
        ("description: |\n  x\n\n", "description: DESC\ndescription_status: draft\n\n"),
        ("  description: x\n", "  description: DESC\n  description_status: draft\n"),
        ("description_status: draft\ndescription: x\n", "description_status: draft\ndescription: DESC\n"),
        ("description_status: ok # c\ndescription: x\n", "description_status: draft # c\ndescription: DESC\n"),
    ],
)
def test_a_draft_is_marked_as_one(before: str, after: str, end: str) -> None:
    """One line more, below the description; where a status stands, that one says it."""
    old, new = (f"---\n{block}---\n".replace("\n", end).replace("DESC", QUOTED).encode() for block in (before, after))
    assert set_in(old, draft=True) == new
    assert document.read(new).draft


@pytest.mark.parametrize(
    ("block", "line", "said"),
    [
        ("a: 1\ndescription: [x, y]\n", 3, "a list or a map stands here"),
        ("a: 1\ndescription:\n  - x\n", 3, "a list or a map stands here"),
        ("description:\n  a: b\n", 2, "a list or a map stands here"),
        ("summary: [x]\n", 2, "a list or a map stands here"),
        ("description: x\ndescription_status: [draft]\n", 3, "a list or a map stands here"),
        ("description: a\ndescription: b\n", 3, "stands twice"),
        ("name: a: b\ndescription: x\n", 2, "not YAML"),
        ("name: a: b\ndescription: read before: git\n", 2, "not YAML"),
        ("description: read before: git\n  and more\n", 2, "not YAML"),
        ("description: read\n  before: git\n", 3, "not YAML"),
        ("name: &x y\n", 2, "anchors"),
        ("title: \udcff\ndescription: x\n", 2, "not UTF-8"),
    ],
)
def test_what_cannot_be_set_safely_is_refused_at_its_line(block: str, line: int, said: str) -> None:
    """Lists, maps, and front matter that is broken anywhere but in the description's own line."""
    error = refusal(f"---\n{block}---\nText\n".encode("utf-8", "surrogateescape"))
    assert error.message.startswith(f"topics/a.md:{line}: ")
    assert said in error.message
    assert error.message.endswith(("; nothing was changed", "stands here"))
    assert error.hint


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"---\n{a: 1}\n---\n", "without changing more"),
        (b"---\n" + b"# x\n" * 2045 + b"---\n", "of front matter; at most 8,192 are read"),
        (b"---\ndescription: x\n", "never closed"),
    ],
)
def test_a_result_that_would_not_read_back_is_not_given(data: bytes, said: str) -> None:
    """What comes out is read again and compared; a doubt is a refusal."""
    assert said in refusal(data).message


class Form(NamedTuple):
    """A description as it may stand in front matter: what is before it, itself, what is behind it."""

    before: str
    value: str
    after: str


FORMS = [
    Form("description: ", "old", " # c\n"),
    Form("description:   ", "'it''s # no comment'", "  \n"),
    Form("'description': ", '"a \\u0041\\n b"', " # c\n"),
    Form("description: ", "a\n  b\n\n  c", "\n"),
    Form("description: ", "'a\n\n  b'", " # c\n"),
    Form("description:\n  ", "below it", "\n"),
    Form("description:\n\n  # c\n  ", '"below\n  it"', "\n\n"),
    Form("description: ", "~", "\n"),
    Form("summary: ", "the neighbour's", "\n"),
    Form("? description\n: ", "old", "\n"),
]
OTHERS = [
    "k{}: plain text # c\n",
    "k{}: 'it''s: # quoted'\n",
    'k{}: "\\u4e2d: \\" \\\\ quoted"\n',
    "k{}:\n- a # c\n- 'b'\n",
    "k{}:\n  description: nested\n  d: [x, 'y']\n",
    "k{}: |-\n  description: literal\n\n   more\n\n",
    "k{}: >+\n  folded\n  text\n\n\n",
    "k{}: 记忆 🧠\n",
    "k{}:\n",
    "k{}: two\n  lines\n",
    "k{}: {{a: b, c: 'd'}}\n",
    "# a comment with description: in it\n",
    "\n",
    "  \n",
]
others = st.lists(st.sampled_from(OTHERS), max_size=4)
letters = st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"))


def can_be_one(text: str) -> bool:
    try:
        return checked(text) == text
    except MemtoolError:
        return False


descriptions = st.one_of(
    st.text(letters, min_size=1, max_size=40),
    st.lists(
        st.sampled_from([*"'\":#\\{}[]|>-?&*!%@`~, ", "no", "10:00", "中", "read", "---", "...", "\u200d", "\ufffd"])
    ).map("".join),
).filter(can_be_one)


@given(st.sampled_from(FORMS), others, others, st.sampled_from(["\n", "\r\n", "\r"]), descriptions, st.booleans())
def test_any_text_goes_into_any_front_matter(
    form: Form,
    above: list[str],
    below: list[str],
    end: str,
    text: str,
    marked: bool,  # noqa: FBT001 (hypothesis gives it)
) -> None:
    """All bytes around the description stay; PyYAML's safe reader gives back exactly the text."""
    keys = [key.format(at) for at, key in enumerate([*above, "", *below])]
    head = "---\n" + "".join(keys[: len(above)]) + form.before
    tail = form.after + "".join(keys[len(above) :]) + "---\nBody\n"
    start, finish = ((BOM if marked else b"") + head.replace("\n", end).encode(), tail.replace("\n", end).encode())
    after = set_in(start + form.value.replace("\n", end).encode() + finish, text)
    assert after == start + quote(text).encode() + finish
    page = document.read(after)
    block = after.removeprefix(BOM)[3 : page.body - len(BOM if marked else b"")].decode().rpartition("---")[0]
    assert text in {yaml.safe_load(block).get(key) for key in ("description", "summary")}


PIECES = [
    *"a:-?'\"[]{},>|~%\\#中",
    "description",
    "summary",
    "description_status",
    "draft",
    "|2+",
    "&x ",
    "*x",
    "!t ",
    "---",
]
BLANKS = [": ", ", ", " # ", " ", "\n", "\n  ", "\t", "\r", "\x85", "\u2028", "\udcff", "\ndescription: "]
front_like = st.lists(st.sampled_from([*PIECES, *BLANKS]), max_size=14).map("".join)


@given(front_like, st.booleans())
@example("a: 1\n\x85\x85a:", False)  # YAML counts a line here that no editor and no git does
def test_whatever_stands_there_it_is_set_or_refused_by_name(front: str, draft: bool) -> None:  # noqa: FBT001 (as above)
    """Nothing between two fences makes memtool fail; what was set once is set, and a second time changes nothing."""
    data = f"---\n{front}\n---\nBody\n".encode("utf-8", "surrogateescape")
    try:
        made = change("a.md", data, TEXT, draft=draft)
    except MemtoolError:
        return
    page = document.read(made.after)
    assert TEXT in {page.front.get("description"), page.front.get("summary")}
    assert page.draft == draft
    assert change("a.md", made.after, TEXT, draft=draft).after == made.after


@needs_data
def test_in_every_real_front_matter_only_the_description_changes() -> None:
    """Each readable block of 1,117 takes one; the lines that go held a description, and one line comes."""
    taken = 0
    for line in DATA.read_text().splitlines():
        raw = json.loads(line)["raw"].encode()
        page = document.read(raw)
        if page.error is None:
            taken += 1
            assert_only_the_description_differs(change("a.md", raw, TEXT))
    assert taken > 1000


def assert_only_the_description_differs(made: Change) -> None:
    before, after = (document.read(data) for data in (made.before, made.after))
    key = "description" if "description" in after.front else "summary"
    gone, come = difference(made)
    assert len(come) == 1
    assert come[0].lstrip(" ").removeprefix(f"{key}: ").startswith(QUOTED)
    assert (key in before.front) == bool(gone)
    assert all(line.startswith((f"{key}:", " ")) or not line for line in gone)
    assert {**before.front, key: TEXT} == {**after.front}


def difference(made: Change) -> tuple[list[str], list[str]]:
    """Give the lines that differ, by taking away what is equal at both ends."""
    old, new = (data.decode().splitlines() for data in (made.before, made.after))
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return old, new


# --- what can be a description ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "blank"),
        (" \u3000\n", "blank"),
        ("read before git\nand after", "more than one line"),
        ("read\u2028before", "more than one line"),
        ("read before\tgit", "U+0009"),
        ("read before\x1b[31m git", "U+001B"),
        ("read before\u200bgit", "U+200B"),
        ("read before\u202egit", "U+202E"),
        ("read before \U000e0041git", "U+E0041"),
        ("read before \udcff", "U+DCFF"),
        ("x" * 301, "301 bytes, 1 over 300"),
        ("记" * 101, "303 bytes, 3 over 300"),
        ("read before AKIA" + "Z7Q2" * 4, "a secret (AWS access key id)"),
    ],
)
def test_what_can_be_no_description_is_told_by_name(text: str, said: str) -> None:
    """Blank, of several lines, with what no screen shows, too long, or a secret, which is not repeated."""
    with pytest.raises(MemtoolError) as raised:
        checked(text)
    assert said in raised.value.message
    assert "Z7Q2" not in raised.value.message


@pytest.mark.parametrize(
    "text",
    [
        "x" * 300,
        "读前　必读",
        "read before\xa0git",
        "👨\u200d👩\u200d👧 when",
        "می\u200cخواهم",
        "a \\ \" ' @b <c> [d] `e` \ufffd",
    ],
)
def test_what_people_write_can_be_one(text: str) -> None:
    """300 bytes, wide blanks, joiners within words and emoji, and all that is active in markdown."""
    assert checked(f"  {text} ") == text


@pytest.mark.parametrize(
    ("front", "state", "reason"),
    [
        ("description: read before git work\n", "good", ""),
        ("summary: read before git work\n", "good", ""),
        ("source_date: 2026-01-01\n", "missing", ""),
        ("description: read before git\ndescription_status: draft\n", "draft", ""),
        ("description: git\n", "weak", "only repeats the title"),
        ("description: pipes\n", "weak", "names no occasion to read the file"),
        (f"description: read before {'x' * 300}\n", "weak", "has 312 bytes; the index shows 300"),
        ("a: b: c\n", "unreadable", "t.md:2: not YAML: mapping values are not allowed here"),
    ],
)
def test_a_file_is_judged_by_its_description(front: str, state: str, reason: str) -> None:
    """Good, missing, a draft, weak or unreadable; and why."""
    found = present("t.md", f"---\n{front}---\n# Git\n".encode())
    assert (found.state, found.reason) == (state, reason)


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def repo(tmp_path: Path) -> Memory:
    """Give a committed memory with one good topic, to which tests add others."""
    return Memory.started(tmp_path / "repo")


def page(front: str, size: int = 0) -> str:
    return f"---\n{front}source_date: 2026-01-01\n---\n\n# Page\n" + "x" * size


def four_kinds(repo: Memory) -> None:
    repo.write("topics/long.md", page("", 12_000))
    repo.write("projects/blog.md", page("description: read before posting\ndescription_status: draft\n", 3_000))
    repo.write("topics/odd name.md", page('description: "pipes"\n'))
    repo.write("topics/broken.md", page("description: read before: git\n"))
    repo.write("notes/desk/2026-11.md", "# Notes\n")
    (repo.root / "topics" / "link.md").symlink_to("git.md")


SCREEN = """\
 bytes  state       path
12,040  missing     topics/long.md
 3,099  draft       projects/blog.md
                    “read before posting”
    70  unreadable  topics/broken.md
                    topics/broken.md:2: not YAML: mapping values are not allowed here
    61  weak        topics/odd name.md
                    “pipes” names no occasion to read the file
     0  unreadable  topics/link.md
                    topics/link.md: a symbolic link

Next: memtool describe topics/long.md "read before …"
"""


def test_the_list_is_a_screen_with_the_largest_first(repo: Memory) -> None:
    """Bytes, state, path, and below it what stands there; journals have one row and are left out."""
    four_kinds(repo)
    before = repo.state()
    done = repo.run("describe", ok=(0,))
    assert (done.stdout, done.stderr) == (SCREEN, "")
    assert repo.state() == before


def test_the_list_as_json_has_all(repo: Memory) -> None:
    """Every file that lacks one, and how many do not."""
    for number in range(30):
        repo.write(f"topics/t{number:02}.md", page("", number))
    found = json.loads(repo.run("describe", "--format", "json", ok=(0,)).stdout)
    assert list(found) == ["schema", "files", "described"]
    assert (found["schema"], len(found["files"]), found["described"]) == ("memtool.describe/1", 30, 1)
    expected = {"path": "topics/t29.md", "bytes": 69, "state": "missing", "description": "", "reason": ""}
    assert found["files"][0] == expected
    shown = repo.run("describe", ok=(0,)).stdout.splitlines()
    assert shown[20].endswith("topics/t10.md")
    assert shown[21:] == ["10 more (--format json has all)", "", 'Next: memtool describe topics/t29.md "read before …"']


def test_nothing_to_describe_is_said_with_its_ground(repo: Memory) -> None:
    """How many files were looked at; a page of the index is none."""
    repo.write("topics/INDEX.md", "<!-- Generated by `memtool index` from another layout -->\n")
    said = "Nothing to describe: 1 file on demand looked at, none without a description that says when to open it.\n"
    assert repo.run("describe", ok=(0,)).stdout == said
    assert repo.run("describe", "--with", "false", ok=(0,)).stdout == "Nothing to describe.\n"


def test_one_path_shows_that_file_also_when_it_is_good(repo: Memory) -> None:
    """Its state and its words; from where one stands."""
    four_kinds(repo)
    good = Memory(repo.root / "topics").run("describe", "git.md", ok=(0,)).stdout
    assert good == (
        "bytes  state       path\n  101  good        topics/git.md\n"
        "                   “read before git work: pipes swallow exit codes”\n"
    )
    weak = repo.run("describe", "topics/odd name.md", ok=(0,)).stdout
    assert weak.endswith("Next: memtool describe 'topics/odd name.md' \"read before …\"\n")


def test_setting_writes_the_file_and_its_row_and_commits_nothing(repo: Memory) -> None:
    """What was written and the next step are said; the same again changes nothing."""
    head = repo.git("rev-parse", "HEAD")
    done = repo.run("describe", "topics/git.md", TEXT, ok=(0,))
    assert done.stdout.splitlines() == [
        "written: topics/git.md",
        "written: INDEX.md",
        "1 file on 1 page",
        "Not committed. Next: git diff, then git add and git commit.",
    ]
    assert done.stderr == ""
    assert (repo.root / "topics/git.md").read_bytes() == set_in(GOOD.encode())
    assert "read before git: it's" in (repo.root / "INDEX.md").read_text()
    assert repo.git("rev-parse", "HEAD") == head
    assert repo.git("diff", "--cached") == ""
    state = repo.state()
    assert repo.run("describe", "topics/git.md", TEXT, ok=(0,)).stdout == "unchanged: topics/git.md\n"
    assert repo.state() == state


def test_a_dry_run_shows_the_difference_and_writes_nothing(repo: Memory) -> None:
    """A unified diff of the front matter."""
    before = repo.state()
    done = repo.run("describe", "topics/git.md", "when pipes\u200d fail", "--dry-run", ok=(0,))
    assert done.stdout == (
        "--- topics/git.md\n+++ topics/git.md\n@@ -1,4 +1,4 @@\n ---\n"
        '-description: "read before git work: pipes swallow exit codes"\n'
        '+description: "when pipes\\u200d fail"\n'
        " source_date: 2026-01-01\n ---\nNothing was written.\n"
    )
    assert repo.state() == before


def test_a_weak_text_is_written_and_said_to_be_weak(repo: Memory) -> None:
    """A person decides; stderr says why no agent will come."""
    done = repo.run("describe", "topics/git.md", "pipes", ok=(0,))
    assert "written: topics/git.md" in done.stdout
    assert done.stderr == "memtool: topics/git.md: weak: the description names no occasion to read the file\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["resident/rules.md", TEXT], "read at every start"),
        (["INDEX.md", TEXT], "not a memory file on demand"),
        (["topics", TEXT], "not a memory file on demand"),
        (["topics/none.md", TEXT], "no such file"),
        (["../outside.md", TEXT], "not in the memory repo"),
        (["topics/link.md", TEXT], "a symbolic link"),
        (["topics/ignored.md", TEXT], "git ignores it"),
        (["topics/page.md", TEXT], "a page that `memtool index` generates"),
        (["topics/git.md", "two", "words"], "Put TEXT in quotes"),
        (["topics/git.md", "topics/long.md"], "is a file"),
        (["topics/git.md", " "], "blank"),
        (["topics/git.md", "x" * 400], "400 bytes, 100 over 300"),
        (["topics/git.md", TEXT, "--format", "json"], "--format json is for the list"),
        (["topics/broken.md", TEXT], "topics/broken.md:2: not YAML"),
    ],
)
def test_bad_input_changes_nothing(repo: Memory, words: list[str], said: str) -> None:
    """Exit 2, what is wrong, and every byte as it was."""
    four_kinds(repo)
    repo.write("topics/broken.md", page("name: a: b\n"))
    repo.write("topics/page.md", "<!-- Generated by `memtool index` -->\n")
    repo.write(".gitignore", "/.memtool/\nignored.md\n")
    repo.write("topics/ignored.md", page(""))
    before = repo.state()
    done = repo.run("describe", *words, ok=(2,))
    assert said in done.stderr
    assert done.stdout == ""
    assert repo.state() == before


def test_a_file_that_changes_meanwhile_is_left_as_it_is(repo: Memory) -> None:
    """What was read is compared with what is there; the others are written."""
    repo.write("topics/b.md", page(""))
    changes = [jobs.prepare(str(repo.root), path, TEXT) for path in ("topics/git.md", "topics/b.md")]
    repo.write("topics/git.md", GOOD + "more\n")
    applied = jobs.apply(str(repo.root), changes)
    assert applied.written == ("topics/b.md",)
    assert [error.message for error in applied.failed] == ["topics/git.md: changed meanwhile; it is left as it is"]
    assert (repo.root / "topics/git.md").read_text() == GOOD + "more\n"


def test_an_index_that_cannot_be_written_is_told_and_the_file_is_kept(repo: Memory) -> None:
    """A page that memtool did not generate is not overwritten, and the description is not lost."""
    repo.write("INDEX.md", "My own.\n")
    done = repo.run("describe", "topics/git.md", TEXT, ok=(2,))
    assert "written: topics/git.md" in done.stdout
    assert "the index is not refreshed: INDEX.md: " in done.stderr
    assert (repo.root / "INDEX.md").read_text() == "My own.\n"


# --- a command that describes ----------------------------------------------------------------------------------------


def undescribed(repo: Memory) -> Path:
    """Add two files without a description to *repo*; give the larger."""
    repo.write("topics/small.md", "# Small\n")
    return repo.write("topics/big.md", page("description_status: ok # c\n", 100))


def test_a_command_gets_the_text_and_what_it_prints_is_a_draft(repo: Memory) -> None:
    """Without front matter, the largest file first; no person has seen it, so each is marked."""
    undescribed(repo)
    done = repo.run(
        "describe", "--with", "echo; printf '  \"read before '; head -c 8 | tr -d '\\n'; echo '\"'", ok=(0,)
    )
    assert done.stderr == ""
    assert done.stdout == (
        "--- topics/big.md\n+++ topics/big.md\n@@ -1,4 +1,5 @@\n ---\n"
        "-description_status: ok # c\n"
        '+description: "read before # Page"\n+description_status: draft # c\n'
        " source_date: 2026-01-01\n ---\n"
        "--- topics/small.md\n+++ topics/small.md\n@@ -0,0 +1,4 @@\n"
        '+---\n+description: "read before # Small"\n+description_status: draft\n+---\n'
        "written: topics/big.md\nwritten: topics/small.md\nwritten: INDEX.md\n3 files on 1 page\n"
        "Not committed. Next: git diff, then git add and git commit.\n"
    )
    assert (repo.root / "topics/small.md").read_text().endswith("---\n# Small\n")


def test_what_is_approved_beforehand_is_no_draft(repo: Memory) -> None:
    """--yes, for the paths that are named alone."""
    undescribed(repo)
    repo.run("describe", "--with", "echo read before x", "--yes", "topics/small.md", ok=(0,))
    assert (repo.root / "topics/small.md").read_text() == '---\ndescription: "read before x"\n---\n# Small\n'
    assert "description:" not in (repo.root / "topics/big.md").read_text()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("exit 3", "the command failed (exit code 3)"),
        ("kill -9 $$", "the command failed (signal 9)"),
        ("no-such-program-here", "the command was not found (exit code 127)"),
        ("true", "the command printed no lines"),
        ("echo; echo ' '", "the command printed no lines"),
        ("echo a; echo b", "the command printed 2 lines"),
        ("printf 'read \\377'", "the command printed the byte 0xff, which is not UTF-8"),
        ("yes", "the command printed more than 65,536 bytes"),
        ("printf 'read \\033[1m'", "the description holds a control or invisible character, U+001B"),
        ("echo '\"\"'", "the description is blank"),
        ("head -c 400 /dev/zero | tr '\\0' x", "the description has 400 bytes, 100 over 300"),
    ],
)
def test_a_command_that_fails_for_a_file_is_told_and_the_others_go_on(repo: Memory, command: str, said: str) -> None:
    """Exit 1 at the end; the file that failed is as it was."""
    kept = undescribed(repo)
    before = kept.read_bytes()
    done = repo.run("describe", "--with", f"if grep -q Page; then {command}; else echo read when small; fi", ok=(1,))
    assert f"memtool: topics/big.md: {said}" in done.stderr
    assert "written: topics/small.md\n" in done.stdout
    assert kept.read_bytes() == before


def test_where_nothing_can_be_set_the_command_is_not_asked(repo: Memory) -> None:
    """A run may cost money; broken front matter is told before it."""
    repo.write("topics/broken.md", page("name: a: b\n"))
    done = repo.run("describe", "--with", "echo asked >>asked; echo read when x", ok=(1,))
    assert "topics/broken.md:2: not YAML" in done.stderr
    assert not (repo.root / "asked").exists()


def test_a_command_out_of_time_is_ended_with_all_that_it_started(repo: Memory) -> None:
    """The process group is killed: nothing of it is left to write later, or to hold the terminal."""
    undescribed(repo)
    command = "(sleep 3; echo >>left) & sleep 600"
    done = repo.run("describe", "--with", command, "--timeout", "1", "topics/big.md", ok=(1,))
    assert "topics/big.md: the command did not end within 1 seconds" in done.stderr
    assert not (repo.root / "left").exists()  # stderr is read to its end, which a child that lives would put off


def test_a_command_sees_none_of_gits_variables(repo: Memory) -> None:
    """A git of its own works in the repository that it stands in."""
    undescribed(repo)
    env = {"GIT_AUTHOR_NAME": "Eve", "GIT_WORK_TREE": "/"}
    repo.run("describe", "--with", 'echo "read before $(env | grep -c ^GIT_)"', env=env, ok=(0,))
    assert 'description: "read before 0"' in (repo.root / "topics/big.md").read_text()


def on_a_terminal(repo: Memory, *args: str, answer: str) -> tuple[str, int]:
    """Run memtool as from a terminal on which *answer* is typed; give what the screen shows, and the exit code."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "memtool", *args]
    with subprocess.Popen(command, cwd=repo.root, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        os.write(ours, answer.encode())
        shown = b""
        while data := read_terminal(ours):
            shown += data
    os.close(ours)
    return shown.decode().replace("\r\n", "\n"), process.returncode


def read_terminal(fd: int) -> bytes:
    try:
        return os.read(fd, 4096)
    except OSError:  # how Linux says that nobody has the other end any more
        return b""


@pytest.mark.parametrize(("answer", "written"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_on_a_terminal_a_person_sees_all_and_is_asked_once(repo: Memory, *, answer: str, written: bool) -> None:
    """Progress, the differences, one question; what is approved is no draft, what is not is not written."""
    undescribed(repo)
    shown, code = on_a_terminal(repo, "describe", "--with", "echo read when asked", answer=answer)
    assert code == 0
    assert "1/2 topics/big.md\n--- topics/big.md\n" in shown
    assert "2/2 topics/small.md\n" in shown
    assert shown.count("write these 2 descriptions? [y/N]") == 1
    assert "\x1b" not in shown
    assert ("Nothing was written." in shown) != written
    text = '---\ndescription: "read when asked"\n---\n# Small\n' if written else "# Small\n"
    assert (repo.root / "topics/small.md").read_text() == text


def test_an_interrupt_leaves_every_file_as_it_was(repo: Memory) -> None:
    """Ctrl-C while the second command runs: nothing is written, and the command does not run on."""
    undescribed(repo)
    started = repo.root / "started"
    os.mkfifo(started)
    before = repo.git("status", "--porcelain"), (repo.root / "topics/big.md").read_bytes()
    command = "if grep -q Page; then echo read when x; else echo $$ >started; exec sleep 600; fi"
    with subprocess.Popen(
        [sys.executable, "-m", "memtool", "describe", "--with", command],
        cwd=repo.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        child = int(started.read_text())
        process.send_signal(signal.SIGINT)
        out, said = process.communicate()
    assert process.returncode != 0
    assert b"Traceback" not in said
    assert b"written:" not in out
    assert (repo.git("status", "--porcelain"), (repo.root / "topics/big.md").read_bytes()) == before
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


# --- approved --------------------------------------------------------------------------------------------------------


def test_a_draft_is_approved_as_it_stands(tmp_path: Path) -> None:
    """--approve takes the mark away and leaves the words; without a PATH it takes nothing."""
    memory = Memory.started(tmp_path)
    memory.write("topics/a.md", '---\ndescription: "read before x"\ndescription_status: draft\n---\n# A\n')
    memory.run("describe", "--approve", "topics/a.md", ok=(0,))
    assert (memory.root / "topics/a.md").read_text() == '---\ndescription: "read before x"\n---\n# A\n'
    assert "PATHs of drafts" in memory.run("describe", "--approve", ok=(2,)).stderr


def test_options_that_would_do_nothing_are_refused(tmp_path: Path) -> None:
    """--yes approves what a command writes, and nothing else."""
    memory = Memory.started(tmp_path)
    assert "--approve PATH" in memory.run("describe", "topics/git.md", "--yes", ok=(2,)).stderr
    assert memory.run("describe", "--timeout", "5", ok=(2,)).stdout == ""


def test_a_command_leaves_alone_what_a_person_wrote(tmp_path: Path) -> None:
    """A weak description is still a person's: a command changes it only where it is named."""
    memory = Memory.started(tmp_path)
    weak = memory.write("topics/a.md", '---\ndescription: "Perl"\n---\n# A\n')
    memory.run("describe", "--with", "echo read before y", ok=(0,))
    assert "Perl" in weak.read_text()
    memory.run("describe", "--with", "echo read before y", "topics/a.md", ok=(0,))
    assert "read before y" in weak.read_text()
