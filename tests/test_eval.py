"""`memtool eval` as a command: exams on memories of their own, and the repo's own exam, which changes nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from memory import Memory

EXAMPLE = (Path(__file__).parent.parent / "docs/eval.md").read_text().partition("```yaml\n")[2].partition("```")[0]
LEAK = """
- id: office
  setup:
    - remember: {to: topics/office.md, text: "The office is in the marble tower.", as: office}
  query: where is the office
  forbid: {text: [marble]}
"""


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    made = Memory.started(tmp_path / "memory")
    made.git("config", "memtool.agent", "desk")
    return made


def outcomes(memory: Memory, *args: str, ok: int = 0) -> dict[str, str]:
    said = json.loads(memory.run("eval", *args, "--format", "json", ok=(ok,)).stdout)
    assert said["schema"] == "memtool.eval/1"
    return {case["id"]: case["outcome"] for case in said["cases"]}


def test_the_example_of_the_documentation_passes(memory: Memory) -> None:
    """What was replaced does not come out as current, and its neighbour still comes out."""
    memory.write("case.yaml", EXAMPLE)
    assert outcomes(memory, "case.yaml") == {"home-moved": "PASS"}
    assert "PASS" in memory.run("eval", "case.yaml", ok=(0,)).stdout


def test_a_leak_ends_in_exit_code_1(memory: Memory) -> None:
    """However many others pass."""
    memory.write("cases.yaml", EXAMPLE + LEAK)
    assert outcomes(memory, "cases.yaml", ok=1) == {"home-moved": "PASS", "office": "LEAK"}


def test_what_was_withdrawn_is_gone_for_its_own_words_too(memory: Memory) -> None:
    """forget, and a probe with the forbidden words: nothing leaks, and the neighbour stays."""
    memory.write(
        "cases.yaml",
        """
- id: gone
  setup:
    - remember: {to: topics/office.md, text: "The office is in the marble tower.", as: office}
    - remember: {to: topics/office.md, text: "The canteen serves soup.", as: soup}
  ops:
    - forget: {ref: office, reason: closed}
  query: where is the office
  forbid: {text: [marble]}
  control: {refs: [soup], query: what does the canteen serve}
""",
    )
    assert outcomes(memory, "cases.yaml") == {"gone": "PASS"}


def test_an_exam_touches_nothing_of_the_users(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its memories lie in the temporary folder, and are taken away; no repo has to be around."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    memory.write("case.yaml", EXAMPLE)
    before = memory.state()
    memory.run("eval", "case.yaml", ok=(0,))
    assert memory.state() == before
    assert os.listdir(temporary) == []
    elsewhere = Memory(tmp_path)
    elsewhere.run("eval", "memory/case.yaml", ok=(0,))


def test_a_fixture_is_the_folder_that_the_memory_starts_as(memory: Memory, tmp_path: Path) -> None:
    """Looked for beside the exam, copied and never changed."""
    place = tmp_path / "start/topics/gate.md"
    place.parent.mkdir(parents=True)
    place.write_text("# Gate\n\nThe gate is green.\n")
    (tmp_path / "case.yaml").write_text(
        "- id: gate\n  fixture: start\n  query: which colour has the gate\n  expect: {text_all: [green]}\n"
    )
    assert set(outcomes(memory, str(tmp_path / "case.yaml"))) == {"gate"}
    assert [path.name for path in (tmp_path / "start").iterdir()] == ["topics"]


@pytest.mark.parametrize("fixture", ["none", "..", ".", "/", "case.yaml"])
def test_a_fixture_that_is_no_folder_beside_the_exam_is_not_exercised(memory: Memory, fixture: str) -> None:
    """The case says so; nothing from elsewhere is copied."""
    memory.write("case.yaml", f"- id: a\n  fixture: {fixture}\n  query: gate\n  expect: {{text_all: [green]}}\n")
    assert outcomes(memory, "case.yaml") == {"a": "UNEXERCISED"}


def test_a_command_without_what_it_needs_is_not_exercised(memory: Memory) -> None:
    """The argument that is missing is named."""
    setup = "[{remember: {to: topics/a.md}}]"
    memory.write("case.yaml", f"- id: a\n  setup: {setup}\n  query: gate\n  expect: {{text_all: [green]}}\n")
    done = memory.run("eval", "case.yaml", ok=(0, 2))
    assert "text" in done.stdout + done.stderr
    assert "PASS" not in done.stdout


def test_the_own_exam_asks_every_description_and_void_text(memory: Memory) -> None:
    """A small memory passes it; files, index and history are as they were."""
    said = memory.run("remember", "The office is in the marble tower. It is cold.", "--to", "topics/git.md", ok=(0,))
    memory.run(
        "revise", said.stdout.strip(), "--void", "The office is in the marble tower.", "--reason", "moved.", "--now",
        "The office is at the harbour.", ok=(0,),
    )  # fmt: skip
    before = memory.state()
    found = outcomes(memory, "--self")
    assert len(found) == 2
    assert set(found.values()) == {"PASS"}
    assert memory.state() == before


def test_a_memory_without_descriptions_has_no_own_exam(memory: Memory) -> None:
    """It says so, with the way out."""
    memory.write("topics/git.md", "# Git\n\nText.\n")
    assert "memtool describe" in memory.run("eval", "--self", ok=(2,)).stderr


@pytest.mark.parametrize("args", [(), ("case.yaml", "--self")])
def test_one_exam_has_to_be_named(memory: Memory, args: tuple[str, ...]) -> None:
    """A file, or the own one."""
    memory.write("case.yaml", EXAMPLE)
    assert "which exam?" in memory.run("eval", *args, ok=(2,)).stderr


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("none.yaml", None, "none.yaml: unreadable"),
        ("a.yaml", "- id: [\n", "a.yaml:"),
        ("a.yaml", "- id: a\n  surface: recall\n", "a.yaml:1"),
        ("a.yaml", "- id: a\n  query: x\n  surface: nowhere\n", "a.yaml:3"),
        ("a.jsonl", '{"id": "a", "query": "x", "expect": {"text_all": ["x"]}}\n{"id": \n', "a.jsonl:2"),
        ("a.yaml", b"\xff\xfe", "a.yaml"),
        ("a.yaml", "", "a.yaml"),
    ],
)
def test_cases_that_cannot_be_read_are_named(memory: Memory, name: str, content: str | bytes | None, said: str) -> None:
    """File and line, exit code 2, nothing on stdout."""
    if content is not None:
        memory.write(name, content)
    done = memory.run("eval", name, ok=(2,))
    assert said in done.stderr
    assert done.stdout == ""


def test_a_key_that_is_not_known_is_a_warning(memory: Memory) -> None:
    """The exam goes on."""
    memory.write("case.yaml", EXAMPLE.replace("  k: 3\n", "  k: 3\n  mood: good\n"))
    assert "case.yaml:10: " in memory.run("eval", "case.yaml", ok=(0,)).stderr
