"""A sync that is killed anywhere loses nothing, and the next one finishes it with no repair by hand."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import pytest
from memory import GOOD, Memory

from memtool import MemoryRepo
from memtool.jobs.sync import undo
from memtool.jobs.sync.course import Options
from memtool.jobs.sync.run import sync

DAY = "2026-11-30"
DONE = {"up-to-date", "pushed", "pulled", "merged", "conflict-kept"}
SLOW = bool(os.environ.get("MEMTOOL_SLOW"))
WRITES = re.compile(r" (add|checkout-index|commit|fast-import|fetch|push|reset|update-index|update-ref) ")
"""The commands of git that write."""
TRACED = ("write", "rename", "link", "unlink", "fsync", "mkdir", "rmdir")
"""The system calls at which a git is killed in their midst."""
CALLS = ("replace", "write", "fsync", "unlink", "symlink", "chmod", "mkdir", "rmdir")
"""The functions of `os` at which memtool itself is."""
SCENARIOS = ("first", "local", "forward", "onward", "merge", "back", "revert")

RUN = r"""
import json, os, signal, stat, subprocess, sys
from memtool.errors import MemtoolError
from memtool.jobs.sync import undo
from memtool.jobs.sync.course import Options
from memtool.jobs.sync.run import sync

order = json.loads(os.environ.pop("ORDER"))
log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC)
say = os.write
calls = [0]

def due(text):
    calls[0] += 1
    say(log, (text + "\n").encode("utf-8", "replace"))
    return calls[0] == order["at"]

def at_each_call(name):
    real = getattr(os, name)
    def call(*args, **named):
        if (name != "write" or stat.S_ISREG(os.fstat(args[0]).st_mode)) and due(f"{name} {args[0]!a}"):
            if order["error"]:
                raise OSError(order["error"], os.strerror(order["error"]))
            os.kill(0 if order["group"] else os.getpid(), signal.SIGKILL)
        return real(*args, **named)
    setattr(os, name, call)

def at_each_git():
    spawn, start = os.posix_spawnp, subprocess.Popen
    def program(argv):
        return order["shim"] if due(" ".join(argv[1:])) or order["at"] < 0 else argv[0]
    def posix_spawnp(_, argv, env, **named):
        return spawn(program(argv), argv, env | {"CALL": str(calls[0])}, **named)
    def popen(argv, env, **named):
        return start([program(argv), *argv[1:]], env=env | {"CALL": str(calls[0])}, **named)
    os.posix_spawnp, subprocess.Popen = posix_spawnp, popen

if order["call"] == "git":
    at_each_git()
else:
    for name in order["names"]:
        at_each_call(name)
if order["undo"]:
    try:
        undo.undo(order["root"], agent="lap", today=order["day"])
    except MemtoolError as error:
        print(json.dumps(["failed", error.message]))
        sys.exit(2)
    sys.exit(0)
result = sync(order["root"], Options("lap", order["day"]))
print(json.dumps([result.state, result.message]))
sys.exit(result.code)
"""
"""A sync, or an undo, whose n-th call of one kind is its last, or fails; it logs those calls."""

SHIM = r"""#!/bin/sh
end() {
    if [ "$GROUP" ]; then kill -9 "-$PPID"; kill -9 0; fi
    kill -9 "$PPID"
}
case $MOMENT in
before) end; exec git "$@" ;;
after) git "$@"; code=$?; end; exit $code ;;
esac
strace $MOMENT -o "$TRACE/$CALL" -e trace="$TRACED" ${INJECT:+-e inject="$INJECT"} git "$@"
code=$?
if [ "$FATAL" ] && grep -q 'killed by' "$TRACE/$CALL"; then end; fi
exit $code
"""
"""Takes the place of one git: memtool ends before or after it, or a system call of that git is its last, or fails."""


class Ended(NamedTuple):
    """How a run ended."""

    code: int
    said: str
    errors: str


class Point(NamedTuple):
    """One moment at which a run is killed, or something in it fails."""

    call: str
    """``git``, or ``own`` for a call of memtool's own that changes the disk."""
    at: int
    """Which of those calls it is, from 1."""
    moment: str
    """For a git: ``before`` or ``after`` it; else the options of strace."""
    inject: str = ""
    """What strace does to that git."""
    group: bool = True
    """memtool dies together with the gits that it started, else alone."""
    fatal: bool = True
    """memtool dies at all."""
    error: int = 0
    """With this error a function of `os` fails, and nobody dies."""


class World:
    """Two machines and the remote between them; `again` brings all back to where they were at first."""

    def __init__(self, folder: Path, scenario: str) -> None:
        self.folder = folder
        self.scenario = scenario
        self.now = folder / "now"
        self.hub, self.lap, self.desk = (Memory(self.now / name) for name in ("hub.git", "lap", "desk"))
        self.shim = folder / "git"
        self.shim.write_text(SHIM)
        self.shim.chmod(0o755)
        self.refs: list[str] = []
        self.traces = folder / "traces"
        self._make()
        getattr(self, f"_{scenario}")()
        self.dirt = self.status()
        shutil.copytree(self.now, folder / "first", symlinks=True)
        self.ends = {self.end() for _ in self._ways()}

    # --- what there is ---

    def _make(self) -> None:
        self.now.mkdir()
        Memory(self.now).git("init", "-q", "--bare", "-b", "main", "hub.git")
        lap = Memory.make(self.lap.root, hooks=False)
        lap.write("memtool.yaml", "format: 1\n")
        lap.write(".gitignore", "/.memtool/\n")
        lap.write(".gitattributes", "*.md -text\n")
        lap.write("resident/rules.md", "# Rules\n\n- one\n")
        lap.write("topics/git.md", GOOD + "\n## Pipes\n\nThey swallow.\n")
        lap.write("topics/old.md", GOOD.replace("git work", "old work"))
        lap.write("topics/deep/in.md", GOOD.replace("git work", "deep work"))
        lap.write("tools/run.sh", "#!/bin/sh\n" + "".join(f"# {number}\n" for number in range(20)))
        lap.write("tools/mine.txt", "mine\n")
        lap.write("tools/gone.txt", "gone\n")
        lap.write("stuff/inner.txt", "inner\n")
        lap.git("add", "-A")
        lap.git("commit", "-qm", "start")
        lap.git("config", "memtool.agent", "lap")
        lap.git("remote", "add", "origin", str(self.hub.root))
        self._remember(lap, "lap zero")

    def _met(self) -> None:
        """Let both machines and the remote hold the same."""
        self.sync(self.lap)
        Memory(self.now).git("clone", "-q", str(self.hub.root), "desk")
        for name, value in (("user.name", "Ada"), ("user.email", "a@b.invalid"), ("memtool.agent", "desk")):
            self.desk.git("config", name, value)
        self.sync(self.desk)

    def _first(self) -> None:
        """An empty remote."""
        self._remember(self.lap, "lap one")

    def _local(self) -> None:
        """Only this machine has changed something."""
        self._met()
        self._remember(self.lap, "lap one")
        self.lap.write("topics/git.md", GOOD + "\n## Pipes\n\nThey swallow exit codes.\n")
        self.lap.write("topics/new.md", GOOD.replace("git work", "new work"))
        (self.lap.root / "topics/old.md").unlink()

    def _forward(self) -> None:
        """Only the other has, every kind of file; here stands work of the user's that is no memory."""
        self._met()
        self._remember(self.desk, "desk one")
        desk = self.desk
        desk.write("topics/new.md", GOOD.replace("git work", "new work"))
        desk.write("resident/rules.md", "# Rules\n\n- one\n- two\n")
        desk.write("tools/new.sh", "#!/bin/sh\necho new\n").chmod(0o755)
        desk.write("tools/run.sh", "#!/bin/sh\necho run\n").chmod(0o755)
        (desk.root / "newest").symlink_to("tools/new.sh")
        for path in ("topics/old.md", "tools/gone.txt", "stuff/inner.txt", "topics/deep/in.md"):
            (desk.root / path).unlink()
        (desk.root / "stuff").rmdir()
        (desk.root / "topics/deep").rmdir()
        desk.write("stuff", "now a file\n")
        desk.git("add", "-A")
        desk.git("commit", "-qm", "all kinds")
        self.sync(desk)
        self.lap.write("tools/mine.txt", "staged\n")
        self.lap.git("add", "tools/mine.txt")
        self.lap.write("tools/mine.txt", "and changed again\n")
        self.lap.write("tools/todo.txt", "todo\n")

    def _onward(self) -> None:
        """The same, and it changes it all again before the next sync."""
        self._forward()

    def _later(self) -> None:
        desk = self.desk
        desk.write("topics/new.md", GOOD.replace("git work", "newer work"))
        desk.write("tools/run.sh", "#!/bin/sh\necho run again\n").chmod(0o644)
        desk.write("tools/gone.txt", "it came back\n")
        (desk.root / "newest").unlink()
        (desk.root / "newest").symlink_to("tools/run.sh")
        (desk.root / "tools/new.sh").unlink()
        (desk.root / "stuff").unlink()
        desk.write("stuff/inner.txt", "a folder once more\n")
        desk.git("add", "-A")
        desk.git("commit", "-qm", "all kinds again")
        self.sync(desk)

    def _merge(self) -> None:
        """Both have, the same section too, and one script in two places."""
        self._met()
        for memory, word, line in ((self.desk, "always", 0), (self.lap, "never", 19)):
            self._remember(memory, f"{memory.root.name} one")
            memory.write("topics/git.md", GOOD + f"\n## Pipes\n\nThey {word} swallow.\n")
            memory.write(f"topics/{word}.md", GOOD.replace("git work", f"{word} work"))
            script = (memory.root / "tools/run.sh").read_text()
            memory.write("tools/run.sh", script.replace(f"# {line}\n", f"# {word}\n"))
            memory.git("commit", "-qm", "script", "tools/run.sh")
        (self.desk.root / "tools/gone.txt").unlink()
        self.desk.git("commit", "-qam", "gone")
        self.sync(self.desk)

    def _back(self) -> None:
        """A sync has merged, and sent nothing: it can be taken back."""
        self._merge()
        sync(str(self.lap.root), Options("lap", DAY, push=False))

    def _revert(self) -> None:
        """A sync has merged and sent it: it can be reverted."""
        self._merge()
        self.sync(self.lap)

    def _remember(self, memory: Memory, text: str) -> None:
        self.refs.append(MemoryRepo.open(str(memory.root)).remember(text, date=DAY).ref)

    # --- what is done with it ---

    def again(self) -> None:
        shutil.rmtree(self.now)
        shutil.copytree(self.folder / "first", self.now, symlinks=True)

    def sync(self, memory: Memory) -> str:
        result = sync(str(memory.root), Options(memory.root.name, DAY))
        assert result.state in DONE, f"{result.state}: {result.message} {result.next}"
        return result.state

    def _ways(self) -> Iterator[None]:
        """Go the ways that are right: with and, where it is what is tried, without the undo."""
        for undoes in (False, True) if self.undoes else (False,):
            self.again()
            if undoes:
                undo.undo(str(self.lap.root), agent="lap", today=DAY)
            if self.scenario == "onward":
                self._later()
            yield

    @property
    def undoes(self) -> bool:
        return self.scenario in {"back", "revert"}

    def end(self) -> str:
        """Let every machine sync once, and give the tree in which all of them end."""
        memories = [memory for memory in (self.lap, self.desk) if memory.root.exists()]
        for memory in memories:
            self.sync(memory)
        tips = {memory.git("rev-parse", "HEAD") for memory in memories} | {self.hub.git("rev-parse", "main")}
        assert len(tips) == 1, tips
        return self.hub.git("rev-parse", "main^{tree}")

    def status(self) -> str:
        found = self.lap.git("status", "--porcelain", "-uall") + self.lap.git("diff", "--cached")
        return found + self.lap.git("diff", "--", "tools/mine.txt")

    def run(self, point: Point) -> Ended:
        """Bring all back, then run the sync, or the undo, up to *point*."""
        self.again()
        return self.begin(point)

    def begin(self, point: Point) -> Ended:
        """Run the sync, or the undo, in a process group of its own, up to *point*."""
        order = {
            "call": point.call, "names": CALLS, "at": point.at, "group": point.group, "error": point.error,
            "shim": str(self.shim), "log": str(self.log), "root": str(self.lap.root), "undo": self.undoes, "day": DAY,
        }  # fmt: skip
        env = {
            "ORDER": json.dumps(order), "TRACE": str(self.traces), "MOMENT": point.moment, "INJECT": point.inject,
            "TRACED": point.inject.partition(":")[0] or ",".join(TRACED), "GROUP": "1" if point.group else "",
            "FATAL": "1" if point.fatal else "",
        }  # fmt: skip
        shutil.rmtree(self.traces, ignore_errors=True)
        self.traces.mkdir()
        with (self.folder / "said").open("w+") as said, (self.folder / "errors").open("w+") as errors:
            code = subprocess.run(
                [sys.executable, "-c", RUN], env=os.environ | env, stdin=subprocess.DEVNULL, stdout=said, stderr=errors,
                start_new_session=True, check=False, timeout=120,
            ).returncode  # fmt: skip
            said.seek(0)
            errors.seek(0)
            return Ended(code, said.read(), errors.read())

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def calls(self, call: str, *, traced: bool = False) -> list[str]:
        """List the calls of one kind that a run makes which nothing befalls."""
        self.run(Point(call, -1 if traced else 0, "-f"))
        return self.log.read_text().splitlines()

    def gits(self) -> Iterator[Point]:
        """Yield the moments before and after each git; of those that only read one is enough."""
        for at, git in enumerate(self.calls("git"), 1):
            yield Point("git", at, "before")
            if WRITES.search(f" {git} "):
                yield from (Point("git", at, moment, group=False) for moment in ("before", "after"))
                yield Point("git", at, "after")

    def own(self, *, error: int = 0) -> Iterator[Point]:
        """Yield memtool's own calls that change something on the disk."""
        yield from (Point("own", at, "", error=error) for at in range(1, len(self.calls("own")) + 1))

    def inside(self, how: str, *, fatal: bool, traced: Sequence[str] = TRACED) -> Iterator[Point]:
        """Yield the system calls of each git that writes; strace does *how* to each."""
        gits = self.calls("git", traced=True)
        traces = {
            at: (self.traces / str(at)).read_text() for at, git in enumerate(gits, 1) if WRITES.search(f" {git} ")
        }
        for at, trace in traces.items():
            # what a push starts runs for the remote, whose own locks are the remote's to clear
            options = "-q" if " push " in gits[at - 1] else "-f"
            for call in traced:
                most = self._most(trace, call, every=options == "-f")
                yield from (
                    Point("git", at, options, f"{call}:{how}:when={number}", fatal=fatal)
                    for number in range(1, most + 1)
                )

    def _most(self, trace: str, call: str, *, every: bool) -> int:
        """Count how often a process in a trace makes a system call: the one that makes it most, or the first of all."""
        first = min(re.findall(r"^\d+", trace, re.MULTILINE), key=int)
        counted = Counter(re.findall(rf"^(\d+) +{call}\(", trace, re.MULTILINE))
        return max(counted.values(), default=0) if every else counted[first]

    # --- what has to hold afterwards ---

    def check(self) -> None:
        """Hold all promises against what a run left, and then the next one."""
        self.readable()
        self.sound(self.lap)
        if self.scenario == "onward":
            self._later()
        self.sync(self.lap)
        assert self.status() == (self.dirt if self.scenario in {"forward", "onward"} else ""), self.status()
        self.readable()
        assert self.end() in self.ends
        self.sound(self.hub)
        self.clean()

    def readable(self) -> None:
        """Every entry that was reported can be read."""
        mine = [ref for ref in self.refs if "notes/lap/" in ref]
        repo = MemoryRepo.open(str(self.lap.root))
        assert [repo.show(ref).ref for ref in mine] == mine

    def sound(self, memory: Memory) -> None:
        """Nothing is missing from the store of objects, nothing in it is damaged."""
        said = memory.call("git", "fsck", "--full", "--no-dangling")
        assert not said.returncode, said.stderr + said.stdout
        assert not re.search("missing|corrupt|error|invalid", said.stdout + said.stderr), said.stdout + said.stderr

    def clean(self) -> None:
        """No marker, no half-written file and nothing unknown is in what all hold; nothing lies about."""
        names = self.hub.git("ls-tree", "-r", "--name-only", "main").splitlines()
        assert not [name for name in names if re.search(r"\.tmp$|\.merge_file|\.lock$|~", name)]
        assert not self.hub.call("git", "grep", "-lE", "^(<<<<<<<|>>>>>>>) ", "main", "--", "*.md").stdout
        lost = [path for path in self.lap.root.rglob("*") if re.search(r"\.tmp$|merge_file|\.lock$", path.name)]
        assert not [path for path in lost if not re.search(r"/(\.git/|\.)memtool/", str(path))], lost


T = TypeVar("T")
has_strace = (
    shutil.which("strace")
    and not subprocess.run(["strace", "-o", os.devnull, "true"], check=False, capture_output=True).returncode
)


def some(points: Sequence[T], most: int, *, first: int = 0) -> Sequence[T]:
    """Give *most* of the points, evenly; all in the slow profile."""
    return points if SLOW else points[first % len(points) :: -(-len(points) // most)]


@pytest.mark.parametrize("scenario", SCENARIOS if SLOW else ("merge",))
def test_killed_anywhere_nothing_is_lost_and_the_next_sync_finishes_it(tmp_path: Path, scenario: str) -> None:
    """Before and after each git, at each call that writes, in the midst of each git: the next sync ends all well.

    No object is missing, each entry that was reported can be read, the user's own work stands as it did, and after one
    round all machines and the remote hold what they would without the kill. In the slow profile at all points.
    """
    world = World(tmp_path, scenario)
    points = [*some([*world.gits()], 2, first=5), *some([*world.own()], 1, first=7)]
    if has_strace:
        inside = [*world.inside("signal=KILL", fatal=True)]
        points += [*some(inside, 2, first=9), *some([point._replace(fatal=False) for point in inside], 1, first=11)]
    failed, killed = [], 0
    for point in points:
        ended = world.run(point)
        assert "Traceback" not in ended.errors, f"{point}: {ended.errors}"
        killed += ended.code < 0
        try:
            world.check()
        except AssertionError as error:
            failed.append(f"{point}: {error}")
    assert not failed, "\n".join((f"{len(failed)} of {len(points)}", *failed))
    assert killed, "nothing was killed"
    if not has_strace:
        pytest.skip("all held but what needs strace, which is not here or may not trace: gits killed in their midst")
