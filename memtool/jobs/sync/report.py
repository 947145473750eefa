"""What a sync has to tell in the end, and the digest of a memory that has moved."""

from __future__ import annotations

from memtool.edge.location import head
from memtool.errors import MemtoolError
from memtool.jobs.session import refresh_digest
from memtool.jobs.sync.health import notes
from memtool.jobs.sync.result import Result, Trip


def told(root: str, so_far: Result, trip: Trip, *, agent: str, today: str) -> Result:
    """Finish the result of a sync that has ended; refresh the digest where the memory has moved."""
    result = so_far.replace(commit=head(root), notes=(*so_far.notes, *notes(root)))
    if trip.end and (trip.end != trip.start or trip.sent):
        from memtool.jobs.sync.account import accounted

        result = accounted(root, result, trip, today)
    try:
        if not result.dry_run:
            refresh_digest(root, agent=agent, today=today)
    except (MemtoolError, OSError) as error:
        result = result.replace(notes=(*result.notes, f"the digest was not refreshed: {error}"))
    return result
