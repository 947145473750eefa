"""What a merge gives: a text, what there is to say about it, and what it could not keep in its place."""

from __future__ import annotations

from memtool.core.lint.markers import SET_ASIDE
from memtool.model import Record

BOTH = "both sides changed it"
DELETED = "one side deleted it, the other changed it: it stays"
_INFO = b"markdown\n"


class Aside(Record):
    """What happened to one section, key or file, where the merge had to choose."""

    what: str
    """The section's heading, ``top`` for the text above the first; or the key of the front matter; empty for a file."""
    reason: str
    text: bytes = b""
    """What was set aside; empty where nothing was."""
    slug: str = ""
    """The anchor of the section."""

    def inline(self, level: int) -> bytes:
        """Write what was set aside as a section of *level* (1 at least), for the file that it comes from."""
        heading = f"{'#' * max(level, 1)} {SET_ASIDE.decode()} ({self.digest()})" + (
            f": {self.what}" if self.what else ""
        )
        said = "What stands above and this are two versions. Keep what is right, and delete this section."
        return f"{heading}\n\n{said}\n\n".encode("utf-8", "surrogateescape") + fenced(self.text)

    def digest(self) -> str:
        """Give 8 hex digits that tell this text from others."""
        from hashlib import sha256

        return sha256(self.text).hexdigest()[:8]


class Merged(Record):
    """A merged text, and what there is to say about it."""

    data: bytes
    asides: tuple[Aside, ...] = ()


def fenced(text: bytes) -> bytes:
    """Put *text* in a code fence, so that nothing in it is markdown; `unfenced` gives it back, byte for byte."""
    fence = b"```"
    while fence in text:
        fence += b"`"
    return b"%s%s%s\n%s\n" % (fence, _INFO, text, fence)


def unfenced(data: bytes) -> bytes | None:
    """Give the text of the first `fenced` in *data*; None where there is none."""
    before, mark, rest = data.partition(b"```" + _INFO)
    fence = before[len(before.rstrip(b"`")) :] + b"```"
    text, end, _ = rest.partition(b"\n%s\n" % fence)
    return text if mark and end else None
