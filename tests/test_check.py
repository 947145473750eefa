"""The verdict on a tree, and the report that people, programs and GitHub read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtool.core import index, report
from memtool.core.check import Change, Report, check
from memtool.core.config import Config
from memtool.core.merge.aside import BOTH, Aside
from memtool.core.merge.copy import written
from memtool.model import Finding, Tree

GOLDEN = Path(__file__).parent / "golden" / "check"
TODAY = "2026-11-30"
RESIDENT = {"resident/rules.md": b"# Rules\n", "resident/summary.md": b"# Summary\n"}
TOPIC = b'---\ndescription: "read before git work"\nsource_date: 2026-01-01\n---\n\n# Git\n'
RULES = b"# Rules\n\n## Style\n\n" + b"Write plainly. " * 200 + b"\n\n## Git\n\n" + b"Never force. " * 100 + b"\n"


def whole(tree: dict[str, bytes], config: Config | None = None) -> Report:
    config = config or Config()
    tree = RESIDENT | tree
    return check(tree | index.pages(tree, config), config, source="work tree", today=TODAY)


class OddTree(Tree):
    """A tree in which one file is too large to be read."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files

    def __getitem__(self, path: str) -> bytes:
        return self.files[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def under(self, folder: str) -> Iterator[str]:
        return (path for path in self.files if path.startswith(folder + "/"))

    def odd(self, path: str) -> str:
        return "too large to read (17 MB)" if path == "topics/a.md" else ""


def codes(found: Report) -> list[tuple[str, str, str]]:
    return [(finding.severity, finding.code, finding.path) for finding in found.findings]


def test_a_well_kept_memory_has_nothing_to_say() -> None:
    """No finding, and the number of files examined is told."""
    found = whole({"resident/rules.md": b"# Rules\n", "topics/git.md": TOPIC})
    assert (codes(found), found.files) == ([], 3)


def messy() -> dict[str, bytes]:
    return {
        "resident/rules.md": RULES,
        "resident/summary.md": b"# Summary\n\n## Priorities\n\n- ship\n\nSee @topics/git.md and [gone](gone.md).\n"
        + b"x" * 3650,
        "topics/git.md": b"# Git\n",
        "topics/bad.md": b"---\ndescription: read before: git\n---\n",
        "topics/old.md": TOPIC.replace(b"---\n\n", b"review_by: 2026-01-01\n---\n\n"),
        **{f"topics/{number}.md": b"# T\n" for number in range(5)},
    }


@pytest.mark.parametrize("form", ["text", "brief", "github", "json"])
def test_the_report_is_as_written_down(form: str) -> None:
    """One screen: the table, what is too heavy and the ways out, errors, warnings by code, the count."""
    tree, config = messy(), Config()
    found = whole(tree)
    shown = {
        "text": lambda: report.text(found, config, tree),
        "brief": lambda: report.text(found, config, tree, changed=["resident/rules.md"]),
        "github": lambda: report.github(found),
        "json": lambda: json.dumps(report.asdict(found), indent=1, ensure_ascii=False) + "\n",
    }[form]()
    path = GOLDEN / f"messy.{form}"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(shown)
    assert shown == path.read_text()


def test_an_old_fault_is_no_matter_of_a_commit_that_does_not_touch_it() -> None:
    """With a change, findings are about its files; budgets are about all resident files, as a ratchet."""
    tree = messy()
    change = Change(("topics/new.md",), (tree,))
    found = check(tree | {"topics/new.md": TOPIC}, Config(), source="staged", today=TODAY, change=change)
    assert found.errors == 0
    assert ("warning", "over-budget", "resident/rules.md") in codes(found)
    assert {path for _, code, path in codes(found) if "budget" not in code and code != "over-total"} <= {
        "topics/new.md",
        "INDEX.md",
    }


@pytest.mark.parametrize(
    ("before", "after", "severity"),
    [
        (5000, 5001, "error"),
        (5000, 5000, "warning"),
        (5000, 4999, "warning"),
        (4096, 4097, "error"),
        (0, 5000, "error"),
    ],
)
def test_the_ratchet_turns_one_way(before: int, after: int, severity: str) -> None:
    """One byte more is refused; the same or less passes, still over."""
    old, new = {"resident/rules.md": b"x" * before}, {"resident/rules.md": b"x" * after}
    change = Change(("resident/rules.md",), (old,))
    found = check(new, Config(), source="staged", today=TODAY, change=change)
    assert [finding.severity for finding in found.findings if finding.code == "over-budget"] == [severity]


@pytest.mark.parametrize(
    ("size", "code"), [(3686, None), (3687, "near-budget"), (4096, "near-budget"), (4097, "over-budget")]
)
def test_from_nine_tenths_on_it_warns(size: int, code: str | None) -> None:
    """90 % of 4,096 bytes is 3,686.4; exactly the budget is within it."""
    found = whole({"resident/rules.md": b"x" * size, "topics/a.md": TOPIC})
    assert [finding.code for finding in found.findings] == ([code] if code else [])


def test_what_the_calendar_brings_is_never_an_error() -> None:
    """A review that is due warns, on whatever day it is checked."""
    tree = {"topics/old.md": TOPIC.replace(b"---\n\n", b"review_by: 2026-01-01\n---\n\n")}
    assert codes(whole(tree)) == [("warning", "review-due", "topics/old.md")]


def test_a_journal_needs_no_description_of_its_own() -> None:
    """The journals of an agent are one line of the index."""
    assert codes(whole({"notes/desk/2026-07.md": b"## 2026-07-01 x\n\ntext\n"})) == []


def test_names_cannot_forge_lines_of_the_report() -> None:
    """A newline or an escape in a file's name is shown, not sent to the terminal."""
    found = Finding("x", "error", "a\n\x1b[31m.md", 3, "m")
    assert report.place(found) == "a\\x0a\\x1b[31m.md:3"
    assert "\n::" not in report.github(Report("s", 1, (found,), whole({"topics/a.md": TOPIC}).bill)).strip()


def test_a_resident_file_that_is_gone_is_told() -> None:
    """Every session should read it; the whole tree tells, and the commit that removes it."""
    tree = {"resident/summary.md": b"# Summary\n", "topics/a.md": TOPIC}
    found = check(tree | index.pages(tree, Config()), Config(), source="work tree", today=TODAY)
    assert codes(found) == [("warning", "missing-resident", "resident/rules.md")]
    for paths, told in ((("resident/rules.md",), True), (("topics/a.md",), False)):
        change = Change(paths, (tree | {"resident/rules.md": b"x"},))
        found = check(tree, Config(), source="staged", today=TODAY, change=change)
        assert any(code == "missing-resident" for _, code, _ in codes(found)) is told


def test_what_cannot_be_examined_is_counted_apart_and_is_an_error() -> None:
    """A file nobody can look into may hold anything; it never counts as examined."""
    odd_tree = OddTree({"resident/rules.md": b"# R\n", "resident/summary.md": b"# S\n", "topics/a.md": b""})
    found = check(odd_tree, Config(), source="work tree", today=TODAY)
    assert ("error", "not-a-regular-file", "topics/a.md") in codes(found)
    assert "2 memory files examined, 1 not (work tree)" in report.summary(found)


def test_conflicts_and_secrets_in_index_and_configuration_are_found() -> None:
    """They are no memory files, and git merges them all the same."""
    marker = b"<<<<<<< a\n=======\n>>>>>>> b\n"
    tree = {"INDEX.md": marker, "memtool.yaml": b"# " + b"AKIA" + b"Z7QH2LXN4PWRT6VB\n", "topics/a.md": TOPIC}
    change = Change(("INDEX.md", "memtool.yaml"), (tree,))
    found = codes(check(tree, Config(), source="staged", today=TODAY, change=change))
    assert ("error", "conflict-marker", "INDEX.md") in found
    assert ("error", "secret", "memtool.yaml") in found


def test_giving_up_the_configuration_is_refused_once() -> None:
    """Without memtool.yaml no later commit would be judged by anything."""
    old = {"memtool.yaml": b"format: 1\n", "topics/a.md": TOPIC}
    change = Change(("memtool.yaml",), (old,))
    found = check({"topics/a.md": TOPIC}, Config(), source="staged", today=TODAY, change=change)
    assert ("error", "no-config", "memtool.yaml") in codes(found)


SET_ASIDE = b"---\nscope: a\n---\n\n# T\n\n> **Void since 2026-8-1:** [gone](gone.md)\n\n<<<<<<< x\n\xff\n"


@pytest.mark.parametrize("config", [Config(), Config(on_demand=("topics",))], ids=["memory", "no memory"])
def test_a_conflict_copy_is_told_once_and_as_nothing_else(config: Config) -> None:
    """Where the other text stands, why it was set aside, and what closes it, also where the inbox is no memory."""
    place, data = written("topics/gone.md", Aside("T", BOTH, SET_ASIDE, "t"), config)
    tree = {place: data}
    assert codes(whole(tree, config)) == [("warning", "conflict-copy", place)]
    (finding,) = whole(tree, config).findings
    assert finding.message == "a merge set aside another text of topics/gone.md#t: both sides changed it"
    assert finding.hint.endswith(f"memtool resolve {place}")
    change = Change((place,), ({},))
    staged = check(RESIDENT | tree, config, source="staged", today=TODAY, change=change)
    assert [found.code for found in staged.findings if found.path == place] == ["conflict-copy"]


def test_a_secret_in_a_conflict_copy_is_an_error() -> None:
    """It is no safer there than where it stood."""
    key = b"ghp_" + b"A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    place, data = written("topics/a.md", Aside("T", BOTH, key, "t"), Config())
    assert [code for _, code, _ in codes(whole({place: data}))] == ["secret", "conflict-copy"]


@pytest.mark.parametrize("lost", [b"- [", b"```\n"])
def test_what_cannot_be_read_as_a_conflict_copy_is_an_ordinary_file(lost: bytes) -> None:
    """Without its row, or its fence, it is a proposal like any other."""
    place, data = written("topics/a.md", Aside("T", BOTH, b"# T", "t"), Config())
    tree = {place: data.replace(lost, b""), "topics/a.md": TOPIC}
    assert codes(whole(tree)) == [("warning", "no-source-date", place)]


@pytest.mark.parametrize(("day", "said"), [("2026-11-29", ["review-due"]), ("2026-11-30", []), ("soon", [])])
def test_a_file_that_has_expired_by_its_own_words_is_due(day: str, said: list[str]) -> None:
    """From the day after the last one on which it holds."""
    expired = TOPIC.replace(b"---\n\n", f"valid_until: {day}\n---\n\n".encode())
    assert [code for _, code, _ in codes(whole({"topics/a.md": expired}))] == said
