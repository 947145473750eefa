"""The states in which a sync ends: each with its exit code, its sentence and its next step."""

from __future__ import annotations

from memtool.model import Record


class State(Record):
    """One way in which a sync ends."""

    code: int
    """0 done; 1 done, or stopped, over what a person has to look at; 2 could not."""
    says: str
    next: str = ""


def _states(**states: State) -> dict[str, State]:
    return {name.replace("_", "-"): state for name, state in states.items()}


STATES = _states(
    up_to_date=State(0, "nothing to do: this machine and {remote} hold the same"),
    pushed=State(0, "sent to {remote}"),
    pulled=State(0, "brought from {remote}"),
    merged=State(0, "brought together with {remote}"),
    unpushed=State(0, "kept here; nothing was sent", "memtool sync sends it."),
    no_remote=State(
        0,
        "there is no remote to sync with; this machine's changes are committed",
        "git remote add origin URL, then memtool sync.",
    ),
    conflict_kept=State(
        1, "brought together with {remote}; where both sides changed the same, both texts are kept", "memtool resolve"
    ),
    refused=State(1, "what is here may not be sent: nothing was sent", "{choices}"),
    many_deleted=State(
        1,
        "{why}; that looks like an accident, and nothing was done",
        "Bring them back: git checkout -- . — or, if you mean it, commit it yourself: git commit -a.",
    ),
    offline=State(2, "{remote} was not reached; what is new here is committed", "Run memtool sync again later."),
    timed_out=State(
        2, "{remote} did not answer in time; what is new here is committed", "Try again, or with --timeout SECONDS."
    ),
    auth_needed=State(
        2,
        "{remote} asks who you are, and memtool never asks for a password",
        "Set up a key or a credential helper; `git fetch` shows what it asks.",
    ),
    remote_rewritten=State(
        2, "{why}: the history of {remote} was replaced; nothing here was changed, nothing was sent", "{choices}"
    ),
    unrelated=State(
        2,
        "{remote} holds another history, which has nothing in common with this one; nothing was changed",
        "{choices}",
    ),
    other_branch=State(2, "{why}", "{choices}"),
    protected=State(
        2, "{remote} refuses to take it; what came is merged here", "Ask who looks after it; then run memtool sync."
    ),
    remote_full=State(2, "{remote} has no room left; what came is merged here", "Make room there, then memtool sync."),
    remote_failed=State(2, "{remote} did not do it", "Try `git fetch`; what it says is what git knows."),
    detached=State(
        2,
        "HEAD is on no branch, so there is nothing to sync",
        "git switch BRANCH; what was committed meanwhile is kept by: git branch NAME.",
    ),
    operation_in_progress=State(2, "git is in the middle of something here", "Finish it, then memtool sync."),
    dirty_elsewhere=State(
        2,
        "files changed here are also changed in what comes, and they are not memory's to commit",
        "Commit or move them yourself, then memtool sync.",
    ),
    conflict_elsewhere=State(
        2,
        "files that are no memory were changed on both sides, and git cannot merge them; nothing was changed",
        "git merge {tip} merges by hand; commit that, then memtool sync.",
    ),
    disk_full=State(2, "there is no room left on this disk; nothing is lost", "Make room, then memtool sync."),
    read_only=State(2, "this memory cannot be written to; nothing was changed", "Mount it writable, or own it."),
    locked=State(2, "another program is writing here; nothing was changed", "Run memtool sync again in a while."),
    failed=State(2, "the sync could not be finished", "Run memtool sync again; it takes up where it stopped."),
)
