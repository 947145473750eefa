"""What differs between two commits, with modes: a file may have become a link, or executable."""

from __future__ import annotations

from memtool.edge.plumbing import EMPTY_TREE, path_of, records
from memtool.edge.trees import Blob
from memtool.model import Record


class Delta(Record):
    """One path that differs."""

    path: str
    old: Blob | None
    """None where it is new."""
    new: Blob | None
    """None where it is gone."""


def deltas(root: str, old: str, new: str) -> list[Delta]:
    """List what differs between two commits, by path; *old* may be empty, for the tree without files."""
    raw = records(root, "diff-tree", "-r", "-z", "--raw", "--no-renames", old or EMPTY_TREE[len(new)], new, "--")
    return [_delta(head, path_of(next(raw))) for head in raw]


def _delta(head: bytes, path: str) -> Delta:
    mode, new_mode, oid, new_oid, _ = head.lstrip(b":").split(b" ")
    return Delta(path, _blob(mode, oid), _blob(new_mode, new_oid))


def _blob(mode: bytes, oid: bytes) -> Blob | None:
    return None if mode == b"000000" else Blob(mode, oid)
