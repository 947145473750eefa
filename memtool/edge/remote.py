"""Another copy of the repo, over a network: never a prompt, never without an end."""

from __future__ import annotations

import contextlib
import math
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence

from memtool.edge import refusal
from memtool.edge.location import WRITING
from memtool.edge.plumbing import git
from memtool.edge.refusal import RemoteFailure, masked
from memtool.errors import MemtoolError
from memtool.model import Record

__all__ = ["Remote", "RemoteFailure", "absolute", "ask", "clone", "fetch", "masked", "push"]

ASK_SECONDS = 30
CLONE_SECONDS = 1800
_BRANCHES = ("main", "master", "trunk")
_TERM_SECONDS = 5
_LOOK_SECONDS = 0.5
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Remote(Record):
    """What a remote holds."""

    branch: str
    """The one to work on: what its HEAD names, or the likeliest; empty where there is no branch."""
    tips: tuple[str, ...]
    """The commits of all its branches."""
    refs: int
    """How many names it has in all; 0 for an empty remote."""


def absolute(url: str) -> str:
    """Give the address of a folder on this machine as an absolute path; any other address as it is."""
    here = os.path.expanduser(url)
    return os.path.abspath(here) if os.path.isdir(here) else url


def ask(url: str, *, root: str = ".", seconds: float = ASK_SECONDS) -> Remote:
    """Ask the remote at *url*, or the one that the repo at *root* has under that name, for its branches.

    Raises RemoteFailure.
    """
    _refuse_option(url)
    said = _run("ls-remote", "--symref", "--", url, root=root, remote=url, seconds=seconds).decode("utf-8", "replace")
    head, refs = "", {}
    for line in said.splitlines():
        value, _, name = line.partition("\t")
        if value.startswith("ref: ") and name == "HEAD":
            head = value.removeprefix("ref: refs/heads/")
        elif value and name and name != "HEAD":
            refs[name] = value
    branches = {name.removeprefix("refs/heads/"): oid for name, oid in refs.items() if name.startswith("refs/heads/")}
    wanted = [name for name in (head, *_BRANCHES, *(branches if len(branches) == 1 else ())) if name in branches]
    return Remote(wanted[0] if wanted else "", tuple(branches.values()), len(refs))


def clone(url: str, path: str, *, branch: str) -> None:
    """Clone *branch* of *url* into *path*, a folder that is empty or missing; on failure it is so again."""
    existed = os.path.isdir(path)
    try:
        _run("clone", "-q", "--branch", branch, "--", url, path, remote=url, seconds=CLONE_SECONDS)
    except BaseException:  # git clears up behind itself, but not when it had to be killed
        _empty(path)
        if not existed:
            _rmtree(path)
        raise


def fetch(root: str, remote: str, branch: str, *, into: str, seconds: float, extra: Sequence[str] = ()) -> None:
    """Bring *branch* of *remote*, a name or an address, to the ref *into*, whatever stood there.

    A partial clone gets all that is new, for what git fetches when it misses it has no time limit. *extra* are options
    of `git fetch`, such as ``--unshallow``. Raises RemoteFailure; *into* is then as it was.
    """
    _refuse_option(remote)
    _run(
        "fetch", "-q", "--no-tags", "--no-prune", "--no-write-fetch-head", "--no-recurse-submodules",
        "--no-auto-maintenance", "--no-filter", *extra, "--", remote, f"+refs/heads/{branch}:{into}",
        root=root, remote=remote, seconds=seconds,
    )  # fmt: skip


def push(root: str, remote: str, commit: str, branch: str, *, seconds: float) -> None:
    """Move *branch* of *remote* on to *commit*, never back and never aside; the user's pre-push hook runs.

    Raises RemoteFailure. One that is ``timed-out`` or ``offline`` does not tell whether the branch has moved: fetch.
    """
    _refuse_option(remote)
    said = _run(
        "push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no", "--", remote,
        f"{commit}:refs/heads/{branch}", root=root, remote=remote, seconds=seconds,
    )  # fmt: skip
    if not re.search(rb"^[ *=]\t", said, re.MULTILINE):
        raise refusal.failure("remote-failed", remote, "git does not say that the branch was moved")


def _empty(folder: str) -> None:
    """Remove what is in *folder*, not the folder: it may be where the user's shell stands."""
    for entry in os.scandir(folder) if os.path.isdir(folder) else ():
        if entry.is_dir(follow_symlinks=False):
            _rmtree(entry.path)
        else:
            os.unlink(entry.path)


def _rmtree(folder: str) -> None:
    import shutil  # a sync has no use for it, and waits for its import

    shutil.rmtree(folder, ignore_errors=True)


def _refuse_option(url: str) -> None:
    if url.startswith("-") or not url or any(char in url for char in "\0\n\r"):
        raise MemtoolError(f"{url!r} is no address of a git remote")


def _run(command: str, *args: str, remote: str, seconds: float, root: str = ".") -> bytes:
    """Run git in a process group of its own, which is ended whole when its time is over: ssh too."""
    env = os.environ | _quiet(root, seconds) | {WRITING: "1"}
    with (
        _told_to_end() as told,
        subprocess.Popen(
            ["git", "--no-replace-objects", "-C", root, command, *args],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            start_new_session=True,
        ) as process,
    ):
        try:
            out, err = _finish(process, seconds, told)
        except BaseException as error:
            _end(process)
            if isinstance(error, subprocess.TimeoutExpired):
                raise refusal.failure("timed-out", remote, f"no end after {seconds:g} seconds") from None
            raise
    if process.returncode:
        raise _why(command, remote, err + b"\n" + out, root=root)
    return out


@contextlib.contextmanager
def _told_to_end() -> Iterator[list[int]]:
    """Collect the signals by which this process is to end; at once, it would leave git behind in a session of its own.

    In the end they do what they would have done, or raise SystemExit with the exit code that a shell gives.
    """
    told: list[int] = []
    mine = threading.current_thread() is threading.main_thread()
    known = {number: signal.getsignal(number) for number in _ENDING if mine}
    before = {number: handler for number, handler in known.items() if handler not in {None, signal.SIG_IGN}}
    for number in before:
        signal.signal(number, lambda number, _: told.append(number))
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for first in told:
            act = before[signal.Signals(first)]
            if callable(act):
                act(first, None)
            raise SystemExit(128 + first)


def _finish(process: subprocess.Popen[bytes], seconds: float, told: Sequence[int]) -> tuple[bytes, bytes]:
    """Wait for git, but not for what a hook or ssh left in the background with git's output still open."""
    end = time.monotonic() + seconds
    while True:
        if told:
            raise InterruptedError
        ended = process.poll() is not None
        left = _LOOK_SECONDS if ended else max(0, min(_LOOK_SECONDS, end - time.monotonic()))
        try:
            return process.communicate(timeout=left)
        except subprocess.TimeoutExpired as error:
            if ended:  # already before it was read to the end
                return error.output or b"", error.stderr or b""
            if process.poll() is None and time.monotonic() >= end:
                raise


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the whole group, gently first: a git that is killed outright leaves its lock files, and they stop the next.

    All of them hold git's output open, so it is at its end when they are.
    """
    _signal(process, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=_TERM_SECONDS)
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody is left; macOS says the second of the dead
        os.killpg(process.pid, number)


def _why(command: str, remote: str, said: bytes, *, root: str) -> RemoteFailure:
    """Tell why git failed; a folder that is not there, as on a disk that is not plugged in, is out of reach."""
    words = said.decode("utf-8", "replace")
    if "does not appear to be a git repository" in words:
        address = git(root, "ls-remote", "--get-url", "--", remote).decode("utf-8", "surrogateescape").rstrip("\n")
        path = os.path.join(root, os.path.expanduser(address.removeprefix("file://")))
        if ":" not in address.removeprefix("file://").partition("/")[0] and not os.path.exists(path):
            return refusal.failure("offline", remote, "no such folder")
    return refusal.told(command, remote, words)


def _quiet(root: str, seconds: float) -> dict[str, str]:
    """Give the settings by which git and ssh fail where they would ask; a credential helper still answers.

    git's own time limits are for the case that memtool itself is killed, and cannot end git.
    """
    quiet = {
        "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "GCM_INTERACTIVE": "never",
        "SSH_ASKPASS": "false", "SSH_ASKPASS_REQUIRE": "never", "LANGUAGE": "en",
        "GIT_HTTP_LOW_SPEED_LIMIT": "1", "GIT_HTTP_LOW_SPEED_TIME": str(math.ceil(seconds)),
    }  # fmt: skip
    if "GIT_SSH" not in os.environ:
        set_up = git(root, "config", "--get", "core.sshCommand", ok=(0, 1)).decode().strip()
        ssh = os.environ.get("GIT_SSH_COMMAND") or set_up or "ssh"
        quiet["GIT_SSH_COMMAND"] = f"{ssh} -oBatchMode=yes -oConnectTimeout=10 -oServerAliveInterval=15"
    return quiet
