"""The user's editor: what git would start for a commit message."""

from __future__ import annotations

import os
import subprocess
import tempfile

from memtool.edge.plumbing import git
from memtool.errors import MemtoolError


def edit(root: str) -> str:
    """Let the user write a text; raises MemtoolError where the editor fails."""
    editor = os.fsdecode(git(root, "var", "GIT_EDITOR").strip())
    with tempfile.TemporaryDirectory(prefix="memtool-") as folder:
        path = os.path.join(folder, "entry.md")
        with open(path, "xb"):
            pass
        if subprocess.call(["sh", "-c", f'{editor} "$@"', editor, path]):
            raise MemtoolError(f"the editor {editor!r} failed; nothing was stored")
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "surrogateescape")
