"""What the index was made from last time, so that a large one is made again in the time that git needs to answer.

Rows are kept by path and blob id, and used only for files that git calls unchanged. The proof is the list of what was
staged when the pages in the tree were found right: while the tree is as that list says, they still are.
"""

from __future__ import annotations

from _collections_abc import Mapping

from memtool import __version__
from memtool.core.config import Config
from memtool.edge import cache
from memtool.edge.plumbing import path_of, raw_path
from memtool.model import Record

_ROWS, _PROOF, _VERSION = "index-rows", "index-proof", "index-1"


def _stamp(config: Config) -> bytes:
    """Say for which memtool and which settings the entries hold."""
    return f"{__version__} {config!r}".encode("utf-8", "surrogateescape")


class Rows(Record):
    """The rows of the files that were as they were staged, and their blobs' ids, by path."""

    ids: dict[str, bytes]
    lines: dict[str, bytes]


def load_rows(root: str, config: Config) -> Rows:
    sections = cache.load(root, _ROWS, _VERSION)
    if len(sections) != 4 or sections[0] != _stamp(config) or not sections[1]:
        return Rows({}, {})
    paths = path_of(sections[1]).split("\0")
    ids, lines = sections[2].split(b"\n"), sections[3].split(b"\n")
    if not len(paths) == len(ids) == len(lines):
        return Rows({}, {})
    return Rows(dict(zip(paths, ids, strict=True)), dict(zip(paths, lines, strict=True)))


def save_rows(root: str, config: Config, kept: Rows) -> None:
    paths = raw_path("\0".join(kept.ids))
    lines = b"\n".join(map(kept.lines.__getitem__, kept.ids))
    cache.save(root, _ROWS, _VERSION, (_stamp(config), paths, b"\n".join(kept.ids.values()), lines))


class Proof(Record):
    """How the index stood when its pages were last found right."""

    files: int
    sizes: Mapping[str, int]
    """The bytes of each page."""


def load_proof(root: str, config: Config, staged: bytes) -> Proof | None:
    """Give the proof that was made for this list of what is *staged*."""
    sections = cache.load(root, _PROOF, _VERSION)
    if len(sections) != 4 or sections[:2] != [_stamp(config), staged]:
        return None
    numbers = list(map(int, sections[2].split()))
    return Proof(numbers[0], dict(zip(path_of(sections[3]).split("\0"), numbers[1:], strict=True)))


def save_proof(root: str, config: Config, staged: bytes, proof: Proof) -> None:
    numbers = b" ".join(b"%d" % number for number in (proof.files, *proof.sizes.values()))
    cache.save(root, _PROOF, _VERSION, (_stamp(config), staged, numbers, raw_path("\0".join(proof.sizes))))
