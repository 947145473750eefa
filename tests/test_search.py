"""The promises of memtool.edge.recall and its cache: every answer is in the files, every entry can be found."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memory import CONFIG, Memory

from memtool.core.config import Config
from memtool.core.document import read
from memtool.core.entry import entries, ref
from memtool.core.recall.fields import Searched, searched
from memtool.edge import recall
from memtool.edge import search as store
from memtool.edge.location import cache_path
from memtool.edge.plumbing import Objects
from memtool.edge.recall import Found, routes, search
from memtool.edge.trees import CommitTree, WorkTree
from memtool.errors import MemtoolError

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not beside this checkout")

GIT = """---
description: "read before git work: pipes swallow exit codes"
aliases: [version control, 版本管理]
---

# Git

## 2026-05-04 [project:blog] Pushing

Never push with force: the notes of the other machine are lost.

> **Why:** it happened in June.

## Rebase

A rebase makes old work look new.

> **Void since 2026-08-01:** no. It said:
>
> Always squash before a merge.
"""
TEA = "# 茶\n\n## 绿茶\n\n八十度的水泡三分钟。\n\n## 红茶\n\n要用开水。\n"
PORT = "# Server\n\nThe ssh port is 49222, see POL-358 and the C++ build.\n"


@pytest.fixture
def repo(tmp_path: Path) -> Memory:
    made = Memory.make(tmp_path / "repo", hooks=False)
    made.write("memtool.yaml", CONFIG)
    made.write("resident/rules.md", "# Rules\n\nNever shout.\n")
    made.write("topics/git.md", GIT)
    made.write("topics/tea.md", TEA)
    made.write("projects/server.md", PORT)
    made.git("add", "-A")
    made.git("commit", "-qm", "start")
    return made


def ask(repo: Memory, query: str) -> list[Found]:
    return list(search(WorkTree(str(repo.root)), Config(), query))


def slugs(repo: Memory, query: str) -> list[str]:
    return [found.entry.slug for found in ask(repo, query)]


def told(repo: Memory, query: str) -> list[tuple[str, float]]:
    """Give the answers as refs with rounded scores."""
    return [(str(ref(found.path, found.data, found.entry)), round(found.score, 6)) for found in ask(repo, query)]


def written(repo: Memory) -> tuple[int, int]:
    """Tell one writing of the cache from another."""
    status = cache(repo).stat()
    return status.st_ino, status.st_ctime_ns


def cache(repo: Memory) -> Path:
    return Path(cache_path(str(repo.root), "search"))


@pytest.mark.parametrize(
    ("query", "slug"),
    [
        ("never push by force", "2026-05-04-projectblog-pushing"),
        ("what happened on May 4th?", "2026-05-04-projectblog-pushing"),
        ("rebased", "rebase"),
        ("POL-358", "server"),
        ("pol 358", "server"),
        ("C++", "server"),
        ("４９２２２", "server"),
        ("绿茶用几度的水", "绿茶"),
        ("茶", "绿茶"),
        ("开", "红茶"),
    ],
)
def test_an_entry_is_found_by_what_it_says(repo: Memory, query: str, slug: str) -> None:
    """Words, their forms, identifiers whole and in parts, days, Chinese, single characters."""
    assert slug in slugs(repo, query)[:3]


def test_what_the_file_says_of_itself_finds_its_entries(repo: Memory) -> None:
    """Description and aliases are searched, though no entry holds their words."""
    assert {found.path for found in ask(repo, "swallow exit codes")} == {"topics/git.md"}
    assert {found.path for found in ask(repo, "版本管理")} == {"topics/git.md"}


def test_void_text_record_lines_and_resident_files_are_not_searched(repo: Memory) -> None:
    """What no longer holds never comes back for its words; resident files were read already."""
    assert slugs(repo, "squash") == slugs(repo, "June") == slugs(repo, "shout") == []


@pytest.mark.parametrize("query", ["", " \t\n", "***", "🦊", "\0", "\ud800", "zebra quantum"])
def test_what_asks_nothing_or_is_not_there_has_no_answer(repo: Memory, query: str) -> None:
    assert ask(repo, query) == routes(WorkTree(str(repo.root)), Config(), query) == []


def test_files_are_ranked_by_what_they_say_of_themselves(repo: Memory) -> None:
    """For routing: description, title, aliases and path, not the entries."""
    tree = WorkTree(str(repo.root))
    assert routes(tree, Config(), "before working with git")[0][0] == "topics/git.md"
    assert routes(tree, Config(), "server")[0][0] == "projects/server.md"
    assert routes(tree, Config(), "49222") == []


def test_answers_go_on_past_the_first_batch(repo: Memory) -> None:
    """A caller that leaves out many still gets all that there are, each once."""
    repo.write("topics/many.md", "".join(f"## Note {number}\n\nabout kiwi\n\n" for number in range(333)))
    found = slugs(repo, "kiwi")
    assert len(found) == len(set(found)) == 333


def test_the_answer_is_the_entry_as_the_file_holds_it(repo: Memory) -> None:
    """Bytes, ref and place fit the file; nothing comes out of the cache."""
    (found,) = ask(repo, "49222")
    assert found.data == (repo.root / found.path).read_bytes()
    assert found.entry in entries(found.data, read(found.data).body)


# --- the cache -------------------------------------------------------------------------------------------------------


def test_only_what_changed_is_read_again(repo: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """One file edited, one new, one gone: two are read; with nothing changed none, and the cache is not written."""
    ask(repo, "tea")
    read_now: list[str] = []

    def noted(path: str, data: bytes) -> Searched:
        read_now.append(path)
        return searched(path, data)

    monkeypatch.setattr(recall, "searched", noted)
    repo.write("topics/git.md", GIT + "\n## Bisect\n\nFinds the culprit.\n")
    repo.write("topics/new.md", "# Kiwi\n\nA fruit.\n")
    (repo.root / "topics" / "tea.md").unlink()
    assert slugs(repo, "culprit") == ["bisect"]
    assert read_now == ["topics/git.md", "topics/new.md"]
    before = written(repo)
    assert (slugs(repo, "kiwi"), slugs(repo, "红茶"), len(read_now)) == (["kiwi"], [], 2)
    assert written(repo) == before


def test_a_commit_that_leaves_the_files_as_they_are_reads_none(repo: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit is indexed under the id that git will give it."""
    repo.write("topics/git.md", GIT + "\n## Bisect\n\nFinds the culprit.\n")
    ask(repo, "tea")
    monkeypatch.setattr(recall, "searched", lambda *_: pytest.fail("read again"))
    repo.git("commit", "-qam", "x")
    assert slugs(repo, "culprit") == ["bisect"]


def test_a_change_that_git_was_told_to_overlook_is_seen(repo: Memory) -> None:
    """`assume-unchanged` hides an edit from git, not from who asks."""
    ask(repo, "tea")
    repo.git("update-index", "--assume-unchanged", "projects/server.md")
    repo.write("projects/server.md", "# Server\n\nThe port is closed.\n")
    assert slugs(repo, "closed") == ["server"]
    assert slugs(repo, "49222") == []


def test_a_change_between_the_look_and_the_answer_is_seen(repo: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the files no longer hold is not answered, whatever git said a moment ago."""
    ask(repo, "tea")
    real = recall._answers
    done: list[Path] = []

    def later(*given: object) -> object:
        if not done:
            done.append(repo.write("projects/server.md", "# Server\n\nThe ssh port is 22.\n"))
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(recall, "_answers", later)
    found = ask(repo, "ssh port")
    assert [one.entry.live for one in found] == [b"\nThe ssh port is 22.\n"]


Harm = Callable[[Path], object]


def test_files_that_git_keeps_in_another_form_are_compared_by_their_bytes(repo: Memory) -> None:
    """Line ends that git converts: answers are right, and the cache is not written again for each question."""
    repo.write(".gitattributes", "*.md text eol=crlf\n")
    repo.write("topics/dos.md", "# Kiwi\r\n\r\nA fruit.\r\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "x")
    assert slugs(repo, "fruit") == ["kiwi"]
    before = written(repo)
    assert slugs(repo, "fruit") == ["kiwi"]
    assert written(repo) == before


def truncate(place: Path) -> None:
    os.truncate(place, place.stat().st_size // 2)


def spoil(place: Path) -> None:
    data = bytearray(place.read_bytes())
    data[len(data) // 3 : len(data) // 2] = bytes(len(data) // 2 - len(data) // 3)
    place.write_bytes(bytes(data))


def of_another_version(place: Path) -> None:
    base = sqlite3.connect(place)
    base.execute("UPDATE state SET version = 'search-0'")
    base.commit()
    base.close()
    seal(place)


def emptied(place: Path) -> None:
    """Drop rows behind the cache's back."""
    base = sqlite3.connect(place)
    base.execute("DELETE FROM files")
    base.commit()
    base.close()


def seal(place: Path) -> None:
    os.utime(place, ns=(store._SEAL, store._SEAL))


def sealed(harm: Harm) -> Harm:
    def both(place: Path) -> None:
        harm(place)
        seal(place)

    return both


def a_folder(place: Path) -> None:
    place.unlink()
    place.mkdir()


HARMS = {
    "cut in half": truncate,
    "cut in half, seal kept": sealed(truncate),
    "zeros within": spoil,
    "garbage": lambda place: place.write_bytes(b"garbage" * 1000),
    "garbage, seal kept": sealed(lambda place: place.write_bytes(b"garbage" * 1000)),
    "empty": sealed(lambda place: place.write_bytes(b"")),
    "gone": Path.unlink,
    "of another version": of_another_version,
    "rows dropped": emptied,
    "a folder": a_folder,
    "unreadable": lambda place: place.chmod(0),
}


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_a_damaged_cache_is_made_again(repo: Memory, harm: Harm) -> None:
    """Whatever happened to it, the answers are those of the files."""
    queries = ("push force", "ssh port", "绿茶")
    right = [told(repo, query) for query in queries]
    harm(cache(repo))
    assert [told(repo, query) for query in queries] == right


def test_a_cache_that_another_process_locks_is_done_without(repo: Memory) -> None:
    """A lock that never ends delays an answer, it prevents none."""
    right = told(repo, "push force")
    holder = sqlite3.connect(cache(repo))
    holder.execute("BEGIN EXCLUSIVE")
    try:
        assert told(repo, "push force") == right
    finally:
        holder.close()


def test_a_git_directory_that_cannot_be_written_costs_only_time(repo: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is made in memory, each time."""

    def refuse(path: str, _data: bytes) -> None:
        raise MemtoolError(f"{path}: not written")

    monkeypatch.setattr(store, "write_atomically", refuse)
    assert slugs(repo, "49222") == slugs(repo, "49222") == ["server"]
    assert not cache(repo).exists()


def test_an_unreadable_file_is_searched_again_once_it_can_be_read(repo: Memory) -> None:
    """Git does not see the difference; the search does."""
    place = repo.root / "projects" / "server.md"
    content = place.read_bytes()
    place.unlink()
    place.mkdir()
    assert slugs(repo, "49222") == []
    place.rmdir()
    place.write_bytes(content)
    assert slugs(repo, "49222") == ["server"]


def test_the_past_is_searched_as_it_was(repo: Memory) -> None:
    """A commit's tree answers with that commit's text; the cache of the work tree is left alone."""
    repo.write("projects/server.md", "# Server\n\nThe ssh port is 22.\n")
    repo.git("commit", "-qam", "later")
    assert slugs(repo, "49222") == []
    before = cache(repo).read_bytes()
    with Objects(str(repo.root)) as objects:
        for commit, port in (("HEAD~1", "49222"), ("HEAD", "22"), ("HEAD~1", "49222")):
            oid = repo.git("rev-parse", commit).strip()
            (found, *_) = search(CommitTree(objects, oid), Config(), f"ssh port {port}")
            assert port.encode() in found.entry.live
    assert cache(repo).read_bytes() == before


def test_another_configuration_searches_other_files(repo: Memory) -> None:
    """Which files are on demand is asked each time, not remembered."""
    tree = WorkTree(str(repo.root))
    assert [found.path for found in search(tree, Config(), "ssh")] == ["projects/server.md"]
    assert list(search(tree, Config(on_demand=("topics",)), "ssh")) == []
    assert [found.path for found in search(tree, Config(), "ssh")] == ["projects/server.md"]


ASK = """
import sys
from memtool.core.config import Config
from memtool.edge.recall import search
from memtool.edge.trees import WorkTree
for _ in range(15):
    assert any(b"49222" in found.entry.live for found in search(WorkTree("."), Config(), "ssh port")), "lost"
"""
WRITE = """
import pathlib
from memtool.core.config import Config
from memtool.edge.recall import search
from memtool.edge.trees import WorkTree
for number in range(15):
    pathlib.Path("topics/new.md").write_text(f"# Kiwi\\n\\nword{number}\\n")
    (found,) = search(WorkTree("."), Config(), f"word{number}")
    assert f"word{number}".encode() in found.entry.live
"""


def test_two_readers_and_a_writer_at_once_all_get_the_truth(repo: Memory) -> None:
    """Nobody waits for, breaks or misleads the others."""
    here = str(Path(recall.__file__).parents[2])
    env = os.environ | {"PYTHONPATH": here}
    running = [
        subprocess.Popen([sys.executable, "-c", code], cwd=repo.root, env=env, stderr=subprocess.PIPE, text=True)
        for code in (ASK, WRITE, ASK)
    ]
    assert [(one.communicate()[1], one.returncode) for one in running] == [("", 0)] * 3
    assert slugs(repo, "word14") == ["kiwi"]


WORDS = ["force", "rebase", "kiwi", "茶", "绿茶", "port", "git-ops", "May"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
FILES = st.lists(st.tuples(TEXTS, TEXTS), max_size=3).map(
    lambda parts: "".join(f"## {head}\n\n{text}\n\n" for head, text in parts)
)
EDITS = st.lists(st.tuples(st.sampled_from("abc"), st.none() | FILES, st.booleans()), min_size=1, max_size=6)


NEW = store.new


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(EDITS)
def test_after_any_edits_the_cache_answers_as_one_that_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edits: list[tuple[str, str | None, bool]]
) -> None:
    """Same answers, same order, same scores, whatever was written, removed and committed between the questions.

    And the cache was brought up to date for it, not made again.
    """
    shutil.rmtree(tmp_path / "repo", ignore_errors=True)
    repo = Memory.make(tmp_path / "repo", hooks=False)
    repo.write("memtool.yaml", CONFIG)
    again: list[bool] = []

    def new() -> store.Index:
        again.append(cache(repo).exists())
        return NEW()

    monkeypatch.setattr(store, "new", new)
    for name, text, committed in edits:
        if text is None:
            (repo.root / f"topics/{name}.md").unlink(missing_ok=True)
        else:
            repo.write(f"topics/{name}.md", text)
        if committed:
            repo.git("add", "-A")
            repo.git("commit", "-qm", "x", "--allow-empty")
        told(repo, "kiwi")
    kept = [told(repo, word) for word in WORDS]
    assert True not in again
    cache(repo).unlink(missing_ok=True)
    assert kept == [told(repo, word) for word in WORDS]


# --- real texts and hostile queries ----------------------------------------------------------------------------------


def hostile() -> list[str]:
    rng = random.Random(1)
    signs = "\"'`*-+:^(){}[]<>|&;%$#@!?.,/\\~=_"
    words = [
        "AND",
        "OR",
        "NOT",
        "NEAR(",
        "NEAR(a b, 2)",
        "git-ops",
        "C++",
        "don't",
        "a:b",
        "text:",
        "heading:x",
        "^force",
        "force*",
    ]
    fixed = [
        *signs,
        *words,
        *(f'"{word}' for word in words),
        "' OR 1=1 --",
        '"; DROP TABLE entries; --',
        "%s %d {0}",
        "\\x00",
    ]
    fixed += [
        "\0",
        "a\0b",
        "\ud800\udfff",
        "\u202eforce\u202c",
        "مرحبا بالعالم",
        "שלום",
        "🦊🦊 force",
        "é" * 500,
        "\u0301" * 500,
    ]
    fixed += [
        "force " * 4_000,
        "茶" * 20_000,
        "a" * 20_000,
        '"' * 20_000,
        "( " * 10_000,
        " " * 20_000,
        "\n\t\r\v\f\u2028",
    ]
    letters = [*signs, *"abcforce茶绿é\0\u202e🦊 \n", "\u0301", "\U0010ffff"]
    return fixed + ["".join(rng.choices(letters, k=rng.randint(1, 60))) for _ in range(200 - len(fixed))]


@pytest.mark.parametrize("at", range(4))
def test_no_query_has_a_syntax(repo: Memory, at: int) -> None:
    """Two hundred texts that would be syntax somewhere: each is only words, answers or not, and raises nothing."""
    queries = hostile()
    assert len(queries) >= 200
    tree = WorkTree(str(repo.root))
    for query in queries[at::4]:
        assert all(found.data for found in search(tree, Config(), query))
        routes(tree, Config(), query)


def test_a_query_in_another_form_of_the_same_letters_has_the_same_answer(repo: Memory) -> None:
    """Composed and decomposed, wide and narrow, upper and lower."""
    repo.write("topics/cafe.md", "# Café\n\nカフェ, ガ\n")
    for query in ("café", "cafe", "CAFÉ", unicodedata.normalize("NFD", "café"), "ｃａｆé"):
        assert slugs(repo, query) == ["café"]
    assert slugs(repo, "ｶﾌｪ") == slugs(repo, unicodedata.normalize("NFD", "ガ")) == ["café"]


@needs_data
@pytest.mark.parametrize("name", ["memorybank-en", "memorybank-zh"])
def test_real_entries_are_each_found_by_their_own_words(tmp_path: Path, name: str) -> None:
    """Of 90 real days, each asked for by its date and a sentence of its own, comes first."""
    repo = Memory.make(tmp_path / "repo", hooks=False)
    lines = (DATA / "retrieval" / name / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    items = [item for item in map(json.loads, lines) if item["text"].strip()]
    for item in items:
        repo.write(f"notes/{item['group']}/{item['id']}.md", f"## {item['date']}\n\n{item['text']}\n")
    sentences = {item["id"]: max(item["text"].splitlines(), key=len) for item in items}
    tree = WorkTree(str(repo.root))
    wrong = [
        key
        for key, sentence in sentences.items()
        if Path(next(islice(search(tree, Config(), sentence), 1)).path).stem != key
    ]
    assert wrong == []


@needs_data
def test_every_entry_of_real_files_can_be_found(tmp_path: Path) -> None:
    """No section is left out: the index holds as many entries as the files."""
    repo = Memory.make(tmp_path / "repo", hooks=False)
    for place in sorted((DATA / "big-files").rglob("*.md")):
        repo.write(f"topics/{place.name}", place.read_bytes())
    tree = WorkTree(str(repo.root))
    list(islice(search(tree, Config(), "the"), 1))
    held = sqlite3.connect(cache(repo)).execute("SELECT path, entries FROM files").fetchall()
    assert {os.fsdecode(path): number for path, number in held} == {
        path: len(entries(tree[path], read(tree[path]).body)) for path in tree if path.startswith("topics/")
    }
