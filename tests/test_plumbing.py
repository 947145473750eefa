"""git as a program: exit codes checked, pipes never stuck, processes ended."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from memory import Memory

from memtool.edge.plumbing import GitError, Objects, Process, git, records, succeeds
from memtool.errors import MemtoolError


@pytest.fixture
def repo(tmp_path: Path) -> Memory:
    made = Memory.make(tmp_path / "repo", hooks=False)
    made.write("a.md", "a\n")
    made.write("new\nline.md", b"\xff\x00")
    made.git("add", "-A")
    made.git("commit", "-qm", "x")
    return made


def test_an_unexpected_exit_code_is_an_error_with_gits_own_words(repo: Memory, tmp_path: Path) -> None:
    """A failure is never an empty answer."""
    with pytest.raises(GitError, match="git ls-files: not a git repository"):
        git(str(tmp_path), "ls-files")
    assert git(str(repo.root), "rev-parse", "-q", "--verify", "nope", ok=(0, 1)) == b""
    assert succeeds(str(repo.root), "rev-parse", "-q", "--verify", "HEAD")
    assert not succeeds(str(repo.root), "rev-parse", "-q", "--verify", "nope")


def test_bytes_come_as_git_gives_them(repo: Memory) -> None:
    """No decoding, no stripped newline, names whole."""
    root = str(repo.root)
    assert git(root, "cat-file", "blob", "HEAD:a.md") == b"a\n"
    assert list(records(root, "ls-files", "-z")) == [b"a.md", b"new\nline.md"]


def test_much_input_and_much_output_at_once_do_not_block(repo: Memory) -> None:
    """Ten thousand questions are 410 KB each way, far over what a pipe holds."""
    oid = git(str(repo.root), "rev-parse", "HEAD:a.md")
    out = git(str(repo.root), "cat-file", "--batch-check", stdin=oid * 10_000)
    assert out.count(b" blob 2\n") == 10_000


def test_one_process_answers_for_many_objects(repo: Memory) -> None:
    """Sizes and contents by id or by name; what is missing is None; a newline in a name is no matter."""
    with Objects(str(repo.root)) as objects:
        found = objects.info([b"HEAD:a.md", b"nope", b"HEAD:new\nline.md"])
        assert [info and info[1:] for info in found] == [(b"blob", 2), None, (b"blob", 2)]
        assert objects.contents([b"HEAD:new\nline.md", b"nope", b"HEAD:a.md"]) == [b"\xff\x00", None, b"a\n"]
        assert objects.contents([b"HEAD:a.md"] * 1000) == [b"a\n"] * 1000


def test_leaving_early_ends_the_process(repo: Memory) -> None:
    """Whoever has read enough stops git."""
    with Process(str(repo.root), "cat-file", "--batch") as process:
        pid = process.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_missing_git_is_a_sentence(repo: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a traceback."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(MemtoolError, match="git was not found"):
        git(str(repo.root), "version")


def test_a_foreign_owner_is_refused_with_gits_remedy(repo: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dubious ownership is exit 2 with the one-line remedy, which memtool never takes by itself."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(GitError, match="dubious ownership") as error:
        git(str(repo.root), "status")
    assert error.value.hint.startswith("If you trust its owner: git config --global --add safe.directory ")
    assert "safe.directory *" not in error.value.hint
