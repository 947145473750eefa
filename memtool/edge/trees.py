"""The trees of a memory repo as Snapshots: a commit, what is staged, the work tree."""

from __future__ import annotations

import os
from _collections_abc import Iterator
from bisect import bisect_left

from memtool.edge.files import MAX_FILE, irregular, read_regular
from memtool.edge.plumbing import GitError, Objects, git, path_of, raw_path, records, succeeds
from memtool.errors import MemtoolError
from memtool.model import Record, Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtool.edge.survey import Survey

_ODD = {b"120000": "a symbolic link", b"160000": "a submodule"}
_FOLDER = b"40000"
_MODES = (b"100644", b"100755", b"100664", b"120000", b"160000", _FOLDER)
"""As git writes them into trees; 100664 is of its first years."""


class Blob(Record):
    """One path of a git tree."""

    mode: bytes
    oid: bytes


def blob_id(data: bytes, digits: int) -> bytes:
    """Give git's id of *data* in a repo whose ids have so many hex *digits*: 40 or 64."""
    from hashlib import sha1, sha256

    name = sha1 if digits == 40 else sha256
    return name(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest().encode()


class ObjectTree(Tree):
    """A tree of git objects; contents come from one `cat-file` when they are asked for, and are kept."""

    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self.filters: dict[str, str] = {}
        """Paths that a filter stands before, with its name: their blobs are not what will be read."""
        self._contents: dict[bytes, bytes] = {}
        self._sizes: dict[bytes, int] = {}

    def blob(self, path: str) -> Blob | None:
        raise NotImplementedError

    def blobs(self) -> dict[str, Blob]:
        """Map every path to its blob, in git's order."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[str]:
        return iter(self.blobs())

    def __len__(self) -> int:
        return len(self.blobs())

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self.blob(path) is not None

    def __getitem__(self, path: str) -> bytes:
        blob = self.blob(path)
        if blob is None or self.odd(path):
            raise KeyError(path)
        if blob.oid not in self._contents:
            self.fetch([path])
        return self._contents[blob.oid]

    def odd(self, path: str) -> str:
        blob = self.blob(path)
        if blob is None:
            return ""
        if blob.mode in _ODD:
            return _ODD[blob.mode]
        if path in self.filters:
            return f"behind the filter {self.filters[path]!r}"
        size = self._size(blob.oid)
        return f"too large to read ({size >> 20} MB)" if size > MAX_FILE else ""

    def fetch(self, paths: list[str]) -> None:
        """Read many files in two rounds of one process, rather than one by one."""
        wanted = [blob.oid for path in paths if (blob := self.blob(path)) and blob.mode not in _ODD]
        new = [oid for oid in dict.fromkeys(wanted) if oid not in self._contents]
        self._measure(new)
        small = [oid for oid in new if self._sizes[oid] <= MAX_FILE]
        self._contents |= {
            oid: data for oid, data in zip(small, self.objects.contents(small), strict=True) if data is not None
        }

    def _measure(self, oids: list[bytes]) -> None:
        new = [oid for oid in oids if oid not in self._sizes]
        for oid, info in zip(new, self.objects.info(new), strict=True):
            if info is None:
                raise MemtoolError(f"the object {oid.decode()} is missing from this repo", hint="Run `git fsck`.")
            self._sizes[oid] = info[2]

    def _size(self, oid: bytes) -> int:
        self._measure([oid])
        return self._sizes[oid]


class CommitTree(ObjectTree):
    """The tree of one commit. Folders are read one by one, so that a few files of a large tree cost little."""

    def __init__(self, objects: Objects, commit: str) -> None:
        super().__init__(objects)
        self.commit = commit
        self._folders: dict[str, dict[str, Blob]] = {}
        self._trees: dict[str, tuple[bytes, int]] = {}
        self._all: dict[str, Blob] | None = None

    def blob(self, path: str) -> Blob | None:
        if self._all is not None:
            return self._all.get(path)
        folder, _, name = path.rpartition("/")
        found = self._entry(folder, name) if name else None
        return None if found is None or found.mode == _FOLDER else found

    def blobs(self) -> dict[str, Blob]:
        if self._all is None:
            listing = records(self.objects.root, "ls-tree", "-r", "-z", "--full-tree", self.commit)
            self._all = dict(map(_listed, listing))
        return self._all

    def under(self, folder: str) -> Iterator[str]:
        return (path for path, _ in self._walk(folder))

    def _walk(self, folder: str) -> Iterator[tuple[str, Blob]]:
        open_folders = [folder]
        while open_folders:
            here = open_folders.pop()
            for name, blob in self._folder(here).items():
                path = f"{here}/{name}" if here else name
                if blob.mode == _FOLDER:
                    open_folders.append(path)
                else:
                    yield path, blob

    def _folder(self, folder: str) -> dict[str, Blob]:
        if folder not in self._folders:
            data, id_bytes = self._tree(folder)
            self._folders[folder] = _tree_entries(data, id_bytes)
        return self._folders[folder]

    def _entry(self, folder: str, name: str) -> Blob | None:
        """Find one entry of a folder, without reading all of a wide one."""
        if folder in self._folders:
            return self._folders[folder].get(name)
        data, id_bytes = self._tree(folder)
        needle, at = b" %s\0" % raw_path(name), -1
        while (at := data.find(needle, at + 1)) >= 0:
            mode = next((mode for mode in _MODES if data.endswith(mode, 0, at)), None)
            if mode:  # else the bytes of an id happen to look so
                start = at + len(needle)
                return Blob(mode, data[start : start + id_bytes].hex().encode())
        return None

    def _tree(self, folder: str) -> tuple[bytes, int]:
        """Read the tree object of *folder*: its bytes, and how many of them an id takes."""
        if folder not in self._trees:
            if folder:
                above, _, name = folder.rpartition("/")
                entry = self._entry(above, name)
                oid = entry.oid if entry is not None and entry.mode == _FOLDER else None
            else:
                (root,) = self.objects.info([f"{self.commit}^{{tree}}".encode()])
                oid = root[0] if root else None
            (data,) = self.objects.contents([oid]) if oid else (b"",)
            self._trees[folder] = (data or b"", len(oid or b"") // 2)
        return self._trees[folder]


def _tree_entries(data: bytes, id_bytes: int) -> dict[str, Blob]:
    """Read a tree object: ``mode name NUL id``, the id in bytes."""
    found, at = {}, 0
    while at < len(data):
        space = data.index(b" ", at)
        end = data.index(b"\0", space)
        oid = data[end + 1 : end + 1 + id_bytes]
        found[path_of(data[space + 1 : end])] = Blob(data[at:space], oid.hex().encode())
        at = end + 1 + id_bytes
    return found


def _listed(record: bytes) -> tuple[str, Blob]:
    """Read ``mode type id TAB path``, a record of `ls-tree` or (with the stage for a type) of `ls-files -s`."""
    head, _, path = record.partition(b"\t")
    words = head.split(b" ")
    return path_of(path), Blob(words[0], max(words[1:], key=len))


class StagedTree(ObjectTree):
    """What the commit in the making would hold: HEAD, overlaid with what is staged.

    The index of the running command is asked (``GIT_INDEX_FILE``), so this is right for every form of `git commit`.
    """

    def __init__(self, objects: Objects, base: CommitTree | None, changes: dict[str, Blob | None]) -> None:
        super().__init__(objects)
        self.base = base
        self.changes = changes
        """The paths that differ from HEAD; None for one that is removed."""
        self._changed = sorted(changes)

    def blob(self, path: str) -> Blob | None:
        if path in self.changes:
            return self.changes[path]
        return self.base.blob(path) if self.base is not None else None

    def blobs(self) -> dict[str, Blob]:
        merged = (self.base.blobs() if self.base is not None else {}) | self.changes
        return {path: blob for path, blob in sorted(merged.items()) if blob is not None}

    def under(self, folder: str) -> Iterator[str]:
        prefix = folder and folder + "/"
        if self.base is not None:  # not its truth: that would count the whole tree
            yield from (path for path in self.base.under(folder) if path not in self.changes)
        at = bisect_left(self._changed, prefix)
        while at < len(self._changed) and self._changed[at].startswith(prefix):
            if self.changes[self._changed[at]] is not None:
                yield self._changed[at]
            at += 1


def staged(objects: Objects) -> StagedTree:
    """Read what is staged, by one `diff-index`; a path added with `add -N` is not there yet."""
    objects.start()  # while the other git compares, this one gets ready
    try:
        changes = _differences(objects.root, "HEAD")
    except GitError:
        if succeeds(objects.root, "rev-parse", "-q", "--verify", "HEAD^{commit}"):
            raise
        empty = git(objects.root, "hash-object", "-t", "tree", "--stdin").strip().decode()
        return StagedTree(objects, None, _differences(objects.root, empty))
    return StagedTree(objects, CommitTree(objects, "HEAD"), changes)


def _differences(root: str, base: str) -> dict[str, Blob | None]:
    options = ("--cached", "--ita-invisible-in-index", "--no-renames", "--ignore-submodules=none", "-z")
    raw = records(root, "diff-index", *options, base, "--")
    changes: dict[str, Blob | None] = {}
    for head in raw:
        _, mode, _, oid, status = head.split(b" ")
        path = path_of(next(raw))
        if status == b"U":
            raise MemtoolError(f"{path} is in conflict", hint="Settle it and `git add` it; then it can be judged.")
        changes[path] = None if status == b"D" else Blob(mode, oid)
    return changes


class WorkTree(Tree):
    """The files as they lie in the work tree: tracked ones and new ones that git does not ignore."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.filters: dict[str, str] = {}
        """Paths that a filter stands before: what git keeps is not what is read here."""
        self._survey: Survey | None = None
        self._paths: dict[str, bytes] | None = None

    def survey(self) -> Survey:
        """Give what git says of the work tree, asked once."""
        from memtool.edge.survey import survey

        if self._survey is None:
            self._survey = survey(self.root)
        return self._survey

    def ids(self) -> dict[str, bytes]:
        """Map every path to the id of its blob, or to nothing where the file differs from what is staged."""
        if self._paths is None:
            self._paths = _work_paths(self.survey())
        return self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids())

    def __len__(self) -> int:
        return len(self.ids())

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and path in self.ids()

    def under(self, folder: str) -> Iterator[str]:
        prefix = folder and folder + "/"
        return (path for path in self.ids() if path.startswith(prefix))

    def __getitem__(self, path: str) -> bytes:
        if path not in self:
            raise KeyError(path)
        data = read_regular(os.path.join(self.root, path))
        if isinstance(data, str):
            raise KeyError(path)
        return data

    def odd(self, path: str) -> str:
        if path in self.filters:
            return f"behind the filter {self.filters[path]!r}"
        return irregular(os.path.join(self.root, path)) if path in self else ""


def _work_paths(found: Survey) -> dict[str, bytes]:
    ids: dict[str, bytes] = {}
    for record in found.staged.split(b"\0")[:-1]:
        head, _, raw = record.partition(b"\t")
        regular = head.startswith(b"H 100") and head.endswith(b" 0")  # no link, not unmerged, not `assume-unchanged`
        ids[raw.decode("utf-8", "surrogateescape")] = head[9:-2] if regular else b""
    ids |= dict.fromkeys(map(path_of, (*found.differing, *found.new)), b"")
    for path in map(path_of, found.gone):
        ids.pop(path, None)
    return {path: ids[path] for path in sorted(ids)}


class Folder(Tree):
    """The files of a folder as they lie on disk, git not asked: for the few that are read at every start."""

    def __init__(self, root: str) -> None:
        self.root = root

    def __iter__(self) -> Iterator[str]:
        return self.under("")

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and os.path.lexists(os.path.join(self.root, path))

    def __getitem__(self, path: str) -> bytes:
        data = read_regular(os.path.join(self.root, path)) if not self.odd(path) else ""
        if isinstance(data, str):
            raise KeyError(path)
        return data

    def under(self, folder: str) -> Iterator[str]:
        for here, folders, names in os.walk(os.path.join(self.root, folder)):
            folders[:] = sorted(name for name in folders if name != ".git")
            place = os.path.relpath(here, self.root)
            yield from (name if place == "." else f"{place}/{name}" for name in sorted(names))

    def odd(self, path: str) -> str:
        parts = path.split("/")
        above = ("/".join(parts[:at]) for at in range(1, len(parts)))
        if link := next((folder for folder in above if os.path.islink(os.path.join(self.root, folder))), ""):
            return f"behind the symbolic link {link}"
        return irregular(os.path.join(self.root, path))
