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
from memtool.edge.trees import CommitTree, WorkTree, staged
from memtool.errors import MemtoolError
from memtool.model import Finding, Record, Snapshot, Tree

_NO_COMMIT = frozenset(b"0")


_USERS = os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "git", "attributes")


class Checked(Record):
    """A report with the tree and the configuration that it speaks of."""

    report: Report
    config: Config
    snapshot: Snapshot
    changed: tuple[str, ...] | None = None
    """What a commit in the making changes; None for a whole tree."""


def check_work_tree(root: str, *, today: str, paths: Sequence[str] = ()) -> Checked:
    """Prove the files as they lie in the work tree, or only *paths* of it, given from the repo's root.

    Raises MemtoolError when nothing is there to examine: that must not look like a pass.
    """
    tree = WorkTree(root)
    config, unknown = load_config(tree)
    tree.filters = filters(root, tree, config.resident_paths(tree))
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
    if not report.files and not report.unread:
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
        asked = [path for path in paths if config.is_memory(path)]
        if any(path.endswith(".gitattributes") for path in paths):
            asked += config.resident_paths(tree)
        tree.filters = filters(root, tree, asked, "--cached")
        tree.fetch([path for path in paths if config.is_memory(path)])
        report = core.check(tree, config, source="staged", today=today, change=Change(paths, parents, adopting))
        if CONFIG in tree.changes:
            report = report.replace(findings=(*report.findings, *unknown))
        return Checked(report, config, tree, paths)


def _parents(root: str, objects: Objects, head: CommitTree | None) -> tuple[CommitTree, ...]:
    """List the trees that the commit builds on; a merge's other sides are named by git in a file or the environment."""
    if head is None:
        return ()
    merged = read_line(os.path.join(git_dir(root), "MERGE_HEAD")).split()
    merged += [name.removeprefix("GITHEAD_") for name in os.environ if name.startswith("GITHEAD_")]
    return (head, *(CommitTree(objects, commit) for commit in dict.fromkeys(merged)))


def filters(root: str, tree: Tree, paths: Sequence[str], *where: str) -> dict[str, str]:
    """Map each of *paths* that git passes through a filter, or another encoding, to its name; asked only where one is.

    Attributes stand in the folders of the paths, in ``info/attributes`` and in the user's own file at its usual place.
    """
    folders = {folder for path in paths for folder in _folders(path)}
    files = [tree.get(f"{folder}.gitattributes", b"") for folder in sorted(folders)]
    files += [os.fsencode(read_line(path)) for path in (os.path.join(git_dir(root), "info", "attributes"), _USERS)]
    if not any(word in text for text in files for word in (b"filter", b"working-tree-encoding")):
        return {}
    asked = b"".join(raw_path(path) + b"\0" for path in paths)
    answers = list(records(root, "check-attr", "-z", "--stdin", *where, "filter", "working-tree-encoding", stdin=asked))
    triples = zip(answers[::3], answers[2::3], strict=True)
    return {path_of(path): value.decode() for path, value in triples if value not in {b"unspecified", b"unset"}}


def _folders(path: str) -> Iterator[str]:
    """Yield the folders above *path*, each with a slash at its end; the root is the empty one."""
    while path:
        path = path.rpartition("/")[0]
        yield path and path + "/"


def check_push(root: str, updates: bytes, *, remote: str, merges: bool = True) -> tuple[list[Finding], list[Finding]]:
    """Judge the commits that a push to *remote* would carry: (what stops it, what is only said).

    *updates* is what git hands to pre-push: ``ref commit remote-ref remote-commit`` a line. Every version of every file
    is looked at, because what a later commit took out is still pushed. A budget is reported and never stops a push.
    Without *merges* one is judged by what was written in it alone: what it brings together is on both sides already,
    and a secret of the remote is no reason to keep this machine from sending its notes.
    """
    stops: list[Finding] = []
    said: list[Finding] = []
    with Objects(root) as objects:
        tips, theirs = _tips(objects, updates)
        if not tips:
            return [], []
        trees = [CommitTree(objects, tip) for tip in tips]
        configs = [load_config(tree)[0] for tree in trees]
        commits = _unpushed(root, objects, tips, theirs, remote)
        for commit, path, oid, olds in _new_blobs(root, commits, merges=merges):
            known = {(one.code, one.message) for old in olds for one in _pushed_file(objects, path, old, configs)}
            stops += (
                finding.replace(message=f"{finding.message} (commit {commit[:12]})")
                for finding in _pushed_file(objects, path, oid, configs)
                if (finding.code, finding.message) not in known
            )
        for tree, config in zip(trees, configs, strict=True):
            said += core.budgets(budget.bill(tree, config), None, config=config)
    return list(dict.fromkeys(stops)), [finding.replace(severity="warning") for finding in dict.fromkeys(said)]


def _pushed_file(objects: Objects, path: str, oid: bytes, configs: Sequence[Config]) -> Iterator[Finding]:
    """Yield what may not leave this machine in one version of a file; secrets are looked for in every file."""
    if any(path == config.digest for config in configs):
        yield core.digest_tracked(path)
    is_memory = path.endswith(".md")  # whichever configuration holds now: an older one may have mapped it
    (info,) = objects.info([oid])
    if info is None or info[2] > MAX_FILE:
        if is_memory:
            size = f"{info[2] >> 20} MB" if info else "missing"
            yield Finding("not-a-regular-file", "error", path, 0, f"not examined for secrets: {size}")
        return
    (data,) = objects.contents([oid])
    for finding in core.dangers(path, data or b""):
        if finding.severity == "error" and (is_memory or finding.code == "secret"):
            yield finding


def _tips(objects: Objects, updates: bytes) -> tuple[list[str], list[str]]:
    """Give the commits that are pushed, and those that the remote holds now.

    Raises MemtoolError for what is no commit, or no line of git's: it could not be judged.
    """
    ours, theirs = [], []
    for line in filter(None, updates.split(b"\n")):
        words = line.rsplit(b" ", 3)
        if len(words) != 4:
            raise MemtoolError(f"git's line {line!r} was not understood", hint="Push the branch by its plain name.")
        if set(words[1]) != _NO_COMMIT:
            (peeled,) = objects.info([words[1] + b"^{commit}"])
            if peeled is None:
                raise MemtoolError(f"{words[1].decode()} is no commit: what it holds cannot be judged")
            ours.append(peeled[0].decode())
        if set(words[3]) != _NO_COMMIT:
            theirs.append(words[3].decode())
    return ours, theirs


def _unpushed(root: str, objects: Objects, tips: Sequence[str], theirs: Sequence[str], remote: str) -> bytes:
    """List the commits that *remote* does not hold, as far as is known here, one a line."""
    infos = objects.info([f"{oid}^{{commit}}".encode() for oid in theirs])
    known = [f"^{info[0].decode()}" for info in infos if info]
    named = remote in git(root, "remote").decode("utf-8", "surrogateescape").splitlines()
    excluded = f"--remotes={remote}" if named else "--remotes"
    asked = "".join(f"{line}\n" for line in (*tips, *known)).encode()
    return git(root, "rev-list", "--stdin", "--not", excluded, stdin=asked)


def _new_blobs(root: str, commits: bytes, *, merges: bool) -> Iterator[tuple[str, str, bytes, list[bytes]]]:
    """Yield (commit, path, blob, what a merge's parents have there) for every file version that *commits* bring.

    Without *merges* a merge brings only what differs from all its parents: what was written in it.
    """
    how = "-m" if merges else "-c"
    listed = records(root, "diff-tree", "--stdin", "-r", how, "--root", "--no-renames", "-z", "--raw", stdin=commits)
    commit, seen = "", set[tuple[str, bytes]]()
    for record in listed:
        if not record.startswith(b":"):
            commit = record.decode()
            continue
        words = record.lstrip(b":").split(b" ")
        sides = len(record) - len(record.lstrip(b":"))
        mode, oid = words[sides], words[2 * sides + 1]
        olds = words[sides + 1 : 2 * sides + 1] if sides > 1 else []
        path = path_of(next(listed))
        if mode.startswith(b"100") and (path, oid) not in seen:
            seen.add((path, oid))
            yield commit, path, oid, olds
