"""`recall`, `show`, `recent`: entries found again, always labelled."""

from __future__ import annotations

import os
from _collections_abc import Collection, Iterator
from itertools import islice

from memtool.core import document
from memtool.core.config import Config
from memtool.core.dates import is_date
from memtool.core.entry import Entry, Ref, entries, entry_hash, find, is_scope, parse_ref
from memtool.core.recall.hit import LIVE, Hit, address, labelled
from memtool.edge import history
from memtool.edge import recall as edge
from memtool.edge.files import read_regular
from memtool.edge.history import Point
from memtool.edge.location import head, load_config
from memtool.edge.plumbing import GitError, Objects, git
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
HIDDEN = frozenset(("void", "expired"))
"""What is left out unless it is asked for."""


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
    hidden: tuple[str, ...]
    """The statuses of entries that would have been hits, had they been included."""
    as_of: str = ""

    def asdict(self) -> dict[str, Any]:
        """Give the answer in the shape of ``memtool.recall/1``."""
        hits = [hit.asdict() for hit in self.hits]
        return {"schema": "memtool.recall/1", "query": self.query, "as_of": self.as_of, "hits": hits}


def recall(root: str, question: Question, *, today: str, k: int = MOST) -> Recalled:
    """Find the *k* best entries that answer a question; today is the day by which their status is told."""
    if k < 1 or question.include - HIDDEN or question.as_of > today:
        raise MemtoolError(
            "a number from 1, statuses void or expired, and a day that has come are what can be asked for"
        )
    wanted = question.replace(scope=allowed_scope(root, question.scope))
    if not question.as_of:
        tree = WorkTree(root)
        return _answer(root, tree, load_config(tree)[0], wanted, today, k)
    commit = commit_of(root, question.as_of)
    with Objects(root) as objects:
        then = CommitTree(objects, commit)
        return _answer(root, then, load_config(then)[0], wanted, question.as_of, k)


def _answer(root: str, tree: WorkTree | CommitTree, config: Config, question: Question, today: str, k: int) -> Recalled:
    known = _provenance(root)
    hits: list[Hit] = []
    hidden: dict[str, None] = {}
    for found in edge.search(tree, config, question.query):
        if len(hits) >= k:
            break
        hit = labelled(found.path, found.data, found.entry, config, today)
        if not hit.text.strip() or not in_scope(hit.scope, question.scope):
            continue
        if hit.status in LIVE or hit.status in question.include:
            hits.append(_with_origin(hit, found, known))
        else:
            hidden[hit.status] = None
    return Recalled(question.query, tuple(hits), tuple(hidden), question.as_of)


def _provenance(root: str) -> Provenance:
    """Read who wrote what; where git cannot tell, the answers carry no origin, and are answers all the same."""
    try:
        return Provenance.load(root)
    except GitError:
        return Provenance(b"")


def in_scope(scope: str, asked: str) -> bool:
    """Tell whether what holds in *scope* may answer in the scope *asked*; in all, where that is empty."""
    return not asked or scope in {"", "*", asked}


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
    wanted = asked or set_one
    if wanted and not is_scope(wanted):
        raise MemtoolError(f"the scope {wanted!r} is none", hint="A scope is * or kind:name, such as project:blog.")
    return wanted


def commit_of(root: str, day: str) -> str:
    """Give the commit that was the tip at the end of *day*; raises MemtoolError where there was none."""
    point, hidden = history.as_of(root, Point(head(root), day, "", frozenset()))
    if not point.tip:
        raise MemtoolError(f"{day}: " + (f"this clone begins at {hidden}" if hidden else "there was no memory yet"))
    return point.tip


def files(root: str, query: str, *, k: int, today: str, scope: str = "") -> list[tuple[str, str]]:
    """List path and description of the *k* files that say by description, title, aliases or path what *query* asks.

    Those of another scope, and expired ones, are left out.
    """
    allowed = allowed_scope(root, scope)
    tree = WorkTree(root)
    pages = ((path, document.read(tree[path])) for path, _ in edge.routes(tree, load_config(tree)[0], query))
    fitting = (
        (path, page.description)
        for path, page in pages
        if in_scope(page.scope, allowed) and not (is_date(page.valid_until) and page.valid_until < today)
    )
    return list(islice(fitting, k))


# --- one entry -------------------------------------------------------------------------------------------------------


def show(root: str, wanted: str, *, today: str) -> Hit:
    """Give one entry by its ref, also where it has moved; raises MemtoolError, which lists what it can mean."""
    tree = WorkTree(root)
    config = load_config(tree)[0]
    path, data, entry = resolve(root, parse_ref(wanted))
    hit = labelled(path, data, entry, config, today)
    if not in_scope(hit.scope, allowed_scope(root, "")):
        raise MemtoolError(f"{wanted}: of another scope than this clone answers in")
    return _with_origin(hit, Found(path, data, entry, 0.0), _provenance(root))


def resolve(root: str, wanted: Ref, *, exact: bool = False) -> tuple[str, bytes, Entry]:
    """Find the one entry that *wanted* means: (path, bytes of its file, entry).

    Where it is not at its path any more, the entry of the same bytes is looked for elsewhere, unless *exact*. Raises
    MemtoolError for none, and for several.
    """
    refuse_outside(root, wanted.path)
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
        refs = ", ".join(str(address(path, content, entry)) for path, content, entry in elsewhere)
        raise MemtoolError(f"{wanted}: it has moved", hint=f"It is {refs} now.")
    if isinstance(data, str):
        raise MemtoolError(f"{wanted}: {wanted.path} is {data}", hint="`memtool recall` finds entries by their words.")
    changed = find(data, wanted.replace(hash="")) if wanted.hash else []
    if changed:
        raise MemtoolError(f"{wanted}: it was changed since", hint=_one_of(wanted.path, data, changed))
    raise MemtoolError(f"{wanted}: no such entry in {wanted.path}", hint=_nearest(wanted, data))


def refuse_outside(root: str, path: str) -> None:
    """Raise MemtoolError for a path that leads out of the work tree at *root*: by dots, from ``/``, or by a link."""
    top = os.path.realpath(root)
    place = os.path.join(top, path.replace("\0", ""))
    plain = os.path.relpath(place, top) == path and path.partition("/")[0] not in {"..", ".git"}
    if not plain or os.path.realpath(os.path.dirname(place)) != os.path.dirname(place):
        raise MemtoolError(f"{path}: no place in the memory repo", hint="Give its path from the top of the repo.")


def _one_of(path: str, data: bytes, found: list[Entry]) -> str:
    lines = (f"{address(path, data, entry)} (line {entry.line})" for entry in found)
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
    """List the *n* newest dated entries of the journals, of all agents or of some, in the scope of this clone."""
    if n < 1:
        raise MemtoolError(f"{n} entries: a number from 1 is expected")
    scope = allowed_scope(root, "")
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
            parsed = document.read(data)
            found = (entry for entry in entries(data, parsed.body) if in_scope(entry.scope or parsed.scope, scope))
            dated += [(entry.date, path, data, entry) for entry in found if entry.date]
            dated = sorted(dated, key=lambda one: (one[0], one[3].start))[-n:]
    known = _provenance(root)
    newest = reversed(dated)
    return [
        _with_origin(labelled(path, data, entry, config, today), Found(path, data, entry, 0.0), known)
        for _, path, data, entry in newest
    ]
