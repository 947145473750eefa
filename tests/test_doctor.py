"""`doctor` sees each trouble that it names, names its remedy, and calls nothing well that it did not see."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from folders import bytes_of, fill, repo, run
from memory import GOOD, Memory

from memtool import __version__
from memtool.jobs.setup import doctor as module
from memtool.jobs.setup.checkup import Check, lines
from memtool.jobs.setup.doctor import doctor
from memtool.jobs.setup.hooks import interpreter


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    made = repo(tmp_path / "m")
    run(made.root)
    return made


def _found(memory: Memory, name: str, **how: float) -> list[Check]:
    return [check for check in doctor(str(memory.root), agent=None, **how) if check.name == name]


def _one(memory: Memory, name: str, **how: float) -> Check:
    (check,) = _found(memory, name, **how)
    return check


def test_a_new_repo_is_well(memory: Memory) -> None:
    """Right after init nothing fails, and the hook was seen to fire."""
    found = doctor(str(memory.root))
    assert [check for check in found if check.status == "fail"] == []
    assert _one(memory, "hooks fire").status == "ok"


def test_looking_changes_nothing(memory: Memory) -> None:
    """Not the index, not the objects, not a file: the trial commit is made of borrowed parts."""
    memory.write("topics/a.md", GOOD)
    memory.git("add", "-A")
    before = bytes_of(memory.root, git=True)
    doctor(str(memory.root))
    assert bytes_of(memory.root, git=True) == before


def test_before_the_first_commit_it_looks_all_the_same(tmp_path: Path) -> None:
    """An unborn branch is no trouble."""
    memory = repo(tmp_path / "m")
    fill(memory.root, {"memtool.yaml": "format: 1\n"})
    memory.install_hooks()
    assert _one(memory, "hooks fire").status == "ok"


def test_in_a_linked_work_tree_it_finds_the_shared_hooks(memory: Memory, tmp_path: Path) -> None:
    """Index and hooks are looked up where git keeps them."""
    memory.git("worktree", "add", "-q", str(tmp_path / "linked"))
    assert _one(Memory(tmp_path / "linked"), "hooks fire").status == "ok"


# --- hooks -----------------------------------------------------------------------------------------------------------


def test_a_missing_hook_is_named(memory: Memory) -> None:
    """The remedy is to run init again."""
    (memory.root / ".git" / "hooks" / "pre-push").unlink()
    check = _one(memory, "hooks")
    assert (check.status, check.remedy) == ("fail", "memtool init")
    assert "pre-push" in check.message


def test_a_hook_without_permission_is_named(memory: Memory) -> None:
    """git passes over it without a word in the commit."""
    (memory.root / ".git" / "hooks" / "pre-commit").chmod(0o644)
    assert _one(memory, "hooks").status == "fail"
    assert _found(memory, "hooks fire") == []


def test_a_lost_interpreter_is_named(memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The virtual environment was removed: the hook that would block every commit is told."""
    monkeypatch.setenv("PATH", _git_only(tmp_path))
    hook = memory.root / ".git" / "hooks" / "pre-commit"
    hook.write_bytes(hook.read_bytes().replace(interpreter().encode(), b"/gone/python"))
    messages = [check.message for check in _found(memory, "hooks")]
    assert any("interpreter is gone: /gone/python" in message for message in messages)
    assert _one(memory, "hooks fire").status == "fail"


def _git_only(tmp_path: Path) -> str:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("git", "sh", "cat"):
        (folder / name).symlink_to(shutil.which(name) or "")
    return str(folder)


def test_a_hook_that_lets_all_pass_is_found_out(memory: Memory) -> None:
    """It is there, it is ours by its mark, it ends with 0: the trial commit shows that it does not judge."""
    hook = memory.root / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\n# memtool hook\nexit 0\n")
    check = _one(memory, "hooks fire")
    assert check.status == "fail"
    assert "pass" in check.message


def test_a_foreign_hook_is_not_run_by_the_trial(memory: Memory, tmp_path: Path) -> None:
    """A formatter that edits files must not run because someone asked how things are; the message says so."""
    hook = memory.root / ".git" / "hooks" / "pre-commit"
    before = hook.with_name("pre-commit.before-memtool")
    before.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    before.chmod(0o755)
    check = _one(memory, "hooks fire")
    assert check.status == "ok"
    assert "tried without pre-commit.before-memtool" in check.message
    assert not (tmp_path / "ran").exists()


def test_hooks_shadowed_by_a_setting_are_told(memory: Memory) -> None:
    """core.hooksPath makes git pass over all of ours."""
    memory.git("config", "core.hooksPath", "/elsewhere")
    check = _one(memory, "hooks")
    assert check.status == "fail"
    assert "core.hooksPath" in check.message


def test_what_was_not_tried_is_not_called_well(memory: Memory) -> None:
    """A manager that names memtool and is not installed fails; one that is may fire or not: a warning, never ok."""
    for hook in (memory.root / ".git" / "hooks").glob("p*"):
        hook.unlink()
    memory.write("lefthook.yml", "pre-commit: {commands: {memtool: {run: memtool hook pre-commit}}}\n")
    check = _one(memory, "hooks")
    assert (check.status, check.remedy) == ("fail", "lefthook install")
    memory.write(".git/hooks/pre-commit", "#!/bin/sh\nlefthook run pre-commit\n").chmod(0o755)
    check = _one(memory, "hooks")
    assert check.status == "warn"
    assert "not tried" in check.message


# --- the rest --------------------------------------------------------------------------------------------------------


def test_an_old_git_is_told(memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The version is compared as numbers; nothing after it is called well."""
    (tmp_path / "git").write_text("#!/bin/sh\necho git version 2.9.5\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    found = doctor(str(memory.root))
    assert found[0].status == "fail"
    assert "2.38" in found[0].remedy
    assert found[-1].name == "rest"


def test_a_repo_of_another_owner_is_told_with_gits_remedy(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No check goes on past it, and safe.directory is not set for the user."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    found = doctor(str(memory.root))
    assert [check.status for check in found] == ["ok", "fail", "fail"]
    assert "safe.directory" in found[1].remedy


def test_a_broken_configuration_is_told_with_its_line(memory: Memory) -> None:
    """As `check` would say it."""
    memory.write("memtool.yaml", "format: 1\ntotal: lots\n")
    assert "memtool.yaml:2" in _one(memory, "configuration").message
    memory.write("memtool.yaml", "format: 1\ntotals: 12 KB\n")
    assert _one(memory, "configuration").status == "warn"


def test_a_committed_digest_is_told(memory: Memory) -> None:
    """It changes at every start and would conflict at every sync."""
    memory.write(".memtool/digest.md", "x")
    memory.git("add", "-f", ".memtool/digest.md")
    assert _one(memory, "digest").remedy == "git rm --cached .memtool/digest.md"


def test_a_digest_that_nothing_ignores_is_told(memory: Memory) -> None:
    """Neither .gitignore nor info/exclude names it."""
    memory.write(".gitignore", "")
    memory.write(".git/info/exclude", "")
    assert _one(memory, "digest").status == "fail"


def test_attributes_are_judged_by_what_git_says(memory: Memory) -> None:
    """A later line may undo ours; a filter would put a pointer where the text should be."""
    assert _one(memory, "attributes").status == "ok"
    memory.write(".gitattributes", "*.md -text\n*.md text\n")
    assert _one(memory, "attributes").status == "warn"
    memory.write(".gitattributes", "*.md -text filter=lfs\n")
    assert "fail" in {check.status for check in _found(memory, "attributes")}


def test_a_clone_whose_git_cannot_merge_memory_is_told(memory: Memory) -> None:
    """No setting, an interpreter that is gone, or no word of it in .gitattributes: each with its way out."""
    assert _one(memory, "merge").status == "ok"
    driver = memory.git("config", "merge.memtool.driver").strip()
    memory.git("config", "merge.memtool.driver", driver.replace(interpreter(), "'/gone/my python'"))
    check = _one(memory, "merge")
    assert (check.status, check.remedy) == ("warn", "memtool init")
    assert "is gone: /gone/my python" in check.message
    memory.git("config", "--remove-section", "merge.memtool")
    check = _one(memory, "merge")
    assert (check.status, check.remedy) == ("warn", "memtool init")
    memory.write(".gitattributes", "*.md -text merge=union\n")
    check = _one(memory, "merge")
    assert check.status == "warn"
    assert "`union`" in check.message
    assert "*.md merge=memtool" in check.remedy


def test_an_agent_without_a_name_or_a_summary_is_told(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with the command that mends it."""
    monkeypatch.delenv("MEMTOOL_AGENT", raising=False)
    (memory.root / "resident" / "agents" / "laptop.md").unlink()
    assert _one(memory, "agent").remedy == "memtool init --agent laptop"
    memory.git("config", "--unset", "memtool.agent")
    assert _one(memory, "agent").status == "fail"


@pytest.mark.parametrize(("version", "status"), [("0.0.1", "fail"), (__version__, "warn")])
def test_another_memtool_in_the_way_is_told(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, status: str
) -> None:
    """The first on PATH is what hosts call; it is asked for its version."""
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "memtool"
    other.write_text(f"#!/bin/sh\necho memtool {version}\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'other'}{os.pathsep}{os.environ['PATH']}")
    check = _one(memory, "memtool")
    assert check.status == status
    assert str(other) in check.message


def test_a_shallow_clone_is_told(memory: Memory, tmp_path: Path) -> None:
    """Its digest and its log end early."""
    Memory(tmp_path).git("clone", "-q", "--depth=1", memory.root.as_uri(), "shallow")
    assert _one(Memory(tmp_path / "shallow"), "history").remedy == "git fetch --unshallow"


def test_an_old_lock_is_told_and_a_fresh_one_is_not(memory: Memory) -> None:
    """A lock of a running git is none of doctor's business."""
    memory.write(".git/index.lock", "")
    now = time.time()
    assert _found(memory, "lock", now=now) == []
    assert "rm " in _one(memory, "lock", now=now + 7200).remedy


def test_what_cannot_be_looked_at_is_a_failure(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in one check is told as such, and the others go on."""

    def broken(*_args: object, **_named: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(module, "probe", broken)
    found = doctor(str(memory.root))
    assert any("could not be checked" in check.message and check.status == "fail" for check in found)
    assert found[-1].name == "sync"


def test_the_text_has_each_remedy_below_its_trouble() -> None:
    """One line a check, in columns."""
    text = lines([Check("git", "ok", "git 2.39"), Check("agent", "fail", "no name", "memtool init")])
    assert text == ["ok    git            git 2.39", "fail  agent          no name", f"{'':21}→ memtool init"]
