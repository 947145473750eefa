"""Files of the work tree that memtool does not write itself: put there as git would, with filters, line ends, links."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from memtool.edge.delta import Delta
from memtool.edge.files import link_atomically, move, remove
from memtool.edge.plumbing import Objects, git, path_of, raw_path
from memtool.edge.trees import Blob
from memtool.errors import MemtoolError

REGULAR = frozenset({b"100644", b"100755", b"100664"})
LINK, SUBMODULE = b"120000", b"160000"
_EXECUTABLE = 0o111
_TEMPORARY = re.compile(r"\.merge_file_\w{6}")
"""How git names a file that it checks out beside its place."""


def put(root: str, objects: Objects, differing: Sequence[Delta]) -> None:
    """Put what is new in its place, each file in one step; regular ones as the index holds them."""
    for one in differing:
        place = os.path.join(root, one.path)
        if one.new is None and os.path.lexists(place) and not os.path.isdir(place):
            remove(place, upto=root)
        elif one.new and one.new.mode == LINK:
            link_atomically(place, _target(objects, one.new))
        elif one.new and one.new.mode == SUBMODULE:
            os.makedirs(place, exist_ok=True)  # git takes one without its folder for removed
    regular = [one.path for one in differing if one.new and one.new.mode in REGULAR]
    for temporary, path in _checked_out(root, regular):
        move(os.path.join(root, temporary), os.path.join(root, path))


def holds(root: str, objects: Objects, path: str, blob: Blob | None) -> bool:
    """Tell whether the work tree has at *path* what git keeps as *blob*, whatever the mode; None for nothing there."""
    place = os.path.join(root, path)
    if blob is None:
        return not os.path.lexists(place)
    if blob.mode == SUBMODULE:
        return os.path.isdir(place) and not os.path.islink(place)
    if blob.mode == LINK:
        return os.path.islink(place) and _target(objects, blob) == os.fsencode(os.readlink(place))
    is_regular = os.path.isfile(place) and not os.path.islink(place)
    return is_regular and git(root, "hash-object", "--", path).strip() == blob.oid


def make_executable(root: str, differing: Sequence[Delta]) -> None:
    """Let each regular file be executable, or not, as its new mode says; raises MemtoolError."""
    for one in differing:
        place = os.path.join(root, one.path)
        changes = one.new and one.new.mode in REGULAR and (one.old is None or one.old.mode != one.new.mode)
        if not changes or os.path.islink(place) or not os.path.isfile(place):
            continue
        try:
            mode = os.stat(place).st_mode & ~_EXECUTABLE
            readers = mode >> 2 & _EXECUTABLE
            os.chmod(place, mode | readers if one.new and one.new.mode == b"100755" else mode)
        except OSError as error:
            raise MemtoolError(f"{one.path}: its mode was not changed ({error.strerror})") from error


def sweep(root: str) -> None:
    """Take away what a checkout that was killed left beside the files; for who knows that no git is at work."""
    for name in filter(_TEMPORARY.fullmatch, os.listdir(root)):
        remove(os.path.join(root, name), upto=root)


def _checked_out(root: str, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Let git write files beside their places; yield (temporary name, path)."""
    asked = b"".join(raw_path(path) + b"\0" for path in paths)
    said = git(root, "checkout-index", "--temp", "-z", "--stdin", stdin=asked) if paths else b""
    for record in filter(None, said.split(b"\0")):
        temporary, _, path = record.partition(b"\t")
        yield path_of(temporary), path_of(path)


def _target(objects: Objects, blob: Blob) -> bytes:
    return objects.contents([blob.oid])[0] or b""
