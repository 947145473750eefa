"""Two memory trees merged: files added, deleted and renamed, and each that both sides changed, by its parts."""

from __future__ import annotations

from _collections_abc import Sequence
from functools import reduce

from memtool.core.config import Config
from memtool.core.merge import copy, file
from memtool.core.merge.aside import DELETED, Aside, Merged
from memtool.core.merge.moves import followed
from memtool.core.merge.rename import Versions, versions
from memtool.core.page import is_generated
from memtool.model import Record, Snapshot, odd

TORN = "the sides renamed it differently: it has the first of the two names"


class Conflict(Record):
    """One place where a merge had to choose; nothing of either side is lost by it."""

    path: str
    """The file in the merged tree."""
    what: str
    """The section's heading, or the key of the front matter; nothing for a whole file."""
    reason: str
    copy: str = ""
    """The conflict copy that holds the text which was set aside; empty where none was."""


class Merge(Record):
    """What a merge gives."""

    files: dict[str, bytes]
    """The memory of the merged tree, by path, conflict copies included."""
    removed: tuple[str, ...]
    """The memory files of any of the trees that are not in the merged one."""
    conflicts: tuple[Conflict, ...]
    """By path, sections in order."""
    others: tuple[str, ...]
    """The paths of the three trees that are no memory: git merges them."""


def merge(base: Snapshot, ours: Snapshot, theirs: Snapshot, *, config: Config) -> Merge:
    """Merge the memory of two trees that both come from *base*; which of the two is *ours* makes no difference.

    Generated pages are left out: they are rebuilt. What neither side changed may be left out of all three trees.
    """
    trees = base, ours, theirs
    paths = sorted({*base, *ours, *theirs})
    memory = [path for path in paths if _is_memory(path, trees, config)]
    was, one, other = ({path: tree[path] for path in memory if path in tree} for tree in trees)
    changed = [path for path in memory if _differs(path, (was, one, other))]
    found, conflicts = dict[str, set[bytes]](), list[Conflict]()
    for three in versions(was, *followed(was, one, other, changed)):
        contents, told = _outcome(three, config)
        conflicts += told
        for path, data in contents:
            found.setdefault(path, set()).add(data)
    files = {path: reduce(_together, sorted(found[path])) for path in sorted(found)}
    rest = (path for path in set(paths).difference(memory) if not _is_rebuilt(path, trees, config))
    others = tuple(sorted(rest))  # one may differ in its mode, or be a link: that is not seen here
    removed = tuple(path for path in memory if path not in files)
    return Merge(files, removed, tuple(sorted(conflicts, key=lambda one: one.path)), others)


def _is_memory(path: str, trees: Sequence[Snapshot], config: Config) -> bool:
    mine = config.is_memory(path) or config.is_conflict(path)
    return mine and not any(path in tree and odd(tree, path) for tree in trees)


def _is_rebuilt(path: str, trees: Sequence[Snapshot], config: Config) -> bool:
    if path == config.digest:
        return True
    return config.is_index(path) and all(is_generated(tree[path]) for tree in trees if path in tree)


def _differs(path: str, trees: Sequence[Snapshot]) -> bool:
    return len({tree.get(path) for tree in trees}) > 1


def _together(one: bytes, other: bytes) -> bytes:
    """Put two files in one, that have come to the same path."""
    return file.merge_file(None, one, other)


def _outcome(three: Versions, config: Config) -> tuple[list[tuple[str, bytes]], list[Conflict]]:
    """Merge one file: it and its conflict copies, with their paths, and what there is to say."""
    merged = _file(three)
    if merged is None:
        return [], []
    contents, conflicts = [(three.path, merged.data)], list[Conflict]()
    for aside in merged.asides:
        place, data = copy.written(three.path, aside, config) if aside.text else ("", b"")
        conflicts.append(Conflict(three.path, aside.what, aside.reason, place))
        contents += [(place, data)] if place else []
    return contents, conflicts


def _file(one: Versions) -> Merged | None:
    """Merge one file; None where it goes."""
    said = (Aside("", TORN),) if one.torn else ()
    if one.ours is not None and one.theirs is not None:
        merged = file.merge(one.base, one.ours, one.theirs)
        return merged.replace(asides=said + merged.asides)
    stays = one.theirs if one.ours is None else one.ours
    if stays is None or (stays == one.base and not one.renamed):
        return None
    return Merged(stays, () if one.base is None else (Aside("", DELETED),))
