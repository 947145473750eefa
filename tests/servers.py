"""Real servers on this machine for tests of the network, and the faults that real networks have.

Each is a context manager that ends what it started. Where a program is not installed, the test is skipped and says so.
"""

from __future__ import annotations

import getpass
import os
import select
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import pytest
from conftest import SEALED
from memory import Memory

USER, PASSWORD = "ada", "s3cret"
HOST = "127.0.0.1"
ENVIRONMENT = SEALED | {"PATH": os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin"}


# --- repositories ----------------------------------------------------------------------------------------------------


def bare(path: Path, **config: str) -> Path:
    """Make an empty bare repository that may also be pushed to over http; ``receive_maxInputSize="1"`` configures."""
    path.mkdir(parents=True)
    there = Memory(path)
    there.git("init", "-q", "--bare", "-b", "main")
    for name, value in {"http.receivepack": "true", **config}.items():
        there.git("config", name.replace("_", "."), value)
    return path


def hook(repo: Path, name: str, script: str) -> None:
    """Give a bare repository a hook of its own."""
    place = repo / "hooks" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)


@contextmanager
def small_disk(folder: Path, *, kilobytes: int) -> Iterator[Path]:
    """Give *folder* as a disk of its own, of that size; only root may."""
    folder.mkdir()
    _mount("-t", "tmpfs", "-o", f"size={kilobytes}k,mode=0755", "memtool-test", str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Let nobody write in *folder*: by its modes; for root, whom they do not stop, by a mount."""
    if os.geteuid() == 0:
        _mount("--bind", str(folder), str(folder))
        try:
            _mount("-o", "remount,bind,ro", str(folder))
            yield
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=True)
        return
    places = [folder, *folder.rglob("*")]
    for place in places:
        place.chmod(place.stat().st_mode & ~0o222)
    try:
        yield
    finally:
        for place in places:
            place.chmod(place.stat().st_mode | 0o200)


def _mount(*args: str) -> None:
    done = subprocess.run(["mount", *args], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no mounts here: {done.stderr.strip()}")


# --- programs --------------------------------------------------------------------------------------------------------


@contextmanager
def _daemon(port: int, *command: str) -> Iterator[None]:
    """Run a server until the test is over; give it when it answers at *port*."""
    with subprocess.Popen(
        command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        try:
            _wait(process, port)
            yield
        finally:
            process.terminate()


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    for _ in range(500):
        if process.poll() is not None:
            said = process.stdout.read().decode(errors="replace") if process.stdout else ""
            pytest.fail(f"{process.args!r} did not start: {said}")
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return
        time.sleep(0.01)
    pytest.fail(f"{process.args!r} does not answer")


def _program(name: str) -> str:
    found = shutil.which(name, path=ENVIRONMENT["PATH"])
    return found or pytest.skip(f"{name} is not installed; .ci/run installs it where it may")


def free_port() -> int:
    """Give a port that nothing listens at."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


class Web:
    """A web server over the bare repositories in *folder*: all of them open, and all of them behind a password."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port

    def open(self, repo: str, *, port: int = 0) -> str:
        """Give the address of *repo*, a name in *folder*; *port* is that of a proxy in between."""
        return f"http://{HOST}:{port or self.port}/open/{repo}"

    def closed(self, repo: str, *, login: str = "") -> str:
        """Give its address where basic auth is asked for; *login* is ``ada:s3cret`` or something worse."""
        return f"http://{login and login + '@'}{HOST}:{self.port}/closed/{repo}"


@contextmanager
def web(folder: Path) -> Iterator[Web]:
    """Serve the bare repositories that are, or will be, in *folder* by `git http-backend` behind lighttpd."""
    server = Web(folder, free_port())
    backend = Path(subprocess.check_output(["git", "--exec-path"], text=True).strip()) / "git-http-backend"
    program = _program("lighttpd")
    settings = folder / "lighttpd.conf"
    (folder / "passwords").write_text(f"{USER}:{PASSWORD}\n")
    settings.write_text(f"""
server.document-root = "{folder}"
server.bind = "{HOST}"
server.port = {server.port}
server.modules = ("mod_auth", "mod_authn_file", "mod_alias", "mod_setenv", "mod_cgi")
auth.backend = "plain"
auth.backend.plain.userfile = "{folder}/passwords"
alias.url = ("/open" => "{backend}", "/closed" => "{backend}")
cgi.assign = ("" => "")
setenv.set-environment = (
  "GIT_PROJECT_ROOT" => "{folder}", "GIT_HTTP_EXPORT_ALL" => "1",
  "GIT_CONFIG_GLOBAL" => "{os.devnull}", "GIT_CONFIG_SYSTEM" => "{os.devnull}"
)
$HTTP["url"] =~ "^/closed/" {{
  auth.require = ("" => ("method" => "basic", "realm" => "memory", "require" => "valid-user"))
}}
""")
    with _daemon(server.port, program, "-D", "-f", str(settings)):
        yield server


class Shell:
    """An ssh server for the current user, and a client's configuration in *folder* that touches no ``~/.ssh``.

    The names of the server differ in what the client knows: ``good``, ``wrong-key``, ``unknown-host``,
    ``changed-host``.
    """

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port
        self.command = f"ssh -F '{folder}/client'"
        """For GIT_SSH_COMMAND or core.sshCommand."""

    def url(self, repo: Path, *, host: str = "good") -> str:
        return f"ssh://{host}{repo}"


@contextmanager
def ssh(folder: Path) -> Iterator[Shell]:
    """Run sshd on the loopback; its keys and both configurations stand in *folder*."""
    server = Shell(folder, free_port())
    program = _program("sshd")
    if os.geteuid() == 0 and not os.path.isdir("/run/sshd"):
        pytest.skip("sshd of root needs the folder /run/sshd; .ci/run makes it")
    for name in ("host", "other-host", "key", "wrong-key"):
        subprocess.run([_program("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    public = {name: " ".join((folder / f"{name}.pub").read_text().split()[:2]) for name in ("host", "other-host")}
    shutil.copy(folder / "key.pub", folder / "authorized")
    (folder / "known").write_text(f"memtool-test {public['host']}\n")
    (folder / "changed").write_text(f"memtool-test {public['other-host']}\n")
    (folder / "none").touch()
    (folder / "server").write_text(f"""
ListenAddress {HOST}:{server.port}
HostKey {folder}/host
AuthorizedKeysFile {folder}/authorized
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
PermitUserRC no
SetEnv GIT_CONFIG_GLOBAL={os.devnull} GIT_CONFIG_SYSTEM={os.devnull}
""")
    names = {"good": ("key", "known"), "wrong-key": ("wrong-key", "known"), "unknown-host": ("key", "none"),
             "changed-host": ("key", "changed")}  # fmt: skip
    (folder / "client").write_text("".join(f"Host {host}\n{_client(server, *files)}" for host, files in names.items()))
    with _daemon(server.port, program, "-D", "-e", "-f", str(folder / "server")):
        _log_in(server)
        yield server


def _log_in(server: Shell) -> None:
    """Skip where the account is one that cannot: it is locked, or its shell is none."""
    command = f"{server.command} -oBatchMode=yes good git --version"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602 (its own words)
    if done.returncode:
        pytest.skip(f"{getpass.getuser()} cannot log in by ssh: {done.stderr.strip()}")


def _client(server: Shell, key: str, known: str) -> str:
    return f"""  HostName {HOST}
  Port {server.port}
  User {getpass.getuser()}
  HostKeyAlias memtool-test
  IdentityFile {server.folder}/{key}
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile {server.folder}/{known}
  GlobalKnownHostsFile {os.devnull}
  StrictHostKeyChecking yes
  UpdateHostKeys no
"""


# --- faults ----------------------------------------------------------------------------------------------------------


@contextmanager
def listening(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """Let *serve* have each connection, in a thread of its own, until the test is over; give the port."""
    with socket.create_server((HOST, 0)) as listener:
        threading.Thread(target=_accept, args=(listener, serve), daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, serve: Callable[[socket.socket], None]) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_serve, args=(connection, serve), daemon=True).start()


def _serve(connection: socket.socket, serve: Callable[[socket.socket], None]) -> None:
    with connection:
        try:
            serve(connection)
        except OSError:  # the other side went away, as it should
            return


def answering(answer: bytes, *, then_hang: bool = False) -> AbstractContextManager[int]:
    """Say *answer* to whatever is asked, then close, or keep the line open without another word."""

    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(answer)
        while then_hang and connection.recv(65536):
            pass

    return listening(serve)


def status(code: int, *headers: str) -> AbstractContextManager[int]:
    """Answer every request over http with *code*, such as 403."""
    lines = (f"HTTP/1.1 {code} Said by the test", "Content-Length: 0", "Connection: close", *headers, "", "")
    return answering("\r\n".join(lines).encode())


def cut(port: int, *, after: int, then_hang: bool = False) -> AbstractContextManager[int]:
    """Pass everything on to *port* and back, until *after* bytes of a connection; then close, or fall silent."""

    def serve(near: socket.socket) -> None:
        with socket.create_connection((HOST, port)) as far:
            left, other = after, {near: far, far: near}
            while left > 0:
                source = select.select([near, far], [], [])[0][0]
                data = source.recv(min(65536, left))
                if not data:
                    return
                other[source].sendall(data)
                left -= len(data)
            while then_hang and near.recv(65536):
                pass

    return listening(serve)


# --- what is left behind ---------------------------------------------------------------------------------------------


def alive(session: int) -> list[str]:
    """List the processes of *session* that do not end; none where the system has no /proc."""
    for _ in range(200):
        found = list(_members(session))
        if not found:
            break
        time.sleep(0.01)
    return found


def _members(session: int) -> Iterator[str]:
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile
            fields = (place / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] not in "ZX":
                yield (place / "cmdline").read_text().replace("\0", " ")
