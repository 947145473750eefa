"""Histories as tests need them: each commit with its own clock, author and parents, made by one `git fast-import`."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

Files = Mapping[str, str | bytes | None]
"""Path (undecodable bytes surrogate-escaped) to content; None removes it."""


class History:
    """A repository in the making; commits are counted from 1 and exist once `write` was called."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")
        self._stream: list[bytes] = []
        self._count = 0

    def commit(
        self,
        files: Files,
        at: str,
        *,
        by: str = "Ada",
        committed: str = "",
        parents: Sequence[int] | None = None,
        message: str = "memory",
    ) -> int:
        """Add a commit on top of the last one, or of *parents*; written *at*, *committed* then or at another time.

        Times are ``2026-09-21`` (noon, UTC) or ``2026-09-21T08:00:00+02:00``.
        """
        above = ([self._count] if self._count else []) if parents is None else parents
        self._count += 1
        who = f"{by} <{by.lower().replace(' ', '.')}@example.invalid>"
        lines = [
            f"commit refs/heads/main\nmark :{self._count}",
            f"author {who} {stamp(at)}\ncommitter {who} {stamp(committed or at)}",
            f"data {len(message.encode())}\n{message}",
            *(f"{word} :{mark}" for word, mark in zip(["from"] + ["merge"] * len(above), above, strict=False)),
        ]
        if parents is not None and not parents:
            self._stream.append(b"reset refs/heads/main\n")
        self._stream.append("\n".join(lines).encode() + b"\n" + b"".join(map(_change, files.items())))
        return self._count

    def write(self) -> dict[int, str]:
        """Make the commits, the last one the tip of main, and check it out; give their ids."""
        marks = self.root / ".git" / "marks"
        named = (f"--import-marks-if-exists={marks}", f"--export-marks={marks}")
        self.git("fast-import", "--quiet", "--force", "--date-format=raw", *named, stdin=b"".join(self._stream))
        self._stream.clear()
        self.git("reset", "-q", "--hard", "main")
        lines = (line.split(" ") for line in marks.read_text().splitlines())
        return {int(mark[1:]): oid for mark, oid in lines}

    def git(self, *args: str, stdin: bytes = b"") -> str:
        done = subprocess.run(["git", *args], cwd=self.root, input=stdin, capture_output=True, check=False)
        assert done.returncode == 0, f"git {args}: {done.stderr.decode(errors='replace')}"
        return done.stdout.decode("utf-8", "surrogateescape")


def stamp(when: str) -> str:
    """Give a time as git writes it: seconds since 1970 and the zone."""
    moment = datetime.fromisoformat(when if "T" in when else when + "T12:00:00+00:00")
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return f"{int(moment.timestamp())} {moment.strftime('%z')}"


def _change(item: tuple[str, str | bytes | None]) -> bytes:
    path, content = item
    quoted = b'"' + b"".join(b"\\%03o" % byte for byte in path.encode("utf-8", "surrogateescape")) + b'"'
    if content is None:
        return b"D " + quoted + b"\n"
    data = content if isinstance(content, bytes) else content.encode()
    return b"M 100644 inline %s\ndata %d\n%s\n" % (quoted, len(data), data)
