"""docs/sync.md and README.md say of sync what the program does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from memtool.core.sync import STATES, State
from memtool.edge import refs
from memtool.jobs.sync.result import Result

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "sync.md"
HEAD = "| state | exit | what it says | next |\n|---|---|---|---|\n"


class Words(dict[str, str]):
    """What stands for the parts of a sentence that a sync fills in; for one that is not known, its name."""

    def __missing__(self, name: str) -> str:
        return f"*{name}*"


STANDS_FOR = Words(remote="origin/main", name="origin", tip="COMMIT")


def row(name: str, state: State) -> str:
    after = (state.next or ("*choices*" if state.code else "")).replace("|", "\\|").replace("\n", "<br>")
    return f"| `{name}` | {state.code} | {state.says} | {after} |\n".format_map(STANDS_FOR)


def test_the_table_of_states() -> None:
    """The table has each state of the program, with its exit code, sentence and next step, and no other."""
    before, head, rest = PAGE.read_text().partition(HEAD)
    table = "".join(re.findall(r"\A(?:\|.*\n)*", rest))
    should = "".join(row(name, state) for name, state in STATES.items())
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(before + head + should + rest[len(table) :])
    else:
        assert table == should


def test_the_json() -> None:
    """The page lists the keys of the JSON answer, in its order."""
    listed = re.findall(r"`memtool\.sync/1`: `\{(.*?)\}`", PAGE.read_text(), re.DOTALL)
    assert [re.split(r",\s+", keys) for keys in listed] == [list(Result("failed").asdict())]


def test_the_refs() -> None:
    """The page names each ref that sync keeps."""
    page = PAGE.read_text()
    assert f"`{refs.seen('REMOTE', 'BRANCH')}`" in page
    assert f"`{refs.fetched('REMOTE', 'BRANCH')}`" in page
    first, *others = refs.Backup._fields
    assert ", ".join((f"`refs/memtool/backup/BRANCH/{first}`", *(f"`{name}`" for name in others))) in page


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_the_units(tmp_path: Path) -> None:
    """systemd finds no fault with the units of the page."""
    program = tmp_path / ".local" / "bin" / "memtool"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    units = re.findall(r"`~/\.config/systemd/user/([\w.-]+)`:\n\n```ini\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(units) == 2
    for name, text in units:
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", *(tmp_path / name for name, _ in units)],
        env=os.environ | {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_readme_shows_what_the_walk_through_shows() -> None:
    """What README.md shows of sync and resolve stands so in docs/two-machines.md, which a test runs."""
    walked = (ROOT / "docs" / "two-machines.md").read_text()
    shown = re.findall(r"^```\n(\w+\$ .*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert shown
    assert all(block in walked for block in shown)
