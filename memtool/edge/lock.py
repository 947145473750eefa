"""One writer at a time in a work tree: a lock that the system lets go of when its holder dies.

The git that a writer starts inherits it: while that still runs, its killed writer has not ended.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memtool.edge.location import cache_path
from memtool.errors import MemtoolError

_PAUSE = 0.05
"""Seconds between two attempts."""


class Busy(MemtoolError):  # noqa: N818 (it names a state of the repo)
    """Another memtool is writing in this work tree."""


@contextmanager
def locked(root: str, *, wait: float = 10) -> Iterator[None]:
    """Hold the lock of the work tree at *root*; raises Busy when another keeps it for *wait* seconds."""
    place = cache_path(root, "lock")
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        fd = os.open(place, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise MemtoolError(f"{place}: {error.strerror}; nothing was changed") from None
    try:
        _acquire(fd, root, time.monotonic() + wait)
        os.set_inheritable(fd, True)
        yield
    finally:
        os.close(fd)  # and the lock with it


def _acquire(fd: int, root: str, end: float) -> None:
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise Busy(
                    f"{root}: another memtool is writing here; nothing was changed", hint="Try again when it has ended."
                ) from None
            time.sleep(_PAUSE)
        else:
            return
