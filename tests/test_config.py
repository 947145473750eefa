"""`memtool.yaml`: what it may say, and how its faults are told."""

from __future__ import annotations

import pytest

from memtool.core import config
from memtool.core.config import Config, Resident, matches, read
from memtool.errors import MemtoolError


def test_an_empty_file_means_the_layout_that_init_makes() -> None:
    """Every setting has a default."""
    assert read(b"") == (Config(), [])
    assert read(b"# only a comment\n") == (Config(), [])


def test_settings_are_read_with_their_units() -> None:
    """1 KB is 1,024 bytes; lists, maps and comments are as in YAML."""
    data = b"""
format: 1
resident:
  - path: MEMORY.md   # adopted
    budget: 4 KB
  - path: agents/{agent}/summary.md
    budget: 2048
total: 20 KB
on_demand: ["**"]
index:
  layout: folders
digest:
  days: 14
"""
    found, unknown = read(data)
    assert unknown == []
    assert found.resident == (Resident("MEMORY.md", 4096), Resident("agents/{agent}/summary.md", 2048))
    assert (found.total, found.on_demand, found.index_layout, found.digest_days) == (20480, ("**",), "folders", 14)


@pytest.mark.parametrize(
    ("data", "line", "said"),
    [
        (b"total: many\n", 1, "total: a size such as"),
        (b"\ntotal: -1\n", 2, "a size"),
        (b"total: 0\n", 1, "a size"),
        (b"format: 1\nresident:\n  - budget: 4 KB\n", 3, "needs a `path`"),
        (b"resident:\n  - path: ../x.md\n", 2, "no path inside the repo"),
        (b"resident:\n  - path: /etc/passwd.md\n", 2, "no path inside the repo"),
        (b"resident:\n  - path: a/.git/x.md\n", 2, "no path inside the repo"),
        (b"resident:\n  - path: notes.txt\n", 2, "ends in .md"),
        (b"resident: rules.md\n", 1, "a list is expected"),
        (b"digest: x\n", 1, "keys are expected"),
        (b"digest:\n  days: soon\n", 2, "digest.days: a whole number"),
        (b"index:\n  layout: deep\n", 2, "`flat` or `folders`"),
        (b"- a\n- b\n", 1, "a map of settings"),
        (b"a: b: c\n", 1, "not YAML"),
        (b"total: 1\ntotal: 2\n", 2, "stands twice"),
        (b"format: 1\ntotal: \xff\n", 2, "not UTF-8"),
    ],
)
def test_a_wrong_setting_is_named_with_file_and_line(data: bytes, line: int, said: str) -> None:
    """Nothing is guessed: the error says where, what, and what is expected."""
    with pytest.raises(MemtoolError) as error:
        read(data)
    assert error.value.message.startswith(f"memtool.yaml:{line}: ")
    assert said in error.value.message


def test_an_unknown_key_is_a_warning_with_the_nearest_known_one() -> None:
    """A newer or mistyped key does not stop the older memtool."""
    _, (first, second) = read(b"totl: 12 KB\ndigest:\n  day: 3\n")
    assert (first.code, first.severity, first.line, first.hint) == (
        "unknown-key",
        "warning",
        1,
        "Did you mean `total`?",
    )
    assert (second.line, second.hint) == (3, "Did you mean `days`?")


def test_a_newer_format_is_read_and_never_written() -> None:
    """An older memtool goes on reading and refuses to write."""
    newer, _ = read(b"format: 2\n")
    with pytest.raises(MemtoolError, match="format 2"):
        newer.writable()
    assert Config().writable() == Config()


@pytest.mark.parametrize(
    ("path", "pattern", "matched"),
    [
        ("topics/a.md", "topics", True),
        ("topics/a.md", "topics/", True),
        ("topics2/a.md", "topics", False),
        ("system/a/b.md", "system/**", True),
        ("a/b.md", "*/b.md", True),
        ("a/c/b.md", "*/b.md", False),
        ("a/c/b.md", "**/b.md", True),
        ("b.md", "**/b.md", True),
        ("x.md", "**", True),
        ("notes/2026-01.md", "notes/2026-*.md", True),
        ("aXbXc", "a*b*c", True),
        ("ac", "a*c*c", False),
    ],
)
def test_patterns_name_files_and_folders(path: str, pattern: str, *, matched: bool) -> None:
    """A name means itself and all below; `*` stays within a name, `**` crosses folders."""
    assert matches(path, pattern) is matched


def test_tiers_agents_projects_and_journals_follow_from_paths_alone() -> None:
    """Where a file lies decides its tier, its agent, its project and its journal."""
    found = Config()
    assert found.budget("resident/agents/desk.md") == 2048
    assert found.agent_of("resident/agents/desk.md") == "desk"
    assert found.agent_of("resident/rules.md") == ""
    assert found.is_on_demand("topics/a.md")
    assert not any(map(found.is_on_demand, ["README.md", "INDEX.md", "resident/rules.md", "topics/a.txt"]))
    assert found.project_of("projects/blog/plan.md") == "projects/blog"
    assert found.project_of("projects/blog.md") == "projects/blog.md"
    assert found.journal_of("notes/desk/2026-07.md") == "desk"
    assert found.journal_of("notes/loose.md") == ""


def test_resident_files_come_in_reading_order() -> None:
    """Stable first, as listed; a session reads its own agent's file only."""
    tree = dict.fromkeys(
        ["resident/summary.md", "resident/agents/b.md", "resident/agents/a.md", "resident/rules.md", "x.md"], b""
    )
    assert config.Config().resident_paths(tree, "a") == [
        "resident/rules.md",
        "resident/summary.md",
        "resident/agents/a.md",
    ]
    assert config.Config().resident_paths(tree)[2:] == ["resident/agents/a.md", "resident/agents/b.md"]
    assert config.Config().agents(tree) == ["a", "b"]
