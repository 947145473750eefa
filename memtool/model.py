"""The shapes that every layer speaks of. Imports nothing that costs time at start."""

from __future__ import annotations

from _collections_abc import Iterable, Iterator, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Literal, Self, dataclass_transform
else:

    def dataclass_transform(**_options: object) -> object:
        return lambda cls: cls


Snapshot = Mapping[str, bytes]
"""One tree: path with '/' (undecodable bytes surrogate-escaped) to content, read when asked for."""


class Tree(Mapping[str, bytes]):
    """A Snapshot that can list a folder without reading the whole tree, and knows what is no regular file."""

    def under(self, folder: str) -> Iterator[str]:
        """Yield the paths below *folder*; of all, where it is empty."""
        raise NotImplementedError

    def odd(self, path: str) -> str:
        """Say what *path* is that is no regular, readable file (``a symbolic link``); nothing where it is one."""
        raise NotImplementedError


class Overlay(Tree):
    """A Snapshot with some files changed: how a tree will be once they are written."""

    def __init__(self, base: Snapshot, changes: Mapping[str, bytes | None]) -> None:
        self.base = base
        self.changes = changes
        """Path to content; None for a file that goes."""

    def __iter__(self) -> Iterator[str]:
        return self.under("")

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, path: object) -> bool:
        return self.changes[str(path)] is not None if path in self.changes else path in self.base

    def __getitem__(self, path: str) -> bytes:
        if path not in self.changes:
            return self.base[path]
        data = self.changes[path]
        if data is None:
            raise KeyError(path)
        return data

    def under(self, folder: str) -> Iterator[str]:
        prefix = folder and folder + "/"
        yield from (path for path in under(self.base, folder) if path not in self.changes)
        yield from (path for path, data in self.changes.items() if data is not None and path.startswith(prefix))

    def odd(self, path: str) -> str:
        return "" if path in self.changes else odd(self.base, path)


class Part(Tree):
    """Some files of a Snapshot."""

    def __init__(self, whole: Snapshot, paths: Iterable[str]) -> None:
        self.whole = whole
        self.paths = dict.fromkeys(path for path in paths if path in whole)

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    def __contains__(self, path: object) -> bool:
        return path in self.paths

    def __getitem__(self, path: str) -> bytes:
        if path not in self.paths:
            raise KeyError(path)
        return self.whole[path]

    def under(self, folder: str) -> Iterator[str]:
        prefix = folder and folder + "/"
        return (path for path in self.paths if path.startswith(prefix))

    def odd(self, path: str) -> str:
        return odd(self.whole, path) if path in self.paths else ""


def under(snapshot: Snapshot, folder: str) -> Iterator[str]:
    """Yield the paths of *snapshot* below *folder*; of all, where it is empty."""
    if isinstance(snapshot, Tree):
        return snapshot.under(folder)
    prefix = folder and folder + "/"
    return (path for path in snapshot if path.startswith(prefix))


def odd(snapshot: Snapshot, path: str) -> str:
    """Say what *path* is that is no regular file; a plain dict holds only regular ones."""
    return snapshot.odd(path) if isinstance(snapshot, Tree) else ""


@dataclass_transform(frozen_default=True)
class Record:
    """A frozen value made of its class's annotated fields, in order.

    What ``dataclass(frozen=True)`` would give; its import alone takes as long as starting Python, and git
    starts memtool at every commit (docs/performance.md).
    """

    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._fields = (*cls._fields, *(name for name in cls.__annotations__ if not name.startswith("_")))

    def __init__(self, *args: Any, **named: Any) -> None:
        values = dict(zip(self._fields, args, strict=False)) | named
        for name in self._fields:
            if name not in values:
                values[name] = getattr(type(self), name)  # the default, or an AttributeError that names the field
        if len(values) > len(self._fields) or len(args) + len(named) > len(values):
            raise TypeError(f"{type(self).__name__} takes {', '.join(self._fields)}")
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} is frozen")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__[name] for name in self._fields))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={self.__dict__[name]!r}' for name in self._fields)})"

    def replace(self, **changes: Any) -> Self:
        """Make the same value with *changes*."""
        return type(self)(**(self.__dict__ | changes))

    def asdict(self) -> dict[str, Any]:
        """Give the fields as a dict, in order; for JSON."""
        return {name: self.__dict__[name] for name in self._fields}


class Finding(Record):
    """One thing that `check` has to say about a memory repo."""

    code: str
    """A word, such as ``over-budget``; docs/findings.md explains each."""
    severity: Literal["error", "warning"]
    path: str
    line: int
    """Counted from 1; 0 where the finding is about the file, or the tree."""
    message: str
    hint: str = ""
    """The way out, in one sentence."""
