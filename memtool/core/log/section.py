"""An entry followed back through the versions of its file, and what was done to it from one to the next."""

from __future__ import annotations

from _collections_abc import Sequence

from memtool.core import document
from memtool.core.changes import Table
from memtool.core.document import next_line
from memtool.core.entry import VERIFIED, WHY, Entry, Ref, entries, find
from memtool.core.log.commit import Commit, Moves, Read
from memtool.core.log.trace import Before, Thing
from memtool.core.merge.match import TOP, matched
from memtool.core.merge.section import Section, cut

END = b"\r\n"
_AFTER = frozenset((b"", b"\n", b"\r"))


def body_of(data: bytes) -> bytes:
    return data[document.read(data).body :]


def bytes_of(data: bytes, item: Entry) -> bytes:
    """Give the bytes of an entry without the line ends behind it, which come and go with what follows."""
    return data[item.start : item.end].rstrip(END)


def thing_in(path: str, data: bytes, wanted: Ref) -> Thing | None:
    """Find the first entry that *wanted* can mean in the file *data*, whatever its hash now; None where none is."""
    found = find(data, wanted) or find(data, wanted.replace(hash=""))
    return Thing(path, bytes_of(data, found[0]), found[0].slug) if found else None


def entry_before(moves: Moves, read: Read, wanted: Ref) -> Before:
    """Give what follows entries; one that is not there is looked for by *wanted* in what was there before."""

    def before(thing: Thing, commit: Commit, table: Table) -> Thing:
        if thing.path not in table:
            return thing
        old = table[thing.path][0]
        source = thing.path if old else moves.of(commit, table).get(thing.path, thing.path)
        data = read(table[source][0]) if source in table and table[source][0] else b""
        if not thing.content:
            named = wanted.replace(slug=thing.slug) if thing.mark else wanted
            found = thing_in(source, data, named) if thing.mark in data else None
            return found or thing.replace(path=source if data else thing.path)
        now = read(table[thing.path][1])
        if (there := copies(data, thing.content)) and there == copies(now, thing.content):
            return thing.replace(path=source)
        was = _earlier(thing, now, source, data)
        return was or _elsewhere(thing, table, read) or _absent(thing)

    return before


def _absent(thing: Thing) -> Thing:
    return Thing(thing.path, b"", thing.slug, thing.content.partition(b"\n")[0].rstrip(END))


def _earlier(thing: Thing, data: bytes, path: str, before: bytes) -> Thing | None:
    """Find what *thing*, an entry of the file *data*, was in the version *before*, then called *path*."""
    body, old_body = body_of(data), body_of(before)
    new, old = cut(body).sections, cut(old_body).sections
    at = _number(new, body, thing)
    number = numbers(old, new)[at] if at >= 0 else -1
    if number < 0:
        return None
    item = old[number].entry
    return Thing(path, bytes_of(old_body, item), item.slug)


def numbers(old: Sequence[Section], new: Sequence[Section]) -> list[int]:
    """Tell of each section of *new* which of *old* it comes from, counted from 0; -1 for a new one."""
    top = 0 if old and not old[0].level else -1
    return [(top if name == TOP else name) if isinstance(name, int) else -1 for name in matched(old, new)]


def _number(sections: Sequence[Section], body: bytes, thing: Thing) -> int:
    """Find which of *sections* a thing is: of equal ones, the one with its slug; -1 for none."""
    same = [at for at, one in enumerate(sections) if bytes_of(body, one.entry) == thing.content]
    return next((at for at in same if sections[at].entry.slug == thing.slug), same[0] if same else -1)


def copies(data: bytes, content: bytes) -> int:
    """Count, without reading all of *data*, the entries of exactly these bytes that stand there."""
    found, at = 0, data.find(content)
    while at >= 0:
        starts = not at or data[at - 1] in END
        found += starts and data[at + len(content) : at + len(content) + 1] in _AFTER and _is_whole(data, at, content)
        at = data.find(content, at + 1)
    return found


def _is_whole(data: bytes, at: int, content: bytes) -> bool:
    """Tell whether the entry ends there: what comes next is a heading, or nothing."""
    end = at + len(content)
    rest = data[end:]
    piece = data[at : next_line(data, end + len(rest) - len(rest.lstrip(END)))]
    found = entries(piece)
    return bool(found) and bytes_of(piece, found[0]) == content


def _elsewhere(thing: Thing, table: Table, read: Read) -> Thing | None:
    """Find the file from which the same commit took *thing*."""
    for path, (old, new) in table.items():
        if path != thing.path and _fewer(thing.content, old, new, read):
            return thing.replace(path=path)
    return None


def went(thing: Thing, table: Table, read: Read) -> str:
    """Name the file to which a commit moved *thing*, which is no longer where it was; empty where it removed it."""
    return next((path for path, (old, new) in table.items() if _fewer(thing.content, new, old, read)), "")


def _fewer(content: bytes, one: bytes, other: bytes, read: Read) -> bool:
    """Tell whether the blob *one* holds an entry of these bytes that the blob *other* lacks."""
    there = copies(read(one), content) if one else 0
    return there > (copies(read(other), content) if other and there else 0)


def done(was: Thing | None, now: Thing) -> tuple[str, str]:
    """Say what was done to an entry, and the reason that it gives itself."""
    if not now.content:
        return "removed", ""
    item = read_alone(now)
    if was is None:
        return "cut", ""
    if not was.content:
        return "recorded", item.record(WHY)
    if was.content == now.content:
        return "moved", ""
    old = read_alone(was)
    if len(item.voids) > len(old.voids):
        return ("revised" if item.live.strip() else "withdrawn"), item.voids[-1].reason
    if item.record(VERIFIED) != old.record(VERIFIED) and item.live.strip() == old.live.strip():
        return "confirmed", ""
    return "edited", item.record(WHY) if item.record(WHY) != old.record(WHY) else ""


def read_alone(thing: Thing) -> Entry:
    """Read the bytes of an entry by themselves."""
    return entries(thing.content)[0]
