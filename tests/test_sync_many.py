"""Many machines, one memory: whatever each does, and whenever it syncs, all come to hold the same, and all of it."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
from edits import PATHS, WORD, Author, Librarian, Page
from folders import TODAY, bytes_of
from folders import run as init
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from memory import Memory

from memtool.core import document
from memtool.core.entry import entries
from memtool.core.merge.aside import DELETED, unfenced
from memtool.core.merge.section import cut
from memtool.core.split.plan import Cut
from memtool.jobs.check import check_commit
from memtool.jobs.index import check_index, write_index
from memtool.jobs.revise import Changed
from memtool.jobs.split.split import split
from memtool.jobs.sync.course import Options
from memtool.jobs.sync.local import look
from memtool.jobs.sync.result import Result
from memtool.jobs.sync.run import sync
from memtool.library import MemoryRepo

SLOW = bool(os.environ.get("MEMTOOL_SLOW"))
NAMES = "abcde"
WELL = {"up-to-date", "pushed", "pulled", "merged"}
MARKERS = (b"<<<<<<< ", b"||||||| ", b">>>>>>> ")


class Machine(Memory):
    """One clone, and who works in it."""

    def __init__(self, root: Path, agent: str = "") -> None:
        super().__init__(root)
        self.agent = agent or root.name
        self.memory = MemoryRepo(str(root), self.agent)

    def sync(self) -> Result:
        """Sync in this process; whatever else it ends in, not in failure."""
        result = sync(str(self.root), Options(self.agent, TODAY))
        assert result.code < 2, (result.state, result.detail, result.paths)
        return result

    def put(self, path: str, text: str | bytes) -> None:
        """Write a file, and commit it as somebody who has never heard of memtool."""
        self.write(path, text)
        self.commit_all()

    def commit_all(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "--no-verify", "-m", "by hand")

    def text(self, path: str) -> str:
        return (self.root / path).read_text()

    def files(self) -> dict[str, bytes]:
        return {path: data for path, data in bytes_of(self.root).items() if not path.startswith(".memtool/")}

    def copies(self) -> dict[str, bytes]:
        return {path: data for path, data in self.files().items() if path.startswith("inbox/conflicts/")}

    def everything(self) -> str:
        return b"\n".join(self.files().values()).decode()


@cache
def _template(folder: Path) -> Path:
    """Make a bare repo and a clone of it for each of NAMES, all equal."""
    hub = folder / "hub.git"
    Memory(folder).git("init", "-q", "--bare", "-b", "main", str(hub))
    machines = [Machine(folder / name) for name in NAMES]
    for one in machines:
        init(one.root, agent=one.agent, remote=hub)
        one.git("config", "user.name", one.agent)
        one.git("config", "user.email", f"{one.agent}@example.invalid")
        one.sync()
        one.git("remote", "set-url", "origin", "../hub.git")
    for one in machines:
        one.sync()
    return folder


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fleet")


Fleet = Callable[..., list[Machine]]


@pytest.fixture
def fleet(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fleet:
    """Give the function that makes so many machines, all with the same files."""
    monkeypatch.setenv("GIT_TEMPLATE_DIR", "")
    monkeypatch.setenv("GIT_TEST_FSYNC", "false")  # no power is cut here, and the disk is most of the time
    monkeypatch.setattr(os, "fsync", lambda _: None)

    def make(size: int, files: dict[str, str] | None = None) -> list[Machine]:
        return _copied(_template(place), tmp_path / "fleet", size, files or {})

    return make


def _copied(template: Path, folder: Path, size: int, files: dict[str, str]) -> list[Machine]:
    for name in ("hub.git", *NAMES[:size]):
        shutil.copytree(template / name, folder / name, symlinks=True)
    machines = [Machine(folder / name) for name in NAMES[:size]]
    if files:
        for path, text in files.items():
            machines[0].write(path, text)
        write_index(str(machines[0].root))
        machines[0].commit_all()
        for one in machines:
            one.sync()
    return machines


def converged(machines: Sequence[Machine], *, rounds: int = 2) -> Machine:
    """Let all sync *rounds* times in turn, see that they are equal and nothing is wrong with them; give one of them."""
    for one in [*machines] * rounds:
        one.sync()
    first, *others = machines
    for other in others:
        assert other.files() == first.files()
    tips = {one.git("rev-parse", "HEAD", "refs/remotes/origin/main") for one in machines}
    assert len({oid for tip in tips for oid in tip.split()}) == 1
    for one in machines:
        assert one.git("status", "--porcelain", "-uall") == ""
        assert one.git("fsck", "--no-dangling", "--strict") == ""
    assert check_index(str(first.root)).findings == ()
    assert _errors(first) == []
    assert [path for path, data in first.files().items() if any(map(data.__contains__, MARKERS))] == []
    return first


def _errors(one: Machine) -> list[str]:
    report = check_commit(str(one.root), "HEAD", today=TODAY).report
    return [f"{found.path}: {found.code}" for found in report.findings if found.severity == "error"]


# --- at random moments, concurrently ---------------------------------------------------------------------------------


def body(agent: str, number: int) -> str:
    """Write a text such as agents write, and no other one like it."""
    return f"{agent} found fact {number}: 事实 {number}.\n\n- one, from {agent}\n- two\n\n```sh\n# {number}\n```"


def remembered(one: Machine, number: int, *, by: str) -> None:
    args = ("remember", body(by, number), "--title", f"Fact {number}", "--agent", by, "--date", TODAY)
    one.run(*args, ok=(0,))


def synced(one: Machine) -> str:
    """Sync in a process of its own, and give the state in which it ends, and what a person should look at."""
    said = json.loads(one.run("sync", "--format", "json").stdout)
    looked_at = [said[what] for what in ("conflicts", "findings", "left") if said[what]]
    return (
        said["state"] if said["state"] in WELL and not looked_at else f"{said['state']}: {said['message']} {looked_at}"
    )


def stored(one: Machine) -> Counter[str]:
    """Count the texts of the entries in all journals."""
    journals = (document.read(data) for path, data in one.files().items() if path.startswith("notes/"))
    found = (entry for page in journals for entry in entries(page.data, page.body))
    return Counter(entry.live.decode().strip() for entry in found if entry.date)


def test_machines_that_remember_and_sync_at_random_moments(fleet: Fleet) -> None:
    """Each entry arrives once, byte for byte, without a conflict; after one more round all clones are equal."""
    size, each = (5, 40) if SLOW else (3, 3)
    machines = fleet(size)

    def work(one: Machine) -> list[str]:
        chance = random.Random(one.agent)
        ends = []
        for number in range(each):
            time.sleep(chance.random() / 2)
            remembered(one, number, by=one.agent)
            if chance.random() < 0.5 or number + 1 == each:
                ends.append(synced(one))
        return ends

    with ThreadPoolExecutor(size) as threads:
        ends = list(threads.map(work, machines))
    assert {end for some in ends for end in some} <= WELL
    last = converged(machines, rounds=1)
    assert stored(last) == {body(one.agent, number): 1 for one in machines for number in range(each)}
    assert last.copies() == {}


def test_two_write_while_a_third_syncs(fleet: Fleet) -> None:
    """In one clone two agents remember while a third process syncs all the time, and another machine sends too."""
    each = 100 if SLOW else 4
    here, elsewhere = fleet(2)
    done: list[str] = []

    def write(agent: str) -> None:
        for number in range(each):
            remembered(here, number, by=agent)
        done.append(agent)

    def keep_syncing() -> set[str]:
        ends = set()
        while len(done) < 2:
            ends.add(synced(here))
            elsewhere.put("topics/clock.md", f"---\ndescription: read when asked for {time.time_ns()}\n---\n\n# C\n")
            elsewhere.sync()
        return ends

    with ThreadPoolExecutor(3) as threads:
        ends = threads.submit(keep_syncing)
        try:
            list(threads.map(write, ("x", "y")))
        finally:
            done[:] = ["x", "y"]
    assert ends.result() <= WELL
    last = converged([here, elsewhere], rounds=1)
    assert stored(last) == {body(agent, number): 1 for agent in "xy" for number in range(each)}
    assert last.copies() == {}


# --- the same thing on several machines ------------------------------------------------------------------------------

POST = "topics/post.md"
TEXT = """\
---
description: read before writing a post
source_date: 2026-01-01
scope: project:blog
---

# Posts

## Length

Near 3,000 words.

## Tone

Plain.

## Pictures

One at least.
"""


def edited(one: Machine, old: str, new: str, path: str = POST) -> None:
    text = one.text(path)
    assert old in text
    one.write(path, text.replace(old, new))


def test_one_agent_name_on_two_machines(fleet: Fleet) -> None:
    """Both write the same journal, again and again: every entry is there once, and no copy of any."""
    machines = [Machine(one.root, "a") for one in fleet(2)]
    for number in range(3):
        for one in machines:
            one.memory.remember(body(one.root.name, number), title=f"Fact {number}", date=TODAY)
        machines[number % 2].sync()
    last = converged(machines)
    assert stored(last) == {body(one.root.name, number): 1 for one in machines for number in range(3)}
    assert sorted(path for path in last.files() if path.startswith("notes/")) == ["notes/a/2026-11.md"]
    assert last.copies() == {}


def test_one_entry_corrected_on_two_machines(fleet: Fleet) -> None:
    """The old text is void, both new ones and both reasons are kept, and the entry is there once."""
    one, other = machines = fleet(2)
    ref = one.memory.remember("Keep each post near 3,000 words.", title="Length", date=TODAY).ref
    converged(machines)
    for machine, words, why in ((one, "4,000", "readers stay"), (other, "2,500", "readers leave")):
        done = machine.memory.revise(ref, void="near 3,000 words", reason=why, now=f"at {words} words")
        assert isinstance(done, Changed)
    last = converged(machines)
    text = last.everything()
    for said in ("at 4,000 words", "at 2,500 words", "readers stay", "readers leave"):
        assert said in text
    journal = last.text("notes/a/2026-11.md")
    (entry,) = (found for found in entries(journal.encode()) if found.date)
    assert entry.voids
    assert b"3,000" not in entry.live
    assert len(last.copies()) == 1


def test_a_topic_renamed_on_one_and_edited_on_the_other(fleet: Fleet) -> None:
    """The edit is in the file under its new name, which alone is there, and in the index."""
    one, other = machines = fleet(2, {POST: TEXT})
    (one.root / POST).rename(one.root / "topics" / "posts.md")
    edited(other, "3,000", "4,000")
    last = converged(machines)
    assert last.text("topics/posts.md") == TEXT.replace("3,000", "4,000")
    assert POST not in last.files()
    assert "(topics/posts.md)" in last.text("INDEX.md")
    assert last.copies() == {}


def test_the_index_written_on_both(fleet: Fleet) -> None:
    """Each machine adds topics and writes the index: it ends with one row for each, and is nobody's conflict."""
    machines = fleet(3)
    for one in machines:
        for number in range(3):
            path = f"topics/{one.agent}{number}.md"
            one.write(path, f"---\ndescription: read before {one.agent}{number}\nsource_date: 2026-01-01\n---\n\n# T\n")
        write_index(str(one.root))
        one.commit_all()
    last = converged(machines)
    rows = last.text("INDEX.md")
    assert [rows.count(f"(topics/{name}{number}.md)") for name in "abc" for number in range(3)] == [1] * 9
    assert last.copies() == {}


def test_a_file_split_on_one_and_a_section_of_it_edited_on_the_other(fleet: Fleet) -> None:
    """The edit is in the part to which its section went, and nowhere else."""
    one, other = machines = fleet(2, {POST: TEXT})
    made = split(str(one.root), POST, cut=Cut(level=2, target=10), agent="a")
    assert made.commit
    edited(other, "Plain.", "Plain, and short.")
    last = converged(machines)
    holding = [path for path, data in last.files().items() if b"Plain, and short." in data]
    assert len(holding) == 1
    assert holding != [POST]
    assert not any(b"Plain.\n" in data for data in last.files().values())
    assert last.copies() == {}


def test_a_deletion_and_an_edit(fleet: Fleet) -> None:
    """A file, and a section, that one machine deletes and the other edits stay, with the edit; both are told."""
    one, other = machines = fleet(2, {POST: TEXT, "topics/old.md": TEXT})
    (one.root / "topics" / "old.md").unlink()
    edited(one, "## Tone\n\nPlain.\n\n", "")
    edited(other, "Plain.", "Plain, and short.")
    edited(other, "3,000", "4,000", "topics/old.md")
    one.sync()
    told = other.sync()
    assert [(found.path, found.reason) for found in told.conflicts] == [("topics/old.md", DELETED), (POST, DELETED)]
    last = converged(machines)
    assert last.text(POST) == TEXT.replace("Plain.", "Plain, and short.")
    assert last.text("topics/old.md") == TEXT.replace("3,000", "4,000")


def test_a_file_added_on_both(fleet: Fleet) -> None:
    """Of two files of one name with different content, both texts are kept, each once."""
    one, other = machines = fleet(2)
    one.write(POST, TEXT)
    other.write(POST, TEXT.replace("3,000", "4,000").replace("## Pictures", "## Sound").replace("One at", "None at"))
    last = converged(machines)
    text = last.everything()
    for said in ("Near 3,000 words.", "Near 4,000 words.", "One at least.", "None at least."):
        assert text.count(said) == 1
    assert last.text(POST).count("## Tone\n\nPlain.\n") == 1


def test_front_matter_changed_on_both(fleet: Fleet) -> None:
    """Different keys are both taken, the later day holds, and of two values for one key neither is lost."""
    one, other = machines = fleet(2, {POST: TEXT})
    edited(one, "2026-01-01\nscope: project:blog", "2026-02-01\nscope: project:shop\naliases: length")
    edited(other, "2026-01-01\nscope: project:blog", "2026-03-01\nscope: project:news\nreview_by: 2027-01-01")
    last = converged(machines)
    front = document.read(last.text(POST).encode()).front
    assert (front["source_date"], front["aliases"], front["review_by"]) == ("2026-03-01", "length", "2027-01-01")
    (copy,) = last.copies().values()
    other_scope = (unfenced(copy) or b"").decode().strip()
    assert {f"scope: {front['scope']}", other_scope} == {"scope: project:shop", "scope: project:news"}


@pytest.mark.parametrize("order", ["abcabc", "abaccb", "cabbca"])
def test_three_machines_edit_one_section(fleet: Fleet, order: str) -> None:
    """In whatever order they sync, every text that any of them wrote is in the tree or in a conflict copy."""
    machines = fleet(3, {POST: TEXT})
    wrote = []
    for at, name in enumerate(order):
        one = machines[NAMES.index(name)]
        wrote.append(f"{at + 2},500 words, says {name}.")
        old = next(line for line in one.text(POST).splitlines() if "words" in line)
        edited(one, old, wrote[-1])
        if at > 2:
            one.sync()
    last = converged(machines)
    text = last.everything()
    final = {name: wrote[order.rindex(name)] for name in order}
    assert [said for said in final.values() if said not in text] == []
    assert last.text(POST).count("## Length") == 1


# --- anything, in any order ------------------------------------------------------------------------------------------

GENERATED = ("INDEX.md", "topics/how-to-write-memory.md")


class Story:
    """What three machines do: *log* says it, *written* and *deleted* are the words that anybody wrote or took away."""

    def __init__(self, machines: Sequence[Machine], author: Author) -> None:
        self.machines = machines
        self.author = author
        self.librarian = Librarian(author)
        self.log: list[object] = []
        self.written = Counter[bytes]()
        self.deleted = set[bytes]()

    def begin(self) -> None:
        """Let all have the same pages."""
        pages = {path: self.author.page() for path in PATHS}
        for path, page in pages.items():
            self.machines[0].write(path, page.written())
        self.machines[0].commit_all()
        self.written |= counted(self.machines[0])
        for one in self.machines:
            one.sync()

    def go_on(self) -> None:
        """Let one of them edit, commit, pull or sync."""
        one = self.machines[self.author.at(len(self.machines))]
        steps = [self.edit, self.edit, self.edit_and_commit, self.pull, self.sync, self.sync]
        step = steps[self.author.at(len(steps))]
        self.log.append((one.agent, step.__name__, step(one)))

    def edit(self, one: Machine) -> object:
        was, before = counted(one), pages_of(one)
        after = self.librarian.changed(before)
        for path in before.keys() - after.keys():
            (one.root / path).unlink()
        changed = {path: page.written() for path, page in after.items() if before.get(path) != page}
        for path, data in changed.items():
            one.write(path, data)
        now = counted(one)
        self.written |= now
        self.deleted |= (was - now).keys()
        return sorted(before.keys() - after.keys()), changed

    def edit_and_commit(self, one: Machine) -> object:
        said = self.edit(one)
        one.commit_all()
        return said

    def pull(self, one: Machine) -> object:
        """Pull as git does it, with memtool as merge driver; where git finds a conflict between paths, leave it."""
        one.commit_all()
        done = one.call("git", "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
        if done.returncode:
            one.git("merge", "--abort")
        return done.stderr

    def sync(self, one: Machine) -> object:
        """Sync; a person commits what `check` would keep out, so that it arrives all the same."""
        local = look(str(one.root), today=TODAY)
        if local.left:
            one.commit_all()
        result = one.sync()
        return result.state, result.conflicts

    def end(self) -> Machine:
        for one in self.machines:
            self.sync(one)
        return converged(self.machines)


def pages_of(one: Machine) -> dict[str, Page]:
    folders = ("topics/", "projects/", "history/")
    files = {path: data for path, data in one.files().items() if path.startswith(folders)}
    return {path: Page.read(data) for path, data in files.items() if not path.endswith(GENERATED)}


def counted(one: Machine) -> Counter[bytes]:
    return Counter(word for data in one.files().values() for word in WORD.findall(data))


def doubled(one: Machine) -> Iterator[bytes]:
    """Yield the sections that stand twice in one file, byte for byte."""
    for path, data in one.files().items():
        if path.endswith(".md") and path not in one.copies():
            sections = Counter(found.text for found in cut(data[document.read(data).body :]).sections if found.below)
            yield from (text for text, times in sections.items() if times > 1)


# an example takes a second, and a story that fails says of itself what happened: shrink by hand, with phases=Phase
@settings(max_examples=300 if SLOW else 3, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(data=st.data())
def test_whatever_three_machines_do(fleet: Fleet, tmp_path: Path, data: st.DataObject) -> None:
    """Edits, commits, plain pulls and syncs in any order: all converge, no word is lost and no section doubled."""
    shutil.rmtree(tmp_path / "fleet", ignore_errors=True)
    story = Story(fleet(3), Author(data.draw))
    story.begin()
    for _ in range(data.draw(st.integers(2, 9))):
        story.go_on()
    last = story.end()
    assert story.written.keys() - story.deleted - counted(last).keys() == set(), story.log
    assert list(doubled(last)) == [], story.log
