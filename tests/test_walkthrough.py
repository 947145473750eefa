"""The pages of docs/ that show a session print what they say."""

from __future__ import annotations

from pathlib import Path

from walk import Session, hold

DOCS = Path(__file__).parent.parent / "docs"


def test_two_machines(tmp_path: Path) -> None:
    """docs/two-machines.md: each command prints what the page shows."""
    hold(DOCS / "two-machines.md", Session(tmp_path))
