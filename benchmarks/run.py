"""Measure memtool against the bars of docs/performance.md: paired ratios of whole processes, medians of several runs.

    .venv/bin/python benchmarks/run.py [startup|digest|hook|index|headings] [--sizes SML] [-n RUNS] [--folder DIR]

Each row runs the command and its floor in turn; the ratio is taken pair by pair, so that a machine whose speed drifts
does not bend it. Nothing here fails: a test never depends on time.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from stores import make

PYTHON = sys.executable
PASS = [PYTHON, "-c", "pass"]
SEALED = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "MEMTOOL_AGENT": "desk"}
Before = Callable[[], object]


def code(statement: str) -> list[str]:
    return [PYTHON, "-P", "-c", statement]


def sh(*parts: list[str]) -> list[str]:
    return ["sh", "-c", "; ".join(shlex.join(part) for part in parts)]


def run(command: list[str], where: Path) -> float:
    began = time.perf_counter()
    subprocess.run(command, cwd=where, env=SEALED, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return (time.perf_counter() - began) * 1000


def row(
    name: str, bar: str, command: list[str], floor: list[str], where: Path, *, runs: int, before: Before = int
) -> None:
    """Print one row: the medians in ms, and the median of the paired ratios."""
    times, floors = [], []
    for at in range(runs + 1):
        before()
        mine, base = run(command, where), run(floor, where)
        if at:  # the first pair warms the caches
            times.append(mine)
            floors.append(base)
    ratio = statistics.median(mine / base for mine, base in zip(times, floors, strict=True))
    figures = f"{statistics.median(times):.1f} | {statistics.median(floors):.1f} | {ratio:.2f}"
    print(f"| {name} | {figures} | {bar} |", flush=True)


def startup(root: Path, size: str, runs: int) -> None:
    """What a person waits for, and what the libraries cost."""
    memtool = str(Path(PYTHON).parent / "memtool")
    row(f"memtool --help, {size}", "<= 8", [memtool, "--help"], PASS, root, runs=runs)
    row(f"memtool stats, {size}", "<= 8 on S", [memtool, "stats"], PASS, root, runs=runs)
    for library in ("typer", "git", "yaml", "markdown_it", "re", "dataclasses", "subprocess"):
        row(f"import {library}", "", code(f"import {library}"), PASS, root, runs=runs)


def digest(root: Path, size: str, runs: int) -> None:
    refresh = code("from memtool.hook import main; main(['post-merge'])")
    cache = root / ".git" / "memtool" / "digest"
    log = ["git", "log", "--since=30.days", "--name-only", "--first-parent", "-m", "--format=%H"]
    bars = {"S": "<= 1.5", "M": "<= 1.2", "L": "<= 0.2"}
    row(f"digest, HEAD unmoved, {size}", "<= 1.5", refresh, PASS, root, runs=runs)
    forget = partial(cache.unlink, missing_ok=True)
    row(f"digest from nothing, {size}", bars[size], refresh, sh(PASS, log), root, runs=runs, before=forget)
    row(f"digest, one new commit, {size}", "<= 2.5", refresh, PASS, root, runs=runs, before=partial(commit_one, root))


def commit_one(root: Path) -> None:
    path = root / "topics" / "bench.md"
    path.write_text(f'---\ndescription: "read when measuring {time.time_ns()}"\nsource_date: 2026-01-01\n---\n')
    git(root, "add", "topics/bench.md")
    git(root, "commit", "-qm", "bench", "--no-verify")


def git(root: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=root, env=SEALED, check=True, stdout=subprocess.DEVNULL)


def hook(root: Path, size: str, runs: int) -> None:
    """The hook as git runs it, its shell and its gate included."""
    git(root, "reset", "-q", "--hard")
    install(root)
    ask = ["git", "hook", "run", "pre-commit"]
    empty = ["git", "-c", "core.hooksPath=.git/empty", "hook", "run", "pre-commit"]
    one_more = sh(empty, ["git", "--version"])
    row(f"hook, nothing of memory staged, {size}", "one git process", ask, one_more, root, runs=runs)
    (root / "topics" / "bench.md").write_text('---\ndescription: "read when measuring"\nsource_date: 2026-01-01\n---\n')
    git(root, "add", "topics/bench.md")
    git(root, "write-tree")  # as `git commit` does before it calls the hook
    row(f"hook, a topic staged, {size}", "<= 2.5", ask, PASS, root, runs=runs)
    rules = root / "resident" / "rules.md"
    rules.write_text("# Rules\n\n- Never push with --force: it loses the notes of the other machine.\n" * 20)
    git(root, "add", "resident/rules.md")
    git(root, "write-tree")
    row(f"hook, a topic and the rules staged, {size}", "<= 2.5", ask, PASS, root, runs=runs)
    git(root, "reset", "-q", "--hard")


def install(root: Path) -> None:
    setup = "from memtool.jobs.setup.hooks import install; install('.')"
    subprocess.run(code(setup), cwd=root, env=SEALED, check=True)
    (root / ".git" / "empty").mkdir(exist_ok=True)
    (root / ".git" / "empty" / "pre-commit").write_text("#!/bin/sh\nexit 0\n")
    (root / ".git" / "empty" / "pre-commit").chmod(0o755)


def index(root: Path, size: str, runs: int) -> None:
    write = code("from memtool.jobs.index import write_index; write_index('.')")
    listing = sh(PASS, ["git", "ls-files", "-s", "-z"])
    cache = root / ".git" / "memtool" / "index"
    run(write, root)
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "index", "--no-verify")
    row(f"index, warm, {size}", "<= 4" if size == "L" else "<= 2.5", write, listing, root, runs=runs)
    forget = partial(shutil.rmtree, cache.parent, ignore_errors=True)
    few = min(runs, 3)
    row(f"index, cold, {size}", "<= 0.033 on L", write, code(SAFE_LOAD), root, runs=few, before=forget)


SAFE_LOAD = """
import os, yaml
for folder, _, names in os.walk("."):
    for name in names:
        if name.endswith(".md"):
            data = open(os.path.join(folder, name), encoding="utf-8").read()
            if data.startswith("---"):
                yaml.safe_load(data.split("---", 2)[1])
"""


def headings(root: Path, size: str, runs: int) -> None:
    """One 10 MB file, whatever the size of the repo."""
    if size != "S":
        return
    text = root / ".git" / "large.md"
    entry = (
        "## 2026-01-02 Entry\n\nSome prose with `code` and *emphasis*, and a [link](a.md).\n\n- a list\n- of two\n\n"
    )
    text.write_text(entry * (10_000_000 // len(entry)))
    ours = f"from memtool.core.blocks import headings; headings(open({str(text)!r}, 'rb').read())"
    theirs = f"from markdown_it import MarkdownIt; MarkdownIt().parse(open({str(text)!r}).read())"
    row("headings of 10 MB", "<= 0.1", code(ours), code(theirs), root, runs=min(runs, 3))


GROUPS = {"startup": startup, "digest": digest, "hook": hook, "index": index, "headings": headings}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("groups", nargs="*", default=list(GROUPS))
    parser.add_argument("--sizes", default="SM", help="which repos: S, M, L (L takes minutes to make)")
    parser.add_argument("-n", type=int, default=11, help="runs of each row")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "memtool-bench")
    given = parser.parse_args()
    package = Path(__file__).parent.parent / "memtool"
    subprocess.run([PYTHON, "-m", "compileall", "-q", str(package)], check=True)  # as an installed package is
    print("| what | ms | floor ms | ratio | bar |\n|---|---|---|---|---|")
    for group in given.groups:
        for size in given.sizes:
            GROUPS[group](make(given.folder, size), size, given.n)


if __name__ == "__main__":
    main()
