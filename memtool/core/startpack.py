"""The start pack: what a session reads at its start, stable first, in the forms that hosts and providers take."""

from __future__ import annotations

from _collections_abc import Callable, Sequence

from memtool.core.config import Config
from memtool.model import Record, Snapshot, odd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Block(Record):
    """One piece of the start pack."""

    name: str
    """``rules``, ``summary``, … after the file; ``digest``; ``live`` for what is true only now."""
    path: str
    """Its file; empty for ``live``."""
    stable: bool
    """It changes seldom: a provider's prompt cache keeps all blocks up to the last stable one."""
    text: str

    @property
    def bytes(self) -> int:
        return len(self.text.encode("utf-8", "replace"))


class Pack(Record):
    """All blocks in reading order, and what a person should hear beside them."""

    blocks: tuple[Block, ...]
    notes: tuple[str, ...]
    """For stderr: what is over budget, what could not be read."""

    @property
    def bytes(self) -> int:
        return sum(block.bytes for block in self.blocks)


class Host(Record):
    """What one agent host takes from a session-start hook; read in the hosts' own pages, October 2026."""

    cap: int
    """The most that one call may print; 0 for no limit."""
    measure: Callable[[str], int]
    """What the cap counts."""
    unit: str
    wrapped: bool
    """It wants JSON with the text as ``additionalContext``."""


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


HOSTS = {
    "claude": Host(10_000, len, "characters", wrapped=True),
    "codex": Host(10_000, _bytes, "bytes", wrapped=True),
    "plain": Host(0, len, "characters", wrapped=False),
}


_ROUTE = "Before a task, read {}; open only the files whose description fits the task.\n"
"""Said where no resident file names the index: what is on demand would not be found."""


def pack(files: Snapshot, config: Config, *, agent: str, digest: str, live: str) -> Pack:
    """Put the start pack of *agent* together from the resident *files*, the *digest* and the *live* status line."""
    blocks, notes = [], []
    weighed: dict[str, int] = {}
    for path in config.resident_paths(files, agent or "-"):
        if what := odd(files, path):
            notes.append(f"{path} is {what}: not read")
            continue
        text = files[path].decode("utf-8", "replace")
        blocks.append(Block(path.rpartition("/")[2].removesuffix(".md"), path, stable=True, text=text))
        weighed[path] = len(files[path])
    if not any(config.index in block.text for block in blocks):
        blocks.append(Block("index", "", stable=True, text=_ROUTE.format(config.index)))
    notes += [f"{path}: every session should read it; it is not there" for path in _missing(files, config)]
    notes += _over(weighed, config)
    blocks.append(Block("digest", config.digest, stable=False, text=digest))
    if said := [line for line in (_own_summary(config, agent, weighed), live) if line]:
        blocks.append(Block("live", "", stable=False, text="\n".join(said) + "\n"))
    return Pack(tuple(blocks), tuple(notes))


def _missing(files: Snapshot, config: Config) -> list[str]:
    fixed = (item.path for item in config.resident if "{agent}" not in item.path and "*" not in item.path)
    return [path for path in fixed if path not in files]


def _over(weighed: dict[str, int], config: Config) -> list[str]:
    found = []
    for path, size in weighed.items():
        budget = config.budget(path) or 0
        if size > budget:
            found.append(f"{path}: {size:,} bytes, {size - budget:,} over its budget; all of it is printed")
    total = sum(weighed.values()) + config.digest_budget
    if total > config.total:
        over = f"{total - config.total:,} over the {config.total:,} for all"
        found.append(f"{total:,} bytes at this start, {over}; see memtool check")
    return found


def _own_summary(config: Config, agent: str, weighed: dict[str, int]) -> str:
    """Hint at a summary of its own to an agent that has none."""
    own = next((item for item in config.resident if "{agent}" in item.path), None)
    if own is None or own.of(agent) in weighed:
        return ""
    if not agent:
        return "This session has no agent name: set one with `git config memtool.agent NAME`."
    return f"Agent {agent} has no summary of its own yet; it would be read here from {own.of(agent)}."


def text(pack: Pack) -> str:
    """Join the blocks, each under a comment that names its file."""
    return "\n".join(_titled(block) for block in pack.blocks)


def _titled(block: Block) -> str:
    head = f"<!-- {block.path} -->\n" if block.path else ""
    return head + block.text + ("" if block.text.endswith("\n") else "\n")


def asdict(pack: Pack) -> dict[str, Any]:
    """Give the pack in the shape of ``memtool.start/1``."""
    blocks = [block.asdict() | {"bytes": block.bytes} for block in pack.blocks]
    return {"schema": "memtool.start/1", "blocks": blocks, "bytes": pack.bytes, "over": list(pack.notes)}


def anthropic(pack: Pack) -> dict[str, Any]:
    """Give two system blocks for Anthropic's Messages API, the stable one with a cache mark."""
    stable, volatile = _halves(pack)
    first = {"type": "text", "text": stable, "cache_control": {"type": "ephemeral"}}
    system = [first] if stable else []
    return {"schema": "memtool.start.anthropic/1", "system": [*system, {"type": "text", "text": volatile}]}


def openai(pack: Pack) -> dict[str, Any]:
    """Give one string for OpenAI's ``instructions``, stable part first: its cache keeps a common prefix by itself."""
    return {"schema": "memtool.start.openai/1", "instructions": text(pack)}


def _halves(pack: Pack) -> tuple[str, str]:
    stable = tuple(block for block in pack.blocks if block.stable)
    rest = tuple(block for block in pack.blocks if not block.stable)
    return text(Pack(stable, ())), text(Pack(rest, ()))


def part(pack: Pack, which: str) -> Pack:
    """Keep the ``resident`` files, or the ``digest`` with what is live; all for anything else."""
    if which not in {"resident", "digest"}:
        return pack
    return pack.replace(blocks=tuple(block for block in pack.blocks if block.stable == (which == "resident")))


def fit(pack: Pack, host: Host) -> str:
    """Give the text for *host*, never above its cap: whole blocks are left out, each named with its path.

    Resident files go first, the last in order before the others; the digest is never what falls off.
    """
    left_out: list[Block] = []
    blocks = list(pack.blocks)
    while host.cap and host.measure(_with_notice(blocks, left_out, host)) > host.cap:
        droppable = [block for block in blocks if block.stable] or [block for block in blocks if block.name == "live"]
        if not droppable:
            return _clipped(blocks, host)
        blocks.remove(droppable[-1])
        left_out.insert(0, droppable[-1])
    return _with_notice(blocks, left_out, host)


def _with_notice(blocks: Sequence[Block], left_out: Sequence[Block], host: Host) -> str:
    if not left_out:
        return text(Pack(tuple(blocks), ()))
    names = "".join(f"- {block.path or block.name} ({block.bytes:,} bytes)\n" for block in left_out)
    notice = f"Not shown, over this host's {host.cap:,} {host.unit}; read these files now:\n{names}"
    return notice + "\n" + text(Pack(tuple(blocks), ()))


def _clipped(blocks: Sequence[Block], host: Host) -> str:
    """Name the digest where even it alone is over the cap: a budget set so is the user's, the cap is the host's."""
    return "".join(
        f"Not shown, over this host's {host.cap:,} {host.unit}: read {block.path} now.\n" for block in blocks
    )
