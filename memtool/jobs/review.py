"""`review`: what waits for a person in the work tree."""

from __future__ import annotations

from memtool.core import review as core
from memtool.core.review import Review
from memtool.jobs.check import check_work_tree


def review(root: str, *, today: str) -> Review:
    """Check the work tree, and group what needs a person; raises MemtoolError where nothing could be examined."""
    checked = check_work_tree(root, today=today)
    return core.review(checked.report, checked.config, checked.snapshot)
