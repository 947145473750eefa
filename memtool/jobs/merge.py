"""git's merge driver: one file that two sides changed, merged in place; what is no memory is left to git."""

from __future__ import annotations

from memtool.core import config as configuration
from memtool.core.config import CONFIG, Config
from memtool.core.document import line_end
from memtool.core.lint.markers import SET_ASIDE
from memtool.core.merge import lines
from memtool.core.merge.file import is_text, merge_file
from memtool.core.page import is_generated
from memtool.edge.files import read_regular, write_atomically
from memtool.errors import MemtoolError
from memtool.model import Record


class Outcome(Record):
    """What came of one file."""

    merged: bool = False
    """The merged text is written; where not, nothing was, and the file is for git to merge."""
    said: str = ""
    """What a person should do about it."""


def drive(base: str, ours: str, theirs: str, *, path: str) -> Outcome:
    """Merge three files of git's into the one at *ours*; an empty *base* is none.

    *path* is that of the memory file, from the top of the repo, which is the current folder if there is a work tree.
    Raises MemtoolError where the result cannot be written; *ours* is then as it was.
    """
    was, mine, other = (_text(name) for name in (base, ours, theirs))
    if was is None or mine is None or other is None:
        return Outcome()
    if is_generated(mine) and is_generated(other):
        data, said = _page(was, mine, other), f"{path}: a generated page; renew it with `memtool index`"
    elif _is_memory(path):
        data = merge_file(was or None, mine, other)
        added = data.count(SET_ASIDE) > max(mine.count(SET_ASIDE), other.count(SET_ASIDE))
        said = f"{path}: two versions stand in it; keep what is right where it says `Set aside`" if added else ""
    else:
        return Outcome()
    if data != mine:
        write_atomically(ours, data, durable=False)
    return Outcome(merged=True, said=said)


def _text(name: str) -> bytes | None:
    """Read a text in UTF-8; None for anything else."""
    data = read_regular(name)
    return data if isinstance(data, bytes) and is_text(data) else None


def _page(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Merge a page that can be made anew, by lines; where they clash, one side's will do."""
    end = line_end(ours)
    data = lines.merged(*(page.rstrip(b"\r\n") for page in (base, ours, theirs)), end=end)
    return ours if data is None else data + end


def _is_memory(path: str) -> bool:
    """Ask the work tree's configuration; where none can be read, as in a bare repo, all markdown is memory."""
    data = read_regular(CONFIG)
    try:
        config = configuration.read(data)[0] if isinstance(data, bytes) else Config(on_demand=("**",))
    except MemtoolError:
        config = Config(on_demand=("**",))
    return config.is_memory(path) or config.is_conflict(path)
