"""What sits an exam: a memory that can be set up, changed and asked; and the two that must not pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from memtool.core.exam.case import REMOVING, Op
from memtool.core.exam.verdict import Answer, Hit
from memtool.errors import MemtoolError

NULL, DELETE_ALL = "null", "delete-all"


class Unsupported(MemtoolError):  # noqa: N818 (no fault of anybody)
    """A command, or a surface, that this memory does not have."""


class Engine(Protocol):
    """A memory as an exam sees it."""

    def reset(self, fixture: str) -> None:
        """Start anew: as the folder *fixture* is, or empty. Raises MemtoolError where there is no such folder."""

    def do(self, op: str, args: Mapping[str, str], /) -> Mapping[str, str]:
        """Carry out the command *op*; give the real ref of each entry that it wrote by its name in ``args["as"]``.

        Raises Unsupported, and MemtoolError for what the memory refuses.
        """

    def ask(self, surface: str, query: str, *, k: int, budget: int) -> Answer:
        """Give what *surface* puts before a model: at most *k* hits in at most *budget* bytes, 0 for any number.

        Raises Unsupported, and MemtoolError for what the memory refuses.
        """


class Nothing:
    """The control that never answers."""

    def reset(self, fixture: str) -> None:
        """Have nothing to reset."""

    def do(self, op: str, args: Mapping[str, str], /) -> Mapping[str, str]:
        made = Op(op, args)
        return {made.gives: f"#{made.gives}"}

    def ask(self, surface: str, query: str, *, k: int, budget: int) -> Answer:  # noqa: ARG002 (the Protocol's)
        return Answer()


class DeleteAll:
    """The control that forgets everything when it is told to forget anything, and answers with all that it has."""

    def __init__(self) -> None:
        self.hits: tuple[Hit, ...] = ()

    def reset(self, fixture: str) -> None:  # noqa: ARG002 (the Protocol's)
        self.hits = ()

    def do(self, op: str, args: Mapping[str, str], /) -> Mapping[str, str]:
        made = Op(op, args)
        if op in REMOVING:
            self.hits = ()
        if made.written:
            self.hits = (Hit(f"#{made.gives}", made.written), *self.hits)
        return {made.gives: f"#{made.gives}"}

    def ask(self, surface: str, query: str, *, k: int, budget: int) -> Answer:  # noqa: ARG002 (the Protocol's)
        hits = self.hits[:k]
        return Answer(hits, "\n".join(hit.text for hit in hits).encode())


def controls(ops: tuple[Op, ...]) -> dict[str, Engine]:
    """Map the name of each control that *ops* can tell from a memory to it; all can tell one that never answers."""
    removes = any(op.name in REMOVING for op in ops)
    return {NULL: Nothing()} | ({DELETE_ALL: DeleteAll()} if removes else {})
