"""One commit of memtool's own: some files as they will be, and the pages of the index that lead to them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from memtool.core import index
from memtool.core.config import Config
from memtool.edge import repository
from memtool.edge.files import read_regular, sweep, write_atomically
from memtool.edge.location import head
from memtool.edge.pending import note, pending
from memtool.edge.plumbing import GitError, Objects, git, raw_path
from memtool.edge.transaction import Files, change
from memtool.edge.trees import CommitTree, WorkTree, blob_id
from memtool.errors import MemtoolError
from memtool.jobs import pages
from memtool.jobs.index import write_index
from memtool.jobs.pages import Made
from memtool.model import Overlay, Record

_MANY = 1000
"""Paths that are given to one git as arguments."""


class Message(Record):
    """What the commit says of itself; no memory text."""

    subject: str
    operation: str
    agent: str
    trailers: Sequence[str] = ()


def trailer_path(path: str) -> list[str]:
    """Give the trailer that names *path*; none for a name that could forge another line."""
    return [f"Memory-Path: {path}"] if path.isprintable() and raw_path(path).isascii() else []


def index_pages(root: str, committed: CommitTree, config: Config, changes: Files) -> dict[str, bytes | None]:
    """Give the pages of the index that *changes* change: of what will be committed, not of what else lies about."""
    committed.fetch([path for path in committed if config.is_on_demand(path)])
    should = index.pages(Overlay(committed, changes), config)
    stale, removed = pages.changes(WorkTree(root), config, Made(0, should))
    return {page: should[page] for page in stale} | dict.fromkeys(removed)


def write_pages(root: str, config: Config, paths: Sequence[str]) -> list[str]:
    """Write the pages of the index that lead to what is new among *paths*, as the commit will hold them; list them."""
    with Objects(root) as objects:
        committed = CommitTree(objects, "HEAD") if head(root) else None
        if committed is None or all(path in committed and not config.is_index(path) for path in paths):
            return []
        there = {path: on_disk(root, path) for path in paths if config.is_on_demand(path)}
        made = index_pages(root, committed, config, there)
    written = {page: content for page, content in made.items() if content is not None}
    note(root, [*pending(root), *written])
    for page, content in written.items():
        sweep(os.path.dirname(os.path.join(root, page)))
        write_atomically(os.path.join(root, page), content, durable=False)
    return list(written)


def commit(root: str, before: Files, after: Files, message: Message, *, also: Sequence[str] = ()) -> str:
    """Write the files of *after*, in order, commit them, and give the commit; or change nothing.

    *also* are files that go into the same commit as they lie there; no others do.

    *before* is what the caller took them for; a file that it leaves out, such as a page of the index, may be as it is.
    Raises MemtoolError where git would keep other bytes than these, with the words of a hook that refuses, and where a
    file has changed.
    """
    known = {path: before[path] if path in before else on_disk(root, path) for path in after}

    def make() -> str:
        _refuse_conversion(root, after)
        paths = list(dict.fromkeys([*after, *also]))
        done = _committed(root, paths, message)
        if also:
            note(root, [path for path in pending(root) if path not in paths])
        return done

    made = change(root, known, after, make)
    if repository.touched(root):  # the index of what is committed may lack what is not
        write_index(root)
    return made


def on_disk(root: str, path: str) -> bytes | None:
    """Give the content of a file of the work tree; None where none can be read."""
    data = read_regular(os.path.join(root, path))
    return data if isinstance(data, bytes) else None


def _refuse_conversion(root: str, files: Mapping[str, bytes | None]) -> None:
    """Raise MemtoolError where git would keep other bytes than those on disk: a filter, or converted line ends."""
    written = {path: data for path, data in files.items() if data is not None}
    names = list(written)
    batches = (names[at : at + _MANY] for at in range(0, len(names), _MANY))
    ids = [oid for batch in batches for oid in git(root, "hash-object", "--", *batch).split()]
    for (path, data), oid in zip(written.items(), ids, strict=True):
        if oid != blob_id(data, len(oid)):
            raise MemtoolError(
                f"{path}: git would not keep its bytes as they are (converted line ends, or a filter)",
                hint="Put `*.md -text` into .gitattributes, as `memtool init` does, and try again.",
            )


def _committed(root: str, paths: Sequence[str], message: Message) -> str:
    try:
        return repository.commit(
            root,
            paths,
            subject=message.subject,
            operation=message.operation,
            agent=message.agent,
            trailers=message.trailers,
        )
    except GitError as error:
        said = error.stderr.strip() or error.message
        raise MemtoolError(f"nothing was changed: git or one of its hooks refused the commit\n{said}") from error
