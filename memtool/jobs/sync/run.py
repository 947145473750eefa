"""`sync`: this machine's memory and the remote's, brought together; nothing that either has is lost.

Every step can be done again, so a sync that is killed anywhere is finished by the next one. No history is ever
rewritten: a merge commit, or none; a push that only adds. What only some syncs need is imported when they do: most have
nothing to do.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from memtool.edge import refs, remote, repository
from memtool.edge.location import head, load_config
from memtool.edge.lock import TURN, locked
from memtool.edge.remote import RemoteFailure
from memtool.edge.switch import InTheWay, switch
from memtool.edge.transaction import Changed
from memtool.edge.trees import Folder
from memtool.errors import MemtoolError
from memtool.jobs.sync.alone import alone
from memtool.jobs.sync.arrive import Seen, last_seen, related, tip_of
from memtool.jobs.sync.course import Course, Options
from memtool.jobs.sync.line import line
from memtool.jobs.sync.report import told
from memtool.jobs.sync.result import Result
from memtool.jobs.sync.stop import Stop, stop_of

if TYPE_CHECKING:
    from memtool.jobs.sync.bring import Brought

_ROUNDS = 5
"""How often the work tree may change under a merge before the sync gives up."""
_PAUSE = 0.3
"""Seconds, at most, to wait before a second attempt to push; it doubles each time."""


def sync(root: str, options: Options, *, tell: Callable[[str], None] = lambda _: None) -> Result:
    """Bring this machine and the remote together, and say how it ended; *tell* is told what is being done.

    Every end that a user or a remote can cause is a named state of `core.sync`, not an exception.
    """
    repository.leave_commit_in_progress()
    run = Run(root, options, tell)
    try:
        with alone(root, wait=min(options.timeout, 10)) as said:
            run.note(notes=(*run.result.notes, *([said] if said else [])))
            try:
                run.ended(run.steps())
            finally:
                run.keep_end()
    except Stop as stop:
        run.stopped(stop)
    except MemtoolError as error:
        run.stopped(stop_of(error))
    run.count_waiting()
    return told(root, run.result, run.trip, agent=options.agent, today=options.today)


class Run(Course):
    """The steps of a sync, in order."""

    def steps(self) -> str:
        """Go through all of it, and give the state in which it ends."""
        self._refuse_unfinished()
        self.where = line(self.root)
        ours = head(self.root)
        if ours or not self.where.remote:  # before the first commit, what the remote has comes first
            ours = self._commit(ours)
        self.trip = self.trip.replace(start=ours, end=ours)
        if not self.where.remote:
            return "no-remote"
        self.note(remote=self.where.name)
        seen = last_seen(self.root, self.where)
        return self._meet(seen, self._indexed(ours, seen.last))

    def _indexed(self, ours: str, last: str) -> str:
        """Mend the index of what was committed, pulled or merged since the last sync by git alone; give the commit."""
        if not last or ours in {"", last}:
            return ours
        from memtool.jobs.sync.bring import Brought, indexed

        made = indexed(self.root, ours, last, agent=self.options.agent)
        if made == ours:
            return ours
        try:
            self._take(ours, Brought(made))
        except (Changed, InTheWay):
            return ours  # somebody is at work on it: no reason to keep the rest back
        self.trip = self.trip.replace(start=made, end=made)
        return made

    def _refuse_unfinished(self) -> None:
        try:
            repository.refuse_under_way(self.root)
        except MemtoolError as error:
            what = error.message.removeprefix(f"{self.root}: ")
            raise Stop("operation-in-progress", why=f"{what}. {error.hint}") from error

    def _commit(self, ours: str) -> str:
        """Commit what this machine changed, once the place where the branch stood is kept; give the commit."""
        self.note(left=(), findings=())
        states = repository.status(self.root)
        if not repository.UNMERGED.isdisjoint(states.values()):
            raise Stop("operation-in-progress", why=f"files are in conflict. {repository.SETTLE}")
        if not states:
            return head(self.root)
        from memtool.jobs.sync.local import commit_local, look, preview

        for _ in range(_ROUNDS):
            local = look(self.root, today=self.options.today)
            self.note(left=local.left, findings=local.findings)
            if self.options.dry_run:
                return preview(self.root, local, ours, agent=self.options.agent)
            if local.is_empty:
                return head(self.root)
            self.tell(f"committing {len(local.paths)} changed files")
            self.keep_start(ours)
            try:
                commit_local(self.root, local, agent=self.options.agent)
            except Changed:
                continue  # somebody else writes here: look again
            except Stop:
                if look(self.root, today=self.options.today) == local:
                    raise  # it was a hook; else somebody has committed what was looked at
            else:
                return head(self.root)
        raise Stop("locked", why="the files kept changing while they were committed")

    def _meet(self, seen: Seen, ours: str) -> str:
        """Fetch, bring together and push, until the remote has not moved in between."""
        where, pause, state = self.where, _PAUSE, ""
        while True:
            self.tell(f"asking {where.remote}")
            seen = seen.replace(tip=tip_of(self.root, where, seen.last, self._fetch, seconds=self.seconds()))
            self.trip = self.trip.replace(asked=True)
            if seen.tip:
                state = self._together(seen, ours) or state
                seen = self._noted(seen)
            else:
                self._begin(ours)
            ours = self.trip.end
            if ours == seen.tip or not self.options.push or self.options.dry_run:
                sent = "pushed" if self.options.push else "unpushed"
                return state or ("up-to-date" if ours == seen.tip else sent)
            if self._pushed(ours):
                return state or "pushed"
            if time.monotonic() + pause > self.end:
                raise Stop("timed-out", why="others pushed each time before this machine could")
            time.sleep(random.uniform(0, pause))  # noqa: S311 (chance, not a secret)
            pause *= 2

    def _noted(self, seen: Seen) -> Seen:
        """Keep in mind what is brought in by now."""
        if not self.options.dry_run and (seen.tip != seen.last or not seen.noted):
            refs.write(self.root, {self.where.seen: seen.tip})
        return Seen(seen.tip, seen.tip, noted=True)

    def _begin(self, ours: str) -> None:
        """Get ready for the first push of all."""
        start = ours or self._commit("")
        self.trip = self.trip.replace(start=start, end=start)
        self._judge(start, "", "")

    def _fetch(self, extra: Sequence[str]) -> None:
        quiet = ("--refmap=",) if self.options.dry_run else ()
        where = self.where
        remote.fetch(
            self.root, where.remote, where.theirs, into=where.fetched, seconds=self.seconds(), extra=(*extra, *quiet)
        )

    def _together(self, seen: Seen, ours: str) -> str:
        """Bring in what came, and give the state that this means; nothing where nothing did."""
        for attempt in range(_ROUNDS):
            # who writes here need not wait for a merge, but may not keep it from its end either
            with locked(self.root, wait=60, name=TURN) if attempt else nullcontext():
                try:
                    return self._brought(seen, ours)
                except (Changed, InTheWay):
                    before, ours = ours, self._commit(ours) if ours else ours
                    if before == ours:
                        raise
                    if before == self.trip.start:
                        self.trip = self.trip.replace(start=ours)
        raise Stop("locked", why="the files kept changing while they were merged")

    def _brought(self, seen: Seen, ours: str) -> str:
        if seen.tip == ours:
            self.trip = self.trip.replace(tip=seen.tip, end=ours)
            return ""
        common = related(self.root, self.where, ours, seen, self._fetch)
        self.trip = self.trip.replace(base=self.trip.base or common[0], tip=seen.tip, end=ours)
        self._judge(ours, seen.tip, common[0])
        if seen.tip in common:
            return ""
        from memtool.jobs.sync.bring import bring
        from memtool.jobs.sync.local import refuse_filtered

        refuse_filtered(self.root, load_config(Folder(self.root))[0])
        brought = bring(self.root, ours, seen.tip, common, agent=self.options.agent)
        self._take(ours, brought)
        self.trip = self.trip.replace(end=brought.commit)
        return self._state(ours, brought, common)

    def _judge(self, ours: str, tip: str, base: str) -> None:
        """Raise Stop where a commit that is not sent yet holds what may not leave this machine."""
        from memtool.jobs.check import check_push

        if not ours or ours == tip:
            return
        updates = f"HEAD {ours} HEAD {tip or '0' * len(ours)}\n".encode()
        stops, _ = check_push(self.root, updates, remote=self.where.remote, merges=False)
        if stops:
            again = f"git reset {base[:12]}" if base else "git update-ref -d HEAD && git reset"
            raise Stop(
                "refused",
                findings=tuple(stops),
                choices=f"{again} takes back the commits that were not sent and leaves the files; "
                "mend those listed, then memtool sync.",
            )

    def _take(self, ours: str, brought: Brought) -> None:
        """Let branch, index and files be what was brought together."""
        if self.options.dry_run:
            return
        self.tell("bringing in what came")
        self.keep_start(ours)
        switch(self.root, ours, brought.commit, reason=f"memtool sync: {self.where.name}")

    def _state(self, ours: str, brought: Brought, common: Sequence[str]) -> str:
        self.note(conflicts=(*self.result.conflicts, *brought.conflicts))
        if any(one.copy for one in self.result.conflicts):
            return "conflict-kept"
        return "pulled" if list(common) == [ours] else "merged"

    def _pushed(self, ours: str) -> bool:
        """Push, and tell whether it arrived; not where another push came first."""
        self.tell(f"sending to {self.where.remote}")
        try:
            remote.push(self.root, self.where.remote, ours, self.where.theirs, seconds=self.seconds())
        except RemoteFailure as failure:
            if failure.kind != "moved":
                raise
            return False
        self.trip = self.trip.replace(sent=True)
        if not self.where.pushes_elsewhere:  # what it is fetched from may follow later
            refs.write(self.root, {self.where.seen: ours})
        return True
