"""The git hooks of a memory repo: put beside what is there, never over it."""

from __future__ import annotations

import os
import shlex
import sys

from memtool.edge.assets import asset
from memtool.edge.files import write_atomically
from memtool.edge.plumbing import git
from memtool.errors import MemtoolError
from memtool.jobs.setup.managers import Manager, find
from memtool.model import Record

HOOKS = ("pre-commit", "pre-merge-commit", "pre-push", "post-merge", "post-rewrite", "post-checkout")
MARK = b"\n# memtool hook\n"
BEFORE = ".before-memtool"
"""What a hook is called that was there before ours, which runs it first."""


class Installed(Record):
    """What `install` did, or would do."""

    folder: str = ""
    written: tuple[str, ...] = ()
    chained: tuple[str, ...] = ()
    """Of those, the ones that run a hook which was there before."""
    problems: tuple[str, ...] = ()
    manager: Manager | None = None
    """Another program that looks after the hooks: nothing was installed, it says which lines to add."""


class Hook(Record):
    """One hook as it stands in the repo."""

    name: str
    path: str
    present: bool = False
    ours: bool = False
    current: bool = False
    """It is what this memtool would install."""
    executable: bool = False
    """git runs it; a hook without the permission is passed over."""
    python: str = ""
    """The interpreter recorded in it."""
    python_works: bool = False
    """That interpreter is there and may be run."""
    before: str = ""
    """The hook that it runs first; empty where there is none."""


def install(root: str, *, dry_run: bool = False) -> Installed:
    """Install the hooks of the repo at *root*, or find the program that looks after them.

    A hook of somebody else's is renamed to ``NAME.before-memtool`` and run first. Raises MemtoolError where the folder
    cannot be written.
    """
    manager = find(root)
    if manager is not None:
        return Installed(manager=manager)
    written, chained, problems = [], [], []
    for hook in hooks_state(root):
        if hook.ours and hook.current and hook.executable:
            continue
        if hook.present and not hook.ours and os.path.lexists(hook.path + BEFORE):
            problems.append(f"{hook.path} and {hook.name}{BEFORE} are both there: join them, then run memtool init")
            continue
        written.append(hook.name)
        if hook.before or (hook.present and not hook.ours):
            chained.append(hook.name)
        if not dry_run:
            _put(hook)
    return Installed(_folder(root), tuple(written), tuple(chained), tuple(problems))


def would_install(folder: str) -> Installed:
    """Tell what `install` does once *folder*, which may be missing, is a repo."""
    manager = find(folder if os.path.isdir(folder) else os.sep)
    return Installed(manager=manager) if manager else Installed(written=HOOKS)


def hooks_state(root: str) -> list[Hook]:
    """Tell how each hook stands in the folder that git takes hooks from."""
    folder = _folder(root)
    return [_state(os.path.join(folder, name), name) for name in HOOKS]


def _folder(root: str) -> str:
    """Give the hooks folder, which all work trees of a repo share; git answers relative to *root*."""
    return os.path.join(root, os.fsdecode(git(root, "rev-parse", "--git-path", "hooks").removesuffix(b"\n")))


def _state(path: str, name: str) -> Hook:
    before = path + BEFORE if os.path.lexists(path + BEFORE) else ""
    if not os.path.lexists(path):
        return Hook(name, path, before=before)
    try:
        with open(path, "rb") as file:
            data = file.read(1 << 16)
    except OSError:
        data = b""  # such as a link to nowhere: present, and not ours
    if MARK not in data:
        return Hook(name, path, present=True, executable=os.access(path, os.X_OK), before=before)
    python = _recorded(data)
    return Hook(
        name, path, present=True, ours=True, current=data == shim(name), executable=os.access(path, os.X_OK),
        python=python, python_works=os.access(python, os.X_OK), before=before,
    )  # fmt: skip


def _recorded(data: bytes) -> str:
    line = next((line for line in data.split(b"\n") if line.startswith(b"python=")), b"")
    try:
        words = shlex.split(os.fsdecode(line))
    except ValueError:
        return ""
    return words[0].partition("=")[2] if len(words) == 1 else ""


def shim(name: str) -> bytes:
    """Give the hook *name* with this interpreter written into it: a graphical git client has another PATH."""
    return asset("hooks", name).replace(b"'@PYTHON@'", os.fsencode(shlex.quote(interpreter())))


def interpreter() -> str:
    """Give this interpreter by one name: `memtool` and `python -m memtool` may be started by two of the same."""
    usual = os.path.join(os.path.dirname(sys.executable), "python3")
    same = os.path.exists(usual) and os.path.samefile(usual, sys.executable)
    return usual if same else sys.executable


def _put(hook: Hook) -> None:
    """Write one hook; the foreign one is moved aside at the last moment, and back if that fails."""
    new = hook.path + ".memtool-new"
    foreign = hook.present and not hook.ours
    try:
        write_atomically(new, shim(hook.name))
        os.chmod(new, os.stat(new).st_mode | 0o111 & ~_masked())
        if foreign:
            os.rename(hook.path, hook.path + BEFORE)
        os.replace(new, hook.path)
    except OSError as error:
        if foreign and not os.path.lexists(hook.path):
            os.rename(hook.path + BEFORE, hook.path)
        raise MemtoolError(f"{hook.path}: not installed ({error.strerror})") from None
    if not os.access(hook.path, os.X_OK):
        raise MemtoolError(
            f"{hook.path}: git cannot run it from there",
            hint="The file system forbids it (noexec): git config core.hooksPath names another folder.",
        )


def _masked() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
