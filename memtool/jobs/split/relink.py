"""Mend the links that a split broke, in a commit of its own that touches nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memtool.core import document
from memtool.core.blocks import headings
from memtool.core.config import Config
from memtool.core.split.links import BrokenLink, broken, mended
from memtool.core.split.plan import Part, Plan, in_file, within
from memtool.core.split.proof import Claim, Moved, source_of
from memtool.edge import repository
from memtool.edge.location import load_config
from memtool.edge.plumbing import Objects
from memtool.edge.transaction import change
from memtool.edge.trees import CommitTree, WorkTree
from memtool.errors import MemtoolError
from memtool.jobs.split.history import moved_by, splits
from memtool.jobs.split.split import committed_as, index_pages, on_disk
from memtool.model import Overlay, Record

OPERATION = "relink"


class Relinked(Record):
    """What `--relink` mended, and what it left."""

    mended: tuple[BrokenLink, ...]
    left: tuple[BrokenLink, ...]
    """Links that a person must look at: footnotes, and those in files that are changed and not committed."""
    commit: str = ""
    """Empty where nothing is written."""


def relink(root: str, links: Sequence[BrokenLink], *, agent: str, dry_run: bool = False) -> Relinked:
    """Put the replacements of *links*, found in the files as HEAD has them, into the files, and commit that."""
    config = load_config(WorkTree(root))[0].writable()
    touched = repository.touched(root)
    able = [link for link in links if link.replacement is not None and link.path not in touched]
    left = tuple(link for link in links if link not in able)
    result = Relinked(tuple(able), left)
    if dry_run or not able:
        return result
    before = {path: on_disk(root, path) for path in {link.path: None for link in able}}
    after: dict[str, bytes | None] = {
        path: mended(data or b"", [link for link in able if link.path == path]) for path, data in before.items()
    }
    after |= _index(root, config, after)
    before = {path: on_disk(root, path) for path in after}

    def commit() -> str:
        return committed_as(
            root, list(after), "Mend the links that a split broke", operation=OPERATION, agent=agent, trailers=[]
        )

    return result.replace(commit=change(root, before, after, commit))


def broken_by_last_split(root: str) -> list[BrokenLink]:
    """Find the links that the newest split in HEAD's history broke, as the files are now.

    Links in a part that was edited since are not looked for: nobody can tell which of them are new.
    """
    split = next(splits(root, "-1", "HEAD"), None)
    if split is None or split.claim is None:
        raise MemtoolError("no split commit in this history", hint="Name a FILE to split, with --relink beside it.")
    with Objects(root) as objects:
        moved = moved_by(root, split)
        then, now = CommitTree(objects, split.commit), CommitTree(objects, "HEAD")
        source = source_of(split.claim, moved)
        plan = _plan(source, CommitTree(objects, split.parent).get(source, b""), split.claim, moved)
        after = {path: then[path] for path in (*(part.path for part in plan.parts), source) if path in then}
        config = load_config(now)[0]
        now.fetch([path for path in now if config.is_memory(path)])
        links = broken(plan, after, Overlay(now, dict.fromkeys(after)), config.is_memory)
        return [link for link in links if link.path not in after or now.blob(link.path) == then.blob(link.path)]


def _plan(source: str, data: bytes, claim: Claim, moved: Moved) -> Plan:
    """Make the plan of a split again from what its commit says of itself."""
    paths: dict[str, list[str]] = {}
    for path, oid in sorted(moved.after.items(), reverse=True):
        paths.setdefault(oid, []).append(path)
    if claim.size != len(data) or any(piece.oid not in paths for piece in claim.pieces):
        raise MemtoolError("the newest split is not as its commit says", hint="`memtool split --verify` tells more.")
    body = document.read(data).body
    found = in_file(headings(data[body:]), data, body)
    parts, at = [], claim.kept
    for piece in claim.pieces:
        path = paths[piece.oid].pop() if len(paths[piece.oid]) > 1 else paths[piece.oid][0]
        parts.append(Part(path, at, at + piece.size, "", (), tuple(within(found, at, at + piece.size))))
        at += piece.size
    return Plan(source, data, body, tuple(parts), 0, source not in moved.after, 0)


def _index(root: str, config: Config, after: Mapping[str, bytes | None]) -> dict[str, bytes | None]:
    """Give the pages of the index whose rows quote a mended link: a description may hold one."""
    with Objects(root) as objects:
        return index_pages(root, CommitTree(objects, "HEAD"), config, after)
