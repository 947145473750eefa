"""`restore`: a file or an entry as it was, in one new commit; what is there now is never lost."""

from __future__ import annotations

from difflib import diff_bytes, unified_diff

from memtool.core import document
from memtool.core.config import Config
from memtool.core.entry import Entry, Ref, entries, entry_hash, find
from memtool.core.lint.secrets import secrets
from memtool.core.log.back import put_back, replaced, returning, returning_in
from memtool.core.log.report import OID, word
from memtool.core.log.section import bytes_of
from memtool.core.log.trace import Thing, steps
from memtool.core.recall.hit import address
from memtool.edge import repository
from memtool.edge.lineage import Lineage
from memtool.edge.location import head, load_config
from memtool.edge.plumbing import git
from memtool.edge.trees import CommitTree, Folder
from memtool.errors import MemtoolError
from memtool.jobs.commit import Message, commit, index_pages, on_disk, trailer_path
from memtool.jobs.log import Subject, aim, moved_to, never_there, opened
from memtool.jobs.recall import refuse_outside
from memtool.jobs.uncommitted import is_deleted, refuse_deleted, refuse_loss, undelete
from memtool.model import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Restored(Record):
    """What `restore` is about to do, or has done."""

    path: str
    ref: str
    """The entry, as it is afterwards; empty for a file."""
    version: str
    """The commit that holds what is brought back."""
    diff: str
    """What changes, as a unified diff; empty where it is so already."""
    commit: str = ""
    """Empty for a dry run, where nothing changes, and where only a deletion that was not committed is taken back."""

    def asdict(self) -> dict[str, Any]:
        """Give it in the shape of ``memtool.restore/1``."""
        return {"schema": "memtool.restore/1", **super().asdict()}


class _Version(Record):
    """Where a past state lies."""

    commit: str
    thing: Thing


class _Change(Record):
    """What is to be written."""

    path: str
    before: bytes | None
    after: bytes
    ref: Ref | None


def restore(root: str, target: str, *, agent: str, at: str = "", dry_run: bool = False) -> Restored:
    """Bring back the file or entry *target* as it was *at* a revision, else before its last change, and commit that.

    A file whose deletion is not committed comes back as HEAD has it, without a commit. Raises MemtoolError, and changes
    nothing, where there is no such version, where what is there now has not been committed, and where a secret or a
    void text would come back.
    """
    config = load_config(Folder(root))[0].writable()
    repository.leave_commit_in_progress()
    repository.refuse_unfinished(root)
    with opened(root) as objects:
        lineage = Lineage(objects, head(root))
        subject = aim(lineage, target)
        refuse_outside(root, path := subject.now.path)
        if is_deleted(root, lineage.tree, path) and not (subject.ref or at):
            return _undeleted(root, lineage, path, config, dry_run=dry_run)
        refuse_deleted(root, lineage.tree, path)
        version = _version(lineage, subject, at)
        made = _made(root, lineage, subject, version, config)
        done = Restored(made.path, str(made.ref or ""), version.commit, _diff(made))
        if dry_run or made.before == made.after:
            return done
        after: dict[str, bytes | None] = {made.path: made.after}
        after |= index_pages(root, lineage.tree, config, after)
    trailers = [*trailer_path(made.path), *([f"Memory-Hash: {made.ref.hash}"] if made.ref else [])]
    message = Message(f"Restore {'an entry' if made.ref else 'a file'}", "restore", agent, trailers)
    return done.replace(commit=commit(root, {made.path: made.before}, after, message))


# --- which version ---------------------------------------------------------------------------------------------------


def _version(lineage: Lineage, subject: Subject, at: str) -> _Version:
    if at:
        return _version_at(lineage, subject, at)
    wanted = subject.ref.hash if subject.ref else ""
    if wanted and wanted != entry_hash(subject.now.content):
        return _version_of(lineage, subject, wanted)
    found = list(steps(subject.states(lineage)))
    if not found:
        raise never_there(lineage, subject)
    if not subject.now.content and (to := moved_to(found[0], lineage)):
        raise MemtoolError(
            f"{subject.name}: it is not gone, it was moved to {to}",
            hint=f"memtool log {word(to)}; to have both, say which version: --at {found[0].commit.oid[:OID]}^",
        )
    for step in found:
        if step.was and step.was.content not in {b"", subject.now.content}:
            return _Version(step.commit.parents[0], step.was)
    raise MemtoolError(f"{subject.name}: history holds no other version of it", hint=subject.told_by)


def _version_of(lineage: Lineage, subject: Subject, wanted: str) -> _Version:
    """Find the newest version of an entry with the hash *wanted*."""
    for one, thing, _ in subject.states(lineage):
        if thing.content and entry_hash(thing.content) == wanted:
            return _Version(one.oid, thing)
    hint = f"memtool log {word(subject.name.rpartition('@')[0])}"
    raise MemtoolError(f"{subject.name}: no version of it has that hash", hint=hint)


def _version_at(lineage: Lineage, subject: Subject, at: str) -> _Version:
    """Find a thing in the tree of the revision *at*: by its name, else by what it was called there."""
    asked = ("rev-parse", "-q", "--verify", "--end-of-options", f"{at}^{{commit}}")
    oid = git(lineage.objects.root, *asked, ok=(0, 1)).decode().strip()
    if not oid:
        raise MemtoolError(f"{at}: no such commit")
    if thing := _named_in(CommitTree(lineage.objects, oid), subject):
        return _Version(oid, thing)
    for one, thing, _ in subject.states(lineage):
        if one.oid == oid and thing.content:
            return _Version(oid, thing)
    raise MemtoolError(f"{subject.name}: {at} does not hold it", hint=subject.told_by)


def _named_in(tree: CommitTree, subject: Subject) -> Thing | None:
    if subject.ref is None:
        blob = tree.blob(subject.now.path)
        return Thing(subject.now.path, blob.oid) if blob else None
    data = tree.get(subject.ref.path, b"")
    found = find(data, subject.ref.replace(hash=""))
    return Thing(subject.ref.path, bytes_of(data, found[0]), found[0].slug) if len(found) == 1 else None


# --- what is written -------------------------------------------------------------------------------------------------


def _made(root: str, lineage: Lineage, subject: Subject, version: _Version, config: Config) -> _Change:
    """Make the file as it will be; raises MemtoolError for what may not come back."""
    path = subject.now.path
    if not config.is_memory(path):
        raise MemtoolError(f"{path}: no memory file", hint=_by_git(version.commit[:OID], version.thing.path))
    before = _committed(root, lineage, path)
    tree = CommitTree(lineage.objects, version.commit)
    if what := tree.odd(version.thing.path):
        raise MemtoolError(f"{version.thing.path}: it was {what} in {version.commit[:OID]}; nothing was changed")
    then = tree[version.thing.path]
    made = _entry(subject, version, before, then) if subject.ref else _Change(path, before, then, None)
    back = version.thing.content if subject.ref else then
    _refuse_secrets(subject, back)
    _refuse_void(subject, lineage, back)
    return made


def _by_git(commit: str, path: str) -> str:
    """Give the way to bring back a file that is no memory."""
    return f"To bring it back: git checkout {commit} -- {word(path)}"


def _committed(root: str, lineage: Lineage, path: str) -> bytes | None:
    """Give what stands at *path*; raises MemtoolError unless HEAD holds just that, for it would be lost."""
    data = on_disk(root, path)
    refuse_loss(root, lineage.tree, path)
    if data is None and lineage.tree.blob(path):
        raise MemtoolError(f"{path}: no regular file")
    return data


def _undeleted(root: str, lineage: Lineage, path: str, config: Config, *, dry_run: bool) -> Restored:
    """Bring a file back as HEAD has it; raises MemtoolError for one that is no memory."""
    if not config.is_memory(path) or lineage.tree.odd(path):
        raise MemtoolError(f"{path}: no memory file", hint=_by_git("HEAD", path))
    content = lineage.tree[path]
    if not dry_run:
        undelete(root, path, content)
    return Restored(path, "", lineage.commits[0].oid, _diff(_Change(path, None, content, None)))


def _entry(subject: Subject, version: _Version, before: bytes | None, then: bytes) -> _Change:
    """Make the file with one entry as it was: in the place of what it is, else put back where it stood."""
    path, thing = subject.now.path, version.thing
    item = _item(then, thing)
    if before is None:
        start = then[: document.read(then).body]
        after = put_back(start, then, item)
    elif subject.now.content:
        after = replaced(before, _item(before, subject.now), thing.content)
    else:
        after = put_back(before, then, item)
    same = [one for one in entries(after, document.read(after).body) if bytes_of(after, one) == thing.content]
    return _Change(path, before, after, address(path, after, same[0]))


def _item(data: bytes, thing: Thing) -> Entry:
    """Find the entry *thing* in its file: by its bytes, and of equal ones by its slug."""
    same = [item for item in entries(data, document.read(data).body) if bytes_of(data, item) == thing.content]
    return next((item for item in same if item.slug == thing.slug), same[0])


def _refuse_secrets(subject: Subject, back: bytes) -> None:
    if found := secrets(back):
        line, kind = found[0]
        raise MemtoolError(
            f"{subject.name}: line {line} of what would come back holds a secret ({kind}); nothing was changed",
            hint="`memtool remember` can say where it is kept instead.",
        )


def _refuse_void(subject: Subject, lineage: Lineage, back: bytes) -> None:
    """Raise MemtoolError where a text would come back as current that the newest version declares void."""
    newest = _newest(subject, lineage)
    found = returning_in(entries(newest)[0], entries(back)[0]) if subject.ref else returning(newest, back)
    for void in found:
        said = " ".join(void.text.decode("utf-8", "replace").split())[:80]
        raise MemtoolError(
            f"{subject.name}: “{said}” would hold again, and it is void since {void.since} ({void.reason});"
            " nothing was changed",
            hint="`memtool revise` says what holds now; if this does again, `memtool remember` it with the reason.",
        )


def _newest(subject: Subject, lineage: Lineage) -> bytes:
    """Give the newest content there is of a file or entry, be it gone or not."""
    content = subject.now.content
    if not content:
        found = (step.was for step in steps(subject.states(lineage)))
        content = next((was.content for was in found if was and was.content), b"")
    return content if subject.ref else lineage.read(content)


def _diff(made: _Change) -> str:
    old, new = (made.before or b"").splitlines(keepends=True), made.after.splitlines(keepends=True)
    name = made.path.encode("utf-8", "surrogateescape")
    lines = diff_bytes(unified_diff, old, new, name, name)
    return "".join(line.decode("utf-8", "replace").rstrip("\r\n") + "\n" for line in lines)
