"""A new commit made of objects alone: no index, no work tree, no branch is touched."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from memtool.edge.plumbing import git, raw_path
from memtool.edge.repository import identity
from memtool.edge.trees import Blob
from memtool.model import Record

_REF = "refs/memtool/made"
"""What fast-import hangs the commit on; from there it is the caller's to move."""


class Data(Record):
    """A file with new content."""

    mode: bytes
    data: bytes


Files = Mapping[str, "Blob | Data | None"]
"""Path to what it becomes: an object that is there, new content, or None where it goes."""


def new_commit(root: str, *, parents: Sequence[str], files: Files, message: str, agent: str) -> str:
    """Make the commit of *files* changed in the tree of the first of *parents*, and give its id."""
    env = os.environ | identity(root, agent or "memtool")
    who = [git(root, "var", name, env=env).strip() for name in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT")]
    stream = b"".join(_stream(parents, files, message.encode("utf-8", "surrogateescape"), who))
    done = git(
        root, "-c", "core.fsync=committed,reference", "fast-import", "--quiet", "--force", "--done", stdin=stream
    )
    return done.decode().strip()


def _stream(parents: Sequence[str], files: Files, message: bytes, who: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the commands of fast-import; what goes comes first, so that a folder can take the place of a file."""
    made = {path: what for path, what in files.items() if isinstance(what, Data)}
    marks = {path: b":%d" % number for number, path in enumerate(made, 2)}
    for path, mark in marks.items():
        yield b"blob\nmark %s\ndata %d\n%s\n" % (mark, len(made[path].data), made[path].data)
    yield b"commit %s\nmark :1\nauthor %s\ncommitter %s\n" % (_REF.encode(), *who)
    yield b"data %d\n%s\n" % (len(message), message)
    yield b"".join(b"%s %s\n" % (b"merge" if at else b"from", oid.encode()) for at, oid in enumerate(parents))
    yield b"".join(b"D %s\n" % _quoted(path) for path, what in files.items() if what is None)
    for path, what in files.items():
        if what is not None:
            yield b"M %s %s %s\n" % (what.mode, marks[path] if isinstance(what, Data) else what.oid, _quoted(path))
    yield b"get-mark :1\ndone\n"


def _quoted(path: str) -> bytes:
    """Write a path as fast-import reads it back, whatever is in it."""
    plain = raw_path(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"%s"' % plain
