"""One order for what two sides put in an order each."""

from __future__ import annotations

from _collections_abc import Callable, Hashable, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Item = TypeVar("Item", bound=Hashable)


def woven(
    base: Sequence[Item],
    ours: Sequence[Item],
    theirs: Sequence[Item],
    together: Callable[[list[Item], list[Item]], list[Item]],
) -> list[Item]:
    """List the items of *ours* and *theirs*, each once: what both have as the side that moved it has it.

    What only one side has stays behind the item above it that both have; what the two sides have there is put
    *together*. None is no item.
    """
    common = set(ours) & set(theirs)
    runs = _runs(ours, common), _runs(theirs, common)
    spine = _spine(base, [item for item in ours if item in common], [item for item in theirs if item in common])
    out = together(runs[0].get(None, []), runs[1].get(None, []))
    for item in spine:
        out += [item, *together(runs[0].get(item, []), runs[1].get(item, []))]
    return out


def _runs(side: Sequence[Item], common: set[Item]) -> dict[Item | None, list[Item]]:
    """Map each item in *common* to those behind it that are not; those at the start to None."""
    found: dict[Item | None, list[Item]] = {}
    anchor: Item | None = None
    for item in side:
        if item in common:
            anchor = item
        else:
            found.setdefault(anchor, []).append(item)
    return found


def _spine(base: Sequence[Item], ours: list[Item], theirs: list[Item]) -> list[Item]:
    """Give the order of the side that changed it; where both did, *ours*."""
    known, common = set(base), set(ours)
    was = [item for item in base if item in common]
    return theirs if [item for item in ours if item in known] == was else ours
