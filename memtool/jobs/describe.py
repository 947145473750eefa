"""`describe`: which files of the work tree no agent is routed to, and descriptions written into them."""

from __future__ import annotations

import os
import select
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memtool.core import describe as core
from memtool.core.config import CONFIG, Config
from memtool.core.describe import Change, Described
from memtool.core.document import read
from memtool.core.page import is_generated
from memtool.core.terminal import printable
from memtool.edge.files import read_regular, write_atomically
from memtool.edge.location import load_config
from memtool.edge.lock import locked
from memtool.edge.trees import Folder, WorkTree
from memtool.errors import MemtoolError
from memtool.jobs.index import IndexResult, write_index
from memtool.model import Record

_SHOWN = 20
"""How many files the text names; JSON has all."""
_MOST_OUTPUT = 1 << 16
"""Bytes that are read of what a command prints; no description is nearly as long."""
_NOT_FOUND = 127
"""How a shell ends that did not find the program."""


class Survey(Record):
    """The files that lack a description which routes to them; or those that were asked for, whatever they have."""

    files: tuple[Described, ...]
    """The largest first."""
    looked_at: int
    described: int
    """How many of those looked at have a description that routes."""

    def asdict(self) -> dict[str, Any]:
        """Give the survey in the shape of ``memtool.describe/1``."""
        files = [file.asdict() for file in self.files]
        return {"schema": "memtool.describe/1", "files": files, "described": self.described}

    def lines(self) -> Iterator[str]:
        """Yield the survey as a person reads it; the last line is the next step."""
        if not self.files:
            files = f"{self.looked_at:,} file{'' if self.looked_at == 1 else 's'} on demand"
            yield f"Nothing to describe: {files} looked at, none without a description that says when to open it."
            return
        shown = self.files[:_SHOWN]
        width = max(len("bytes"), *(len(f"{file.bytes:,}") for file in shown))
        yield f"{'bytes':>{width}}  {'state':10}  path"
        for file in shown:
            yield f"{file.bytes:>{width},}  {file.state:10}  {printable(file.path)}"
            if said := _said(file):
                yield f"{'':{width}}  {'':10}  {printable(said)}"
        if len(self.files) > _SHOWN:
            yield f"{len(self.files) - _SHOWN:,} more (--format json has all)"
        todo = [file for file in self.files if file.state != "good"]
        if todo:
            easiest = min(todo, key=lambda file: file.state == "unreadable")
            yield f'\nNext: memtool describe {printable(shlex.quote(easiest.path))} "read before …"'


def _said(file: Described) -> str:
    if not file.description:
        return file.reason
    return f"“{file.description}”" + (f" {file.reason}" if file.reason else "")


def survey(root: str, paths: Sequence[str] = ()) -> Survey:
    """Look at the files on demand in the work tree, journals left out, for they share one row; or only at *paths*.

    Raises MemtoolError for one of *paths* that can have no description.
    """
    tree = WorkTree(root)
    config = load_config(tree)[0]
    for path in paths:
        _refuse_other(path, tree, config)
    names = paths or [path for path in tree if config.is_on_demand(path) and not config.journal_of(path)]
    contents = ((path, read_regular(os.path.join(root, path))) for path in dict.fromkeys(names))
    found = [core.present(path, data) for path, data in contents if not _generated(data)]
    listed = [file for file in found if paths or file.state != "good"]
    listed.sort(key=lambda file: (-file.bytes, file.path))
    return Survey(tuple(listed), len(found), sum(file.state == "good" for file in found))


def _generated(data: bytes | str) -> bool:
    return isinstance(data, bytes) and is_generated(data)


def _refuse_other(path: str, tree: WorkTree, config: Config) -> None:
    """Raise MemtoolError unless *path* is a regular memory file on demand."""
    if config.is_resident(path):
        raise MemtoolError(f"{path} is read at every start; only files on demand need a description")
    if not config.is_on_demand(path):
        where = f"Which files are on demand is said in {CONFIG}: on_demand, exclude."
        raise MemtoolError(f"{path}: not a memory file on demand", hint=where)
    if path not in tree:
        raise MemtoolError(f"{path}: git ignores it, so it is in no index")
    if odd := Folder(tree.root).odd(path):
        raise MemtoolError(f"{path}: {odd}")
    if _generated(read_regular(os.path.join(tree.root, path))):
        raise MemtoolError(f"{path}: a page that `memtool index` generates")


# --- setting ---------------------------------------------------------------------------------------------------------


def targets(root: str, paths: Sequence[str] = ()) -> list[Described]:
    """List the files to write descriptions into: *paths*, or all for which no person has written one.

    A weak one is a person's: it is left alone unless it is asked for. Raises MemtoolError as `survey`.
    """
    load_config(Folder(root))[0].writable()
    return [file for file in survey(root, paths).files if paths or file.state in {"missing", "draft", "unreadable"}]


def prepare(root: str, path: str, text: str) -> Change:
    """Set the description of *path* to *text*, which `checked` has passed; nothing is written yet."""
    return core.change(path, _bytes(root, path), text)


def propose(root: str, path: str, command: str, *, timeout: float, draft: bool) -> Change:
    """Let *command* write the description of *path* from its text, within *timeout* seconds; nothing is written yet.

    Raises MemtoolError, which names the file, for a command that fails and for what can be no description.
    """
    data = _bytes(root, path)
    core.change(path, data, "read before it is asked", draft=draft)  # where nothing can be set, none is asked for
    try:
        text = core.checked(_line(_output(command, data[read(data).body :], timeout=timeout)))
    except MemtoolError as error:
        raise MemtoolError(f"{path}: {error.message}", hint=error.hint) from None
    return core.change(path, data, text, draft=draft)


def _bytes(root: str, path: str) -> bytes:
    data = read_regular(os.path.join(root, path))
    if isinstance(data, str):
        raise MemtoolError(f"{path}: {data}")
    return data


class Applied(Record):
    """What was written, and what could not be."""

    written: tuple[str, ...]
    failed: tuple[MemtoolError, ...]
    index: IndexResult | None
    """None where it was not refreshed."""

    def lines(self) -> Iterator[str]:
        """Yield what was written as a person reads it; the last line is the next step."""
        yield from (f"written: {printable(path)}" for path in self.written)
        yield from self.index.lines() if self.index else ()
        yield "Not committed. Next: git diff, then git add and git commit." if self.written else "Nothing was written."


def apply(root: str, changes: Iterable[Change]) -> Applied:
    """Write each of *changes* whose file is still as it was read, then refresh the index; commit nothing."""
    written, failed, index = [], [], None
    for change in changes:
        try:
            _write(root, change)
            written.append(change.path)
        except MemtoolError as error:
            failed.append(error)
    try:
        index = write_index(root) if written else None
    except MemtoolError as error:
        failed.append(MemtoolError(f"the index is not refreshed: {error.message}", hint=error.hint))
    return Applied(tuple(written), tuple(failed), index)


def _write(root: str, change: Change) -> None:
    place = os.path.join(root, change.path)
    with locked(root):
        if read_regular(place) != change.before:
            raise MemtoolError(f"{change.path}: changed meanwhile; it is left as it is", hint="Run the command again.")
        write_atomically(place, change.after)


# --- a command that describes ----------------------------------------------------------------------------------------


def _line(output: bytes) -> str:
    """Give the one line that a command printed, without quotes around it."""
    try:
        lines = [line.strip() for line in output.decode().splitlines() if line.strip()]
    except UnicodeDecodeError as error:
        raise MemtoolError(f"the command printed the byte {output[error.start]:#04x}, which is not UTF-8") from None
    if len(lines) != 1:
        raise MemtoolError(f"the command printed {len(lines) or 'no'} lines; one is expected, the description")
    line = lines[0]
    return line[1:-1] if line[0] + line[-1] in {'""', "''", "“”"} and len(line) > 1 else line


def _output(command: str, text: bytes, *, timeout: float) -> bytes:
    """Run *command* through the shell, *text* on its stdin, and give what it prints.

    It is a session of its own: in time or not, nothing of it outlives an error or an interrupt. Of git's variables it
    sees none, for they would turn a git of its own to the wrong repository.
    """
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    end = time.monotonic() + timeout
    with tempfile.TemporaryFile() as stdin:  # not a pipe, which a command that reads nothing would leave full
        stdin.write(text)
        stdin.seek(0)
        with subprocess.Popen(
            ["sh", "-c", command], stdin=stdin, stdout=subprocess.PIPE, env=env, start_new_session=True
        ) as process:
            try:
                said = _read(process, end)
                code = process.wait(max(0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                raise MemtoolError(f"the command did not end within {timeout:g} seconds") from None
            finally:
                if process.returncode is None:
                    os.killpg(process.pid, signal.SIGKILL)
    if code:
        why = "was not found" if code == _NOT_FOUND else "failed"
        raise MemtoolError(f"the command {why} ({_ending(code)})")
    return said


def _read(process: subprocess.Popen[bytes], end: float) -> bytes:
    """Read all that *process* prints until the time *end*; raises TimeoutExpired."""
    said = b""
    while process.stdout:
        left = max(0, end - time.monotonic())
        if not select.select([process.stdout], [], [], left)[0]:
            raise subprocess.TimeoutExpired(process.args, left)
        data = os.read(process.stdout.fileno(), _MOST_OUTPUT)
        said += data
        if not data:
            break
        if len(said) > _MOST_OUTPUT:
            raise MemtoolError(f"the command printed more than {_MOST_OUTPUT:,} bytes; one line is expected")
    return said


def _ending(code: int) -> str:
    return f"exit code {code}" if code > 0 else f"signal {-code}"
