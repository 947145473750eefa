"""`remember`: one entry more, on disk before it is reported, and committed if git can."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memtool.core import document
from memtool.core.config import CONFIG, Config
from memtool.core.entry import Entry, Ref, entries, ref
from memtool.core.lint.secrets import secrets
from memtool.core.page import is_generated
from memtool.core.plainyaml import quote
from memtool.core.recall.hit import address
from memtool.core.recall.terms import fold, terms
from memtool.core.writing.compose import Draft, appended, normalised, refuse_no_date
from memtool.core.writing.process import is_process
from memtool.edge import recall, repository
from memtool.edge.files import read_regular, sweep, write_atomically
from memtool.edge.location import head, load_config
from memtool.edge.lock import TURN, locked, patiently
from memtool.edge.pending import note, pending
from memtool.edge.plumbing import GitError, git, records
from memtool.edge.recall import Found
from memtool.edge.transaction import settle
from memtool.edge.trees import Folder, WorkTree, blob_id
from memtool.errors import MemtoolError
from memtool.jobs.commit import on_disk, trailer_path, write_pages
from memtool.jobs.index import write_index
from memtool.jobs.recall import refuse_outside
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
    repository.leave_commit_in_progress()
    path = _place(root, to, draft, agent, config)
    if dry_run:
        notes = _look(root, draft, config)
        result, entry = _made(root, path, draft, agent)
        return Remembered(str(ref(path, result, entry)), path, "", tuple(notes)), result[entry.start : entry.end]
    with locked(root, wait=60, name=TURN), locked(root, wait=60):
        settle(root)
        notes = _look(root, draft, config)  # under the lock: another may be storing the same
        notes += _about_place(root, path)
        result, entry = _made(root, path, draft, agent)
        note(root, [*pending(root), path])
        sweep(os.path.dirname(os.path.join(root, path)))
        write_atomically(os.path.join(root, path), result)
        said = ref(path, result, entry)
        commit, problem = _commit(root, config, said, agent)
        if on_disk(root, path) != result:
            problem.append("a hook changed the file after the entry was written: look at it, and at its ref.")
    return Remembered(str(said), path, commit, (*notes, *problem)), result[entry.start : entry.end]


def _place(root: str, to: str | None, draft: Draft, agent: str, config: Config) -> str:
    """Give the file for the entry; raises MemtoolError where it is none for entries."""
    if to is None:
        if not agent:
            raise MemtoolError("whose journal?", hint="Name the agent: --agent, or `git config memtool.agent NAME`.")
        refuse_no_date(draft.date, "the date")
        path = f"{config.notes}/{agent}/{draft.date[:7]}.md"
    else:
        path = to
    if not config.is_on_demand(path):
        raise MemtoolError(
            f"{path}: not on demand, so it takes no entries", hint=f"{CONFIG} says which folders are: on_demand."
        )
    refuse_outside(root, path)
    place = os.path.join(root, path)
    data = read_regular(place)
    if isinstance(data, bytes) and is_generated(data):
        raise MemtoolError(f"{path}: memtool generates it; nothing was stored")
    if not os.path.lexists(place) and repository.ignored(root, [path]):
        raise MemtoolError(f"{path}: git is told to ignore it; nothing was stored", hint="Change .gitignore.")
    return path


def _about_place(root: str, path: str) -> list[str]:
    """Note what a person may not expect of the commit."""
    told = []
    if path in repository.touched(root) and path not in pending(root):
        told.append(f"{path} has other changes that were not committed; they are committed with the entry.")
    if head(root) and not repository.branch_of(root):
        told.append("HEAD is on no branch: make one, or the entry is lost from sight when you leave.")
    return told


def _look(root: str, draft: Draft, config: Config) -> list[str]:
    """Refuse a secret and what is there already; note what reads like a process, or nearly like another entry."""
    for text in (draft.text, draft.title, draft.scope, draft.why, draft.source, draft.valid_until):
        for line, kind in secrets(text.encode("utf-8", "replace")):
            raise MemtoolError(f"line {line} holds {kind}; nothing was stored", hint="Say where it is kept instead.")
    said = is_process(draft.text)
    notes = [said + " Record conclusions and reasons."] if said else []
    found_ones = recall.search(WorkTree(root), config, f"{draft.title} {draft.text}")
    for found, _ in zip(found_ones, range(_COMPARED), strict=False):
        notes += _compared(draft, found)
    return notes


def _compared(draft: Draft, found: Found) -> Iterator[str]:
    """Note what an entry that is there says of the new one; raises MemtoolError where it says the same, and holds."""
    item, value = found.entry, normalised(draft.text)
    where = address(found.path, found.data, item)
    for void in item.voids:
        if normalised(void.text.decode("utf-8", "replace")) == value:
            yield f"this was withdrawn on {void.since} ({void.reason}): {where}"
    until = document.read(found.data).valid_until
    if item.status(today=draft.date, valid_until=until) == "expired":
        return
    live = item.live.decode("utf-8", "replace")
    if normalised(live) == value:
        raise MemtoolError(f"this is remembered already: {where}", hint=f"memtool verify {where} confirms it.")
    words, others = set(terms(fold(draft.text))), set(terms(fold(live)))
    if len(words & others) >= _LIKE * len(words | others):
        yield f"nearly the same stands in {where}; if it corrects that, use `memtool revise`."


def _made(root: str, path: str, draft: Draft, agent: str) -> tuple[bytes, Entry]:
    """Give the file with the entry, and the entry."""
    data = read_regular(os.path.join(root, path))
    if isinstance(data, str):
        _refuse_hidden(root, path, data)
    try:
        result = appended(_new_file(path, draft, agent) if isinstance(data, str) else data, draft)
    except MemtoolError as error:
        raise MemtoolError(f"{path}: {error.message}", hint=error.hint) from None
    _refuse_conversion(root, path, result)
    return result, entries(result, document.read(result).body)[-1]


def _refuse_hidden(root: str, path: str, why: str) -> None:
    """Raise MemtoolError for a file that stands there unread, or that git holds and the disk does not."""
    if os.path.lexists(os.path.join(root, path)):
        raise MemtoolError(f"{path}: {why}; nothing was stored")
    if next(records(root, "ls-files", "-z", "--", f":(top,literal){path}"), None) is not None:
        raise MemtoolError(
            f"{path}: git holds it and the disk does not; nothing was stored",
            hint="Bring it back: git checkout -- PATH, or let a sparse checkout hold it.",
        )


def _refuse_conversion(root: str, path: str, data: bytes) -> None:
    """Raise MemtoolError where git would keep other bytes than *data*: a filter, or converted line ends."""
    oid = git(root, "hash-object", "--stdin", "--path", path, stdin=data).strip()
    if oid != blob_id(data, len(oid)):
        raise MemtoolError(
            f"{path}: git would not keep its bytes as they are; nothing was stored",
            hint="Put `*.md -text` into .gitattributes, as `memtool init` does.",
        )


def _new_file(path: str, draft: Draft, agent: str) -> bytes:
    """Give the head of a new journal, or of a new file that somebody named."""
    name = path.rpartition("/")[2].removesuffix(".md")
    journal = agent and path.endswith(f"/{agent}/{name}.md")
    title = f"Journal of {agent}, {name}" if journal else name
    about = f"read when looking for what {agent} noted in {name}" if journal else f"read before work on {name}"
    status = "" if journal else "description_status: draft\n"
    return f"---\ndescription: {quote(about)}\n{status}source_date: {draft.date}\n---\n\n# {title}\n".encode()


# --- the commit ------------------------------------------------------------------------------------------------------


def _commit(root: str, config: Config, said: Ref, agent: str) -> tuple[str, list[str]]:
    """Commit the file of the new entry and what waits from before; give the commit, and what went wrong."""
    made = ""
    try:
        repository.refuse_unfinished(root)
        paths = [said.path, *repository.uncommitted(root, pending(root))]
        pages = write_pages(root, config, paths)
        made = patiently(
            lambda: _committed(root, list(dict.fromkeys([*paths, *pages])), said, agent), seconds=_PATIENCE
        )
        note(root, [])
        if pages and repository.touched(root):  # the index of what is committed may lack what is not
            write_index(root)
    except (MemtoolError, OSError) as error:
        text = (error.stderr.strip() if isinstance(error, GitError) else "") or str(error)
        if made:
            return made, [f"committed, but the index could not be written ({text}); memtool index writes it."]
        return "", [f"stored, but not committed yet ({text}); the next command that writes commits it."]
    return made, []


def _committed(root: str, paths: list[str], said: Ref, agent: str) -> str:
    trailers = [*trailer_path(said.path), f"Memory-Hash: {said.hash}"]
    return repository.commit(
        root, paths, subject="Remember an entry", operation="remember", agent=agent, trailers=trailers
    )
