"""What git says of a work tree: what is staged, what differs from it, which files are new.

Three questions to git at once. In a large tree the last one is by far the dearest, because git opens every folder;
there it is asked again only where a folder has changed since.
"""

from __future__ import annotations

import os
import time

from memtool.edge import cache
from memtool.edge.location import git_dir
from memtool.edge.plumbing import Process, git
from memtool.model import Record

_LARGE = 100_000
"""Bytes of git's index, some 1,000 files. Below it a walk is as cheap as remembering one."""
_MANY = 1_000
"""New and ignored names that git is asked about one by one; beyond them it may as well walk."""
_SETTLED = 2_000_000_000
"""Nanoseconds. A folder that changed more lately could change again without its time telling so."""
_VERSION = "folders-1"


class Survey(Record):
    """A work tree as git sees it; raw paths, as git gives them."""

    staged: bytes
    """The records of ``ls-files -s -v -z``: ``H mode id stage TAB path NUL``; another letter for what git is told to
    take as unchanged, or to leave out."""
    differing: tuple[bytes, ...]
    """The tracked files that are not as they are staged."""
    gone: tuple[bytes, ...]
    """Those of them that are not there at all."""
    new: tuple[bytes, ...]
    """The files that git neither tracks nor ignores."""

    @property
    def clean(self) -> bool:
        """Tell whether every file is as it is staged, none is new, and git was told to overlook none."""
        watched = self.staged.startswith(b"H ") + self.staged.count(b"\0H ")
        return not self.differing and not self.new and watched == self.staged.count(b"\0")


def survey(root: str) -> Survey:
    """Ask git about the work tree at *root*."""
    staged = ("ls-files", "-s", "-v", "-z")
    with Process(root, "ls-files", "-m", "-z") as compare:  # -d as well would look at each file twice
        compare.close_stdin()
        if _is_large(root):
            listed = git(root, *staged)
            new = _new_of_many(root, listed)
        else:
            with Process(root, "ls-files", "-o", "--exclude-standard", "-z") as walk:
                walk.close_stdin()
                listed = git(root, *staged)
                new = _files(b"".join(walk.chunks()))
        differing = tuple(b"".join(compare.chunks()).split(b"\0")[:-1])
    gone = tuple(path for path in differing if is_gone(os.path.join(os.fsencode(root), path)))
    return Survey(listed, differing, gone, tuple(new))


def is_gone(path: bytes) -> bool:
    """Tell a file that is not there; one in a folder that may not be entered is there, and cannot be read."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _is_large(root: str) -> bool:
    try:
        return os.stat(os.path.join(git_dir(root), "index")).st_size > _LARGE
    except OSError:
        return False


def _files(listed: bytes) -> list[bytes]:
    """Read a list of untracked paths; another repository below this one, which git gives as a folder, is not ours."""
    return [path for path in listed.split(b"\0") if path and not path.endswith(b"/")]


def _new_of_many(root: str, staged: bytes) -> list[bytes]:
    """List the untracked files of a large tree, by the names that stood in its folders when it was last walked.

    A folder whose time of change is the same holds the same names. Which of them git tracks is the same while the list
    of what is *staged* is; whether it ignores the others is asked each time.
    """
    known = cache.load(root, "folders", _VERSION)
    if known and known[0] == staged and known[2] == _times(root, known[1]):
        names = known[3]
    else:
        folders = _folders(staged)
        times, now = _times(root, folders), time.time_ns()  # before the walk: what comes later shows by its time
        names = git(root, "ls-files", "-o", "--directory", "--no-empty-directory", "-z")
        if times and max(map(int, times.split())) < now - _SETTLED:
            cache.save(root, "folders", _VERSION, (staged, folders, times, names))
    untracked = [os.fsdecode(name) for name in names.split(b"\0") if name]
    if not untracked:
        return []
    only = ("--", *untracked) if len(untracked) <= _MANY else ()
    return _files(git(root, "--literal-pathspecs", "ls-files", "-o", "--exclude-standard", "-z", *only))


def _folders(staged: bytes) -> bytes:
    """Give every folder that holds something tracked, NUL between them; the root is the empty one."""
    found = {b"": None}
    for record in staged.split(b"\0"):
        folder = record.partition(b"\t")[2].rpartition(b"/")[0]
        while folder not in found:
            found[folder] = None
            folder = folder.rpartition(b"/")[0]
    return b"\0".join(found)


def _times(root: str, folders: bytes) -> bytes:
    """Give the time of change of each folder, in nanoseconds; nothing where one is not there."""
    start, stat = os.fsencode(root) + b"/", os.stat
    try:
        return b" ".join([b"%d" % stat(start + folder).st_ctime_ns for folder in folders.split(b"\0")])
    except OSError:
        return b""
