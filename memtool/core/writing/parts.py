"""The parts of an entry's content in the order they stand: record blocks, and the live text between them."""

from __future__ import annotations

from _collections_abc import Iterator

from memtool.core.entry import is_known, is_quoted, key_value, quote_blocks, unquoted

Part = tuple[bool, bytes]
"""Whether it is a record block, and its bytes."""


def parts(content: bytes) -> Iterator[Part]:
    """Yield the record blocks of *content* and what lies between them; joined, they are *content*."""
    for block in quote_blocks(content):
        yield bool(key(block[0])), b"".join(block)


def key(line: bytes) -> str:
    """Give the key of the record line *line*; empty for a line that can start no record block."""
    inner = unquoted(line)
    pair = key_value(inner)
    return pair[0] if pair and is_quoted(line) and is_known(inner) else ""
