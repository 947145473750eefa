"""Conflict markers: what git writes into a file when it cannot merge, and what must never reach a memory."""

from __future__ import annotations

from memtool.core.blocks import lines


def conflict(data: bytes) -> tuple[int, bool] | None:
    """Find the first whole conflict, ``<<<<<<<`` then ``=======`` then ``>>>>>>>``, each at the margin.

    Gives its line and whether it stands in code, where it may be an example; None where there is none. A lone line of
    ``=`` is a heading's underline.
    """
    if b"<<<<<<<" not in data or b">>>>>>>" not in data:
        return None
    begun, kinds, half = 0, set[str](), False
    for number, (kind, start, end) in enumerate(lines(data), 1):
        line = data[start:end].rstrip(b"\r\n")
        if _is_marker(line, b"<"):
            begun, kinds, half = number, {kind}, False
        elif begun:
            kinds.add(kind)
            half = half or line == b"======="
            if half and _is_marker(line, b">"):
                return begun, kinds == {"code"}
    return None


def _is_marker(line: bytes, sign: bytes) -> bool:
    return line.startswith(sign * 7) and line[7:8] in {b"", b" "}
