"""From the files of the work tree to the pages of the index, and the pages to the disk."""

from __future__ import annotations

import os
from _collections_abc import Iterator, Mapping, Sequence

from memtool.core import index, row
from memtool.core.config import Config
from memtool.core.layout import assemble
from memtool.core.page import is_generated
from memtool.edge import index_cache
from memtool.edge.files import read_regular, remove, write_atomically
from memtool.edge.index_cache import Rows
from memtool.edge.trees import WorkTree, blob_id
from memtool.errors import MemtoolError
from memtool.model import Record

_MANY = 100
"""Files to read, or pages to compare, from which on it pays to import what is quick with many."""


class Made(Record):
    """The index as the files of the work tree make it."""

    files: int
    pages: dict[str, bytes]


def make(tree: WorkTree, config: Config) -> Made:
    """Make the pages: rows of unchanged files from the cache, all others from the bytes."""
    known = index_cache.load_rows(tree.root, config)
    key_of = index.selector(config)
    lines: dict[str, bytes] = {}
    journals: dict[str, bytes] = {}
    unknown: list[str] = []
    journal_files = 0
    for path, oid in tree.ids().items():
        if oid and known.ids.get(path) == oid:
            lines[path] = known.lines[path]
        elif (key := key_of(path)) == path:
            unknown.append(path)
        elif key:
            journal_files += 1
            journals[key] = journals.get(key) or index.of_journal(key, config)
    lines |= {path: line for path, line in _read(tree.root, unknown, config) if line}
    _keep_rows(tree, config, known, lines)
    return Made(len(lines) + journal_files, assemble(lines | journals, config))


def _read(root: str, paths: Sequence[str], config: Config) -> Iterator[tuple[str, bytes]]:
    """Yield the row of each of *paths*; nothing for a generated page of another layout."""
    if len(paths) >= _MANY:
        from memtool.edge import heads

        yield from heads.rows(root, paths, config)
        return
    for path in paths:
        data = read_regular(os.path.join(root, path))
        yield path, index.of_odd(path, data, config) if isinstance(data, str) else index.of_data(path, data, config)


def _keep_rows(tree: WorkTree, config: Config, known: Rows, lines: Mapping[str, bytes]) -> None:
    """Keep the rows of the files that are as they are staged; what was known of one that differs may hold again.

    What could not be read is tried again: that is not for the blob's id to say.
    """
    ids = tree.ids()
    kept = {path: ids[path] or known.ids.get(path, b"") for path, line in lines.items() if row.NOT_READ not in line}
    kept = {path: oid for path, oid in kept.items() if oid}
    if kept != known.ids:
        rows = {path: lines[path] if ids[path] else known.lines[path] for path in kept}
        index_cache.save_rows(tree.root, config, Rows(kept, rows))


# --- pages on disk ---------------------------------------------------------------------------------------------------


def changes(tree: WorkTree, config: Config, made: Made) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the pages whose bytes must change, and the generated ones that are pages no longer.

    Raises MemtoolError where a page would take the place of what memtool did not generate.
    """
    _refuse_link(tree.root, config.index)
    return tuple(_differing(tree, made.pages)), tuple(index.left_over(made.pages, tree, config))


def apply(root: str, made: Made, stale: Sequence[str], removed: Sequence[str]) -> None:
    """Write the *stale* pages, each whole or not at all, and take away the *removed* ones."""
    for page in stale:
        write_atomically(os.path.join(root, page), made.pages[page], durable=False)
    for page in removed:
        remove(os.path.join(root, page), upto=root)


def _differing(tree: WorkTree, pages: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the pages that do not stand in the tree as they should; raises MemtoolError as `_standing` does.

    Of many pages most are as they are staged, and git's id tells what that is without opening them.
    """
    ids = tree.ids() if len(pages) >= _MANY else {}
    for page, data in pages.items():
        oid = ids.get(page, b"")
        if not (oid and oid == blob_id(data, len(oid))) and _standing(tree.root, page) != data:
            yield page


def _standing(root: str, page: str) -> bytes | None:
    """Read the page that stands at *page*, if any; raises MemtoolError where that is none of memtool's."""
    place = os.path.join(root, page)
    data = read_regular(place)
    if isinstance(data, bytes) and (is_generated(data) or not data):
        return data
    if not os.path.lexists(place):
        return None
    what = data if isinstance(data, str) else "a file that memtool did not generate"
    raise MemtoolError(f"{page}: the index belongs here, and here is {what}", hint=index.ELSEWHERE)


def _refuse_link(root: str, page: str) -> None:
    """Refuse a page whose folder is reached through a link: it may lie outside the repo."""
    folder = os.path.dirname(page)
    if folder and os.path.realpath(os.path.join(root, folder)) != os.path.join(os.path.realpath(root), folder):
        raise MemtoolError(f"{folder}: the index belongs here, and here is a symbolic link", hint=index.ELSEWHERE)
