"""Mend the links that a split broke, in a commit of its own that touches nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from memtool.core import document
from memtool.core.blocks import headings, within
from memtool.core.split.links import BrokenLink, broken, mended
from memtool.core.split.plan import Part, Plan, in_file
from memtool.core.split.proof import Claim, Outcome
from memtool.edge import repository
from memtool.edge.location import load_config
from memtool.edge.plumbing import Objects
from memtool.edge.trees import CommitTree, WorkTree
from memtool.errors import MemtoolError
from memtool.jobs.commit import Message, commit, index_pages
from memtool.jobs.split.history import examine, find
from memtool.model import Overlay, Record


class Relinked(Record):
    """What `--relink` mended, and what it left."""

    mended: tuple[BrokenLink, ...]
    left: tuple[BrokenLink, ...]
    """Links that a person must look at: footnotes, and those in files with changes that are not committed."""
    touched: tuple[str, ...]
    """The files with such changes."""
    commit: str = ""
    """Empty where nothing is written."""


def relink(root: str, links: Sequence[BrokenLink], *, agent: str, dry_run: bool = False) -> Relinked:
    """Put the replacements of *links*, found in the files as HEAD has them, into the files, and commit that."""
    config = load_config(WorkTree(root))[0].writable()
    repository.refuse_unfinished(root)
    touched = repository.touched(root)
    able = [link for link in links if link.replacement is not None and link.path not in touched]
    result = Relinked(tuple(able), tuple(link for link in links if link not in able), tuple(sorted(touched)))
    if dry_run or not able:
        return result
    with Objects(root) as objects:
        committed = CommitTree(objects, "HEAD")
        before = {link.path: committed[link.path] for link in able}
        after: dict[str, bytes | None] = {
            path: mended(data, [link for link in able if link.path == path]) for path, data in before.items()
        }
        after |= index_pages(root, committed, config, after)  # a description may hold a link
    message = Message("Mend the links that a split broke", "relink", agent)
    return result.replace(commit=commit(root, before, after, message))


class Broken(Record):
    """The links that a split of the past broke, as the files are now."""

    links: tuple[BrokenLink, ...]
    edited: tuple[str, ...]
    """Parts whose text was changed since: nobody can tell which of their links are new, so they are not looked at."""


def broken_by(root: str, revision: str | None) -> Broken:
    """Find what the split *revision* broke, or the newest one in HEAD's history; raises MemtoolError for none."""
    split, claim = find(root, revision)
    with Objects(root) as objects:
        found = examine(root, objects, split, claim)
        if found.faults:
            raise MemtoolError(
                f"{split.commit[:12]}: not as its commit says, so its links cannot be told",
                hint=f"memtool split --verify {split.commit[:12]}",
            )
        now, config = CommitTree(objects, "HEAD"), load_config(WorkTree(root))[0]
        then = CommitTree(objects, split.commit)
        plan = _plan(CommitTree(objects, split.parent)[found.source], found, claim, then)
        after = _as_now(plan, now, then)
        edited = tuple(path for path, content in after.items() if now.get(path) != content)
        now.fetch([path for path in now if config.is_memory(path)])
        links = broken(plan, after, Overlay(now, dict.fromkeys(after)), config.is_memory)
        return Broken(tuple(link for link in links if link.path not in edited), edited)


def _plan(data: bytes, found: Outcome, claim: Claim, then: CommitTree) -> Plan:
    """Make the plan of a past split again: what its links ask of it, which is where each byte went."""
    body = document.read(data).body
    known = in_file(headings(data[body:]), data, body)
    parts, at = [], claim.kept
    for path, piece in zip(found.parts, claim.pieces, strict=True):
        end = at + piece.size
        parts.append(Part(path, at, end, "", (), tuple(within(known, at, end))))
        at = end
    return Plan(found.source, data, body, tuple(parts), level=0, remove=found.source not in then, open_line=0)


def _as_now(plan: Plan, now: CommitTree, then: CommitTree) -> dict[str, bytes]:
    """Give the files of a split as they are, if their text is still what was moved; else as they were made."""
    after = {}
    for part in plan.parts:
        content = now.get(part.path, b"")
        same = content[document.read(content).body :] == plan.slice(part)
        after[part.path] = content if same else then[part.path]
    if plan.source in then:
        content = now.get(plan.source, b"")
        same = content.startswith(plan.data[: plan.kept])
        after[plan.source] = content if same else then[plan.source]
    return after
