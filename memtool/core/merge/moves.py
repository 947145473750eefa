"""Sections that one side moved to another file, as a split does, while the other side edited them where they were."""

from __future__ import annotations

import re
from _collections_abc import Iterator

from memtool.core import document
from memtool.core.merge.match import matched, names
from memtool.core.merge.section import Section, cut
from memtool.model import Overlay, Record, Snapshot

_TARGET = re.compile(rb"\]\([^()\n]*")
"""Where an inline link leads, with what opens it."""


class Edit(Record):
    """One section's text, in one file, to be another."""

    path: str
    was: bytes
    now: bytes


def followed(base: Snapshot, ours: Snapshot, theirs: Snapshot, paths: list[str]) -> tuple[Snapshot, Snapshot]:
    """Give both sides with such edits made where the section went, and not where it was; *paths* are all that changed.

    So a merge of each file by itself finds every section once, edited.
    """
    mine, other = list(_edits(base, ours, theirs, paths)), list(_edits(base, theirs, ours, paths))
    to_ours = [there for there, _ in mine] + [back for _, back in other]
    to_theirs = [back for _, back in mine] + [there for there, _ in other]
    return _applied(ours, to_ours), _applied(theirs, to_theirs)


def _edits(base: Snapshot, mover: Snapshot, editor: Snapshot, paths: list[str]) -> Iterator[tuple[Edit, Edit]]:
    """Yield what is to be edited in *mover*, where the section is now, and what is to be as before in *editor*."""
    changed = [path for path in paths if path in base and base[path] not in (mover.get(path), editor.get(path, b""))]
    edited = [(path, *pair) for path in changed if path in editor for pair in _edited_away(path, base, mover, editor)]
    if not edited:
        return
    places, left = _added(base, mover, paths), _added(mover, base, paths)
    for path, was, now in edited:
        there, before = places.get(_blind(was), []), left.get(_blind(was), [])
        if len(there) == len(before) == 1:
            place, text = there[0]
            yield Edit(place, text, _relinked(now, was, text)), Edit(path, now, was)


def _edited_away(path: str, base: Snapshot, mover: Snapshot, editor: Snapshot) -> Iterator[tuple[bytes, bytes]]:
    """Yield the sections of one file that *mover* has no more and *editor* changed: before and after."""
    old = _sections(base[path])
    gone = set(names(old)).difference(matched(old, _sections(mover.get(path, b""))))
    new = _sections(editor[path])
    now = dict(zip(matched(old, new), new, strict=True))
    for name, one in zip(names(old), old, strict=True):
        if name in gone and name in now and now[name].text != one.text:
            yield one.text, now[name].text


def _added(base: Snapshot, side: Snapshot, paths: list[str]) -> dict[bytes, list[tuple[str, bytes]]]:
    """Map each section that is new in a file of *side*, link targets left out, to the files and its texts there."""
    found: dict[bytes, list[tuple[str, bytes]]] = {}
    for path in paths:
        if path in side:
            old = {one.text for one in _sections(base.get(path, b""))}
            for text in sorted({one.text for one in _sections(side[path])} - old):
                found.setdefault(_blind(text), []).append((path, text))
    return found


def _blind(text: bytes) -> bytes:
    """Leave out where links lead: who moves a section to another folder mends them."""
    return _TARGET.sub(b"](", text)


def _relinked(now: bytes, was: bytes, there: bytes) -> bytes:
    """Let the links of *now* lead where those of *was* lead in the moved text, *there*."""
    targets = dict(zip(_TARGET.findall(was), _TARGET.findall(there), strict=True))
    return _TARGET.sub(lambda found: targets.get(found[0], found[0]), now)


def _sections(data: bytes) -> tuple[Section, ...]:
    return cut(data[document.read(data).body :]).sections


def _applied(side: Snapshot, edits: list[Edit]) -> Snapshot:
    changes: dict[str, bytes | None] = {}
    for edit in edits:
        data = changes.get(edit.path) or side[edit.path]
        start = document.read(data).body
        body = cut(data[start:])
        texts = [edit.now if one.text == edit.was else one.text for one in body.sections]
        joined = b"".join(gap + text for gap, text in zip(body.gaps, [*texts, b""], strict=True))
        changes[edit.path] = data[:start] + joined
    return Overlay(side, changes) if changes else side
