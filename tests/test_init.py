"""`init` on every kind of folder: it adds what is missing, overwrites nothing, and can be run again at any time."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from folders import TODAY, bytes_of, committed, fill, repo, run
from memory import GOOD, Memory

from memtool.edge import files, repository
from memtool.errors import MemtoolError
from memtool.jobs.setup import driver, hooks, init
from memtool.jobs.setup import plan as planning
from memtool.jobs.setup import report as wording

MADE = {
    ".gitattributes", ".gitignore", "INDEX.md", "memtool.yaml", "resident/rules.md", "resident/summary.md",
    "resident/agents/laptop.md", "topics/how-to-write-memory.md",
}  # fmt: skip


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Take away every name and address that git could commit by."""
    for role in ("AUTHOR", "COMMITTER"):
        for part in ("NAME", "EMAIL"):
            monkeypatch.delenv(f"GIT_{role}_{part}", raising=False)
    monkeypatch.delenv("EMAIL", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "home" / "none"))


# --- a new repo ------------------------------------------------------------------------------------------------------


def test_a_new_folder_becomes_a_memory_repo(tmp_path: Path) -> None:
    """The files of the design, on branch main, in one commit that says who made it."""
    report = run(tmp_path / "memory")
    memory = Memory(tmp_path / "memory")
    assert report.state == "new"
    assert committed(memory) == MADE == set(bytes_of(memory.root))
    assert memory.git("symbolic-ref", "HEAD") == "refs/heads/main\n"
    assert memory.git("log", "-1", "--format=%(trailers)").split("\n")[:2] == [
        "Memory-Op: init",
        "Memory-Agent: laptop",
    ]
    assert memory.git("status", "--porcelain", "--ignored") == ""
    assert memory.git("config", "--local", "memtool.agent") == "laptop\n"
    assert "/.memtool/" in (memory.root / ".git" / "info" / "exclude").read_text()


@pytest.mark.usefixtures("nobody")
def test_without_a_user_name_memtool_commits_for_the_agent(tmp_path: Path) -> None:
    """The commit names the agent, and no user.* setting is written."""
    run(tmp_path / "memory")
    memory = Memory(tmp_path / "memory")
    assert memory.git("log", "-1", "--format=%an|%ae|%cn|%ce").strip() == "|".join(
        ["laptop (memtool)", "laptop@memtool.invalid"] * 2
    )
    assert memory.git("config", "--get-regexp", "^user", ok=(1,)) == ""


def test_a_user_who_has_a_name_commits_by_it(tmp_path: Path) -> None:
    """user.name and user.email are the author, as always."""
    memory = repo(tmp_path / "memory")
    run(memory.root)
    assert "Ada" in memory.git("log", "-1", "--format=%an <%ae>")


def test_run_again_it_changes_nothing(tmp_path: Path) -> None:
    """The second run makes no commit, touches no file, and says so."""
    run(tmp_path / "memory")
    before = bytes_of(tmp_path / "memory", git=True)
    report = run(tmp_path / "memory", agent=None)
    assert (report.state, report.code, report.commit) == ("unchanged", 0, "")
    assert "nothing was changed" in report.lines()[0]
    assert bytes_of(tmp_path / "memory", git=True) == before


@pytest.mark.parametrize("kind", ["missing", "markdown", "repo", "memory"])
def test_a_dry_run_says_the_same_and_changes_nothing(tmp_path: Path, kind: str) -> None:
    """Not even a git directory appears; the report names the files that the real run makes."""
    place = tmp_path / "memory"
    if kind == "markdown":
        fill(place, {"MEMORY.md": "# M\n", "a/b.md": GOOD, ".gitignore": "x"})
    elif kind == "repo":
        repo(place, {"a/b.md": GOOD, ".gitattributes": "*.png binary"})
    elif kind == "memory":
        run(place)
        (place / ".gitignore").unlink()
    before = bytes_of(tmp_path, git=True)
    plan = run(place, dry_run=True)
    assert bytes_of(tmp_path, git=True) == before
    assert place.exists() == (kind != "missing")
    real = run(place)
    for field in ("state", "made", "completed", "memory", "config", "branch", "agent", "merge_driver"):
        assert getattr(plan, field) == getattr(real, field), field
    assert plan.hooks.written == real.hooks.written


def test_odd_folder_names_are_taken_as_they_are(tmp_path: Path) -> None:
    """Spaces, quotes, a dollar sign and Chinese stand in the path; the hooks work there."""
    place = tmp_path / "my $HOME 'memory' \"x\" 记忆"
    memory = repo(place)
    run(place)
    memory.write("resident/rules.md", "x" * 5000)
    memory.git("add", "-A")
    assert not memory.commit()
    assert "over-budget" in memory.said


# --- a repo that is there --------------------------------------------------------------------------------------------


def test_other_peoples_work_stays_out_of_the_commit(tmp_path: Path) -> None:
    """Staged, dirty, removed and new files are in the same state after as before."""
    memory = repo(tmp_path / "memory", {"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", ":(exclude)x.txt": "x\n"})
    memory.write("a.txt", "staged\n")
    memory.git("add", "a.txt")
    memory.write("a.txt", "dirty\n")
    memory.git("rm", "-q", "--cached", "b.txt")
    memory.write("--d.txt", "new\n")
    memory.git("add", "--", "--d.txt")
    state = memory.git("status", "--porcelain", "-z"), memory.git("diff", "--cached"), memory.git("diff")
    run(memory.root)
    assert committed(memory) == MADE
    assert (memory.git("status", "--porcelain", "-z"), memory.git("diff", "--cached"), memory.git("diff")) == state


def test_a_repo_without_commits_keeps_what_is_staged(tmp_path: Path) -> None:
    """The first commit holds memtool's files alone."""
    memory = repo(tmp_path / "memory")
    memory.write("a.txt", "a\n")
    memory.git("add", "a.txt")
    run(memory.root)
    assert committed(memory) == MADE
    assert memory.git("status", "--porcelain") == "A  a.txt\n"


def test_a_linked_work_tree_is_a_place_of_its_own(tmp_path: Path) -> None:
    """Files and commit are on its branch; hooks and agent are those of the whole repo."""
    main = repo(tmp_path / "main", {"a.txt": "a"})
    main.git("worktree", "add", "-q", "-b", "memory", str(tmp_path / "linked"))
    report = run(tmp_path / "linked")
    linked = Memory(tmp_path / "linked")
    assert report.branch == "memory"
    assert committed(linked) == MADE
    assert main.git("status", "--porcelain") == ""
    linked.write("resident/rules.md", "x" * 5000)
    assert not linked.commit("-a")


def test_a_detached_head_is_said(tmp_path: Path) -> None:
    """The commit is made, and the report says that no branch holds it."""
    memory = repo(tmp_path / "memory", {"a.txt": "a"})
    memory.git("checkout", "-q", "--detach")
    assert any("HEAD is detached" in line for line in run(memory.root).lines())


def test_a_new_agent_joins_a_memory(tmp_path: Path) -> None:
    """Another name gets its file in a commit of its own; all else stays."""
    run(tmp_path / "memory")
    report = run(tmp_path / "memory", agent="tower")
    assert (report.state, report.made) == ("completed", ("resident/agents/tower.md",))
    assert committed(Memory(tmp_path / "memory")) == {"resident/agents/tower.md"}


def test_what_the_user_threw_away_stays_away(tmp_path: Path) -> None:
    """The example topic and the summary are the user's; only the parts of the machine are completed."""
    memory = Memory(tmp_path / "memory")
    run(memory.root)
    memory.git("config", "user.name", "Ada")
    memory.git("config", "user.email", "ada@example.invalid")
    memory.git("rm", "-q", "topics/how-to-write-memory.md", "resident/summary.md", ".gitignore", "INDEX.md")
    memory.git("commit", "-qnm", "less")
    assert run(memory.root).made == (".gitignore", "INDEX.md")


def test_git_variables_of_a_caller_do_not_turn_it_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Called from another repo's hook, it still works on the folder that it was given."""
    other = repo(tmp_path / "other", {"a.txt": "a"})
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / ".git" / "index"))
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
    before = bytes_of(other.root, git=True)
    run(tmp_path / "memory")
    assert committed(Memory(tmp_path / "memory")) == MADE
    assert bytes_of(other.root, git=True) == before


# --- refused ---------------------------------------------------------------------------------------------------------


def _bare(path: Path) -> Path:
    Memory(path).git("init", "-q", "--bare", "r.git")
    return path / "r.git"


def _subfolder(path: Path) -> Path:
    return fill(repo(path / "r").root / "docs", {"a.md": "x"}).root


def _nested(path: Path) -> Path:
    return repo(path / "r").root / "new" / "memory"


def _git_folder(path: Path) -> Path:
    return repo(path / "r").root / ".git"


def _file(path: Path) -> Path:
    return fill(path, {"f": "x"}).root / "f"


def _merging(path: Path) -> Path:
    memory = repo(path / "r", {"a.txt": "a\n"})
    memory.git("checkout", "-qb", "side")
    memory.write("a.txt", "b\n")
    memory.git("commit", "-qam", "b")
    memory.git("checkout", "-q", "main")
    memory.write("a.txt", "c\n")
    memory.git("commit", "-qam", "c")
    memory.git("merge", "-q", "side", ok=(1,))
    return memory.root


def _newer(path: Path) -> Path:
    return repo(path / "r", {"memtool.yaml": "format: 2\n"}).root


def _broken(path: Path) -> Path:
    return repo(path / "r", {"memtool.yaml": "format: 1\nresident: [\n"}).root


def _broken_pointer(path: Path) -> Path:
    return fill(path / "r", {".git": "gitdir: /nowhere\n"}).root


def _twin(path: Path) -> Path:
    return fill(path / "r", {"Memtool.yaml": "format: 1\n"}).root


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (_bare, "bare repository"),
        (_subfolder, "lies inside the git repository"),
        (_nested, "lies inside the git repository"),
        (_git_folder, "git's own folder"),
        (_file, "a file stands there"),
        (_merging, "merge is under way"),
        (_newer, "format 2"),
        (_broken, "memtool.yaml:"),
        (_broken_pointer, "not a git repository"),
        (_twin, "Memtool.yaml, the same name"),
    ],
)
def test_it_refuses_in_one_sentence_and_changes_nothing(
    tmp_path: Path, make: Callable[[Path], Path], word: str
) -> None:
    """Where no memory repo can be made, it says why, before the first byte is written."""
    place = make(tmp_path)
    before = bytes_of(tmp_path, git=True)
    with pytest.raises(MemtoolError) as caught:
        run(place)
    assert word in caught.value.message
    assert bytes_of(tmp_path, git=True) == before


def test_a_folder_that_the_repo_around_it_ignores_is_free(tmp_path: Path) -> None:
    """A home folder under git does not stand against a memory in it."""
    home = repo(tmp_path / "home", {".gitignore": "/memory/\n"})
    run(home.root / "memory")
    assert committed(Memory(home.root / "memory")) == MADE
    assert home.git("status", "--porcelain") == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    """No permission is one clear sentence."""
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(MemtoolError, match="no permission"):
        run(tmp_path / "locked" / "memory")


# --- files in the way ------------------------------------------------------------------------------------------------


def test_git_files_are_completed_and_keep_their_bytes(tmp_path: Path) -> None:
    """The missing lines come at the end, in the file's own line ends, and are committed."""
    memory = repo(tmp_path / "memory", {".gitignore": b"*.log\r\n", ".gitattributes": b"*.png binary"})
    report = run(memory.root)
    assert report.completed == (".gitattributes", ".gitignore")
    assert (memory.root / ".gitignore").read_bytes().startswith(b"*.log\r\n#")
    assert (memory.root / ".gitattributes").read_bytes().startswith(b"*.png binary\n#")
    assert memory.git("check-attr", "text", "--", "a.md").endswith("unset\n")
    assert memory.git("check-ignore", ".memtool/digest.md")
    assert set(report.completed) < committed(memory)


def test_a_repo_of_before_the_merge_driver_is_completed(tmp_path: Path) -> None:
    """One rule more in .gitattributes, committed, and git's configuration; the third run finds nothing to do."""
    memory = Memory(tmp_path / "memory")
    run(memory.root)
    whole = (memory.root / ".gitattributes").read_bytes()
    memory.write(".gitattributes", b"".join(whole.splitlines(keepends=True)[:2]))
    memory.git("-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", "commit", "-qam", "as it was")
    memory.git("config", "--remove-section", "merge.memtool")
    report = run(memory.root)
    assert (report.state, report.completed, report.merge_driver) == ("completed", (".gitattributes",), True)
    assert committed(memory) == {".gitattributes"}
    assert (memory.root / ".gitattributes").read_bytes() == whole
    assert run(memory.root).state == "unchanged"


def test_a_lost_merge_driver_is_set_up_again(tmp_path: Path) -> None:
    """The configuration alone was lacking: that is told before and after, and nothing is committed."""
    memory = Memory(tmp_path / "memory")
    run(memory.root)
    memory.git("config", "merge.memtool.driver", "/gone/python %A")
    assert run(memory.root, dry_run=True).state == "completed"
    report = run(memory.root)
    assert (report.state, report.commit) == ("completed", "")
    assert any(line.startswith("  merge     set up:") for line in report.lines())
    assert run(memory.root).state == "unchanged"


def test_a_gitignore_with_the_users_edits_is_left_for_the_user_to_commit(tmp_path: Path) -> None:
    """Their uncommitted lines do not slip into memtool's commit."""
    memory = repo(tmp_path / "memory", {".gitignore": "a\n"})
    memory.write(".gitignore", "a\nsecret-plan\n")
    report = run(memory.root)
    assert ".gitignore" not in committed(memory)
    assert any("left for you to commit" in note for note in report.notes)
    assert run(memory.root).state == "unchanged"


def test_attributes_that_stand_against_it_are_named(tmp_path: Path) -> None:
    """A `*.md text` of the user's is not overruled; the report says what it means."""
    memory = repo(tmp_path / "memory", {".gitattributes": "*.md text eol=lf\n"})
    report = run(memory.root)
    assert (memory.root / ".gitattributes").read_text() == "*.md text eol=lf\n"
    assert any("line 1" in note for note in report.notes)


def test_markdown_in_the_line_ends_of_windows_does_not_become_all_changed(tmp_path: Path) -> None:
    """Where git translates line ends, `-text` would call each file modified: it is left out, and said."""
    memory = repo(tmp_path / "memory", {"topics/a.md": "# A\n\ntext\n"})
    memory.git("config", "core.autocrlf", "true")
    (memory.root / "topics" / "a.md").unlink()
    memory.git("checkout", "-q", "--", ".")
    report = run(memory.root)
    assert memory.git("status", "--porcelain") == ""
    assert any("line ends" in note for note in report.notes)


@pytest.mark.parametrize(
    ("path", "make", "word"),
    [
        ("resident", lambda place: place.symlink_to("/etc"), "a symbolic link (resident)"),
        ("resident", lambda place: place.write_text("x"), "the file resident"),
        ("resident/rules.md", lambda place: place.mkdir(parents=True), "a folder"),
        ("resident/Rules.md", lambda place: (place.parent.mkdir(), place.write_text("x")), "Rules.md, the same name"),
        ("Resident/x.txt", lambda place: (place.parent.mkdir(), place.write_text("x")), "Resident, the same name"),
    ],
)
def test_what_stands_in_the_way_is_stepped_around(
    tmp_path: Path, path: str, make: Callable[[Path], object], word: str
) -> None:
    """Links are not followed, names that differ only in case are not made twice; the rest is made."""
    memory = repo(tmp_path / "memory")
    make(memory.root / path)
    report = run(memory.root)
    assert any("resident/rules.md was not made" in note and word in note for note in report.notes)
    assert "resident/rules.md" not in committed(memory)
    assert "memtool.yaml" in committed(memory)


def test_what_the_user_told_git_to_ignore_is_not_forced_in(tmp_path: Path) -> None:
    """A rule that hits memtool's files is respected and named."""
    memory = repo(tmp_path / "memory", {".gitignore": "*.yaml\n"})
    report = run(memory.root)
    assert "memtool.yaml" not in committed(memory)
    assert any("git ignores memtool.yaml" in note for note in report.notes)


# --- cut short, or stopped by a hook ---------------------------------------------------------------------------------


class Killed(BaseException):
    """Stands for the end of the process."""


_STEPS = [
    (repository, "create"), (init, "_note"), (init, "exclusion"), (repository, "add_origin"), (driver, "install"),
    (init, "write_index"), (repository, "commit"), (hooks, "install"), (hooks, "_put"), (repository, "uncommitted"),
]  # fmt: skip


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("module", "name"), _STEPS, ids=[name for _, name in _STEPS])
@pytest.mark.parametrize("kind", ["empty", "markdown"])
def test_killed_at_any_step_it_goes_on_when_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: object, name: str, *, done: bool, kind: str
) -> None:
    """What a whole run gives is what an interrupted one and the next give together, history included."""
    files = {} if kind == "empty" else {"MEMORY.md": "# M\n", "topics/a.md": GOOD}
    fill(tmp_path / "whole", files)
    fill(tmp_path / "cut", files)
    Memory(tmp_path).git("init", "-q", "--bare", "far.git")
    run(tmp_path / "whole", remote=tmp_path / "far.git")
    real = getattr(module, name)

    def end(*args: object, **named: object) -> None:
        if done:
            real(*args, **named)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(module, name, end)
        with pytest.raises(Killed):
            run(tmp_path / "cut", remote=tmp_path / "far.git")
    run(tmp_path / "cut", remote=tmp_path / "far.git")
    whole, cut = Memory(tmp_path / "whole"), Memory(tmp_path / "cut")
    assert bytes_of(cut.root) == bytes_of(whole.root)
    assert cut.git("rev-parse", "HEAD^{tree}") == whole.git("rev-parse", "HEAD^{tree}")
    assert cut.git("status", "--porcelain") == ""
    assert cut.git("config", "branch.main.merge") == "refs/heads/main\n"
    assert [hook.current for hook in hooks.hooks_state(str(cut.root))] == [True] * len(hooks.HOOKS)
    assert driver.driver_state(str(cut.root)) == ""
    assert run(cut.root).state == "unchanged"


@pytest.mark.parametrize("after", range(9))
def test_killed_between_two_files_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Whichever file was the last to be written, none is missing in the end, and none is taken for the user's."""
    run(tmp_path / "whole")
    real, left = files.write_atomically, [after]

    def write(path: str, data: bytes) -> None:
        if not left[0]:
            raise Killed
        left[0] -= 1
        real(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(init, "write_atomically", write)
        with pytest.raises(Killed):
            run(tmp_path / "cut")
    run(tmp_path / "cut")
    whole, cut = Memory(tmp_path / "whole"), Memory(tmp_path / "cut")
    assert cut.git("rev-parse", "HEAD^{tree}") == whole.git("rev-parse", "HEAD^{tree}")
    assert cut.git("status", "--porcelain") == ""


def test_an_index_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is made and committed; the next run makes the index."""

    def broken(_root: str) -> None:
        raise MemtoolError("INDEX.md: not written", hint="make room")

    with monkeypatch.context() as patch:
        patch.setattr("memtool.jobs.setup.init.write_index", broken)
        report = run(tmp_path / "memory")
    assert (report.code, report.problem) == (2, "No index: INDEX.md: not written\nmake room")
    assert committed(Memory(tmp_path / "memory")) == MADE - {"INDEX.md"}
    assert run(tmp_path / "memory").made == ("INDEX.md",)


def test_a_hook_that_refuses_leaves_no_half_state(tmp_path: Path) -> None:
    """The files are in place, the index as it was, the hook is quoted; once it agrees, a second run commits."""
    memory = repo(tmp_path / "memory", {"a.txt": "a\n"})
    memory.write("a.txt", "staged\n")
    memory.git("add", "a.txt")
    index = memory.git("ls-files", "-s")
    foreign = memory.write(".git/hooks/commit-msg", "#!/bin/sh\necho 'no ticket number'\nexit 1\n")
    foreign.chmod(0o755)
    report = run(memory.root)
    assert report.code == 2
    assert "no ticket number" in report.problem
    assert memory.git("ls-files", "-s") == index
    assert report.hooks.written == hooks.HOOKS
    foreign.unlink()
    again = run(memory.root)
    assert (again.code, committed(memory)) == (0, MADE)
    assert memory.git("status", "--porcelain") == "M  a.txt\n"


# --- the agent's name ------------------------------------------------------------------------------------------------


def test_the_agent_is_named_by_the_nearest_who_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--agent, then $MEMTOOL_AGENT, then what is stored, then the machine; the report says which."""
    monkeypatch.delenv("MEMTOOL_AGENT", raising=False)
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("", "Ada's Mac.local", "", "", "")))
    first = run(tmp_path / "memory", agent=None)
    assert (first.agent, first.agent_from.partition(";")[0]) == ("ada-s-mac", "from the name of this machine")
    monkeypatch.setenv("MEMTOOL_AGENT", "guest")
    assert run(tmp_path / "memory", agent=None).agent_from == "$MEMTOOL_AGENT"
    assert run(tmp_path / "memory", agent="tower").agent_from == "--agent"
    monkeypatch.delenv("MEMTOOL_AGENT")
    third = run(tmp_path / "memory", agent=None)
    assert (third.agent, third.agent_from) == ("tower", "git config memtool.agent")


@pytest.mark.parametrize("name", ["../x", "a b", "-x", "a/b", "x" * 65, "."])
def test_a_name_that_is_no_file_name_is_refused(tmp_path: Path, name: str) -> None:
    """It becomes part of a path on every system."""
    with pytest.raises(MemtoolError, match="cannot name an agent"):
        run(tmp_path / "memory", agent=name)
    assert not (tmp_path / "memory").exists()


# --- a remote --------------------------------------------------------------------------------------------------------


@pytest.fixture
def far(tmp_path: Path) -> Path:
    Memory(tmp_path).git("init", "-q", "--bare", "-b", "main", "far.git")
    return tmp_path / "far.git"


def test_an_empty_remote_becomes_origin(tmp_path: Path, far: Path) -> None:
    """The repo is made here; a sync takes it there, and so does a plain push."""
    report = run(tmp_path / "memory", remote=far)
    memory = Memory(tmp_path / "memory")
    assert any(" sync " in step for step in report.next)
    memory.git("push", "-q", "-u", "origin", "main")
    assert run(memory.root, remote=far).state == "unchanged"


def test_a_remote_that_holds_a_memory_is_cloned(tmp_path: Path, far: Path) -> None:
    """One root, the other machine's files, and one commit more: this agent's own file."""
    run(tmp_path / "one", remote=far)
    one = Memory(tmp_path / "one")
    one.git("push", "-q", "-u", "origin", "main")
    report = run(tmp_path / "two", agent="tower", remote=far)
    two = Memory(tmp_path / "two")
    assert report.state == "cloned"
    assert two.git("rev-parse", "HEAD^") == one.git("rev-parse", "HEAD")
    assert committed(two) == {"resident/agents/tower.md"}
    assert report.hooks.written == hooks.HOOKS
    assert two.git("config", "memtool.agent") == "tower\n"
    two.git("push", "-q")
    third = run(tmp_path / "three", agent="tower", remote=far)
    assert (third.state, third.commit) == ("cloned", "")


def test_the_folder_for_a_clone_may_be_where_one_stands(
    tmp_path: Path, far: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`memtool init . --remote URL` in an empty folder."""
    run(tmp_path / "one", remote=far)
    Memory(tmp_path / "one").git("push", "-q", "-u", "origin", "main")
    (tmp_path / "two").mkdir()
    monkeypatch.chdir(tmp_path / "two")
    assert run(Path(), remote="../far.git").state == "cloned"
    assert Path("memtool.yaml").exists()


def test_a_remote_that_holds_other_markdown_is_cloned_and_adopted(tmp_path: Path, far: Path) -> None:
    """No second root: what memtool adds is a commit on top."""
    old = repo(tmp_path / "old", {"MEMORY.md": "# M\n"})
    old.git("push", "-q", str(far), "main:trunk")
    report = run(tmp_path / "memory", remote=far)
    assert report.state == "adopted"
    assert Memory(tmp_path / "memory").git("rev-parse", "HEAD^") == old.git("rev-parse", "HEAD")
    assert report.branch == "trunk"


def test_two_histories_are_never_tied_together(tmp_path: Path, far: Path) -> None:
    """A repo of its own and a remote of its own could not be merged: refused, with the way out."""
    repo(tmp_path / "old", {"MEMORY.md": "# M\n"}).git("push", "-q", str(far), "main")
    other = repo(tmp_path / "memory", {"a.md": "x"})
    with pytest.raises(MemtoolError, match="never be merged"):
        run(other.root, remote=far)
    assert other.git("remote") == ""


def test_a_repo_gets_the_remote_that_it_came_from(tmp_path: Path, far: Path) -> None:
    """The same history on both sides: origin is added."""
    memory = repo(tmp_path / "memory", {"MEMORY.md": "# M\n"})
    memory.git("push", "-q", str(far), "main")
    run(memory.root, remote=far)
    assert memory.git("config", "remote.origin.url").strip() == str(far)


def test_another_origin_is_not_replaced(tmp_path: Path, far: Path) -> None:
    """The user's remote stands."""
    memory = repo(tmp_path / "memory", {"a.md": "x"})
    memory.git("remote", "add", "origin", "https://ada:secret@example.invalid/x.git")
    with pytest.raises(MemtoolError) as caught:
        run(memory.root, remote=far)
    assert "https://…@example.invalid/x.git" in caught.value.message
    assert "secret" not in caught.value.message


def test_a_clone_never_goes_into_a_folder_with_files(tmp_path: Path, far: Path) -> None:
    """Nothing is mixed, nothing is overwritten."""
    repo(tmp_path / "old", {"MEMORY.md": "# M\n"}).git("push", "-q", str(far), "main")
    fill(tmp_path / "memory", {"mine.md": "x"})
    with pytest.raises(MemtoolError, match="holds files already"):
        run(tmp_path / "memory", remote=far)
    assert bytes_of(tmp_path / "memory", git=True) == {"mine.md": b"x"}


@pytest.mark.parametrize("url", ["/nowhere/at/all.git", "https://127.0.0.1:1/x.git", "-u/x", "ssh://127.0.0.1:1/x"])
def test_a_remote_out_of_reach_leaves_nothing_behind(tmp_path: Path, url: str) -> None:
    """It ends with one sentence, no prompt, no folder."""
    with pytest.raises(MemtoolError):
        run(tmp_path / "memory", remote=url)
    assert not (tmp_path / "memory").exists()


def test_the_cwd_does_not_matter_for_a_remote_given_by_path(
    tmp_path: Path, far: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative path is stored from the root: the repo is used from other folders."""
    monkeypatch.chdir(tmp_path)
    run(tmp_path / "memory", remote="far.git")
    assert Memory(tmp_path / "memory").git("config", "remote.origin.url").strip() == str(far)


# --- the report ------------------------------------------------------------------------------------------------------


def test_the_report_fits_one_screen_and_ends_with_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain lines that fit a terminal, the next steps numbered at the end."""
    (tmp_path / "memory").mkdir()
    monkeypatch.chdir(tmp_path / "memory")
    lines = run(tmp_path / "memory").lines()
    assert len(lines) < 24
    assert max(map(len, lines)) <= 112
    assert lines[0].endswith("a new memory repo")
    assert lines[-1].startswith("  3. ")


def test_the_report_as_json_has_a_schema(tmp_path: Path) -> None:
    """What a program reads is plain data."""
    import json

    data = json.loads(json.dumps(run(tmp_path / "memory").asdict()))
    assert data["schema"] == "memtool.init/1"
    assert data["hooks"]["manager"] is None
    assert data["committed"] == len(MADE)


def test_the_command_prints_it(tmp_path: Path) -> None:
    """`memtool init DIR` from a shell, and the exit code."""
    done = subprocess.run(
        [sys.executable, "-m", "memtool", "init", "memory", "--agent", "laptop"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "a new memory repo" in done.stdout


def test_the_review_date_is_three_months_ahead(tmp_path: Path) -> None:
    """Priorities start with a date on which to look at them again."""
    run(tmp_path / "memory")
    assert TODAY == "2026-11-30"
    assert planning.REVIEW_DAYS == 90
    assert "Review by 2027-02-28." in (tmp_path / "memory" / "resident" / "summary.md").read_text()


def test_a_control_character_in_a_name_does_not_reach_the_terminal(tmp_path: Path) -> None:
    """Paths are shown, never obeyed."""
    memory = fill(tmp_path / "memory", {"MEMORY.md": "x", "a\x1b[31m/b.md": GOOD})
    report = run(memory.root)
    assert "\x1b" not in "\n".join(report.lines())
    assert wording.count(1, "file") == "1 file"


@pytest.mark.parametrize("place", ["/", "~"])
def test_the_whole_disk_and_the_home_folder_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """All markdown below would become memory, and a page of the index would be written into each folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for dry_run in (True, False):
        with pytest.raises(MemtoolError) as caught:
            init.init(place, agent="desk", remote=None, dry_run=dry_run, today=TODAY)
        assert "~/memory" in caught.value.hint
    assert list(tmp_path.iterdir()) == []
