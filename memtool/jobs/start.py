"""`start`: the digest refreshed, and the resident tier put together for a session."""

from __future__ import annotations

from memtool.core import startpack
from memtool.core.startpack import Pack
from memtool.edge.location import load_config
from memtool.edge.plumbing import git, records
from memtool.edge.trees import Folder
from memtool.jobs.session import refresh_digest


def start(root: str, *, agent: str, today: str) -> Pack:
    """Refresh the digest of the memory repo at *root* and give the start pack of *agent*."""
    files = Folder(root)
    config, _ = load_config(files)
    digest = refresh_digest(root, agent=agent, today=today)
    return startpack.pack(files, config, agent=agent, digest=digest, live=live_status(root))


def live_status(root: str) -> str:
    """Say in one line what is not committed and not synced; nothing where all is."""
    ahead, changed, upstream = _status(root)
    said = []
    if changed:
        said.append(f"{_count(changed, 'file')} changed here and not committed")
    if ahead:
        since = git(root, "log", "-1", "--format=%cs", "@{upstream}").decode().strip()
        said.append(f"{_count(ahead, 'commit')} not synced since {since}")
    elif upstream is None and git(root, "remote"):
        said.append("this branch was never synced")
    return f"Live: {'; '.join(said)}." if said else ""


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _status(root: str) -> tuple[int, int, bool | None]:
    """Ask (commits ahead of upstream, files not committed, is there an upstream) of one `git status`.

    The last is None for a branch without one, False where there is no branch.

    Without locks, so that a commit beside it is not disturbed; without fsmonitor, which runs a command of the repo's.
    """
    ask = ("--no-optional-locks", "-c", "core.fsmonitor=false", "status", "--porcelain=v2", "--branch", "-z")
    ahead, changed = 0, 0
    upstream: bool | None = None
    listed = records(root, *ask)
    for record in listed:
        if record == b"# branch.head (detached)":
            upstream = False
        elif record.startswith(b"# branch.ab "):
            upstream = True
            ahead = int(record.split(b" ")[2])
        elif record[:2] in {b"1 ", b"2 ", b"u ", b"? "}:
            changed += 1
            if record.startswith(b"2 "):
                next(listed, None)  # the old name of a rename
    return ahead, changed, upstream
