"""The splits of a history: found by their trailers, proved again from git's objects alone."""

from __future__ import annotations

from collections.abc import Iterator

from memtool.core.split import proof
from memtool.core.split.proof import PART, SOURCE, Claim, Moved, Outcome
from memtool.edge.plumbing import Objects, git, records, succeeds
from memtool.errors import MemtoolError
from memtool.model import Record

_FIELD, _VALUE = "\x1e", "\x1f"
_FORMAT = "%x1e".join(
    ("%H", "%P", *(f"%(trailers:key={key},valueonly,unfold,separator=%x1f)" for key in ("Memory-Op", SOURCE, PART)))
)
# Each is said so that no setting of the user's changes what git finds and prints.
_SETTINGS = ("grep.patternType=basic", "trailer.separators=:", "i18n.logOutputEncoding=UTF-8", "log.date=iso")
_LOG = (
    *(word for setting in _SETTINGS for word in ("-c", setting)),
    *("log", "-z", "--no-show-signature", "--no-color", "--no-notes", "--grep=^Memory-Op: split$"),
)


class SplitCommit(Record):
    """One commit that says it is a split."""

    commit: str
    parent: str
    claim: Claim | None
    """None where its trailers are damaged."""


class Proved(Record):
    """What the proof of one split commit found."""

    commit: str
    source: str
    """The path of the source; empty where the commit changed no such file."""
    bytes: int
    """Of the source."""
    parts: int
    faults: tuple[str, ...]
    notes: tuple[str, ...] = ()


def splits(root: str, *revisions: str) -> Iterator[SplitCommit]:
    """Yield the split commits that `git log` finds for *revisions*, newest first."""
    for record in records(root, *_LOG, f"--format={_FORMAT}", *revisions, "--"):
        commit, parents, *fields = record.decode("utf-8", "replace").strip("\n").split(_FIELD)
        operation, source, parts = (field.split(_VALUE) for field in (fields + [""] * 3)[:3])
        if proof.OPERATION in operation:  # else the words stand in the prose of its message
            said = proof.claim(source, parts) if len(fields) == 3 else None
            yield SplitCommit(commit, parents.partition(" ")[0], said)


def prove_all(root: str, revision: str | None) -> list[Proved]:
    """Prove the split commit *revision*, or all that HEAD's history holds.

    Raises MemtoolError where there is none, or where what a proof needs is not in this clone.
    """
    found = _found(root, revision, "HEAD")
    with Objects(root) as objects:
        return [_prove(root, objects, split) for split in found]


def find(root: str, revision: str | None) -> tuple[SplitCommit, Claim]:
    """Give the split commit *revision*, or the newest in HEAD's history, with what it says of itself."""
    split = _found(root, revision, "-1", "HEAD")[0]
    if split.claim is None:
        raise MemtoolError(f"{split.commit[:12]}: its trailers are damaged: they name no source and parts")
    return split, split.claim


def _found(root: str, revision: str | None, *otherwise: str) -> list[SplitCommit]:
    """List the split commit *revision*, or those that `git log` finds for *otherwise*; raises MemtoolError for none."""
    if revision is None:
        found = list(splits(root, *otherwise))
    else:
        asked = ("rev-parse", "-q", "--verify", "--end-of-options", f"{revision}^{{commit}}")
        commit = git(root, *asked, ok=(0, 1)).decode().strip()
        if not commit:
            raise MemtoolError(f"{revision}: no such commit", hint="Name a split commit, or none at all.")
        found = list(splits(root, "--no-walk", commit))
    if not found:
        raise MemtoolError(f"{revision or 'this history'}: no split commit, so there is nothing to prove or to mend")
    return found


def _prove(root: str, objects: Objects, split: SplitCommit) -> Proved:
    if split.claim is None:
        return Proved(split.commit, "", 0, 0, ("its trailers are damaged: they name no source and parts",))
    found = examine(root, objects, split, split.claim)
    size, parts = split.claim.size, len(split.claim.pieces)
    return Proved(split.commit, found.source, size, parts, found.faults, found.notes)


def examine(root: str, objects: Objects, split: SplitCommit, claim: Claim) -> Outcome:
    """Hold a split commit to its *claim*; raises MemtoolError where what that needs is not in this clone."""

    def read(oid: str) -> bytes:
        (data,) = objects.contents([oid.encode()])
        if data is None:
            raise MemtoolError(f"{split.commit[:12]}: the blob {oid[:12]} is not in this clone", hint="Fetch it first.")
        return data

    return proof.examine(claim, _moved_by(root, split), read)


def _moved_by(root: str, split: SplitCommit) -> Moved:
    """Read what a split commit changed; raises MemtoolError where a shallow clone lacks its parent."""
    if not split.parent or not succeeds(root, "cat-file", "-e", split.parent):
        raise MemtoolError(
            f"{split.commit[:12]}: its parent is not in this clone, so it could not be proved",
            hint="Run `git fetch --unshallow`.",
        )
    raw = records(root, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", split.parent, split.commit)
    before, after = {}, {}
    for entry in raw:
        _, _, old, new, status = entry.decode().split(" ")
        path = next(raw).decode("utf-8", "surrogateescape")
        if status != "A":
            before[path] = old
        if status != "D":
            after[path] = new
    return Moved(before, after)
