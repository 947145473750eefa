"""How a sync ends before its end: in a named state, never in an error that says less."""

from __future__ import annotations

import errno

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
    ("Read-only file system", "read-only"),
    ("Permission denied", "read-only"),
    ("insufficient permission", "read-only"),
    ("index.lock", "locked"),
    (".lock': File exists", "locked"),
)


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
    why = error.message if not error.hint else f"{error.message} ({error.hint.rstrip('.')})"
    if isinstance(error, RemoteFailure):
        return Stop("remote-failed" if error.kind in {"moved", "missing"} else error.kind, why=error.message)
    if isinstance(error, InTheWay):
        return Stop("dirty-elsewhere", paths=error.paths)
    if isinstance(error, Busy):
        return Stop("locked", why=why)
    code = error.__cause__.errno if isinstance(error.__cause__, OSError) else None
    said = error.stderr if isinstance(error, GitError) else error.message
    name = _ERRNO.get(code or 0) or next((name for word, name in _WORDS if word in said), "failed")
    return Stop(name, why=why)
