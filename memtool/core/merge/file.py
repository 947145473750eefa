"""Two versions of one memory file merged."""

from __future__ import annotations

from memtool.core import document
from memtool.core.blocks import left_open
from memtool.core.document import Document, line_end
from memtool.core.merge import body, front
from memtool.core.merge.aside import BOTH, Aside, Merged
from memtool.core.merge.section import BLANK, cut
from memtool.core.merge.three import settled, taken


def merge(base: bytes | None, ours: bytes, theirs: bytes, *, inline: bool = False) -> Merged:
    """Merge what two sides made of one file; *base* is None where both added it.

    What does not fit in is given as asides; with *inline*, a section's stands below the section that stayed instead.
    """
    if settled(base, ours, theirs):
        return Merged(taken(base or b"", ours, theirs))
    was, one, other = base or b"", *sorted((ours, theirs))  # so nothing below can depend on which side is which
    merged = _by_parts(was, one, other, inline=inline) if all(map(is_text, (was, one, other))) else None
    return merged or _whole(one, other)


def merge_file(base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
    """Merge what two sides made of one file; what does not fit in stays in it too, in sections of their own.

    For who may write this one file only, a merge driver of git's; `tree.merge` makes conflict copies instead.
    """
    merged = merge(base, ours, theirs, inline=True)
    data, end = merged.data, line_end(merged.data)
    for aside in merged.asides:
        if aside.text:
            data = data.rstrip(BLANK) + end * 2 + aside.inline(2)
    return data


def _by_parts(base: bytes, ours: bytes, theirs: bytes, *, inline: bool) -> Merged | None:
    """Merge front matter and body each by itself; None where the result would not fall apart into the same two."""
    files = [document.read(data) for data in (base, ours, theirs)]
    if any(one.error and one.body <= len(document.BOM) for one in files):
        return None  # front matter that is never closed lies in the body
    above = front.merge(*files)
    below = body.merge(*map(_body, files), end=line_end(ours), inline=inline)
    if below is None:
        other, stays = sorted(files[1:], key=_body_weight)
        below = Merged(_body(stays), (Aside("", BOTH, _body(other)),))
    data = above.data + below.data
    return Merged(data, above.asides + below.asides) if document.read(data).body == len(above.data) else None


def _body(parsed: Document) -> bytes:
    return parsed.data[parsed.body :]


def _whole(ours: bytes, theirs: bytes) -> Merged:
    other, stays = sorted((ours, theirs), key=_weight)
    return Merged(stays, (Aside("", BOTH, other),))


def _weight(data: bytes) -> tuple[bool, int, bool, str, bytes]:
    parsed = document.read(data)
    return is_text(data), _voids(parsed), not parsed.error, parsed.source_date, data


def _body_weight(parsed: Document) -> tuple[int, bool, str, bytes]:
    """Order two bodies of which one has to stay whole: what is void in one stays void before all else."""
    return _voids(parsed), not left_open(_body(parsed)), parsed.source_date, _body(parsed)


def _voids(parsed: Document) -> int:
    return sum(len(one.entry.voids) for one in cut(_body(parsed)).sections)


def is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in data
