"""Conflict copies settled: what a person says is right stands in its place, and every other byte stays."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from edits import pages
from hypothesis import given
from hypothesis import strategies as st
from memory import Memory

from memtool.core import document
from memtool.core.config import Config
from memtool.core.entry import entries
from memtool.core.merge.aside import BOTH, Aside
from memtool.core.merge.copy import Copy, copies, written
from memtool.core.merge.file import merge_file
from memtool.core.merge.resolve import KEEPS, options, settled, standing
from memtool.core.merge.tree import merge
from memtool.errors import MemtoolError

GOLDEN = Path(__file__).parent / "golden" / "resolve"
CONFIG = Config()
A = "topics/a.md"
HEAD = '---\ndescription: "read before git work"\nsource_date: 2026-01-01\n---\n\n'
TEXT = HEAD + "# T\n\nt\n\n## A\n\nX\n\n### Sub\n\ns\n\n## B\n\nb\n"


def conflicts(base: str, ours: str, theirs: str) -> tuple[bytes, list[Copy]]:
    """Merge two edits of one file; give it as merged, and what its conflict copies say."""
    done = merge(*({A: text.encode()} for text in (base, ours, theirs)), config=CONFIG)
    return done.files[A], [copy for _, copy in copies(done.files, CONFIG)]


def conflict(text: str) -> tuple[bytes, Copy]:
    """Let one side write Y, and the other Z, where *text* has X: Z stays, Y is set aside."""
    data, (copy,) = conflicts(text, text.replace("X", "Y"), text.replace("X", "Z"))
    assert (data.decode(), copy.reason) == (text.replace("X", "Z"), BOTH)
    return data, copy


# What both sides change at X, the anchor in the copy, and the file that `both` gives.
CASES = {
    "a section, with one below it": (
        TEXT, "a", HEAD + "# T\n\nt\n\n## A\n\nZ\n\n### Sub\n\ns\n\n## A (2)\n\nY\n\n## B\n\nb\n",
    ),
    "the last section, without a line end": ("# T\n\n## A\n\nX", "a", "# T\n\n## A\n\nZ\n\n## A (2)\n\nY"),
    "a dated entry": (
        "# T\n\n## 2026-07-14 [project:blog] P\n\nX\n\n## B\n", "2026-07-14-projectblog-p",
        "# T\n\n## 2026-07-14 [project:blog] P\n\nZ\n\n## 2026-07-14 [project:blog] P (2)\n\nY\n\n## B\n",
    ),
    "a Chinese heading": (
        "# 题\n\n## 文章长度\n\n写X字。\n", "文章长度",
        "# 题\n\n## 文章长度\n\n写Z字。\n\n## 文章长度 (2)\n\n写Y字。\n",
    ),
    "a heading that is there twice": (
        "# T\n\n## Why\n\nsomething else\n\n## Why\n\nit is X\n", "why-1",
        "# T\n\n## Why\n\nsomething else\n\n## Why\n\nit is Z\n\n## Why (2)\n\nit is Y\n",
    ),
    "a heading whose next name is taken": (
        "# T\n\n## A\n\nX\n\n## A (2)\n\nb\n", "a", "# T\n\n## A\n\nZ\n\n## A (3)\n\nY\n\n## A (2)\n\nb\n",
    ),
    "an underlined heading": ("T\n=\n\nA\n-\n\nX\n", "a", "T\n=\n\nA\n-\n\nZ\n\nA (2)\n-\n\nY\n"),
    "marks behind a heading": ("# T\n\n## # A ##\n\nX\n", "-a", "# T\n\n## # A ##\n\nZ\n\n## # A (2) ##\n\nY\n"),
    "a heading without words": ("# T\n\n##\n\nX\n", "section", "# T\n\n##\n\nZ\n\n## (2)\n\nY\n"),
    "the text above the headings": ("X\n\n# T\n\nt\n", "top", "Z\n\nY\n\n# T\n\nt\n"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "anchor", "both"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_a_section(text: str, anchor: str, both: str, end: str) -> None:
    """The copy says where it belongs, and each answer gives the file as a person would write it by hand."""
    data, copy = conflict(text.replace("\n", end))
    assert (copy.path, copy.slug) == (A, anchor)
    assert options(data, copy) == KEEPS
    assert settled(data, copy, "here") == data
    assert settled(data, copy, "copy") == data.replace(b"Z", b"Y")
    assert settled(data, copy, "both") == both.replace("\n", end).encode()


WHOLE = {
    "a key": ("---\n# why\nscope: X\naliases: [a]\n---\n\n# T\n", "front matter: scope"),
    "the last key": ("---\naliases: [a]\ndescription: read before X\n---\n# T\n", "front matter: description"),
    "a file that is no text": ("# T\n\nX \0\n", ""),
    "front matter that is never closed": ("---\ndescription: read before X\n", ""),
}


@pytest.mark.parametrize(("text", "what"), WHOLE.values(), ids=WHOLE)
def test_front_matter_and_whole_files(text: str, what: str) -> None:
    """Either version can stand there; both cannot, and that is not offered."""
    data, copy = conflict(text)
    assert (copy.slug, copy.what) == ("", what)
    assert options(data, copy) == ("here", "copy")
    assert settled(data, copy, "copy") == data.replace(b"Z", b"Y")
    with pytest.raises(MemtoolError, match="cannot stand there twice"):
        settled(data, copy, "both")


def test_a_whole_front_matter() -> None:
    """Where it could not be merged key by key, all of it takes the place of what stands there, and no more."""
    data, (copy,) = conflicts("# T\n", "---\nscope: [a\n---\n# T\n", "---\nscope: b\n---\n# T\n")
    assert (copy.what, data) == ("front matter", b"---\nscope: b\n---\n# T\n")
    assert settled(data, copy, "copy") == b"---\nscope: [a\n---\n# T\n"


def test_a_body_as_one_piece() -> None:
    """Where the sections could not be merged, what was set aside goes below the front matter, which stays."""
    copy = Copy(A, "", b"\n# T\n\n```\nopen\n", "", BOTH)
    assert settled(TEXT.encode(), copy, "copy") == HEAD.encode().removesuffix(b"\n") + copy.text


@given(pages(), st.integers(0), st.integers(0))
def test_any_section_for_any_other(versions: list[bytes], number: int, other: int) -> None:
    """Every other section, and the front matter, is as it was, in order; the text set aside is where it is meant."""
    data, (front, texts) = versions[1], cut(versions[1])
    if not texts:
        return
    at = number % len(texts)
    slug_there = entries(data, len(front))[at].slug
    asides = [text for text in cut(versions[2])[1] if text.startswith(b"#")] if slug_there != "top" else [b"aside"]
    if not asides:
        return
    copy = Copy(A, slug_there, asides[other % len(asides)], "", BOTH)
    if b"```" not in data + copy.text:
        assert options(data, copy) == KEEPS
    if "copy" in options(data, copy):
        assert standing(data, copy) == texts[at]
        assert cut(settled(data, copy, "copy") or b"") == (front, [*texts[:at], copy.text, *texts[at + 1 :]])
    if "both" in options(data, copy):
        held_twice(data, copy)


@given(pages())
def test_whatever_was_merged(versions: list[bytes]) -> None:
    """Whatever a merge sets aside, its place is found, and it can stand there."""
    done = merge(*({A: data} for data in versions), config=CONFIG)
    for _, copy in copies(done.files, CONFIG):
        assert options(done.files[A], copy)[:2] == ("here", "copy")


def held_twice(data: bytes, copy: Copy) -> None:
    """Hold that after `both` all is there that was, and the copy's text once more, under a heading of its own."""
    (front, texts), (now_front, now) = cut(data), cut(settled(data, copy, "both") or b"")
    assert now_front == front
    if copy.slug == "top":
        assert now[1:] == texts[1:]
        assert now[0].startswith(texts[0])
        assert now[0].endswith(copy.text)
        return
    at = next(number for number, text in enumerate([*now, b""]) if text not in texts[number : number + 1])
    assert now[:at] + now[at + 1 :] == texts
    heading, *below = now[at].splitlines()
    first, *rest = copy.text.splitlines()
    assert below == rest
    assert heading.startswith(first)
    assert [text.splitlines()[0] for text in now].count(heading) == 1


def cut(data: bytes) -> tuple[bytes, list[bytes]]:
    body = document.read(data).body
    return data[:body], [data[one.start : one.end].strip(b"\r\n") for one in entries(data, body)]


REFUSED = {
    "the section is gone": (HEAD + "# T\n", "the section is not there any more"),
    "its text above the headings is gone": (HEAD + "# A\n\n## Top\n", "the section is not there any more"),
    "it cannot be told from another": (
        TEXT.replace("X", "q") + "\n## A\n\nq\n", "2 sections are called so",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("now", "said"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_place_any_more(now: str, said: str) -> None:
    """Where the text was is not guessed: only `here` is left, after an edit by hand."""
    anchor, text = ("top", b"words") if "Top" in now else ("a", b"## A\n\nY")
    copy = Copy(A, anchor, text, "A", BOTH)
    assert options(now.encode(), copy) == ("here",)
    with pytest.raises(MemtoolError, match=said):
        settled(now.encode(), copy, "copy")


@pytest.mark.parametrize("text", [b"## A\n\n```\nopen", b"## A\n\n<!-- open"])
@pytest.mark.parametrize("keep", ["copy", "both"])
def test_what_would_swallow_the_rest_is_refused(text: bytes, keep: str) -> None:
    """A fence or a comment that is never closed would take the sections below it along."""
    with pytest.raises(MemtoolError, match="would read differently"):
        settled(TEXT.encode(), Copy(A, "a", text, "A", BOTH), "copy" if keep == "copy" else "both")


@pytest.mark.parametrize("text", [b"", b"no heading", b"## A\n\n## B\n"])
def test_a_copy_that_was_edited_must_still_be_one_section(text: bytes) -> None:
    """What is not one section, with a heading where the other has one, takes no section's place."""
    assert options(TEXT.encode(), Copy(A, "a", text, "A", BOTH)) == ("here",)


def test_a_key_that_is_gone() -> None:
    """A key is put in the place of that key only."""
    copy = Copy(A, "", b"scope: '*'\n", "front matter: scope", BOTH)
    for now in (TEXT, "# T\n", "---\nscope: [a\n---\n"):
        with pytest.raises(MemtoolError, match="has no key 'scope' any more, or cannot be read"):
            settled(now.encode(), copy, "copy")
    with pytest.raises(MemtoolError, match="not one key"):
        settled(TEXT.encode(), copy.replace(text=b"a: b\nc: d\n"), "copy")
    with pytest.raises(MemtoolError, match="other parts of the file would read differently"):
        settled(b"---\n{scope: a, aliases: b}\n---\n", copy, "copy")


GONE = [
    (Copy(A, "a", b"## A\r\n\r\nY", "A", BOTH), b"## A\r\n\r\nY\r\n"),
    (Copy(A, "", b"# T\n\n\xff", "", BOTH), b"# T\n\n\xff"),
    (Copy(A, "", b"---\nscope: b\n---\n", "front matter", BOTH), b"---\nscope: b\n---\n"),
]


@pytest.mark.parametrize(("copy", "file"), GONE)
def test_a_file_that_is_gone_comes_back(copy: Copy, file: bytes) -> None:
    """What was set aside makes the file; there is nothing to put it beside."""
    assert options(None, copy) == ("here", "copy")
    assert settled(None, copy, "copy") == file
    assert options(None, copy.replace(slug="", what="front matter: scope")) == ("here",)


# --- in a real repo --------------------------------------------------------------------------------------------------

BASE = HEAD + "# Posts\n\n## Length\n\nWrite 3,000 words.\n\n### Why\n\nReaders.\n\n## 标题\n\n要短。\n"
OURS = BASE.replace("3,000", "4,000").replace("要短", "要长").replace("before git work", "before writing a post")
THEIRS = BASE.replace("3,000", "5,000").replace("要短", "要更短").replace("before git work", "before a review")
DONE = merge(*({A: text.encode()} for text in (BASE, OURS, THEIRS)), config=CONFIG)
KEY, TITLE, LENGTH = (
    next(place for place, copy in copies(DONE.files, CONFIG) if copy.slug == anchor)
    for anchor in ("", "标题", "length")
)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """Give a repo in which a merge has just set three texts aside."""
    made = Memory.started(tmp_path / "memory")
    made.git("config", "memtool.agent", "desk")
    for path, data in DONE.files.items():
        made.write(path, data)
    made.run("index", ok=(0,))
    made.git("add", "-A")
    made.git("commit", "-qm", "merged", env={"GIT_AUTHOR_DATE": "2026-07-14T12:00:00Z"})
    return made


def golden(name: str, shown: str) -> None:
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(shown)
    assert shown == path.read_text()


def test_the_screens_are_as_written_down(memory: Memory) -> None:
    """The list, both texts of one, and what a dry run says; none of them changes anything."""
    before = memory.state()
    golden("list.text", memory.run("resolve", ok=(0,)).stdout)
    golden("show.text", memory.run("resolve", LENGTH, ok=(0,)).stdout)
    golden("dry-run.text", memory.run("resolve", TITLE, "--keep", "both", "--dry-run", ok=(0,)).stdout)
    golden("list.json", memory.run("resolve", "--format", "json", ok=(0,)).stdout)
    assert memory.state() == before


EXPECTED = {
    (LENGTH, "copy"): lambda text: text.replace("5,000", "4,000"),
    (TITLE, "both"): lambda text: text + "\n## 标题 (2)\n\n要更短。\n",
    (KEY, "here"): lambda text: text,
}


@pytest.mark.parametrize(("place", "keep"), EXPECTED, ids=lambda value: value.rpartition("/")[2])
def test_one_commit_settles_it(memory: Memory, place: str, keep: str) -> None:
    """It holds the file, the copy's end and the index, names what was done, quotes nothing; other work is left."""
    memory.write("topics/git.md", "# Mine\n")
    before = (memory.root / A).read_text()
    memory.run("resolve", place, "--keep", keep, ok=(0,))
    assert (memory.root / A).read_text() == EXPECTED[place, keep](before)
    assert not (memory.root / place).exists()
    changed = ["INDEX.md", place, *([] if keep == "here" else [A])]
    assert memory.git("show", "--name-only", "--format=", "HEAD").split() == changed
    named = "" if keep == "here" else f"Memory-Path: {A}\n"
    assert memory.git("log", "-1", "--format=%B").strip() == (
        f"Settle a conflict\n\nMemory-Op: resolve\nMemory-Agent: desk\n{named}Memory-Path: {place}"
    )
    assert place not in (memory.root / "INDEX.md").read_text()
    assert memory.git("status", "--porcelain").splitlines() == [" M INDEX.md", " M topics/git.md"]


def test_when_all_are_settled_check_and_review_are_silent(memory: Memory) -> None:
    """No finding is left, the index is right, and both lists say that they are empty."""
    for place, keep in EXPECTED:
        done = json.loads(memory.run("resolve", place, "--keep", keep, "--format", "json", ok=(0,)).stdout)
        assert done["closed"] | {"commit": ""} == {"copy": place, "path": A, "keep": keep, "commit": ""}
        assert done["closed"]["commit"] == memory.git("rev-parse", "HEAD").strip()
    assert done["conflicts"] == []
    assert json.loads(memory.run("check", "--format", "json", ok=(0,)).stdout)["findings"] == []
    assert memory.run("resolve", ok=(0,)).stdout == "No conflict is open.\n"
    assert memory.run("review", ok=(0,)).stdout == "Nothing to review.\n"
    assert memory.git("status", "--porcelain") == ""


def test_what_was_edited_by_hand_goes_into_the_commit(memory: Memory) -> None:
    """`here` commits the file as the person has left it, so that the copy never goes before what replaces it."""
    memory.write(A, (memory.root / A).read_text().replace("5,000", "4,500"))
    memory.run("resolve", LENGTH, "--keep", "here", ok=(0,))
    assert "4,500" in memory.git("show", f"HEAD:{A}")
    assert memory.git("status", "--porcelain") == ""


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(("keep", "edited"), [("copy", A), ("both", A), ("here", LENGTH)])
def test_what_is_in_no_commit_is_not_lost(memory: Memory, keep: str, edited: str, *, staged: bool) -> None:
    """Neither what was edited in the file, by the copy, nor what was edited in the copy, by the file."""
    memory.write(edited, (memory.root / edited).read_text().replace("000 words", "500 words").replace("要长", "不长"))
    if staged:
        memory.git("add", "-A")
    before = memory.state()
    for more in ((), ("--dry-run",)):
        said = memory.run("resolve", LENGTH, "--keep", keep, *more, ok=(2,)).stderr
        assert f"{edited}: has changes that are not committed, and they would be lost" in said
        assert "memtool sync --no-push" in said
        assert ("--keep here" in said) == (keep != "here")
    assert memory.state() == before
    memory.run("sync", "--no-push", ok=(0, 1))
    memory.run("resolve", LENGTH, "--keep", keep, ok=(0,))


def test_what_git_ignores_or_what_was_deleted_is_not_lost_either(memory: Memory) -> None:
    """A file that git is told not to see is in no commit; one that is deleted and not committed can be had back."""
    (memory.root / A).unlink()
    said = memory.run("resolve", LENGTH, "--keep", "copy", ok=(2,)).stderr
    assert f"{A}: deleted, and that is not committed" in said
    assert f"memtool restore {A}" in said
    memory.git("commit", "-qam", "gone", "--no-verify")
    memory.write(".git/info/exclude", f"{A}\n")
    memory.write(A, "# mine\n\n## Length\n\nmine\n")
    assert "they would be lost" in memory.run("resolve", LENGTH, "--keep", "copy", ok=(2,)).stderr
    assert "mine" in (memory.root / A).read_text()


def test_the_copys_text_may_be_edited_and_kept(memory: Memory) -> None:
    """Nothing of it is lost: it stands in the file, and in the commit."""
    memory.write(LENGTH, (memory.root / LENGTH).read_text().replace("4,000", "4,444"))
    memory.run("resolve", LENGTH, "--keep", "copy", ok=(0,))
    assert "4,444" in memory.git("show", f"HEAD:{A}")


def test_a_conflict_can_be_named_in_short(memory: Memory) -> None:
    """By the copy's base name, by the section, and by the file once it is the only one open there."""
    whole = memory.run("resolve", LENGTH, ok=(0,)).stdout
    for name in (LENGTH.rpartition("/")[2], f"{A}#length", f"./{LENGTH}"):
        assert memory.run("resolve", name, ok=(0,)).stdout == whole
    said = memory.run("resolve", A, ok=(2,)).stderr
    assert f"{A}: 3 conflicts are open there" in said
    assert LENGTH in said
    for name in (KEY, TITLE.rpartition("/")[2]):
        memory.run("resolve", name, "--keep", "here", ok=(0,))
    done = json.loads(memory.run("resolve", A, "--keep", "copy", "--format", "json", ok=(0,)).stdout)
    assert done["closed"]["copy"] == LENGTH
    assert "no open conflict of that name" in memory.run("resolve", A, ok=(2,)).stderr


def test_a_shell_is_offered_the_copies(memory: Memory, tmp_path: Path) -> None:
    """Those that are open, in this memory or in the one that -C names; nothing where there is none."""
    shell = {"_PYTHON _M MEMTOOL_COMPLETE": "complete_bash", "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    for words, offered in (
        ("memtool resolve ", [KEY, LENGTH, TITLE]),
        (f"memtool resolve {LENGTH[:-4]}", [LENGTH]),
        (f"memtool -C {tmp_path} resolve ", []),
    ):
        env = shell | {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
        assert memory.run(env=env).stdout.split() == sorted(offered)


def test_both_texts_are_signed(tmp_path: Path) -> None:
    """By who wrote each, though a merge brought them together and other sections were written later."""
    memory = Memory.started(tmp_path / "m")

    def commit(who: str, files: dict[str, bytes | str]) -> str:
        for path, data in files.items():
            memory.write(path, data)
        memory.git("add", "-A")
        memory.git("commit", "-qm", f"x\n\nMemory-Agent: {who}", "--no-verify")
        return memory.git("rev-parse", "HEAD").strip()

    base = commit("first", {A: BASE})
    ours = commit("desk", {A: OURS})
    later = commit("late", {A: OURS + "\n## Other\n\nx\n"})
    memory.git("reset", "-q", "--hard", base)
    theirs = commit("lap", {A: THEIRS})
    memory.git("merge", "-q", "-s", "ours", "--no-commit", later)
    commit("merger", dict(DONE.files))
    commit("last", {A: DONE.files[A] + b"\n## More\n\ny\n"})
    shown = memory.run("resolve", LENGTH, ok=(0,)).stdout
    day = memory.git("log", "-1", "--date=format-local:%Y-%m-%d", "--format=%ad", env={"TZ": "UTC"}).strip()
    assert f"--- {A}  by lap, {day}\n+++ {LENGTH}  by desk, {day}\n" in shown
    (one,) = json.loads(memory.run("resolve", LENGTH, "--format", "json", ok=(0,)).stdout)["conflicts"]
    assert (one["here_by"]["commit"], one["aside_by"]["commit"]) == (theirs, ours)
    memory.write(A, (memory.root / A).read_text().replace("5,000", "6,000"))
    assert f"--- {A}\n+++ {LENGTH}  by desk, {day}\n" in memory.run("resolve", LENGTH, ok=(0,)).stdout
    assert " by " not in memory.run("resolve", KEY, ok=(0,)).stdout


def test_a_file_that_was_deleted_is_restored(memory: Memory) -> None:
    """With the text that was set aside; its row is back in the index."""
    memory.git("rm", "-q", A)
    memory.run("index", ok=(0,))
    memory.git("commit", "-qam", "gone")
    memory.run("resolve", LENGTH, "--keep", "copy", ok=(0,))
    assert memory.git("show", f"HEAD:{A}") == "## Length\n\nWrite 4,000 words.\n"
    assert f"]({A})" in memory.git("show", "HEAD:INDEX.md")


FORGED = {
    "outside.md": "../secret.md",
    "git.md": ".git/config",
    "readme.md": "README.md",
    "link.md": "topics/link.md",
}
REFUSALS = [
    (("resolve", "topics/git.md"), "topics/git.md: no open conflict of that name"),
    (("resolve", "inbox/conflicts/none.md", "--keep", "here"), "no open conflict of that name"),
    (("resolve", "none.md"), "`memtool resolve` lists the open ones"),
    (("resolve", ""), "'': no open conflict of that name"),
    (("resolve", A, "--keep", "copy"), f"{A}: 4 conflicts are open there"),
    (("resolve", "--keep", "here"), "--keep closes one conflict"),
    (("resolve", LENGTH, "--dry-run"), "--dry-run goes with --keep"),
    (("resolve", KEY, "--keep", "both"), f"then: memtool resolve {KEY} --keep here"),
    (("resolve", "inbox/conflicts/new.md", "--keep", "here"), "not committed yet"),
    (("resolve", "inbox/conflicts/outside.md", "--keep", "copy"), "no open conflict of that name"),
    (("resolve", "inbox/conflicts/git.md", "--keep", "copy"), "no place in the memory repo"),
    (("resolve", "inbox/conflicts/readme.md", "--keep", "copy"), "README.md: no memory file"),
    (("resolve", "inbox/conflicts/link.md", "--keep", "copy"), "a symbolic link"),
]


def test_what_cannot_be_done_changes_nothing(memory: Memory) -> None:
    """A copy that is none, is not committed, or leads elsewhere: exit code 2, one message, nothing changed."""
    for name, path in FORGED.items():
        data = written("topics/x.md", Aside("", BOTH, b"# Forged\n"), CONFIG)[1]
        memory.write(f"inbox/conflicts/{name}", data.replace(b"(../../topics/x.md)", f"(../../{path})".encode()))
    (memory.root / "topics/link.md").symlink_to("git.md")
    memory.git("add", "-A")
    memory.git("commit", "-qm", "forged", "--no-verify")
    memory.write("inbox/conflicts/new.md", (memory.root / LENGTH).read_bytes())
    before = memory.state()
    for args, said in REFUSALS:
        done = memory.run(*args, ok=(2,))
        assert said in done.stderr
        assert done.stderr.count("memtool: ") == 1
    assert memory.state() == before


def test_a_hook_that_refuses_leaves_everything_as_it_was(memory: Memory) -> None:
    """Its words are told, and file and copy are where they were."""
    (memory.root / ".git/hooks/pre-commit").write_text("#!/bin/sh\necho 'error: not today' >&2\nexit 1\n")
    files, head = memory.state()[4], memory.git("rev-parse", "HEAD")
    assert "not today" in memory.run("resolve", LENGTH, "--keep", "copy", ok=(2,)).stderr
    assert (memory.state()[4], memory.git("rev-parse", "HEAD")) == (files, head)
    assert memory.git("status", "--porcelain") == ""


def test_what_the_driver_kept_inside_a_file_is_listed(tmp_path: Path) -> None:
    """A text that git's merge driver set aside in the file itself is in both lists, with its line and the way out."""
    memory = Memory.started(tmp_path / "m")
    both = merge_file(b"## A\n\na\n", b"## A\n\nours\n", b"## A\n\ntheirs\n")
    memory.write("topics/two.md", both)
    said = memory.run("resolve", ok=(0,)).stdout
    assert "topics/two.md:5: a merge set this text aside" in said
    assert "delete this section" in said
    assert json.loads(memory.run("resolve", "--format", "json", ok=(0,)).stdout)["by_hand"][0]["line"] == 5
    assert "1 in conflict" in memory.run("review", ok=(1,)).stdout
