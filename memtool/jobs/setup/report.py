"""What `init` did, or would do, as a person and a program read it."""

from __future__ import annotations

import os
import shlex
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memtool.core.config import CONFIG, Config
from memtool.jobs.setup.hooks import Installed
from memtool.model import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    State = Literal["new", "adopted", "cloned", "completed", "unchanged"]

_HEADLINES = {
    "new": "a new memory repo",
    "adopted": "a memory repo now; what was there is as it was",
    "cloned": "a clone of your memory, set up for this machine",
    "completed": "a memory repo; what was missing is there now",
    "unchanged": "a memory repo, complete; nothing was changed",
}
_PLANS = {
    "new": "would become a new memory repo",
    "adopted": "would become a memory repo; what is there would stay as it is",
    "cloned": "would become a clone of your memory, set up for this machine",
    "completed": "a memory repo; what is missing would be added",
    "unchanged": "a memory repo, complete; nothing would be changed",
}
_DRIVER = ("set up: git merges memory by memtool; both texts stay", "to set up: git would merge memory by memtool")
"""Done, and foretold."""
_WIDTH = 98
_WHOLE_WORDS: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


class InitReport(Record):
    """One run of `init`."""

    root: str
    state: State
    dry_run: bool
    agent: str
    agent_from: str
    """Where the name comes from: ``--agent``, ``$MEMTOOL_AGENT``, …"""
    config: Config
    made: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    """Files that were there and got the lines which they lacked."""
    memory: tuple[str, ...] = ()
    """An adopted store's files, all left as they were."""
    over: tuple[tuple[str, int, int], ...] = ()
    """Resident files over budget: (path, bytes, budget)."""
    hooks: Installed = Installed()
    merge_driver: bool = False
    """git was told, in this clone, to merge memory by memtool."""
    commit: str = ""
    committed: int = 0
    """How many files the commit holds."""
    branch: str = ""
    remote: str = ""
    """The remote that was added or cloned, without its password."""
    notes: tuple[str, ...] = ()
    problem: str = ""
    """What could not be done; all else is."""
    next: tuple[str, ...] = ()

    @property
    def code(self) -> int:
        """The exit code: 0, or 2 where something could not be done."""
        return 2 if self.problem else 0

    def asdict(self) -> dict[str, Any]:
        """Give the report as ``memtool.init/1``."""
        hooks = self.hooks.asdict()
        hooks["manager"] = self.hooks.manager.asdict() if self.hooks.manager else None
        resident = [item.path for item in self.config.resident]
        config = {"resident": resident, "on_demand": self.config.on_demand, "index": self.config.index}
        return {"schema": "memtool.init/1"} | super().asdict() | {"config": config, "hooks": hooks}

    def lines(self) -> list[str]:
        """Give the report as text for a person, the next step last."""
        heads = _PLANS if self.dry_run else _HEADLINES
        out = [f"{_printable(self.root)}: {heads[self.state]}", ""]
        for label, texts in self._rows():
            wrapped = [line for text in texts for line in textwrap.wrap(text, _WIDTH, **_WHOLE_WORDS)]
            out += [f"  {'' if at else label:<10}{line}" for at, line in enumerate(wrapped)]
        if self.hooks.manager and not self.hooks.manager.calls_memtool:
            out += ["", *("      " + line if line else "" for line in self.hooks.manager.lines.splitlines())]
        if self.problem:
            out += ["", *(f"  {'!' if not at else ' '} {line}" for at, line in enumerate(self.problem.splitlines()))]
        if self.next:
            out += ["", "Next", *(f"  {number}. {step}" for number, step in enumerate(self.next, 1))]
        return out

    def _rows(self) -> Iterator[tuple[str, Iterable[str]]]:
        yield "agent", [f"{self.agent} ({self.agent_from})"]
        yield "made", _joined(self.made)
        yield "completed", _joined(self.completed)
        if self.state == "adopted":
            yield "kept", [f"{count(len(self.memory), 'markdown file')}; {CONFIG} says where they lie:"]
            yield "", self._mapping()
        for path, size, budget in self.over:
            text = f"{size:,} bytes, {size - budget:,} over its budget of {budget:,}; it may not grow"
            yield "over", [f"{_printable(path)}: {text}"]
        yield "hooks", list(_hooks(self.hooks, dry_run=self.dry_run))
        if self.merge_driver:
            yield "merge", [_DRIVER[self.dry_run]]
        yield "remote", [self.remote] if self.remote else []
        if self.committed:
            where = f"on {self.branch}" if self.branch else "on no branch (HEAD is detached)"
            files = f": {count(self.committed, 'file')}" if self.commit else ""
            yield "commit", [f"{self.commit[:7] or 'one'} {where}{files}"]
        yield "note", map(_printable, self.notes)

    def _mapping(self) -> list[str]:
        resident = ", ".join(_printable(item.path) for item in self.config.resident)
        on_demand = ", ".join(map(_printable, self.config.on_demand))
        rows = [f"read at start: {resident}", f"on demand: {on_demand}"]
        if self.config.exclude:
            rows.append(f"no memory: {', '.join(map(_printable, self.config.exclude))}")
        pages = ", and a page in each folder" if self.config.index_layout == "folders" else ""
        return [*rows, f"index: {_printable(self.config.index)}{pages}"]


def _joined(paths: Sequence[str]) -> list[str]:
    return [", ".join(map(_printable, paths))] if paths else []


def _hooks(hooks: Installed, *, dry_run: bool) -> Iterator[str]:
    if hooks.manager is not None:
        yield hooks.manager.advice()
    elif hooks.written:
        yield f"{'to install' if dry_run else 'installed'}: {', '.join(hooks.written)}"
    for name in hooks.chained:
        yield f"{name} runs your own hook first, {'to be' if dry_run else 'now'} {name}.before-memtool"
    yield from hooks.problems


def next_steps(report: InitReport) -> tuple[str, ...]:
    """Name what a person does now, in the order in which it helps."""
    if report.dry_run:
        return ()
    here = os.path.realpath(os.getcwd()) == report.root
    place = "" if here else f" -C {shlex.quote(report.root)}"
    steps = []
    if report.hooks.manager and not report.hooks.manager.calls_memtool:
        steps.append(f"Add the lines above to {report.hooks.manager.file}: until then no commit is checked.")
    elif report.hooks.manager and report.hooks.manager.then:
        steps.append(
            f"Run {report.hooks.manager.then}, if you have not in this clone: until then no commit is checked."
        )
    if "resident/summary.md" in report.made:
        steps.append("Write who you are and what counts now into resident/summary.md, what always holds into rules.md.")
    if report.state == "adopted":
        steps.append(f"Look through {CONFIG}: is what every session reads what it should read?")
    if report.state in {"new", "adopted"}:
        steps.append(f"memtool{place} check      what is over budget, what lacks a description, and the way out")
    if report.state != "unchanged":
        steps.append(f"memtool{place} start      what a session reads at its start")
    if report.remote and report.commit:
        steps.append(f"memtool{place} sync       to the remote and back; on each machine, as often as you like")
    return tuple(steps)


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _printable(text: str) -> str:
    """Show *text* on a terminal: no control characters, no undecodable bytes."""
    return "".join(char if char.isprintable() else "?" for char in text)
