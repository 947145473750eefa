"""How a sync ends before its end: in a named state, never in an error that says less."""

from __future__ import annotations

import errno

from memtool.core.config import CONFIG
from memtool.edge.lock import Busy
from memtool.edge.plumbing import GitError
from memtool.edge.remote import RemoteFailure
from memtool.edge.switch import InTheWay
from memtool.errors import MemtoolError
from memtool.model import Finding

_ERRNO = {
    errno.ENOSPC: "disk-full",
    errno.EDQUOT: "disk-full",
    errno.EROFS: "read-only",
    errno.EACCES: "read-only",
    errno.EPERM: "read-only",
}
_WORDS = (
    ("No space left on device", "disk-full"),
    ("Disk quota exceeded", "disk-full"),
    ("Out of diskspace", "disk-full"),
    ("couldn't write", "disk-full"),
    ("Read-only file system", "read-only"),
    ("Permission denied", "read-only"),
    ("insufficient permission", "read-only"),
    (".lock': File exists", "locked"),
    ("a git is at work here", "locked"),
    ("dubious ownership", "not-trusted"),
)
"""What git says in lines of its own; the words of a hook stand beside them."""


class Stop(Exception):  # noqa: N818 (an end, and not always an error)
    """The sync ends here, in the state *name*; *detail* fills its sentence."""

    def __init__(
        self,
        name: str,
        *,
        why: str = "",
        choices: str = "",
        tip: str = "",
        paths: tuple[str, ...] = (),
        findings: tuple[Finding, ...] = (),
    ) -> None:
        super().__init__(name)
        self.name = name
        self.detail = {"why": why, "choices": choices, "tip": tip}
        self.paths = paths
        self.findings = findings


def stop_of(error: MemtoolError) -> Stop:
    """Give the state that an error of an edge means."""
    if isinstance(error, RemoteFailure):
        return Stop("remote-failed" if error.kind in {"moved", "missing"} else error.kind, why=error.reason)
    if isinstance(error, InTheWay):
        return Stop("dirty-elsewhere", paths=error.paths)
    if isinstance(error, Busy):
        return Stop("locked", why=error.message)
    name = _name(error)
    return Stop(name, why=error.message, choices=error.hint if name in {"failed", "bad-config", "not-trusted"} else "")


def _name(error: MemtoolError) -> str:
    """Name the state that the words of an error mean."""
    if error.message.startswith(CONFIG):
        return "bad-config"
    cause = error.__cause__
    if isinstance(cause, OSError) and cause.errno in _ERRNO:
        return _ERRNO[cause.errno]
    by_git = next((one for one in (error, cause) if isinstance(one, GitError)), None)
    said = _own_lines(by_git.stderr) if by_git else error.message
    return next((name for word, name in _WORDS if word in said), "failed")


def _own_lines(stderr: str) -> str:
    return "\n".join(line for line in stderr.splitlines() if line.startswith(("fatal: ", "error: ")))
