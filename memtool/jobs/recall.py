"""`recall`, `show`, `recent`: entries found again, always labelled."""

from __future__ import annotations

import os
from _collections_abc import Collection, Iterator

from memtool.core import document
from memtool.core.config import Config
from memtool.core.entry import Entry, Ref, entries, entry_hash, find, parse_ref, ref
from memtool.core.recall.hit import LIVE, Hit, labelled
from memtool.edge import history
from memtool.edge import recall as edge
from memtool.edge.files import read_regular
from memtool.edge.history import Point
from memtool.edge.location import head, load_config
from memtool.edge.plumbing import Objects, git
from memtool.edge.provenance import Provenance
from memtool.edge.recall import Found
from memtool.edge.trees import CommitTree, WorkTree
from memtool.errors import MemtoolError
from memtool.model import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 3
"""Hits of an answer, unless more are asked for."""
BUDGET = 8192
"""Bytes of an answer, fences counted."""


class Question(Record):
    """What is asked, and what may answer."""

    query: str
    scope: str = ""
    """Only entries of this scope, or of none; empty for all."""
    include: frozenset[str] = frozenset()
    """Statuses beside those that are shown unasked."""
    as_of: str = ""
    """The day whose memory is asked; empty for now."""


class Recalled(Record):
    """The answer to a question; no hits where nothing is near enough."""

    query: str
    hits: tuple[Hit, ...]

    def asdict(self) -> dict[str, Any]:
        """Give the answer in the shape of ``memtool.recall/1``."""
        return {"schema": "memtool.recall/1", "query": self.query, "hits": [hit.asdict() for hit in self.hits]}


def recall(root: str, question: Question, *, today: str, k: int = MOST) -> Recalled:
    """Find the *k* best entries that answer a question; today is the day by which their status is told."""
    wanted = question.replace(scope=allowed_scope(root, question.scope))
    if not question.as_of:
        tree = WorkTree(root)
        return Recalled(question.query, tuple(_hits(root, tree, load_config(tree)[0], wanted, today, k)))
    commit = commit_of(root, question.as_of)
    with Objects(root) as objects:
        then = CommitTree(objects, commit)
        return Recalled(question.query, tuple(_hits(root, then, load_config(then)[0], wanted, question.as_of, k)))


def _hits(root: str, tree: WorkTree | CommitTree, config: Config, question: Question, today: str, k: int) -> list[Hit]:
    known = Provenance.load(root)
    hits: list[Hit] = []
    for found in edge.search(tree, config, question.query):
        if len(hits) >= k:
            break
        hit = labelled(found.path, found.data, found.entry, config, today)
        if hit.text.strip() and _may_answer(hit, question):
            hits.append(_with_origin(hit, found, known))
    return hits


def _may_answer(hit: Hit, question: Question) -> bool:
    in_scope = not question.scope or hit.scope in {"", "*", question.scope}
    return in_scope and (hit.status in LIVE or hit.status in question.include)


def _with_origin(hit: Hit, found: Found, known: Provenance) -> Hit:
    origin = known.origin(found.path, entry_hash(found.data[found.entry.start : found.entry.end]))
    hit = hit.replace(score=round(found.score, 3))
    return hit.replace(commit=origin.commit, agent=origin.agent) if origin else hit


def allowed_scope(root: str, asked: str) -> str:
    """Give the scope to answer in: that of `git config memtool.scope`, which nobody who asks can widen."""
    set_one = git(root, "config", "--get", "memtool.scope", ok=(0, 1)).decode("utf-8", "replace").strip()
    if set_one and asked and asked != set_one:
        raise MemtoolError(
            f"scope {asked!r}: this clone answers in the scope {set_one!r} only",
            hint="It is set by `git config memtool.scope`.",
        )
    return asked or set_one


def commit_of(root: str, day: str) -> str:
    """Give the commit that was the tip at the end of *day*; raises MemtoolError where there was none."""
    point, hidden = history.as_of(root, Point(head(root), day, "", frozenset()))
    if not point.tip:
        raise MemtoolError(f"{day}: " + (f"this clone begins at {hidden}" if hidden else "there was no memory yet"))
    return point.tip


def files(root: str, query: str, *, k: int) -> list[tuple[str, str]]:
    """List path and description of the *k* files that say by description, title, aliases or path what *query* asks."""
    tree = WorkTree(root)
    found = [path for path, _ in edge.routes(tree, load_config(tree)[0], query)[:k]]
    return [(path, document.read(tree[path]).description) for path in found]


# --- one entry -------------------------------------------------------------------------------------------------------


def show(root: str, wanted: str, *, today: str) -> Hit:
    """Give one entry by its ref, also where it has moved; raises MemtoolError, which lists what it can mean."""
    tree = WorkTree(root)
    config = load_config(tree)[0]
    path, data, entry = resolve(root, parse_ref(wanted))
    hit = labelled(path, data, entry, config, today)
    return _with_origin(hit, Found(path, data, entry, 0.0), Provenance.load(root))


def resolve(root: str, wanted: Ref, *, exact: bool = False) -> tuple[str, bytes, Entry]:
    """Find the one entry that *wanted* means: (path, bytes of its file, entry).

    Where it is not at its path any more, the entry of the same bytes is looked for elsewhere, unless *exact*. Raises
    MemtoolError for none, and for several.
    """
    data = read_regular(os.path.join(root, wanted.path))
    found = find(data, wanted) if isinstance(data, bytes) else []
    if len(found) == 1 and isinstance(data, bytes):
        return wanted.path, data, found[0]
    if found and isinstance(data, bytes):
        raise MemtoolError(f"{wanted}: {len(found)} entries are called so", hint=_one_of(wanted.path, data, found))
    elsewhere = list(_moved(root, wanted)) if wanted.hash else []
    if len(elsewhere) == 1 and not exact:
        return elsewhere[0]
    if elsewhere:
        refs = ", ".join(str(ref(path, content, entry)) for path, content, entry in elsewhere)
        raise MemtoolError(f"{wanted}: it has moved", hint=f"It is {refs} now.")
    if isinstance(data, str):
        raise MemtoolError(f"{wanted}: {wanted.path} is {data}", hint="`memtool recall` finds entries by their words.")
    changed = find(data, wanted.replace(hash="")) if wanted.hash else []
    if changed:
        raise MemtoolError(f"{wanted}: it was changed since", hint=_one_of(wanted.path, data, changed))
    raise MemtoolError(f"{wanted}: no such entry in {wanted.path}", hint=_nearest(wanted, data))


def _one_of(path: str, data: bytes, found: list[Entry]) -> str:
    lines = (f"{ref(path, data, entry)} (line {entry.line})" for entry in found)
    return "Now there: " + ", ".join(lines)


def _nearest(wanted: Ref, data: bytes) -> str:
    from difflib import get_close_matches

    names = [entry.slug for entry in entries(data, document.read(data).body)]
    near = get_close_matches(wanted.slug, names, n=3, cutoff=0.5)
    return f"Near it: {', '.join(near)}." if near else "`memtool recall` finds entries by their words."


def _moved(root: str, wanted: Ref) -> Iterator[tuple[str, bytes, Entry]]:
    """Find entries of exactly the bytes that *wanted* names, in any memory file."""
    tree = WorkTree(root)
    config = load_config(tree)[0]
    for path in tree:
        if config.is_memory(path) and not tree.odd(path):
            data = tree[path]
            for entry in find(data, wanted.replace(path=path)):
                yield path, data, entry


def recent(root: str, *, today: str, n: int, agents: Collection[str] = ()) -> list[Hit]:
    """List the *n* newest dated entries of the journals, of all agents or of some."""
    tree = WorkTree(root)
    config = load_config(tree)[0]
    dated: list[tuple[str, str, bytes, Entry]] = []
    journals = [path for path in tree.under(config.notes) if config.journal_of(path)]
    for path in sorted(journals, key=lambda path: path.rpartition("/")[2], reverse=True):
        if agents and config.journal_of(path) not in agents:
            continue
        name = path.rpartition("/")[2]
        if len(dated) >= n and name[:7] < min(day for day, *_ in dated)[:7] and len(name) == len("2026-07.md"):
            continue  # an older month
        data = read_regular(os.path.join(root, path))
        if isinstance(data, bytes):
            found = entries(data, document.read(data).body)
            dated += [(entry.date, path, data, entry) for entry in found if entry.date]
            dated = sorted(dated, key=lambda one: (one[0], one[3].start))[-n:]
    known = Provenance.load(root)
    newest = reversed(dated)
    return [
        _with_origin(labelled(path, data, entry, config, today), Found(path, data, entry, 0.0), known)
        for _, path, data, entry in newest
    ]
