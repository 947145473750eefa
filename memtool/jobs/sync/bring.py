"""Two histories brought together in one commit: memory by its parts, the index made anew, all else as git merges it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from memtool.core import index
from memtool.core.config import CONFIG, Config
from memtool.core.log.back import returning
from memtool.core.merge.tree import Conflict, Merge, merge
from memtool.core.page import is_generated
from memtool.edge.delta import deltas
from memtool.edge.location import load_config
from memtool.edge.mint import Data, new_commit
from memtool.edge.plumbing import Objects, git, path_of
from memtool.edge.trees import Blob, CommitTree
from memtool.errors import MemtoolError
from memtool.jobs.sync.arrive import bases
from memtool.jobs.sync.stop import Stop
from memtool.model import Overlay, Part, Record, Snapshot

_REGULAR = b"100644"
Content = Blob | Data | None


_SINCE = "the same was changed in it since"
_VOID = "what is void in it would be back"


class Brought(Record):
    """Two histories brought together."""

    commit: str
    conflicts: tuple[Conflict, ...] = ()


def bring(root: str, ours: str, theirs: str, common: Sequence[str], *, agent: str) -> Brought:
    """Give the commit that holds what both have; *theirs* itself where nothing is to be merged and its index is right.

    Nothing but objects is written. Raises Stop where files that are no memory cannot be merged, and where memtool.yaml
    would be one that this memtool cannot use.
    """
    try:
        return _brought(root, ours, theirs, common, agent=agent)
    except MemtoolError as error:
        if not error.message.startswith(CONFIG):
            raise
        mend = (
            "Mend it where it was written and sync there, then memtool sync.\n"
            f"To mend it here: git merge {theirs[:12]}\n"
            "then change memtool.yaml, commit it, and memtool sync"
        )
        raise Stop("bad-config", why=f"once merged, {error.message}", choices=error.hint or mend) from error


def _brought(root: str, ours: str, theirs: str, common: Sequence[str], *, agent: str) -> Brought:
    with Objects(root) as objects:
        files, conflicts, parents = dict[str, Content](), tuple[Conflict, ...](), [theirs]
        if list(common) != [ours]:
            files, conflicts = merged(root, objects, ours, theirs, common)
            parents = [ours, theirs]
        changed = [*(one.path for one in deltas(root, ours, theirs)), *files]
        files = _with_index(CommitTree(objects, parents[0]), files, changed)
    if not files and len(parents) == 1:
        return Brought(theirs)
    subject = "Merge what other machines wrote" if len(parents) > 1 else "Write the index anew"
    message = _message(subject, "sync" if len(parents) > 1 else "index", agent)
    return Brought(new_commit(root, parents=parents, files=files, message=message, agent=agent), conflicts)


def indexed(root: str, ours: str, since: str, *, agent: str) -> str:
    """Give *ours*, or a commit on it that mends the index where what was committed after *since* has left it stale."""
    with Objects(root) as objects:
        files = _with_index(CommitTree(objects, ours), {}, [one.path for one in deltas(root, since, ours)])
    message = _message("Write the index anew", "index", agent)
    return new_commit(root, parents=[ours], files=files, message=message, agent=agent) if files else ours


def taken_out(root: str, tip: str, end: str, target: str, *, agent: str) -> tuple[str, dict[str, str]]:
    """Give a commit on *tip* that takes out what *end* has over *target*; what was written after *end* stays.

    The files that stay as they are come with the reason: the same was changed since, or withdrawn text would be back.
    """
    with Objects(root) as objects:
        one, was, other = (CommitTree(objects, oid) for oid in (tip, end, target))
        config = load_config(one)[0].writable()
        paths = {found.path for found in deltas(root, target, end)}
        result = merge(_part(was, paths), _part(one, paths), _part(other, paths), config=config)
        files = _files(result, one, other)
        stay = {path: _SINCE for path in result.others if one.blob(path) not in {was.blob(path), other.blob(path)}}
        stay |= {found.path: _SINCE for found in result.conflicts if found.copy}
        stay |= {path: _VOID for path, what in files.items() if _brings_back(one.get(path, b""), what)}
        files |= {path: other.blob(path) for path in result.others}
        copies = {found.copy for found in result.conflicts}
        files = {path: what for path, what in files.items() if path not in stay and path not in copies}
        files = _with_index(one, files, list(files))
    message = _message("Take back the last sync", "undo", agent)
    return new_commit(root, parents=[tip], files=files, message=message, agent=agent), stay


def _brings_back(now: bytes, then: Content) -> bool:
    """Tell whether a file would assert again what it declares void."""
    return isinstance(then, Data) and next(returning(now, then.data), None) is not None


def _message(subject: str, operation: str, agent: str) -> str:
    trailers = [f"Memory-Op: {operation}", *([f"Memory-Agent: {agent}"] if agent else [])]
    return "\n".join((subject, "", *trailers, ""))


def merged(
    root: str, objects: Objects, ours: str, theirs: str, common: Sequence[str]
) -> tuple[dict[str, Content], tuple[Conflict, ...]]:
    """Give what the merge changes in the tree of *ours*, and where it had to choose."""
    one, other = CommitTree(objects, ours), CommitTree(objects, theirs)
    paths = {found.path for base in common for tip in (ours, theirs) for found in deltas(root, base, tip)}
    by_git = _by_git(root, ours, theirs) if CONFIG in paths else None
    if by_git and CONFIG in by_git.conflicts:
        raise Stop("conflict-elsewhere", paths=(CONFIG,), tip=theirs[:12])
    config = load_config(CommitTree(objects, by_git.tree) if by_git else one)[0].writable()
    was = _base(root, objects, common, paths, config)
    result = merge(was, _part(one, paths), _part(other, paths), config=config)
    files = _files(result, one, other)
    if result.others:
        by_git = by_git or _by_git(root, ours, theirs)
        made = {found.path: found.new for found in deltas(root, ours, by_git.tree)}
        stuck = _stuck(by_git, made, result, paths)
        stuck |= _crossed(CommitTree(objects, common[0]), (one, other), CommitTree(objects, by_git.tree), result)
        if stuck:
            raise Stop("conflict-elsewhere", paths=tuple(sorted(stuck)), tip=theirs[:12])
        files |= {path: blob for path, blob in made.items() if path in result.others}
    _refuse_clash(Overlay(one, {path: None if what is None else b"" for path, what in files.items()}), theirs)
    return files, result.conflicts


def _files(result: Merge, one: CommitTree, other: CommitTree) -> dict[str, Content]:
    """Give what a merge of memory changes in the tree *one*."""
    gone: dict[str, Content] = dict.fromkeys(path for path in result.removed if path in one)
    data = {path: Data(_mode(path, one, other), data) for path, data in result.files.items() if one.get(path) != data}
    return gone | data


def _part(tree: CommitTree, paths: set[str]) -> Part:
    """Give those files of a tree, read at once."""
    there = [path for path in sorted(paths) if path in tree]
    tree.fetch(there)
    return Part(tree, there)


def _base(root: str, objects: Objects, common: Sequence[str], paths: set[str], config: Config) -> Snapshot:
    """Give what the two sides started from; several last common commits are merged themselves, as git does."""

    def together(one: tuple[str, Snapshot], other: tuple[str, Snapshot]) -> tuple[str, Snapshot]:
        below = _base(root, objects, bases(root, one[0], other[0]), paths, config)
        return one[0], merge(below, one[1], other[1], config=config).files

    trees: list[tuple[str, Snapshot]] = [(oid, _part(CommitTree(objects, oid), paths)) for oid in sorted(common)]
    return reduce(together, trees)[1] if trees else {}


def _mode(path: str, *trees: CommitTree) -> bytes:
    """Give the mode of a merged file: executable only where all who have it say so."""
    return min((blob.mode for tree in trees if (blob := tree.blob(path))), default=_REGULAR)


# --- what is no memory -----------------------------------------------------------------------------------------------


_BY_LINES = "git merge-file -q --marker-size=%L %A %O %B"
"""How git merges markdown that is no memory; what it makes of memory files is not used."""


class ByGit(Record):
    """The merge as git makes it."""

    tree: str
    conflicts: tuple[str, ...]


def _by_git(root: str, ours: str, theirs: str) -> ByGit:
    """Let git merge the two, in objects alone; its own driver for memory files is not asked, for they are ours."""
    said = git(
        root, "-c", f"merge.memtool.driver={_BY_LINES}", "-c", "merge.directoryRenames=false",
        "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs, ok=(0, 1),
    )  # fmt: skip
    tree, *paths = said.rstrip(b"\0").split(b"\0")
    return ByGit(tree.decode(), tuple(map(path_of, filter(None, paths))))


def _stuck(by_git: ByGit, made: Mapping[str, Blob | None], result: Merge, paths: set[str]) -> set[str]:
    """List what git could not merge, or put where none of the trees has anything, as beside a folder in its way."""
    elsewhere = {path for path, blob in made.items() if blob and path not in paths}
    return elsewhere | {path for path in by_git.conflicts if path in result.others or path not in paths}


def _crossed(base: CommitTree, sides: tuple[CommitTree, CommitTree], made: CommitTree, result: Merge) -> set[str]:
    """List files that one side edited and the other renamed to what is memory: git has the edit there, memtool not."""
    if all(path in base for path in result.files):
        return set()
    return {
        path
        for path in result.others
        for editor, mover in (sides, sides[::-1])
        if path in editor and path not in mover and path not in made and editor.blob(path) != base.blob(path)
    }


def _refuse_clash(result: Snapshot, theirs: str) -> None:
    """Raise Stop where a path would be a file and a folder at once."""
    folders = {path[:at] for path in result for at, char in enumerate(path) if char == "/"}
    clash = sorted(folder for folder in folders if folder in result)
    if clash:
        raise Stop("conflict-elsewhere", why="a file here is a folder there", paths=tuple(clash), tip=theirs[:12])


# --- the index -------------------------------------------------------------------------------------------------------


def _with_index(tree: CommitTree, files: Mapping[str, Content], changed: Sequence[str]) -> dict[str, Content]:
    """Add the pages of the index that are not what the merged files make; one that memtool did not write stays."""
    known = {path: what.data if isinstance(what, Data) else None for path, what in files.items() if not _is_blob(what)}
    result = Overlay(tree, known)
    config = load_config(result)[0].writable()
    if not index.row_findings(result, config, changed):
        return dict(files)
    tree.fetch([path for path in tree if config.is_on_demand(path)])
    should = index.pages(result, config)
    pages = {page: Data(_REGULAR, data) for page, data in should.items() if _is_stale(result, page, data)}
    return {**files, **pages, **dict.fromkeys(index.left_over(should, result, config))}


def _is_blob(what: Content) -> bool:
    return isinstance(what, Blob)


def _is_stale(result: Snapshot, page: str, data: bytes) -> bool:
    present = result.get(page)
    return present != data and (not present or is_generated(present))
