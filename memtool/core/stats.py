"""The bill: what a session read when everything was read, what it reads now, and what to split first."""

from __future__ import annotations

from _collections_abc import Iterator

from memtool.core.budget import tokens
from memtool.core.config import Config
from memtool.model import Record, Snapshot, odd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST = 5
SPLIT_FROM = 16 * 1024
"""Bytes from which a file on demand is worth splitting: two parts of the target size, 8 KB."""


class Size(Record):
    """What one file, or a group of files, costs to read."""

    path: str
    tier: str
    """``resident``, ``on-demand`` or ``index``."""
    bytes: int
    tokens: int
    """An estimate; memtool/core/budget.py says how."""


class Stats(Record):
    """The bill of one tree."""

    files: tuple[Size, ...]
    everything: Size
    """All memory files, as a start without tiers reads them."""
    start: Size
    """What a session of the fullest agent reads at start, the digest's budget included."""
    topic: Size
    """One typical file on demand: the median by bytes."""


def stats(snapshot: Snapshot, config: Config) -> Stats:
    """Weigh every memory file and index page of *snapshot* that can be read."""
    files = tuple(_sizes(snapshot, config))
    memory = [size for size in files if size.tier != "index"]
    resident = [size for size in files if size.tier == "resident"]
    shared = [size for size in resident if not config.agent_of(size.path)]
    own = sorted((size for size in resident if config.agent_of(size.path)), key=lambda size: size.bytes)[-1:]
    digest = Size(config.digest, "resident", config.digest_budget, -(-config.digest_budget // 4))
    on_demand = sorted((size for size in files if size.tier == "on-demand"), key=lambda size: (size.bytes, size.path))
    typical = on_demand[len(on_demand) // 2] if on_demand else Size("", "on-demand", 0, 0)
    return Stats(files, _sum("everything", memory), _sum("start", [*shared, *own, digest]), typical)


def _sizes(snapshot: Snapshot, config: Config) -> Iterator[Size]:
    for path in snapshot:
        tier = "resident" if config.is_resident(path) else "index" if config.is_index(path) else ""
        tier = tier or ("on-demand" if config.is_on_demand(path) else "")
        if tier and not odd(snapshot, path):
            data = snapshot[path]
            yield Size(path, tier, len(data), tokens(data.decode("utf-8", "replace")))


def _sum(name: str, sizes: list[Size]) -> Size:
    return Size(name, "", sum(size.bytes for size in sizes), sum(size.tokens for size in sizes))


def largest(bill: Stats) -> list[Size]:
    """List the files on demand that are worth splitting, largest first."""
    found = [size for size in bill.files if size.tier == "on-demand" and size.bytes >= SPLIT_FROM]
    return sorted(found, key=lambda size: (-size.bytes, size.path))


def text(bill: Stats) -> str:
    """Lay the bill out on a screen."""
    return "\n\n".join("\n".join(block) for block in (_starts(bill), _tiers(bill), _splits(bill)) if block) + "\n"


def _starts(bill: Stats) -> list[str]:
    both = Size("", "", bill.start.bytes + bill.topic.bytes, bill.start.tokens + bill.topic.tokens)
    rows = [
        ("read everything", bill.everything),
        ("start, digest reserved", bill.start),
        ("… and one typical topic", both),
    ]
    lines = [f"{'A session that reads':24}  {'bytes':>12}  {'~tokens':>10}  of everything"]
    for name, size in rows:
        share = _share(size.bytes, bill.everything.bytes)
        lines.append(f"{name:24}  {size.bytes:>12,}  {size.tokens:>10,}  {share:>13}")
    return lines


def _share(part: int, whole: int) -> str:
    share = 100 * part / whole if whole else 0.0
    return f"{share:.0f} %" if share >= 10 else f"{share:.1f} %"


def _tiers(bill: Stats) -> list[str]:
    lines = [f"{'Tier':24}  {'bytes':>12}  {'~tokens':>10}  {'files':>13}"]
    for tier in ("resident", "on-demand", "index"):
        sizes = [size for size in bill.files if size.tier == tier]
        total = _sum(tier, sizes)
        lines.append(f"{tier:24}  {total.bytes:>12,}  {total.tokens:>10,}  {len(sizes):>13,}")
    return lines


def _splits(bill: Stats) -> list[str]:
    found = largest(bill)
    if not found:
        return []
    lines = ["Largest files, to split first:"]
    lines += [f"  {size.bytes:>10,}  {size.path}" for size in found[:LARGEST]]
    if len(found) > LARGEST:
        lines.append(f"  … and {len(found) - LARGEST:,} more of {SPLIT_FROM:,} bytes or more")
    return [*lines, "See how the first would be cut: memtool split FILE --dry-run"]


def asdict(bill: Stats) -> dict[str, Any]:
    """Give the bill in the shape of ``memtool.stats/1``."""
    pair = ("bytes", "tokens")
    return {
        "schema": "memtool.stats/1",
        "everything": {name: getattr(bill.everything, name) for name in pair},
        "start": {name: getattr(bill.start, name) for name in pair},
        "topic": bill.topic.asdict(),
        "files": [size.asdict() for size in bill.files],
        "split_first": [size.path for size in largest(bill)],
    }
