"""What one digest knows and the next one can use, and how it is kept."""

from __future__ import annotations

import os
from _collections_abc import Iterator
from itertools import islice

from memtool.core.changes import Table
from memtool.edge.plumbing import path_of, raw_path
from memtool.model import Record


class Ledger(Record):
    """What one digest knows and the next one can use."""

    tip: str
    before: tuple[str, ...]
    """The commits that show the state before the window of files and before that of projects; empty: nothing yet."""
    hidden: int
    """The time of the oldest commit of a shallow clone that does not reach back over both windows; else 0."""
    files: Table
    projects: Table
    """The files of projects that differ over the longer window."""
    descriptions: dict[bytes, str]
    log: bytes = b""


def write(ledger: Ledger) -> bytes:
    """Put *ledger* into fields that end at NUL, column by column, with their lengths in the first ones.

    The log comes last, as git gave it.
    """
    files, projects, texts = ledger.files, ledger.projects, ledger.descriptions
    sizes = (ledger.hidden, len(files), len(projects), len(texts))
    fields = [os.fsencode(word) for word in (ledger.tip, *ledger.before)] + [b"%d" % size for size in sizes]
    for table in (files, projects):
        fields += map(raw_path, table)
        fields += [old for old, _ in table.values()]
        fields += [new for _, new in table.values()]
    fields += texts
    fields += [text.encode() for text in texts.values()]
    return b"\0".join([*fields, ledger.log])


def read(data: bytes) -> Ledger | None:
    if not data:
        return None
    fields = iter(data.split(b"\0"))
    tip, short, long = (field.decode() for field in islice(fields, 3))
    hidden, files, projects, texts = (int(field) for field in islice(fields, 4))
    return Ledger(
        tip,
        (short, long),
        hidden,
        _table(fields, files),
        _table(fields, projects),
        dict(zip(list(islice(fields, texts)), [field.decode() for field in islice(fields, texts)], strict=True)),
        b"\0".join(fields),
    )


def _table(fields: Iterator[bytes], size: int) -> Table:
    paths, old, new = (list(islice(fields, size)) for _ in range(3))
    return dict(zip(map(path_of, paths), zip(old, new, strict=True), strict=True))
