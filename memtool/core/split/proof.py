"""The proof that a split moved every byte: before anything is written, and for ever after from history.

The commit of a split carries, in its trailers, the blob ids and lengths of the source and of the parts, in order; no
heading, for that is memory text. docs/split.md gives their form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

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


class Outcome(Record):
    """What the proof of a split commit found."""

    source: str
    """The path of the source in the parent; empty where the commit changed no such file."""
    parts: tuple[str, ...] = ()
    """The files that hold the slices, in order; empty for one that nobody holds."""
    faults: tuple[str, ...] = ()
    """Why it is not proved; none where the source is its parts' bodies joined."""
    notes: tuple[str, ...] = ()
    """What is not as the commit says and costs no byte of the source."""


def examine(said: Claim, moved: Moved, read: Callable[[str], bytes]) -> Outcome:
    """Hold a commit to what it says of itself; *read* gives the content of a blob of either side."""
    path = next((path for path, oid in moved.before.items() if oid == said.oid), "")
    if not path:
        return Outcome("", faults=(f"the source, blob {said.oid[:12]}, is not what the parent holds",))
    source = read(said.oid)
    if said.size != len(source) or said.kept + sum(piece.size for piece in said.pieces) != len(source):
        text = f"{path}: {len(source):,} bytes, which the lengths that the commit names do not make up"
        return Outcome(path, faults=(text,))
    faults, notes, parts = [], [], []
    stays = path in moved.after and read(moved.after[path]).startswith(source[: said.kept])
    if not stays and (path in moved.after or source[document.read(source).body : said.kept]):
        faults.append(f"{path}: its first {said.kept:,} bytes did not stay")
    at, search = said.kept, _Search(said, moved, read)
    for number, piece in enumerate(said.pieces, start=1):
        part, fault, note = search.find(piece, source[at : at + piece.size], at)
        faults += [f"part {number} of {len(said.pieces)}: {fault}"] * bool(fault)
        notes += [f"{part}: {note}"] * bool(note)
        parts.append(part)
        at += piece.size
    return Outcome(path, tuple(parts), tuple(faults), tuple(notes))


class _Search:
    """Finds the files that hold the slices of a source, among those that its commit changed."""

    def __init__(self, said: Claim, moved: Moved, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._named: dict[str, list[str]] = {piece.oid: [] for piece in said.pieces}
        self._strays: dict[str, bytes] = {}
        """The bodies of the new files that the commit does not name."""
        for path, oid in sorted(moved.after.items(), reverse=True):
            if oid in self._named:
                self._named[oid].append(path)
            elif path not in moved.before:
                self._strays[path] = _body(read(oid))

    def find(self, piece: Piece, wanted: bytes, at: int) -> tuple[str, str, str]:
        """Give the file that holds *wanted*, the source from byte *at* on; and what is wrong, and what else to say."""
        paths = self._named[piece.oid]
        if paths:
            path = paths.pop()  # equal parts are one blob, at a path for each
            content = self._read(piece.oid)
            whole = content[piece.head :] == wanted and document.read(content).body == piece.head
            return (path, "", "") if whole else ("", f"{path}: is not the source from byte {at:,} on", "")
        same = {path: _same(body, wanted) for path, body in self._strays.items()}
        path = max(same, key=lambda name: (self._strays[name] == wanted, same[name]), default="")
        if not path:
            return "", f"no file holds it, the source from byte {at:,} on", ""
        if self._strays.pop(path) == wanted:
            return path, "", "its front matter was changed after the split; its body is the source's"
        where = f"its byte {at + same[path]:,}, byte {same[path]:,} of the part's body"
        return "", f"{path}: differs from the source at {where}", ""


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
