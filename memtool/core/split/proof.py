"""The proof that a split moved every byte: before anything is written, and for ever after from history.

The commit of a split carries, in its trailers, the blob ids and lengths of the source and of the parts, in order; no
heading, for that is memory text. docs/split.md gives their form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from memtool.core import document
from memtool.core.blocks import Heading, headings
from memtool.core.split.plan import Plan
from memtool.errors import MemtoolError
from memtool.model import Record

OPERATION = "split"
SOURCE, PART = "Memory-Source", "Memory-Part"


def prove(plan: Plan, files: Mapping[str, bytes | None]) -> None:
    """Hold *files* against the source; raises MemtoolError, which would be a fault of memtool's, where they differ.

    The slices in order are the body, byte for byte; each file ends with its slice and begins with front matter that can
    be read; each heading of the source is in exactly one part, and read there as it was read in the source.
    """
    at = plan.kept
    for part in plan.parts:
        content = files[part.path] or b""
        parsed = document.read(content)
        whole = part.start == at and parsed.error is None and content[parsed.body :] == plan.slice(part)
        if not whole or _found(content, parsed.body) != _shifted(part.headings, part.start):
            raise MemtoolError(
                f"{part.path}: not the source's bytes {part.start:,} to {part.end:,}; nothing was written"
            )
        at = part.end
    route = files[plan.source]
    if at != len(plan.data) or not (plan.remove or (route or b"").startswith(plan.data[: plan.kept])):
        raise MemtoolError(f"{plan.source}: the parts are not all of it; nothing was written")


def _found(content: bytes, body: int) -> list[tuple[int, int, int]]:
    """List the headings of a part as (level, start, end), counted from its body."""
    return [(heading.level, heading.start, heading.end) for heading in headings(content[body:])]


def _shifted(held: tuple[Heading, ...], start: int) -> list[tuple[int, int, int]]:
    return [(heading.level, heading.start - start, heading.end - start) for heading in held]


# --- from history ----------------------------------------------------------------------------------------------------


class Piece(Record):
    """What a split commit says of one part."""

    oid: str
    head: int
    """Bytes of the front matter in front of the slice."""
    size: int
    """Bytes of the slice."""


class Claim(Record):
    """What a split commit says of itself."""

    oid: str
    """The blob of the source, as the parent has it."""
    size: int
    """Bytes of the source."""
    kept: int
    """Bytes at its start that are in no part."""
    pieces: tuple[Piece, ...]


def trailers(plan: Plan, files: Mapping[str, bytes | None], blob_id: Callable[[bytes], str]) -> list[str]:
    """Write the claim of a split as the trailers of its commit."""
    lines = [f"{SOURCE}: {blob_id(plan.data)} {len(plan.data)} {plan.kept}"]
    for part in plan.parts:
        content, size = files[part.path] or b"", part.end - part.start
        lines.append(f"{PART}: {blob_id(content)} {len(content) - size} {size}")
    return lines


def claim(source: list[str], parts: list[str]) -> Claim | None:
    """Read the values of a commit's trailers; None where they are no claim."""
    try:
        ((oid, *numbers),) = (value.split(" ") for value in source)
        size, kept = map(int, numbers)
        pieces = [Piece(name, int(head), int(length)) for name, head, length in (value.split(" ") for value in parts)]
    except ValueError:
        return None
    return Claim(oid, size, kept, tuple(pieces)) if pieces else None


class Moved(Record):
    """What a split commit changed: path to blob id, on either side."""

    before: Mapping[str, str]
    after: Mapping[str, str]


def source_of(said: Claim, moved: Moved) -> str:
    """Give the path of the source in the parent; empty where the commit did not change such a file."""
    return next((path for path, oid in moved.before.items() if oid == said.oid), "")


def faults(said: Claim, moved: Moved, read: Callable[[str], bytes]) -> Iterator[str]:
    """Yield what is not as the commit claims; nothing where the source is proved to be its parts joined.

    *read* gives the content of a blob of either side.
    """
    path = source_of(said, moved)
    if not path:
        yield f"the source, blob {said.oid[:12]}, is not what the parent holds"
        return
    source = read(said.oid)
    if said.size != len(source) or said.kept + sum(piece.size for piece in said.pieces) != len(source):
        yield f"{path}: {len(source):,} bytes, which the lengths that the commit names do not make up"
        return
    if path in moved.after and not read(moved.after[path]).startswith(source[: said.kept]):
        yield f"{path}: its first {said.kept:,} bytes did not stay"
    yield from _part_faults(said, moved, source, read)


def _part_faults(said: Claim, moved: Moved, source: bytes, read: Callable[[str], bytes]) -> Iterator[str]:
    named = {piece.oid for piece in said.pieces}
    present = set(moved.after.values())
    strays = {path: oid for path, oid in moved.after.items() if path not in moved.before and oid not in named}
    at = said.kept
    for number, piece in enumerate(said.pieces, start=1):
        wanted = source[at : at + piece.size]
        where = f"part {number} of {len(said.pieces)}"
        if piece.oid not in present:
            yield f"{where}: {_tampered(wanted, at, strays, read)}"
        elif (content := read(piece.oid))[piece.head :] != wanted or document.read(content).body != piece.head:
            yield f"{where}: its blob {piece.oid[:12]} is not the source from byte {at:,} on"
        at += piece.size


def _tampered(wanted: bytes, at: int, strays: dict[str, str], read: Callable[[str], bytes]) -> str:
    """Name the file that stands where the part should, and the first byte at which it differs."""
    bodies = {path: _body(read(oid)) for path, oid in strays.items()}
    likeness = {path: _same(body, wanted) for path, body in bodies.items()}
    path = max(likeness, key=lambda name: likeness[name], default="")
    if not path:
        return f"no file holds it, the source from byte {at:,} on"
    strays.pop(path)
    same = likeness[path]
    if bodies[path] == wanted:
        return f"{path}: its front matter is not the one that the commit names; its body is the source's"
    return f"{path}: differs from the source at its byte {at + same:,}, byte {same:,} of the part's body"


def _body(content: bytes) -> bytes:
    return content[document.read(content).body :]


def _same(one: bytes, other: bytes) -> int:
    """Count the bytes at the start that are the same, by halving."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
