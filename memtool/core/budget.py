"""What the resident tier weighs, in the bytes that will be read, and the ways to make it lighter."""

from __future__ import annotations

from memtool.core.blocks import headings, lines
from memtool.core.config import Config
from memtool.model import Record, Snapshot, odd

WARN_AT = 0.9
"""From this part of its budget on, a file is warned of."""
POINTER = 80
"""Bytes of the line that stays behind where a section is moved away: a link and a short trigger."""
_ROUTE = 120
"""Bytes of the head of the short route that a split leaves behind."""


class Weight(Record):
    """One resident file against its budget."""

    path: str
    bytes: int
    chars: int
    tokens: int
    """An estimate, see `tokens`."""
    budget: int

    @property
    def left(self) -> int:
        """Bytes left; negative when over budget."""
        return self.budget - self.bytes

    @property
    def tight(self) -> bool:
        return self.bytes >= self.budget * WARN_AT


class Bill(Record):
    """The resident tier: each file, and the whole as the fullest agent reads it."""

    resident: tuple[Weight, ...]
    bytes: int
    """Of what all agents read, the fullest agent's own file, and the digest's reserved budget."""
    budget: int


class WayOut(Record):
    """One way to make a file lighter, and what it would save."""

    way: str
    saves: int
    """Bytes."""
    how: str


def bill(snapshot: Snapshot, config: Config) -> Bill:
    """Weigh the resident tier of *snapshot*; what cannot be read is another check's finding and weighs nothing here."""
    weights = tuple(
        weigh(path, snapshot[path], config.budget(path) or 0)
        for path in config.resident_paths(snapshot)
        if not odd(snapshot, path)
    )
    shared = sum(weight.bytes for weight in weights if not config.agent_of(weight.path))
    own = [weight.bytes for weight in weights if config.agent_of(weight.path)]
    return Bill(weights, shared + max(own, default=0) + config.digest_budget, config.total)


def weigh(path: str, data: bytes, budget: int) -> Weight:
    text = data.decode("utf-8", "replace")
    return Weight(path, len(data), len(text), tokens(text), budget)


def tokens(text: str) -> int:
    """Estimate the tokens of *text*: four ASCII characters a token, two of the next alphabets, one of CJK and beyond.

    A rule of thumb for a bill; the true number depends on the model. Counted by the bytes of each character in UTF-8
    (one, two, three and more), without looking at them one by one.
    """
    chars, size = len(text), len(text.encode("utf-8", "replace"))
    narrow = len(text.encode("ascii", "ignore"))
    wide = max(0, size + narrow - 2 * chars)
    return -(-narrow // 4) + wide + -(-max(0, chars - narrow - wide) // 2)


def sections(data: bytes) -> list[tuple[int, int, str]]:
    """List the sections of a file as (bytes, line, heading), heaviest first.

    They are cut at the highest level of heading that occurs more than once, so that a title above all is no section.
    """
    found = headings(data)
    levels = [heading.level for heading in found]
    level = next((n for n in range(1, 7) if levels.count(n) > 1), max(levels, default=0))
    heads = [heading for heading in found if heading.level <= level]
    ends = [heading.start for heading in heads[1:]] + [len(data)] * bool(heads)
    sized = [
        (end - head.start, head.line, head.text.decode("utf-8", "replace"))
        for head, end in zip(heads, ends, strict=True)
        if head.level == level
    ]
    return sorted(sized, key=lambda section: (-section[0], section[1]))


def ways_out(data: bytes, weight: Weight) -> list[WayOut]:
    """List the three ways to bring a file under budget, each with the bytes that it would save."""
    heavy = sections(data)
    wanted = -weight.left if weight.left < 0 else weight.bytes - int(weight.budget * WARN_AT)
    goal = "to fit" if weight.left < 0 else f"to be below {WARN_AT:.0%}"
    compress = f"say the same in fewer words; {wanted:,} bytes must go {goal}"
    if comments := sum(end - start for kind, start, end in lines(data) if kind == "html"):
        compress += f" ({comments:,} bytes are comments and HTML)"
    found = [WayOut("compress", max(wanted, 0), compress)]
    if heavy:
        size, line, name = heavy[0]
        found.append(
            WayOut("move", max(0, size - POINTER), f"put “{name}” (line {line}) in a topic file, leave a pointer")
        )
    if len(heavy) > 1:
        moved = sum(size for size, _, _ in heavy)
        saves = max(0, moved - _ROUTE - POINTER * len(heavy))
        text = f"move all {len(heavy)} sections to topic files, a line for each stays: memtool split {weight.path}"
        found.append(WayOut("split", saves, text))
    return found
