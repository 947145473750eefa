"""A folder that holds memory already: mapped, completed, and left as it was."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from folders import BUNDLES, bytes_of, committed, fill, repo, run
from hypothesis import given
from hypothesis import strategies as st
from memory import GOOD, Memory

from memtool.core.adopt import adopt
from memtool.core.config import Config, Resident, read
from memtool.core.scaffold import attributes, ignores, settings
from memtool.edge.assets import asset

AGENTS = "resident/agents/{agent}.md"


def _resident(*paths: str) -> list[str]:
    return [item.path for item in adopt(dict.fromkeys(paths, 100)).config.resident]


# --- the mapping -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paths", "resident"),
    [
        (("MEMORY.md", "topics/a.md"), ["MEMORY.md", AGENTS]),
        (("MEMORY.md", "CLAUDE.md", "AGENTS.md"), ["AGENTS.md", "CLAUDE.md", "MEMORY.md", AGENTS]),
        (("GEMINI.md", "docs/a.md"), ["GEMINI.md", AGENTS]),
        (("system/persona.md", "reference/a.md"), ["system/**", AGENTS]),
        (
            ("memory-bank/projectbrief.md", "memory-bank/activeContext.md", "memory-bank/progress.md"),
            ["memory-bank/projectbrief.md", "memory-bank/activeContext.md", "memory-bank/agents/{agent}.md"],
        ),
        (("memory/MEMORY.md", "memory/2026-01-01.md"), ["memory/MEMORY.md", "memory/agents/{agent}.md"]),
        (("MEMORY.md", "memory/1.md", "USER.md"), ["MEMORY.md", "USER.md", "memory/agents/{agent}.md"]),
        (("rules.md", "summary.md", "agents/a.md", "x/b.md"), ["rules.md", "summary.md", "agents/{agent}.md"]),
        (("MEMORY.md", "agents/a.md"), ["MEMORY.md", AGENTS]),
        (("resident/rules.md", "topics/a.md"), [item.path for item in Config().resident]),
        (("git/memory.md", "llms/claude.md"), [item.path for item in Config().resident]),
    ],
)  # fmt: skip
def test_what_sessions_read_already_becomes_the_resident_tier(paths: tuple[str, ...], resident: list[str]) -> None:
    """The names by which hosts and habits read files at start are known; a note about Claude is not CLAUDE.md."""
    assert _resident(*paths) == resident


def test_a_log_that_has_grown_is_not_read_at_every_start() -> None:
    """A small status file is resident; one of 27 KB is on demand, and that is said."""
    assert "memory-bank/status.md" in _resident("memory-bank/status.md", "memory-bank/RULES.md")
    found = adopt({"memory-bank/status.md": 27_000, "memory-bank/RULES.md": 100})
    assert "memory-bank/status.md" not in [item.path for item in found.config.resident]
    assert found.left_out == ("memory-bank/status.md",)


@pytest.mark.parametrize(
    ("paths", "on_demand"),
    [
        (("topics/a.md", "projects/b.md"), list(Config().on_demand)),
        (("a.md", "b/c.md"), ["**"]),
        (("docs/a.md", "notes/b.md"), ["docs", "notes", "projects", "handoffs", "inbox"]),
        ((".memory-bank/a.md", ".memory-bank/b/c.md"), [".memory-bank"]),
        (tuple(f"t{number}/a.md" for number in range(20)), ["**"]),
    ],
)
def test_the_rest_is_on_demand_where_it_lies(paths: tuple[str, ...], on_demand: list[str]) -> None:
    """Few folders are named; many, or files at the top, are `**`, so that the next one is not forgotten."""
    assert list(adopt(dict.fromkeys(paths, 1)).config.on_demand) == on_demand


def test_what_a_repo_says_about_itself_is_no_memory() -> None:
    """README, licence and changelog at the top, hidden folders and packages are left out; a README below is not."""
    paths = (
        "README.md",
        "README.de.md",
        "LICENSE.md",
        "CHANGELOG.md",
        "a.md",
        "b/README.md",
        ".github/x.md",
        "node_modules/y/z.md",
    )
    assert adopt(dict.fromkeys(paths, 1)).memory == ("a.md", "b/README.md")


def test_only_a_readme_is_a_new_repo() -> None:
    """A folder with nothing but a README gets the plain layout."""
    found = adopt({"README.md": 10, "LICENSE": 10})
    assert (found.config, found.memory) == (Config(), ())


def test_a_folder_of_subjects_does_not_become_a_journal() -> None:
    """In `notes/` each folder is an agent's journal, one line of the index; `notes/python/` must keep its lines."""
    assert adopt({"notes/python/a.md": 1}).config.notes == "journal"
    assert adopt({"notes/a.md": 1}).config.notes == "notes"
    assert adopt({"resident/rules.md": 1, "notes/laptop/2026-01.md": 1}).config == Config()


@pytest.mark.parametrize("name", ["INDEX.md", "index.md", "deep/Index.md"])
def test_an_index_by_hand_keeps_its_name(name: str) -> None:
    """memtool's index gets another name, also where file systems tell no case apart."""
    assert adopt({name: 1, "a/b.md": 1}).config.index == "MEMORY-INDEX.md"


def test_projects_are_found_where_they_are() -> None:
    """A folder named projects is what moves; one inside another is not counted twice."""
    found = adopt({"core/area/projects/a/projects/b.md": 1, "core/c.md": 1})
    assert found.config.projects == ("core/area/projects",)


def test_a_name_that_is_not_utf_8_is_matched_by_a_pattern() -> None:
    """The configuration is UTF-8; the folder is still mapped."""
    found = adopt({"caf\udce9/a.md": 1, "d/b.md": 1})
    assert "caf*/**" in found.config.on_demand
    assert "caf\udce9/a.md" in found.memory


_names = st.text(st.characters(exclude_characters="/\\\0", exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda name: name not in {".", "..", ".git"}
)


@given(names=st.lists(_names, min_size=1, max_size=5), index=_names)
def test_the_configuration_says_what_was_decided(names: list[str], index: str) -> None:
    """Whatever the folders are called, what is written is read back as the same mapping."""
    config = Config(
        resident=tuple(Resident(f"{name}/x.md", 4096) for name in names),
        on_demand=tuple(names), exclude=tuple(names[1:]), projects=(names[0],), notes=names[-1], index=f"{index}.md",
        index_layout="folders",
    )  # fmt: skip
    assert read(settings(asset("templates", "memtool.yaml"), config)) == (config, [])


# --- git's files -----------------------------------------------------------------------------------------------------

RULES = b"# bytes\n*.md -text\n# both\n*.md merge=memtool\n"
"""The template: two rules, each with its reason."""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"", RULES),
        (b"*.png binary\n", b"*.png binary\n" + RULES),
        (b"*.png binary", b"*.png binary\n" + RULES),
        (b"*.png binary\r\n", b"*.png binary\r\n" + RULES.replace(b"\n", b"\r\n")),
        (b"* text=auto\n", b"* text=auto\n" + RULES),
        (b"*.md diff=markdown\n", b"*.md diff=markdown\n" + RULES),
        (b"# bytes\n*.md -text\n", RULES),
        (b"*.md merge=memtool\n", b"*.md merge=memtool\n# bytes\n*.md -text\n"),
        (b"*.md -text diff=markdown merge=memtool\n", b"*.md -text diff=markdown merge=memtool\n"),
        (b"a/*.md merge=memtool -text\n", b"a/*.md merge=memtool -text\n" + RULES),
        (b"*.md merge=union\n", b"*.md merge=union\n# bytes\n*.md -text\n"),
    ],
)
def test_attributes_get_the_rules_that_they_lack(old: bytes, new: bytes) -> None:
    """The bytes above stay, the line ends of the file are kept, and a second time nothing is lacking."""
    assert attributes(old, RULES).data == new
    assert attributes(new, RULES).data == new


@pytest.mark.parametrize(
    "old",
    [
        b"*.md text eol=crlf\n", b"a\n*.md filter=lfs diff=lfs\n", "*.md -text".encode("utf-16"),
        b"*.md -text merge=union\n", b"*.md -text -merge\n", b"notes/*.md merge=ours\n*.md -text\n",
    ],
)  # fmt: skip
def test_attributes_that_say_otherwise_are_not_overruled(old: bytes) -> None:
    """What the user has decided is named, not changed."""
    found = attributes(old, RULES)
    assert found.data == old
    assert found.problem


@pytest.mark.parametrize("old", [b"/.memtool/\n", b".memtool\n", b"a\n.memtool/"])
def test_ignoring_the_digest_is_known_in_every_spelling(old: bytes) -> None:
    """A line that says it already is not doubled."""
    assert ignores(old, b"/.memtool/\n").data == old


# --- on disk ---------------------------------------------------------------------------------------------------------


def test_a_folder_without_git_becomes_one_commit(tmp_path: Path) -> None:
    """The memory is in the first commit with what memtool adds; what is no memory is not."""
    memory = fill(tmp_path / "m", {"MEMORY.md": "# M\n", "topics/git.md": GOOD, "photo.png": b"\x89PNG"})
    report = run(memory.root)
    assert report.state == "adopted"
    assert committed(memory) >= {"MEMORY.md", "topics/git.md", "memtool.yaml", "INDEX.md"}
    assert memory.git("status", "--porcelain") == "?? photo.png\n"


def test_an_existing_repo_keeps_its_uncommitted_work(tmp_path: Path) -> None:
    """Only what memtool adds is committed; staged and dirty work stays so, and the lack of it in git is said."""
    memory = repo(tmp_path / "m", {"MEMORY.md": "# M\n", "topics/git.md": GOOD})
    memory.write("MEMORY.md", "# M\n\nstaged\n")
    memory.git("add", "MEMORY.md")
    memory.write("MEMORY.md", "# M\n\ndirty\n")
    memory.write("topics/new.md", GOOD)
    before = memory.git("status", "--porcelain")
    report = run(memory.root)
    assert memory.git("status", "--porcelain") == before
    assert memory.git("show", ":MEMORY.md") == "# M\n\nstaged\n"
    assert committed(memory).isdisjoint({"MEMORY.md", "topics/new.md"})
    assert any("2 memory files are not committed" in note for note in report.notes)


def test_no_empty_files_beside_what_sessions_read(tmp_path: Path) -> None:
    """With a MEMORY.md there is no second, empty set of rules; the agent gets a file of its own."""
    memory = repo(tmp_path / "m", {"MEMORY.md": "# M\n"})
    report = run(memory.root)
    assert "resident/agents/laptop.md" in report.made
    assert not (memory.root / "resident" / "rules.md").exists()


def test_over_budget_is_said_with_figures_and_committed(tmp_path: Path) -> None:
    """A store that is too big is adopted all the same, and its first own commit that does not grow it passes."""
    memory = fill(tmp_path / "m", {"MEMORY.md": "# M\n\n" + "x" * 9000})
    report = run(memory.root)
    assert report.over == (("MEMORY.md", 9005, 4096),)
    assert any("4,909 over its budget of 4,096" in line for line in report.lines())
    assert report.commit


def test_a_link_is_not_followed_and_that_is_said(tmp_path: Path) -> None:
    """CLAUDE.md as a link to AGENTS.md is common: the file counts, the link does not."""
    memory = fill(tmp_path / "m", {"AGENTS.md": "# A\n"})
    (memory.root / "CLAUDE.md").symlink_to("AGENTS.md")
    report = run(memory.root)
    assert [item.path for item in report.config.resident] == ["AGENTS.md", AGENTS]
    assert any("CLAUDE.md" in note for note in report.notes)


def test_a_code_repository_is_told_from_a_memory(tmp_path: Path) -> None:
    """It may be adopted, but a person should know that a memory is better kept apart."""
    files = {f"src/{number}.py": "x" for number in range(9)} | {"CLAUDE.md": "# C\n"}
    assert any("apart from code" in note for note in run(repo(tmp_path / "m", files).root).notes)
    assert not run(repo(tmp_path / "n", {"a.md": "# A\n", "b.png": "x"}).root).notes


def test_ignored_files_are_not_mapped(tmp_path: Path) -> None:
    """What .gitignore keeps out of git is kept out of the memory, in a folder without git too."""
    memory = fill(tmp_path / "m", {".gitignore": "private/\n", "private/diary.md": "x", "topics/git.md": GOOD})
    report = run(memory.root)
    assert report.memory == ("topics/git.md",)
    assert "private" not in (memory.root / "INDEX.md").read_text()


@pytest.mark.parametrize("bundle", ["skill-memory-bank", "engram-memory", "til"])
def test_a_real_store_is_left_as_it_was(tmp_path: Path, bundle: str) -> None:
    """Three real stores: every old byte stays, all markdown that is memory is mapped, a second run changes nothing."""
    if not BUNDLES.is_dir():
        pytest.skip("the histories are not on this machine")
    outside = Memory(tmp_path)
    outside.git("clone", "-q", str(BUNDLES / f"{bundle}.bundle"), "store")
    store = Memory(tmp_path / "store")
    before = bytes_of(store.root)
    report = run(store.root)
    after = bytes_of(store.root)
    assert {path: after[path] for path in before} == before
    assert committed(store) == set(after) - set(before)
    assert store.git("status", "--porcelain") == ""
    mapped = {"skill-memory-bank": 183, "engram-memory": 629, "til": 577}
    assert len(report.memory) == mapped[bundle]
    state = bytes_of(store.root, git=True)
    again = run(store.root)
    assert again.state == "unchanged"
    assert bytes_of(store.root, git=True) == state


def test_the_three_stores_are_mapped_as_their_owners_would(tmp_path: Path) -> None:
    """What each reads at start, and where the rest lies."""
    if not BUNDLES.is_dir():
        pytest.skip("the histories are not on this machine")
    outside = Memory(tmp_path)
    seen = {}
    for bundle in ("skill-memory-bank", "engram-memory", "til"):
        outside.git("clone", "-q", str(BUNDLES / f"{bundle}.bundle"), bundle)
        config = run(tmp_path / bundle, dry_run=True).config
        seen[bundle] = ([item.path for item in config.resident], list(config.on_demand), config.index_layout)
        shutil.rmtree(tmp_path / bundle)
    assert seen == {
        "skill-memory-bank": (
            [".memory-bank/RULES.md", ".memory-bank/agents/{agent}.md"], [".memory-bank"], "folders",
        ),
        "engram-memory": (["core/memory/HOME.md", AGENTS], ["core", "notes", "handoffs", "inbox"], "folders"),
        "til": (["resident/rules.md", "resident/summary.md", AGENTS], ["**"], "folders"),
    }  # fmt: skip
