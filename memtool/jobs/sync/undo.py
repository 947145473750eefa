"""`sync --undo`: the last sync taken back; by going back while nothing was sent, by a commit that reverts it after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memtool.core.terminal import printable
from memtool.edge import refs, repository
from memtool.edge.delta import Delta, deltas
from memtool.edge.location import head
from memtool.edge.plumbing import git
from memtool.edge.switch import InTheWay, switch
from memtool.errors import MemtoolError
from memtool.jobs.session import refresh_digest
from memtool.jobs.sync.alone import alone
from memtool.jobs.sync.bring import taken_out
from memtool.model import Record

_SHOWN = 10
"""Files that are shown; JSON has all."""


class Undone(Record):
    """What was taken back."""

    how: str
    """``back``: the branch is where it was; ``reverted``: by a commit."""
    commit: str
    """What HEAD names now."""
    paths: tuple[str, ...]
    """The files that are as they were before."""
    what: tuple[str, ...]
    """Of each: ``gone``, ``back`` or ``changed``."""
    begun: str
    """The commit at which the sync began that is taken back."""
    ended: str
    """The one at which it ended."""
    dry_run: bool = False
    stays: tuple[str, ...] = ()
    """Files that stay as they are, each with the reason."""

    def asdict(self) -> dict[str, Any]:
        """Give it as ``memtool.sync-undo/1``."""
        return {"schema": "memtool.sync-undo/1", **super().asdict()}

    def lines(self) -> Iterator[str]:
        """Yield it as a person reads it."""
        would = "would be " if self.dry_run else ""
        sync = f"the sync that led from {self.begun[:7] or 'nothing'} to {self.ended[:7]}"
        if self.how == "back":
            yield f"{would}taken back: {sync}; the branch is where it began"
        else:
            by = "a commit" if self.dry_run else f"the commit {self.commit[:7]}"
            yield f"{would}undone: {sync}, by {by}"
        rows = [f"  {what:<9}{printable(path)}" for what, path in zip(self.what, self.paths, strict=True)]
        yield from rows[:_SHOWN]
        if len(rows) > _SHOWN:
            yield f"  … {len(rows) - _SHOWN} more"
        yield from (f"  stays    {printable(one)}" for one in self.stays)
        if self.how == "back":
            yield "What that sync committed of yours stands in the files, not committed."
            yield "The next sync brings again what came."
        else:
            yield "Next: memtool sync sends this, and every machine follows."


def undo(root: str, *, agent: str, today: str, dry_run: bool = False) -> Undone:
    """Take the last sync back; raises MemtoolError where there is none, or where the branch has moved on since."""
    with alone(root):
        return _undo(root, agent=agent, today=today, dry_run=dry_run)


def _undo(root: str, *, agent: str, today: str, dry_run: bool) -> Undone:
    repository.refuse_unfinished(root)
    branch = repository.branch_of(root)
    kept = refs.kept(root, branch) if branch else refs.Backup()
    tip = head(root)
    if not kept.end or kept.end == kept.start:
        raise MemtoolError("no sync of this branch is kept that could be taken back")
    if not _target(kept):
        raise MemtoolError("nothing was committed here before the last sync: there is nothing to go back to")
    if kept.sent:
        done = _revert(root, kept, tip, agent=agent, dry_run=dry_run)
    elif tip != kept.end:
        raise MemtoolError(
            "the branch has moved on since the last sync; going back would lose that",
            hint=f"Look at it: git log {kept.end[:12]}..HEAD",
        )
    else:
        done = _back(root, kept, dry_run=dry_run)
    if not dry_run:
        refs.keep(root, branch, refs.Backup())
        refresh_digest(root, agent=agent, today=today)
    return done


def _target(kept: refs.Backup) -> str:
    """Give the commit before the last sync, or where nothing came, before this machine's own."""
    return kept.local if kept.local != kept.end else kept.start


def _back(root: str, kept: refs.Backup, *, dry_run: bool) -> Undone:
    """Go back; what was not committed before the sync is not committed again, and stands in the files."""
    found = deltas(root, kept.end, kept.local)
    mine = [one.path for one in deltas(root, kept.start, kept.local)]
    states = repository.status(root)
    if twice := [path for path in mine if states.get(path, "  ")[0] not in " ?" and states[path][1] != " "]:
        raise InTheWay(twice)  # staged, and changed again: taking it back would leave one of the two
    if not dry_run:
        switch(root, kept.end, kept.local, reason="memtool sync --undo")
        git(root, "update-ref", "-m", "memtool sync --undo", "HEAD", kept.start, kept.local)
        repository.unstage(root, mine)
    return _undone("back", kept, kept.start, found, dry_run=dry_run)


def _revert(root: str, kept: refs.Backup, tip: str, *, agent: str, dry_run: bool) -> Undone:
    """Take out again what came, or where nothing came what went, by a commit: what was written since stays."""
    commit, stay = taken_out(root, tip, kept.end, _target(kept), agent=agent)
    if not dry_run:
        switch(root, tip, commit, reason="memtool sync --undo")
    done = _undone("reverted", kept, commit, deltas(root, tip, commit), dry_run=dry_run)
    return done.replace(stays=tuple(f"{path}: {why}" for path, why in sorted(stay.items())))


def _undone(how: str, kept: refs.Backup, commit: str, found: Sequence[Delta], *, dry_run: bool) -> Undone:
    what = tuple("gone" if one.new is None else "back" if one.old is None else "changed" for one in found)
    return Undone(how, commit, tuple(one.path for one in found), what, kept.start, kept.end, dry_run)
