"""The journal of a change under way: what stood in the files before, kept until its commit is made."""

from __future__ import annotations

from memtool.edge import cache
from memtool.edge.files import read_regular, remove, write_atomically
from memtool.edge.location import cache_path, git_dir
from memtool.edge.plumbing import path_of, raw_path
from memtool.errors import MemtoolError
from memtool.model import Record

_VERSION = "undo-3"


class Step(Record):
    """One file, before and after."""

    path: str
    old: bytes | None
    new: str
    """The id of what it becomes, as git names a blob of these bytes."""


class Journal(Record):
    """What was begun."""

    head: str
    """The commit on which it was begun."""
    target: str
    """The commit that ends it, where it is known beforehand."""
    others: tuple[str, ...]
    """Files that get, as git writes them, what *target* holds of them; until then they are as *head* has them."""
    steps: tuple[Step, ...]


def place(root: str) -> str:
    """Give the place of the journal."""
    return cache_path(root, "undo")


def save(root: str, journal: Journal) -> None:
    """Write it to the disk, before the first file changes."""
    others = b"\0".join(map(raw_path, journal.others))
    sections = [journal.head.encode(), journal.target.encode(), others]
    for step in journal.steps:
        sections += [raw_path(step.path), b"" if step.old is None else b"=" + step.old, step.new.encode()]
    write_atomically(place(root), cache.pack(_VERSION, sections))


def load(root: str) -> Journal | None:
    """Read it; None where there is none. Raises MemtoolError for a damaged one."""
    data = read_regular(place(root))
    if isinstance(data, str):
        return None
    sections = cache.unpack(_VERSION, data)
    if not sections:
        raise MemtoolError(
            f"{place(root)}: damaged; a command was interrupted here, and what it did cannot be undone by itself",
            hint="`git status` shows what it left; settle that, then remove the file.",
        )
    tip, target, others, *rest = sections
    steps = (
        Step(path_of(path), old[1:] if old else None, new.decode())
        for path, old, new in zip(rest[::3], rest[1::3], rest[2::3], strict=True)
    )
    paths = tuple(path_of(path) for path in others.split(b"\0") if path)
    return Journal(tip.decode(), target.decode(), paths, tuple(steps))


def close(root: str) -> None:
    """Take it away: what it tells of has come to its end."""
    remove(place(root), upto=git_dir(root))
