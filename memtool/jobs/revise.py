"""`revise`, `forget`, `verify`: one entry corrected, withdrawn or confirmed, in one commit."""

from __future__ import annotations

from collections.abc import Callable

from memtool.core import document
from memtool.core.entry import Entry, entries, parse_ref
from memtool.core.lint.secrets import secrets
from memtool.core.recall.hit import address
from memtool.core.writing.amend import confirmed, revised, withdrawn
from memtool.edge import repository
from memtool.edge.location import load_config
from memtool.edge.pending import pending
from memtool.edge.trees import Folder
from memtool.errors import MemtoolError
from memtool.jobs.commit import Message, commit, trailer_path, write_pages
from memtool.jobs.recall import resolve
from memtool.model import Record


class Changed(Record):
    """What was done to an entry."""

    ref: str
    """As it is now."""
    path: str
    commit: str
    """Empty for a dry run, and where nothing changed."""
    text: str
    """The entry as it stands now, all of it."""


class Writer(Record):
    """Who changes which memory repo, and when."""

    root: str
    agent: str
    today: str
    dry_run: bool = False


def revise(writer: Writer, wanted: str, *, void: str, reason: str, now: str = "") -> Changed:
    """Void the part *void* of an entry, with the *reason*, and put *now* in its place, if anything."""
    _refuse_secrets(now, reason)

    def change(data: bytes, entry: Entry) -> bytes:
        return revised(data, entry, void=void, reason=reason, day=writer.today, now=now)

    return _change(writer, wanted, change, "revise")


def forget(writer: Writer, wanted: str, *, reason: str) -> Changed:
    """Void all of an entry, with the *reason*; its text stays in the file, and never comes back as current."""
    _refuse_secrets(reason)

    def change(data: bytes, entry: Entry) -> bytes:
        return withdrawn(data, entry, reason=reason, day=writer.today)

    return _change(writer, wanted, change, "forget")


def verify(writer: Writer, wanted: str) -> Changed:
    """Note that an entry was found to hold today."""

    def change(data: bytes, entry: Entry) -> bytes:
        return confirmed(data, entry, day=writer.today)

    return _change(writer, wanted, change, "verify")


def _refuse_secrets(*texts: str) -> None:
    if any(secrets(text.encode("utf-8", "replace")) for text in texts):
        raise MemtoolError("the text holds a secret; nothing was changed", hint="Say where it is kept instead.")


def _change(writer: Writer, wanted: str, change: Callable[[bytes, Entry], bytes], operation: str) -> Changed:
    """Carry out one change of one entry and commit it; raises MemtoolError, and changes nothing, where that fails."""
    root = writer.root
    config = load_config(Folder(root))[0].writable()
    repository.leave_commit_in_progress()
    repository.refuse_unfinished(root)
    path, data, entry = resolve(root, parse_ref(wanted), exact=True)
    if not config.is_memory(path):
        raise MemtoolError(f"{path}: no memory file")
    at = [item.start for item in entries(data, document.read(data).body)].index(entry.start)
    result = change(data, entry)
    after = entries(result, document.read(result).body)[at]
    said = address(path, result, after)
    text = result[after.start : after.end].decode("utf-8", "replace")
    if writer.dry_run or result == data:
        return Changed(str(said), path, "", text)
    trailers = [*trailer_path(path), f"Memory-Hash: {said.hash}"]
    message = Message(f"{operation.capitalize()} an entry", operation, writer.agent, trailers)
    waiting = repository.uncommitted(root, pending(root))
    pages = write_pages(root, config, waiting)
    made = commit(root, {path: data}, {path: result}, message, also=[*waiting, *pages])
    return Changed(str(said), path, made, text)
