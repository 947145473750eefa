"""Which memory repo, whose session: found without starting git where plain files tell."""

from __future__ import annotations

import os

from memtool.core import config as configuration
from memtool.core.config import CONFIG, Config
from memtool.edge.plumbing import GitError, git
from memtool.errors import MemtoolError
from memtool.model import Finding, Snapshot, odd

WRITING = "MEMTOOL_WRITING"
"""The variable that tells a memtool which a hook starts that another is in the middle of its commit, or its push."""
_SAFE = frozenset("._-")


def find_root(directory: str | None = None) -> str:
    """Find the memory repo: *directory* (``-C``), $MEMTOOL_REPO, the nearest parent, `git config memtool.repo`.

    Raises MemtoolError where there is none.
    """
    for given, said in ((directory, "-C"), (os.environ.get("MEMTOOL_REPO"), "$MEMTOOL_REPO")):
        if given:
            return _root_at(os.path.expanduser(given), said)
    here = os.getcwd()
    while True:
        if os.path.isfile(os.path.join(here, CONFIG)):
            return _root_at(here, "the folder")
        above = os.path.dirname(here)
        if above == here:
            break
        here = above
    stored = git(".", "config", "--global", "--get", "--type=path", "memtool.repo", ok=(0, 1)).decode().strip()
    if stored:
        return _root_at(stored, "git config memtool.repo")
    raise MemtoolError(
        f"no memory repo here: no parent folder holds a {CONFIG}",
        hint="Make one with `memtool init`, or name one: -C DIR, $MEMTOOL_REPO, git config --global memtool.repo DIR.",
    )


def _root_at(path: str, said: str) -> str:
    """Give the top of the memory repo at *path*, or say what is missing there."""
    if not os.path.isdir(path):
        raise MemtoolError(f"{path}: no such folder (from {said})")
    here = os.path.realpath(path)
    while not os.path.lexists(os.path.join(here, ".git")):
        above = os.path.dirname(here)
        if above == here:
            _refuse_bare(path)
            raise MemtoolError(
                f"{path}: not a git repository", hint=f"Make it a memory repo with `memtool init {path}`."
            )
        here = above
    if not os.path.isfile(os.path.join(here, CONFIG)):
        raise MemtoolError(f"{here}: a git repository without a {CONFIG}", hint=f"Adopt it with `memtool init {here}`.")
    return here


def _refuse_bare(path: str) -> None:
    if os.path.isfile(os.path.join(path, "HEAD")) and os.path.isdir(os.path.join(path, "objects")):
        raise MemtoolError(f"{path}: a bare repository has no files to read", hint="Work in a clone of it.")


def git_dir(root: str) -> str:
    """Give the git directory of the work tree at *root*; a linked work tree names its own in a file."""
    if root == "." and "GIT_DIR" in os.environ:  # inside a hook, git says itself where it is
        return os.environ["GIT_DIR"]
    path = os.path.join(root, ".git")
    if os.path.isdir(path):
        return path
    try:
        with open(path, "rb") as file:
            word, _, target = file.read(4096).partition(b":")
    except OSError as error:
        raise MemtoolError(f"{path}: {error.strerror}", hint="Is this a git repository?") from None
    if word != b"gitdir":
        raise MemtoolError(f"{path}: neither a git directory nor a pointer to one")
    return os.path.join(root, os.fsdecode(target.strip()))


def common_dir(root: str) -> str:
    """Give the git directory that all work trees of the repo share."""
    own = git_dir(root)
    shared = read_line(os.path.join(own, "commondir"))
    return os.path.join(own, shared) if shared else own


def cache_path(root: str, name: str) -> str:
    """Give the place of a derived file: under this work tree's git directory, never in the tree."""
    return os.path.join(git_dir(root), "memtool", name)


def read_line(path: str) -> str:
    """Give the content of a small file of git's without its line end; empty where there is none."""
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.read(65536).rstrip(b"\n"))
    except OSError:
        return ""


def head(root: str) -> str:
    """Give the commit that HEAD names; empty before the first one.

    Read from git's files in the plain case (a branch with a loose or packed ref, or detached); git is asked otherwise.
    """
    said = read_line(os.path.join(git_dir(root), "HEAD"))
    if said.startswith("ref: refs/heads/"):
        shared = common_dir(root)
        found = read_line(os.path.join(shared, said[5:])) or _packed(shared, said[5:])
    else:
        found = said
    if len(found) in {40, 64} and all(char in "0123456789abcdef" for char in found):
        return found
    return git(root, "rev-parse", "-q", "--verify", "HEAD^{commit}", ok=(0, 1)).decode().strip()


def _packed(shared: str, ref: str) -> str:
    try:
        with open(os.path.join(shared, "packed-refs"), "rb") as file:
            data = file.read()
    except OSError:
        return ""
    at = data.find(b" " + os.fsencode(ref) + b"\n")
    return data[data.rfind(b"\n", 0, at) + 1 : at].decode("ascii", "replace") if at > 0 else ""


def is_agent_name(name: str) -> bool:
    """Tell whether *name* can name an agent: one path part, on every system, that git and a shell take as it is."""
    return (
        0 < len(name) <= 64 and name[0].isalnum() and name[-1] != "." and all(c.isalnum() or c in _SAFE for c in name)
    )


def agent(root: str, given: str | None = None) -> str:
    """Name this session's agent: *given* (``--agent``), $MEMTOOL_AGENT, `git config memtool.agent`; or nothing."""
    name = given or os.environ.get("MEMTOOL_AGENT") or _stored_agent(root)
    if name and not is_agent_name(name):
        raise MemtoolError(
            f"{name!r} cannot name an agent",
            hint="Use letters, digits, `.`, `_` and `-`, at most 64, starting with a letter or digit.",
        )
    return name


def _stored_agent(root: str) -> str:
    return git(root, "config", "--get", "memtool.agent", ok=(0, 1)).decode().strip()


def load_config(snapshot: Snapshot) -> tuple[Config, list[Finding]]:
    """Read ``memtool.yaml`` of a tree; a tree without one has the default layout."""
    if CONFIG not in snapshot:
        return Config(), []
    if what := odd(snapshot, CONFIG):
        raise MemtoolError(f"{CONFIG} is {what}", hint="Without it memtool does not know which files are memory.")
    return configuration.read(snapshot[CONFIG])


def leave_foreign_environment(root: str) -> None:
    """Drop the variables by which a calling git names *its* repository, unless that is the memory repo itself.

    Kept for a call about the commit in progress (``GIT_INDEX_FILE``); anywhere else they would turn every git call of
    memtool to the caller's repository (seen: a foreign file in a commit).
    """
    if not any(name.startswith("GIT_") for name in os.environ):
        return
    names = git(".", "rev-parse", "--local-env-vars").decode().split()
    if not any(name in os.environ for name in names):
        return
    clean = {name: value for name, value in os.environ.items() if name not in names}
    try:
        theirs = git(".", "rev-parse", "--absolute-git-dir")
    except GitError:
        theirs = b""
    if theirs != git(root, "rev-parse", "--absolute-git-dir", env=clean):
        for name in names:
            os.environ.pop(name, None)
