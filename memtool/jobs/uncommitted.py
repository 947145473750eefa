"""What no commit holds: it is refused where it would be lost, and a deletion that is not committed is taken back."""

from __future__ import annotations

import os

from memtool.core.log.report import word
from memtool.edge import repository
from memtool.edge.location import head
from memtool.edge.transaction import change
from memtool.edge.trees import CommitTree
from memtool.errors import MemtoolError
from memtool.jobs.index import write_index


def refuse_loss(root: str, tree: CommitTree, path: str, *, otherwise: str = "") -> None:
    """Raise MemtoolError unless HEAD's *tree* holds *path* as it is; *otherwise* is what else the hint offers."""
    refuse_deleted(root, tree, path)
    if path in repository.touched(root) or (tree.blob(path) is None and os.path.lexists(os.path.join(root, path))):
        raise MemtoolError(
            f"{path}: has changes that are not committed, and they would be lost",
            hint=f"Commit them, such as with `memtool sync --no-push`{otherwise}.",
        )


def refuse_deleted(root: str, tree: CommitTree, path: str) -> None:
    """Raise MemtoolError for a file that HEAD's *tree* holds and the work tree does not."""
    if is_deleted(root, tree, path):
        hint = f"To bring it back as it was: memtool restore {word(path)}"
        raise MemtoolError(f"{path}: deleted, and that is not committed", hint=hint)


def is_deleted(root: str, tree: CommitTree, path: str) -> bool:
    return tree.blob(path) is not None and not os.path.lexists(os.path.join(root, path))


def undelete(root: str, path: str, content: bytes) -> None:
    """Write what HEAD has at *path* where nothing is; git's index and the pages of memtool's follow."""

    def staged() -> str:
        repository.unstage(root, [path])
        return head(root)

    change(root, {path: None}, {path: content}, staged)
    if repository.touched(root):  # the index may have been written without it
        write_index(root)
