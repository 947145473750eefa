"""The line to the other machines: which branch here, which remote, which branch there."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from memtool.edge import refs
from memtool.edge.plumbing import git
from memtool.edge.remote import masked
from memtool.edge.repository import branch_of
from memtool.jobs.sync.stop import Stop
from memtool.model import Record

_ASKED = r"^(memtool\.remote|branch\..*\.(remote|merge)|remote\..*\.(url|pushurl))$"


class Line(Record):
    """Where a sync goes."""

    branch: str
    """The branch here."""
    remote: str = ""
    """The remote's name; empty where there is none."""
    theirs: str = ""
    """The branch at the remote."""
    pushes_elsewhere: bool = False
    """The remote has a push URL of its own."""

    @property
    def name(self) -> str:
        """Give the line as git shows it: ``origin/main``."""
        return f"{self.remote}/{self.theirs}"

    @property
    def seen(self) -> str:
        return refs.seen(self.remote, self.theirs)

    @property
    def fetched(self) -> str:
        return refs.fetched(self.remote, self.theirs)


def line(root: str) -> Line:
    """Find it: `git config memtool.remote`, the remote that the branch follows, `origin`, the only one there is.

    Raises Stop on no branch, and where several remotes could be meant.
    """
    branch = branch_of(root)
    if not branch:
        raise Stop("detached")
    asked = git(root, "config", "-z", "--get-regexp", _ASKED, ok=(0, 1)).decode("utf-8", "surrogateescape")
    said = dict(pair.partition("\n")[::2] for pair in asked.split("\0") if pair)
    remotes = sorted({key[7:].rpartition(".")[0] for key in said if key.startswith("remote.")})
    followed = said.get(f"branch.{branch}.remote", "")
    wanted = said.get("memtool.remote", "")
    if wanted and wanted not in remotes:
        raise _which(f"git config memtool.remote names {masked(wanted)}, and there is no such remote", remotes)
    found = wanted or next((name for name in (followed, "origin") if name in remotes), "")
    if not found and len(remotes) > 1:
        raise _which(f"several remotes could be meant: {', '.join(remotes)}", remotes)
    remote = found or "".join(remotes)
    merge = said.get(f"branch.{branch}.merge", "") if followed == remote else ""
    theirs = merge.removeprefix("refs/heads/") or branch
    return Line(branch, remote, theirs, f"remote.{remote}.pushurl" in said)


def _which(why: str, remotes: Sequence[str]) -> Stop:
    """Name the ways to say which remote is meant."""
    rows = [f"git config memtool.remote {shlex.quote(name)} && memtool sync" for name in remotes]
    return Stop("which-remote", why=why, choices="\n".join(rows or ["git config --unset-all memtool.remote"]))
