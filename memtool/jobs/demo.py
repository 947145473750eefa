"""`demo`: the product on a memory repo of its own, with some weeks of history, in a temporary folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from datetime import date, timedelta

from memtool.core import startpack, stats
from memtool.core.config import CONFIG
from memtool.edge.assets import asset
from memtool.edge.files import write_atomically
from memtool.edge.location import load_config
from memtool.edge.plumbing import GitError, git
from memtool.edge.trees import WorkTree
from memtool.jobs.session import refresh_digest
from memtool.jobs.setup.init import init
from memtool.jobs.start import start

_RULES_BUDGET = b"path: resident/rules.md\n    budget: 1 KB"
_STORY = (
    (34, "desk", ("resident/rules.md", "resident/summary.md", "resident/agents/desk.md")),
    (30, "desk", ("history/decisions.md",)),
    (20, "laptop", ("topics/git.md",)),
    (16, "desk", ("topics/benchmarks.md",)),
    (12, "laptop", ("workflows/release.md",)),
    (6, "laptop", ("topics/writing.md",)),
    (3, "laptop", ("projects/blog.md",)),
    (1, "desk", ("projects/shelf/plan.md",)),
)
"""(days ago, the agent that wrote, the files): one commit each."""


def demo(*, today: str) -> Iterator[str]:
    """Make the demo's repo and yield what it shows, line by line; the folder stays, to be looked at."""
    root = os.path.join(tempfile.mkdtemp(prefix="memtool-demo-"), "memory")
    _make(root, date.fromisoformat(today))
    yield f"A memory repo of two machines, five weeks old: {root}"
    yield from _titled("What a session on the desk reads at its start", "memtool start")
    pack = start(root, agent="desk", today=today)
    yield from _indented(startpack.text(pack))
    yield from _titled("What it finds the rest by, one line a file", "cat INDEX.md")
    yield from _indented(_rows(root))
    yield from _titled("A long story goes into the rules; the hook says what to do instead", "git commit -am story")
    yield from _indented(_refused(root))
    yield from _titled("The bill", "memtool stats")
    tree = WorkTree(root)
    yield from _indented(stats.text(stats.stats(tree, load_config(tree)[0])).partition("\n\n")[0])
    yield ""
    yield f"Look around: cd {root}. Make your own: memtool init DIR. Delete the folder when you are done."


def _titled(title: str, command: str) -> Iterator[str]:
    yield ""
    yield f"== {title}"
    yield f"   $ {command}"


def _indented(text: str) -> Iterator[str]:
    return (f"   {line}".rstrip() for line in text.rstrip("\n").split("\n"))


def _make(root: str, day: date) -> None:
    init(root, agent="desk", remote=None, dry_run=False, today=day.isoformat())
    write_atomically(os.path.join(root, CONFIG), _smaller_rules(asset("templates", CONFIG)))
    _write_history(root, day)
    refresh_digest(root, agent="desk", today=day.isoformat())


def _smaller_rules(config: bytes) -> bytes:
    return config.replace(_RULES_BUDGET.replace(b"1 KB", b"4 KB"), _RULES_BUDGET)


def _write_history(root: str, day: date) -> None:
    """Replace init's commit by the demo's own weeks, with the dates and authors of the story."""
    from git import Actor, Repo

    with Repo(root) as repo:
        repo.index.remove(["topics"], working_tree=True, r=True)
        for at, (days, agent, paths) in enumerate(_STORY):
            when = f"{day - timedelta(days=days)} 09:00:00 +0000"
            for path in paths:
                write_atomically(os.path.join(root, path), _dated(asset("templates", "demo", *path.split("/")), day))
            repo.index.add([CONFIG, *paths])
            who = Actor(agent, f"{agent}@memtool.invalid")
            repo.index.commit(
                f"memory: {agent}", parent_commits=[] if at == 0 else None, head=True, author=who, committer=who,
                author_date=when, commit_date=when, skip_hooks=True,
            )  # fmt: skip
    from memtool.jobs.index import write_index

    write_index(root)
    git(
        root,
        "commit",
        "-q",
        "--amend",
        "--no-edit",
        "--no-verify",
        "-a",
        "--date",
        f"{day - timedelta(days=1)}T09:00:00Z",
    )


def _dated(data: bytes, day: date) -> bytes:
    """Fill in the dates: ``{{day:6}}`` is six days ago."""
    text = data.decode().replace("{{review_by}}", (day + timedelta(days=60)).isoformat())
    for days in range(40):
        text = text.replace(f"{{{{day:{days}}}}}", (day - timedelta(days=days)).isoformat())
    return text.encode()


def _rows(root: str) -> str:
    with open(os.path.join(root, "INDEX.md"), encoding="utf-8") as file:
        return "".join(line for line in file if line.startswith(("- ", "## ")))


def _refused(root: str) -> str:
    """Append the story to the rules, try to commit it, and give what the hook says; then put the rules back."""
    path = os.path.join(root, "resident", "rules.md")
    with open(path, "rb") as file:
        before = file.read()
    write_atomically(path, before + asset("templates", "demo", "incident.md"))
    try:
        git(root, "-c", "user.name=Ada", "-c", "user.email=ada@memtool.invalid", "commit", "-q", "-am", "story")
    except GitError as error:
        return error.stderr
    finally:
        write_atomically(path, before)
    return "(the commit passed: the hook is not in place)"
