"""Two front matters merged key by key, each key with its bytes and the comments above it."""

from __future__ import annotations

from memtool.core import document
from memtool.core.dates import is_date
from memtool.core.document import Document
from memtool.core.merge.aside import BOTH, DELETED, Aside, Merged
from memtool.core.merge.order import woven
from memtool.core.merge.three import settled, taken
from memtool.model import Record

_LATER = frozenset({"source_date", "modified", "date", "verified", "last_verified"})
"""Keys that say when a file was last true: of two days the later one holds, and nobody has to choose."""


class Front(Record):
    """A front matter taken apart; joined, its parts are all that stands above the body."""

    opening: bytes
    """A byte order mark and the first line; what stands above the first key."""
    keys: dict[str, bytes]
    """The lines of each key, in order."""
    closing: bytes


def head(parsed: Document) -> bytes:
    """Give all that stands above the body."""
    return parsed.data[: parsed.body]


def merge(base: Document, ours: Document, theirs: Document) -> Merged:
    """Merge what stands above two bodies; by keys where all three can be read, else as one piece."""
    heads = head(base), head(ours), head(theirs)
    if settled(*heads):
        return Merged(taken(*heads))
    was, one, other = (_cut(parsed) for parsed in (base, ours, theirs))
    if was and one and other and (merged := _by_key(was, one, other)):
        return merged
    rest, stays = sorted((ours, theirs), key=lambda one: (not one.error, bool(one.front), head(one)))
    return Merged(head(stays), (Aside("front matter", BOTH, head(rest)),))


def _cut(parsed: Document) -> Front | None:
    """Take a front matter apart; None where it cannot be read, or has several keys on one line."""
    spans = document.key_lines(parsed)
    if parsed.error or len(set(spans.values())) < len(parsed.front):
        return None
    data = parsed.data
    if not spans:
        return Front(head(parsed), {}, b"")
    ordered = dict(sorted(spans.items(), key=lambda item: item[1]))
    first, last = min(spans.values())[0], max(spans.values())[1]
    keys = {key: data[start:end] for key, (start, end) in ordered.items()}
    return Front(data[:first], keys, data[last : parsed.body])


def _by_key(base: Front, ours: Front, theirs: Front) -> Merged | None:
    """Merge key by key; None where the result would not read as the keys that it is made of."""
    outer = [(base.opening, ours.opening, theirs.opening), (base.closing, ours.closing, theirs.closing)]
    if not all(settled(*versions) for versions in outer):
        return None
    opening, closing = (taken(*versions) for versions in outer)
    kept, asides = dict[str, bytes](), list[Aside]()
    for key in {**base.keys, **ours.keys, **theirs.keys}:
        lines, aside = _settle(key, base.keys.get(key), ours.keys.get(key), theirs.keys.get(key))
        kept |= {key: lines} if lines is not None else {}
        asides += [aside] if aside else []
    orders = [[key for key in front.keys if key in kept] for front in (base, ours, theirs)]
    order = woven(orders[0], orders[1], orders[2], _together)
    data = opening + b"".join(kept[key] for key in order) + closing
    read = document.read(data)
    return Merged(data, tuple(asides)) if read.body == len(data) and list(read.front) == order else None


def _settle(
    key: str, base: bytes | None, ours: bytes | None, theirs: bytes | None
) -> tuple[bytes | None, Aside | None]:
    if settled(base, ours, theirs):
        return taken(base, ours, theirs), None
    if ours is None or theirs is None:
        return ours or theirs, Aside(_named(key), DELETED)
    other, stays = sorted((ours, theirs))
    if key in _LATER and all(_is_day(key, lines) for lines in (ours, theirs)):
        return stays, None
    return stays, Aside(_named(key), BOTH, other)


def _named(key: str) -> str:
    return f"front matter: {key}"


def _is_day(key: str, lines: bytes) -> bool:
    name, _, value = lines.decode("utf-8", "replace").partition(": ")
    return name == key and is_date(value.strip())


def _together(ours: list[str], theirs: list[str]) -> list[str]:
    return [key for run in sorted((ours, theirs)) for key in run]
