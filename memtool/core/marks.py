"""What the block scanner asks of single lines: link reference definitions, and the tags that start HTML blocks.

A text here is one line, or the rest of one, with END behind it, so that looking at the next byte needs no bound.
"""

from __future__ import annotations

from _collections_abc import Callable, Iterator

END = 0x0A
"""Stands behind the last letter of the line that is read, so that a look at the next byte needs no bound."""
BLANK = b" \t"
DIGITS = b"0123456789"
LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def skip(text: bytes, at: int, these: bytes) -> int:
    while text[at] in these:
        at += 1
    return at


def _until(text: bytes, at: int, stops: bytes) -> int:
    """Go to the first of *stops* that no backslash escapes; END is one of them."""
    while (byte := text[at]) not in stops:
        at += 1 + (byte == 0x5C and text[at + 1] != END)
    return at


_TITLES = {0x22: b'"\n', 0x27: b"'\n", 0x28: b")(\n"}
"""By what opens a title: what closes it, then what else may not stand in it."""
_CONTROL = bytes(range(1, 0x21)) + b"\x7f"  # NUL stands for U+FFFD


def definition(rest: Callable[[], bytes]) -> Iterator[bool]:
    """Read a link reference definition, *rest* by *rest*; tell after each whether it is whole, end where it is none."""
    text, at, named = rest(), 1, False
    while text[end := _until(text, at, b"[]\n")] == END:
        named = named or end > at
        yield False
        text, at = rest(), 0
    if not (named or text[at:end].strip(BLANK)) or text[end : end + 2] != b"]:":
        return
    at = skip(text, end + 2, BLANK)
    if text[at] == END:
        yield False
        text, at = rest(), 0
    end = _destination(text, at)
    at = skip(text, end, BLANK)
    if end > 0 and text[at] == END:
        yield True
        text, at = rest(), 0
    elif at == end:
        return
    stops = _TITLES.get(text[at])
    at += 1
    while stops and text[at := _until(text, at, stops)] == END:
        yield False
        text, at = rest(), 0
    if stops and text[at] == stops[0] and text[skip(text, at + 1, BLANK)] == END:
        yield True


def _destination(text: bytes, at: int) -> int:
    """Go past a link destination; to -1 where there is none."""
    if text[at] == 0x3C:
        end = _until(text, at + 1, b"<>\n")
        return end + 1 if text[end] == 0x3E else -1
    start, depth = at, 0
    while text[at] not in _CONTROL and (depth or text[at] != 0x29) and depth <= 32:
        depth += (text[at] == 0x28) - (text[at] == 0x29)
        at += 1 + (text[at] == 0x5C and text[at + 1] not in _CONTROL)
    return at if at > start and not depth else -1


_TAG_SPACE = b" \t\x0b\x0c"
_TAG_NAME = LETTERS + DIGITS + b"-"
_UNQUOTED = bytes(set(range(256)) - set(range(1, 0x21)) - set(b"\"'=<>`"))
_RAW_NAMES = frozenset((b"pre", b"script", b"style", b"textarea"))
_BLOCK_NAMES = frozenset(
    b"address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt "
    b"fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li "
    b"link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th "
    b"thead title tr track ul".split()
)


def html_ends(text: bytes, *, interrupting: bool) -> tuple[bytes, ...] | None:
    """Give what ends the HTML block that *text* starts, () where a blank line does; None where it starts none."""
    for opener, closer in ((b"<!--", b"-->"), (b"<?", b"?>"), (b"<![CDATA[", b"]]>")):
        if text.startswith(opener):
            return (closer,)
    if text.startswith(b"<!"):
        return (b">",) if text[2] in LETTERS else None
    start = 2 if text.startswith(b"</") else 1
    at = skip(text, start, _TAG_NAME)
    name = text[start:at].lower()
    ended = text[at] in _TAG_SPACE + b"\n>"
    if name in _RAW_NAMES and ended and start == 1:
        return tuple(b"</" + raw + b">" for raw in _RAW_NAMES)
    if name in _BLOCK_NAMES and (ended or text.startswith(b"/>", at)):
        return ()
    if interrupting or text[start] not in LETTERS:
        return None
    at = _attributes(text, at) if start == 1 else skip(text, at, _TAG_SPACE)
    return () if text[at] == 0x3E and text[skip(text, at + 1, _TAG_SPACE)] == END else None


def _attributes(text: bytes, at: int) -> int:
    """Go past the attributes of an open tag, and the slash that may stand behind them."""
    while True:
        start = skip(text, at, _TAG_SPACE)
        if start == at or text[start] not in LETTERS + b"_:":
            return start + (text[start] == 0x2F)
        at = skip(text, start, _TAG_NAME + b"_:.")
        equals = skip(text, at, _TAG_SPACE)
        if text[equals] == 0x3D:
            start = skip(text, equals + 1, _TAG_SPACE)
            at = text.find(text[start], start + 1) + 1 if text[start] in b"\"'" else skip(text, start, _UNQUOTED)
            if at <= start:
                return len(text) - 1
