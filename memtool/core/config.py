"""``memtool.yaml``: which files are read at start, their budgets, and where everything else lies."""

from __future__ import annotations

from _collections_abc import Iterable, Mapping

from memtool.core import plainyaml
from memtool.core.plainyaml import BadYaml
from memtool.errors import MemtoolError
from memtool.model import Finding, Record, Snapshot, under

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtool.core.plainyaml import Lines, Value

CONFIG = "memtool.yaml"
FORMAT = 1
KB = 1024
AGENT = "{agent}"
MAX_CONFIG = 64 * KB


class Resident(Record):
    """One line of the resident tier: a path, or a pattern, read in full at every session start."""

    path: str
    """May hold ``{agent}`` (this session's agent), ``*`` (within a name) and ``**`` (any depth)."""
    budget: int
    """Bytes of each file that it names."""

    def of(self, agent: str) -> str:
        return self.path.replace(AGENT, agent)


class Config(Record):
    """What ``memtool.yaml`` says; the defaults are the layout that `init` makes."""

    format: int = FORMAT
    resident: tuple[Resident, ...] = (
        Resident("resident/rules.md", 4 * KB),
        Resident("resident/summary.md", 4 * KB),
        Resident("resident/agents/{agent}.md", 2 * KB),
    )
    total: int = 12 * KB
    """Bytes of the resident tier for the fullest agent, the digest's budget included."""
    on_demand: tuple[str, ...] = (
        "topics",
        "projects",
        "strategy",
        "history",
        "workflows",
        "handoffs",
        "notes",
        "inbox",
    )
    exclude: tuple[str, ...] = ()
    projects: tuple[str, ...] = ("projects",)
    notes: str = "notes"
    handoffs: str = "handoffs"
    inbox: str = "inbox"
    digest: str = ".memtool/digest.md"
    digest_budget: int = 2 * KB
    digest_days: int = 7
    digest_project_days: int = 30
    index: str = "INDEX.md"
    index_budget: int = 8 * KB
    index_layout: str = "flat"
    """``flat``: one page; ``folders``: a page in each folder, the root page lists folders."""

    def is_resident(self, path: str) -> bool:
        return self.budget(path) is not None

    def budget(self, path: str) -> int | None:
        """Give the budget of a resident file in bytes; None for any other path. Memory is markdown, ``*.md``."""
        if not path.endswith(".md"):
            return None
        return next((item.budget for item in self.resident if matches(path, item.of("*"))), None)

    def is_index(self, path: str) -> bool:
        """Tell a generated page of the index, at the root or in a folder of the on-demand tier."""
        if path == self.index:
            return True
        return self.index_layout == "folders" and basename(path) == basename(self.index) and self._mapped(path)

    def is_on_demand(self, path: str) -> bool:
        return (
            path.endswith(".md")
            and self._mapped(path)
            and not (self.is_index(path) or self.is_resident(path) or path == self.digest)
        )

    def is_memory(self, path: str) -> bool:
        return self.is_resident(path) or self.is_on_demand(path)

    @property
    def conflicts(self) -> str:
        """The folder of the conflict copies."""
        return f"{self.inbox}/conflicts"

    def is_conflict(self, path: str) -> bool:
        """Tell what lies where conflict copies lie; they are synced whether the inbox is mapped or not."""
        return path.startswith(self.conflicts + "/")

    def _mapped(self, path: str) -> bool:
        return any(matches(path, pattern) for pattern in self.on_demand) and not any(
            matches(path, pattern) for pattern in self.exclude
        )

    def resident_paths(self, snapshot: Snapshot, agent: str = "*") -> list[str]:
        """List the resident files of *snapshot* in reading order, for one agent or for all."""
        found: dict[str, None] = {}
        for item in self.resident:
            pattern = item.of(agent)
            if "*" not in pattern:
                found.update(dict.fromkeys(path for path in (pattern,) if path in snapshot))
            else:
                folder = pattern[: pattern.index("*")].rpartition("/")[0]
                found.update(
                    dict.fromkeys(
                        sorted(p for p in under(snapshot, folder) if p.endswith(".md") and matches(p, pattern))
                    )
                )
        return list(found)

    def agent_of(self, path: str) -> str:
        """Give the agent whose own summary *path* is; empty for what all agents read."""
        for item in self.resident:
            before, marker, after = item.path.partition(AGENT)
            if marker and matches(path, item.of("*")):
                return path[len(before) : len(path) - len(after)]
        return ""

    def agents(self, snapshot: Snapshot) -> list[str]:
        """List the agents that have a summary of their own."""
        return sorted({agent for path in self.resident_paths(snapshot) if (agent := self.agent_of(path))})

    def project_of(self, path: str) -> str:
        """Give the project, a file or folder right under a projects folder, to which *path* belongs; or nothing."""
        for folder in self.projects:
            if path.startswith(folder + "/") and not self.is_index(path):
                name = path[len(folder) + 1 :].partition("/")[0]
                return f"{folder}/{name}"
        return ""

    def journal_of(self, path: str) -> str:
        """Give the agent in whose journal *path* lies; empty elsewhere."""
        if not path.startswith(self.notes + "/"):
            return ""
        agent, slash, _ = path[len(self.notes) + 1 :].partition("/")
        return agent if slash else ""

    def writable(self) -> Config:
        """Give this configuration to a command that writes; raises MemtoolError for a newer format than ours."""
        if self.format > FORMAT:
            raise MemtoolError(
                f"{CONFIG} says format {self.format}; this memtool writes format {FORMAT} only",
                hint="Upgrade memtool on this machine; reading goes on working.",
            )
        return self


def basename(path: str) -> str:
    return path.rpartition("/")[2]


def matches(path: str, pattern: str) -> bool:
    """Tell whether *pattern* names *path* or a folder above it; ``*`` stays within a name, ``**`` crosses folders."""
    pattern = pattern.rstrip("/")
    if "*" not in pattern:
        return path == pattern or path.startswith(pattern + "/")
    return _segments(path.split("/"), pattern.split("/"))


def _segments(names: list[str], globs: list[str]) -> bool:
    if not globs:
        return not names
    if globs[0] == "**":
        return len(globs) == 1 or any(_segments(names[at:], globs[1:]) for at in range(len(names)))
    return bool(names) and _name(names[0], globs[0]) and _segments(names[1:], globs[1:])


def _name(name: str, glob: str) -> bool:
    first, *rest = glob.split("*")
    if not rest:
        return name == glob
    if not name.startswith(first):
        return False
    at = len(first)
    for part in rest[:-1]:
        found = name.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return len(name) - at >= len(rest[-1]) and name.endswith(rest[-1])


# --- reading ---------------------------------------------------------------------------------------------------------

_SHAPE: Mapping[str, Mapping[str, str] | str] = {
    "format": "number",
    "resident": "resident",
    "total": "bytes",
    "on_demand": "paths",
    "exclude": "paths",
    "projects": "paths",
    "notes": "path",
    "handoffs": "path",
    "inbox": "path",
    "digest": {"path": "path", "budget": "bytes", "days": "number", "project_days": "number"},
    "index": {"path": "path", "budget": "bytes", "layout": "layout"},
}
_FIELDS = {
    ("digest", "path"): "digest",
    ("digest", "budget"): "digest_budget",
    ("digest", "days"): "digest_days",
    ("digest", "project_days"): "digest_project_days",
    ("index", "path"): "index",
    ("index", "budget"): "index_budget",
    ("index", "layout"): "index_layout",
}


def read(data: bytes) -> tuple[Config, list[Finding]]:
    """Read the bytes of ``memtool.yaml``: the configuration and a warning for each key that it does not know.

    Raises MemtoolError with ``memtool.yaml:LINE`` for anything that cannot be meant.
    """
    lines: Lines = {}
    try:
        text = data.decode().removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        value = plainyaml.load(text, limit=MAX_CONFIG, lines=lines)
    except UnicodeDecodeError as error:
        raise _wrong(1 + data.count(b"\n", 0, error.start), "not UTF-8") from None
    except BadYaml as error:
        broken_list = '"[' in error.hint or '"{' in error.hint  # a quoted list would be no list
        raise _wrong(error.line, error.message, hint="" if broken_list else error.hint) from None
    if value == "":
        value = {}
    if not isinstance(value, dict):
        raise _wrong(1, "a map of settings is expected, such as `format: 1`")
    reader = _Reader(lines)
    return Config(**reader.fields(value)), reader.unknown


def _wrong(line: int, message: str, *, hint: str = "") -> MemtoolError:
    return MemtoolError(f"{CONFIG}:{line}: {message}", hint=hint)


class _Reader:
    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.unknown: list[Finding] = []

    def fields(self, value: dict[str, Value]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, item in value.items():
            shape = _SHAPE.get(key)
            if shape is None:
                self.warn((key,), _SHAPE)
            elif isinstance(shape, str):
                found[key] = self.setting((key,), item, shape)
            else:
                for name, inner in self.map((key,), item).items():
                    if name in shape:
                        found[_FIELDS[key, name]] = self.setting((key, name), inner, shape[name])
                    else:
                        self.warn((key, name), shape)
        return found

    def setting(self, path: tuple[str | int, ...], value: Value, shape: str) -> object:
        if shape == "resident":
            return tuple(self.resident((*path, at), item) for at, item in enumerate(self.list(path, value)))
        if shape == "paths":
            return tuple(self.path((*path, at), item) for at, item in enumerate(self.list(path, value)))
        if not isinstance(value, str) or not value:
            raise self.wrong(path, "one value is expected here")
        if shape == "number":
            if not (value.isdecimal() and value.isascii()) or len(value) > 9 or int(value) < 1:
                raise self.wrong(path, f"a whole number from 1 is expected, not {value!r}")
            return int(value)
        if shape == "bytes":
            return self.bytes(path, value)
        if shape == "layout":
            if value not in {"flat", "folders"}:
                raise self.wrong(path, f"`flat` or `folders` is expected, not {value!r}")
            return value
        return self.path(path, value)

    def resident(self, path: tuple[str | int, ...], value: Value) -> Resident:
        item = self.map(path, value)
        for key in item:
            if key not in {"path", "budget"}:
                self.warn((*path, key), ("path", "budget"))
        if "path" not in item:
            raise self.wrong(path, "a resident file needs a `path`")
        name = self.path((*path, "path"), item["path"])
        if not name.endswith((".md", "*")):
            raise self.wrong((*path, "path"), f"a resident file is markdown and ends in .md; {name!r} does not")
        return Resident(name, self.bytes((*path, "budget"), item["budget"]) if "budget" in item else 4 * KB)

    def bytes(self, path: tuple[str | int, ...], value: Value) -> int:
        """Read a size: ``4096`` or ``4 KB``, 1 KB being 1,024 bytes."""
        number, unit = (value, 1) if isinstance(value, str) else ("", 1)
        if number.upper().endswith("KB"):
            number, unit = number[:-2].rstrip(), KB
        if not (number.isdecimal() and number.isascii()) or int(number[:9]) < 1 or len(number) > 9:
            raise self.wrong(path, f"a size such as `4096` or `4 KB` is expected, not {value!r}")
        return int(number) * unit

    def path(self, path: tuple[str | int, ...], value: Value) -> str:
        if not isinstance(value, str) or not value:
            raise self.wrong(path, "a path inside the repo is expected here")
        name = value.rstrip("/")
        if (
            name.startswith("/")
            or not name
            or "\\" in name
            or any(part in {"", ".", "..", ".git"} for part in name.split("/"))
        ):
            raise self.wrong(path, f"{value!r} is no path inside the repo; write it from the repo's root, with `/`")
        if name.count("**") > 2:
            raise self.wrong(path, f"{value!r} has more than two `**`")
        if path in {("digest", "path"), ("index", "path")} and not name.endswith(".md"):
            raise self.wrong(path, f"a page is markdown and ends in .md; {value!r} does not")
        return name

    def list(self, path: tuple[str | int, ...], value: Value) -> list[Value]:
        if not isinstance(value, list):
            raise self.wrong(path, "a list is expected here, one `- ` a line")
        return value

    def map(self, path: tuple[str | int, ...], value: Value) -> dict[str, Value]:
        if not isinstance(value, dict):
            raise self.wrong(path, "keys are expected here, one `name: value` a line")
        return value

    def wrong(self, path: tuple[str | int, ...], message: str) -> MemtoolError:
        name = ".".join(str(part) for part in path if isinstance(part, str))
        return _wrong(self.lines.get(path, 1), f"{name}: {message}")

    def warn(self, path: tuple[str | int, ...], known: Iterable[str]) -> None:
        from difflib import get_close_matches

        nearest = get_close_matches(str(path[-1]), list(known), n=1)
        hint = f"Did you mean `{nearest[0]}`?" if nearest else f"Known here: {', '.join(known)}."
        self.unknown.append(
            Finding(
                "unknown-key", "warning", CONFIG, self.lines.get(path, 1), f"the key `{path[-1]}` is not known", hint
            )
        )
