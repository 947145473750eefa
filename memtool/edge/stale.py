"""Locks that a killed git left: only those of git's that were memtool's own, and only when none runs any more."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memtool.edge.location import cache_path, common_dir, git_dir
from memtool.errors import MemtoolError

_PROCESSES = "/proc"


def clear_locks(root: str) -> list[str]:
    """Move aside the locks of git that stand in the way of a sync, and list them.

    For who knows that a memtool died here while its git was at work, and that this git has ended. Nothing is done while
    any git runs in this repo or any program has a lock open, nor where the system does not tell which programs run.
    """
    found = [path for path in _candidates(root) if os.path.lexists(path)]
    if not found or not os.path.isdir(_PROCESSES) or _git_runs(root) or _any_open(found):
        return []
    for path in found:
        _move_aside(root, path)
    return found


def _candidates(root: str) -> Iterator[str]:
    """Yield the locks of what memtool lets git write: the index, HEAD, refs, what a shallow clone lacks."""
    own, shared = git_dir(root), common_dir(root)
    yield from (os.path.join(folder, name) for folder in {own, shared} for name in os.listdir(folder) if _is_lock(name))
    for folder, _, names in os.walk(os.path.join(shared, "refs")):
        yield from (os.path.join(folder, name) for name in names if _is_lock(name))


def _move_aside(root: str, path: str) -> None:
    aside = cache_path(root, os.path.basename(path))
    try:
        os.makedirs(os.path.dirname(aside), exist_ok=True)
        os.replace(path, aside)
    except OSError as error:
        raise MemtoolError(f"{path}: left by a git that was killed, and not moved aside ({error.strerror})") from error


def _is_lock(name: str) -> bool:
    return name.endswith(".lock")


def _git_runs(root: str) -> bool:
    """Tell whether some git has its current folder in this work tree, or in its git directory."""
    places = tuple(os.path.realpath(path) for path in (root, git_dir(root), common_dir(root)))
    return any(
        name.startswith("git") and any(here == place or here.startswith(place + "/") for place in places)
        for name, here in _processes()
    )


def _any_open(paths: list[str]) -> bool:
    """Tell whether some program that may be looked at has one of *paths* open."""
    wanted = {os.path.realpath(path) for path in paths}
    return any(place in wanted for number in _numbers() for place in _open_files(number))


def _open_files(number: str) -> Iterator[str]:
    folder = f"{_PROCESSES}/{number}/fd"
    try:
        yield from (os.readlink(f"{folder}/{name}") for name in os.listdir(folder))
    except OSError:
        return


def _numbers() -> Iterator[str]:
    return filter(str.isdigit, os.listdir(_PROCESSES))


def _processes() -> Iterator[tuple[str, str]]:
    """Yield name and current folder of each process that may be looked at."""
    for number in _numbers():
        try:
            with open(f"{_PROCESSES}/{number}/comm", encoding="utf-8", errors="replace") as file:
                yield file.read().strip(), os.readlink(f"{_PROCESSES}/{number}/cwd")
        except OSError:
            continue  # it has ended, or is another user's
