"""What needs a person: the findings of `check` that no program can settle, grouped, the most urgent first."""

from __future__ import annotations

from _collections_abc import Callable, Iterator

from memtool.core import document
from memtool.core.check import Report
from memtool.core.config import Config
from memtool.core.page import is_generated
from memtool.core.report import place
from memtool.core.terminal import printable
from memtool.model import Finding, Record, Snapshot, odd, under

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SHOWN = 3
"""How many of a group the text shows; JSON has all."""


class Group(Record):
    """What one and the same command, or look, settles."""

    name: str
    state: str
    """What is said of its members."""
    way: str
    """The command, or what a person does."""
    items: tuple[Finding, ...] = ()


_GROUPS = (
    Group("dangers", "not to be kept", "memtool check says how to mend it"),
    Group("conflicts", "in conflict", "memtool resolve"),
    Group("over-budget", "over budget", "memtool check says what to compress, move or split"),
    Group("due", "due", "look at it, then move its day on"),
    Group("unreadable", "not readable", "memtool check says where and why"),
    Group("proposed", "proposed", "git mv it to where it belongs, or delete it"),
    Group("drafts", "without an approved description", "memtool describe"),
    Group("stale", "soon wrong", "move it to a project file, or say when it was so"),
)
_CODES = {
    "conflict-copy": "conflicts",
    "over-budget": "over-budget",
    "over-total": "over-budget",
    "review-due": "due",
    "bad-front-matter": "unreadable",
    "not-a-regular-file": "unreadable",
    "not-utf-8": "unreadable",
    "no-description": "drafts",
    "rotting-status": "stale",
}
"""Finding code to group; any other error is a danger, any other warning is left to `check`."""


class Review(Record):
    """What waits for a person."""

    groups: tuple[Group, ...]
    """Those that have members, the most urgent first."""
    others: int
    """How many warnings `check` has beside these."""

    @property
    def waiting(self) -> int:
        return sum(len(group.items) for group in self.groups)

    def asdict(self) -> dict[str, Any]:
        """Give the review in the shape of ``memtool.review/1``."""
        groups = [group.asdict() | {"items": [item.asdict() for item in group.items]} for group in self.groups]
        return {"schema": "memtool.review/1", "waiting": self.waiting, "groups": groups, "others": self.others}

    def text(self) -> str:
        """Lay the review out on a screen."""
        blocks = ["\n".join(_block(group)) for group in self.groups] or ["Nothing to review."]
        if self.others:
            blocks.append(f"Beside that, memtool check has {self.others:,} warning{'' if self.others == 1 else 's'}.")
        return "\n\n".join(blocks) + "\n"


def _block(group: Group) -> Iterator[str]:
    yield f"{len(group.items):,} {group.state}: {group.way}"
    yield from (f"  {place(item)}  {printable(_said(item))}".rstrip() for item in group.items[:SHOWN])
    if len(group.items) > SHOWN:
        yield f"  … and {len(group.items) - SHOWN:,} more (--format json has all)"


def _said(item: Finding) -> str:
    """Say what it is; of a text that was set aside inside its file, which no command settles, also the way out."""
    by_hand = item.code == "conflict-copy" and item.line
    return f"{item.message}. {item.hint}" if by_hand else item.message


def review(report: Report, config: Config, snapshot: Snapshot) -> Review:
    """Group what *report*, on *snapshot*, found that needs a person, and what waits in the inbox."""
    proposed = list(_proposed(report, config, snapshot))
    named = _namer(snapshot, {item.path for item in proposed})
    sorted_in = [(named(finding), finding) for finding in report.findings]
    sorted_in += [("proposed", item) for item in proposed]
    groups = (group.replace(items=tuple(item for name, item in sorted_in if name == group.name)) for group in _GROUPS)
    others = sum(not name for name, _ in sorted_in)
    return Review(tuple(group for group in groups if group.items), others)


def _namer(snapshot: Snapshot, proposed: set[str]) -> Callable[[Finding], str]:
    """Make the function that names the group of a finding; nothing for one that needs no person."""

    def name(finding: Finding) -> str:
        if finding.code == "weak-description" and document.read(snapshot[finding.path]).draft:
            found = "drafts"
        else:
            found = _CODES.get(finding.code, "dangers" if finding.severity == "error" else "")
        return "" if found == "drafts" and finding.path in proposed else found

    return name


def _proposed(report: Report, config: Config, snapshot: Snapshot) -> Iterator[Finding]:
    """Yield the files of the inbox that are no conflict copies."""
    copies = {finding.path for finding in report.findings if finding.code == "conflict-copy"}
    for path in sorted(under(snapshot, config.inbox)):
        if not config.is_on_demand(path) or path in copies or odd(snapshot, path) or is_generated(snapshot[path]):
            continue
        page = document.read(snapshot[path])
        yield Finding("proposed", "warning", path, 0, page.description or page.title)
