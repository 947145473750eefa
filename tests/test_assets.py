"""What memtool ships is found wherever it is installed, and the templates keep what they preach."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from folders import run
from memory import Memory

from memtool.core.config import Config, read
from memtool.core.scaffold import settings
from memtool.edge.assets import asset
from memtool.errors import MemtoolError

HERE = Path(__file__).parent.parent
SHIPPED = [
    path.relative_to(HERE).parts
    for name in ("hooks", "templates")
    for path in (HERE / name).rglob("*")
    if path.is_file()
]


@pytest.mark.parametrize("parts", SHIPPED, ids="/".join)
def test_every_shipped_file_is_found_in_a_checkout(parts: tuple[str, ...]) -> None:
    """In a checkout the folders lie beside the package."""
    assert asset(*parts) == HERE.joinpath(*parts).read_bytes()


def test_a_wheel_carries_the_folders_inside_the_package(tmp_path: Path) -> None:
    """Installed, the same look-up finds them inside, without any checkout."""
    shutil.copytree(HERE / "memtool", tmp_path / "memtool", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("hooks", "templates"):
        shutil.copytree(HERE / name, tmp_path / "memtool" / name)
    code = "import sys; from memtool.edge.assets import asset; sys.stdout.buffer.write(asset('hooks', 'pre-commit'))"
    env = os.environ | {"PYTHONPATH": str(tmp_path)}
    said = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, check=True)
    assert said.stdout == (HERE / "hooks" / "pre-commit").read_bytes()


def test_a_missing_file_says_how_to_get_it_back() -> None:
    """A broken installation is named as such."""
    with pytest.raises(MemtoolError) as caught:
        asset("templates", "nothing.md")
    assert "templates/nothing.md is missing" in caught.value.message
    assert "install" in caught.value.hint.lower()


def test_the_configuration_template_says_the_defaults() -> None:
    """Every setting stands in it with its default, and it is what `settings` writes for them."""
    data = asset("templates", "memtool.yaml")
    assert read(data) == (Config(), [])
    assert settings(data, Config()) == data


def test_the_configuration_template_is_read_without_pyyaml() -> None:
    """A hook pays no import of PyYAML for a new repo's configuration."""
    code = (
        "import sys; from memtool.edge.assets import asset; from memtool.core.config import read;"
        "read(asset('templates', 'memtool.yaml')); sys.exit('yaml' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=HERE, check=False).returncode == 0


def test_a_new_repo_passes_its_own_check(tmp_path: Path) -> None:
    """The templates have no error and no warning, and leave the user nearly all of the budget."""
    run(tmp_path / "memory")
    memory = Memory(tmp_path / "memory")
    said = memory.run("check", ok=(0,)).stdout
    assert "0 errors, 0 warnings" in said
    resident = sum(path.stat().st_size for path in (memory.root / "resident").rglob("*.md"))
    assert resident < 3 * 1024


def test_no_placeholder_is_left(tmp_path: Path) -> None:
    """All `{{…}}` are filled in."""
    run(tmp_path / "memory")
    texts = [path.read_text() for path in (tmp_path / "memory").rglob("*.md")]
    assert texts
    assert not any("{{" in text for text in texts)
