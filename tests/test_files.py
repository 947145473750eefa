"""Files are written whole or not at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memtool.edge.files import write_atomically
from memtool.errors import MemtoolError


def test_a_file_gets_its_new_bytes_and_keeps_its_mode(tmp_path: Path) -> None:
    """Missing folders are made; nothing else is left behind."""
    path = tmp_path / "a" / "b.md"
    write_atomically(str(path), b"one")
    path.chmod(0o640)
    write_atomically(str(path), b"two")
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(path.parent) == ["b.md"]


@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace"])
def test_whatever_call_fails_the_old_bytes_stay_and_the_path_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """A full disk, a read-only file system: an error, the old bytes, no half-written file."""
    path = tmp_path / "b.md"
    path.write_bytes(b"old")

    def fail(*_args: object, **_named: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(MemtoolError, match="No space left") as error:
        write_atomically(str(path), b"new" * 1000)
    monkeypatch.undo()
    assert str(path) in error.value.message
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["b.md"]


@pytest.mark.parametrize("call", ["open", "fchmod", "write", "fsync", "close", "replace"])
def test_killed_at_any_call_the_file_is_the_old_one_or_the_new_one(tmp_path: Path, call: str) -> None:
    """After a kill the next write works and no reader ever sees a part."""
    path = tmp_path / "b.md"
    path.write_bytes(b"old")
    code = f"""
import os, signal
from memtool.edge.files import write_atomically
real = os.{call}
def kill(*args, **named):
    os.kill(os.getpid(), signal.SIGKILL)
os.{call} = kill
write_atomically({str(path)!r}, b"new" * 100000)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    write_atomically(str(path), b"newer")
    assert path.read_bytes() == b"newer"
