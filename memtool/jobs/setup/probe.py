"""Does the hook fire? A commit in the making that it must refuse, made of borrowed parts: the repo stays as it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile

from memtool.core.config import CONFIG
from memtool.edge.plumbing import git, succeeds

_SECONDS = 60


def probe(root: str, hook: str, *, digest: str, alone: bool) -> str | None:
    """Stage *digest* in a copy of the index and let pre-commit judge it; None when it does, else what it said.

    *alone* runs a copy of the file *hook*, which finds no hook of the user's to run first: that one may edit files.
    """
    with tempfile.TemporaryDirectory(prefix="memtool-") as folder:
        env = _borrowed(root, folder)
        blob = git(root, "hash-object", "-w", "--stdin", stdin=b"a trial\n", env=env).decode().strip()
        git(root, "update-index", "--add", "--cacheinfo", f"100644,{blob},{digest}", env=env)
        command = ["git", "hook", "run", "pre-commit"]
        if alone:
            command = ["sh", shutil.copy(hook, os.path.join(folder, "pre-commit"))]
        run = subprocess.run(
            command, cwd=root, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    said = (run.stderr + run.stdout).decode("utf-8", "replace")
    refuses = succeeds(root, "rev-parse", "-q", "--verify", f"HEAD:{CONFIG}")  # the first memory commit is only warned
    if "digest-tracked" in said and run.returncode == int(refuses):
        return None
    return " ".join(said.split())[:300] or f"exit code {run.returncode}, no word"


def _borrowed(root: str, folder: str) -> dict[str, str]:
    """Give an environment in which git reads this repo, and writes its index and its objects to *folder*."""
    index, objects = (
        os.path.abspath(os.path.join(root, os.fsdecode(git(root, "rev-parse", "--git-path", name).removesuffix(b"\n"))))
        for name in ("index", "objects")
    )
    if os.path.exists(index):
        shutil.copy(index, os.path.join(folder, "index"))
    os.mkdir(os.path.join(folder, "objects"))
    return os.environ | {
        "GIT_INDEX_FILE": os.path.join(folder, "index"),
        "GIT_OBJECT_DIRECTORY": os.path.join(folder, "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": f'"{objects}"' if ":" in objects else objects,
    }
