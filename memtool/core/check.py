"""The verdict on one tree: budgets, and what does not belong in a memory.

One function for all who ask. A commit in the making passes its *change*: then findings are about the files that it
changes, and budgets work as a ratchet. Without one the whole tree is proved.
"""

from __future__ import annotations

from _collections_abc import Callable, Iterator, Sequence

from memtool.core import budget, document, index
from memtool.core.blocks import lines
from memtool.core.budget import Bill, Weight
from memtool.core.config import AGENT, CONFIG, Config
from memtool.core.dates import is_date
from memtool.core.document import Document
from memtool.core.lint import links, markers, routing
from memtool.core.lint.secrets import secrets
from memtool.core.plainyaml import BadYaml
from memtool.model import Finding, Record, Snapshot, odd, under

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Severity = Literal["error", "warning"]


class Change(Record):
    """What a commit in the making changes, and against what."""

    paths: tuple[str, ...]
    """The paths that differ from the first parent, removed ones too."""
    parents: tuple[Snapshot, ...]
    """The trees it builds on: none for a first commit, several for a merge."""
    adopting: bool = False
    """No parent is a memory repo yet: what the store already holds is warned of, not refused."""


class Report(Record):
    """What `check` found in one tree."""

    source: str
    """``work tree``, ``staged``, or a revision."""
    files: int
    """How many memory files were examined."""
    findings: tuple[Finding, ...]
    bill: Bill
    unread: int = 0
    """How many could not be: links, what is too large, what may not be read."""

    @property
    def errors(self) -> int:
        return sum(finding.severity == "error" for finding in self.findings)


def check(
    snapshot: Snapshot,
    config: Config,
    *,
    source: str,
    today: str,
    change: Change | None = None,
    paths: Sequence[str] = (),
) -> Report:
    """Judge *snapshot*: all of it, only what *change* changes, or only *paths* (files or folders).

    *today* is an ISO date; what it brings (a review that is due) is never an error.
    """
    weighed = budget.bill(snapshot, config)
    names = _examined(snapshot, config, change, paths)
    found = [*budgets(weighed, change, config=config, paths=names if paths else ())]
    for path in names:
        found += _file(snapshot, path, config, today)
    for path in _generated(snapshot, config, change, paths):
        found += dangers(path, snapshot[path])
    found += _missing(snapshot, config, change, paths)
    unread = sum(bool(odd(snapshot, path)) for path in names)
    if config.digest in (snapshot if change is None else change.paths) and config.digest in snapshot:
        found.append(digest_tracked(config.digest))
    if change is not None:
        found += index.row_findings(snapshot, config, change.paths)
    elif not paths:
        found += index.findings(snapshot, config)
    if change is not None and CONFIG not in snapshot and any(CONFIG in parent for parent in change.parents):
        hint = "Bring it back; to give memtool up, commit this with --no-verify."
        found.append(Finding("no-config", "error", CONFIG, 0, "removed: no commit would be checked any more", hint))
    if change is not None and change.adopting:
        found = [finding.replace(severity="warning") for finding in found]
    ranked = sorted(found, key=lambda finding: (finding.severity, finding.path, finding.line, finding.code))
    return Report(source, len(names) - unread, tuple(ranked), weighed, unread)


def _examined(snapshot: Snapshot, config: Config, change: Change | None, paths: Sequence[str]) -> list[str]:
    if change is not None:
        names = [path for path in change.paths if _is_examined(path, config) and path in snapshot]
        if any(path.endswith(".gitattributes") for path in change.paths):  # they can put a filter before any file
            names += (path for path in config.resident_paths(snapshot) if path not in names and odd(snapshot, path))
        return names
    within = tuple(f"{path}/" for path in paths)
    return [
        path
        for path in snapshot
        if _is_examined(path, config) and (not paths or path in paths or path.startswith(within) or "" in paths)
    ]


def _is_examined(path: str, config: Config) -> bool:
    """Tell memory, and conflict copies also where the inbox is none of it: nobody else would ever speak of them."""
    return config.is_memory(path) or (path.endswith(".md") and config.is_conflict(path))


def digest_tracked(path: str) -> Finding:
    return Finding(
        "digest-tracked", "error", path, 0, "the digest is generated at each start and is never committed",
        f"git rm --cached {path}",
    )  # fmt: skip


def _generated(snapshot: Snapshot, config: Config, change: Change | None, paths: Sequence[str]) -> list[str]:
    """List the files beside the memory in which a conflict or a secret may stand: index pages and the configuration."""
    names = change.paths if change is not None else snapshot if not paths else ()
    pages = (path for path in names if path == CONFIG or config.is_index(path))
    return [path for path in pages if path in snapshot and not odd(snapshot, path)]


def _missing(snapshot: Snapshot, config: Config, change: Change | None, paths: Sequence[str]) -> Iterator[Finding]:
    """Yield the resident files that the configuration names and the tree lacks."""
    if paths:
        return
    for item in config.resident:
        named = AGENT not in item.path and "*" not in item.path
        if named and item.path not in snapshot and (change is None or item.path in change.paths):
            hint = "Bring it back, or take it out of memtool.yaml."
            yield Finding(
                "missing-resident", "warning", item.path, 0, "every session should read it; it is not there", hint
            )


# --- budgets ---------------------------------------------------------------------------------------------------------


def budgets(bill: Bill, change: Change | None, *, config: Config, paths: Sequence[str] = ()) -> Iterator[Finding]:
    """Yield what is over budget or near it; with a *change*, only what it makes grow is an error."""
    for weight in bill.resident:
        if not paths or weight.path in paths:
            yield from _budget(weight, change)
    if bill.bytes > bill.budget and not paths:
        grew = change is None or bill.bytes > _most(change, lambda tree: budget.bill(tree, config).bytes)
        kept = "" if grew else "; this commit does not make it grow"
        over = f"{bill.bytes - bill.budget:,} over {bill.budget:,}{kept}"
        message = f"{bill.bytes:,} bytes in all for the fullest agent, {over}"
        yield Finding(
            "over-total", "error" if grew else "warning", "", 0, message, "Compress, move or split the heaviest file."
        )


def _budget(weight: Weight, change: Change | None) -> Iterator[Finding]:
    if weight.left >= 0:
        if weight.tight:
            message = f"{weight.bytes:,} of {weight.budget:,} bytes; {weight.left:,} left"
            yield Finding(
                "near-budget", "warning", weight.path, 0, message, "Compress, move or split before it is full."
            )
        return
    grew = change is None or weight.bytes > _most(change, lambda tree: _size(tree, weight.path))
    kept = "" if grew else "; this commit does not make it grow"
    message = f"{weight.bytes:,} bytes, {-weight.left:,} over its budget of {weight.budget:,}{kept}"
    hint = "Compress, move or split it. Until then, only a commit that makes it grow is refused."
    yield Finding("over-budget", "error" if grew else "warning", weight.path, 0, message, hint)


def _most(change: Change, measure: Callable[[Snapshot], int]) -> int:
    """Measure the heaviest parent: what a merge takes over from either side, it did not make grow."""
    return max(map(measure, change.parents), default=0)


def _size(tree: Snapshot, path: str) -> int:
    return len(tree[path]) if path in tree and not odd(tree, path) else 0


# --- one file --------------------------------------------------------------------------------------------------------


def _file(snapshot: Snapshot, path: str, config: Config, today: str) -> Iterator[Finding]:
    resident = config.is_resident(path)
    if what := odd(snapshot, path):
        hidden = what.startswith(("unreadable", "too large"))  # nobody can tell what is in it
        hint = "Split it, or let it be read." if hidden else "Put the text itself there." if resident else ""
        severity: Severity = "error" if resident or hidden else "warning"
        yield Finding("not-a-regular-file", severity, path, 0, f"not examined: {what}", hint)
        return
    data = snapshot[path]
    if conflict := _conflict(path, data, config):
        yield conflict
        yield from (danger for danger in dangers(path, data) if danger.severity == "error")
        return
    yield from dangers(path, data)
    page = document.read(data)
    yield from _set_aside(path, data, page.body)
    prose = _prose(data, page.body)
    exists = _exists(snapshot)
    yield from _links(prose, path, exists)
    yield from _record_lines(path, [(line, text) for line, text in prose if ">" in text[:4] and "**" in text])
    if resident:
        yield from _resident(prose, path, page, today, exists)
    elif not config.journal_of(path):
        yield from _on_demand(path, page, today)
    elif page.error:
        yield _bad_front_matter(path, page.error)


def _conflict(path: str, data: bytes, config: Config) -> Finding | None:
    """Report a conflict copy; it quotes a text, and is otherwise no memory of its own."""
    if not path.startswith(config.inbox + "/"):
        return None
    from memtool.core.lint import conflict

    return conflict.found(path, data, config)


def _set_aside(path: str, data: bytes, body: int) -> Iterator[Finding]:
    if markers.SET_ASIDE in data:
        from memtool.core.lint import conflict

        yield from conflict.inline(path, data, body)


def dangers(path: str, data: bytes) -> Iterator[Finding]:
    """Yield what no file of a memory may hold: secrets, conflict markers, bytes that are no text."""
    for line, kind in secrets(data):
        yield Finding(
            "secret", "error", path, line, f"looks like a secret: {kind}", "Take it out; if it was real, revoke it."
        )
    if marker := markers.conflict(data):
        line, certain = marker
        yield Finding(
            "conflict-marker", "error" if certain else "warning", path, line, "a conflict marker of git's",
            "Keep what is meant of both sides, remove the markers.",
        )  # fmt: skip
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = document.line_number(data, error.start)
        yield Finding("not-utf-8", "warning", path, line, f"the byte {data[error.start]:#04x} is not UTF-8")


def _prose(data: bytes, body: int) -> links.Prose:
    shift = document.line_number(data, body)
    rest = data[body:]
    return [
        (number, rest[start:end].decode("utf-8", "replace").rstrip("\r\n"))
        for number, (kind, start, end) in enumerate(lines(rest), shift)
        if kind in {"text", "heading"}
    ]


def _exists(snapshot: Snapshot) -> Callable[[str], bool]:
    return lambda place: place in snapshot or next(under(snapshot, place), None) is not None


def _links(prose: links.Prose, path: str, exists: Callable[[str], bool]) -> Iterator[Finding]:
    for line, target in links.broken(prose, path, exists):
        yield Finding("broken-link", "warning", path, line, f"the link to {target} leads to no file here")


def _record_lines(path: str, quotes: links.Prose) -> Iterator[Finding]:
    if not quotes:
        return
    from memtool.core.lint import records

    for line, message in records.near_misses(quotes):
        hint = "Write `> **Key:** value`, a date as YYYY-MM-DD; docs/format.md has the keys."
        yield Finding("bad-record-line", "warning", path, line, message, hint)


def _resident(
    prose: links.Prose, path: str, page: Document, today: str, exists: Callable[[str], bool]
) -> Iterator[Finding]:
    from memtool.core.lint import resident, review
    from memtool.core.lint.status import rotting

    for line, name in links.imports(prose, path, exists):
        hint = f"Write `{name}` in backticks, or link the file."
        yield Finding(
            "accidental-import", "warning", path, line, f"a host would load {name} in full at each start", hint
        )
    misplaced = list(resident.misplaced(prose))
    has_backlog = any(code == "backlog" for _, code, _ in misplaced)
    for line, text in prose:
        if has_backlog and text.lstrip(" ")[1:5] == " [ ]":
            continue  # a task of the backlog, which is told of as one
        if words := rotting(text):
            hint = "Move it to a project file, or say when it was so."
            yield Finding("rotting-status", "warning", path, line, f"will soon be wrong: “{words}”", hint)
    for line, code, message in misplaced:
        yield Finding(code, "warning", path, line, message, "Move it to the on-demand tier.")
    for line, message in review.due(page.data, today=today, review_by=page.review_by):
        hint = "Look at it, then write `review by YYYY-MM-DD` in the section."
        yield Finding("review-due", "warning", path, line, message, hint)
    if page.error:
        yield _bad_front_matter(path, page.error)


def _on_demand(path: str, page: Document, today: str) -> Iterator[Finding]:
    if page.error:
        yield _bad_front_matter(path, page.error)
        return
    for code, message, hint in routing.description(page, page.title):
        yield Finding(code, "warning", path, 1, message, hint)
    if page.source_date and not is_date(page.source_date):
        yield Finding("no-source-date", "warning", path, 1, f"“{page.source_date}” is no date", "Write YYYY-MM-DD.")
    elif not page.source_date:
        hint = "Add `source_date: YYYY-MM-DD`: when what it says was so."
        yield Finding("no-source-date", "warning", path, 1, "no source date: nobody can tell how old it is", hint)
    if page.review_by and page.review_by < today:
        hint = "Look at it, then move `review_by` on."
        yield Finding("review-due", "warning", path, 1, f"was to be reviewed by {page.review_by}", hint)
    if is_date(page.valid_until) and page.valid_until < today:
        hint = "Look at it, then move `valid_until` on, or delete the file."
        yield Finding("review-due", "warning", path, 1, f"held until {page.valid_until}, by its own words", hint)


def _bad_front_matter(path: str, error: BadYaml) -> Finding:
    hint = f"Write it so: {error.hint}" if error.hint.strip() else ""
    return Finding("bad-front-matter", "error", path, error.line, error.message, hint)
