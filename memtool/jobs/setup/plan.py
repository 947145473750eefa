"""What `init` is to write: decided whole before the first byte, so that a dry run and a real one say the same."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Collection, Mapping
from datetime import date, timedelta

from memtool.core import adopt, scaffold
from memtool.core.config import AGENT, CONFIG, Config, read
from memtool.core.index import choose_layout
from memtool.core.page import is_generated
from memtool.edge import repository
from memtool.edge.assets import asset
from memtool.edge.files import irregular, read_regular
from memtool.edge.plumbing import git
from memtool.edge.repository import Listed, Place
from memtool.errors import MemtoolError
from memtool.model import Record

REVIEW_DAYS = 90
_FEW = 5
"""More files than that, and more than there are of memory, look like another kind of repository."""
_GUIDE = "how-to-write-memory.md"
_RULES, _SUMMARY, _AGENT = (f"resident/{name}.md" for name in ("rules", "summary", "agents/AGENT"))


class Plan(Record):
    """What is to be written where."""

    place: Place
    config: Config
    had_config: bool
    files: Mapping[str, bytes]
    """Path to content, in the order of writing."""
    completed: tuple[str, ...]
    """Of those, the ones that exist and get some lines at their end."""
    index: bool
    """The index is to be made."""
    memory: tuple[str, ...]
    """The store's own files, where it is adopted."""
    over: tuple[tuple[str, int, int], ...]
    """Its resident files over budget: (path, bytes, budget)."""
    commits: tuple[str, ...]
    """What the commit holds of that, the other pages of an index in folders apart."""
    adopted: tuple[str, ...]
    """The store's own files that it holds too: all where nothing was ever committed or staged, else none."""
    notes: tuple[str, ...]

    @property
    def made(self) -> tuple[str, ...]:
        new = tuple(path for path in self.files if path not in self.completed)
        return (*new, self.config.index) if self.index else new


def make_plan(place: Place, *, agent: str, today: str, unfinished: Collection[str]) -> Plan:
    """Decide what *place* lacks; *unfinished* are files that an init made before it was cut short."""
    draft = _Draft(place, unfinished)
    had_config = draft.settle_config()
    draft.complete(".gitattributes", "gitattributes")
    draft.complete(".gitignore", "gitignore")
    values = _values(draft.config, agent, today)
    if not had_config and not draft.adoption.found_resident:
        draft.add(_RULES, scaffold.fill(asset("templates", _RULES), values))
        draft.add(_SUMMARY, scaffold.fill(asset("templates", _SUMMARY), values))
        draft.add(values["guide"], scaffold.fill(asset("templates", "topics", _GUIDE), values))
    own = next((item.of(agent) for item in draft.config.resident if AGENT in item.path), "")
    if own:
        draft.add(own, scaffold.fill(asset("templates", _AGENT), values))
    if not had_config:
        draft.add(CONFIG, scaffold.settings(asset("templates", CONFIG), draft.config))
    return draft.plan(had_config=had_config)


def _values(config: Config, agent: str, today: str) -> dict[str, str]:
    guide = f"topics/{_GUIDE}"
    return {
        "agent": agent,
        "today": today,
        "review_by": (date.fromisoformat(today) + timedelta(days=REVIEW_DAYS)).isoformat(),
        "index": config.index,
        "guide": guide if config.is_on_demand(guide) else f"{config.notes}/{_GUIDE}",
    }


def exclusion(root: str) -> tuple[str, bytes] | None:
    """Give this clone's own list of ignored files and its content with `.memtool/`; None where it is there."""
    path = os.path.join(root, os.fsdecode(git(root, "rev-parse", "--git-path", "info/exclude").removesuffix(b"\n")))
    old = read_regular(path) if os.path.lexists(path) else b""
    if isinstance(old, str):
        return None  # the committed .gitignore says the same; doctor tells where neither does
    addition = scaffold.ignores(old, f"{scaffold.IGNORE}\n".encode())
    return None if addition.data == old else (path, addition.data)


_STRANGERS = 20_000
"""Files that are no memory, from which on a folder without git is taken for a disk, not for a memory."""


class _Draft:
    """A plan in the making."""

    def __init__(self, place: Place, unfinished: Collection[str]) -> None:
        self.place = place
        sizes, self.others = repository.listing(place)
        self.sizes = {path: size for path, size in sizes.items() if path not in unfinished and not self.is_page(path)}
        self.adoption = adopt.Adoption(Config())
        self.config = Config()
        self.files: dict[str, bytes] = {}
        self.completed: list[str] = []
        self.notes: list[str] = []

    def is_page(self, path: str) -> bool:
        """Tell a page of an index that memtool generated before."""
        if not path.upper().endswith("INDEX.MD"):
            return False
        data = read_regular(self.full(path))
        return isinstance(data, bytes) and is_generated(data)

    def full(self, path: str) -> str:
        return os.path.join(self.place.path, path)

    def settle_config(self) -> bool:
        """Read the configuration, or decide on one; tell whether it was there. A newer format is refused."""
        what = _standing(self.place.path, CONFIG)
        if what == "a file":
            data = read_regular(self.full(CONFIG))
            if isinstance(data, str):
                raise MemtoolError(f"{self.full(CONFIG)}: {data}")
            self.config = read(data)[0].writable()
            return True
        if what:
            raise MemtoolError(f"{self.full(CONFIG)}: {what} stands there", hint="Move it away.")
        self.adoption = adopt.adopt(self.sizes, self.others)
        config = self.adoption.config
        tree = Listed(self.place.path, self.sizes.keys())
        self.config = config.replace(index_layout=choose_layout(tree, config))
        self.note_adoption()
        return False

    def note_adoption(self) -> None:
        """Say what a person would not expect of the mapping."""
        self.notes += (
            f"{path} ({self.sizes[path]:,} bytes) is too large to be read at every start: on demand"
            for path in self.adoption.left_out
        )
        odd = [path for path in self.others if path.endswith(".md")]
        self.notes += (f"{path} is {irregular(self.full(path))}: not read" for path in odd[:_FEW])
        if odd[_FEW:]:
            self.notes.append(f"and so are {len(odd) - _FEW:,} more")
        strangers = len(self.sizes) - len(self.adoption.memory)
        if strangers > _STRANGERS and not self.place.is_repo:
            raise MemtoolError(
                f"{self.place.path}: {strangers:,} other files lie here; a memory is kept apart",
                hint="Nothing was done. Name a folder of its own: memtool init DIR.",
            )
        if self.adoption.memory and strangers > max(_FEW, len(self.adoption.memory)):
            self.notes.append(f"{strangers:,} other files lie here: a memory is better kept apart from code")
        if self.config.index != Config().index:
            self.notes.append(f"an index by hand is there and stays; memtool's is {self.config.index}")

    def add(self, path: str, data: bytes) -> None:
        """Plan a file, unless something stands in its place."""
        what = _standing(self.place.path, path)
        if not what:
            self.files[path] = data
        elif what != "a file":
            self.notes.append(f"{path} was not made: {what} stands there")

    def complete(self, path: str, template: str) -> None:
        """Plan the lines that a file of git's lacks."""
        what = _standing(self.place.path, path)
        lines = asset("templates", template)
        old = b"" if not what else read_regular(self.full(path)) if what == "a file" else what
        if isinstance(old, str):
            self.notes.append(f"{path} was left alone: it is {old}")
            return
        addition = (scaffold.attributes if template == "gitattributes" else scaffold.ignores)(old, lines)
        if addition.problem:
            self.notes.append(f"{path} was left alone: {addition.problem}")
        if addition.data == old or (template == "gitattributes" and self.has_other_line_ends()):
            return
        self.files[path] = addition.data
        if what:
            self.completed.append(path)

    def has_other_line_ends(self) -> bool:
        """Tell whether markdown is checked out with other line ends than git holds; -text would call it all changed."""
        if not self.place.is_repo:
            return False
        listed = git(self.place.path, "ls-files", "--eol", "-z", "--", "*.md").split(b"\0")
        changed = sum(record.startswith(b"i/lf ") and b"crlf" in record.split(b"\t")[0] for record in listed)
        if changed:
            self.notes.append(
                f".gitattributes did not get `*.md -text`: {changed:,} markdown files have other line ends here "
                "than in git (core.autocrlf?). Budgets count what git holds."
            )
        return bool(changed)

    def plan(self, *, had_config: bool) -> Plan:
        own = self.place.path if self.place.is_repo else ""
        theirs = repository.touched(own) if own and self.completed else set()
        for path in self.completed:
            if path in theirs:
                self.notes.append(f"{path} holds changes of yours: completed, and left for you to commit")
        mine = [path for path in self.files if path not in theirs]
        memory = self.adoption.memory
        index_missing = not _standing(self.place.path, self.config.index)
        adopted = memory if not own or repository.is_untouched(own) else ()
        index_page = (self.config.index,) if index_missing else ()
        if own and memory and not adopted and (left := repository.uncommitted(own, memory)):
            self.notes.append(f"{len(left):,} memory files are not committed, though the index lists them: commit them")
        over = tuple(
            (path, self.sizes[path], budget)
            for path in memory
            if (budget := self.config.budget(path)) and self.sizes[path] > budget
        )
        return Plan(
            self.place, self.config, had_config, self.files, tuple(self.completed), index_missing, memory, over,
            (*mine, *index_page), adopted, tuple(self.notes),
        )  # fmt: skip


def _standing(root: str, path: str) -> str:
    """Say what stands at *path*, or in its way: ``a file``, a link, a folder, a name that differs in case only."""
    here = root
    parts = path.split("/")
    for at, part in enumerate(parts):
        names = os.listdir(here) if os.path.isdir(here) else []
        if part not in names:
            twin = next((name for name in names if _folded(name) == _folded(part)), "")
            return f"{twin}, the same name to some file systems," if twin else ""
        here = os.path.join(here, part)
        if os.path.islink(here):
            return f"a symbolic link ({'/'.join(parts[: at + 1])})"
        if os.path.isdir(here) != (at < len(parts) - 1):
            return "a folder" if os.path.isdir(here) else f"the file {'/'.join(parts[: at + 1])}"
    return "a file"


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
