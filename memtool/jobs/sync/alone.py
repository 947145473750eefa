"""One sync, or undo, at a time in a work tree, with a mark by which the next one knows that this one came to no end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from memtool.edge.files import remove, write_atomically
from memtool.edge.location import cache_path, git_dir
from memtool.edge.lock import git_has_ended, locked
from memtool.edge.stale import clear_locks
from memtool.edge.transaction import recover
from memtool.jobs.sync.stop import Stop


@contextmanager
def alone(root: str, *, wait: float = 10) -> Iterator[str]:
    """Keep others out for as long as it takes, *wait* seconds to begin with; give what was found half done and undone.

    The mark stays after an error that is no end of a sync's own: a git that was killed fails, and leaves its locks.
    """
    mark = cache_path(root, "syncing")
    with locked(root, wait=wait, name="sync"):
        if os.path.lexists(mark) and git_has_ended(root, wait=5):
            clear_locks(root)
        said = recover(root)
        write_atomically(mark, b"", durable=False)
        try:
            yield said
        except Stop:
            remove(mark, upto=git_dir(root))
            raise
        remove(mark, upto=git_dir(root))
