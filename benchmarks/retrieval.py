"""Measure what `recall` finds, on judged sets, beside plain BM25; and how long it takes, beside bare Python.

    .venv/bin/python benchmarks/retrieval.py [judged|times] [--data DIR] [--as entries|files] [--folder DIR] [-n RUNS]

A judged set is a folder with ``corpus.jsonl`` (id, text, perhaps group, date, title) and ``queries.jsonl`` (id, text,
relevant, perhaps group). Each group becomes a memory repo, each item an entry of one file, or a file of its own, and
each query is asked through the library. The queries are halved by a hash of their id: what was tuned was tuned on the
first half only. ``any@k``: some relevant item among the first k; ``MRR@10``: the mean of 1 / its place there.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import groupby, islice
from math import log
from pathlib import Path
from typing import Any

from run import PASS, PYTHON, SEALED, code, row
from stores import WORDS, ZH

from memtool.core.config import Config
from memtool.core.entry import entries
from memtool.core.recall.terms import is_unspaced
from memtool.edge.location import cache_path
from memtool.edge.recall import search
from memtool.edge.trees import WorkTree

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "retrieval"
PACKAGE = Path(__file__).resolve().parents[1] / "memtool"
FIRST = 10
Item = dict[str, Any]
Asked = Callable[[str], list[str]]
"""Gives the ids of the first items that answer a query."""


def judged(data: Path, folder: Path, shape: str) -> None:
    print("| set, half | queries | any@1 | any@5 | MRR@10 | plain BM25: any@1 | any@5 | MRR@10 |")
    print("|---|---|---|---|---|---|---|---|")
    for place in sorted(path.parent for path in data.glob("*/queries.jsonl")):
        ranks = list(ranked(place, folder / shape / place.name, shape))
        for half, chosen in (("tuned", {0}), ("kept back", {1}), ("all", {0, 1})):
            rows = [(mine, plain) for at, mine, plain in ranks if at in chosen]
            figures = [figure for column in zip(*rows, strict=True) for figure in scores(column)]
            print(
                f"| {place.name}, {half} | {len(rows)} | {' | '.join(f'{figure:.3f}' for figure in figures)} |",
                flush=True,
            )


def scores(ranks: tuple[int, ...]) -> tuple[float, float, float]:
    """Give any@1, any@5 and MRR of the places at which the first relevant items were found; 0 is nowhere."""
    places = len(ranks)
    return (
        sum(rank == 1 for rank in ranks) / places,
        sum(0 < rank <= 5 for rank in ranks) / places,
        sum(1 / rank for rank in ranks if rank) / places,
    )


def ranked(place: Path, folder: Path, shape: str) -> Iterator[tuple[int, int, int]]:
    """Yield for each query its half, and where memtool and plain BM25 found the first relevant item."""
    corpus, queries = (lines(place / name) for name in ("corpus.jsonl", "queries.jsonl"))
    for group, items in by_group(corpus).items():
        asked = [query for query in by_group(queries)[group] if query["relevant"]]
        mine, plain = store(folder / (group or "all"), items, shape), okapi(items)
        for query in asked:
            half = sha256(query["id"].encode()).digest()[0] & 1
            relevant = set(query["relevant"])
            yield half, first(mine(query["text"]), relevant), first(plain(query["text"]), relevant)


def first(found: list[str], relevant: set[str]) -> int:
    return next((at for at, name in enumerate(found, start=1) if name in relevant), 0)


def lines(path: Path) -> list[Item]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def by_group(items: list[Item]) -> dict[str, list[Item]]:
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[item.get("group", "")].append(item)
    return groups


# --- memtool ---------------------------------------------------------------------------------------------------------


def store(root: Path, items: list[Item], shape: str) -> Asked:
    """Make a memory repo of *items*; give the question to it."""
    texts = [section(item) if shape == "entries" else f"# {heading(item)}\n\n{item['text']}\n" for item in items]
    if shape == "entries":
        write(root, {"topics/all.md": "".join(texts)})
        data = (root / "topics" / "all.md").read_bytes()
        names = {entry.start: item["id"] for entry, item in zip(entries(data), items, strict=True)}
    else:
        write(root, {f"topics/{item['id']}.md": text for item, text in zip(items, texts, strict=True)})
    tree = WorkTree(str(root))

    def ask(query: str) -> list[str]:
        answers = search(tree, Config(), query)
        ids = (names[one.entry.start] if shape == "entries" else Path(one.path).stem for one in answers)
        return list(islice(dict.fromkeys(islice(ids, 5 * FIRST)), FIRST))

    return ask


def heading(item: Item) -> str:
    date = item.get("date", "")
    return " ".join((date if date[:2].isdecimal() else "", item.get("title", ""))).strip() or "Entry"


def section(item: Item) -> str:
    """Write an item as one entry: no line of its text can open a heading, code or HTML."""
    escaped = (
        f"\\{line.lstrip()}" if line.strip()[:1] in set("#<=-~`>") else line for line in item["text"].splitlines()
    )
    body = "\n".join(escaped)
    return f"## {heading(item)}\n\n{body}\n\n"


def write(root: Path, files: dict[str, str]) -> None:
    """Write and commit *files*, unless they were."""
    if (root / ".git" / "done").exists():
        return
    for path, text in {"memtool.yaml": "format: 1\n", **files}.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=b", "-c", "user.email=b@x.invalid", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *command], cwd=root, env=SEALED, check=True)
    (root / ".git" / "done").touch()


# --- plain BM25 ------------------------------------------------------------------------------------------------------


def okapi(items: list[Item], k1: float = 1.2, b: float = 0.75) -> Asked:
    """Make the question to plain BM25 over titles and texts: lower-case words, pairs of Chinese characters."""
    counts = [Counter(words(f"{item.get('title', '')}\n{item['text']}")) for item in items]
    found = Counter(word for count in counts for word in count)
    average = sum(count.total() for count in counts) / len(counts)

    def score(count: Counter[str], word: str) -> float:
        weight = log(1 + (len(items) - found[word] + 0.5) / (found[word] + 0.5))
        return weight * count[word] * (k1 + 1) / (count[word] + k1 * (1 - b + b * count.total() / average))

    def ask(query: str) -> list[str]:
        asked = words(query)
        totals = [(-sum(score(count, word) for word in asked if word in count), at) for at, count in enumerate(counts)]
        return [items[at]["id"] for total, at in sorted(totals)[:FIRST] if total]

    return ask


def words(text: str) -> list[str]:
    found: list[str] = []
    for kind, chars in groupby(text.lower(), lambda char: char.isalnum() + (char.isalnum() and is_unspaced(char))):
        run = "".join(chars)
        if kind == 1:
            found.append(run)
        elif kind == 2:
            found += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
    return found


# --- time ------------------------------------------------------------------------------------------------------------


ASK = """
from itertools import islice
from memtool.core.config import Config
from memtool.edge.recall import search
from memtool.edge.trees import WorkTree
list(islice(search(WorkTree("."), Config(), {query!r}), 3))
"""


def times(folder: Path, runs: int) -> None:
    """A query in a fresh process, through the library; how long the index takes to make, and what it weighs."""
    subprocess.run([PYTHON, "-m", "compileall", "-q", str(PACKAGE)], check=True)  # as an installed package is
    print("| what | ms | floor ms | ratio | bar |\n|---|---|---|---|---|")
    for number, bar in ((200, 3), (10_000, 4), (100_000, 8)):
        root = folder / f"times-{number}"
        write(root, dict(synthetic(number)))
        cache = Path(cache_path(str(root), "search"))
        cache.unlink(missing_ok=True)
        began = time.perf_counter()
        next(search(WorkTree(str(root)), Config(), WORDS[0]))
        took = time.perf_counter() - began
        share = cache.stat().st_size / sum(path.stat().st_size for path in root.glob("topics/**/*.md"))
        print(
            f"| index of {number:,} entries, {share:.2f} of the text | {took * 1000:.0f} | | | 30 s, 1.5 |", flush=True
        )
        for query in ("merge queue 88", "word17 word99", "检索规则"):
            row(f"{query}, {number:,} entries", f"<= {bar}", code(ASK.format(query=query)), PASS, root, runs=runs)


def synthetic(number: int) -> Iterator[tuple[str, str]]:
    """Yield files of ten entries of some 400 bytes, one in three Chinese."""
    rng = random.Random(1)
    rare = [f"word{at}" for at in range(3_000)]
    for file in range(number // 10):
        text = f'---\ndescription: "read before {rng.choice(WORDS)}: {rng.choice(rare)}"\n---\n\n'
        for at in range(file * 10, file * 10 + 10):
            spaced = " ".join((*rng.choices(WORDS, k=10), *rng.choices(rare, k=45)))
            body = "".join(rng.choices(ZH, k=130)) if at % 3 == 1 else spaced
            text += f"## 2026-01-{at % 28 + 1:02} {rng.choice(WORDS)} {at}\n\n{body}\n\n"
        yield f"topics/{file // 60}/{file}.md", text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("what", nargs="*", default=["judged", "times"], choices=["judged", "times"])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--as", dest="shape", choices=["entries", "files"], default="entries")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "memtool-bench")
    parser.add_argument("-n", type=int, default=11, help="runs of each row")
    given = parser.parse_args()
    if "judged" in given.what:
        judged(given.data, given.folder, given.shape)
    if "times" in given.what:
        times(given.folder, given.n)


if __name__ == "__main__":
    main()
