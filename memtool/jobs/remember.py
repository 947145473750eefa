"""`remember`: one entry more, on disk before it is reported, and committed if git can."""

from __future__ import annotations

import os
import time

from memtool.core import document
from memtool.core.config import CONFIG, Config
from memtool.core.entry import Entry, Ref, entries, ref
from memtool.core.lint.secrets import secrets
from memtool.core.page import is_generated
from memtool.core.plainyaml import quote
from memtool.core.recall.terms import fold, terms
from memtool.core.writing.compose import Draft, appended, normalised
from memtool.core.writing.process import is_process
from memtool.edge import recall, repository
from memtool.edge.files import read_regular, write_atomically
from memtool.edge.location import head, load_config
from memtool.edge.lock import locked
from memtool.edge.pending import note, pending
from memtool.edge.plumbing import GitError, Objects
from memtool.edge.transaction import settle
from memtool.edge.trees import CommitTree, Folder, WorkTree
from memtool.errors import MemtoolError
from memtool.jobs.commit import index_pages
from memtool.jobs.split.places import trailer_path
from memtool.model import Record

_LIKE = 0.8
"""The share of terms in common from which on two entries nearly say the same."""
_COMPARED = 5
"""How many of the entries found by the words of a new one it is compared with."""
_PATIENCE = 3.0
"""Seconds to try again while another git holds the index."""


class Remembered(Record):
    """What `remember` stored."""

    ref: str
    path: str
    commit: str
    """Empty where nothing is committed (yet)."""
    notes: tuple[str, ...] = ()
    """What a person should know."""


def remember(
    root: str, draft: Draft, *, agent: str, to: str | None = None, dry_run: bool = False
) -> tuple[Remembered, bytes]:
    """Append the entry of *draft* to the agent's journal, or to the file *to*; give its ref and its bytes.

    Raises MemtoolError, and stores nothing, for an entry that is there already, holds a secret, would not read back as
    meant, or cannot be written. Where only the commit fails, the entry is stored, and the next command that writes
    commits it.
    """
    config = load_config(Folder(root))[0].writable()
    path = _place(root, to, draft, agent, config)
    notes = _look(root, draft, config)
    if dry_run:
        _, result, entry = _made(root, path, draft, agent)
        return Remembered(str(ref(path, result, entry)), path, "", tuple(notes)), result[entry.start : entry.end]
    with locked(root, wait=60):
        settle(root)
        before, result, entry = _made(root, path, draft, agent)
        waiting = [*pending(root), path]
        note(root, waiting)
        write_atomically(os.path.join(root, path), result)
        said = ref(path, result, entry)
        pages = _pages(root, config, path, result) if before is None else []
        commit, problem = _commit(root, [path, *pages], said, agent)
    return Remembered(str(said), path, commit, (*notes, *problem)), result[entry.start : entry.end]


def _place(root: str, to: str | None, draft: Draft, agent: str, config: Config) -> str:
    """Give the file for the entry; raises MemtoolError where it is none for entries."""
    if to is None:
        if not agent:
            raise MemtoolError("whose journal?", hint="Name the agent: --agent, or `git config memtool.agent NAME`.")
        path = f"{config.notes}/{agent}/{draft.date[:7]}.md"
    else:
        path = to
    if not config.is_on_demand(path):
        raise MemtoolError(
            f"{path}: not on demand, so it takes no entries", hint=f"{CONFIG} says which folders are: on_demand."
        )
    place = os.path.join(root, path)
    what = Folder(root).odd(path) if os.path.lexists(place) else ""
    data = read_regular(place)
    if what or (isinstance(data, bytes) and is_generated(data)):
        raise MemtoolError(f"{path}: {what or 'memtool generates it'}; nothing was stored")
    return path


def _look(root: str, draft: Draft, config: Config) -> list[str]:
    """Refuse a secret and what is there already; note what reads like a process, or nearly like another entry."""
    for text in (draft.text, draft.title, draft.why, draft.source):
        for line, kind in secrets(text.encode("utf-8", "replace")):
            raise MemtoolError(f"line {line} holds {kind}; nothing was stored", hint="Say where it is kept instead.")
    said = is_process(draft.text)
    notes = [said + " Record conclusions and reasons."] if said else []
    value, words = normalised(draft.text), set(terms(fold(draft.text)))
    found_ones = recall.search(WorkTree(root), config, f"{draft.title} {draft.text}")
    for found, _ in zip(found_ones, range(_COMPARED), strict=False):
        live = found.entry.live.decode("utf-8", "replace")
        where = ref(found.path, found.data, found.entry)
        if normalised(live) == value:
            raise MemtoolError(f"this is remembered already: {where}", hint=f"memtool verify {where} confirms it.")
        others = set(terms(fold(live)))
        if len(words & others) >= _LIKE * len(words | others):
            notes.append(f"nearly the same stands in {where}; if it corrects that, use `memtool revise`.")
    return notes


def _made(root: str, path: str, draft: Draft, agent: str) -> tuple[bytes | None, bytes, Entry]:
    """Give the file before, the file with the entry, and the entry."""
    data = read_regular(os.path.join(root, path))
    if isinstance(data, str) and os.path.lexists(os.path.join(root, path)):
        raise MemtoolError(f"{path}: {data}; nothing was stored")
    before = None if isinstance(data, str) else data
    try:
        result = appended(_new_file(path, draft, agent) if before is None else before, draft)
    except MemtoolError as error:
        raise MemtoolError(f"{path}: {error.message}", hint=error.hint) from None
    return before, result, entries(result, document.read(result).body)[-1]


def _new_file(path: str, draft: Draft, agent: str) -> bytes:
    """Give the head of a new journal, or of a new file that somebody named."""
    name = path.rpartition("/")[2].removesuffix(".md")
    journal = agent and path.endswith(f"/{agent}/{name}.md")
    title = f"Journal of {agent}, {name}" if journal else name
    about = f"read when looking for what {agent} noted in {name}" if journal else f"read before work on {name}"
    status = "" if journal else "description_status: draft\n"
    return f"---\ndescription: {quote(about)}\n{status}source_date: {draft.date}\n---\n\n# {title}\n".encode()


# --- the commit ------------------------------------------------------------------------------------------------------


def _commit(root: str, paths: list[str], said: Ref, agent: str) -> tuple[str, list[str]]:
    """Commit *paths*, and what waits from before; give the commit, or what kept it."""
    try:
        repository.refuse_unfinished(root)
        waiting = repository.uncommitted(root, pending(root))
        made = _patiently(root, list(dict.fromkeys([*paths, *waiting])), said, agent)
    except (MemtoolError, OSError) as error:
        text = error.stderr.strip() if isinstance(error, GitError) else str(error)
        return "", [f"stored, but not committed yet ({text}); the next command that writes commits it."]
    note(root, [])
    return made, []


def _pages(root: str, config: Config, path: str, data: bytes) -> list[str]:
    """Write the pages of the index that lead to a new file, and list them."""
    with Objects(root) as objects:
        committed = CommitTree(objects, "HEAD") if head(root) else None
        made = index_pages(root, committed, config, {path: data}) if committed is not None else {}
    for page, content in made.items():
        if content is not None:
            write_atomically(os.path.join(root, page), content, durable=False)
    return list(made)


def _patiently(root: str, paths: list[str], said: Ref, agent: str) -> str:
    """Commit; while another git holds the index, try again for a while."""
    end = time.monotonic() + _PATIENCE
    pause = 0.05
    while True:
        try:
            return repository.commit(
                root, paths, subject="Remember an entry", operation="remember", agent=agent,
                trailers=[*trailer_path(said.path), f"Memory-Hash: {said.hash}"],
            )  # fmt: skip
        except GitError as error:
            if "index.lock" not in error.stderr or time.monotonic() > end:
                raise
        time.sleep(pause)
        pause *= 2
