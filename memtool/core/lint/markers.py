"""Conflict markers: what git writes into a file when it cannot merge, and what must never reach a memory."""

from __future__ import annotations

from memtool.core.blocks import lines

SET_ASIDE = b"Set aside in a merge"
"""How the heading begins above a text that memtool's own merge could not fit in; no date stands first, so it is no
dated entry."""


def conflict(data: bytes) -> tuple[int, bool] | None:
    """Find the first conflict: (its line, is it whole and outside code); None where there is none.

    A whole one is ``<<<<<<<`` then ``=======`` then ``>>>>>>>``, each at the margin. One in code may be an example, a
    lone ``<<<<<<< label`` or ``>>>>>>> label`` what is left of one. A lone line of ``=`` is a heading's underline.
    """
    if b"<<<<<<< " not in data and b">>>>>>> " not in data and not (b"<<<<<<<" in data and b">>>>>>>" in data):
        return None
    begun, kinds, half, lone = 0, set[str](), False, 0
    for number, (kind, start, end) in enumerate(lines(data), 1):
        line = data[start:end].rstrip(b"\r\n")
        if _is_marker(line, b"<"):
            begun, kinds, half = number, {kind}, False
        elif begun:
            kinds.add(kind)
            half = half or line == b"======="
            if half and _is_marker(line, b">"):
                return begun, kinds != {"code"}
        if not lone and kind != "code" and line.startswith((b"<<<<<<< ", b">>>>>>> ")):
            lone = number
    return (lone, False) if lone else None


def _is_marker(line: bytes, sign: bytes) -> bool:
    return line.startswith(sign * 7) and line[7:8] in {b"", b" "}
