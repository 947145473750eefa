"""Another copy of the repo, over a network: never a prompt, never without an end."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess

from memtool.edge.plumbing import git
from memtool.errors import MemtoolError
from memtool.model import Record

ASK_SECONDS = 30
CLONE_SECONDS = 1800
_BRANCHES = ("main", "master", "trunk")


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


def masked(url: str) -> str:
    """Hide the password, or token, in *url*."""
    return re.sub(r"(?<=://)[^/@]*@", "…@", url)


def ask(url: str) -> Remote:
    """Ask the remote at *url* for its branches; raises MemtoolError when it cannot be reached."""
    _refuse_option(url)
    said = _run("ls-remote", "--symref", "--", url, url=url, seconds=ASK_SECONDS).decode("utf-8", "replace")
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
        _run("clone", "-q", "--branch", branch, "--", url, path, url=url, seconds=CLONE_SECONDS)
    except BaseException:  # git clears up behind itself, but not when it had to be killed
        _empty(path)
        if not existed:
            shutil.rmtree(path, ignore_errors=True)
        raise


def _empty(folder: str) -> None:
    """Remove what is in *folder*, not the folder: it may be where the user's shell stands."""
    for entry in os.scandir(folder) if os.path.isdir(folder) else ():
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            os.unlink(entry.path)


def _refuse_option(url: str) -> None:
    if url.startswith("-") or not url or any(char in url for char in "\0\n\r"):
        raise MemtoolError(f"{url!r} is no address of a git remote")


def _run(*args: str, url: str, seconds: int) -> bytes:
    """Run git in a process group of its own, which is ended whole when its time is over: ssh too."""
    with subprocess.Popen(
        ["git", *args],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | _quiet(),
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=seconds)
        except BaseException as error:
            _end(process)
            if isinstance(error, subprocess.TimeoutExpired):
                raise MemtoolError(f"{masked(url)}: no answer in {seconds} seconds") from None
            raise
    if process.returncode:
        raise MemtoolError(f"{masked(url)}: {_reason(err.decode('utf-8', 'replace'), url)}", hint=_HINT)
    return out


def _end(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


_ASKED = ("terminal prompts disabled", "Permission denied (", "Authentication failed")
_HINT = "Nothing was changed. Try the address with `git ls-remote`, which may ask for a password; memtool never does."


def _reason(stderr: str, url: str) -> str:
    """Say in one line why the remote was not reached, as git says it."""
    lines = [line.removeprefix("fatal: ").removeprefix("error: ").strip() for line in stderr.splitlines()]
    lines = [line.replace(url, masked(url)) for line in lines if line]
    if any(word in line for word in _ASKED for line in lines):
        return f"authentication is needed ({lines[0]})"
    return f"not reached ({lines[0]})" if lines else "not reached"


def _quiet() -> dict[str, str]:
    """Give the settings by which git and ssh fail where they would ask; a credential helper still answers."""
    quiet = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "false", "SSH_ASKPASS": "false", "SSH_ASKPASS_REQUIRE": "never"}
    if "GIT_SSH" not in os.environ:
        set_up = git(".", "config", "--get", "core.sshCommand", ok=(0, 1)).decode().strip()
        ssh = os.environ.get("GIT_SSH_COMMAND") or set_up or "ssh"
        quiet["GIT_SSH_COMMAND"] = f"{ssh} -oBatchMode=yes -oConnectTimeout=10"
    return quiet
