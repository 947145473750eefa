"""A conflict copy: the file that holds a text which a merge set aside, until somebody has looked at both."""

from __future__ import annotations

from _collections_abc import Iterator

from memtool.core.config import Config, basename
from memtool.core.entry import slug
from memtool.core.lint.links import resolve
from memtool.core.merge.aside import Aside, fenced, unfenced
from memtool.core.plainyaml import quote
from memtool.core.row import destination, inline, joined, parts, relative
from memtool.model import Record, Snapshot, odd, under

_NAME = 60
"""Characters of the other file's name that its conflict copy keeps."""
_SHOWN = 80
"""Bytes of a path or heading that are shown."""


class Copy(Record):
    """What a conflict copy says."""

    path: str
    """The file in which the other text stands."""
    slug: str
    """The anchor of the section there; empty for front matter, a text above all headings, and a whole file."""
    text: bytes
    """What was set aside, byte for byte."""
    what: str
    """The section's heading, ``front matter``, or its key, as they are shown; empty for a whole file."""
    reason: str

    @property
    def aim(self) -> str:
        """Where the text stood: ``path#slug``, the path with the key of its front matter, or the path."""
        return f"{self.path}#{self.slug}" if self.slug else f"{self.path} ({self.what})" if self.what else self.path


def written(path: str, aside: Aside, config: Config) -> tuple[str, bytes]:
    """Give path and content of the conflict copy of what was set aside in the file *path*: everywhere the same."""
    from hashlib import sha256

    shown = inline(path, _SHOWN)
    about = f"read to settle a conflict in {shown}: a text that a merge set aside there"
    target = destination(relative(path, config.conflicts)) + (f"#{aside.slug}" if aside.slug else "")
    what = f"{inline(aside.what, _SHOWN)}: " if aside.what else ""
    head = f"---\ndescription: {quote(about)}\n---\n\n# Set aside in {shown}\n\n".encode()
    row = joined(shown.encode(), target, f"{what}{aside.reason}".encode())
    data = head + row + b"\n\n" + fenced(aside.text)
    stem = slug(basename(path).removesuffix(".md"))[:_NAME]
    return f"{config.conflicts}/{stem}-{sha256(data).hexdigest()[:8]}.md", data


def read(place: str, data: bytes, config: Config) -> Copy | None:
    """Read the file *data* at *place* as a conflict copy; None where it is none."""
    text = unfenced(data)
    if text is None or not config.is_conflict(place):
        return None
    _, target, said = next(filter(any, map(parts, data.splitlines())), (b"", b"", b""))
    path, _, anchor = target.decode("utf-8", "surrogateescape").partition("#")
    what, _, reason = said.decode("utf-8", "replace").rpartition(": ")
    path = resolve(place, path)
    return Copy(path, anchor, text, what, reason) if path else None


def copies(snapshot: Snapshot, config: Config) -> Iterator[tuple[str, Copy]]:
    """Yield place and content of each conflict copy of *snapshot*, in order."""
    for place in sorted(under(snapshot, config.conflicts)):
        found = None if odd(snapshot, place) else read(place, snapshot[place], config)
        if found:
            yield place, found
