"""The distribution: what the wheel holds, and that it works from nothing but itself."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from memory import Memory

HERE = Path(__file__).parent.parent
GOLDEN = HERE / "tests" / "golden" / "wheel.txt"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(HERE)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = out.glob("*.whl")
    return found


def test_the_wheel_holds_exactly_these_files(wheel: Path) -> None:
    """Package, hooks and templates, nothing else; a new file is added to the list on purpose."""
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    assert sorted(names) == GOLDEN.read_text().split()


def test_an_installed_wheel_makes_a_repo_and_guards_its_commits(wheel: Path, tmp_path: Path) -> None:
    """In a new virtual environment, without a checkout: `memtool init`, one good commit, one refused."""
    venv.create(tmp_path / "venv", symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    purelib = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        str(wheel),
    ]
    subprocess.run(install, check=True, capture_output=True)
    # The dependencies come from here, memtool from the wheel: a .pth inside a folder named by a .pth is not read.
    (Path(purelib) / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    memtool = str(tmp_path / "venv" / "bin" / "memtool")
    at = Memory(tmp_path)
    assert str(tmp_path) in at.call(str(python), "-c", "import memtool; print(memtool.__file__)").stdout
    made = at.call(memtool, "init", "repo", "--agent", "desk")
    assert made.returncode == 0, made.stderr
    repo = Memory(tmp_path / "repo")
    repo.git("config", "user.name", "Ada")
    repo.git("config", "user.email", "ada@example.invalid")
    repo.write("resident/rules.md", "# Rules\n\n- one\n")
    assert repo.commit("-a")
    repo.write("resident/rules.md", "x" * 5000)
    assert not repo.commit("-a")
    assert "over-budget" in repo.said
    assert at.call(memtool, "-C", "repo", "check").returncode == 1
