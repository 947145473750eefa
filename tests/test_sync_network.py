"""Sync over a network and its faults, from outside as a process, and the ways out between which a person may choose."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
import servers
from machines import TODAY, Machine
from memory import Memory
from scenes import DONE, TOPIC, Scene, commands, running
from scenes import scene as scene  # noqa: PLC0414 (fixtures)
from scenes import seed as seed  # noqa: PLC0414
from servers import Shell, Web

from memtool.errors import MemtoolError
from memtool.jobs.sync.undo import undo

SECONDS = 60.0
"""Long enough for a process to end, on any machine."""
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with servers.web(tmp_path_factory.mktemp("web")) as server:
        yield server


@pytest.fixture(scope="module")
def ssh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with servers.ssh(tmp_path_factory.mktemp("ssh")) as server:
        yield server


def served(scene: Scene, web: Web) -> str:
    """Put the remote where the web server finds it; give its name there."""
    name = f"{scene.folder.parent.name}.git"
    scene.hub = Path(shutil.copytree(scene.hub, web.folder / name))
    scene.remote.git("config", "http.receivepack", "true")
    return name


def stops(scene: Scene, url: str, state: str, *names: str, timeout: float = 30) -> None:
    """Sync with what is new here; prove how that ends, and that all is there, committed here."""
    scene.point(url)
    scene.here.write("topics/new.md", TOPIC.format(next(NUMBERS)))
    before = scene.kept()
    done = scene.here.sync(timeout=timeout)
    screen = "\n".join(done.lines())
    assert (done.state, done.code) == (state, 2), screen
    assert [name for name in names if name not in screen] == [], screen
    assert "s3cret" not in screen + json.dumps(done.asdict())
    assert scene.here.git("status", "--porcelain") == ""
    scene.loses_nothing(before, done)


def recovers(scene: Scene) -> None:
    """The next sync, with the remote there again, sends what waited."""
    scene.point("../hub.git")
    assert scene.here.sync().state in DONE


# --- who one is -------------------------------------------------------------------------------------------------------


def test_http(scene: Scene, web: Web) -> None:
    """Without and with a password; a wrong one, none, and one that lets only read are told, and shown nowhere."""
    name = served(scene, web)
    stops(scene, web.closed(name), "auth-needed", "git fetch origin", "never asks")
    stops(scene, web.closed(name, login="ada:s3cret-not"), "auth-needed")
    scene.remote.git("config", "http.receivepack", "false")
    stops(scene, web.open(name), "protected", "403")
    scene.remote.git("config", "http.receivepack", "true")
    scene.point(web.closed(name, login=f"{servers.USER}:{servers.PASSWORD}"))
    scene.here.ends("pushed")
    scene.point(web.open(name))
    scene.here.ends("up-to-date")


def test_ssh(scene: Scene, ssh: Shell) -> None:
    """The wrong key, a host that is not known and one that has changed are told; the right key works."""
    scene.here.git("config", "core.sshCommand", ssh.command)
    stops(scene, ssh.url(scene.hub, host="wrong-key"), "auth-needed", "Permission denied")
    stops(scene, ssh.url(scene.hub, host="unknown-host"), "auth-needed", "host key is known")
    stops(scene, ssh.url(scene.hub, host="changed-host"), "auth-needed", "has changed")
    scene.point(ssh.url(scene.hub))
    scene.here.ends("pushed")


# --- what a network does ----------------------------------------------------------------------------------------------


def test_nobody_answers(scene: Scene) -> None:
    """A port where nobody listens, a name that nobody knows: offline, with no password shown, whatever the language."""
    scene.setenv("LC_ALL", "de_DE.UTF-8")
    scene.setenv("LANGUAGE", "de")
    login = "ada:s3cret@"
    stops(scene, f"http://{login}{servers.HOST}:{servers.free_port()}/x.git", "offline", "again later")
    stops(scene, f"ssh://{servers.HOST}:{servers.free_port()}/x.git", "offline")
    stops(scene, f"http://{login}nowhere.invalid/x.git", "offline", "nowhere.invalid")
    recovers(scene)


@pytest.mark.parametrize(
    ("code", "state"),
    [(401, "auth-needed"), (403, "auth-needed"), *((code, "remote-failed") for code in (404, 500, 503))],
)
def test_a_web_server_says_no(scene: Scene, code: int, state: str) -> None:
    """Each code ends in its state, with no password shown."""
    with servers.status(code) as port:
        stops(scene, f"http://ada:s3cret@{servers.HOST}:{port}/x.git", state)
    recovers(scene)


def test_a_line_that_breaks(scene: Scene, web: Web) -> None:
    """The remote closes in the middle of what it says, at several places: offline, and the next sync gets it all."""
    name = served(scene, web)
    scene.there.git("remote", "set-url", "origin", str(scene.hub))
    scene.comes("topics/big.md", TOPIC.format("big") + os.urandom(100_000).hex())
    for after in (0, 500, 800, 20_000):
        with servers.cut(web.port, after=after) as port:
            stops(scene, web.open(name, port=port), "offline")
    scene.point(web.open(name))
    assert scene.here.ends("merged").came[0].path == "topics/big.md"


def test_a_remote_that_hangs(scene: Scene, web: Web) -> None:
    """At once, and in the middle of what it says: ended at the limit, and told."""
    with servers.answering(b"", then_hang=True) as port:
        stops(scene, f"git://{servers.HOST}:{port}/x.git", "timed-out", "--timeout SECONDS", timeout=0.5)
    name = served(scene, web)
    with servers.cut(web.port, after=300, then_hang=True) as port:
        stops(scene, web.open(name, port=port), "timed-out", timeout=0.5)
    scene.point(web.open(name))
    scene.here.ends("pushed")


def test_a_partial_clone_asks_once(scene: Scene) -> None:
    """What comes is fetched within the limit and whole: git never goes back to the remote for what it misses."""
    scene.comes("topics/theirs.md", TOPIC.format("theirs"))
    scene.remote.git("config", "uploadpack.allowFilter", "true")
    Memory(scene.folder).git("clone", "-q", "--filter=blob:none", f"file://{scene.hub}", "third")
    scene.comes("topics/theirs.md", TOPIC.format("theirs, later"))
    scene.here = Machine(scene.folder / "third")
    log = scene.folder / "asked"
    scene.here.git("config", "remote.origin.uploadpack", f"echo asked >>'{log}'; git-upload-pack")
    scene.here.write("topics/theirs.md", TOPIC.format("theirs") + "\nmine\n")
    assert scene.here.sync(push=False).state in {"merged", "conflict-kept"}
    assert log.read_text() == "asked\n"


# --- from outside -----------------------------------------------------------------------------------------------------


def silent(reached: threading.Event) -> AbstractContextManager[int]:
    """Listen, and never answer; *reached* tells that somebody has come."""

    def serve(connection: socket.socket) -> None:
        reached.set()
        while connection.recv(65536):
            pass

    return servers.listening(serve)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_told_to_end(scene: Scene, number: signal.Signals, code: int) -> None:
    """A sync that waits for the remote ends with git and all; what was here stays, and nothing is left behind."""
    reached = threading.Event()
    scene.here.write("topics/new.md", TOPIC.format("new"))
    before = scene.kept()
    port = scene.hold(silent(reached))
    scene.point(f"git://{servers.HOST}:{port}/x.git")
    memtool = scene.hold(running(scene.here.root, sys.executable, "-m", "memtool", "sync"))
    assert reached.wait(SECONDS)
    children = Path(f"/proc/{memtool.pid}/task/{memtool.pid}/children")
    git = [int(pid) for pid in children.read_text().split()] if children.exists() else []
    os.kill(memtool.pid, number)
    said = memtool.communicate(timeout=SECONDS)[1]
    assert (memtool.returncode, "Traceback" in said) == (code, False), said
    assert [servers.alive(pid) for pid in (memtool.pid, *git)] == [[]] * (1 + len(git))
    assert list((scene.here.root / ".git").rglob("*.lock")) == []
    recovers(scene)
    assert _ours(before.files) <= _ours(scene.kept().files)


def _ours(files: dict[str, bytes]) -> set[tuple[str, bytes]]:
    return {(path, data) for path, data in files.items() if path != "INDEX.md"}


def test_the_limit_of_the_command(scene: Scene) -> None:
    """``--timeout 2`` ends a sync whose remote hangs, in JSON as in text, and no process is left."""
    scene.here.write("topics/new.md", TOPIC.format("new"))
    with servers.answering(b"", then_hang=True) as port:
        scene.point(f"git://{servers.HOST}:{port}/x.git")
        command = (sys.executable, "-m", "memtool", "sync", "--timeout", "2", "--quiet", "--format", "json")
        memtool = scene.hold(running(scene.here.root, *command))
        said, errors = memtool.communicate(timeout=SECONDS)
    assert (memtool.returncode, json.loads(said)["state"], errors) == (2, "timed-out", "")
    assert servers.alive(memtool.pid) == []


def test_quiet_says_what_a_person_should_see(scene: Scene) -> None:
    """With --quiet, an end with exit code 2 is shown whole."""
    scene.point("../nowhere.git")
    assert scene.here.run("sync", "--quiet", ok=(2,)).stdout.startswith("offline: origin/main was not reached")


@pytest.mark.parametrize("state", ["offline", "no-remote", "remote-rewritten", "bad-config", "first-push"])
def test_a_dry_run_in_odd_states(scene: Scene, state: str) -> None:
    """It ends in the same state, says that it was dry, and writes nothing: no commit, no branch, no file."""
    scene.here.write("topics/new.md", TOPIC.format("new"))
    if state == "offline":
        scene.point("../nowhere.git")
    elif state == "no-remote":
        scene.here.git("remote", "remove", "origin")
    elif state == "remote-rewritten":
        scene.remote.git("update-ref", "-d", "refs/heads/main")
    elif state == "bad-config":
        scene.here.write("memtool.yaml", "format: [\n")
    else:
        servers.bare(scene.folder / "empty.git")
        scene.here = scene.new(url="../empty.git")
        scene.here.write("topics/new.md", TOPIC.format("new"))
    before = scene.kept()
    done = scene.here.ends("pushed" if state == "first-push" else state, dry_run=True)
    after = scene.kept()
    assert after._replace(objects=before.objects) == before
    assert next(done.lines()).startswith("dry run, nothing was changed")


def test_called_by_a_hook_of_another_repo(scene: Scene) -> None:
    """A hook of another repo runs sync, with that repo's GIT_DIR and GIT_INDEX_FILE around: each commits its own."""
    other = Memory.make(scene.folder / "other", hooks=False)
    other.write("x.txt", "1")
    other.git("add", "-A")
    servers.hook(other.root / ".git", "pre-commit", f'cd "{scene.here.root}" && "{sys.executable}" -m memtool sync')
    scene.here.write("topics/new.md", TOPIC.format("new"))
    other.git("commit", "-qam", "one file")
    assert other.git("show", "--format=", "--name-only", "HEAD") == "x.txt\n"
    assert "topics/new.md" in scene.remote.git("ls-tree", "-r", "--name-only", "main")
    assert (scene.here.git("status", "--porcelain"), other.git("status", "--porcelain")) == ("", "")


def test_a_repo_of_another_owner(scene: Scene) -> None:
    """git does not trust it: that is said, with git's own way out, which works; nothing was done."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    scene.here.write("topics/new.md", TOPIC.format("new"))
    for place in (scene.here.root, *scene.here.root.rglob("*")):
        os.chown(place, 12345, 12345, follow_symlinks=False)
    done = scene.here.sync()
    assert (done.state, done.code) == ("not-trusted", 2)
    said = scene.here.run("sync", ok=(2,))
    assert said.stdout.startswith("not-trusted: ")
    scene.setenv("GIT_CONFIG_GLOBAL", str(scene.folder / "gitconfig"))
    scene.shell(commands(done)[0])
    scene.here.ends("pushed")


def test_a_bare_repo(scene: Scene) -> None:
    """A bare repo has no files to sync, and the way out is told."""
    done = Memory(scene.hub).run("-C", ".", "sync", ok=(2,))
    assert "bare repository" in done.stderr
    assert "clone" in done.stderr


def test_non_utf8_names_in_json(scene: Scene) -> None:
    """The JSON answer can be written and read whatever a file is called."""
    scene.here.write("topics/\udcff\n.md", TOPIC.format("odd"))
    said = json.loads(scene.here.run("sync", "--format", "json", ok=(0,)).stdout)
    assert [one["path"] for one in said["went"]] == ["topics/\udcff\n.md"]


def test_what_comes_cannot_steer_a_terminal(scene: Scene) -> None:
    """The diff of a resident file is shown without its control characters."""
    scene.comes("resident/rules.md", "# Rules\n\n- one\n- \x1b]0;owned\x07 two\n")
    screen = "\n".join(scene.here.ends("pulled").lines())
    assert "\x1b" not in screen
    assert "\\x1b]0;owned" in screen


def test_a_refused_undo(scene: Scene) -> None:
    """Where HEAD is on no branch, or the sync made the first commit, undo says so and changes nothing."""
    scene.here.git("switch", "-q", "--detach")
    with pytest.raises(MemtoolError, match="no sync of this branch"):
        undo(str(scene.here.root), agent="first", today=TODAY)
    scene.here = scene.new(url="../hub.git")
    scene.here.ends("pulled", push=False)
    before = scene.kept()
    with pytest.raises(MemtoolError, match="nothing to go back to"):
        undo(str(scene.here.root), agent="new", today=TODAY)
    assert scene.kept() == before
