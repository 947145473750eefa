"""What a part is called: the heading that governs all of it, or the first and the last of several."""

from __future__ import annotations

from collections.abc import Sequence

from memtool.core.blocks import Heading, within
from memtool.core.split.words import plain

Title = tuple[str, tuple[str, ...]]
"""A title as plain words, and the headings under which it stands, outermost first."""


class Titles:
    """Names the parts of one file."""

    def __init__(self, found: Sequence[Heading], cuttable: Sequence[Heading]) -> None:
        """*found* are all headings of the file, *cuttable* those that count."""
        self._cuttable = cuttable
        self._trails = _trails(found)
        first, *others = cuttable
        self._whole = first if all(other.level > first.level for other in others) else None
        """The title of the file: it tells no part from another."""

    def of(self, start: int, end: int, main: Heading) -> Title:
        """Name the part from byte *start* to *end*, whose first section is that of the heading *main*."""
        held = [heading for heading in within(self._cuttable, start, end) if heading != self._whole]
        if not held:
            return self._trails[main.start]
        top = min(heading.level for heading in held)
        tops = [heading for heading in held if heading.level == top]
        if len(tops) > 1 or held[0] != tops[0]:
            return self._run(held[0], tops[-1])
        subjects = sum(heading.level == main.level for heading in held)
        governs = subjects > 1 or self._ends(tops[0], end)
        return self._trails[tops[0].start if governs else main.start]

    def _run(self, first: Heading, last: Heading) -> Title:
        """Name a part that holds several sections side by side."""
        (one, above), (other, _) = self._trails[first.start], self._trails[last.start]
        return f"{one} – {other}" if one != other else one, above

    def _ends(self, heading: Heading, end: int) -> bool:
        """Tell whether the section of *heading* goes no further than to byte *end*."""
        following = within(self._cuttable, end, end + 1)
        return not following or following[0].level <= heading.level


def _trails(found: Sequence[Heading]) -> dict[int, Title]:
    """Map where each heading starts to its text and those of the headings that it stands under."""
    trails = {}
    open_ones: list[Heading] = []
    for heading in found:
        open_ones = [*(one for one in open_ones if one.level < heading.level), heading]
        *above, text = map(plain, open_ones)
        trails[heading.start] = text, tuple(above)
    return trails
