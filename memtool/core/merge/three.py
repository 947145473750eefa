"""One thing in three versions: as it was, and as each of two sides has it; None where it is not there."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")


def settled(base: T, ours: T, theirs: T) -> bool:
    """Tell whether only one side changed it, or both alike; then `taken` is the answer."""
    return ours == theirs or base in (ours, theirs)


def taken(base: T, ours: T, theirs: T) -> T:
    """Give the version of the side that changed it."""
    return theirs if ours == base else ours
