"""Making and completing a repository: what neither a hook nor a session start ever calls."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator, Sequence

from memtool.edge.files import irregular, write_atomically
from memtool.edge.location import WRITING, cache_path, git_dir, head, read_line
from memtool.edge.plumbing import GitError, git, path_of, raw_path, records, succeeds
from memtool.edge.trees import Folder, WorkTree
from memtool.errors import MemtoolError
from memtool.model import Record

BRANCH = "main"
_BRANCH = "ref: refs/heads/"
"""How git's file HEAD names a branch."""
_PATHSPECS = ("GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS")
SETTLE = "Settle them first; `git status` names them."
UNMERGED = frozenset({"DD", "AU", "UD", "UA", "DU", "AA", "UU"})
"""Letters of `status` for a file in conflict."""
_NO_GC = ("-c", "gc.auto=0", "-c", "maintenance.auto=false")
"""A clean-up in the background would outlive the commit and keep the lock that it inherits."""
_UNDER_WAY = {
    "MERGE_HEAD": ("merge", "git merge --abort"),
    "CHERRY_PICK_HEAD": ("cherry-pick", "git cherry-pick --abort"),
    "REVERT_HEAD": ("revert", "git revert --abort"),
    "rebase-merge": ("rebase", "git rebase --abort"),
    "rebase-apply/applying": ("git am", "git am --abort"),
    "rebase-apply": ("rebase", "git rebase --abort"),
    "BISECT_LOG": ("bisect", "git bisect reset"),
}


class Place(Record):
    """What stands at the folder that a command was given."""

    path: str
    """Absolute, links resolved."""
    exists: bool
    is_repo: bool
    """It is the top of a git work tree."""


def forget_environment() -> None:
    """Drop what a calling git says about *its* repository and how it reads paths: the folder alone decides here."""
    for name in (*git(".", "rev-parse", "--local-env-vars").decode().split(), *_PATHSPECS):
        os.environ.pop(name, None)


def look_at(directory: str) -> Place:
    """Tell what stands at *directory*; raises MemtoolError where no memory repo can be made."""
    path = os.path.realpath(os.path.expanduser(directory))
    if path in {os.sep, os.path.realpath(os.path.expanduser("~"))}:
        raise MemtoolError(
            f"{path}: all markdown below it would become memory", hint="Name a folder of its own, such as ~/memory."
        )
    if os.path.lexists(path) and not os.path.isdir(path):
        raise MemtoolError(f"{path}: a file stands there", hint="Name a folder.")
    nearest = path
    while not os.path.isdir(nearest):
        nearest = os.path.dirname(nearest)
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise MemtoolError(f"{nearest}: no permission to write there")
    around = _around(nearest)
    if around is None:
        return Place(path, nearest == path, is_repo=False)
    top = nearest[: len(nearest) - len(around)].rstrip("/") or "/"
    if top == path:
        return Place(path, exists=True, is_repo=True)
    if succeeds(top, "check-ignore", "-q", "--", os.path.relpath(path, top) + "/"):
        return Place(path, nearest == path, is_repo=False)  # such as ~/memory in a home folder that git looks after
    raise MemtoolError(
        f"{path} lies inside the git repository {top}; a memory repo is one of its own",
        hint=f"Choose a folder outside it, or adopt the whole repository: memtool init {top}",
    )


def _around(folder: str) -> str | None:
    """Give the path of *folder* below the top of its work tree; None where no repository is around it."""
    try:
        said = git(
            folder, "rev-parse", "--is-bare-repository", "--is-inside-git-dir", "--show-prefix",
            env=os.environ | {"LC_ALL": "C"},
        )  # fmt: skip
    except GitError as error:
        if "not a git repository" in error.stderr and not os.path.lexists(os.path.join(folder, ".git")):
            return None
        raise
    bare, inside, prefix = said.split(b"\n", 2)
    if bare == b"true":
        raise MemtoolError(f"{folder}: a bare repository has no files to read", hint="Clone it and work in the clone.")
    if inside == b"true":
        raise MemtoolError(f"{folder}: this is git's own folder", hint="Name the folder above it.")
    return os.fsdecode(prefix.removesuffix(b"\n").removesuffix(b"/"))


def listing(place: Place) -> tuple[dict[str, int], list[str]]:
    """List the files that git would not ignore: (bytes of each regular one, paths of the others, such as links)."""
    if not place.exists:
        return {}, []
    sizes, others = {}, []
    for path in WorkTree(place.path) if place.is_repo else _files_without_git(place.path):
        full = os.path.join(place.path, path)
        if irregular(full):
            others.append(path)
        else:
            sizes[path] = os.lstat(full).st_size
    return sizes, others


class Listed(Folder):
    """Those files of a folder that a listing named: a Snapshot also where there is no repository yet."""

    def __init__(self, root: str, paths: Collection[str]) -> None:
        super().__init__(root)
        self.paths = paths

    def __contains__(self, path: object) -> bool:
        return path in self.paths

    def under(self, folder: str) -> Iterator[str]:
        return (path for path in self.paths if not folder or path.startswith(folder + "/"))


def _files_without_git(folder: str) -> Iterator[str]:
    """List as git would after `git init`, with a git directory elsewhere: the folder stays as it is."""
    with tempfile.TemporaryDirectory(prefix="memtool-") as temporary:
        git(".", "init", "-q", "--template=", temporary)
        env = os.environ | {"GIT_DIR": os.path.join(temporary, ".git"), "GIT_WORK_TREE": folder}
        for record in git(folder, "ls-files", "-o", "--exclude-standard", "-z", env=env).split(b"\0"):
            if record and not record.endswith(b"/"):  # another repository below this folder is not ours
                yield path_of(record)


def create(path: str) -> None:
    """Make the folder *path*, if it is missing, a git repository on branch main.

    Not by GitPython: it replaces a ``$NAME`` in the path, whatever it is told, and would make another folder.
    """
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise MemtoolError(f"{path}: not made ({error.strerror})") from None
    git(path, "init", "-q", "-b", BRANCH)


def refuse_unfinished(root: str) -> None:
    """Raise MemtoolError in the middle of a merge or rebase: a commit of some files would break it."""
    refuse_under_way(root)
    if next(records(root, "ls-files", "-u", "-z"), None):
        raise MemtoolError(f"{root}: files are in conflict", hint=SETTLE)


def refuse_under_way(root: str) -> None:
    """Raise MemtoolError where git's own files tell of a merge or the like; of files in conflict `status` tells."""
    own = git_dir(root)
    for name, (what, end) in _UNDER_WAY.items():
        if os.path.lexists(os.path.join(own, name)):
            raise MemtoolError(f"{root}: a {what} is under way", hint=f"Finish it, or end it: {end}")


def origin(root: str) -> str:
    """Give the URL of the remote `origin`; empty where there is none."""
    return git(root, "config", "--get", "remote.origin.url", ok=(0, 1)).decode("utf-8", "surrogateescape").strip()


def add_origin(root: str, url: str) -> None:
    """Name *url* the remote `origin`, and the place where this branch is pushed to and pulled from."""
    git(root, "remote", "add", "--", "origin", url)
    branch = branch_of(root)
    if branch:
        git(root, "config", f"branch.{branch}.remote", "origin")
        git(root, "config", f"branch.{branch}.merge", f"refs/heads/{branch}")


def branch_of(root: str) -> str:
    """Give the branch of the work tree, also before its first commit; empty for a detached HEAD."""
    said = read_line(os.path.join(git_dir(root), "HEAD"))
    if said.startswith(_BRANCH):
        return path_of(os.fsencode(said.removeprefix(_BRANCH)))
    return git(root, "symbolic-ref", "-q", "--short", "HEAD", ok=(0, 1)).decode("utf-8", "surrogateescape").strip()


# --- one commit of exactly these files -------------------------------------------------------------------------------


def status(root: str) -> dict[str, str]:
    """Map each path that differs from HEAD to git's two letters: staged, then in the work tree; ``??`` is new.

    Without locks and without fsmonitor, which would run a command of the repo's.
    """
    listed = records(
        root, "--no-optional-locks", "-c", "core.fsmonitor=false",
        "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=none",
    )  # fmt: skip
    found: dict[str, str] = {}
    for record in listed:
        path, letters = path_of(record[3:]), record[:2].decode()
        found[path] = f"{found[path][0]}?" if path in found else letters
    return found


def touched(root: str) -> set[str]:
    """List the paths that differ from HEAD, staged or not, and the new ones: work that is not committed."""
    return set(status(root))


def uncommitted(root: str, paths: Sequence[str]) -> list[str]:
    """Keep those of *paths* that are not in HEAD as they are on disk."""
    changed = touched(root) if paths else set()
    return [path for path in dict.fromkeys(paths) if path in changed and os.path.isfile(os.path.join(root, path))]


def is_untouched(root: str) -> bool:
    """Tell a repo in which nothing was ever committed or staged."""
    return not head(root) and next(records(root, "ls-files", "-z"), None) is None


def ignored(root: str, paths: Sequence[str]) -> list[str]:
    """Keep those of *paths* that git is told to ignore."""
    asked = b"".join(raw_path(path) + b"\0" for path in paths)
    said = git(root, "check-ignore", "-z", "--stdin", stdin=asked, ok=(0, 1)) if paths else b""
    return [path_of(record) for record in said.split(b"\0") if record]


def commit(
    root: str, paths: Sequence[str], *, subject: str, operation: str, agent: str, trailers: Sequence[str] = ()
) -> str:
    """Commit exactly *paths* as they are on disk, removed ones too, and give the new commit.

    What else is staged stays staged and stays out. The hooks of the repo run; when one refuses, GitError holds its
    words and the index is as it was.
    """
    unknown = set(paths) - set(map(path_of, records(root, "ls-files", "-z")))
    new = sorted(path for path in unknown if os.path.lexists(os.path.join(root, path)))  # else its deletion is staged
    from_stdin = ("--pathspec-from-file=-", "--pathspec-file-nul")
    said = (f"Memory-Op: {operation}", *([f"Memory-Agent: {agent}"] if agent else []), *trailers)
    message = "\n".join((subject, "", *said, ""))
    env = os.environ | identity(root, agent or "memtool") | {WRITING: "1"}
    letter = cache_path(root, "message")  # no argument: a split of thousands of parts says much
    write_atomically(letter, message.encode("utf-8", "surrogateescape"), durable=False)
    try:
        if new:
            git(root, "-c", "core.safecrlf=false", "add", "-N", "--sparse", *from_stdin, stdin=_specs(new))
        git(root, *_NO_GC, "commit", "-q", "--only", "-F", letter, *from_stdin, stdin=_specs(paths), env=env)
    except GitError:
        unstage(root, new)
        raise
    _follow_hooks(root, paths)
    return head(root)


def _follow_hooks(root: str, paths: Sequence[str]) -> None:
    """Let the index hold of *paths* what was committed: where a hook changed that, the next commit would undo it."""
    wanted = set(paths)
    try:
        differing = records(root, "diff-index", "--cached", "--no-renames", "--name-only", "-z", "HEAD", "--")
        unstage(root, [path for path in map(path_of, differing) if path in wanted])
    except MemtoolError:
        return  # the commit stands; `git status` shows what the index lacks


def unstage(root: str, paths: Sequence[str]) -> None:
    """Let the index hold of *paths* what HEAD holds; the files stay as they are."""
    if paths:
        git(root, "reset", "-q", "--pathspec-from-file=-", "--pathspec-file-nul", stdin=_specs(paths))


def leave_commit_in_progress() -> None:
    """Let git use the repo's own index: what memtool commits is no part of a commit that a hook is in the middle of."""
    os.environ.pop("GIT_INDEX_FILE", None)


def _specs(paths: Sequence[str]) -> bytes:
    return b"\0".join(b":(top,literal)" + raw_path(path) for path in paths)


def identity(root: str, agent: str) -> dict[str, str]:
    """Give the environment that names *agent* as author and committer, for each part that the user has not set."""
    asked = git(root, "config", "-z", "--get-regexp", r"^(user|author|committer)\.(name|email)$", ok=(0, 1))
    said = {pair.partition(b"\n")[0].decode() for pair in asked.split(b"\0") if pair.partition(b"\n")[2]}
    ours = {"name": f"{agent} (memtool)", "email": f"{agent}@memtool.invalid"}
    found = {}
    for role in ("author", "committer"):
        for part, value in ours.items():
            variable = f"GIT_{role}_{part}".upper()
            known = os.environ.get(variable) or (part == "email" and os.environ.get("EMAIL"))
            if not known and not said & {f"user.{part}", f"{role}.{part}"}:
                found[variable] = value
    return found
