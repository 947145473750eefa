"""A real memory repo in a temporary folder, with memtool's hooks in place, for tests to use and to break."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

HOOKS = Path(__file__).parent.parent / "hooks"
CONFIG = "format: 1\n"
GOOD = '---\ndescription: "read before git work: pipes swallow exit codes"\nsource_date: 2026-01-01\n---\n\n# Git\n'


class Memory:
    """One repo and its work tree; *git* runs as a user would, sealed by the environment that conftest sets."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def make(cls, root: Path, *, hooks: bool = True) -> Memory:
        root.mkdir(parents=True, exist_ok=True)
        made = cls(root)
        made.git("init", "-q", "-b", "main")
        made.git("config", "user.name", "Ada")
        made.git("config", "user.email", "ada@example.invalid")
        if hooks:
            made.install_hooks()
        return made

    @classmethod
    def started(cls, root: Path) -> Memory:
        """Give a repo with a configuration, rules, a topic and their index, committed."""
        made = cls.make(root)
        made.write("memtool.yaml", CONFIG)
        made.write(".gitignore", "/.memtool/\n")
        made.write("resident/rules.md", "# Rules\n\n- one\n")
        made.write("resident/summary.md", "# Summary\n")
        made.write("topics/git.md", GOOD)
        made.run("index", ok=(0,))
        made.git("add", "-A")
        made.git("commit", "-qm", "start")
        return made

    def install_hooks(self, *, python: str = sys.executable) -> None:
        folder = Path(self.git("rev-parse", "--path-format=absolute", "--git-path", "hooks").strip())
        folder.mkdir(exist_ok=True)
        for source in HOOKS.glob("p*"):
            (folder / source.name).write_text(source.read_text().replace("'@PYTHON@'", shlex.quote(python)))
            (folder / source.name).chmod(0o755)

    def write(self, path: str, text: str | bytes) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
        return place

    def git(self, *args: str, ok: tuple[int, ...] = (0,), env: dict[str, str] | None = None) -> str:
        done = self.call("git", *args, env=env)
        assert done.returncode in ok, f"git {args}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def run(
        self, *args: str, ok: tuple[int, ...] = (0, 1, 2), env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run memtool as its command line does."""
        done = self.call(sys.executable, "-m", "memtool", *args, env=env)
        assert done.returncode in ok, f"memtool {args}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def call(
        self, *command: str, env: dict[str, str] | None = None, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.root,
            env=os.environ | (env or {}),
            input=stdin,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
        )

    def commit(self, *args: str, ok: tuple[int, ...] = (0, 1), env: dict[str, str] | None = None) -> bool:
        """Try a commit; tell whether the hook let it pass."""
        done = self.call("git", "commit", "-qm", "try", *args, env=env)
        self.said = done.stderr + done.stdout
        assert done.returncode in ok, self.said
        assert "Traceback" not in self.said, self.said
        return done.returncode == 0

    def state(self) -> tuple[str, str, str, bytes, dict[str, bytes]]:
        """Take all that a hook must leave as it is: index entries, stash, refs, the index's bytes, the files."""
        files = {
            str(p.relative_to(self.root)): p.read_bytes()
            for p in sorted(self.root.rglob("*"))
            if p.is_file() and ".git" not in p.parts
        }
        index = (self.root / ".git" / "index") if (self.root / ".git").is_dir() else None
        return (
            self.git("ls-files", "-s"),
            self.git("stash", "list"),
            self.git("for-each-ref"),
            index.read_bytes() if index and index.exists() else b"",
            files,
        )
