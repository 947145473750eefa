"""git as a program: every call that runs inside a hook, at session start or under a time limit.

``subprocess`` costs as much as starting Python; ``posix_spawn`` does not (docs/performance.md). Lists come with ``-z``,
many objects from one process, and an exit code that was not expected is an error, never an empty answer.
"""

from __future__ import annotations

import os
import select
from _collections_abc import Iterator, Sequence

from memtool.errors import MemtoolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

CHUNK = 1 << 16
EMPTY_TREE = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""The tree without files, which git knows without having it, by the length of an id."""
SIGPIPE, SIGTERM = 13, 15  # by number: the signal module brings enum with it


_ENGLISH = {"LANGUAGE": "en"}
"""git's words are looked at (its remedies are passed on), so they come untranslated; the locale stays the user's."""


class GitError(MemtoolError):
    """git ended with an exit code that the question does not allow."""

    def __init__(self, args: Sequence[str], code: int, stderr: str) -> None:
        said = next((line for line in stderr.splitlines() if line.startswith(("fatal:", "error:"))), stderr.strip())
        command = next((word for at, word in enumerate(args) if word[:1] != "-" and args[at - 1 : at] != ("-c",)), "")
        super().__init__(
            f"git {command}: {said.removeprefix('fatal: ').removeprefix('error: ') or f'exit code {code}'}",
            hint=_remedy(stderr),
        )
        self.code = code
        self.stderr = stderr


def _remedy(stderr: str) -> str:
    """Repeat git's own remedy for a repository of another owner; memtool never takes it by itself."""
    command = next((line.strip() for line in stderr.splitlines() if "--add safe.directory" in line), "")
    return f"If you trust its owner: {command}" if command else ""


class Process:
    """One running git: bytes in, bytes out. Use it in a ``with``; leaving early ends the process."""

    def __init__(self, root: str, *args: str, env: dict[str, str] | None = None) -> None:
        self.args = args
        self.code: int | None = None
        child_in, self.stdin = os.pipe()
        self.stdout, child_out = os.pipe()
        self.stderr, child_err = os.pipe()
        pairs = ((child_in, 0), (child_out, 1), (child_err, 2))
        actions = [(os.POSIX_SPAWN_DUP2, fd, target) for fd, target in pairs]
        try:
            self.pid = os.posix_spawnp(
                "git",
                _command(root, args),
                dict(os.environ if env is None else env) | _ENGLISH,
                file_actions=actions,
                setsigdef=[SIGPIPE],
            )
        except FileNotFoundError:
            raise MemtoolError("git was not found", hint="Install git 2.38 or newer.") from None
        except OSError as error:
            raise MemtoolError(f"git {args[0]} could not be started: {error.strerror}") from None
        finally:
            for fd, _ in pairs:
                os.close(fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        if self.code is None:
            self.stop()
            self._reap()

    def stop(self) -> None:
        """Tell git to end, without waiting for it: enough is known."""
        if self.code is None:
            os.kill(self.pid, SIGTERM)

    def _reap(self) -> int:
        for fd in (self.stdin, self.stdout, self.stderr):
            if fd >= 0:
                os.close(fd)
        self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.code

    def close_stdin(self) -> None:
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def chunks(self, stdin: bytes = b"", *, ok: Sequence[int] = (0,)) -> Iterator[bytes]:
        """Feed *stdin* and yield what git prints, both at once: a full pipe on either side would stop both.

        Raises GitError when git ends with an exit code outside *ok*.
        """
        waiting, said = memoryview(stdin), b""
        if not waiting:
            self.close_stdin()
        open_fds = {self.stdout, self.stderr}
        while open_fds:
            readable, writable, _ = select.select(open_fds, [self.stdin] if waiting else [], [])
            if writable:
                waiting = waiting[self._write(waiting[: select.PIPE_BUF]) :]
                if not waiting:
                    self.close_stdin()
            for fd in readable:
                data = os.read(fd, CHUNK)
                if not data:
                    open_fds.discard(fd)
                elif fd == self.stdout:
                    yield data
                else:
                    said += data
        if self._reap() not in ok:
            raise GitError(self.args, self.code or 0, said.decode(errors="replace"))

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self.stdin, data)
        except BrokenPipeError:  # git ended early; its exit code and its words tell why
            return len(data)


def _command(root: str, args: Sequence[str]) -> list[str]:
    return ["git", "--no-replace-objects", *(("-C", root) if root != "." else ()), *args]


def git(
    root: str, *args: str, stdin: bytes = b"", ok: Sequence[int] = (0,), env: dict[str, str] | None = None
) -> bytes:
    """Run git in *root* to its end and give what it printed."""
    with Process(root, *args, env=env) as process:
        return b"".join(process.chunks(stdin, ok=ok))


def succeeds(root: str, *args: str, env: dict[str, str] | None = None) -> bool:
    """Ask git a yes-or-no question: exit code 0 or 1."""
    with Process(root, *args, env=env) as process:
        for _ in process.chunks(ok=(0, 1)):
            pass
        return process.code == 0


def records(root: str, *args: str, stdin: bytes = b"", ok: Sequence[int] = (0,)) -> Iterator[bytes]:
    """Yield the NUL-ended records that git prints, as they come; stop reading and git is ended."""
    with Process(root, *args) as process:
        rest = b""
        for data in process.chunks(stdin, ok=ok):
            *whole, rest = (rest + data).split(b"\0")
            yield from whole
        if rest:
            yield rest


def path_of(raw: bytes) -> str:
    """Give git's bytes as a path; what is not UTF-8 survives as surrogates."""
    return raw.decode("utf-8", "surrogateescape")


def raw_path(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


class Objects:
    """One ``cat-file --batch-command``: sizes and contents of many objects from a single process."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._process: Process | None = None
        self._rest = b""
        self._said = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._process is not None:
            self._process.__exit__()
            self._process = None

    def start(self) -> Process:
        """Start git, also before there is anything to ask, so that the first answer is not waited for."""
        if self._process is None:
            self._process = Process(self.root, "cat-file", "--batch-command", "--buffer", "-z")
        return self._process

    def info(self, names: Sequence[bytes]) -> list[tuple[bytes, bytes, int] | None]:
        """Give (id, type, bytes) of each of *names*, such as an id or ``HEAD:path``; None where there is none."""
        return [self._header() for _ in self._asked(b"info", names)]

    def contents(self, names: Sequence[bytes]) -> list[bytes | None]:
        """Give the content of each of *names*; None where there is none."""
        return [self._content() for _ in self._asked(b"contents", names)]

    def _asked(self, command: bytes, names: Sequence[bytes]) -> Iterator[bytes]:
        """Ask for *names* a few at a time, so that neither pipe can fill while nobody reads it."""
        for at in range(0, len(names), 64):
            some = names[at : at + 64]
            self._ask(b"".join(b"%s %s\0" % (command, name) for name in some) + b"flush\0")
            yield from some

    def _ask(self, request: bytes) -> None:
        process, view = self.start(), memoryview(request)
        try:
            while view:
                view = view[os.write(process.stdin, view) :]
        except BrokenPipeError:
            raise self._ended(process) from None

    def _header(self) -> tuple[bytes, bytes, int] | None:
        line = self._line()
        if line.endswith((b" missing", b" ambiguous")):
            return None
        oid, kind, size = line.split(b" ")
        return oid, kind, int(size)

    def _content(self) -> bytes | None:
        header = self._header()
        return None if header is None else self._take(header[2] + 1)[:-1]

    def _line(self) -> bytes:
        while b"\n" not in self._rest:
            self._rest += self._read()
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _take(self, size: int) -> bytes:
        parts, have = [self._rest], len(self._rest)
        while have < size:
            parts.append(self._read())
            have += len(parts[-1])
        data = b"".join(parts)
        self._rest = data[size:]
        return data[:size]

    def _read(self) -> bytes:
        """Read on, and take what git says on stderr meanwhile: it would wait for that pipe too."""
        process = self.start()
        while True:
            readable, _, _ = select.select([process.stdout, process.stderr], [], [])
            if process.stderr in readable:
                self._said = (self._said + os.read(process.stderr, CHUNK))[-CHUNK:]
            if process.stdout in readable:
                if data := os.read(process.stdout, CHUNK):
                    return data
                raise self._ended(process)

    def _ended(self, process: Process) -> GitError:
        said = (self._said + os.read(process.stderr, CHUNK)).decode(errors="replace")
        return GitError(process.args, 128, said or "it ended early")
