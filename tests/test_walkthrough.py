"""The pages that show a session at the shell print what they say."""

from __future__ import annotations

from pathlib import Path

import pytest
from walk import Session, hold

ROOT = Path(__file__).parent.parent
BUNDLE = ROOT.parent / "shared" / "data" / "histories" / "skill-memory-bank.bundle"


def test_two_machines(tmp_path: Path) -> None:
    """docs/two-machines.md: each command prints what the page shows, and both machines end with the same commit."""
    hold(ROOT / "docs" / "two-machines.md", Session(tmp_path))


@pytest.mark.skipif(not BUNDLE.is_file(), reason="../shared/data is not beside this checkout")
def test_a_real_memory_adopted(tmp_path: Path) -> None:
    """docs/walkthrough.md: each command prints what the page shows."""
    session = Session(tmp_path)
    (session.home("") / BUNDLE.name).symlink_to(BUNDLE)
    hold(ROOT / "docs" / "walkthrough.md", session)
