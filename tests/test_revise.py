"""`revise`, `forget`, `verify` in a real repo: one entry changed in one commit, or nothing at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from memory import Memory

from memtool import MemoryRepo
from memtool.core.writing import amend
from memtool.errors import MemtoolError
from memtool.jobs import revise as jobs

JOURNAL = "notes/desk/2026-07.md"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    made = Memory.started(tmp_path / "memory")
    made.git("config", "memtool.agent", "desk")
    return made


@pytest.fixture
def port(memory: Memory) -> str:
    """Remember three things; give the ref of the one in the middle."""
    mine = repo(memory)
    mine.remember("The office has one door.", date="2026-07-01")
    ref = mine.remember("The gate listens on port 22. It is painted green.", date="2026-07-02", title="Gate").ref
    mine.remember("The cellar has no light.", date="2026-07-03")
    return ref


def repo(memory: Memory) -> MemoryRepo:
    return MemoryRepo.open(str(memory.root))


COMMANDS = {
    "revise": ("--void", "port 22", "--reason", "it moved.", "--now", "port 49222"),
    "forget": ("--reason", "torn down"),
    "verify": (),
}
each = pytest.mark.parametrize("command", COMMANDS)


@each
def test_one_commit_holds_exactly_the_file_and_the_ref_is_valid(memory: Memory, port: str, command: str) -> None:
    """The printed ref shows the entry, trailers name it, the message quotes nothing, the user's work is left alone."""
    memory.write("topics/git.md", "# Mine\n")
    memory.write("topics/staged.md", "# Staged\n")
    memory.git("add", "topics/staged.md")
    before, status = memory.git("rev-parse", "HEAD"), memory.git("status", "--porcelain")
    said = memory.run(command, port, *COMMANDS[command], ok=(0,)).stdout.strip()
    assert repo(memory).show(said).ref == said
    assert memory.git("rev-parse", "HEAD^") == before
    assert memory.git("show", "--name-only", "--format=").split() == [JOURNAL]
    assert set(status.splitlines()) <= set(memory.git("status", "--porcelain").splitlines())
    assert JOURNAL not in memory.git("status", "--porcelain")
    assert memory.git("log", "-1", "--format=%B").strip() == (
        f"{command.capitalize()} an entry\n\nMemory-Op: {command}\nMemory-Agent: desk\nMemory-Path: {JOURNAL}\n"
        f"Memory-Hash: {said[-6:]}"
    )


@each
def test_every_other_entry_stays_byte_for_byte(memory: Memory, port: str, command: str) -> None:
    """What stood above and below the entry stands there as it did."""
    before = (memory.root / JOURNAL).read_bytes()
    memory.run(command, port, *COMMANDS[command], ok=(0,))
    after = (memory.root / JOURNAL).read_bytes()
    head, tail = before[: before.index(b"## 2026-07-02")], before[before.index(b"## 2026-07-03") :]
    assert after.startswith(head)
    assert after.endswith(tail)
    assert after != before


def test_what_no_longer_holds_is_kept_with_day_and_reason(memory: Memory, port: str) -> None:
    """The void part stands verbatim in the record, the new one in its place, the rest is live."""
    done = json.loads(memory.run("revise", port, *COMMANDS["revise"], "--format", "json", ok=(0,)).stdout)
    assert done.keys() == {"schema", "ref", "path", "commit", "text"}
    live, _, record = done["text"].partition("> **Void since ")
    assert live.endswith("The gate listens on port 49222. It is painted green.\n\n")
    assert record[10:].rstrip() == ":** it moved. It said:\n>\n> port 22"


def test_what_was_withdrawn_is_found_no_more(memory: Memory, port: str) -> None:
    """Not by its own words either; with --include it comes as void, with the reason in its file."""
    said = memory.run("forget", port, "--reason", "torn down", ok=(0,)).stdout.strip()
    assert "painted" not in memory.run("recall", "gate port 22 painted green", ok=(0, 1)).stdout
    shown = memory.run("recall", "gate painted green", "--include", "void", ok=(0,)).stdout
    assert "void since" in shown
    assert said in shown
    assert "torn down" in (memory.root / JOURNAL).read_text()


def test_what_was_confirmed_is_young_again(memory: Memory, port: str) -> None:
    """The day stands in the record line and in the labels; a second time on that day changes nothing and says so."""
    said = memory.run("verify", port, ok=(0,)).stdout.strip()
    hit = repo(memory).show(said)
    assert (hit.age_days, hit.source_date) == (0, "2026-07-02")
    assert hit.verified
    before = memory.state()
    assert memory.run("verify", said, ok=(0,)).stdout.startswith(said)
    assert memory.state() == before


@each
def test_a_dry_run_shows_the_entry_and_changes_nothing(memory: Memory, port: str, command: str) -> None:
    """The ref and text that would be are those that then are."""
    before = memory.state()
    dry = memory.run(command, port, *COMMANDS[command], "--dry-run", ok=(0,)).stdout
    assert memory.state() == before
    said = memory.run(command, port, *COMMANDS[command], ok=(0,)).stdout.strip()
    assert dry.startswith(f"would be {said}:\n\n## 2026-07-02 Gate\n")


@each
@pytest.mark.parametrize(
    ("ref", "said"),
    [
        (f"{JOURNAL}#2026-07-02-gate@000000", "it was changed since"),
        (f"{JOURNAL}#2026-07-09-none", "no such entry"),
        ("topics/twice.md#same", "2 entries are called so"),
        ("notes/desk", "is no ref"),
        ("../x.md#top", "no place in the memory repo"),
        ("README.md#readme", "no memory file"),
        ("INDEX.md#index", "no memory file"),
        ("topics/link.md#git", "a symbolic link"),
    ],
)
def test_what_is_not_one_entry_is_refused(memory: Memory, port: str, command: str, ref: str, said: str) -> None:
    """A stale hash, an ambiguous name, no memory: exit code 2, one message, nothing changed."""
    del port
    memory.write("topics/twice.md", "# Twice\n\n## Same\n\nport 22\n\n## Same\n\nport 22\n")
    memory.write("README.md", "# Readme\n\nport 22\n")
    (memory.root / "topics/link.md").symlink_to("git.md")
    before = memory.state()
    done = memory.run(command, ref, *COMMANDS[command], ok=(2,))
    assert said in done.stderr
    assert done.stderr.count("memtool:") == 1
    assert memory.state() == before


@each
def test_an_entry_that_moved_is_changed_by_its_new_ref_only(memory: Memory, port: str, command: str) -> None:
    """The message gives that ref, and it is valid."""
    (memory.root / "topics/moved.md").write_bytes((memory.root / JOURNAL).read_bytes())
    memory.git("rm", "-q", JOURNAL)
    said = memory.run(command, port, *COMMANDS[command], ok=(2,)).stderr
    assert "it has moved" in said
    [ref] = [word for word in said.split() if word.startswith("topics/moved.md#")]
    assert memory.run(command, ref, *COMMANDS[command], ok=(0,)).stdout.startswith("topics/moved.md#2026-07-02-gate@")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--void", "port 23", "--reason", "moved"), "port 22"),
        (("--void", "", "--reason", "moved"), ""),
        (("--void", "t", "--reason", "moved"), ""),
        (("--void", "port 22", "--reason", ""), "reason"),
        (("--void", "port 22", "--reason", "caf\udce9"), "UTF-8"),
        (("--void", "caf\udce9", "--reason", "moved"), ""),
        (
            ("--void", "port 22", "--reason", "moved", "--now", "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"),
            "secret",
        ),
    ],
)
def test_a_bad_revision_changes_nothing(memory: Memory, port: str, args: tuple[str, ...], said: str) -> None:
    """What is not there, or more than once, no reason, no UTF-8, a secret: refused."""
    before = memory.state()
    done = memory.run("revise", port, *args, ok=(2,))
    assert said in done.stderr
    assert memory.state() == before


def test_a_secret_is_not_given_as_the_reason_of_a_withdrawal(memory: Memory, port: str) -> None:
    """The reason is text that stays in the file, too."""
    before = memory.state()
    key = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    assert "holds a secret" in memory.run("forget", port, "--reason", f"it was {key}", ok=(2,)).stderr
    assert memory.state() == before


@each
def test_in_the_middle_of_a_merge_nothing_is_changed(memory: Memory, port: str, command: str) -> None:
    """The message says what is under way."""
    memory.write(".git/MERGE_HEAD", memory.git("rev-parse", "HEAD"))
    before = memory.state()
    assert "a merge is under way" in memory.run(command, port, *COMMANDS[command], ok=(2,)).stderr
    assert memory.state() == before


@each
def test_where_the_commit_fails_the_file_is_as_it_was(memory: Memory, port: str, command: str) -> None:
    """A hook that refuses, or a held index: exit code 2, its words, nothing changed."""
    hook = memory.root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho 'error: not today' >&2\nexit 1\n")
    before = (memory.root / JOURNAL).read_bytes(), memory.git("rev-parse", "HEAD")
    assert "not today" in memory.run(command, port, *COMMANDS[command], ok=(2,)).stderr
    assert ((memory.root / JOURNAL).read_bytes(), memory.git("rev-parse", "HEAD")) == before
    assert memory.git("status", "--porcelain") == ""


def test_what_another_appends_meanwhile_is_not_written_over(
    memory: Memory, port: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between reading and writing, another process remembers: the change is refused, and made when asked again."""
    real = amend.confirmed

    def slow(data: bytes, *args: object, **named: object) -> bytes:
        memory.run("remember", "Meanwhile.", "--date", "2026-07-04", ok=(0,))
        return real(data, *args, **named)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(jobs, "confirmed", slow)
        with pytest.raises(MemtoolError, match="changed meanwhile"):
            repo(memory).verify(port)
    assert "Meanwhile." in (memory.root / JOURNAL).read_text()
    assert memory.git("status", "--porcelain") == ""
    assert repo(memory).verify(port).commit


def test_a_withdrawn_entry_can_be_neither_changed_nor_confirmed(memory: Memory, port: str) -> None:
    """It is void: each command says so, and changes nothing."""
    said = repo(memory).forget(port, reason="torn down").ref
    before = memory.state()
    for command, args in COMMANDS.items():
        assert memory.run(command, said, *args, ok=(2,)).stdout == ""
    assert memory.state() == before
