"""Files change together with their commit, or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from memory import Memory

from memtool.edge import files, repository, transaction
from memtool.errors import MemtoolError

BEFORE: dict[str, bytes | None] = {"topics/a.md": None, "topics/new/b.md": None, "topics/old.md": b"old\n"}
AFTER: dict[str, bytes | None] = {"topics/a.md": b"a\n", "topics/new/b.md": b"b\n", "topics/old.md": b"short\n"}
GONE: dict[str, bytes | None] = AFTER | {"topics/old.md": None}

RUN = """
import os, signal, sys
from memtool.edge import files, repository, transaction
before, after = {before!r}, {after!r}
def commit():
    return repository.commit(".", list(after), subject="try", operation="try", agent="a")
def fatal(module, name, at):
    real, calls = getattr(module, name), [0]
    def call(*args, **named):
        calls[0] += 1
        if calls[0] == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **named)
    setattr(module, name, call)
{fault}
transaction.change(".", before, after, commit)
"""

SWITCH = """
import os, signal
from memtool.edge import switch
real = switch.git
def git(root, *args, **named):
    if args[0] == "update-ref":
        os.kill(os.getpid(), signal.SIGKILL)
    return real(root, *args, **named)
switch.git = git
switch.switch(".", "{start}", "{end}", reason="try")
"""


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    made = Memory.make(tmp_path, hooks=False)
    made.write("memtool.yaml", "format: 1\n")
    made.write("topics/old.md", "old\n")
    made.write("mine.md", "mine\n")
    made.git("add", "-A")
    made.git("commit", "-qm", "start")
    return made


def change(memory: Memory, after: dict[str, bytes | None] = AFTER, *, fault: str = "") -> int:
    code = RUN.format(before=BEFORE, after=after, fault=fault)
    done = subprocess.run([sys.executable, "-c", code], cwd=memory.root, capture_output=True, text=True, check=False)
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr
    return done.returncode


def contents(memory: Memory) -> dict[str, bytes | None]:
    def content(path: str) -> bytes | None:
        place = memory.root / path
        return place.read_bytes() if place.exists() else None

    return {path: content(path) for path in BEFORE}


@pytest.mark.parametrize("after", [AFTER, GONE], ids=["changed", "gone"])
def test_the_files_and_their_commit_come_together(memory: Memory, after: dict[str, bytes | None]) -> None:
    """All files have their new content, one commit holds exactly them, and nothing is left to undo."""
    assert change(memory, after) == 0
    assert contents(memory) == after
    assert memory.git("status", "--porcelain") == ""
    assert set(memory.git("show", "--name-only", "--format=").split()) == set(after)
    assert transaction.recover(str(memory.root)) == ""
    assert {path.name for path in (memory.root / ".git/memtool").iterdir()} == {"lock", "git", "message"}


def test_what_the_user_has_staged_stays_staged_and_out_of_the_commit(memory: Memory) -> None:
    """Another file's staged and unstaged work is as it was, whether the commit comes to pass or not."""
    memory.write("mine.md", "staged\n")
    memory.git("add", "mine.md")
    memory.write("mine.md", "and more\n")
    assert change(memory) == 0
    assert memory.git("status", "--porcelain") == "MM mine.md\n"


@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace", "unlink", "rmdir", "posix_spawnp", "close"])
def test_killed_at_any_call_all_is_as_before_or_the_commit_is_whole(memory: Memory, call: str) -> None:
    """After a kill at the calls of each kind, one recovery gives the old files or the whole commit; then it works."""
    start = memory.git("rev-parse", "HEAD")
    clean = memory.git("ls-files", "-s")
    step = 1 if os.environ.get("MEMTOOL_SLOW") else {"close": 5, "open": 3}.get(call, 1)
    for at in range(1, 200, step):
        if change(memory, GONE, fault=f"fatal(os, {call!r}, {at})") == 0:
            break
        transaction.recover(str(memory.root))
        whole = memory.git("rev-parse", "HEAD") != start
        assert contents(memory) == (GONE if whole else BEFORE), f"{call} number {at}"
        assert memory.git("status", "--porcelain") == "", f"{call} number {at}"
        assert not list((memory.root / "topics").rglob(".*")), f"{call} number {at}"
        if whole:
            memory.git("reset", "-q", "--hard", start.strip())
        assert memory.git("ls-files", "-s") == clean
    else:
        pytest.fail("it never ended")
    assert at > 1 or call == "rmdir", "nothing was killed"
    assert contents(memory) == GONE


@pytest.mark.parametrize(
    ("module", "call"), [(files, "_write_new"), (os, "fsync"), (os, "replace"), (os, "posix_spawnp")], ids=str
)
def test_when_a_call_fails_the_files_are_put_back(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, module: ModuleType, call: str
) -> None:
    """A full disk at the n-th write, a git that cannot start: the error comes out, the files are as they were."""
    monkeypatch.chdir(memory.root)
    real = getattr(module, call)
    for at in range(1, 100):
        calls = [0]

        def fail(*args: object, number: int = at, calls: list[int] = calls, **named: object) -> object:
            calls[0] += 1
            if calls[0] == number:
                raise OSError(28, "No space left on device")
            return real(*args, **named)

        with monkeypatch.context() as patch:
            patch.setattr(module, call, fail)
            try:
                transaction.change(".", BEFORE, AFTER, _commit)
                break
            except MemtoolError:
                pass
        transaction.recover(".")
        assert contents(memory) == BEFORE, f"{call} number {at}"
        assert memory.git("status", "--porcelain") == "", f"{call} number {at}"
    else:
        pytest.fail("it never ended")
    assert at > 1
    assert contents(memory) == AFTER


def _commit() -> str:
    return repository.commit(".", list(AFTER), subject="try", operation="try", agent="a")


def test_a_commit_that_is_refused_leaves_no_trace(memory: Memory) -> None:
    """A hook says no: files and index are as they were, and the hook's words come out."""
    hook = memory.write(".git/hooks/pre-commit", "#!/bin/sh\necho 'error: not today' >&2\nexit 1\n")
    hook.chmod(0o755)
    before = memory.git("ls-files", "-s")
    code = RUN.format(before=BEFORE, after=AFTER, fault="")
    done = subprocess.run([sys.executable, "-c", code], cwd=memory.root, capture_output=True, text=True, check=False)
    assert "not today" in done.stderr
    assert contents(memory) == BEFORE
    assert (memory.git("ls-files", "-s"), memory.git("status", "--porcelain")) == (before, "")


def test_a_file_that_changed_meanwhile_is_not_written_over(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another writer put there between reading and writing is kept, and the command says so."""
    monkeypatch.chdir(memory.root)
    memory.write("topics/old.md", "theirs\n")
    with pytest.raises(MemtoolError, match="changed meanwhile"):
        transaction.change(".", BEFORE, AFTER, _commit)
    assert contents(memory) == BEFORE | {"topics/old.md": b"theirs\n"}


def test_an_edit_after_a_kill_is_kept_and_told(memory: Memory) -> None:
    """Recovery does not undo what a person wrote since; it names the file."""
    change(memory, fault="fatal(os, 'posix_spawnp', 2)")
    memory.write("topics/a.md", "by hand\n")
    assert "left as they are, for they were changed since: topics/a.md" in transaction.recover(str(memory.root))
    assert contents(memory) == BEFORE | {"topics/a.md": b"by hand\n"}


def test_what_was_committed_is_not_undone_by_what_came_later(memory: Memory) -> None:
    """Killed right after its commit, the change is whole, whatever was edited and committed since."""
    hook = memory.write(".git/hooks/post-commit", "#!/bin/sh\nkill -9 $MEMTOOL_PID\n")
    hook.chmod(0o755)
    change(memory, fault="os.environ['MEMTOOL_PID'] = str(os.getpid())")
    hook.unlink()
    memory.write("topics/a.md", "edited\n")
    memory.git("commit", "-qam", "edit")
    assert "it is committed" in transaction.recover(str(memory.root))
    assert contents(memory) == AFTER | {"topics/a.md": b"edited\n"}
    assert memory.git("status", "--porcelain") == ""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="the system does not tell here which programs run")
def test_a_git_that_is_killed_between_branch_and_index_takes_nothing_back(memory: Memory) -> None:
    """The commit is made and the index is of before it: recovery lets it follow, or the next commit would undo this."""
    kill = "#!/bin/sh\n[ $1 != committed ] || kill -9 $MEMTOOL_PID $PPID\n"
    hook = memory.write(".git/hooks/reference-transaction", kill)
    hook.chmod(0o755)
    assert change(memory, GONE, fault="os.environ['MEMTOOL_PID'] = str(os.getpid())") == -signal.SIGKILL
    hook.unlink()
    assert (memory.root / ".git/index.lock").exists()
    assert memory.git("status", "--porcelain") != ""
    assert "it is committed" in transaction.recover(str(memory.root))
    assert contents(memory) == GONE
    assert memory.git("status", "--porcelain") == ""


def test_what_a_hook_leaves_running_stops_no_later_command(memory: Memory) -> None:
    """A process that a hook puts into the background outlives the commit; the next writer need not wait for it."""
    hook = memory.write(".git/hooks/post-commit", "#!/bin/sh\nsleep 30 >/dev/null 2>&1 & echo $! >.git/pid\n")
    hook.chmod(0o755)
    assert change(memory) == 0
    try:
        memory.write("topics/old.md", "old\n")
        transaction.change(
            str(memory.root), {"topics/c.md": None}, {"topics/c.md": b"c\n"},
            lambda: repository.commit(str(memory.root), ["topics/c.md"], subject="c", operation="try", agent="a"),
        )  # fmt: skip
    finally:
        os.kill(int((memory.root / ".git/pid").read_text()), signal.SIGTERM)
    assert (memory.root / "topics/c.md").read_bytes() == b"c\n"


def test_a_running_command_is_not_undone(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal whose command still runs is none of ours to undo."""
    monkeypatch.setattr(transaction, "_PATIENCE", 0)
    seen = []

    def commit() -> str:
        seen.append(transaction.recover(str(memory.root)))
        return repository.commit(str(memory.root), list(AFTER), subject="try", operation="try", agent="a")

    transaction.change(str(memory.root), BEFORE, AFTER, commit)
    assert seen == [""]
    assert contents(memory) == AFTER


def test_a_second_writer_waits_and_then_says_why_it_gives_up(memory: Memory) -> None:
    """One lock stands over reading, changing and writing."""
    from memtool.edge.lock import locked

    def second() -> None:
        with locked(str(memory.root), wait=0.1):
            pytest.fail("two writers at once")

    with locked(str(memory.root)), pytest.raises(MemtoolError, match="another memtool is writing here"):
        second()


def test_a_lock_is_named_while_a_git_runs_here(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index.lock is said with its path and the way out; nothing is undone under the git that may hold it."""
    change(memory, fault="fatal(os, 'posix_spawnp', 2)")
    lock = memory.write(".git/index.lock", "")
    monkeypatch.setattr(transaction, "_PATIENCE", 0)
    command = ["git", "cat-file", "--batch-check"]
    with subprocess.Popen(command, cwd=memory.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as git:
        assert git.stdin
        assert git.stdout
        git.stdin.write(b"HEAD\n")
        assert git.stdout.readline()  # now it runs
        with pytest.raises(MemtoolError, match=r"index\.lock"):
            transaction.recover(str(memory.root))
        assert lock.exists()
    lock.unlink()
    assert "undone" in transaction.recover(str(memory.root))
    assert contents(memory) == BEFORE


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="the system does not tell here which programs run")
def test_a_lock_that_a_killed_git_left_is_moved_aside(memory: Memory) -> None:
    """Where no git runs in the repo any more, its locks stop nobody, and are kept under memtool's folder."""
    change(memory, fault="fatal(os, 'posix_spawnp', 2)")
    names = ["index.lock", "HEAD.lock", "next-index-1.lock", "refs/heads/main.lock"]
    locks = [memory.write(f".git/{name}", "half") for name in names]
    assert "undone" in transaction.recover(str(memory.root))
    assert contents(memory) == BEFORE
    assert not [lock for lock in locks if lock.exists()]
    assert (memory.root / ".git/memtool/index.lock").read_text() == "half"


def test_what_is_no_markdown_is_put_back_with_the_rest(memory: Memory) -> None:
    """A move from commit to commit that is cut off leaves no script, link, mode or deletion of its own behind."""
    memory.write("tools/run.sh", "one\n")
    memory.write("tools/gone.sh", "gone\n")
    (memory.root / "link").symlink_to("tools/run.sh")
    memory.git("add", "-A")
    memory.git("commit", "-qm", "scripts")
    start = memory.git("rev-parse", "HEAD").strip()
    memory.write("tools/run.sh", "two\n").chmod(0o755)
    memory.write("tools/new.sh", "new\n").chmod(0o755)
    memory.write("topics/old.md", "newer\n").chmod(0o755)
    (memory.root / "tools/gone.sh").unlink()
    (memory.root / "link").unlink()
    (memory.root / "link").symlink_to("tools/new.sh")
    memory.git("add", "-A")
    memory.git("commit", "-qm", "all")
    end = memory.git("rev-parse", "HEAD").strip()
    memory.git("reset", "-q", "--hard", start)
    before = memory.state()
    code = SWITCH.format(start=start, end=end)
    done = subprocess.run([sys.executable, "-c", code], cwd=memory.root, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert len(memory.git("status", "--porcelain").splitlines()) == 5
    assert "5 files are as they were" in transaction.recover(str(memory.root))
    assert memory.git("status", "--porcelain") == ""
    assert memory.state()[4] == before[4]
    assert os.readlink(memory.root / "link") == "tools/run.sh"


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="no list of processes")
def test_a_lock_that_any_program_holds_is_left(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is no git, and has the index locked, keeps its lock: in a change under way, and after a kill."""
    monkeypatch.setattr(transaction, "_PATIENCE", 0)
    lock = memory.root / ".git/index.lock"

    def commit() -> str:
        return repository.commit(str(memory.root), list(AFTER), subject="try", operation="try", agent="a")

    with lock.open("x"):
        with pytest.raises(MemtoolError):
            transaction.change(str(memory.root), BEFORE, AFTER, commit)
        assert lock.exists()
    lock.unlink()
    transaction.recover(str(memory.root))
    change(memory, fault="fatal(os, 'posix_spawnp', 2)")
    with lock.open("x"):
        with pytest.raises(MemtoolError, match=r"index\.lock"):
            transaction.recover(str(memory.root))
        assert lock.exists()
    lock.unlink()
    assert "undone" in transaction.recover(str(memory.root))
    assert contents(memory) == BEFORE
