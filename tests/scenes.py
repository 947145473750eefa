"""A machine, another one and the remote between them, in the states that a user or a network brings about.

What must survive is taken before and after: a sync may bring and send, and may not lose a byte.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

import pytest
from machines import Machine, Machines
from memory import Memory

from memtool.edge.trees import blob_id
from memtool.jobs.sync.result import Result

T = TypeVar("T")
TOPIC = "---\ndescription: read before {0}\nsource_date: 2026-09-01\n---\n\n# {0}\n"
DONE = {"up-to-date", "pushed", "pulled", "merged"}
SCREEN = 24
"""Lines."""


class Kept(NamedTuple):
    """What a sync may not take away."""

    files: dict[str, bytes]
    staged: str
    heads: str
    stash: str
    hub: str
    objects: frozenset[str]
    """Every object that a branch here, the stash, or the remote leads to."""


class Scene:
    """`here`, where the sync is run; `there`, another machine; `hub`, the bare repo that is ``../hub.git`` to both."""

    def __init__(self, folder: Path, held: ExitStack, patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.setenv = patch.setenv
        self.here = Machine(folder / "first")
        self.there = Machine(folder / "second")
        self.hub = folder / "hub.git"
        self._held = held

    @property
    def remote(self) -> Memory:
        return Memory(self.hub)

    def hold(self, state: AbstractContextManager[T]) -> T:
        """Let *state* last until the test is over."""
        return self._held.enter_context(state)

    def new(self, name: str = "new", *, url: str = "", objects: str = "sha1") -> Machine:
        """Give a machine with an empty repo."""
        made = Machine(self.folder / name)
        made.root.mkdir()
        made.git("init", "-q", "-b", "main", f"--object-format={objects}", "--template=")
        made.git("config", "user.name", name)
        made.git("config", "user.email", f"{name}@example.invalid")
        if url:
            made.git("remote", "add", "origin", url)
        return made

    def comes(self, path: str, text: str | bytes) -> None:
        """Let the other machine write and send a file."""
        self.there.save(path, text)
        sent = self.there.sync()
        assert sent.state in {"pushed", "merged"}, "\n".join(sent.lines())

    def point(self, url: str) -> None:
        self.here.git("remote", "set-url", "origin", url)

    def forget(self) -> None:
        """Let this machine never have seen the remote."""
        for line in self.here.git("for-each-ref", "--format=%(refname)", "refs/memtool", "refs/remotes").splitlines():
            self.here.git("update-ref", "-d", line)

    def kept(self) -> Kept:
        here, root = self.here, self.here.root
        files = {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file() and not {".git", ".memtool"} & set(path.relative_to(root).parts)
        }
        both = [here, *([self.remote] if (self.hub / "HEAD").exists() else [])]
        walk = ("rev-list", "--objects", "--all", "--missing=allow-any", "--no-object-names")
        return Kept(
            files,
            here.git("ls-files", "-s"),
            here.git("for-each-ref", "refs/heads"),
            here.git("stash", "list"),
            both[1].git("for-each-ref") if len(both) > 1 else "",
            frozenset(word for repo in both for word in repo.git(*walk).split()),
        )

    def loses_nothing(self, before: Kept, done: Result) -> None:
        """Prove that all of *before* is there; after a stop, that nothing moved but for a commit of what was here."""
        after = self.kept()
        width = len(done.commit) or 40
        had, has = (kept.objects | _ids(kept.files, width) for kept in (before, after))
        assert had <= has
        assert after.stash == before.stash
        if done.code == 2 or done.state == "refused":
            assert after.hub == before.hub
            assert _plain(after.files) == _plain(before.files)
        if done.code == 2 and after.heads == before.heads:
            assert after.staged == before.staged

    def shell(self, command: str, *, ok: tuple[int, ...] = (0,)) -> str:
        """Run what a person pastes."""
        script = f'memtool() {{ "{sys.executable}" -m memtool "$@"; }}\n{command}'
        done = self.here.call("sh", "-c", script)
        assert done.returncode in ok, f"{command}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr


def commands(done: Result) -> list[str]:
    """List the commands of a next step: all of a line, or what follows its ``: ``."""
    return [line.rpartition(": ")[2] for line in done.next.splitlines()]


Make = Callable[[Scene], "str | None"]


class Row(NamedTuple):
    """A state, and how a sync ends in it."""

    make: Make
    """Brings the state about; what it gives is a command after which the next sync ends well, ``{0}`` the next step."""
    state: str
    code: int
    names: tuple[str, ...]
    """What the screen must name."""

    def holds(self, scene: Scene) -> None:
        """Prove that a sync ends so, on one screen, that nothing is lost, and that the way out is one."""
        way_out = self.make(scene)
        before = scene.kept()
        done = scene.here.sync(timeout=0.5 if self.state == "locked" else 30)
        lines = list(done.lines())
        screen = "\n".join(lines)
        assert (done.state, done.code) == (self.state, self.code), screen
        assert [name for name in self.names if name not in screen] == [], screen
        assert len(lines) <= SCREEN
        assert all(line.isprintable() for line in lines)
        assert "s3cret" not in screen
        assert bool(done.next) == (self.state not in DONE)
        scene.loses_nothing(before, done)
        if way_out:
            scene.shell(way_out.format(*commands(done)))
            after = scene.here.sync()
            assert after.state in DONE, "\n".join(after.lines())


class Table:
    """Rows, in the order in which they are written."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def ends(self, state: str, code: int, *names: str) -> Callable[[Make], Make]:
        """Add a row for the function that this stands above."""

        def add(make: Make) -> Make:
            self.rows.append(Row(make, state, code, names))
            return make

        return add

    def each(self) -> pytest.MarkDecorator:
        return pytest.mark.parametrize("row", self.rows, ids=[row.make.__name__ for row in self.rows])


def _ids(files: dict[str, bytes], width: int) -> set[str]:
    return {blob_id(data, width).decode() for data in _plain(files).values()}


def _plain(files: dict[str, bytes]) -> dict[str, bytes]:
    """Leave out the index, which is made anew."""
    return {path: data for path, data in files.items() if path != "INDEX.md"}


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with two machines that hold the same, and their remote."""
    folder = tmp_path_factory.mktemp("seed")
    machines = Machines(folder)
    machines.clone("second")
    for machine in machines.all:
        machine.git("remote", "set-url", "origin", "../hub.git")
        machine.git("config", "gc.auto", "0")
        machine.ends("up-to-date")
        shutil.rmtree(machine.root / ".git" / "hooks")
    shutil.rmtree(machines.hub / "hooks")
    return folder


@pytest.fixture
def scene(seed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    folder = Path(shutil.copytree(seed, tmp_path / "scene", symlinks=True))
    with ExitStack() as held:
        yield Scene(folder, held, monkeypatch)


@contextmanager
def running(root: Path, *command: str, **env: str) -> Iterator[subprocess.Popen[str]]:
    """Run a program in *root*, in a session of its own, and end it with the test."""
    with subprocess.Popen(
        command, cwd=root, env=os.environ | env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
