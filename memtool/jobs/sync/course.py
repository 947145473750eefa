"""One sync under way: what was asked, what it has done so far, and where the branch stood before."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable

from memtool.core.sync import STATES
from memtool.edge import refs
from memtool.edge.location import head
from memtool.edge.plumbing import git
from memtool.errors import MemtoolError
from memtool.jobs.sync.arrive import last_seen
from memtool.jobs.sync.line import Line
from memtool.jobs.sync.result import Result, Trip
from memtool.jobs.sync.stop import Stop
from memtool.model import Record


class Options(Record):
    """What the user asked for."""

    agent: str
    today: str
    timeout: float = 60
    """Seconds for all that goes over the network."""
    push: bool = True
    dry_run: bool = False


class Course:
    """How far a sync has come: that is told however it ends."""

    def __init__(self, root: str, options: Options, tell: Callable[[str], None]) -> None:
        self.root = root
        self.options = options
        self.tell = tell
        self.end = time.monotonic() + options.timeout
        self.result = Result("failed", dry_run=options.dry_run)
        self.trip = Trip()
        self.where = Line("")
        self.moved = False

    def note(self, **changes: object) -> None:
        self.result = self.result.replace(**changes)

    def ended(self, state: str) -> None:
        """Note the end; that a memory file had to stay behind is said with it."""
        self.note(state=state)
        if self.result.findings and not STATES[state].code:
            self.note(state="left-behind", detail={"done": self.result.message})

    def stopped(self, stop: Stop) -> None:
        findings = stop.findings or self.result.findings
        detail = {**stop.detail, "name": shlex.quote(self.where.remote)}
        self.note(state=stop.name, detail=detail, paths=stop.paths, findings=findings)

    def count_waiting(self) -> None:
        """Note how much waits here to be sent, where it could have been."""
        if not self.where.remote or self.options.dry_run or self.trip.sent or self.result.state == "up-to-date":
            return
        try:
            last = last_seen(self.root, self.where).last
            count = int(git(self.root, "rev-list", "--count", "HEAD", f"^{last}")) if last else 0
        except MemtoolError:
            return
        if count:
            said = f"{count} commit{' waits' if count == 1 else 's wait'} here for the next sync"
            self.note(notes=(*self.result.notes, said))

    def seconds(self) -> float:
        """Give what is left for the network."""
        return max(self.end - time.monotonic(), 0.1)

    def keep_start(self, ours: str) -> None:
        """Keep where the branch stands before this sync first moves it: what `undo` goes back to."""
        if not self.moved:
            kept = refs.Backup(start=ours)
            refs.keep(self.root, self.where.branch, kept)
            self.moved = True

    def keep_end(self) -> None:
        """Keep where this sync has moved the branch to."""
        trip, end = self.trip, head(self.root)
        if trip.sent and trip.start == end:  # nothing came: what was sent is all that there is to take back
            refs.keep(self.root, self.where.branch, refs.Backup(trip.tip, end, end, end))
        elif self.moved:
            start = refs.kept(self.root, self.where.branch).start
            kept = refs.Backup(start, trip.start, end, end if trip.sent else "")
            refs.keep(self.root, self.where.branch, kept)
