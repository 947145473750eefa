"""One writer at a time in a work tree: locks that the system lets go of when their holder dies."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from memtool.edge.location import cache_path
from memtool.edge.plumbing import GitError
from memtool.errors import MemtoolError

T = TypeVar("T")
TURN = "turn"
"""The lock that a sync keeps when others' writing has undone its work once, and which who only writes takes first."""
_PAUSE = 0.05
"""Seconds between two attempts."""


class Busy(MemtoolError):  # noqa: N818 (it names a state of the repo)
    """Another memtool is writing in this work tree."""


@contextmanager
def locked(root: str, *, wait: float = 10, name: str = "lock") -> Iterator[None]:
    """Hold a lock of the work tree at *root*, the one for writing; raises Busy when another memtool keeps it for long.

    *wait* is in seconds.
    """
    with _held(root, name, wait) as fd:
        if fd is None:
            raise Busy(
                f"{root}: another memtool is writing here; nothing was changed", hint="Try again when it has ended."
            )
        yield


@contextmanager
def git_at_work(root: str) -> Iterator[None]:
    """Mark that git works for this process; the gits that it starts inherit the mark, and keep it if this one dies."""
    with _held(root, "git", 0) as fd:
        if fd is not None:
            os.set_inheritable(fd, True)
        yield


def git_has_ended(root: str, *, wait: float) -> bool:
    """Tell whether no git works on for a writer that died, within *wait* seconds."""
    with _held(root, "git", wait) as fd:
        return fd is not None


def patiently(act: Callable[[], T], *, seconds: float) -> T:
    """Do what changes git's index; while another git holds it, try again for so many *seconds*."""
    end = time.monotonic() + seconds
    pause = _PAUSE
    while True:
        try:
            return act()
        except GitError as error:
            if "index.lock': File exists" not in error.stderr or time.monotonic() > end:
                raise
        time.sleep(pause)
        pause *= 2


@contextmanager
def _held(root: str, name: str, wait: float) -> Iterator[int | None]:
    """Hold a lock file by a descriptor; None where another process keeps it for *wait* seconds."""
    place = cache_path(root, name)
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        fd = os.open(place, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise MemtoolError(f"{place}: {error.strerror}; nothing was changed") from error
    try:
        yield fd if _acquired(fd, time.monotonic() + wait) else None
    finally:
        os.close(fd)  # and the lock with it


def _acquired(fd: int, end: float) -> bool:
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(_PAUSE)
        else:
            return True
