"""`from memtool import MemoryRepo`: what the commands do, as methods, and light to load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from memory import Memory

from memtool import MemoryRepo
from memtool.errors import MemtoolError

HEAVY = ("typer", "click", "git", "yaml", "markdown_it", "dataclasses", "subprocess", "pathlib")


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    made = Memory.started(tmp_path / "memory")
    made.git("config", "memtool.agent", "desk")
    return made


def loaded(memory: Memory, code: str) -> set[str]:
    """List the modules that *code* loads beside those of Python's own start."""
    told = "import sys; before = set(sys.modules)\n" + code + "\nprint(*sorted(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{told}"],
        cwd=memory.root, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return set(done.stdout.split())


def test_a_memory_is_written_asked_and_corrected(memory: Memory) -> None:
    """Every ref that a method gives is taken by the next."""
    mine = MemoryRepo.open(str(memory.root))
    said = mine.remember(
        "The gate listens on port 22.", title="Gate", scope="project:gate", date="2026-07-01", why="seen", source="me"
    )
    assert said.commit == memory.git("rev-parse", "HEAD").strip()
    [hit] = mine.recall("port of the gate").hits
    assert (hit.ref, hit.scope, hit.source_date) == (said.ref, "project:gate", "2026-07-01")
    confirmed = mine.verify(said.ref)
    revised = mine.revise(confirmed.ref, void="port 22", reason="moved.", now="port 49222")
    assert mine.show(revised.ref).text == "The gate listens on port 49222."
    assert [hit.ref for hit in mine.recent()] == [revised.ref]
    gone = mine.forget(revised.ref, reason="torn down")
    assert mine.recall("port of the gate").hits == ()
    assert [hit.ref for hit in mine.recall("port of the gate", include=["void"]).hits] == [gone.ref]
    assert memory.git("status", "--porcelain") == ""


def test_it_gives_what_the_command_line_gives(memory: Memory) -> None:
    """The same ref for the same words, and the same answer."""
    mine = MemoryRepo.open(str(memory.root))
    dry = memory.run("remember", "The gate is green.", "--date", "2026-07-01", "--dry-run", ok=(0,)).stdout
    said = mine.remember("The gate is green.", date="2026-07-01").ref
    assert dry.startswith(f"would be {said}:")
    assert said in memory.run("recall", "green gate", ok=(0,)).stdout
    assert mine.recall("green gate", k=1).asdict()["schema"] == "memtool.recall/1"


def test_the_repo_and_the_agent_are_found_as_the_command_line_finds_them(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder below the repo, the environment, the settings of the clone; an agent by name."""
    monkeypatch.chdir(memory.root / "topics")
    assert (MemoryRepo.open().root, MemoryRepo.open().agent) == (str(memory.root.resolve()), "desk")
    assert MemoryRepo.open(agent="laptop").agent == "laptop"
    monkeypatch.chdir("/")
    monkeypatch.setenv("MEMTOOL_REPO", str(memory.root))
    assert MemoryRepo.open().root == str(memory.root.resolve())


@pytest.mark.parametrize(
    "call",
    [
        lambda mine: mine.remember(""),
        lambda mine: mine.remember(" \n"),
        lambda mine: mine.remember("\ud800"),
        lambda mine: mine.remember("One.", title="\ud800"),
        lambda mine: mine.remember("One.", why="\ud800"),
        lambda mine: mine.remember("One.", date="tomorrow"),
        lambda mine: mine.remember("One.", scope="blog"),
        lambda mine: mine.remember("One.", to="resident/rules.md"),
        lambda mine: mine.remember("One.", to="../x.md"),
        lambda mine: mine.remember("One.", to="topics/a\0b.md"),
        lambda mine: mine.recall("gate", scope="blog"),
        lambda mine: mine.recall("gate", as_of="2001-01-01"),
        lambda mine: mine.recall("gate", as_of="yesterday"),
        lambda mine: mine.show("gate"),
        lambda mine: mine.show("topics/none.md#x"),
        lambda mine: mine.show("topics/a\0b.md#x"),
        lambda mine: mine.revise("topics/git.md#git", void="x", reason="y"),
        lambda mine: mine.forget("topics/git.md#none", reason="y"),
        lambda mine: mine.verify("topics/git.md#git@000000"),
    ],
)  # fmt: skip
def test_what_is_wrong_raises_the_one_error_and_changes_nothing(memory: Memory, call: object) -> None:
    """MemtoolError with a message, whatever is given."""
    before = memory.state()
    with pytest.raises(MemtoolError) as error:
        call(MemoryRepo.open(str(memory.root)))  # type: ignore[operator]
    assert error.value.message
    assert memory.state() == before


def test_a_folder_that_is_no_memory_repo_is_refused(tmp_path: Path) -> None:
    """With the way out as the hint."""
    with pytest.raises(MemtoolError) as error:
        MemoryRepo.open(str(tmp_path))
    assert "memtool init" in error.value.hint


def test_importing_memtool_loads_nothing_of_it(memory: Memory) -> None:
    """git and agent hosts start memtool all the time; the library is loaded where it is asked for."""
    assert loaded(memory, "import memtool") == {"__future__", "memtool"} & loaded(memory, "import memtool") | {
        "memtool"
    }
    assert "memtool.library" in loaded(memory, "from memtool import MemoryRepo")


@pytest.mark.parametrize(
    "call",
    [
        "recall('pipes exit codes')",
        "recent()",
        "remember('The gate is green.', date='2026-07-01')",
        "show('topics/git.md#git')",
        "verify('topics/git.md#git')",
    ],
)
def test_no_call_loads_a_heavy_library(memory: Memory, call: str) -> None:
    """None of those whose import alone costs as much as Python's start."""
    memory.write("topics/git.md", (memory.root / "topics/git.md").read_text() + "\nPipes swallow exit codes.\n")
    memory.git("commit", "-qam", "text", "--no-verify")
    names = loaded(memory, f"from memtool import MemoryRepo\nMemoryRepo.open('.', agent='desk').{call}")
    assert "memtool.library" in names
    assert not names & set(HEAVY)


def test_an_unknown_name_is_no_part_of_memtool() -> None:
    """As of any module."""
    import memtool

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = memtool.nothing
