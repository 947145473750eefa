"""What holds for every test: the machine's own git settings, agent, language and time zone are out of reach."""

from __future__ import annotations

import compileall
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# 40 examples a property in the ordinary suite (500 where a split or the scanner is held), 20,000 where somebody has
# the time; no deadline, for machines differ.
settings.register_profile(
    "memtool",
    max_examples=20_000 if os.environ.get("MEMTOOL_SLOW") else 40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("memtool")

SEALED = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
}


def pytest_configure(config: pytest.Config) -> None:
    """Compile the package once, also where PYTHONDONTWRITEBYTECODE is set: hundreds of tests start it as a process."""
    if not hasattr(config, "workerinput"):
        compileall.compile_dir(Path(__file__).parent.parent / "memtool", quiet=2)


def pytest_xdist_auto_num_workers() -> int:
    """Run one worker more than there are cores: some tests wait, for locks and for servers that are silent."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True)
def sealed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run each test with git as it comes, whatever the user's ``~/.gitconfig`` and environment say."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "MEMTOOL_"))]:
        monkeypatch.delenv(name)
    for name, value in SEALED.items():
        monkeypatch.setenv(name, value)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
