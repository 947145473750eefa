"""`log`: who changed what, when and why; of all memory, of one file, or of one entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from memtool.core import document
from memtool.core.config import Config
from memtool.core.entry import Ref, entries, entry_hash, find, parse_ref
from memtool.core.log.commit import SPLIT, Commit, Moves, Read
from memtool.core.log.report import Change, Log, change, word
from memtool.core.log.section import END, done, entry_before, read_alone, thing_in, went
from memtool.core.log.trace import Before, State, Step, Thing, file_before, states, steps
from memtool.core.recall.hit import address
from memtool.edge.lineage import Blobs, Lineage, commits
from memtool.edge.location import head, load_config
from memtool.edge.plumbing import Objects
from memtool.edge.trees import Folder, blob_id
from memtool.errors import MemtoolError
from memtool.model import Record

SHOWN = 20
"""Commits, or changes of one thing, that are told unless more are asked for."""


# --- all of the memory -----------------------------------------------------------------------------------------------


def newest(root: str, *, n: int = SHOWN) -> Log:
    """List what the newest *n* commits that changed memory did; nothing where there is no commit yet."""
    tip, config = head(root), load_config(Folder(root))[0]
    if not tip:
        return Log("", (), 0)
    with Objects(root) as objects:
        relevant = (commit for commit in commits(root, tip) if any(map(config.is_memory, commit.changes)))
        found = list(islice(relevant, n))
        read = Blobs(objects).read
        moves = Moves(found, read)
        changes = [one for commit in found for one in _changes(commit, config, moves, read)]
        return Log("", tuple(changes), sum(1 for _ in relevant))


def _changes(commit: Commit, config: Config, moves: Moves, read: Read) -> Iterator[Change]:
    """Yield what one commit did to memory: the entries that it names, and the files in which it names none."""
    moved = {} if commit.cut else moves.of(commit, commit.changes)
    for path, (_, new) in commit.changes.items():
        if not config.is_memory(path) or (not new and path in moved.values()):
            continue
        status = _file_status(commit, path, moved)
        refs = _refs(path, read(new), commit.hashes) if new and commit.hashes else []
        for ref in refs or [""]:
            yield change(commit, path, status, from_path=moved.get(path, ""), ref=ref)


def _file_status(commit: Commit, path: str, moved: dict[str, str]) -> str:
    old, new = commit.changes[path]
    if commit.cut:
        return "cut"
    if path in moved:
        return "split" if commit.op == SPLIT else "renamed"
    return "changed" if old and new else "added" if new else "removed"


def _refs(path: str, data: bytes, hashes: frozenset[str]) -> list[str]:
    found = entries(data, document.read(data).body)
    return [str(address(path, data, item)) for item in found if entry_hash(data[item.start : item.end]) in hashes]


# --- one file or entry -----------------------------------------------------------------------------------------------


class Subject(Record):
    """What is followed through history."""

    name: str
    """As it was asked for."""
    ref: Ref | None
    """None for a file."""
    now: Thing
    """As HEAD has it."""
    before: Before

    @property
    def told_by(self) -> str:
        """The command that tells its history."""
        return f"memtool log {word(self.name)}"

    def states(self, lineage: Lineage) -> Iterator[State]:
        return states(self.now, lineage.commits, lineage.tables, self.before)


def log(root: str, target: str, *, n: int = SHOWN) -> Log:
    """List the newest *n* changes of the file or entry *target*, a path or a ref.

    Raises MemtoolError where HEAD's history never held it, for a folder, and for a ref that several entries have now.
    """
    with opened(root) as objects:
        lineage = Lineage(objects, head(root))
        subject = aim(lineage, target)
        found = list(steps(subject.states(lineage)))
        if not found:
            raise never_there(lineage, subject)
        changes = tuple(told(step, subject, lineage) for step in found[:n])
    return Log(target, changes, len(found) - len(changes), gone=not subject.now.content)


def written(root: str, target: str, texts: Sequence[bytes]) -> list[Change | None]:
    """Tell of each of *texts*, versions of the file or entry *target*, what last made it so; None where no commit did.

    Raises MemtoolError as `log` does.
    """
    with opened(root) as objects:
        lineage = Lineage(objects, tip := head(root))
        subject = aim(lineage, target)
        found = [step for step in steps(subject.states(lineage)) if step.was and step.now.content]
        wanted = [text.rstrip(END) if subject.ref else blob_id(text, len(tip)) for text in texts]
        made = (next((step for step in found if step.now.content == one), None) for one in wanted)
        return [told(step, subject, lineage) if step else None for step in made]


def opened(root: str) -> Objects:
    """Give what reads the objects of a repo; raises MemtoolError for one without a commit."""
    if not head(root):
        raise MemtoolError("there is no history yet: nothing is committed")
    return Objects(root)


def aim(lineage: Lineage, target: str) -> Subject:
    """Find out what *target* means: a file that history holds, or else an entry of one."""
    is_path = "#" not in target or any(target in commit.changes for commit in lineage.commits)
    path = target if is_path else parse_ref(target).path
    _refuse_folder(lineage, path)
    if is_path:
        blob = lineage.tree.blob(target)
        return Subject(target, None, Thing(target, blob.oid if blob else b""), file_before(lineage.moves))
    wanted = parse_ref(target)
    data = lineage.tree.get(wanted.path, b"")
    same = find(data, wanted)
    if len(same) > 1:
        lines = ", ".join(f"{address(wanted.path, data, item)} (line {item.line})" for item in same)
        raise MemtoolError(f"{wanted}: {len(same)} entries are called so", hint=f"Now there: {lines}")
    now = thing_in(wanted.path, data, wanted) or Thing(wanted.path, b"", wanted.slug)
    return Subject(target, wanted, now, entry_before(lineage.moves, lineage.read, wanted))


def _refuse_folder(lineage: Lineage, path: str) -> None:
    """Raise MemtoolError for a path that only ever was a folder, naming a file below it: the newest that is there."""
    known = dict.fromkeys(name for commit in lineage.commits for name in commit.changes)
    below = [name for name in known if name.startswith(f"{path}/" if path else "")]
    if path in known or not below:
        return
    there = [name for name in below if name in lineage.tree] or below
    example = max(there, key=lambda name: (name.endswith(".md"), "/" in name))
    raise MemtoolError(f"{path or '.'}: a folder, not a file", hint=f"Name a file below it, such as {word(example)}.")


def never_there(lineage: Lineage, subject: Subject) -> MemtoolError:
    """Make the error for what no commit holds, with what is near it."""
    from difflib import get_close_matches

    known = {path for commit in lineage.commits for path in commit.changes}
    path = subject.now.path
    if subject.ref and path in known:
        hint = f"The file has a history: memtool log {word(path)}"
    else:
        near = get_close_matches(path, sorted(known), n=3, cutoff=0.5)
        hint = f"Near it: {', '.join(near)}." if near else "`memtool log` lists what changed lately."
    return MemtoolError(f"{subject.name}: no commit behind HEAD ever held it", hint=hint)


def told(step: Step, subject: Subject, lineage: Lineage) -> Change:
    """Say what a step did to what is followed."""
    return _entry_told(step, lineage) if subject.ref else _file_told(step, lineage)


def _file_told(step: Step, lineage: Lineage) -> Change:
    commit, was, now = step.commit, step.was, step.now
    if was is None:
        return change(commit, now.path, "cut")
    moved = "split" if commit.op == SPLIT else "renamed"
    if not now.content:
        to = moved_to(step, lineage)
        return change(commit, to, moved, from_path=now.path) if to else change(commit, now.path, "removed")
    if was.content and was.path != now.path:
        return change(commit, now.path, moved, from_path=was.path)
    return change(commit, now.path, "changed" if was.content else "added")


def moved_to(step: Step, lineage: Lineage) -> str:
    """Name the file to which a step moved what it took away; empty where it removed it."""
    commit, now = step.commit, step.now
    if now.slug:
        return went(step.was, commit.changes, lineage.read) if step.was else ""
    moved = lineage.moves.of(commit, commit.changes)
    return next((new for new, old in moved.items() if old == now.path), "")


def _entry_told(step: Step, lineage: Lineage) -> Change:
    commit, was, now = step.commit, step.was, step.now
    if not now.content and (to := moved_to(step, lineage)):
        return change(commit, to, "moved", from_path=now.path)
    status, reason = done(was, now)
    source = was.path if was and was.content and was.path != now.path else ""
    return change(commit, now.path, status, from_path=source, reason=reason, ref=_ref(now))


def _ref(thing: Thing) -> str:
    """Give the ref of an entry as it was; nothing for one that is not there."""
    if not thing.content:
        return ""
    item = read_alone(thing)
    said = address(thing.path, thing.content, item)
    return str(said.replace(slug=thing.slug) if said.slug == item.slug else said)
