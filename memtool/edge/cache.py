"""Derived files under the git directory: read back whole and undamaged, or not at all.

A cache is never the truth. It is written without waiting for the disk, a checksum tells a torn one, and where it
cannot be read or written the work is simply done again.
"""

from __future__ import annotations

from _collections_abc import Sequence
from zlib import crc32

from memtool.edge.files import read_regular, write_atomically
from memtool.edge.location import cache_path
from memtool.errors import MemtoolError


def load(root: str, name: str, version: str) -> list[bytes]:
    """Give the sections that `save` kept; none where there are none, of another version, or damaged."""
    try:
        data = read_regular(cache_path(root, name))
    except MemtoolError:
        return []
    return [] if isinstance(data, str) else unpack(version, data)


def save(root: str, name: str, version: str, sections: Sequence[bytes]) -> None:
    """Keep *sections*; a place that cannot be written is no error, the next run is only slower."""
    try:  # noqa: SIM105 (importing contextlib takes a fifth of Python's own start)
        write_atomically(cache_path(root, name), pack(version, sections), durable=False)
    except MemtoolError:
        pass


def pack(version: str, sections: Sequence[bytes]) -> bytes:
    """Put *sections* into one file, with the checksum that tells a torn one."""
    body = b"".join(sections)
    sizes = b" ".join(b"%d" % len(section) for section in sections)
    return b"memtool %s %08x %s\n" % (version.encode(), crc32(sizes + b"\n" + body), sizes) + body


def unpack(version: str, data: bytes) -> list[bytes]:
    """Give the sections of what `pack` made; none where it is of another version, or damaged."""
    head, _, body = data.partition(b"\n")
    mark, made_by, checksum, sizes = (*head.split(b" ", 3), b"", b"", b"")[:4]
    if (mark, made_by, checksum) != (b"memtool", version.encode(), b"%08x" % crc32(sizes + b"\n" + body)):
        return []
    sections, at = [], 0
    for size in map(int, sizes.split()):
        sections.append(body[at : at + size])
        at += size
    return sections
