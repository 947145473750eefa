"""Split one file: plan, proof, the files, the index, one commit."""

from __future__ import annotations

from collections.abc import Mapping

from memtool.core.config import Config
from memtool.core.page import over_budget
from memtool.core.split import proof
from memtool.core.split.draft import Drafts
from memtool.core.split.files import files
from memtool.core.split.links import BrokenLink, broken
from memtool.core.split.plan import SMALL, Cut, Plan, plan
from memtool.core.terminal import printable
from memtool.edge import repository
from memtool.edge.location import head, load_config
from memtool.edge.plumbing import Objects
from memtool.edge.trees import CommitTree, WorkTree, blob_id
from memtool.errors import MemtoolError
from memtool.jobs.commit import Message, commit, index_pages, trailer_path
from memtool.jobs.split import places
from memtool.jobs.split.history import prove_all
from memtool.model import Record


class Split(Record):
    """What `split` is about to do, or has done."""

    plan: Plan
    files: Mapping[str, bytes | None]
    """What is written: the parts, then the source; None: it goes."""
    links: tuple[BrokenLink, ...]
    """The links that no longer lead to where they led."""
    pages: Mapping[str, bytes | None]
    """The pages of the index that change; None for one that goes."""
    notes: tuple[str, ...]
    """What a person should know beside the plan's own notes."""
    commit: str = ""
    """Empty while nothing is written."""


def split(root: str, source: str, *, cut: Cut, agent: str, dry_run: bool = False) -> Split:
    """Split the file *source* and commit that; with *dry_run* only say how.

    Raises MemtoolError, and changes nothing, where the file cannot be split or the split cannot be proved.
    """
    repository.leave_commit_in_progress()
    repository.refuse_unfinished(root)
    if not head(root):
        raise MemtoolError(f"{source}: nothing is committed here yet", hint="Commit the file, then split it.")
    with Objects(root) as objects:
        committed = CommitTree(objects, "HEAD")
        config = load_config(WorkTree(root))[0].writable()
        data = places.read_source(root, source, config)
        if not dry_run:
            places.refuse_uncommitted(root, source, data, committed)
        planned = _plan(root, source, data, cut, committed, config)
        made = files(planned, Drafts(planned).of)
        proof.prove(planned, made)
        committed.fetch([path for path in committed if config.is_memory(path)])
        after = {path: content for path, content in made.items() if content is not None}
        links = tuple(broken(planned, after, committed, config.is_memory))
        pages = index_pages(root, committed, config, made)
    result = Split(planned, made, links, pages, tuple(_notes(planned, pages, config)))
    return result if dry_run else result.replace(commit=_write(root, result, agent=agent))


def _plan(root: str, source: str, data: bytes, cut: Cut, committed: CommitTree, config: Config) -> Plan:
    """Plan the split, and see that nothing stands where its parts go."""
    folder = places.folder_for(source, cut.into, config)
    if config.is_resident(source):  # it is to shrink, however small it is
        cut = cut.replace(target=SMALL)
    planned = plan(source, data, lambda: places.names_in(folder, source, config), cut)
    paths = [part.path for part in planned.parts]
    places.refuse_other_tiers(paths, config)
    places.refuse_taken(root, paths, committed)
    places.refuse_ignored(root, paths)
    return planned


def _notes(planned: Plan, pages: Mapping[str, bytes | None], config: Config) -> list[str]:
    """Tell what the split means for the tiers and for the index."""
    told = []
    if config.is_resident(planned.source):
        goes = "is gone for every session" if planned.remove else "is a list of its parts from now on"
        told.append(f"{planned.source} is read at every start: it {goes}, and what it said is read on demand")
    for page, data in pages.items():
        told += [f"{page}: {one.message} {one.hint}" for one in over_budget(page, len(data or b""), config)]
    return told


def _write(root: str, result: Split, *, agent: str) -> str:
    """Write the parts, the index, then the source, and commit them together."""
    source = result.plan.source
    after = {path: result.files[path] for path in result.files if path != source}
    after |= {**result.pages, source: result.files[source]}
    digits = len(head(root))
    said = proof.trailers(result.plan, result.files, lambda data: blob_id(data, digits).decode())
    message = Message(
        f"Split {printable(source)} into {len(result.plan.parts)} files",
        proof.OPERATION,
        agent,
        [*trailer_path(source), *said],
    )
    before: dict[str, bytes | None] = dict.fromkeys(part.path for part in result.plan.parts)
    made = commit(root, before | {source: result.plan.data}, after, message)
    _prove(root, made)
    return made


def _prove(root: str, made: str) -> None:
    """Hold the commit that was *made* to its own claim: a hook of the repo may have changed files or message."""
    back = f"`git reset --keep {made[:12]}^` undoes it, while nothing is committed on top."
    try:
        (proved,) = prove_all(root, made)
    except MemtoolError as error:
        raise MemtoolError(
            f"{made[:12]}: committed, but a hook changed its message: {error.message}", hint=back
        ) from None
    if proved.faults or proved.notes:
        what = (*proved.faults, *proved.notes)[0]
        raise MemtoolError(f"{made[:12]}: committed, but a hook changed what was written: {what}", hint=back)
