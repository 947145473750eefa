"""A conflict settled: its file once a person has said which of the two texts is right, and every other byte as it was.

Nothing is given that does not read back as meant. Messages name no path: who calls knows it.
"""

from __future__ import annotations

from itertools import count

from memtool.core import document
from memtool.core.blocks import headings
from memtool.core.document import Document, line_end
from memtool.core.entry import slug
from memtool.core.merge.copy import Copy
from memtool.core.merge.section import BLANK, Section, cut
from memtool.errors import MemtoolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Keep = Literal["here", "copy", "both"]

KEEPS: tuple[Keep, ...] = ("here", "copy", "both")
_FRONT = "front matter"
_GRAM = 4
"""Bytes of the runs by which two texts are compared."""


def settled(data: bytes | None, copy: Copy, keep: Keep) -> bytes | None:
    """Give the file of *copy*, now *data* (None: it is gone), with what is right in its place.

    That is what stands ``here``, the text of the ``copy``, or ``both``, the copy's behind the other. Raises
    MemtoolError where that cannot be had without changing anything else.
    """
    if keep == "here":
        return data
    if data is None:
        return _restored(copy, keep)
    if copy.slug:
        return _in_section(data, copy, keep)
    if keep == "both":
        raise MemtoolError(f"{copy.what or 'a whole file'} cannot stand there twice")
    return _in_front(data, copy) if copy.what.startswith(_FRONT) else _as_body(data, copy)


def options(data: bytes | None, copy: Copy) -> tuple[Keep, ...]:
    """List what `settled` can do."""
    return tuple(keep for keep in KEEPS if _is_possible(data, copy, keep))


def standing(data: bytes, copy: Copy) -> bytes:
    """Give the text that stands in the place of *copy*'s; raises MemtoolError where none does."""
    parsed = document.read(data)
    if copy.slug:
        sections = _sections(parsed)
        return sections[_number(sections, copy)].text
    if copy.what == _FRONT:
        return data[: parsed.body]
    if copy.what.startswith(_FRONT):
        return _lines(parsed)[_key(parsed, copy)]
    return data[_above(parsed, copy) :]


def _is_possible(data: bytes | None, copy: Copy, keep: Keep) -> bool:
    try:
        settled(data, copy, keep)
    except MemtoolError:
        return False
    return True


def _restored(copy: Copy, keep: Keep) -> bytes:
    """Make a file, that is gone, of what was set aside."""
    if keep == "both":
        raise MemtoolError("it is gone: nothing stands there beside which the copy could be put")
    if not copy.slug and copy.what not in {"", _FRONT}:
        raise MemtoolError("it is gone, and one key of its front matter makes no file")
    return copy.text.rstrip(BLANK) + line_end(copy.text) if copy.slug else copy.text


# --- front matter, a body, a whole file ------------------------------------------------------------------------------


def _in_front(data: bytes, copy: Copy) -> bytes:
    parsed = document.read(data)
    body = data[parsed.body :]
    if copy.what == _FRONT:
        return _proved(copy.text + body, document.read(copy.text + body).body == len(copy.text))
    key = _key(parsed, copy)
    start, end = document.key_lines(parsed)[key]
    result = document.read(data[:start] + copy.text + data[end:])
    only_it = _lines(result) == _lines(parsed) | {key: copy.text} and list(result.front) == list(parsed.front)
    return _proved(result.data, only_it and result.data[result.body :] == body)


def _key(parsed: Document, copy: Copy) -> str:
    """Give the key that *copy* is about; raises MemtoolError where *parsed* has it not."""
    keys = list(document.read(b"---\n%s---\n" % copy.text).front)
    if len(keys) != 1:
        raise MemtoolError("what was set aside is not one key of a front matter any more")
    if keys[0] not in document.key_lines(parsed):
        raise MemtoolError(f"its front matter has no key {keys[0]!r} any more, or cannot be read")
    return keys[0]


def _lines(parsed: Document) -> dict[str, bytes]:
    return {key: parsed.data[start:end] for key, (start, end) in document.key_lines(parsed).items()}


def _as_body(data: bytes, copy: Copy) -> bytes:
    above = _above(document.read(data), copy)
    result = data[:above] + copy.text
    return _proved(result, not above or document.read(result).body == above)


def _above(parsed: Document, copy: Copy) -> int:
    """Give how much stays above the text of *copy*: a front matter, unless that text has one of its own."""
    aside = document.read(copy.text)
    return 0 if aside.body or aside.error else parsed.body


# --- a section -------------------------------------------------------------------------------------------------------


def _in_section(data: bytes, copy: Copy, keep: Keep) -> bytes:
    parsed = document.read(data)
    sections = _sections(parsed)
    texts = [one.text for one in sections]
    at = _number(sections, copy)
    start, end = _span(parsed, sections[at])
    new = copy.text
    if keep == "copy":
        texts[at] = new
    elif not sections[at].level:
        new = texts[at] + line_end(data) * 2 + new
        texts[at] = new
    else:
        behind = _behind(sections, at, _aside(copy).level)
        start = end = _span(parsed, sections[behind - 1])[1]
        texts.insert(behind, _with_new_heading(_aside(copy), sections))
        new = line_end(data) * 2 + texts[behind]
    result = document.read(data[:start] + new + data[end:])
    return _proved(result.data, result.body == parsed.body and [one.text for one in _sections(result)] == texts)


def _sections(parsed: Document) -> tuple[Section, ...]:
    return cut(parsed.data[parsed.body :]).sections


def _span(parsed: Document, section: Section) -> tuple[int, int]:
    start = parsed.data.index(section.text, parsed.body + section.entry.start)
    return start, start + len(section.text)


def _aside(copy: Copy) -> Section:
    sections = cut(copy.text).sections
    if len(sections) != 1:
        raise MemtoolError("what was set aside is not one section any more")
    return sections[0]


def _number(sections: tuple[Section, ...], copy: Copy) -> int:
    """Give the number of the section that *copy* is about.

    Of several that are called alike, the one at the anchor must also be most like the copy: anchors shift.
    """
    aside = _aside(copy)
    anchors = [one.entry.slug if bool(one.level) == bool(aside.level) else "" for one in sections]
    if copy.slug not in anchors:
        raise MemtoolError("the section is not there any more")
    at = anchors.index(copy.slug)
    name = slug(sections[at].entry.heading)
    others = [one for one in sections if one.level and slug(one.entry.heading) == name and one is not sections[at]]
    if aside.level and any(_likeness(one, aside) >= _likeness(sections[at], aside) for one in others):
        raise MemtoolError(f"{len(others) + 1} sections are called so, and which of them is meant is not certain")
    return at


def _likeness(one: Section, other: Section) -> float:
    """Tell how much of two texts is the same, from 0 to 1, in any script."""
    grams = [{text[at : at + _GRAM] for at in range(len(text))} for text in (one.below, other.below)]
    return len(grams[0] & grams[1]) / max(1, len(grams[0] | grams[1]))


def _behind(sections: tuple[Section, ...], at: int, level: int) -> int:
    """Give the number that a section of *level* gets below number *at*: no section gets another one above it."""
    outer = min(level, sections[at].level)
    later = range(at + 1, len(sections))
    return next((number for number in later if sections[number].level <= outer), len(sections))


def _with_new_heading(section: Section, sections: tuple[Section, ...]) -> bytes:
    """Give the text of *section* with a heading that none of *sections* has."""
    heading = section.entry.heading
    taken = {one.entry.slug for one in sections} | {slug(one.entry.heading) for one in sections if one.level}
    if slug(heading) not in taken:
        return section.text
    suffix = next(text for text in map(" ({})".format, count(2)) if slug(heading + text) not in taken)
    head = headings(section.text)[0]
    end = section.text.index(head.text, 0 if head.setext else head.level) + len(head.text)
    return section.text[:end] + suffix.encode() + section.text[end:]


def _proved(result: bytes, as_meant: bool) -> bytes:  # noqa: FBT001 (it is what is to be proved)
    if not as_meant:
        raise MemtoolError("with what was set aside in its place, other parts of the file would read differently")
    return result
