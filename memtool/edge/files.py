"""Files of the work tree: read without following a link, written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat

from memtool.errors import MemtoolError

MAX_FILE = 16 << 20
"""Bytes (16 MB). A larger file is no memory to be read at one time; it is reported, not read."""


_RANDOM, _TEMPORARY = 6, ".tmp"
"""How the file is named that takes the place of another: a dot, so many bytes in hex, an ending."""


def irregular(path: str) -> str:
    """Say what *path* is that is no regular, readable file of a sane size; nothing where it is one."""
    try:
        status = os.lstat(path)
    except OSError as error:
        return f"unreadable ({error.strerror})"
    if stat.S_ISLNK(status.st_mode):
        return "a symbolic link"
    if stat.S_ISDIR(status.st_mode):
        return "a folder"
    if not stat.S_ISREG(status.st_mode):
        return "no regular file"
    if status.st_size > MAX_FILE:
        return f"too large to read ({status.st_size >> 20} MB)"
    return "" if os.access(path, os.R_OK) else "unreadable (Permission denied)"


def read_regular(path: str) -> bytes | str:
    """Read a regular file; a str says why it cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        return irregular(path) or f"unreadable ({error.strerror})"
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE:
            return irregular(path) or "no regular file"
        return _read_all(fd)
    except OSError as error:
        return f"unreadable ({error.strerror})"
    finally:
        os.close(fd)


def _read_all(fd: int) -> bytes:
    parts = []
    while data := os.read(fd, 1 << 20):
        parts.append(data)
    return b"".join(parts)


def write_atomically(path: str, data: bytes, *, durable: bool = True) -> None:
    """Put *data* at *path*: the old bytes or the new ones, never a part, whatever fails.

    A temporary file beside it, fsync, rename, fsync of the folder; the file's mode is kept. *durable* False leaves the
    two fsyncs out, for what can be rebuilt to the same bytes. Raises MemtoolError with the path.
    """
    folder, temporary = _beside(path)
    try:
        os.makedirs(folder, exist_ok=True)
        mode = _mode(path)
        _write_new(temporary, data, mode=mode, durable=durable)
        os.replace(temporary, path)
        if durable:
            _sync_folder(folder)
    except OSError as error:
        _remove(temporary)
        raise MemtoolError(f"{path}: not written ({error.strerror}); the file is as it was") from error
    except BaseException:
        _remove(temporary)
        raise


def link_atomically(path: str, target: bytes) -> None:
    """Let *path* be a symbolic link to *target*, in one step. Raises MemtoolError with the path."""
    folder, temporary = _beside(path)
    try:
        os.makedirs(folder, exist_ok=True)
        os.symlink(target, os.fsencode(temporary))
        os.replace(temporary, path)
    except OSError as error:
        _remove(temporary)
        raise MemtoolError(f"{path}: not linked ({error.strerror}); it is as it was") from error


def move(new: str, path: str) -> None:
    """Let the file *new* take the place of *path*, with the mode of what stood there. Raises MemtoolError."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.chmod(new, _mode(path))
        os.replace(new, path)
    except OSError as error:
        _remove(new)
        raise MemtoolError(f"{path}: not written ({error.strerror}); the file is as it was") from error


def _beside(path: str) -> tuple[str, str]:
    """Give the folder of *path*, and a new name in it."""
    folder = os.path.dirname(path) or "."
    return folder, os.path.join(folder, f".{os.urandom(_RANDOM).hex()}{_TEMPORARY}")


def remove(path: str, *, upto: str) -> None:
    """Take away the file *path*, and the folders below *upto* that only it kept; raises MemtoolError."""
    try:
        os.unlink(path)
    except OSError as error:
        raise MemtoolError(f"{path}: not removed ({error.strerror})") from error
    folder = os.path.dirname(path)
    try:
        while os.path.realpath(folder) != os.path.realpath(upto):
            os.rmdir(folder)  # fails at the first that holds something
            folder = os.path.dirname(folder)
    except OSError:
        pass


def sweep(folder: str) -> None:
    """Take away the temporary files that writers left in *folder* when they were killed."""
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        stem = name[1 : -len(_TEMPORARY)]
        if name == f".{stem}{_TEMPORARY}" and len(stem) == 2 * _RANDOM and not stem.strip("0123456789abcdef"):
            _remove(os.path.join(folder, name))


def _mode(path: str) -> int:
    """Give the mode of the file that is replaced; that of a new one where none is there, or a link."""
    if os.path.lexists(path) and not os.path.islink(path):
        return stat.S_IMODE(os.lstat(path).st_mode)
    return 0o666 & ~_umask()


def _write_new(path: str, data: bytes, *, mode: int, durable: bool) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        os.fchmod(fd, mode)
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        if durable:
            os.fsync(fd)
    finally:
        os.close(fd)


def _sync_folder(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that cannot sync a folder
            raise
    finally:
        os.close(fd)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return  # it was never made, or the folder cannot be written: nothing stands at the real path either way
