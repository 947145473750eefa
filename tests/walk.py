"""Pages that show a session at the shell: each command is run again, and has to print what the page says.

A block whose first line starts with ``$ `` or ``NAME$ `` holds commands, each with what it prints. Ids and dates may
differ from the page's, but each stands for the same one wherever the page has it, in commands too. A line ``…`` stands
for any lines.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memtool.hook import today

_BLOCK = re.compile(r"^(`{3,})\n(?=\w*\$ )(.*?)^\1\n", re.MULTILINE | re.DOTALL)
_STEP = re.compile(r"^(\w*)\$ (.*(?:\\\n.*)*)\n((?:(?!\w*\$ ).*\n)*)", re.MULTILINE)
_CUT = "…\n"
_TOKEN = re.compile(r"\d{4}-\d\d-\d\d|\d{4}-\d\d(?=\.md)|\b(?=[0-9a-f]*\d)[0-9a-f]{6,40}\b")
"""A day, the month of a journal, an id."""


class Session:
    """The shells of a page, one a machine, each with a home; they see one ``/srv``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, str] = {}
        """What stands here for each id and date of the page."""
        self.cwd: dict[str, Path] = {}
        (folder / "srv").mkdir()
        (folder / "bin").mkdir()
        shim = folder / "bin" / "memtool"
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memtool "$@"\n')
        shim.chmod(0o755)

    def home(self, machine: str) -> Path:
        """Give the home folder of *machine*, with a git that knows its user."""
        home = self.folder / (machine or "home")
        if not home.exists():
            home.mkdir()
            (home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.invalid\n")
            self.cwd[machine] = home
        return home

    def run(self, machine: str, command: str) -> str:
        """Run a command as the page has it; give what it prints, as the page would have it."""
        home, here = self.home(machine), self.folder / "cwd"
        for theirs, ours in (*self.known.items(), ("/srv/", f"{self.folder}/srv/")):
            command = command.replace(theirs, ours)
        done = subprocess.run(
            ["bash", "-c", f'trap "pwd > {here}" EXIT\n{command}'],
            cwd=self.cwd[machine],
            env=os.environ | self._settings(home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.cwd[machine] = Path(here.read_text().strip())
        assert "Traceback" not in done.stdout, done.stdout
        return done.stdout.replace(str(home), "~").replace(f"{self.folder}/srv", "/srv")

    def _settings(self, home: Path) -> dict[str, str]:
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return {"HOME": str(home), "PATH": path, "GIT_CONFIG_GLOBAL": str(home / ".gitconfig")}

    def agree(self, page: str, printed: str) -> bool:
        """Tell whether *printed* is what the page says, and learn what stands for its ids and dates."""
        names: dict[str, str] = {}
        parts = (self._pattern(part, names) for part in re.split(f"^{_CUT}", page, flags=re.MULTILINE))
        found = re.fullmatch("(?:.*\n)*?".join(parts), printed)
        if found:
            self.known |= {token: found[name] for token, name in names.items()}
        return found is not None

    def _pattern(self, text: str, names: dict[str, str]) -> str:
        """Give the expression for a piece of the page; *names* gets a group for each token that is not known yet."""
        at, pattern = 0, ""
        for found in _TOKEN.finditer(text):
            token = found[0]
            shape = r"[-\d]" if "-" in token else "[0-9a-f]"
            if token in self.known:
                piece = re.escape(self.known[token])
            elif token in names:
                piece = f"(?P={names[token]})"
            else:
                names[token] = f"t{len(names)}"
                piece = f"(?P<{names[token]}>{shape}{{{len(token)}}})"
            pattern += re.escape(text[at : found.start()]) + piece
            at = found.end()
        return pattern + re.escape(text[at:])


def hold(page: Path, session: Session) -> None:
    """Run the page from its top; fail at the first command that prints something else.

    With UPDATE_GOLDEN set, the page gets what is printed, and a person cuts it again.
    """

    def block(found: re.Match[str]) -> str:
        return f"{found[1]}\n{_STEP.sub(step, found[2])}{found[1]}\n"

    def step(found: re.Match[str]) -> str:
        machine, command, said = found.groups()
        printed = session.run(machine, command)
        if session.agree(said, printed):
            return found[0]
        head = f"{machine}$ {command}\n"
        if today() != day:
            pytest.skip("midnight (UTC) passed on the way")
        assert os.environ.get("UPDATE_GOLDEN"), f"{page.name} has\n{head}{said}--- and now it is\n{printed}"
        session.agree(printed, printed)
        return head + printed

    text, day = page.read_text(), today()
    held = _BLOCK.sub(block, text)
    if held != text:
        page.write_text(held)
