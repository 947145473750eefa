"""git's merge driver in the configuration of a clone: a plain `git pull` merges memory as memtool does."""

from __future__ import annotations

import os
import shlex

from memtool.core import scaffold
from memtool.edge.files import read_regular
from memtool.edge.plumbing import git
from memtool.jobs.setup.hooks import interpreter

_NAME, _DRIVER = "merge.memtool.name", "merge.memtool.driver"
_SAID = "memtool: memory files, by keys and sections; both texts stay"

# git puts the files for %O %A %B, the marker's size for %L, and the path, quoted, for %P. 97: this Python has lost
# memtool. What memtool does not merge, for whatever reason, git does; more than 127 would end the whole merge.
_COMMAND = (
    "python=@PYTHON@; code=97; "
    """if [ -x "$python" ]; then "$python" -P -c 'exec("try: from memtool.hook import main\\n"""
    """except ImportError: raise SystemExit(97)\\nmain()")' merge-file %O %A %B %P; code=$?; fi; """
    "if [ $code -eq 97 ] && command -v memtool >/dev/null 2>&1; then "
    "memtool hook merge-file %O %A %B %P; code=$?; fi; "
    "[ $code -eq 0 ] || git merge-file -q --marker-size=%L -L ours -L base -L theirs %A %O %B || exit 1"
)


def is_installed(root: str) -> bool:
    """Tell whether the clone at *root* has the driver as this memtool would write it."""
    said = git(root, "config", "--local", "-z", "--get-regexp", r"^merge\.memtool\.(name|driver)$", ok=(0, 1))
    wanted = {os.fsencode(f"{key}\n{value}") for key, value in ((_NAME, _SAID), (_DRIVER, command()))}
    return sorted(said.split(b"\0")[:-1]) == sorted(wanted)


def install(root: str) -> bool:
    """Write the driver into the configuration of the clone at *root*; tell whether it was not there."""
    if is_installed(root):
        return False
    for key, value in ((_NAME, _SAID), (_DRIVER, command())):
        git(root, "config", "--local", "--replace-all", key, value)
    return True


def driver_state(root: str) -> str:
    """Say in one line why a plain git merge passes memtool by; nothing where all is well. At most one git process."""
    data = read_regular(os.path.join(root, ".gitattributes"))
    if not (isinstance(data, bytes) and scaffold.names_driver(data)):
        return f"git merges memory without memtool: .gitattributes does not say `*.md {scaffold.MERGE}`"
    lack = lacking(root)
    return f"git merges memory without memtool: {lack}; run memtool init here" if lack else ""


def lacking(root: str) -> str:
    """Say what the configuration of the clone at *root* lacks for the driver to run; nothing where all is well."""
    found = os.fsdecode(git(root, "config", "--get", _DRIVER, ok=(0, 1)).removesuffix(b"\n"))
    python = _recorded(found)
    if not found:
        return f"{_DRIVER} is not set in this clone"
    return f"the interpreter of {_DRIVER} is gone: {python}" if python and not os.access(python, os.X_OK) else ""


def command() -> str:
    """Give the driver's command, for git to run with sh; a ``%`` in this interpreter's path is no place to fill."""
    return _COMMAND.replace("@PYTHON@", shlex.quote(interpreter()).replace("%", "%%"))


def _recorded(found: str) -> str:
    """Give the interpreter in a driver's command; empty in one that somebody else wrote."""
    try:
        first = next(iter(shlex.split(found)), "")
    except ValueError:
        return ""
    name, _, value = first.removesuffix(";").partition("=")
    return value.replace("%%", "%") if name == "python" else ""
