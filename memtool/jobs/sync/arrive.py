"""What the remote has: fetched, and held against what was last seen of it, before anything here is changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from memtool.edge import refs, remote
from memtool.edge.location import common_dir
from memtool.edge.plumbing import git, succeeds
from memtool.edge.remote import RemoteFailure
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


def tip_of(root: str, where: Line, last: str, fetch: Fetch) -> str:
    """Fetch, and give the remote's commit; nothing where the remote is empty.

    Raises Stop where the branch is gone, or only another one is there; RemoteFailure.
    """
    try:
        fetch(())
    except RemoteFailure as failure:
        if failure.kind != "missing":
            raise
        if last:
            again = f"git push {where.remote} {where.branch}:refs/heads/{where.theirs}"
            raise Stop("remote-rewritten", why=f"{where.name} is gone", choices=f"To send it again: {again}") from None
        _refuse_other_branch(root, where)
        return ""
    return refs.read(root, where.fetched)[where.fetched]


def _refuse_other_branch(root: str, where: Line) -> None:
    """Raise Stop where the remote holds a branch, but not this one: two memories that would never meet."""
    there = remote.ask(git(root, "remote", "get-url", "--", where.remote).decode().strip())
    if there.branch:
        raise Stop(
            "other-branch",
            why=f"{where.remote} has no branch {where.theirs}, but it has {there.branch}; nothing was sent",
            choices=(
                f"To work on that one: git branch -m {there.branch}\n"
                f"To begin a new one there: git push {where.remote} {where.branch}:refs/heads/{where.theirs}"
            ),
        )


def related(root: str, where: Line, ours: str, seen: Seen, fetch: Fetch) -> list[str]:
    """Give the last commits that both sides hold. A shallow clone is deepened before anything is said of histories.

    Raises Stop where the remote's history was replaced since it was last seen, or is another one.
    """
    if not ours:
        return [ours]
    went_on = not seen.last or seen.tip == ours or _holds(root, seen.tip, seen.last)
    common = bases(root, ours, seen.tip)
    if (not went_on or not common) and os.path.lexists(os.path.join(common_dir(root), "shallow")):
        fetch(("--unshallow",))
        return related(root, where, ours, seen, fetch)
    if not went_on:
        lost = git(root, "rev-list", "--count", seen.last, f"^{seen.tip}").decode().strip()
        why = f"{lost} commits that {where.name} had are gone from it"
        raise Stop("remote-rewritten", why=why, choices=_choices(where, seen, common))
    if not common:
        raise Stop("unrelated", choices=_choices(where, seen, common))
    return common


def bases(root: str, ours: str, theirs: str) -> list[str]:
    """List the last commits that both histories hold; none where they have nothing in common."""
    return git(root, "merge-base", "--all", ours, theirs, ok=(0, 1)).decode().split()


def _holds(root: str, tip: str, older: str) -> bool:
    return succeeds(root, "merge-base", "--is-ancestor", older, tip)


def _choices(where: Line, seen: Seen, common: Sequence[str]) -> str:
    """Name what a person may choose; each keeps what it replaces under a name."""
    tip = seen.tip[:12]
    there = f"git push {where.remote} {tip}:refs/heads/before-{tip}"
    force = f"git push --force-with-lease={where.theirs}:{tip} {where.remote} {where.branch}:{where.theirs}"
    rows = [
        f"Look first: git log {tip}   and   git diff HEAD {tip}",
        f"To keep what is here: {there} && {force}",
        f"To take what is there: git branch before-{tip} && git reset --keep {tip}",
    ]
    if common:
        rows.append(f"To bring both together: git update-ref -d {where.seen} && git merge {tip}")
    return "\n".join(rows)
