"""What the remote has: fetched, and held against what was last seen of it, before anything here is changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from shlex import quote

from memtool.edge import refs, remote
from memtool.edge.location import common_dir
from memtool.edge.plumbing import git, succeeds
from memtool.edge.remote import Remote, RemoteFailure
from memtool.jobs.sync.line import Line
from memtool.jobs.sync.stop import Stop
from memtool.model import Record

Fetch = Callable[[Sequence[str]], None]
"""Fetches once more, with options of `git fetch`."""


class Seen(Record):
    """What a sync knows of the remote."""

    tip: str
    """Its commit; empty where the branch is not there yet."""
    last: str
    """Its commit when memtool last brought it in or sent it; empty before the first sync."""
    noted: bool = False
    """Whether memtool keeps that in its own ref already."""


def last_seen(root: str, where: Line) -> Seen:
    """Give the remote's commit that memtool last brought in or sent; in a clone that never synced, git's own note."""
    tracking = f"refs/remotes/{where.remote}/{where.theirs}"
    known = refs.read(root, where.seen, tracking)
    return Seen("", known.get(where.seen) or known.get(tracking, ""), where.seen in known)


def tip_of(root: str, where: Line, last: str, fetch: Fetch, *, seconds: float) -> str:
    """Fetch, and give the remote's commit; nothing where the remote is empty.

    Raises Stop where the branch is gone, or only another one is there; RemoteFailure.
    """
    if _is_there(fetch, twice=bool(last)):
        return refs.read(root, where.fetched)[where.fetched]
    if last:
        again = f"To send it again: {_first_push(where)}"
        raise Stop("remote-rewritten", why=f"{where.name} is gone", choices=again)
    _refuse_other_branch(where, remote.ask(where.remote, root=root, seconds=seconds))
    return ""


def _is_there(fetch: Fetch, *, twice: bool) -> bool:
    """Fetch, and tell whether the branch was there; *twice*, for an answer over http that breaks off can look empty."""
    try:
        fetch(())
    except RemoteFailure as failure:
        if failure.kind != "missing":
            raise
        return twice and _is_there(fetch, twice=False)
    return True


def _refuse_other_branch(where: Line, there: Remote) -> None:
    """Raise Stop where the remote holds a branch, but not this one: two memories that would never meet."""
    if not there.tips:
        return
    rows = [f"To begin a new one there: {_first_push(where)}"]
    if there.branch:
        mine, theirs = quote(f"branch.{where.branch}"), quote(f"refs/heads/{there.branch}")
        follow = f"git config {mine}.remote {quote(where.remote)} && git config {mine}.merge {theirs}"
        rows.insert(0, f"To work on that one: {follow}")
    found = there.branch or "other branches"
    why = f"{where.remote} has no branch {where.theirs}, but it has {found}; nothing was sent"
    raise Stop("other-branch", why=why, choices="\n".join(rows))


def _first_push(where: Line) -> str:
    return f"git push {quote(where.remote)} {quote(f'{where.branch}:refs/heads/{where.theirs}')}"


def related(root: str, where: Line, ours: str, seen: Seen, fetch: Fetch) -> list[str]:
    """Give the last commits that both sides hold. A shallow clone is deepened before anything is said of histories.

    Raises Stop where the remote's history was replaced since it was last seen, or is another one.
    """
    if not ours:
        return [ours]
    went_on, common = _compared(root, ours, seen)
    if not (went_on and common) and os.path.lexists(os.path.join(common_dir(root), "shallow")):
        fetch(("--unshallow",))
        went_on, common = _compared(root, ours, seen)
    if not went_on:
        lost = git(root, "rev-list", "--count", seen.last, f"^{seen.tip}").decode().strip()
        why = f"{where.name} lost {lost} of the commits that it had"
        raise Stop("remote-rewritten", why=why, choices=_choices(where, seen, ours, common))
    if not common:
        raise Stop("unrelated", choices=_choices(where, seen, ours, common))
    return common


def _compared(root: str, ours: str, seen: Seen) -> tuple[bool, list[str]]:
    """Tell whether the remote still has what it had, and give the last commits that both sides hold.

    What this branch has given up itself is missed by nobody here: its owner has rewritten it, or followed who did.
    """
    common = bases(root, ours, seen.tip)
    went_on = not seen.last or seen.tip == ours or _holds(root, seen.tip, seen.last)
    return went_on or not _holds(root, ours, seen.last), common


def bases(root: str, ours: str, theirs: str) -> list[str]:
    """List the last commits that both histories hold; none where they have nothing in common."""
    return git(root, "merge-base", "--all", ours, theirs, ok=(0, 1)).decode().split()


def _holds(root: str, tip: str, older: str) -> bool:
    return succeeds(root, "merge-base", "--is-ancestor", older, tip)


def _choices(where: Line, seen: Seen, ours: str, common: Sequence[str]) -> str:
    """Name what a person may choose; each keeps what it replaces under a name."""
    tip = seen.tip[:12]
    name, lease = quote(where.remote), quote(f"--force-with-lease={where.theirs}:{tip}")
    there = f"git push {name} {tip}:refs/heads/before-{tip}"
    force = f"git push {lease} {name} {quote(f'refs/heads/{where.branch}:refs/heads/{where.theirs}')}"
    rows = [
        f"Look first: git log {tip}   and   git diff HEAD {tip}",
        f"To keep what is here: {there} && {force}",
        f"To take what is there: git branch kept-{ours[:12]} && git reset --keep {tip}",
    ]
    if common:
        rows.append(f"To bring both together: git update-ref -d {quote(where.seen)} && git merge {tip}")
    return "\n".join(rows)
