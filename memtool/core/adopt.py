"""A folder that already holds memory: which of its files are read at start, and where the rest lies.

From paths and sizes alone; nothing is moved. What memtool adds (journals, an agent's own summary) gets its own place.
"""

from __future__ import annotations

from _collections_abc import Iterable, Mapping, Sequence

from memtool.core.config import AGENT, KB, Config, Resident, basename, matches
from memtool.model import Record

BUDGET = 4 * KB
"""Bytes: the budget of a resident file that was there before, the same as for a new one."""

# Read at the start of every session by the hosts and habits that these names come from; what changes seldom first.
_HOST_FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
_ALWAYS = ("rules", "projectbrief", "productcontext", "MEMORY.md", "activecontext")
# Read at start in some stores, in others a log that has grown: resident only where they are small.
_WHERE_SMALL = ("home", "identity", "soul", "persona", "profile", "user", "summary", "current", "status")
_STORES = frozenset({"memory", "memories", "memorybank", "agentmemory"})
_MANY_FOLDERS = 8
"""Above so many folders, ``**`` says where memory lies, so that the next new folder is not forgotten."""
_META = ("license", "licence", "copying", "notice", "changelog", "contributing", "security", "authors", "maintainers",
         "code_of_conduct")  # fmt: skip
_FOREIGN = frozenset({"node_modules", "site-packages"})
_INDEX_NAMES = ("INDEX.md", "MEMORY-INDEX.md", "MEMTOOL-INDEX.md")


class Adoption(Record):
    """What was decided for a folder that `init` was given."""

    config: Config
    memory: tuple[str, ...] = ()
    """The markdown files that are memory under *config*; none where the folder holds no memory yet."""
    found_resident: bool = False
    """Files that every session reads are there already: no empty ones are put beside them."""
    left_out: tuple[str, ...] = ()
    """Files that look as if read at start, but are too large for it; they are on demand."""


def adopt(sizes: Mapping[str, int], others: Sequence[str] = ()) -> Adoption:
    """Decide how the files of *sizes* (path from the top, to bytes) are mapped.

    *others* are paths at which something else than a file stands, such as a link.
    """
    markdown = [path for path in sorted(sizes) if path.endswith(".md")]
    kept = [path for path in markdown if not _is_meta(path) and not _foreign_folder(path)]
    resident, left_out = _resident(kept, sizes)
    config = _default(kept, resident) or _mapped(kept, markdown, resident)
    config = config.replace(index=_free_index([*sizes, *others]))
    memory = tuple(path for path in markdown if config.is_memory(path))
    return Adoption(config, memory, bool(resident), tuple(left_out))


def _is_meta(path: str) -> bool:
    """Tell what a repository says about itself at its top, for people who come to it."""
    if "/" in path:
        return False
    stem = path.casefold().partition(".")[0]
    return stem in _META or stem.startswith("readme")


def _foreign_folder(path: str) -> str:
    """Give the folder by which *path* is no memory: a hidden one, or a package's; nothing where there is none."""
    parts = path.split("/")[:-1]
    for at, part in enumerate(parts):
        if part in _FOREIGN or (part.startswith(".") and not _is_store(part)):
            return "/".join(parts[: at + 1])
    return ""


def _is_store(folder: str) -> bool:
    return basename(folder).translate(str.maketrans("", "", ".-_")).casefold() in _STORES


# --- the resident tier -----------------------------------------------------------------------------------------------


def _resident(paths: list[str], sizes: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """Give what is read at every start, in reading order, and what would be if it were smaller."""
    if any(path.startswith("resident/") for path in paths):
        return [], []
    homes = {""} | {folder for path in paths for folder in _folders(path)[:3] if _is_store(folder)}
    near = [path for path in paths if path.rpartition("/")[0] in homes]
    always = _ranked(near, (*_HOST_FILES, *_ALWAYS))
    tops = {path.partition("/")[0] for path in paths}
    if "system" in tops and len(tops) <= _MANY_FOLDERS and "system" not in paths:
        always.insert(0, "system/**")
    theirs = {path.rpartition("/")[0] for path in always} | {home for home in homes if home}
    perhaps = [path for path in _ranked(near, _WHERE_SMALL) if path.rpartition("/")[0] in theirs]
    small = [path for path in perhaps if sizes[path] <= BUDGET]
    return [*always, *small], [path for path in perhaps if path not in small]


def _ranked(paths: Iterable[str], names: tuple[str, ...]) -> list[str]:
    """Give the paths that *names* name, in the order of the names: ``NAME.md`` exactly, ``name`` in any spelling."""
    found = []
    for path in paths:
        name = basename(path)
        plain = name.removesuffix(".md").translate(str.maketrans("", "", "-_")).casefold()
        rank = next((at for at, wanted in enumerate(names) if wanted in {name, plain}), None)
        if rank is not None:
            found.append((rank, path))
    return [path for _, path in sorted(found)]


def _folders(path: str) -> list[str]:
    """List the folders above *path*, the top one first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: at + 1]) for at in range(len(parts))]


# --- where the rest lies ---------------------------------------------------------------------------------------------


def _default(paths: list[str], resident: list[str]) -> Config | None:
    """Give the layout of a new repo where nothing stands against it."""
    config = Config()
    inside = all(path.startswith("resident/") or config.is_on_demand(path) for path in paths)
    # a folder in `notes/` is an agent's journal, one line of the index: a folder of subjects must not become one
    subjects = any(config.journal_of(path) for path in paths) and not any(p.startswith("resident/") for p in paths)
    return config if inside and not resident and not subjects else None


def _mapped(paths: list[str], markdown: list[str], resident: list[str]) -> Config:
    base = _base([path for path in paths if path not in resident])
    tier = _tier(resident, base, paths)
    read_at_start = (*resident, *(item.of("*") for item in tier), "resident")
    rest = [path for path in paths if not any(matches(path, item) for item in read_at_start)]
    own = {name: f"{base}{name}" for name in ("notes", "handoffs", "inbox")}
    if any("/" in path[len(own["notes"]) + 1 :] for path in paths if path.startswith(own["notes"] + "/")):
        own["notes"] = f"{base}journal"
    projects = _projects(rest) or (f"{base}projects",)
    on_demand = _on_demand(rest, base)
    for folder in (*projects, *own.values()):
        if not any(matches(folder + "/x.md", pattern) for pattern in on_demand):
            on_demand.append(folder)
    return Config(
        resident=tier,
        on_demand=tuple(map(_below, on_demand)),
        exclude=_excluded(markdown, on_demand),
        projects=projects,
        notes=own["notes"],
        handoffs=own["handoffs"],
        inbox=own["inbox"],
    )


def _tier(resident: list[str], base: str, paths: list[str]) -> tuple[Resident, ...]:
    default = Config().resident
    if not resident:
        return default
    agents = _agents(resident, base, paths)
    return (*(Resident(_pattern(path), BUDGET) for path in resident), Resident(f"{agents}/{AGENT}.md", 2 * KB))


def _agents(resident: list[str], base: str, paths: list[str]) -> str:
    """Choose the folder of the agents' own summaries: one beside the rules that holds just that, or a new one."""
    for path in _ranked(resident, ("rules", "summary")):
        folder = path.removesuffix(basename(path)) + "agents"
        held = [path[len(folder) + 1 :] for path in paths if path.startswith(folder + "/")]
        if held and not any("/" in name for name in held):
            return folder
    free = base and not any(path.startswith(f"{base}agents/") for path in paths)
    return f"{base}agents" if free else "resident/agents"


def _base(paths: list[str]) -> str:
    """Give the folder, with its slash, in which the whole store lies, where its name says so; else nothing."""
    shared = _folders(paths[0]) if paths else []
    for path in paths:
        shared = [folder for folder in shared if path.startswith(folder + "/")]
    return next((f"{folder}/" for folder in reversed(shared) if _is_store(folder)), "")


def _on_demand(paths: list[str], base: str) -> list[str]:
    if base:
        return [base.rstrip("/")]
    if any("/" not in path for path in paths):
        return ["**"]
    tops = list(dict.fromkeys(path.partition("/")[0] for path in paths))
    if set(tops) <= set(Config().on_demand):
        return list(Config().on_demand)
    return tops if len(tops) <= _MANY_FOLDERS else ["**"]


def _excluded(markdown: list[str], on_demand: list[str]) -> tuple[str, ...]:
    """List what the patterns take in and is no memory: the repo's own pages, hidden folders, packages."""
    pages = [_pattern(path) for path in markdown if _is_meta(path) and "**" in on_demand]
    folders = sorted({folder for path in markdown if (folder := _foreign_folder(path))})
    covered = (f for f in folders if any(matches(f + "/x.md", pattern) for pattern in on_demand))
    return (*pages, *map(_below, covered))


def _projects(paths: list[str]) -> tuple[str, ...]:
    """Find the folders named ``projects``, not those inside another."""
    named = {folder for path in paths for folder in _folders(path)[:4] if basename(folder) == "projects"}
    found = {folder for folder in named if folder == _pattern(folder)}
    return tuple(sorted(f for f in found if not any(f != other and f.startswith(other + "/") for other in found)))


def _free_index(paths: Iterable[str]) -> str:
    """Choose a name that no file of the store has, in any folder: a page of the index may come to stand in each."""
    taken = {basename(path).casefold() for path in paths}
    return next((name for name in _INDEX_NAMES if name.casefold() not in taken), "MEMTOOL-PAGE.md")


def _below(folder: str) -> str:
    """Write *folder* as a pattern for all that lies in it."""
    pattern = _pattern(folder)
    return f"{pattern}/**" if "*" in pattern and pattern != "**" else pattern


def _pattern(path: str) -> str:
    """Write *path* as a pattern; a byte that is not UTF-8, or a backslash, is matched by ``*``."""
    return "".join("*" if char == "\\" or "\ud800" <= char <= "\udfff" else char for char in path)
