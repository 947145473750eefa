"""A disk that is full, broken or read-only at some write: the sync says so, keeps all, and the next one goes on."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest
from test_sync_kill import DONE, SCENARIOS, SLOW, Ended, Point, World, has_strace, some

ERRORS = ("ENOSPC", "EIO", "EROFS")
FEW = [("merge", "EIO")]
SAID = {"disk-full", "read-only", "failed", "remote-failed", "offline"}
"""The last two where the git fails that talks to the remote, and does not say more."""
KB = 1024


def held(world: World, ended: Ended, files: dict[str, bytes]) -> str:
    """Say what is wrong with how a run ended at which something failed; nothing where all holds."""
    try:
        assert "Traceback" not in ended.errors, ended.errors
        state, message = json.loads(ended.said) if ended.said else ("", "")
        assert ended.code in {0, 1, 2}, ended
        if ended.code == 2:
            assert state in SAID, ended.said
            assert message
        else:
            assert not state or state in DONE, ended.said
            assert ended.code == (state == "conflict-kept"), ended
        for path, data in files.items():
            place = world.lap.root / path
            assert not place.exists() or place.read_bytes(), path
            if ended.code == 2 and world.scenario in {"local", "first"}:
                assert place.read_bytes() == data, path
        world.check()
    except AssertionError as error:
        return str(error)
    return ""


def memory_files(world: World) -> dict[str, bytes]:
    """Give what a person wrote: not what is made from it."""
    lap = world.folder / "first" / "lap"
    paths = [path for path in lap.rglob("*.md") if {".git", ".memtool", "INDEX.md"}.isdisjoint(path.parts)]
    return {str(path.relative_to(lap)): path.read_bytes() for path in paths}


@pytest.mark.parametrize(("scenario", "error"), [*product(SCENARIOS, ERRORS)] if SLOW else FEW)
def test_what_fails_is_said_and_the_next_sync_goes_on(tmp_path: Path, scenario: str, error: str) -> None:
    """Each write of memtool's own and of its gits fails once: a named state and exit code 2, or no harm at all.

    The old bytes are there, whole; with the disk well again the next sync ends as if nothing had been.
    """
    world = World(tmp_path, scenario)
    files = memory_files(world)
    points = [*some([*world.own(error=getattr(errno, error))], 2, first=len(error))]
    if has_strace:
        points += some([*world.inside(f"error={error}", fatal=False, traced=("write", "rename", "fsync"))], 2)
    wrong, codes = [], set()
    for point in points:
        ended = world.run(point)
        codes.add(ended.code)
        if said := held(world, ended, files):
            wrong.append(f"{point}: {said}")
    assert not wrong, "\n".join((f"{len(wrong)} of {len(points)}", *wrong))
    assert 2 in codes, "nothing failed"
    if not has_strace:
        pytest.skip("all held but what needs strace, which is not here or may not trace: the writes of git")


@contextmanager
def small_disk(world: World, free: int) -> Iterator[None]:
    """Let the machine lie on a disk of its own that has *free* bytes left."""
    place = world.lap.root
    shutil.rmtree(place)
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        shutil.copytree(world.folder / "first" / "lap", place, symlinks=True, dirs_exist_ok=True)
        filler = place / ".git" / "filler"
        with filler.open("wb", buffering=0) as file:
            try:
                while file.write(b"x" * 4 * KB):
                    pass
            except OSError:
                file.truncate(file.tell() - free)
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.mark.parametrize("scenario", ["local", "forward"] if SLOW else ["local"])
def test_a_disk_that_is_really_full(tmp_path: Path, scenario: str) -> None:
    """With no room, or a little, the sync ends in a named state; with room again the next one does the rest."""
    world = World(tmp_path, scenario)
    states = set()
    for free in some(range(0, 130, 4), 2):
        world.again()
        with small_disk(world, free * KB):
            ended = world.begin(Point("own", 0, ""))
            (world.lap.root / ".git" / "filler").unlink()
            states.add(ended.said.partition(",")[0])
            said = held(world, ended, memory_files(world))
            assert not said, f"{free} KB free: {said}"
    assert '["disk-full"' in states
