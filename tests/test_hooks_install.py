"""The hooks are put beside what is there: chained, never replaced, and never under another manager's hands."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from pathlib import Path

import pytest
from folders import bytes_of, fill, repo, run
from memory import Memory

from memtool.errors import MemtoolError
from memtool.jobs.setup import hooks, managers
from memtool.jobs.setup.hooks import BEFORE, HOOKS, hooks_state, install

FOREIGN = '#!/bin/sh\necho "theirs: $*"\n'


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return repo(tmp_path / "m", {"resident/rules.md": "# R\n", "memtool.yaml": "format: 1\n"})


def _foreign(memory: Memory, name: str, text: str = FOREIGN, mode: int = 0o755) -> Path:
    hook = memory.write(f".git/hooks/{name}", text)
    hook.chmod(mode)
    return hook


def test_all_hooks_are_installed_and_run(memory: Memory) -> None:
    """Six files, executable, with this interpreter; a commit over budget is refused."""
    assert install(str(memory.root)).written == HOOKS
    for hook in hooks_state(str(memory.root)):
        assert (hook.ours, hook.current, hook.executable, hook.python_works) == (True,) * 4
        assert hook.python == hooks.interpreter()
    memory.write("resident/rules.md", "x" * 5000)
    assert not memory.commit("-a")


def test_installed_again_nothing_is_written(memory: Memory) -> None:
    """The second time each file is there with the right bytes."""
    install(str(memory.root))
    before = bytes_of(memory.root, git=True)
    assert install(str(memory.root)).written == ()
    assert bytes_of(memory.root, git=True) == before


def test_a_dry_run_names_them_and_writes_none(memory: Memory) -> None:
    """The plan is what the real run does."""
    _foreign(memory, "pre-commit")
    before = bytes_of(memory.root, git=True)
    plan = install(str(memory.root), dry_run=True)
    assert bytes_of(memory.root, git=True) == before
    assert plan == install(str(memory.root))


def test_a_foreign_hook_runs_first_with_its_arguments(memory: Memory) -> None:
    """It is renamed, kept byte for byte and executable, and its refusal stops the commit before ours is asked."""
    old = _foreign(memory, "pre-commit", "#!/bin/sh\necho theirs\nexit 7\n")
    installed = install(str(memory.root))
    assert installed.chained == ("pre-commit",)
    moved = Path(f"{old}{BEFORE}")
    assert moved.read_text() == "#!/bin/sh\necho theirs\nexit 7\n"
    assert moved.stat().st_mode & stat.S_IXUSR
    memory.write("resident/rules.md", "# R\n\n- one\n")
    assert not memory.commit("-a")
    assert "theirs" in memory.said
    moved.write_text("#!/bin/sh\necho theirs\n")
    assert memory.commit("-a")


def test_a_foreign_pre_push_gets_what_git_says(tmp_path: Path, memory: Memory) -> None:
    """The names of what is pushed arrive on its stdin too."""
    _foreign(
        memory,
        "pre-push",
        f'#!/bin/sh\ncat > {shlex.quote(str(tmp_path / "seen"))}\necho "$1" >> {shlex.quote(str(tmp_path / "seen"))}\n',
    )
    install(str(memory.root))
    memory.git("init", "-q", "--bare", str(tmp_path / "far.git"))
    memory.git("push", "-q", str(tmp_path / "far.git"), "main")
    assert "refs/heads/main" in (tmp_path / "seen").read_text()


def test_ours_is_never_chained_to_itself(memory: Memory) -> None:
    """A shim of an older memtool is renewed, not moved aside."""
    install(str(memory.root))
    place = memory.root / ".git" / "hooks" / "pre-commit"
    place.write_bytes(place.read_bytes().replace(hooks.interpreter().encode(), b"/old/python"))
    installed = install(str(memory.root))
    assert (installed.written, installed.chained) == (("pre-commit",), ())
    assert not Path(f"{place}{BEFORE}").exists()
    assert hooks_state(str(memory.root))[0].current


def test_a_hook_moved_aside_before_is_never_overwritten(memory: Memory) -> None:
    """Two foreign hooks for one event are for a person to join; both stay, the others are installed."""
    install(str(memory.root))
    first = _foreign(memory, "pre-commit", "first")
    Path(f"{first}{BEFORE}").write_text("second")
    installed = install(str(memory.root))
    assert installed.problems
    assert (first.read_text(), Path(f"{first}{BEFORE}").read_text()) == ("first", "second")


def test_cut_short_between_two_renames_it_goes_on(memory: Memory) -> None:
    """Only the moved hook is left: the shim is put in its place and runs it."""
    old = _foreign(memory, "pre-commit")
    old.rename(f"{old}{BEFORE}")
    assert "pre-commit" in install(str(memory.root)).chained
    memory.write("resident/rules.md", "# R\n\n- one\n")
    assert memory.commit("-a")
    assert "theirs:" in memory.said


def test_a_failure_puts_the_foreign_hook_back(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the shim cannot be moved into place, the hook that was there is there again."""
    old = _foreign(memory, "pre-commit")
    real = os.replace

    def full(source: str, target: str) -> None:
        if str(target) == str(old):
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(MemtoolError, match="No space left"):
        install(str(memory.root))
    assert old.read_text() == FOREIGN


def test_a_hook_that_git_passes_over_is_kept_so(memory: Memory) -> None:
    """One without the permission to run was off; it is moved aside and stays off."""
    _foreign(memory, "pre-commit", "#!/bin/sh\nexit 1\n", mode=0o644)
    install(str(memory.root))
    memory.write("resident/rules.md", "# R\n\n- one\n")
    assert memory.commit("-a")


def test_a_link_to_a_hook_is_moved_not_followed(memory: Memory) -> None:
    """The file that it leads to is not written."""
    tool = memory.write("tools/hook", FOREIGN)
    tool.chmod(0o755)
    (memory.root / ".git" / "hooks").mkdir(exist_ok=True)
    (memory.root / ".git" / "hooks" / "pre-commit").symlink_to("../../tools/hook")
    install(str(memory.root))
    assert tool.read_text() == FOREIGN
    memory.write("resident/rules.md", "# R\n\n- one\n")
    assert memory.commit("-a")
    assert "theirs:" in memory.said


def test_linked_work_trees_share_the_hooks(tmp_path: Path, memory: Memory) -> None:
    """Installed from a linked work tree they guard the main one; git's answer is relative to neither."""
    memory.git("worktree", "add", "-q", str(tmp_path / "linked"))
    install(str(tmp_path / "linked"))
    assert (memory.root / ".git" / "hooks" / "pre-commit").exists()
    memory.write("resident/rules.md", "x" * 5000)
    assert not memory.commit("-a")


def test_it_works_from_any_folder(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`git rev-parse --git-path` answers from the repo's root, not from where the user stands."""
    monkeypatch.chdir(tmp_path)
    install(str(memory.root))
    assert all(hook.current for hook in hooks_state(str(memory.root)))


def test_an_interpreter_with_a_quote_in_its_path_is_quoted(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The recorded path is one shell word, whatever stands in it."""
    odd = tmp_path / 'it\'s $HOME "py"'
    odd.mkdir()
    (odd / "python").symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(odd / "python"))
    install(str(memory.root))
    assert {hook.python for hook in hooks_state(str(memory.root))} == {str(odd / "python")}
    assert memory.call("sh", "-n", ".git/hooks/pre-commit").returncode == 0


def test_one_interpreter_has_one_name(memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`python` and `python3` of one environment do not rewrite each other's hooks."""
    for name in ("python", "python3"):
        (tmp_path / name).symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    install(str(memory.root))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python3"))
    assert install(str(memory.root)).written == ()


def test_a_repo_without_a_hooks_folder_gets_one(tmp_path: Path) -> None:
    """`git init --template=` leaves none."""
    (tmp_path / "m").mkdir()
    memory = Memory(tmp_path / "m")
    memory.git("init", "-q", "--template=")
    install(str(memory.root))
    assert all(hook.current for hook in hooks_state(str(memory.root)))


def test_a_file_for_a_hooks_folder_is_named(memory: Memory) -> None:
    """What cannot be installed is one clear sentence, and init carries it in its report."""
    folder = memory.root / ".git" / "hooks"
    for path in folder.glob("*"):
        path.unlink()
    if folder.exists():
        folder.rmdir()
    folder.write_text("x")
    report = run(memory.root)
    assert report.code == 2
    assert "hooks" in report.problem
    assert report.commit


# --- other managers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "settings", "name"),
    [
        ({}, {"core.hooksPath": "/shared/hooks"}, "core.hooksPath"),
        ({".pre-commit-config.yaml": "repos: []\n"}, {}, "pre-commit"),
        ({".git/hooks/pre-commit": "#!/bin/sh\n# File generated by pre-commit: https\n"}, {}, "pre-commit"),
        ({".husky/pre-commit": "npm test\n"}, {}, "husky"),
        ({}, {"core.hooksPath": ".husky/_"}, "husky"),
        ({"lefthook.yml": "{}\n"}, {}, "lefthook"),
        ({".config/lefthook.json": "{}\n"}, {}, "lefthook"),
    ],
)  # fmt: skip
def test_another_manager_keeps_the_hooks(
    memory: Memory, files: dict[str, str], settings: dict[str, str], name: str
) -> None:
    """Nothing is written into its place; the report has the lines to add and names the file."""
    for path, text in files.items():
        memory.write(path, text)
    for key, value in settings.items():
        memory.git("config", key, value)
    before = bytes_of(memory.root, git=True)
    installed = install(str(memory.root))
    assert bytes_of(memory.root, git=True) == before
    assert installed.manager is not None
    assert installed.manager.name == name
    assert "memtool hook pre-commit" in installed.manager.lines
    assert "Add" in installed.manager.advice()


def test_a_global_hooks_path_is_seen_in_a_repo_to_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set for all of the user's repos, it counts for the new one, in the dry run too."""
    (tmp_path / "config").write_text("[core]\n\thooksPath = ~/hooks\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    for dry_run in (True, False):
        report = run(tmp_path / "memory", dry_run=dry_run)
        assert report.hooks.manager is not None
        assert any("memtool hook pre-push" in line for line in report.lines())
    assert "Add the lines above" in report.next[0]
    assert not list((tmp_path / "memory" / ".git" / "hooks").glob("pre-commit"))


def test_a_folder_without_git_may_have_its_manager_already(tmp_path: Path) -> None:
    """Its configuration lies there: the dry run and the real one see the same."""
    memory = fill(tmp_path / "memory", {".pre-commit-config.yaml": "repos: []\n"})
    plan, real = run(memory.root, dry_run=True), run(memory.root)
    assert real.hooks.manager == plan.hooks.manager
    assert real.hooks.written == plan.hooks.written == ()


def test_a_manager_that_calls_memtool_already_is_left_in_peace(memory: Memory) -> None:
    """Once the lines are there, they are not asked for again."""
    memory.write(".husky/pre-commit", "memtool hook pre-commit\n")
    report = run(memory.root)
    assert report.hooks.manager is not None
    assert report.hooks.manager.calls_memtool
    assert not any("Add" in line for line in report.lines())


def test_the_lines_for_pre_commit_and_lefthook_are_yaml() -> None:
    """They can be pasted as they stand."""
    import yaml

    assert isinstance(yaml.safe_load(managers._LEFTHOOK_LINES), dict)
    top, item = managers._PRE_COMMIT_LINES.split("# one more item of the list under `repos:`\n")
    theirs = "repos:\n  - repo: local\n    hooks: [{id: mine, name: mine, entry: mine, language: system}]\n"
    pasted = yaml.safe_load(top + theirs + item)
    assert [hook["id"] for repo in pasted["repos"] for hook in repo["hooks"]] == [
        "mine",
        "memtool-check",
        "memtool-push",
    ]
    assert pasted["repos"][1]["hooks"][1]["entry"] == "memtool hook pre-push"
