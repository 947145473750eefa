"""memtool's own refs: what it saw of a remote, and where a branch stood before a sync."""

from __future__ import annotations

from collections.abc import Mapping

from memtool.edge.plumbing import git
from memtool.model import Record

_TIP = ".tip"
"""Ends a name: a remote may have had ``notes``, then ``notes/main``, and git has no place for both."""


def seen(remote: str, branch: str) -> str:
    """Name the ref of the remote's commit that was last brought in or pushed."""
    return f"refs/memtool/seen/{remote}/{branch}{_TIP}"


def fetched(remote: str, branch: str) -> str:
    """Name the ref that a fetch writes; nothing else moves it."""
    return f"refs/memtool/fetched/{remote}/{branch}{_TIP}"


class Backup(Record):
    """Where a branch stood around the last sync that moved it."""

    start: str = ""
    """Before it."""
    local: str = ""
    """With this machine's own changes committed, before anything came."""
    end: str = ""
    """After it; empty where it was cut off."""
    sent: str = ""
    """What of it the remote took."""


def read(root: str, *names: str) -> dict[str, str]:
    """Map those of *names* that exist to the commits that they name."""
    listed = git(root, "for-each-ref", "--format=%(refname)%00%(objectname)", *names).decode("utf-8", "surrogateescape")
    pairs = (line.partition("\0") for line in listed.splitlines())
    return {name: oid for name, _, oid in pairs if name in names}


def write(root: str, commits: Mapping[str, str]) -> None:
    """Point each ref at its commit, all of them or none; an empty one goes."""
    known = read(root, *commits)
    orders = [
        f"update {name}\0{oid}\0\0" if oid else f"delete {name}\0\0"
        for name, oid in commits.items()
        if known.get(name, "") != oid
    ]
    if orders:
        git(root, "update-ref", "-z", "--stdin", stdin="".join(orders).encode("utf-8", "surrogateescape"))


def keep(root: str, branch: str, backup: Backup) -> None:
    """Keep where *branch* stood."""
    write(root, {_backup(branch, what): oid for what, oid in backup.asdict().items()})


def kept(root: str, branch: str) -> Backup:
    """Give what was kept of *branch*; empty where no sync moved it yet."""
    known = read(root, *(_backup(branch, what) for what in Backup._fields))
    return Backup(*(known.get(_backup(branch, what), "") for what in Backup._fields))


def _backup(branch: str, what: str) -> str:
    return f"refs/memtool/backup/{branch}/{what}"
