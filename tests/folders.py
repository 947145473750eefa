"""Folders as people have them, and `init` run on them; for test_init, test_adopt, test_hooks_install, test_doctor."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memory import Memory

from memtool.jobs.setup.init import init
from memtool.jobs.setup.report import InitReport

TODAY = "2026-11-30"
BUNDLES = Path(__file__).parent.parent.parent / "shared" / "data" / "histories"


def run(root: Path, *, agent: str | None = "laptop", remote: object = None, dry_run: bool = False) -> InitReport:
    return init(str(root), agent=agent, remote=None if remote is None else str(remote), dry_run=dry_run, today=TODAY)


def fill(root: Path, files: Mapping[str, str | bytes]) -> Memory:
    """Write *files* to the folder *root*, without git."""
    root.mkdir(parents=True, exist_ok=True)
    made = Memory(root)
    for path, text in files.items():
        made.write(path, text)
    return made


def repo(root: Path, files: Mapping[str, str | bytes] | None = None) -> Memory:
    """Make a git repo with one commit of *files*, or with none."""
    made = Memory.make(root, hooks=False)
    if files:
        fill(root, files)
        made.git("add", "-A")
        made.git("commit", "-qm", "before")
    return made


def bytes_of(root: Path, *, git: bool = False) -> dict[str, bytes]:
    """Read all files below *root*, git's own only if *git*."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and (git or ".git" not in path.relative_to(root).parts)
    }


def committed(memory: Memory, rev: str = "HEAD") -> set[str]:
    """List the files that the commit *rev* adds or changes."""
    return set(memory.git("show", "--format=", "--name-only", "-z", rev).split("\0")) - {""}
