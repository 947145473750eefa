"""The states in which a sync ends: each with its exit code, its sentence and its next step."""

from __future__ import annotations

from memtool.model import Record


class State(Record):
    """One way in which a sync ends."""

    code: int
    """0 done; 1 done, or stopped, over what a person has to look at; 2 could not."""
    says: str
    next: str = ""
    """What a person may do now, where the end itself does not bring its own choices."""


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
        1,
        "brought together with {remote}; where both sides changed the same lines, both texts are kept",
        "memtool resolve",
    ),
    refused=State(
        1, "what is here may not be sent: nothing was sent or brought in", "Mend what is named, then memtool sync."
    ),
    left_behind=State(
        1,
        "{done}; a memory file stays behind, for it may not be committed as it is",
        "Mend what is named, then memtool sync.",
    ),
    which_remote=State(2, "{why}; nothing was changed"),
    bad_config=State(
        2, "memtool.yaml cannot be used; nothing was brought in, nothing was sent", "Mend it, then memtool sync."
    ),
    filtered=State(
        2,
        "memory stands behind a filter of git's, which would convert it with each sync; nothing was done",
        "Take filter and working-tree-encoding off memory files in .gitattributes; or sync with git pull and git push.",
    ),
    not_trusted=State(2, "git does not trust this repository, for another user owns it; nothing was done"),
    many_deleted=State(
        1,
        "{why}; that looks like an accident, and nothing was done",
        "To bring them back: git ls-files -z --deleted | git checkout --pathspec-from-file=- --pathspec-file-nul\n"
        "If you mean it: git ls-files -z --deleted | git rm -q --pathspec-from-file=- --pathspec-file-nul\n"
        "and then memtool sync",
    ),
    offline=State(2, "{remote} was not reached", "Run memtool sync again later."),
    timed_out=State(2, "{remote} did not answer in time", "Try again, or with --timeout SECONDS."),
    auth_needed=State(
        2,
        "{remote} asks who you are, and memtool never asks for a password",
        "Set up a key or a credential helper; what it asks shows: git fetch {name}",
    ),
    remote_rewritten=State(2, "{why}: the history of {remote} was replaced; nothing was brought in, nothing was sent"),
    unrelated=State(
        2,
        "{remote} holds another history, which has nothing in common with this one; nothing was brought in or sent",
    ),
    other_branch=State(2, "{why}"),
    protected=State(2, "{remote} refuses to take what is new here", "Ask who looks after it; then run memtool sync."),
    remote_full=State(2, "{remote} has no room left", "Make room there, then memtool sync."),
    remote_failed=State(2, "{remote} did not do it", "What git knows of it shows: git fetch {name}"),
    detached=State(
        2,
        "HEAD is on no branch, so there is nothing to sync",
        "To keep what was committed meanwhile: git branch NAME\nTo go on with a branch: git switch BRANCH\n"
        "and then memtool sync",
    ),
    operation_in_progress=State(2, "git is in the middle of something here", "Finish it, then memtool sync."),
    dirty_elsewhere=State(
        2,
        "files changed here are also changed in what comes, and they are not memory's to commit",
        "Commit or move them yourself, then memtool sync.",
    ),
    conflict_elsewhere=State(
        2,
        "files were changed on both sides in a way that only a person can merge; nothing was brought in",
        "To merge by hand: git merge {tip}\nand then memtool sync",
    ),
    disk_full=State(2, "there is no room left on this disk; nothing is lost", "Make room, then memtool sync."),
    read_only=State(2, "this memory cannot be written to; nothing was changed", "Mount it writable, or own it."),
    locked=State(
        2,
        "another program is writing here; nothing was brought in, nothing was sent",
        "Run memtool sync again in a while; memtool doctor tells of a lock that a killed git left.",
    ),
    failed=State(2, "the sync could not be finished", "Run memtool sync again; it takes up where it stopped."),
)
