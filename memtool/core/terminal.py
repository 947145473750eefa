"""Text as it may be sent to a terminal, whatever a memory says or a file is called."""

from __future__ import annotations


def printable(text: str) -> str:
    """Show the control characters of *text*, and the bytes that are no UTF-8, so that none is sent as it is."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(char: str) -> str:
    code = ord(char)
    return char if char.isprintable() else f"\\x{code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else code:02x}"
