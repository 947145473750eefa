"""`check`: the verdict on the work tree, on what is staged, on a commit, and on what is about to be pushed."""

from __future__ import annotations

import os
from _collections_abc import Iterator, Sequence

from memtool.core import budget
from memtool.core import check as core
from memtool.core.check import Change, Report
from memtool.core.config import CONFIG, Config
from memtool.edge.files import MAX_FILE
from memtool.edge.location import git_dir, load_config, read_line
from memtool.edge.plumbing import Objects, git, path_of, raw_path, records
from memtool.edge.trees import CommitTree, ObjectTree, WorkTree, staged
from memtool.errors import MemtoolError
from memtool.model import Finding, Record, Snapshot

_NO_COMMIT = frozenset("0")


class Checked(Record):
    """A report with the tree and the configuration that it speaks of."""

    report: Report
    config: Config
    snapshot: Snapshot


def check_work_tree(root: str, *, today: str, paths: Sequence[str] = ()) -> Checked:
    """Prove the files as they lie in the work tree, or only *paths* of it, given from the repo's root.

    Raises MemtoolError when nothing is there to examine: that must not look like a pass.
    """
    tree = WorkTree(root)
    config, unknown = load_config(tree)
    report = core.check(tree, config, source="work tree", today=today, paths=tuple(path.rstrip("/") for path in paths))
    return _examined(report, config, tree, unknown)


def check_commit(root: str, rev: str, *, today: str) -> Checked:
    """Prove the whole tree of the commit *rev*."""
    commit = (
        git(root, "rev-parse", "-q", "--verify", "--end-of-options", f"{rev}^{{commit}}", ok=(0, 1)).decode().strip()
    )
    if not commit:
        raise MemtoolError(f"{rev}: no such commit", hint="Name one as git does: HEAD, a branch, an id.")
    with Objects(root) as objects:
        tree = CommitTree(objects, commit)
        config, unknown = load_config(tree)
        tree.fetch([path for path in tree if config.is_memory(path)])
        return _examined(core.check(tree, config, source=rev, today=today), config, tree, unknown)


def _examined(report: Report, config: Config, tree: Snapshot, unknown: list[Finding]) -> Checked:
    if not report.files:
        raise MemtoolError(
            "no memory file was examined",
            hint=f"Which files are memory is said in {CONFIG}: resident, on_demand, exclude.",
        )
    return Checked(report.replace(findings=(*report.findings, *unknown)), config, tree)


def check_staged(root: str, *, today: str) -> Checked:
    """Judge the commit in the making, by exactly the bytes that it would hold."""
    with Objects(root) as objects:
        tree = staged(objects)
        config, unknown = load_config(tree)
        parents = _parents(root, objects, tree.base)
        adopting = not any(CONFIG in parent for parent in parents)
        paths = tuple(sorted(tree.changes))
        tree.filters = filters(root, tree, [path for path in paths if config.is_memory(path)], "--cached")
        tree.fetch([path for path in paths if config.is_memory(path)])
        report = core.check(tree, config, source="staged", today=today, change=Change(paths, parents, adopting))
        if CONFIG in tree.changes:
            report = report.replace(findings=(*report.findings, *unknown))
        return Checked(report, config, tree)


def _parents(root: str, objects: Objects, head: CommitTree | None) -> tuple[CommitTree, ...]:
    """List the trees that the commit builds on; a merge's other sides are named by git in a file or the environment."""
    if head is None:
        return ()
    merged = read_line(os.path.join(git_dir(root), "MERGE_HEAD")).split()
    merged += [name.removeprefix("GITHEAD_") for name in os.environ if name.startswith("GITHEAD_")]
    return (head, *(CommitTree(objects, commit) for commit in dict.fromkeys(merged)))


def filters(root: str, tree: ObjectTree, paths: Sequence[str], *where: str) -> dict[str, str]:
    """Map each of *paths* that git passes through a filter to the filter's name; asked only where one is named."""
    local = os.fsencode(read_line(os.path.join(git_dir(root), "info", "attributes")))
    attributes = [tree.get(".gitattributes", b""), local]
    if not paths or not any(b"filter" in text for text in attributes):
        return {}
    asked = b"".join(raw_path(path) + b"\0" for path in paths)
    answers = list(records(root, "check-attr", "-z", "--stdin", *where, "filter", stdin=asked))
    triples = zip(answers[::3], answers[2::3], strict=True)
    return {path_of(path): value.decode() for path, value in triples if value not in {b"unspecified", b"unset"}}


def check_push(root: str, updates: bytes, *, remote: str) -> tuple[list[Finding], list[Finding]]:
    """Judge the commits that a push to *remote* would carry: (what stops it, what is only said).

    *updates* is what git hands to pre-push: ``ref commit remote-ref remote-commit`` a line. Every version of every file
    is looked at, because what a later commit took out is still pushed. A budget is reported and never stops a push.
    """
    tips, theirs = _tips(updates)
    if not tips:
        return [], []
    stops: list[Finding] = []
    said: list[Finding] = []
    with Objects(root) as objects:
        trees = [CommitTree(objects, tip) for tip in tips]
        configs = [load_config(tree)[0] for tree in trees]
        for commit, path, oid in _new_blobs(root, _unpushed(root, tips, theirs, remote)):
            stops += (
                finding.replace(message=f"{finding.message} (commit {commit[:12]})")
                for finding in _pushed_file(objects, path, oid, configs)
            )
        for tree, config in zip(trees, configs, strict=True):
            said += core.budgets(budget.bill(tree, config), None, config=config)
    return list(dict.fromkeys(stops)), [finding.replace(severity="warning") for finding in dict.fromkeys(said)]


def _pushed_file(objects: Objects, path: str, oid: bytes, configs: Sequence[Config]) -> Iterator[Finding]:
    if any(path == config.digest for config in configs):
        yield core.digest_tracked(path)
    if any(config.is_memory(path) for config in configs):
        (info,) = objects.info([oid])
        if info is not None and info[2] <= MAX_FILE:
            (data,) = objects.contents([oid])
            yield from (finding for finding in core.dangers(path, data or b"") if finding.severity == "error")


def _tips(updates: bytes) -> tuple[list[str], list[str]]:
    """Give the commits that are pushed, and those that the remote holds now."""
    lines = [line.split(" ") for line in updates.decode("utf-8", "surrogateescape").splitlines()]
    pushed = [(words[1], words[3]) for words in lines if len(words) == 4 and set(words[1]) != _NO_COMMIT]
    return [ours for ours, _ in pushed], [theirs for _, theirs in pushed if set(theirs) != _NO_COMMIT]


def _unpushed(root: str, tips: Sequence[str], theirs: Sequence[str], remote: str) -> bytes:
    """List the commits that *remote* does not hold, as far as is known here, one a line."""
    with Objects(root) as objects:
        known = [oid for oid, info in zip(theirs, objects.info([oid.encode() for oid in theirs]), strict=True) if info]
    return git(root, "rev-list", *tips, "--not", f"--remotes={remote}", *known)


def _new_blobs(root: str, commits: bytes) -> Iterator[tuple[str, str, bytes]]:
    """Yield (commit, path, blob) for every file version that *commits* bring, each once."""
    listed = records(root, "diff-tree", "--stdin", "-r", "-m", "--root", "--no-renames", "-z", "--raw", stdin=commits)
    commit, seen = "", set[tuple[str, bytes]]()
    for record in listed:
        if not record.startswith(b":"):
            commit = record.decode()
            continue
        _, mode, _, oid, status = record.split(b" ")
        path = path_of(next(listed))
        if status != b"D" and mode.startswith(b"100") and (path, oid) not in seen:
            seen.add((path, oid))
            yield commit, path, oid
