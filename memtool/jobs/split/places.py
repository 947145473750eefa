"""Which file may be split, and where its parts may go: everything that is refused before a plan is made."""

from __future__ import annotations

import os
from collections.abc import Iterable

from memtool.core.config import CONFIG, Config, basename
from memtool.core.index import selector
from memtool.core.page import FOLDERS, is_generated
from memtool.core.split.names import Names, folded
from memtool.edge import repository
from memtool.edge.files import read_regular
from memtool.edge.plumbing import path_of, records
from memtool.edge.trees import CommitTree, blob_id
from memtool.errors import MemtoolError

_COMMIT = "Commit it, then split it; where the budget refuses that commit, `git commit --no-verify` lets it pass."
_SHOWN = 3
"""How many paths a message names."""


def read_source(root: str, path: str, config: Config) -> bytes:
    """Read the file to be split; raises MemtoolError for what cannot be."""
    data = read_regular(os.path.join(root, path))
    if isinstance(data, str):
        raise MemtoolError(f"{path or root}: {data}", hint="Name one markdown file of the memory repo.")
    if not path.endswith(".md"):
        raise MemtoolError(f"{path}: no markdown; memory is `*.md`")
    if is_generated(data) or config.is_index(path) or path == config.digest:
        raise MemtoolError(f"{path}: memtool generates it", hint="Split the files that it is made from.")
    return data


def refuse_uncommitted(root: str, path: str, data: bytes, committed: CommitTree) -> None:
    """Raise MemtoolError where *data*, the file *path*, is not what HEAD holds: the proof needs it in history."""
    blob = committed.blob(path)
    if blob is None:
        raise MemtoolError(f"{path}: not committed yet; the proof of a split needs it in history", hint=_COMMIT)
    if path in repository.touched(root):
        raise MemtoolError(f"{path}: has changes that are not committed", hint=_COMMIT)
    if blob.oid != blob_id(data, len(blob.oid)):
        raise MemtoolError(
            f"{path}: git keeps other bytes of it than those on disk (converted line ends, or a filter)",
            hint="Put `*.md -text` into .gitattributes, as `memtool init` does; then split it.",
        )


def folder_for(source: str, into: str | None, config: Config) -> str:
    """Choose the folder of the parts: *into*, else beside the source if files there have rows in the index.

    A resident file's parts, and a journal's, go to the first folder of the on-demand tier.
    """
    has_row = selector(config)
    folder = os.path.dirname(source) if into is None else into
    if has_row(_member(folder)) == _member(folder):
        return folder
    first = next((name for name in config.on_demand if "*" not in name), "")
    if into is None and first and has_row(_member(first)) == _member(first):
        return first
    raise MemtoolError(
        f"{folder or 'the root of the repo'}: files there are not on demand, so no index would lead to the parts",
        hint=f"Name a folder below {', '.join(config.on_demand)} with --into, or map one in {CONFIG}.",
    )


def _member(folder: str) -> str:
    return f"{folder}/part.md" if folder else "part.md"


def names_in(folder: str, source: str, config: Config) -> Names:
    """Make what hands out the names of the parts in *folder*."""
    taken = [basename(source)] if os.path.dirname(source) == folder else []
    if config.index_layout == FOLDERS or os.path.dirname(config.index) == folder:
        taken.append(basename(config.index))
    return Names(folder, taken)


def refuse_taken(root: str, paths: list[str], committed: CommitTree) -> None:
    """Raise MemtoolError where a file stands at one of *paths*, or one that some file system takes for the same.

    In HEAD, in the index (a staged file may be gone from the disk), or on disk.
    """
    folder = os.path.dirname(paths[0])
    place = os.path.join(root, folder)
    known = {*committed.blobs(), *map(path_of, records(root, "ls-files", "-z"))}
    _refuse_detour(root, folder, known)
    present = [path_of(os.fsencode(name)) for name in os.listdir(place)] if os.path.isdir(place) else []
    present += [basename(path) for path in known if os.path.dirname(path) == folder]
    there = set(map(folded, present))
    taken = [path for path in paths if folded(basename(path)) in there]
    if taken:
        more = f" and {len(taken) - _SHOWN} more" if len(taken) > _SHOWN else ""
        raise MemtoolError(
            f"{', '.join(taken[:_SHOWN])}{more}: a file stands there already; nothing was written",
            hint="Choose another folder with --into DIR, or move that file.",
        )


def refuse_other_tiers(paths: list[str], config: Config) -> None:
    """Raise MemtoolError for a part to which no row of the index would lead: resident, excluded, or no memory."""
    has_row = selector(config)
    for path in paths:
        if has_row(path) != path:
            what = "would be read at every start" if config.is_resident(path) else "would not be on demand"
            raise MemtoolError(f"{path}: by {CONFIG} this part {what}", hint="Choose another folder with --into DIR.")


def _refuse_detour(root: str, folder: str, known: Iterable[str]) -> None:
    """Refuse a folder that is no plain folder of this repo, or that differs from a known one in case only."""
    here, parts = root, folder.split("/") if folder else []
    for name in parts:
        here = os.path.join(here, name)
        if os.path.islink(here) or (os.path.lexists(here) and not os.path.isdir(here)):
            raise MemtoolError(f"{os.path.relpath(here, root)}: no folder, or reached through a link")
        if os.path.lexists(os.path.join(here, ".git")):
            raise MemtoolError(f"{os.path.relpath(here, root)}: another repository begins there")
    wanted = {folded("/".join(parts[:end])): "/".join(parts[:end]) for end in range(1, len(parts) + 1)}
    for path in known:
        above = path.rpartition("/")[0]
        while above:
            if wanted.get(folded(above), above) != above:
                raise MemtoolError(
                    f"{folder}: {above} is there, and some file systems take the two for one",
                    hint=f"Use --into {above}.",
                )
            above = above.rpartition("/")[0]


def refuse_ignored(root: str, paths: list[str]) -> None:
    ignored = repository.ignored(root, paths)
    if ignored:
        raise MemtoolError(f"{ignored[0]}: git is told to ignore it", hint="Choose another folder with --into DIR.")
