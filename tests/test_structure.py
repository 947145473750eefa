"""The architecture, held by tests: which layer may import which, and what the light entry loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "memtool"
LAYERS = ["model", "core", "edge", "jobs", "front"]
ROOMS = {"errors": "model", "model": "model", "core": "core", "edge": "edge", "jobs": "jobs", "__version__": "model"}
"""Where a module lives decides its layer; what is in no room (cli, hook, __main__) is a front."""

HEAVY = {
    "typer",
    "click",
    "rich",
    "git",
    "gitdb",
    "markdown_it",
    "yaml",
    "dataclasses",
    "typing",
    "subprocess",
    "pathlib",
}
CLOCKS_AND_EDGES = {
    "os",
    "io",
    "time",
    "datetime",
    "subprocess",
    "pathlib",
    "sys",
    "git",
    "typer",
    "shutil",
    "tempfile",
}


def layer(module: str) -> str:
    return ROOMS.get(module.removeprefix("memtool").strip(".").partition(".")[0], "front")


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


SOURCES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_imports_point_one_way(path: Path) -> None:
    """cli and hook -> jobs -> edge -> core -> model and errors; no module reaches up."""
    mine = LAYERS.index(layer(module_of(path)))
    theirs = {name: LAYERS.index(layer(name)) for name in imports(path) if name.startswith("memtool.")}
    assert {name: at for name, at in theirs.items() if at > mine} == {}


@pytest.mark.parametrize(
    "path", [path for path in SOURCES if layer(module_of(path)) in {"core", "model"}], ids=module_of
)
def test_the_core_has_no_clock_no_files_and_no_git(path: Path) -> None:
    """A pure module imports nothing that reaches the world."""
    assert CLOCKS_AND_EDGES.isdisjoint(name.partition(".")[0] for name in imports(path))


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-S", "-c", code], capture_output=True, text=True, check=True,
                          env={"PYTHONPATH": str(PACKAGE.parent)})  # fmt: skip
    return set(done.stdout.split())


@pytest.mark.parametrize("module", ["memtool.hook", "memtool.jobs.check", "memtool.jobs.session", "memtool.jobs.start"])
def test_the_light_entry_loads_nothing_heavy(module: str) -> None:
    """What git and hosts call at every commit and start loads no Typer, GitPython, PyYAML or markdown-it-py."""
    assert loaded_by(f"import {module}") & HEAVY == set()


def test_an_unmoved_digest_needs_no_regular_expressions() -> None:
    """The most frequent answer, a digest that is still right, starts without `re`, `json` and `enum`."""
    assert (
        loaded_by("import memtool.hook, memtool.jobs.session, memtool.edge.location") & {"re", "json", "enum"} == set()
    )
