"""What this machine changed, committed: of memory only, and only what may enter it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from memtool.core.changes import similar
from memtool.core.check import Change, check
from memtool.core.config import CONFIG, Config
from memtool.edge import repository
from memtool.edge.files import irregular
from memtool.edge.location import head, load_config
from memtool.edge.mint import Data, new_commit
from memtool.edge.plumbing import Objects, path_of, records
from memtool.edge.trees import CommitTree, Folder
from memtool.errors import MemtoolError
from memtool.jobs.check import filters
from memtool.jobs.commit import Message, commit, index_pages, on_disk
from memtool.jobs.sync.stop import Stop, stop_of
from memtool.model import Finding, Overlay, Record

_FEW = 10
"""Files that may be deleted without a second look, whatever share of the memory they are."""
NO_MEMORY = "no memory (memtool.yaml decides)"
_SAID = 6
"""Lines of a hook that are repeated."""


Pages = Mapping[str, "bytes | None"]


class Left(Record):
    """A change that is not committed, and why."""

    path: str
    why: str
    is_memory: bool = False
    """A person has to settle it; anything else is none of a sync's business."""


class Local(Record):
    """What there is to commit."""

    paths: tuple[str, ...]
    """Files that are committed as they lie there."""
    left: tuple[Left, ...]
    findings: tuple[Finding, ...] = ()
    """What keeps files out."""
    pages: Pages = MappingProxyType({})
    """The pages of the index that change with them."""

    @property
    def is_empty(self) -> bool:
        return not self.paths and not self.pages


def look(root: str, *, today: str) -> Local:
    """Tell which changes of memory files are to be committed, and which are not; change nothing.

    Raises Stop where so much is deleted that somebody should look first.
    """
    states = repository.status(root)
    if not states:
        return Local((), ())
    config = load_config(Folder(root))[0].writable()
    refuse_filtered(root, config)
    sorted_out = {path: _why_left(root, path, letters, config) for path, letters in states.items()}
    wanted = [path for path, why in sorted_out.items() if not why]
    tip = head(root)
    with Objects(root) as objects:
        tree = CommitTree(objects, tip) if tip else None
        if tree is not None:
            _refuse_many_deleted(tree, [path for path in wanted if states[path] == " D"], config)
        wrong = _refused(tree, root, wanted, config, today) if wanted else []
        reasons = {path: why for path, why in sorted_out.items() if why}
        reasons |= {finding.path: f"{finding.code}: {finding.message}" for finding in reversed(wrong) if finding.path}
        reasons |= _halves(root, tree, [path for path in wanted if path not in reasons], reasons)
        paths, pages = _with_pages(root, tree, config, [path for path in wanted if path not in reasons])
    left = tuple(Left(path, why, config.is_memory(path)) for path, why in reasons.items())
    return Local(paths, left, tuple(wrong), pages)


def _halves(root: str, tree: CommitTree | None, paths: Sequence[str], left: Iterable[str]) -> dict[str, str]:
    """Say of files that are gone that their new names stay behind: half a rename would take the text from all others.

    The text is looked for only where some file stays behind, so that an ordinary deletion costs nothing.
    """
    there = {path: data for path in left if path.endswith(".md") and (data := on_disk(root, path)) is not None}
    if tree is None or not there:
        return {}
    gone = {path: tree.get(path, b"") for path in paths if not os.path.lexists(os.path.join(root, path))}
    return {old: f"its new name {new} stays behind" for new, old in similar(gone, there).items()}


def refuse_filtered(root: str, config: Config) -> None:
    """Raise Stop where git keeps memory in other bytes than those on the disk: each sync would convert them again."""
    paths = [path for path in map(path_of, records(root, "ls-files", "-z")) if config.is_memory(path)]
    if found := filters(root, Folder(root), paths):
        path, name = next(iter(found.items()))
        raise Stop("filtered", why=f"{path}: {name}", paths=tuple(found))


def _with_pages(
    root: str, tree: CommitTree | None, config: Config, wanted: Sequence[str]
) -> tuple[tuple[str, ...], Pages]:
    """Give what to commit as it lies there, and the pages of the index as the commit makes them.

    A page on disk may tell of files that are left out; then it is neither.
    """
    if tree is None:
        return tuple(wanted), {}
    there = {path: on_disk(root, path) for path in wanted if config.is_on_demand(path)}
    made = index_pages(root, tree, config, there) if wanted else {}
    return tuple(path for path in wanted if path not in made), {
        page: data for page, data in made.items() if tree.get(page) != data
    }


def commit_local(root: str, local: Local, *, agent: str) -> str:
    """Commit what `look` found; give the commit. Raises Stop where a hook of the repo refuses it."""
    message = Message("Commit what changed here", "sync", agent)
    try:
        return commit(root, {}, local.pages, message, also=local.paths)
    except MemtoolError as error:
        if error.message.startswith("nothing was changed: ") and stop_of(error).name == "failed":
            what, *said = error.message.removeprefix("nothing was changed: ").splitlines()
            raise Stop("refused", why="; ".join((what, *filter(None, said[:_SAID])))) from error
        raise


def preview(root: str, local: Local, ours: str, *, agent: str) -> str:
    """Give the commit that `commit_local` would make: an object that nothing leads to."""
    there = {path: on_disk(root, path) for path in local.paths} | dict(local.pages)
    files = {path: None if data is None else Data(b"100644", data) for path, data in there.items()}
    parents = [ours] if ours else []
    return new_commit(root, parents=parents, files=files, message="Preview\n", agent=agent) if files else ours


def _why_left(root: str, path: str, letters: str, config: Config) -> str:
    """Say why a changed file is none of a sync's to commit; nothing where it is."""
    mine = config.is_memory(path) or config.is_index(path) or config.is_conflict(path)
    if path == config.digest:
        return "it is generated at each start, and never committed"
    if not mine and (letters == "??" or path != CONFIG):
        return NO_MEMORY
    if letters != "??" and letters[0] != " " and letters[1] != " ":
        return "it is staged, and changed again since"
    place = os.path.join(root, path)
    if letters[0] == "D" and os.path.lexists(place):
        return "it is staged to go, and is still there"
    if os.path.realpath(os.path.dirname(place)) != os.path.normpath(os.path.join(os.path.realpath(root), path, "..")):
        return "it lies behind a symbolic link"
    what = irregular(place) if os.path.lexists(place) else ""
    return f"it is {what}" if what else ""


def _refuse_many_deleted(tree: CommitTree, wanted: Sequence[str], config: Config) -> None:
    """Raise Stop where most of the memory is gone, or all that is resident: a failed restore, a disk that is missing.

    *wanted* are the files that are gone from the disk alone; who has staged a deletion has meant it.
    """
    gone = {path for path in wanted if config.is_memory(path)}
    if not gone:
        return
    there = [path for path in tree if config.is_memory(path)]
    resident = set(config.resident_paths(tree))
    if (len(gone) > _FEW and 2 * len(gone) > len(there)) or len(gone) == len(there) or (resident and resident <= gone):
        raise Stop("many-deleted", why=f"{len(gone)} of {len(there)} memory files are gone from the disk")


def _refused(tree: CommitTree | None, root: str, wanted: Sequence[str], config: Config, today: str) -> list[Finding]:
    """List the errors that the changes bring; each keeps its file out."""
    changes = {path: on_disk(root, path) for path in wanted}
    adopting = tree is None or CONFIG not in tree
    change = Change(tuple(sorted(changes)), () if tree is None else (tree,), adopting)
    report = check(Overlay(tree or {}, changes), config, source="work tree", today=today, change=change)
    return [finding for finding in report.findings if finding.severity == "error"]
