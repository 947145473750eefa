"""What a merge set aside, and nobody has looked at yet: in a file of its own, or in the file itself."""

from __future__ import annotations

from _collections_abc import Iterator

from memtool.core.config import Config
from memtool.core.entry import entries
from memtool.core.lint.markers import SET_ASIDE
from memtool.core.merge import copy
from memtool.model import Finding


def found(path: str, data: bytes, config: Config) -> Finding | None:
    """Report the file *data* at *path* where it is a conflict copy; None where it is none."""
    one = copy.read(path, data, config)
    if one is None:
        return None
    message = f"a merge set aside another text of {one.aim}: {one.reason}"
    return Finding(
        "conflict-copy", "warning", path, 0, message, f"See both, and say which is right: memtool resolve {path}"
    )


def inline(path: str, data: bytes, body: int) -> Iterator[Finding]:
    """Report each section, of a file whose body starts at *body*, in which git's merge driver kept a second text."""
    if SET_ASIDE not in data:
        return
    for item in entries(data, body):
        if item.set_aside:
            message = "a merge set this text aside: two versions stand here"
            hint = "Let what is right stand above, and delete this section."
            yield Finding("conflict-copy", "warning", path, item.line, message, hint)
