"""Split one file: plan, proof, the files, the index, one commit; and the links mended in a second one."""

from __future__ import annotations

import os
from collections.abc import Mapping

from memtool.core import index
from memtool.core.config import Config
from memtool.core.report import printable
from memtool.core.split import proof
from memtool.core.split.draft import Drafts
from memtool.core.split.files import files
from memtool.core.split.links import BrokenLink, broken
from memtool.core.split.plan import SMALL, Cut, Plan, plan
from memtool.edge import repository
from memtool.edge.files import read_regular
from memtool.edge.location import head, load_config
from memtool.edge.plumbing import GitError, Objects
from memtool.edge.transaction import change
from memtool.edge.trees import CommitTree, WorkTree, blob_id
from memtool.errors import MemtoolError
from memtool.jobs import pages
from memtool.jobs.index import write_index
from memtool.jobs.pages import Made
from memtool.jobs.split import places
from memtool.model import Overlay, Record


class Split(Record):
    """What `split` is about to do, or has done."""

    plan: Plan
    files: Mapping[str, bytes | None]
    """What is written: the parts, then the source; None: it goes."""
    links: tuple[BrokenLink, ...]
    """The links that no longer lead to where they led."""
    commit: str = ""
    """Empty while nothing is written."""


def split(root: str, source: str, *, cut: Cut, into: str | None, agent: str, dry_run: bool = False) -> Split:
    """Split the file *source* and commit that; with *dry_run* only say how.

    Raises MemtoolError, and changes nothing, where the file cannot be split or the split cannot be proved.
    """
    repository.refuse_unfinished(root)
    if not head(root):
        raise MemtoolError(f"{source}: nothing is committed here yet", hint="Commit the file, then split it.")
    with Objects(root) as objects:
        committed = CommitTree(objects, "HEAD")
        config = load_config(WorkTree(root))[0].writable()
        data = places.read_source(root, source, committed, config)
        folder = places.folder_for(source, into, config)
        if config.is_resident(source):  # it is to shrink, however small it is
            cut = cut.replace(target=SMALL)
        planned = plan(source, data, lambda: places.names_in(folder, source, config), cut)
        paths = [part.path for part in planned.parts]
        places.refuse_taken(root, paths, committed)
        places.refuse_ignored(root, paths)
        made = files(planned, Drafts(planned).of)
        proof.prove(planned, made)
        committed.fetch([path for path in committed if config.is_memory(path)])
        after = {path: content for path, content in made.items() if content is not None}
        links = tuple(broken(planned, after, committed, config.is_memory))
        result = Split(planned, made, links)
        return result if dry_run else result.replace(commit=_write(root, committed, config, result, agent=agent))


def _write(root: str, committed: CommitTree, config: Config, result: Split, *, agent: str) -> str:
    """Write the parts, the index, then the source, and commit them together."""
    *parts, (source, route) = result.files.items()
    index_files = index_pages(root, committed, config, result.files)
    after = {**dict(parts), **index_files, source: route}
    digits = len(head(root))
    said = proof.trailers(result.plan, result.files, lambda data: blob_id(data, digits).decode())

    def commit() -> str:
        places.refuse_conversion(root, after)
        subject = f"Split {printable(source)} into {len(parts)} files"
        trailers = [*places.trailer_path(source), *said]
        return committed_as(root, list(after), subject, operation=proof.OPERATION, agent=agent, trailers=trailers)

    before = {path: on_disk(root, path) for path in after if path != source} | {source: result.plan.data}
    made = change(root, before, after, commit)
    if repository.touched(root):  # the index of what is committed may lack what is not
        write_index(root)
    return made


def index_pages(
    root: str, committed: CommitTree, config: Config, changes: Mapping[str, bytes | None]
) -> dict[str, bytes | None]:
    """Give the pages of the index that the split changes: of what will be committed, not of what else lies about."""
    should = index.pages(Overlay(committed, changes), config)
    stale, removed = pages.changes(WorkTree(root), config, Made(0, should))
    return {page: should[page] for page in stale} | dict.fromkeys(removed)


def on_disk(root: str, path: str) -> bytes | None:
    """Give the content of a file of the work tree; None where none is."""
    data = read_regular(os.path.join(root, path))
    return data if isinstance(data, bytes) else None


def committed_as(root: str, paths: list[str], subject: str, *, operation: str, agent: str, trailers: list[str]) -> str:
    """Commit *paths*; raises MemtoolError with the words of git, or of the hook that refused."""
    try:
        return repository.commit(root, paths, subject=subject, operation=operation, agent=agent, trailers=trailers)
    except GitError as error:
        said = error.stderr.strip() or error.message
        raise MemtoolError(f"nothing was changed: git or one of its hooks refused the commit\n{said}") from error
