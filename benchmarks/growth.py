"""Measure how the cost of a split grows on hostile shapes: by how much four times the input takes longer.

    .venv/bin/python benchmarks/growth.py [--bytes N]

In one process, the best of three; 4.0 is linear, the bar is 6.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import suppress

from memtool.core import commonmark
from memtool.core.blocks import headings
from memtool.core.split import markup
from memtool.core.split.draft import Drafts
from memtool.core.split.names import Names
from memtool.core.split.plan import Cut, plan
from memtool.errors import MemtoolError

SHAPES: dict[str, Callable[[int], str]] = {
    "headings": lambda size: "# a\n" * (size // 4),
    "brackets": lambda size: "[" * size,
    "links without end": lambda size: "[a](" * (size // 4),
    "images without end": lambda size: "![a][" * (size // 5),
    "backticks": lambda size: "".join("`" * (1 + at % 97) + " " for at in range(size // 50)),
    "emphasis": lambda size: "*a **b " * (size // 7),
    "deep quotes": lambda size: ("> " * 50 + "a\n") * (size // 102),
    "lazy quotes": lambda size: "> a\nb\n" * (size // 6),
    "flat list": lambda size: "- a\n" * (size // 4),
    "deep lists": lambda size: "".join("  " * (at % 40) + "- a\n" for at in range(size // 44)),
    "one long line": lambda size: "a b " * (size // 4),
    "definitions": lambda size: "".join(f"[a{at}]: /u\n" for at in range(size // 12)),
    "definitions without end": lambda size: "[a]: /u\n'b\n" * (size // 11),
    "setext": lambda size: "a\n=\n" * (size // 4),
    "open fence": lambda size: "```\n" + "# a\n" * (size // 4),
    "comments without end": lambda size: "<!-- " * (size // 5),
    "tags": lambda size: "<a b='c' " * (size // 9),
    "table": lambda size: "| a | b |\n" * (size // 10),
}


def whole(data: bytes) -> None:
    """Plan a split as `memtool split --dry-run` does, links and drafts too."""
    try:
        made = plan("topics/a.md", b"## a\n\n" + data + b"\n\n## b\n", lambda: Names("topics", []), Cut(level=2))
    except MemtoolError:  # such as a text that markdown-it-py cannot read; the time until then counts
        return
    drafts = Drafts(made)
    for part in made.parts:
        drafts.of(part)


JOBS: dict[str, Callable[[bytes], object]] = {
    "scanner": headings,
    "markdown-it-py": commonmark.headings,
    "links": lambda data: markup.read(data, 0),
    "plan": whole,
}


def best(job: Callable[[bytes], object], data: bytes) -> float:
    def once() -> float:
        began = time.perf_counter()
        with suppress(MemtoolError):
            job(data)
        return time.perf_counter() - began

    return min(once() for _ in range(3))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--bytes", type=int, default=80_000, help="of the smaller input")
    size = parser.parse_args().bytes
    print("| shape | " + " | ".join(f"{name} ms | x" for name in JOBS) + " |\n|---" + "|---|---" * len(JOBS) + "|")
    for shape, make in SHAPES.items():
        cells = []
        for job in JOBS.values():
            small, large = (best(job, make(count).encode()) for count in (size, 4 * size))
            cells.append(f"{large * 1000:.0f} | {large / small:.1f}")
        print(f"| {shape} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
