"""Search a tree: the cache brought up to date by what changed, its answers read again from the files."""

from __future__ import annotations

from _collections_abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

from memtool.core import document
from memtool.core.config import Config, basename
from memtool.core.entry import Entry, entries
from memtool.core.recall.fields import searched
from memtool.core.recall.query import Query, parse
from memtool.core.recall.rank import needed, rank
from memtool.edge import search as store
from memtool.edge.location import cache_path
from memtool.edge.search import DAMAGE, Index
from memtool.edge.trees import CommitTree, Folder, WorkTree, blob_id
from memtool.model import Record, Tree

_Tree = WorkTree | CommitTree
_ATTEMPTS = (True, False, False)
"""Whether the cache is trusted; a file may change while it is read."""
Progress = Callable[[int, int], None]
"""Told how many of how many files are read, where there are many."""


class Found(Record):
    """One entry that answers a query, as its file holds it now."""

    path: str
    data: bytes
    """The bytes of the file."""
    entry: Entry
    score: float
    """Of no unit; higher is better, among the answers to one query."""


def search(tree: _Tree, config: Config, text: str, *, progress: Progress | None = None) -> Iterator[Found]:
    """Yield the entries of *tree* that answer *text*, best first; none where nothing is near enough.

    Any text is a query. The caller takes as many as it wants: all that share a word with it come in the end.
    """
    query = parse(text)
    given: set[tuple[str, int]] = set()
    for trusting in _ATTEMPTS if query.terms else ():
        with _index(tree, config, trusting=trusting, progress=progress) as index:
            try:
                if (yield from _answers(index, tree, query, given)):
                    return
            except DAMAGE:
                if not trusting:
                    raise


def routes(tree: _Tree, config: Config, text: str) -> list[tuple[str, float]]:
    """List path and score of the files that say of themselves, by description, title, aliases or path, *text*."""
    query = parse(text)
    if not query.terms:
        return []
    try:
        with _index(tree, config) as index:
            return _routes(index, query)
    except DAMAGE:
        with _index(tree, config, trusting=False) as index:
            return _routes(index, query)


def _routes(index: Index, query: Query) -> list[tuple[str, float]]:
    corpus = index.route_corpus(query)
    ranked = rank(query, index.routes(needed(query, corpus)), corpus)
    return [(path, score) for score, (path, _) in sorted(ranked, key=_best_first)]


def _best_first(ranked: tuple[float, tuple[str, int]]) -> tuple[float, tuple[str, int]]:
    score, key = ranked
    return -score, key


def _answers(index: Index, tree: _Tree, query: Query, given: set[tuple[str, int]]) -> Generator[Found, None, bool]:
    """Yield the answers that were not *given* yet; false where a file was not as it was indexed."""
    corpus = index.corpus(query)
    files = _Files(tree, index)
    for batch in index.candidates(needed(query, corpus), query.telling):
        ranked = rank(query, batch, corpus)
        if not ranked:
            break
        for score, (path, number) in sorted(ranked, key=_best_first):
            data, found = files[path]
            if not data:
                return False
            if (path, number) not in given:
                given.add((path, number))
                yield Found(path, data, found[number], score)
    return True


class _Files(dict[str, tuple[bytes, list[Entry]]]):
    """Files as they are now, with their entries; no bytes where they are not those that were indexed."""

    def __init__(self, tree: _Tree, index: Index) -> None:
        super().__init__()
        # a folder lists nothing to read one file
        self._tree: Tree = Folder(tree.root) if isinstance(tree, WorkTree) else tree
        self._index = index

    def __missing__(self, path: str) -> tuple[bytes, list[Entry]]:
        try:
            data = self._tree[path]
        except KeyError:
            data = b""
        oid = self._index.oid(path)
        same = data and blob_id(data, len(oid)) == oid
        self[path] = found = (data, entries(data, document.read(data).body)) if same else (b"", [])
        return found


# --- the index -------------------------------------------------------------------------------------------------------


def _index(tree: _Tree, config: Config, *, trusting: bool = True, progress: Progress | None = None) -> Index:
    """Give the index of *tree*: as it was kept, brought up to date, or, where that is not to be trusted, made anew."""
    kept = store.kept(_place(tree)) if trusting else None
    if kept is not None:
        try:
            return _refreshed(kept, tree, config, progress or _silent)
        except DAMAGE:
            kept.close()
    return _refreshed(store.new(), tree, config, progress or _silent)


def _refreshed(index: Index, tree: _Tree, config: Config, progress: Progress) -> Index:
    """Bring *index* up to date, and keep it if anything changed."""
    state = _state(tree, config)
    if state and index.state() == state:
        return index
    held, ids = index.files(), _ids(tree, config)
    gone = [path for path in held if path not in ids]
    new = list(_changed(tree, config, ids, held))
    if gone or new or (state and held == ids):
        index.load()
        _change(index, gone, new, progress)
        index.settle(state if index.files() == ids else b"")  # else what could not be read, or changes, is asked again
        if not held:
            index.tidy()
        index.keep(_place(tree))
    return index


def _silent(_done: int, _all: int) -> None: ...


def _place(tree: _Tree) -> str:
    if isinstance(tree, WorkTree):
        return cache_path(tree.root, "search")
    return cache_path(tree.objects.root, "search-commit")


def _state(tree: _Tree, config: Config) -> bytes:
    """Say in what state *tree* is, so that in the same one nothing is compared; nothing where git cannot say it."""
    if isinstance(tree, CommitTree):
        said = tree.commit.encode()
    else:
        found = tree.survey()
        said = found.staged if found.clean else b""
    return said and b"%s\0%s" % (repr(config).encode("utf-8", "surrogateescape"), said)


def _ids(tree: _Tree, config: Config) -> dict[str, bytes]:
    """Map each on-demand file to the id of its blob; to nothing where it differs from what is staged."""
    from memtool.core.index import selector

    key_of = selector(config)
    if isinstance(tree, WorkTree):
        return {path: oid for path, oid in tree.ids().items() if key_of(path)}
    return {path: blob.oid for path, blob in tree.blobs().items() if key_of(path)}


def _changed(
    tree: _Tree, config: Config, ids: Mapping[str, bytes], held: Mapping[str, bytes]
) -> Iterator[tuple[str, bytes, bytes]]:
    """Yield path, id and bytes of each file that is not as the index holds it."""
    from memtool.core.page import is_generated

    digits = max(map(len, ids.values()), default=0) or 40
    paths = [path for path, oid in ids.items() if not oid or held.get(path) != oid]
    if isinstance(tree, CommitTree):
        tree.fetch(paths)
    for path in paths:
        try:
            data = tree[path]
        except KeyError:
            continue  # no regular, readable file: `index` says which, and here it is tried again each time
        oid = blob_id(data, digits)
        if oid != held.get(path) and not (is_generated(data) and basename(path) == basename(config.index)):
            yield path, oid, data


def _change(index: Index, gone: Iterable[str], new: Sequence[tuple[str, bytes, bytes]], progress: Progress) -> None:
    for path in gone:
        index.drop(path)
    for done, (path, oid, data) in enumerate(new, start=1):
        index.put(path, oid, searched(path, data))
        progress(done, len(new))
