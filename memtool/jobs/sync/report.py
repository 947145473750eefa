"""What a sync has to tell in the end, and the digest of a memory that has moved."""

from __future__ import annotations

from memtool.edge.location import head
from memtool.edge.plumbing import git
from memtool.errors import MemtoolError
from memtool.jobs.session import refresh_digest
from memtool.jobs.sync.health import notes
from memtool.jobs.sync.result import Result, Trip


def told(root: str, so_far: Result, trip: Trip, *, agent: str, today: str) -> Result:
    """Finish the result of a sync that has ended; refresh the digest where the memory has moved."""
    if so_far.state == "not-trusted":  # git answers nothing more
        return so_far
    result = so_far.replace(commit=head(root), notes=(*so_far.notes, *notes(root)))
    if trip.end and (trip.end != trip.start or trip.sent or (so_far.dry_run and trip.end != trip.tip)):
        from memtool.jobs.sync.account import accounted

        result = accounted(root, result, trip, today)
        if not so_far.dry_run:
            git(root, "maintenance", "run", "--auto", "--quiet", ok=(0, 1, 128))  # as a fetch by hand would
    try:
        if not result.dry_run:
            refresh_digest(root, agent=agent, today=today)
    except (MemtoolError, OSError) as error:
        result = result.replace(notes=(*result.notes, f"the digest was not refreshed: {error}"))
    return result
