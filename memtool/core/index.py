"""The index: a row for each on-demand file, by which an agent finds the one or two that its task needs.

Rows come from the files, pages from the rows (`layout`); a proof compares the pages that stand in a tree with those
that it should hold, in both directions.
"""

from __future__ import annotations

from _collections_abc import Callable, Iterable, Iterator, Mapping

from memtool.core import row
from memtool.core.config import CONFIG, Config, basename, matches
from memtool.core.document import line_number
from memtool.core.page import FLAT, FOLDERS, base_of, is_generated, over_budget, page_of
from memtool.model import Finding, Snapshot, odd, under

HINT = "Run `memtool index` and commit its pages."
ELSEWHERE = f"Give the index another name with `path: NAME.md` under `index:` in {CONFIG}, or move what is there."
_SHOWN = 3
"""How many rows a message names; `memtool index` mends all of them."""


# --- rows ------------------------------------------------------------------------------------------------------------


def selector(config: Config) -> Callable[[str], str]:
    """Make the function that tells for what a path has a row: for itself, its journal (``notes/laptop/``) or nothing.

    Nothing is for what is not on demand; the answer is that of Config.is_on_demand, twenty thousand times.
    """
    mapped, excluded = _matcher(config.on_demand), _matcher(config.exclude)
    resident = _matcher(item.of("*") for item in config.resident)
    notes, page = config.notes + "/", basename(config.index)

    def key(path: str) -> str:
        if not path.endswith(".md") or not mapped(path) or excluded(path) or resident(path):
            return ""
        if path == config.digest or (path.endswith(page) and config.is_index(path)):
            return ""
        agent = config.journal_of(path) if path.startswith(notes) else ""
        return f"{notes}{agent}/" if agent else path

    return key


def _matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Make the question whether any of *patterns* names a path, as `config.matches` answers it for one."""
    given = [pattern.rstrip("/") for pattern in patterns]
    plain = frozenset(pattern for pattern in given if "*" not in pattern)
    globs = tuple(pattern for pattern in given if "*" in pattern)
    below = tuple(f"{pattern}/" for pattern in plain)
    starts = tuple(glob.partition("*")[0].rstrip("/") for glob in globs)
    return lambda path: (
        path.startswith(below)
        or path in plain
        or (path.startswith(starts) and any(matches(path, glob) for glob in globs))
    )


def rows(snapshot: Snapshot, config: Config) -> dict[str, bytes]:
    """Map each on-demand file, and each journal, of *snapshot* to its row."""
    found = {key: _row(key, snapshot, config) for key in map(selector(config), snapshot) if key}
    return {key: line for key, line in found.items() if line}


def _row(key: str, snapshot: Snapshot, config: Config) -> bytes:
    if key.endswith("/"):
        return of_journal(key, config)
    what = odd(snapshot, key)
    return of_odd(key, what, config) if what else of_data(key, snapshot[key], config)


def of_journal(folder: str, config: Config) -> bytes:
    return row.of_journal(folder, base=base_of(folder, config))


def of_odd(path: str, what: str, config: Config) -> bytes:
    return row.of_odd(path, what, base=base_of(path, config))


def of_data(path: str, data: bytes, config: Config) -> bytes:
    """Write the row of a file; nothing for a page that memtool generated for another layout."""
    if is_generated(data) and basename(path) == basename(config.index):
        return b""
    return row.of_file(path, data, base=base_of(path, config))


def pages(snapshot: Snapshot, config: Config) -> dict[str, bytes]:
    """Make the pages of the index of *snapshot*: path to content."""
    from memtool.core.layout import assemble

    return assemble(rows(snapshot, config), config)


def choose_layout(snapshot: Snapshot, config: Config) -> str:
    """Choose the layout of a new index: flat while one page holds it and leaves room to grow by a third."""
    lines = rows(snapshot, config.replace(index_layout=FLAT))
    from memtool.core.layout import assemble

    (page,) = assemble(lines, config.replace(index_layout=FLAT)).values()
    folders = {page_of(key, config.replace(index_layout=FOLDERS)) for key in lines}
    return FLAT if len(page) <= config.index_budget * 3 // 4 or len(folders) < 2 else FOLDERS


# --- proof -----------------------------------------------------------------------------------------------------------


def findings(snapshot: Snapshot, config: Config) -> list[Finding]:
    """Prove the pages in *snapshot*: each file has one row, each row one file, and no page is over its budget."""
    return compare(pages(snapshot, config), snapshot, config)


def compare(expected: Mapping[str, bytes], snapshot: Snapshot, config: Config) -> list[Finding]:
    """Report where the pages in *snapshot* are not *expected*."""
    found: list[Finding] = []
    for page, data in expected.items():
        found += _page(page, data, snapshot)
        found += over_budget(page, len(data), config)
    return found + [_left_over(page, config) for page in left_over(expected, snapshot, config)]


def left_over(expected: Mapping[str, bytes], snapshot: Snapshot, config: Config) -> list[str]:
    """List the generated pages of *snapshot* that the index has no longer."""
    name = basename(config.index)
    candidates = (path for path in snapshot if path.endswith(name) and basename(path) == name)
    return [path for path in candidates if path not in expected and is_generated(_bytes(snapshot, path))]


def _left_over(page: str, config: Config) -> Finding:
    return _stale(page, 0, f"a page of the index that is none any more (the layout is `{config.index_layout}`)")


def _page(page: str, expected: bytes, snapshot: Snapshot) -> list[Finding]:
    present = _present(page, snapshot)
    if isinstance(present, Finding):
        return [present]
    if present == expected:
        return []
    said = _difference(dict(_lines(expected)), _lines(present))
    return [_stale(page, _first_line(present, expected), said)]


def _difference(should: Mapping[bytes, bytes], stands: Iterable[tuple[bytes, bytes]]) -> str:
    """Say in which rows, by destination, a page that *stands* is not as it *should* be."""
    held: dict[bytes, list[bytes]] = {}
    for target, line in stands:
        held.setdefault(target, []).append(line)
    said = (
        ("no row for ", [target for target in should if target not in held]),
        ("a row for what is not there: ", [target for target in held if target not in should]),
        (
            "another row than it should for ",
            [target for target in held if should.get(target) not in {None, *held[target]}],
        ),
        ("more than one row for ", [target for target in held if target in should and len(held[target]) > 1]),
    )
    told = [text + _some(targets) for text, targets in said if targets]
    return "the index has " + ("; ".join(told) or "the right rows, but another head or order")


def _some(targets: list[bytes]) -> str:
    shown = ", ".join(target.decode("utf-8", "replace") for target in targets[:_SHOWN])
    return shown + (f" and {len(targets) - _SHOWN} more" if len(targets) > _SHOWN else "")


def _first_line(present: bytes, expected: bytes) -> int:
    """Give the line, from 1, at which *present* first differs; the one behind its last where it only ends too early."""
    stands, should = present.split(b"\n"), expected.split(b"\n")
    same = (number for number, line in enumerate(stands) if number >= len(should) or line != should[number])
    return 1 + next(same, len(stands))


def _lines(page: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the rows of a page, by their destination."""
    for line in page.split(b"\n"):
        if target := row.parts(line)[1]:
            yield target, line


def _present(page: str, snapshot: Snapshot) -> bytes | Finding:
    """Give the page as it stands in *snapshot*, or say why there is none."""
    if page not in snapshot:
        return _stale(page, 0, "this page of the index is missing")
    what, data = odd(snapshot, page), _bytes(snapshot, page)
    if not what and (is_generated(data) or not data):
        return data
    message = f"the index belongs here, and here is {what or 'a file that memtool did not generate'}"
    return Finding("stale-index", "warning", page, 0, message, ELSEWHERE)


def _bytes(snapshot: Snapshot, path: str) -> bytes:
    """Give the content of *path*; nothing for what is no regular file."""
    return b"" if odd(snapshot, path) else snapshot[path]


def _stale(page: str, line: int, message: str) -> Finding:
    return Finding("stale-index", "warning", page, line, message, HINT)


# --- the commit in the making ----------------------------------------------------------------------------------------


_FEW = 50
"""Rows up to which each is searched for in its page, rather than all of the page read."""


def row_findings(snapshot: Snapshot, config: Config, changed_paths: Iterable[str]) -> list[Finding]:
    """Prove only the rows of *changed_paths*, removed ones too: a few look-ups, however large the tree is."""
    key_of = selector(config)
    keys = {key: None for path in changed_paths if (key := key_of(path))}
    by_page: dict[str, list[str]] = {}
    for key in keys:
        by_page.setdefault(page_of(key, config), []).append(key)
    return [finding for page, held in by_page.items() for finding in _rows_of(page, held, snapshot, config)]


def _rows_of(page: str, keys: list[str], snapshot: Snapshot, config: Config) -> list[Finding]:
    lines = (_row(key, snapshot, config) if _exists(key, snapshot) else b"" for key in keys)
    base = page.rpartition("/")[0]
    by_target = dict(zip((row.destination(row.relative(key, base)).encode() for key in keys), lines, strict=True))
    should = {target: line for target, line in by_target.items() if line}
    present = _present(page, snapshot)
    if isinstance(present, Finding):
        return [present] if should or page in snapshot else []
    stands = _standings(present, list(by_target))
    if [(target, line) for target, line, _ in stands] == list(should.items()):
        return []
    wrong = [at for target, line, at in stands if should.get(target) != line]
    where = line_number(present, min(wrong)) if wrong else 0
    return [_stale(page, where, _difference(should, [(target, line) for target, line, _ in stands]))]


def _standings(page: bytes, targets: list[bytes]) -> list[tuple[bytes, bytes, int]]:
    """Find the rows of *targets*, in their order; of many, by one reading of the page."""
    if len(targets) <= _FEW:
        return [found for target in targets for found in _standing(page, target)]
    held: dict[bytes, list[tuple[bytes, bytes, int]]] = {target: [] for target in targets}
    at = 0
    for line in page.split(b"\n"):
        target = row.parts(line)[1]
        if target in held:
            held[target].append((target, line, at))
        at += len(line) + 1
    return [found for target in targets for found in held[target]]


def _standing(page: bytes, target: bytes) -> Iterator[tuple[bytes, bytes, int]]:
    """Find the rows of one destination in a page, without reading all its lines: (destination, row, offset)."""
    needle, at = b"](%s)" % target, -1
    while (at := page.find(needle, at + 1)) >= 0:
        start, end = page.rfind(b"\n", 0, at) + 1, page.find(b"\n", at)
        line = page[start : end if end >= 0 else len(page)]
        if row.parts(line)[1] == target and b"](%s)" % target not in page[start:at]:
            yield target, line, start


def _exists(key: str, snapshot: Snapshot) -> bool:
    return any(True for _ in under(snapshot, key[:-1])) if key.endswith("/") else key in snapshot
