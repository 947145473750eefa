"""Make synthetic memory repos of three sizes, with history, by `git fast-import`: S, M and L of docs/performance.md."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

SIZES = {"S": (180, 1_000), "M": (2_000, 10_000), "L": (20_000, 100_000)}
"""Files and commits. S is a real store after some months, M ten times that, L a hundred times."""
DAYS = 400
WORDS = [
    "memory",
    "agent",
    "budget",
    "commit",
    "index",
    "digest",
    "rule",
    "session",
    "merge",
    "deploy",
    "cache",
    "queue",
]
ZH = "记忆常驻按需索引规则会话提交预算拆分标题主题检索上下文用户纠正过期结论"
CONFIG = b"format: 1\nindex:\n  layout: folders\n"


def path_of(number: int, files: int) -> str:
    """Spread the files over folders of about 60, as people's stores are."""
    kind = ("topics", "topics", "projects", "handoffs")[number % 4]
    return f"{kind}/{WORDS[number % len(WORDS)]}-{number % max(6, files // 60)}/{number}.md"


def content(rng: random.Random, number: int, day: str) -> bytes:
    """Give a file of 1 to 8 KB with trigger-style front matter and dated entries, one in four Chinese."""
    chinese = number % 4 == 1
    text = "".join(rng.choices(ZH, k=12)) if chinese else " ".join(rng.choices(WORDS, k=6))
    heads = [" ".join(rng.choices(WORDS, k=3)) for _ in range(rng.randint(2, 10))]
    entries = "".join(f"## {day} {head}\n\n{(text + '. ') * rng.randint(3, 12)}\n\n" for head in heads)
    tags = ", ".join(rng.sample(WORDS, 3))
    keys = f'name: file-{number}\ndescription: "read before {text}: {tags}"\ntags: [{tags}]\nsource_date: {day}'
    return f"---\n{keys}\n---\n\n# File {number}\n\n{entries}".encode()


def stream(files: int, commits: int, now: int) -> Iterator[bytes]:
    """Yield a fast-import stream: files appear over time, half of the changes hit the newest, 3 % are merges."""
    rng = random.Random(1)
    mark, tip, alive = 0, 0, 1
    for at in range(commits):
        when = now - int((commits - 1 - at) * DAYS * 86_400 / commits)
        day = time.strftime("%Y-%m-%d", time.gmtime(when))
        newest = max(0, alive - 1 - int(rng.paretovariate(1.1)) % alive)
        changed = {rng.randrange(alive) if rng.random() < 0.5 else newest}
        while alive < files * min(1.0, (at + 1) / (commits * 0.85)):
            changed.add(alive)
            alive += 1
        blobs = [(path_of(number, files), content(rng, number, day)) for number in changed]
        if at == 0:
            blobs += [
                ("memtool.yaml", CONFIG),
                ("resident/rules.md", b"# Rules\n\n- one\n"),
                ("resident/summary.md", b"# Summary\n"),
            ]
        tip, before = mark + 1, tip
        yield _commit(tip, when, rng.choice(("ada", "desk", "cron")), [before] if before else [], blobs)
        mark = tip
        if at % 33 == 32:  # a side branch of one commit, merged at once
            extra = [(f"handoffs/side/{at}.md", content(rng, at, day))]
            yield _commit(mark + 1, when, "side", [before or tip], extra)
            yield _commit(mark + 2, when, "ada", [tip, mark + 1], extra)
            tip = mark = mark + 2


def _commit(mark: int, when: int, who: str, parents: list[int], blobs: list[tuple[str, bytes]]) -> bytes:
    ident = f"{who} <{who}@example.invalid> {when} +0000"
    lines = [f"commit refs/heads/main\nmark :{mark}\nauthor {ident}\ncommitter {ident}\ndata 1\nx\n".encode()]
    lines += [f"{'from' if at == 0 else 'merge'} :{parent}\n".encode() for at, parent in enumerate(parents)]
    lines += [b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data) for path, data in blobs]
    return b"".join(lines)


def make(folder: Path, size: str) -> Path:
    """Make the repo of *size* in *folder*, or give the one that is there."""
    root = folder / size
    if (root / ".git" / "done").exists():
        return root
    root.mkdir(parents=True)
    git = ["git", "-C", str(root)]
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    subprocess.run([*git, "config", "user.name", "bench"], check=True)
    subprocess.run([*git, "config", "user.email", "bench@example.invalid"], check=True)
    subprocess.run([*git, "config", "memtool.agent", "desk"], check=True)
    with subprocess.Popen([*git, "fast-import", "--quiet"], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        files, commits = SIZES[size]
        for data in stream(files, commits, int(time.time()) // 3600 * 3600):
            process.stdin.write(data)
        process.stdin.close()
    subprocess.run([*git, "repack", "-adq", "--window=10", "--depth=30"], check=True)
    subprocess.run([*git, "reset", "-q", "--hard"], check=True)
    (root / ".git" / "done").touch()
    return root
