"""fetch and push against real servers and real faults: the right word for each, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import servers
from memory import Memory
from servers import Shell, Web

from memtool.edge import remote
from memtool.edge.refusal import Kind, told
from memtool.edge.remote import RemoteFailure, masked
from memtool.errors import MemtoolError

SECONDS = 20.0
SOON = 0.8
"""A limit for what never ends by itself."""
HERE = "refs/memtool/there"


# --- two repositories that have something for each other --------------------------------------------------------------


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with ``near``, and ``far.git``, of which each is a commit of 200 KB ahead on ``main``, ``news``."""
    folder = tmp_path_factory.mktemp("seed")
    near = Memory.make(folder / "near", hooks=False)
    shutil.rmtree(near.root / ".git" / "hooks")
    near.git("config", "gc.auto", "0")
    near.write("a.md", "# A\n")
    near.git("add", "-A")
    near.git("commit", "-qm", "both know this")
    far = servers.bare(folder / "far.git")
    near.git("push", "-q", str(far), "main")
    shutil.copytree(near.root, folder / "other")
    for place, branch in ((near, "main"), (Memory(folder / "other"), "news")):
        place.write(f"{branch}.bin", os.urandom(200_000))
        place.git("add", "-A")
        place.git("commit", "-qm", branch)
    Memory(folder / "other").git("push", "-q", str(far), "main:news")
    shutil.rmtree(far / "hooks")
    return folder


@pytest.fixture
def near(seed: Path, tmp_path: Path) -> Memory:
    shutil.copytree(seed / "near", tmp_path / "near")
    return Memory(tmp_path / "near")


@pytest.fixture
def far(seed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(seed / "far.git", tmp_path / "far.git"))


@pytest.fixture(scope="module")
def web(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    folder = tmp_path_factory.mktemp("web")
    shutil.copytree(seed / "far.git", folder / "far.git")
    with servers.web(folder) as server:
        yield server


@pytest.fixture(scope="module")
def ssh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with servers.ssh(tmp_path_factory.mktemp("ssh")) as server:
        yield server


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """List the processes that memtool starts for the network; each is the leader of a session."""
    pids: list[int] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **named: Any) -> None:
            super().__init__(*args, **named)
            pids.append(self.pid)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    return pids


def everything(repo: Memory) -> dict[str, bytes]:
    """Take each file of work tree and git directory but for objects, which only refs make count."""
    found = (path for path in sorted(repo.root.rglob("*")) if path.is_file() and "objects" not in path.parts)
    return {str(path.relative_to(repo.root)): path.read_bytes() for path in found}


def attempt(command: str, near: Memory, url: str, *, seconds: float = SECONDS, branch: str = "") -> None:
    if command == "fetch":
        remote.fetch(str(near.root), url, branch or "news", into=HERE, seconds=seconds)
    else:
        remote.push(str(near.root), url, "HEAD", branch or "main", seconds=seconds)


def fails(
    command: str, near: Memory, url: str, started: list[int], *, seconds: float = SECONDS, branch: str = ""
) -> RemoteFailure:
    """Try it; it fails in plain words, without a trace here, and no process is left."""
    before = everything(near)
    with pytest.raises(RemoteFailure) as caught:
        attempt(command, near, url, seconds=seconds, branch=branch)
    assert [servers.alive(pid) for pid in started] == [[]] * len(started)
    assert everything(near) == before
    assert "\n" not in caught.value.message
    assert caught.value.hint
    return caught.value


def works(near: Memory, url: str, far: Path) -> None:
    """Fetch and push as if nothing had been."""
    attempt("fetch", near, url)
    assert near.git("rev-parse", HERE) == Memory(far).git("rev-parse", "news")
    attempt("push", near, url)
    assert near.git("rev-parse", "HEAD") == Memory(far).git("rev-parse", "main")


BOTH = pytest.mark.parametrize("command", ["fetch", "push"])


# --- what works ------------------------------------------------------------------------------------------------------


def test_a_folder(near: Memory, far: Path) -> None:
    """By path and by a remote's name; twice is no error, and nothing is written but the ref asked for."""
    before = everything(near)
    works(near, str(far), far)
    assert everything(near).keys() - before.keys() == {f".git/{HERE}"}
    near.git("remote", "add", "origin", "../far.git")
    works(near, "origin", far)


def test_http_with_and_without_a_password(near: Memory, far: Path, web: Web) -> None:
    """An open repo; one behind a password that stands in the address; one whose password a helper knows."""
    for name in ("one.git", "two.git", "three.git"):
        shutil.copytree(far, web.folder / name)
    works(near, web.open("one.git"), web.folder / "one.git")
    works(near, web.closed("two.git", login=f"{servers.USER}:{servers.PASSWORD}"), web.folder / "two.git")
    helper = f"!f() {{ echo username={servers.USER}; echo password={servers.PASSWORD}; }}; f"
    near.git("config", "credential.helper", helper)
    works(near, web.closed("three.git"), web.folder / "three.git")


def test_ssh_by_environment_and_by_configuration(
    near: Memory, far: Path, ssh: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user's own ssh command is used, wherever it is set."""
    near.git("config", "core.sshCommand", ssh.command)
    attempt("fetch", near, ssh.url(far))
    near.git("config", "--unset", "core.sshCommand")
    monkeypatch.setenv("GIT_SSH_COMMAND", ssh.command)
    attempt("push", near, ssh.url(far))
    assert near.git("rev-parse", "HEAD") == Memory(far).git("rev-parse", "main")


def test_options_of_fetch(near: Memory, far: Path, tmp_path: Path) -> None:
    """A shallow clone is made whole."""
    attempt("push", near, str(far))
    near.git("clone", "-q", "--depth", "1", f"file://{far}", str(tmp_path / "shallow"))
    remote.fetch(str(tmp_path / "shallow"), "origin", "main", into=HERE, seconds=SECONDS, extra=("--unshallow",))
    assert Memory(tmp_path / "shallow").git("rev-list", "--count", HERE) == "2\n"


def test_settings_of_the_user_add_nothing(near: Memory, far: Path) -> None:
    """No tags go or come, nothing is pruned, whatever the configuration says."""
    near.git("remote", "add", "origin", str(far))
    for name in ("push.followTags", "fetch.prune", "fetch.pruneTags", "remote.origin.prune"):
        near.git("config", name, "true")
    near.git("config", "remote.origin.tagOpt", "--tags")
    near.git("tag", "-am", "mine", "mine")
    Memory(far).git("tag", "theirs", "news")
    works(near, "origin", far)
    assert (near.git("tag"), Memory(far).git("tag")) == ("mine\n", "theirs\n")


def test_what_a_hook_leaves_in_the_background_is_not_waited_for(near: Memory, far: Path, started: list[int]) -> None:
    """A pre-push hook that starts something, with git's output still open, does not hold up the push."""
    hooks(near, "pre-push", "sleep 300 &")
    attempt("push", near, str(far))
    for pid in started:
        os.killpg(pid, signal.SIGKILL)
    assert near.git("rev-parse", "HEAD") == Memory(far).git("rev-parse", "main")


def hooks(near: Memory, name: str, script: str) -> None:
    servers.hook(near.root / ".git", name, script)


# --- who asks, who answers -------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("login", ["", "ada:wrong"])
def test_a_password_that_is_missing_or_wrong(
    near: Memory, web: Web, started: list[int], command: str, login: str
) -> None:
    """It is said, never asked for; and the wrong one is not shown."""
    error = fails(command, near, web.closed("far.git", login=login), started)
    assert error.kind == "auth-needed"
    assert "wrong" not in error.message


@pytest.mark.parametrize(
    "case",
    [
        ("fetch", "wrong-key", "Permission denied (publickey"),
        ("push", "wrong-key", "Permission denied (publickey"),
        ("fetch", "unknown-host", "host key is known"),
        ("push", "changed-host", "has changed"),
    ],
)
def test_a_key_that_is_not_the_right_one(
    near: Memory, far: Path, ssh: Shell, started: list[int], case: tuple[str, str, str]
) -> None:
    """ssh does not ask either; the user is told which of the two does not know the other."""
    command, host, said = case
    near.git("config", "core.sshCommand", ssh.command)
    error = fails(command, near, ssh.url(far, host=host), started)
    assert error.kind == "auth-needed"
    assert said in error.message


# --- what the remote refuses -----------------------------------------------------------------------------------------


def test_a_hook_that_refuses(near: Memory, far: Path, web: Web, started: list[int]) -> None:
    """A branch that is not ours to move; the hook's own words are told. The way in makes no difference."""
    servers.hook(far, "pre-receive", 'echo "GL-HOOK: only maintainers push to main"; exit 1')
    shutil.copytree(far, web.folder / "refusing.git")
    for url in (str(far), web.open("refusing.git")):
        error = fails("push", near, url, started)
        assert error.kind == "protected"
        assert "only maintainers push to main" in error.message
    (far / "hooks" / "pre-receive").unlink()
    works(near, str(far), far)


def test_an_update_hook_and_a_branch_that_is_checked_out(
    near: Memory, far: Path, seed: Path, tmp_path: Path, started: list[int]
) -> None:
    """The two other ways to refuse one branch."""
    servers.hook(far, "update", "exit 1")
    assert fails("push", near, str(far), started).kind == "protected"
    shutil.copytree(seed / "other", tmp_path / "work")
    Memory(tmp_path / "work").git("reset", "-q", "--hard", "HEAD^")
    error = fails("push", near, str(tmp_path / "work"), started)
    assert (error.kind, "checked out branch" in error.message) == ("protected", True)


def test_a_server_for_reading_only(near: Memory, far: Path, web: Web, started: list[int]) -> None:
    """A web server that lets one fetch and not push."""
    shutil.copytree(far, web.folder / "reading.git")
    Memory(web.folder / "reading.git").git("config", "http.receivepack", "false")
    assert fails("push", near, web.open("reading.git"), started).kind == "protected"
    attempt("fetch", near, web.open("reading.git"))


def test_a_folder_for_reading_only(near: Memory, far: Path, started: list[int]) -> None:
    """One can fetch from it."""
    with servers.read_only(far):
        assert fails("push", near, str(far), started).kind == "protected"
        attempt("fetch", near, str(far))
    works(near, str(far), far)


def test_another_push_came_first(near: Memory, far: Path, started: list[int]) -> None:
    """Never forced; before the remote was looked at, and also between the look and the push."""
    assert fails("push", near, str(far), started, branch="news").kind == "moved"
    Memory(far).git("config", "receive.denyNonFastForwards", "true")
    attempt("fetch", near, str(far))
    assert fails("push", near, str(far), started, branch="news").kind == "moved"
    race = "unset GIT_QUARANTINE_PATH; git update-ref refs/heads/{} refs/heads/news"
    servers.hook(far, "pre-receive", race.format("main"))
    assert fails("push", near, str(far), started).kind == "moved"
    servers.hook(far, "pre-receive", race.format("fresh"))
    assert fails("push", near, str(far), started, branch="fresh").kind == "moved"


def test_another_push_holds_the_branch(near: Memory, far: Path, started: list[int]) -> None:
    """The lock of the ref is taken at the remote."""
    lock = far / "refs" / "heads" / "main.lock"
    lock.touch()
    error = fails("push", near, str(far), started)
    assert (error.kind, "cannot lock ref" in error.message) == ("moved", True)
    lock.unlink()
    works(near, str(far), far)


def test_a_branch_that_the_remote_has_not(near: Memory, far: Path, web: Web, started: list[int]) -> None:
    """No such branch, and an empty remote, are told apart from a remote that is not there."""
    assert fails("fetch", near, str(far), started, branch="nowhere").kind == "missing"
    servers.bare(web.folder / "empty.git")
    assert fails("fetch", near, web.open("empty.git"), started).kind == "missing"


def test_the_repos_own_hook_refuses(near: Memory, far: Path, started: list[int]) -> None:
    """The pre-push hook runs, knows that memtool is at work, and is not taken for the remote's."""
    hooks(near, "pre-push", '[ "$MEMTOOL_WRITING" ] && echo "a secret in notes.md" >&2; exit 1')
    error = fails("push", near, str(far), started)
    assert error.kind == "refused"
    assert "pre-push hook of this repo refused (a secret in notes.md)" in error.message


# --- full disks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["100", "1"], ids=["objects", "pack"])
def test_the_disk_of_the_remote_is_full(
    near: Memory, far: Path, tmp_path: Path, started: list[int], limit: str
) -> None:
    """A real disk, of 100 KB; as loose objects and as a pack."""
    with servers.small_disk(tmp_path / "disk", kilobytes=100) as disk:
        there = servers.bare(disk / "far.git", receive_unpackLimit=limit, gc_auto="0")
        assert fails("push", near, str(there), started).kind == "remote-full"
    works(near, str(far), far)


def test_a_remote_with_a_limit(near: Memory, far: Path, started: list[int]) -> None:
    """The pack is bigger than the remote takes."""
    Memory(far).git("config", "receive.maxInputSize", "1000")
    assert fails("push", near, str(far), started).kind == "remote-full"


@pytest.mark.parametrize("limit", ["100", "1"], ids=["objects", "pack"])
def test_the_disk_here_is_full(near: Memory, far: Path, tmp_path: Path, started: list[int], limit: str) -> None:
    """What came half-way counts for nothing."""
    near.git("config", "fetch.unpackLimit", limit)
    with servers.small_disk(tmp_path / "disk", kilobytes=500) as disk:
        here = Memory(Path(shutil.copytree(near.root, disk / "near")))
        error = fails("fetch", here, str(far), started)
        assert (error.kind, "No space left" in error.message) == ("disk-full", True)
        assert here.git("for-each-ref", HERE) == ""


# --- faults of the network -------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    "url",
    [
        "http://{host}:{port}/x.git",
        "ssh://{host}:{port}/x.git",
        "git://{host}:{port}/x.git",
        "http://nowhere.invalid/x.git",
        "ssh://nowhere.invalid/x.git",
        "git://nowhere.invalid/x.git",
        "/nowhere/at all.git",
        "file:///nowhere/at/all.git",
    ],
)
def test_nobody_there(near: Memory, far: Path, started: list[int], command: str, url: str) -> None:
    """A refused port, a name that nobody knows, a folder on a disk that is not plugged in: offline, at once."""
    address = url.format(host=servers.HOST, port=servers.free_port())
    near.git("config", "core.sshCommand", f"ssh -F {os.devnull}")
    assert fails(command, near, address, started).kind == "offline"
    works(near, str(far), far)


HTTP: list[tuple[int, tuple[Kind, Kind]]] = [
    (401, ("auth-needed", "auth-needed")),
    (403, ("auth-needed", "protected")),
    (404, ("remote-failed", "remote-failed")),
    (500, ("remote-failed", "remote-failed")),
    (503, ("remote-failed", "remote-failed")),
]


@pytest.mark.parametrize(("code", "kinds"), HTTP)
def test_a_web_server_says_no(near: Memory, started: list[int], code: int, kinds: tuple[Kind, Kind]) -> None:
    """Each code has its kind, and is told."""
    with servers.status(code) as port:
        url = f"http://{servers.HOST}:{port}/x.git"
        said = [fails(command, near, url, started) for command in ("fetch", "push")]
    assert tuple(error.kind for error in said) == kinds
    assert all(str(code) in error.message for error in said if code not in {401, 404})


@BOTH
def test_nonsense(near: Memory, started: list[int], command: str) -> None:
    """A redirect without an end, a login page, bytes of another protocol: failed, and in git's own words."""
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<p>hi\n"
    for server, scheme, said in (
        (servers.status(302, "Location: /again"), "http", "redirects"),
        (servers.answering(page), "http", "is this a git repository"),
        (servers.answering(b"garbage\r\n\r\n"), "http", ""),
        (servers.answering(b"garbage\r\n\r\n"), "git", "bad line length"),
    ):
        with server as port:
            error = fails(command, near, f"{scheme}://{servers.HOST}:{port}/x.git", started)
        assert error.kind == "remote-failed"
        assert said in error.message


@BOTH
@pytest.mark.parametrize("scheme", ["http", "ssh", "git"])
def test_the_line_is_closed_at_once(near: Memory, started: list[int], command: str, scheme: str) -> None:
    """Somebody listens and hangs up."""
    near.git("config", "core.sshCommand", f"ssh -F {os.devnull}")
    with servers.answering(b"") as port:
        assert fails(command, near, f"{scheme}://{servers.HOST}:{port}/x.git", started).kind == "offline"


@BOTH
def test_the_line_breaks_in_the_middle_of_a_pack(
    near: Memory, far: Path, web: Web, started: list[int], command: str
) -> None:
    """Half a pack changes nothing, on either side."""
    there = Memory(web.folder / "far.git")
    before = there.git("for-each-ref")
    with servers.cut(web.port, after=20_000) as port:
        assert fails(command, near, web.open("far.git", port=port), started).kind == "offline"
    assert there.git("for-each-ref") == before
    works(near, str(far), far)


@BOTH
def test_the_ssh_line_breaks_in_the_middle_of_a_pack(
    near: Memory, far: Path, ssh: Shell, started: list[int], command: str
) -> None:
    """The same, where another program holds the line."""
    with servers.cut(ssh.port, after=40_000) as port:
        near.git("config", "core.sshCommand", f"{ssh.command} -p {port}")
        assert fails(command, near, ssh.url(far), started).kind == "offline"


# --- the limit -------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("scheme", ["http", "ssh", "git"])
def test_a_server_that_says_nothing(near: Memory, far: Path, started: list[int], command: str, scheme: str) -> None:
    """It accepts, and that is all: ended at the limit, ssh too."""
    near.git("config", "core.sshCommand", f"ssh -F {os.devnull}")
    with servers.answering(b"", then_hang=True) as port:
        url = f"{scheme}://{servers.HOST}:{port}/x.git"
        assert fails(command, near, url, started, seconds=SOON).kind == "timed-out"
    works(near, str(far), far)


@BOTH
def test_a_server_that_falls_silent(near: Memory, far: Path, web: Web, started: list[int], command: str) -> None:
    """After its first bytes, and in the middle of a pack."""
    for after in (50, 20_000):
        with servers.cut(web.port, after=after, then_hang=True) as port:
            url = web.open("far.git", port=port)
            assert fails(command, near, url, started, seconds=SOON).kind == "timed-out"
    works(near, str(far), far)


def test_a_shallow_repo_can_fetch_after_the_limit(near: Memory, far: Path, web: Web, tmp_path: Path) -> None:
    """git holds `shallow.lock` while the pack comes; ended gently, it takes it away, and the next fetch works."""
    attempt("push", near, str(far))
    shutil.copytree(far, web.folder / "deep.git")
    near.write("main.bin", os.urandom(200_000))
    near.git("commit", "-qam", "another")
    attempt("push", near, web.open("deep.git"))
    near.git("clone", "-q", "--depth", "1", web.open("deep.git"), str(tmp_path / "shallow"))
    shallow = str(tmp_path / "shallow")
    with servers.cut(web.port, after=20_000, then_hang=True) as port, pytest.raises(RemoteFailure) as caught:
        remote.fetch(shallow, web.open("deep.git", port=port), "main", into=HERE, seconds=SOON, extra=("--unshallow",))
    assert caught.value.kind == "timed-out"
    assert list((tmp_path / "shallow").rglob("*.lock")) == []
    remote.fetch(shallow, "origin", "main", into=HERE, seconds=SECONDS, extra=("--unshallow",))


def test_a_limit_in_the_middle_of_the_refs(near: Memory, far: Path, started: list[int]) -> None:
    """git holds the locks of the refs, here and in a remote that is a folder; none is left."""
    held = '[ "$1" = prepared ] && exec sleep 300; exit 0'
    servers.hook(far, "reference-transaction", held)
    assert fails("push", near, str(far), started, seconds=SOON).kind == "timed-out"
    assert list(far.rglob("*.lock")) == []
    (far / "hooks" / "reference-transaction").unlink()
    hooks(near, "reference-transaction", held)
    assert fails("fetch", near, str(far), started, seconds=SOON).kind == "timed-out"
    (near.root / ".git" / "hooks" / "reference-transaction").unlink()
    works(near, str(far), far)


def test_a_hook_that_does_not_want_to_end(
    near: Memory, far: Path, started: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ignores the polite signal is killed."""
    monkeypatch.setattr(remote, "_TERM_SECONDS", 0.3)
    hooks(near, "pre-push", "trap '' TERM; sleep 300; sleep 300")
    assert fails("push", near, str(far), started, seconds=SOON).kind == "timed-out"


def test_an_interrupt_ends_git_too(near: Memory) -> None:
    """Ctrl-C at memtool, whose git is in a session of its own."""
    reached = threading.Event()

    def silent(connection: socket.socket) -> None:
        reached.set()
        while connection.recv(65536):
            pass

    with servers.listening(silent) as port:
        url = f"git://{servers.HOST}:{port}/x.git"
        code = f"from memtool.edge import remote; remote.fetch('.', '{url}', 'news', into='{HERE}', seconds=60)"
        with subprocess.Popen([sys.executable, "-c", code], cwd=near.root, stderr=subprocess.PIPE) as memtool:
            assert reached.wait(SECONDS)
            children = Path(f"/proc/{memtool.pid}/task/{memtool.pid}/children")
            if not children.exists():
                memtool.kill()
                pytest.skip("this system does not tell the children of a process")
            git = int(children.read_text())
            memtool.send_signal(signal.SIGINT)
            assert b"KeyboardInterrupt" in memtool.communicate(timeout=SECONDS)[1]
    assert servers.alive(git) == []


# --- words and addresses ---------------------------------------------------------------------------------------------


def rejected(why: str, *before: str) -> str:
    lines = (*before, "error: failed to push some refs to 'x'", "To x", f"!\tx:refs/heads/main\t{why}", "Done")
    return "\n".join(lines)


NO_READ = "fatal: Could not read from remote repository."
MOVED = "(cannot lock ref 'refs/heads/main': is at 1 but expected 2)"
WORDS: list[tuple[Kind, str, str]] = [
    # GitHub, over https and ssh
    ("protected", "push", "remote: Permission to a/b.git denied to c.\nfatal: The requested URL returned error: 403"),
    ("protected", "push", f"ERROR: Permission to a/b.git denied to c.\n{NO_READ}"),
    ("protected", "push", rejected("[remote rejected] (protected branch hook declined)", "remote: error: GH006: No")),
    ("moved", "push", rejected(f"[remote rejected] {MOVED}")),
    ("remote-failed", "fetch", f"ERROR: Repository not found.\n{NO_READ}"),
    # GitLab
    ("remote-full", "push", rejected("[remote rejected] (pre-receive hook declined)", "remote: the allocated storage")),
    # newer versions of git, other systems, other libraries
    ("moved", "push", rejected("[remote rejected] (incorrect old value provided)")),
    ("offline", "fetch", f"ssh: connect to host x port 22: Operation timed out\n{NO_READ}"),
    ("auth-needed", "fetch", "fatal: unable to access 'https://x/': SSL certificate problem: self-signed certificate"),
    ("timed-out", "fetch", "fatal: Operation too slow. Less than 1 bytes/sec transferred the last 60 seconds"),
    # it gave an answer before the line was closed
    ("remote-failed", "fetch", "error: RPC failed; HTTP 500 curl 22\nfatal: the remote end hung up unexpectedly"),
    ("remote-failed", "fetch", "remote: fatal: bad tree object 1\nfatal: early EOF"),
    # a lock of this repo is none of the remote's
    ("remote-failed", "fetch", "error: cannot lock ref 'refs/x': Unable to create '/x.lock': File exists."),
    # a web server without git, which is taken for one that speaks WebDAV
    ("remote-failed", "push", "fatal: git-http-push failed\nerror: failed to push some refs to 'x'"),
    ("remote-failed", "push", rejected("[remote rejected] (strange)")),
    ("remote-failed", "fetch", ""),
]


@pytest.mark.parametrize(("kind", "command", "said"), WORDS)
def test_words_of_servers_that_cannot_run_here(kind: Kind, command: str, said: str) -> None:
    """The known words of others; what nobody knows is a failure."""
    assert told(command, "origin", said).kind == kind


@pytest.mark.parametrize("url", ["", "-u/x", "--upload-pack=touch x", "a\nb", "a\0b"])
def test_an_address_that_is_none(near: Memory, url: str) -> None:
    """It never becomes an option of git's."""
    for command in ("fetch", "push"):
        with pytest.raises(MemtoolError, match="no address"):
            attempt(command, near, url)


def test_no_password_is_shown(near: Memory, started: list[int]) -> None:
    """Neither that of an address given nor that of the address which a remote's name stands for."""
    url = f"http://ada:pa@ss@{servers.HOST}:{servers.free_port()}/x.git"
    near.git("remote", "add", "origin", url)
    for name in (url, "origin"):
        error = fails("fetch", near, name, started)
        assert "pa@ss" not in error.message
        assert "ss@" not in error.message
    assert masked("see https://t0ken@x/y and ssh://git@z/") == "see https://…@x/y and ssh://…@z/"


def test_what_git_and_ssh_are_told(near: Memory, started: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """To speak English, for their words are read, and to ask nobody; the rest of ssh's command is the user's."""
    monkeypatch.setenv("LANGUAGE", "de")
    tell = "echo $LANGUAGE, $GIT_TERMINAL_PROMPT, $SSH_ASKPASS_REQUIRE, $* >&2; exit 1"
    monkeypatch.setenv("GIT_SSH_COMMAND", f"f() {{ {tell}; }}; f -4")
    error = fails("fetch", near, "ssh://nowhere.invalid/x.git", started)
    assert error.kind == "remote-failed"
    assert "(en, 0, never, -4 -oBatchMode=yes -oConnectTimeout=10 " in error.message
