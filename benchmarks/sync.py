"""Measure `sync` against git itself, and merges of 1,000 entries against `git fetch` and `git merge`.

    .venv/bin/python benchmarks/sync.py [idle|journal|files] [-n RUNS] [--folder DIR]

Each row runs the command and its floor in turn, from the same state; the ratio is taken pair by pair. Nothing fails.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from run import PYTHON, SEALED, code, row, run, sh

MEMTOOL = [PYTHON, "-m", "memtool"]
SYNC = [*MEMTOOL, "sync"]
FETCH = ["git", "fetch", "-q", "origin"]
TYPER = code("import typer")
MERGE = ["git", "merge", "-q", "--no-edit", "origin/main"]
ENTRIES = 1000
DAYS = [f"2026-{month:02}-{day:02}" for month in range(1, 11) for day in range(1, 29)]
Write = Callable[[Path, str], None]


def git(root: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=root, env=SEALED, check=True, stdout=subprocess.DEVNULL)


def memtool(root: Path, *args: str) -> None:
    subprocess.run([*MEMTOOL, *args], cwd=root, env=SEALED, check=True, stdout=subprocess.DEVNULL)


def entry(side: str, number: int) -> str:
    date = DAYS[number % len(DAYS)]
    return f"## {date} [project:p{number % 7}] {side} fact {number}\n\nKeep {number} of {side}.\n\n> **Why:** {side}.\n"


def journal(root: Path, side: str) -> None:
    """Add so many entries to the one journal that both have."""
    path = root / "notes" / "bench.md"
    head = "---\ndescription: read to see what was measured\nsource_date: 2026-01-01\n---\n\n# Journal\n"
    before = path.read_text() if path.exists() else head
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([before, *(entry(side, number) for number in range(ENTRIES if side else 0))]))


def files(root: Path, side: str) -> None:
    """Add so many topics, of which the other machine knows nothing."""
    for number in range(ENTRIES if side else 0):
        head = f"---\ndescription: read before {side} work of kind {number}\nsource_date: 2026-01-01\n---\n\n"
        (root / "topics" / f"{side}-{number:04}.md").write_text(f"{head}# Kind {number}\n\n{entry(side, number)}")


def both(root: Path, side: str) -> None:
    """Let each side change another section of so many files that both have."""
    for number in range(ENTRIES):
        path = root / "topics" / f"kind-{number:04}.md"
        head = f"---\ndescription: read before work of kind {number}\nsource_date: 2026-01-01\n---\n\n# K\n"
        text = path.read_text() if path.exists() else f"{head}\n## ours\n\nours\n\n## theirs\n\ntheirs\n"
        path.write_text(text.replace(f"\n\n{side}\n", f"\n\n{side} {number}\n") if side else text)


def clones(folder: Path, write: Write) -> Path:
    """Make two machines that have diverged, and give a folder in which that is kept."""
    shutil.rmtree(folder, ignore_errors=True)
    kept = folder / "kept"
    kept.mkdir(parents=True)
    git(kept, "init", "-q", "--bare", "-b", "main", "hub.git")
    hub, ours, theirs = (kept / name for name in ("hub.git", "ours", "theirs"))
    memtool(kept, "init", str(ours), "--agent", "ours", "--remote", str(hub))
    write(ours, "")
    settle(ours)
    memtool(ours, "sync")
    memtool(kept, "init", str(theirs), "--agent", "theirs", "--remote", str(hub))
    memtool(theirs, "sync")
    memtool(ours, "sync")
    for one in (ours, theirs):
        write(one, one.name)
        settle(one)
    memtool(theirs, "sync")
    git(ours, "remote", "set-url", "origin", "../hub.git")
    return kept


def settle(root: Path) -> None:
    git(root, "config", "user.name", "Ada")
    git(root, "config", "user.email", "ada@example.invalid")
    memtool(root, "index")
    git(root, "add", "-A")
    git(root, "commit", "-q", "--no-verify", "--allow-empty", "-m", "by hand")


def again(kept: Path, now: Path) -> None:
    shutil.rmtree(now, ignore_errors=True)
    shutil.copytree(kept, now, symlinks=True)
    git(now / "ours", "update-index", "-q", "--refresh")


def idle(folder: Path, runs: int) -> None:
    kept = clones(folder, journal)
    ours = kept / "ours"
    git(ours, "config", "memtool.remote", "origin")
    memtool(ours, "sync")
    row("sync, nothing to do", "<= 1.5", SYNC, sh(FETCH, TYPER), ours, runs=runs)
    row("sync --quiet, nothing to do", "<= 1.5", [*SYNC, "--quiet"], sh(FETCH, TYPER), ours, runs=runs)
    row("git fetch", "", FETCH, code("pass"), ours, runs=runs)


def merging(what: str, write: Write, folder: Path, runs: int) -> None:
    """Print what a sync takes beyond git's own fetch and merge, in seconds."""
    kept, now = clones(folder, write), folder / "now"
    beyond, times, floors = [], [], []
    for _ in range(runs):
        again(kept, now)
        (now / "ours" / ".git" / "info" / "attributes").write_text("*.md merge\n")  # as git does without memtool
        floor = run(sh(FETCH, MERGE), now / "ours")
        again(kept, now)
        mine = run([*SYNC, "--no-push"], now / "ours")
        beyond.append(mine - floor)
        times.append(mine)
        floors.append(floor)
    assert_merged(now / "ours")
    middle = [statistics.median(some) for some in (times, floors, beyond)]
    print(f"| {what} | {middle[0]:.0f} | {middle[1]:.0f} | +{middle[2] / 1000:.2f} s | < 2 s |", flush=True)


def assert_merged(root: Path) -> None:
    """See that what was measured is a merge and not an error."""
    said = subprocess.run(["git", "log", "-1", "--format=%p"], cwd=root, env=SEALED, capture_output=True, check=True)
    assert len(said.stdout.split()) == 2, said


GROUPS: dict[str, Callable[[Path, int], None]] = {
    "idle": idle,
    "journal": partial(merging, f"{ENTRIES} entries on each side, one journal", journal),
    "files": partial(merging, f"{ENTRIES} new files on each side", files),
    "both": partial(merging, f"{ENTRIES} files changed on both sides", both),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("groups", nargs="*", default=list(GROUPS))
    parser.add_argument("-n", type=int, default=7, help="runs of each row")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "memtool-bench-sync")
    given = parser.parse_args()
    package = Path(__file__).parent.parent / "memtool"
    subprocess.run([PYTHON, "-m", "compileall", "-q", str(package)], check=True)  # as an installed package is
    print("| what | ms | floor ms | ratio, or beyond it | bar |\n|---|---|---|---|---|")
    for group in given.groups:
        GROUPS[group](given.folder, given.n)


if __name__ == "__main__":
    main()
