"""memtool as a library: the commands of entries as methods, with the same promises and the same errors."""

from __future__ import annotations

from _collections_abc import Collection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from memtool.core.recall.hit import Hit
    from memtool.jobs.recall import Recalled
    from memtool.jobs.remember import Remembered
    from memtool.jobs.revise import Changed, Writer
    from memtool.jobs.sync.result import Result


class MemoryRepo:
    """One memory repo, as one agent sees it.

    Every method raises `memtool.errors.MemtoolError`, whose message says what is wrong and whose hint says the way out;
    what raises has changed nothing.
    """

    def __init__(self, root: str, agent: str = "") -> None:
        self.root = root
        """The absolute path of its work tree."""
        self.agent = agent
        """Whose journal is written, and who is named in commits."""

    @classmethod
    def open(cls, directory: str | None = None, *, agent: str | None = None) -> Self:
        """Open the repo at *directory*, else $MEMTOOL_REPO, else the one around here; the agent likewise."""
        from memtool.edge import location

        root = location.find_root(directory)
        location.leave_foreign_environment(root)
        return cls(root, location.agent(root, agent))

    def remember(  # noqa: PLR0913 (the parts of an entry, by name)
        self,
        text: str,
        *,
        to: str | None = None,
        title: str = "",
        scope: str = "",
        date: str = "",
        why: str = "",
        source: str = "",
        valid_until: str = "",
    ) -> Remembered:
        """Append a dated entry to the agent's journal, or to the file *to*, and commit it."""
        from memtool.core.writing.compose import Draft
        from memtool.jobs.remember import remember

        draft = Draft(text, date or _today(), title, scope, why, source, valid_until)
        return remember(self.root, draft, agent=self.agent, to=to)[0]

    def recall(
        self, query: str, *, k: int = 3, scope: str = "", as_of: str = "", include: Collection[str] = ()
    ) -> Recalled:
        """Find the *k* best entries that answer *query*; none where nothing is near enough."""
        from memtool.jobs.recall import Question, recall

        return recall(self.root, Question(query, scope, frozenset(include), as_of), today=_today(), k=k)

    def recent(self, n: int = 5) -> list[Hit]:
        """List the *n* newest entries of the journals."""
        from memtool.jobs.recall import recent

        return recent(self.root, today=_today(), n=n)

    def show(self, ref: str) -> Hit:
        """Give one entry by its ref, also where it has moved."""
        from memtool.jobs.recall import show

        return show(self.root, ref, today=_today())

    def revise(self, ref: str, *, void: str, reason: str, now: str = "") -> Changed:
        """Void the part *void* of an entry, with the *reason*, and put *now* in its place, if anything."""
        from memtool.jobs.revise import revise

        return revise(self._writer(), ref, void=void, reason=reason, now=now)

    def forget(self, ref: str, *, reason: str) -> Changed:
        """Void all of an entry, with the *reason*."""
        from memtool.jobs.revise import forget

        return forget(self._writer(), ref, reason=reason)

    def verify(self, ref: str) -> Changed:
        """Note that an entry was found to hold today."""
        from memtool.jobs.revise import verify

        return verify(self._writer(), ref)

    def sync(self, *, push: bool = True, timeout: float = 60) -> Result:
        """Bring this machine and the remote together, within *timeout* seconds; the result says how it ended."""
        from memtool.jobs.sync.course import Options
        from memtool.jobs.sync.run import sync

        return sync(self.root, Options(self.agent, _today(), timeout, push))

    def _writer(self) -> Writer:
        from memtool.jobs.revise import Writer

        return Writer(self.root, self.agent, _today())


def _today() -> str:
    from memtool.hook import today

    return today()
