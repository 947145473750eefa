"""The promises of `memtool log`: who changed what, through renames, splits and merges, with nothing hidden."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest
from memory import Memory
from repos import History
from test_split_plan import section

from memtool import MemoryRepo
from memtool.core.entry import entry_hash
from memtool.core.log.report import Log, lines, memory_lines
from memtool.core.log.trace import steps
from memtool.edge.lineage import Lineage
from memtool.edge.location import head
from memtool.edge.plumbing import Objects
from memtool.errors import MemtoolError
from memtool.jobs import log as jobs
from memtool.jobs.log import log, newest

BUNDLES = Path(__file__).resolve().parents[2] / "shared" / "data" / "histories"
NOTE = "topics/a.md"
LONG = "".join(f"line {number} of a note that is long enough to be known again\n" for number in range(12))


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "memory")


def told(found: Log) -> list[tuple[str, str, str]]:
    """Give (who, what, where from) of each change."""
    return [(one.who, one.status, one.from_path) for one in found.changes]


def entry(title: str, text: str) -> str:
    return f"## {title}\n\n{text}\n\n"


def wrote(op: str, *, by: str = "desk") -> str:
    return f"memory\n\nMemory-Op: {op}\nMemory-Agent: {by}\n"


# --- all of the memory -----------------------------------------------------------------------------------------------


def test_the_newest_commits_come_first_with_who_and_what(history: History) -> None:
    """The agent of the trailer, else the author; the operation, else edit; the day in UTC; other files left out."""
    history.commit({NOTE: "1", "code.py": "x"}, "2026-01-01T01:00:00+02:00", by="Bea")
    history.commit({"code.py": "y"}, "2026-01-02")
    history.commit({NOTE: "2"}, "2026-01-03", message=wrote("revise"))
    history.write()
    found = newest(str(history.root))
    assert [(one.date, one.who, one.op, one.path) for one in found.changes] == [
        ("2026-01-03", "desk", "revise", NOTE),
        ("2025-12-31", "Bea", "edit", NOTE),
    ]


def test_a_list_is_cut_and_says_so(history: History) -> None:
    for number in range(5):
        history.commit({NOTE: f"{number}", "topics/b.md": f"{number}"}, "2026-01-01")
    history.write()
    found = newest(str(history.root), n=3)
    assert len({one.commit for one in found.changes}) == 3
    assert list(memory_lines(found))[-1] == "2 older commits: memtool log -n 5"
    assert list(memory_lines(newest(str(history.root), n=1)))[-1] == "4 older commits: memtool log -n 2"
    one = log(str(history.root), NOTE, n=2)
    assert one.older == 3
    assert f"3 older: memtool log {NOTE} -n 5" in lines(one)
    assert newest(str(history.root), n=5).older == 0


def test_each_file_of_a_commit_has_the_verb_of_what_was_done_to_it(history: History) -> None:
    """What was changed comes first, and a verb stands once before all that it is true of; an entry has none."""
    copy, note = "inbox/conflicts/b.md", entry("Gate", "port 22")
    history.commit({copy: "x", "topics/b.md": "1", "topics/x.md": LONG}, "2026-01-01")
    history.commit({copy: None, "topics/b.md": "2"}, "2026-01-02", message=wrote("resolve"))
    files = {"inbox/new.md": "n", "topics/b.md": "3", "topics/c.md": None, "topics/x.md": None, "topics/y.md": LONG}
    history.commit({"topics/c.md": "c"}, "2026-01-03")
    history.commit(files, "2026-01-04")
    hashes = f"\nMemory-Hash: {entry_hash(note.encode())}\n"
    history.commit({NOTE: note, "topics/b.md": None}, "2026-01-05", message=wrote("remember").rstrip() + hashes)
    history.write()
    ref = f"{NOTE}#gate@{entry_hash(note.encode())}"
    assert [line.split("  ")[-1].strip() for line in memory_lines(newest(str(history.root)))] == [
        f"{ref}, removed topics/b.md",
        "changed topics/b.md, new inbox/new.md, renamed topics/y.md (was topics/x.md) and 1 more",
        "new topics/c.md",
        f"changed topics/b.md, removed {copy}",
        f"new {copy}, topics/b.md, topics/x.md",
    ]


def test_a_merge_has_a_line_only_where_it_made_something_of_its_own(history: History) -> None:
    base = history.commit({NOTE: "1", "topics/b.md": "1"}, "2026-01-01")
    ours = history.commit({NOTE: "2"}, "2026-01-02", by="Bea", parents=[base])
    theirs = history.commit({"topics/b.md": "2"}, "2026-01-02", by="Cy", parents=[base])
    clean = history.commit({"topics/b.md": "2"}, "2026-01-03", by="Clean", parents=[ours, theirs])
    other = history.commit({NOTE: "3"}, "2026-01-04", by="Dan", parents=[ours])
    history.commit({NOTE: "4", "topics/b.md": "2"}, "2026-01-05", by="Evil", parents=[clean, other])
    history.write()
    root = str(history.root)
    assert [one.author for one in newest(root).changes if one.author in {"Clean", "Evil"}] == ["Evil"]
    assert [who for who, _, _ in told(log(root, NOTE))] == ["Evil", "Dan", "Bea", "Ada"]


def test_wrong_clocks_hide_nothing(history: History) -> None:
    """Clocks of 1970 and of 2099, on a line of history whose order they contradict."""
    for number, day in enumerate(("2026-01-01", "1970-01-02", "2099-01-01", "1990-01-01", "2026-01-02")):
        history.commit({NOTE: str(number)}, day, by=f"A{number}")
    history.write()
    assert [who for who, _, _ in told(log(str(history.root), NOTE))] == ["A4", "A3", "A2", "A1", "A0"]
    assert len(newest(str(history.root)).changes) == 5


def test_a_repo_without_a_commit_has_no_history(tmp_path: Path) -> None:
    memory = Memory.make(tmp_path / "memory", hooks=False)
    memory.write("memtool.yaml", "format: 1\n")
    assert "no commit has changed memory yet" in memory.run("log", ok=(1,)).stderr
    assert "nothing is committed" in memory.run("log", NOTE, ok=(2,)).stderr


# --- one file --------------------------------------------------------------------------------------------------------


def test_a_file_is_followed_through_renames_with_and_without_changes(history: History) -> None:
    history.commit({"topics/x.md": LONG}, "2026-01-01", by="Bea")
    history.commit({"topics/x.md": None, "topics/y.md": LONG}, "2026-01-02")
    history.commit({"topics/y.md": LONG + "more\n"}, "2026-01-03")
    history.commit({"topics/y.md": None, NOTE: LONG + "and more\n"}, "2026-01-04")
    history.write()
    assert told(log(str(history.root), NOTE)) == [
        ("Ada", "renamed", "topics/y.md"),
        ("Ada", "changed", ""),
        ("Ada", "renamed", "topics/x.md"),
        ("Bea", "added", ""),
    ]
    gone = log(str(history.root), "topics/x.md")
    assert gone.gone
    assert list(lines(gone))[-1] == "It is in topics/y.md now: memtool log topics/y.md"


def test_a_new_file_under_an_old_name_is_not_mixed_up_with_it(history: History) -> None:
    """What was renamed goes on with the old file; what now has its name begins where it was made."""
    history.commit({"topics/x.md": LONG}, "2026-01-01", by="Bea")
    history.commit({"topics/x.md": None, NOTE: LONG}, "2026-01-02")
    history.commit({"topics/x.md": "another"}, "2026-01-03", by="Cy")
    history.write()
    assert told(log(str(history.root), NOTE)) == [("Ada", "renamed", "topics/x.md"), ("Bea", "added", "")]
    assert told(log(str(history.root), "topics/x.md"))[0] == ("Cy", "added", "")


def test_a_rename_on_one_side_of_a_merge_hides_no_edit_of_the_other(history: History) -> None:
    """Whichever side is the first parent."""
    for order in (1, -1):
        root = history.root / f"{order}"
        mine = History(root)
        base = mine.commit({"topics/x.md": LONG}, "2026-01-01", by="Bea")
        moved = mine.commit({"topics/x.md": None, NOTE: LONG}, "2026-01-02", by="Mover", parents=[base])
        edited = mine.commit({"topics/x.md": LONG + "more\n"}, "2026-01-03", by="Editor", parents=[base])
        files = {"topics/x.md": None, NOTE: LONG + "more\n"}
        mine.commit(files, "2026-01-04", by="Merger", parents=[moved, edited][::order])
        mine.write()
        assert {who for who, _, _ in told(log(str(root), NOTE))} >= {"Bea", "Mover", "Editor"}


def test_a_deleted_file_is_found_with_the_way_back(history: History) -> None:
    history.commit({NOTE: "1", "topics/b.md": "x"}, "2026-01-01")
    history.commit({NOTE: None}, "2026-01-02", by="Bea")
    history.write()
    found = log(str(history.root), NOTE)
    assert told(found) == [("Bea", "removed", ""), ("Ada", "added", "")]
    assert list(lines(found))[-1] == f"It is gone. To bring it back: memtool restore {NOTE}"


def test_names_of_every_kind_have_a_history(history: History) -> None:
    """Spaces, line ends, Chinese, a leading dash, `#`, pathspec magic, bytes that are not UTF-8."""
    names = ["-n.md", "my notes.md", "a\nb.md", "记忆.md", "c#.md", "bad\udcff.md", ":(top)x.md", ":100644 x.md"]
    for name in names:
        history.commit({name: "x"}, "2026-01-01", by=f"by {names.index(name)}")
    history.write()
    for at, name in enumerate(names):
        assert told(log(str(history.root), name)) == [(f"by {at}", "added", "")]


def test_an_author_whose_name_is_not_utf8_is_told(history: History) -> None:
    history.commit({NOTE: "x"}, "2026-01-01")
    history.write()
    who = b"Zo\xeb <z@e.invalid> 1767225600 +0000"
    raw = b"tree %%b\nauthor %b\ncommitter %b\n\nw\xff\n" % (who, who)
    tree = history.git("rev-parse", "HEAD^{tree}").strip().encode()
    oid = history.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=raw % tree).strip()
    history.git("reset", "-q", "--hard", oid)
    assert [one.author for one in log(str(history.root), NOTE).changes] == ["Zo\ufffd"]


def test_a_shallow_clone_says_where_history_ends(history: History, tmp_path: Path) -> None:
    """It does not claim that the oldest commit there wrote what it only holds."""
    for number in range(3):
        history.commit({NOTE: entry("Gate", f"port {number}")}, "2026-01-01", by=f"A{number}")
    history.write()
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth=2", f"file://{history.root}", str(shallow)], check=True)
    for target in (NOTE, f"{NOTE}#gate"):
        found = log(str(shallow), target)
        assert [one.status for one in found.changes][-1] == "cut"
        assert any("git fetch --unshallow" in line for line in lines(found))
    assert [one.status for one in newest(str(shallow)).changes] == ["changed", "cut"]


def test_nothing_of_the_repo_runs(history: History, tmp_path: Path) -> None:
    """No diff driver, no pager, no signature check, no monitor, no hook; and the repo is as it was."""
    history.commit({NOTE: entry("Gate", "1"), ".gitattributes": "*.md diff=spy\n"}, "2026-01-01")
    history.commit({NOTE: entry("Gate", "2")}, "2026-01-02")
    history.write()
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    spy.chmod(0o755)
    for name in (
        "diff.spy.textconv",
        "diff.spy.command",
        "diff.external",
        "core.pager",
        "gpg.program",
        "core.fsmonitor",
    ):
        history.git("config", name, str(spy))
    for name in ("log.showSignature", "log.follow", "diff.renames"):
        history.git("config", name, "true")
    newest(str(history.root))
    assert len(log(str(history.root), f"{NOTE}#gate").changes) == len(log(str(history.root), NOTE).changes) == 2
    assert not (tmp_path / "ran").exists()


# --- one entry -------------------------------------------------------------------------------------------------------


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    made = Memory.started(tmp_path / "memory")
    made.git("config", "memtool.agent", "desk")
    return made


def test_an_entry_tells_its_life_with_reasons(memory: Memory) -> None:
    """Recorded, confirmed, revised, withdrawn, by whom and why; other entries of the file tell nothing."""
    mine = MemoryRepo.open(str(memory.root))
    ref = mine.remember("Port 22 is open.", date="2026-07-02", title="Gate", why="the firewall says so").ref
    mine.remember("The cellar has no light.", date="2026-07-03")
    ref = mine.verify(ref).ref
    ref = mine.revise(ref, void="22", now="49222", reason="it moved").ref
    mine.forget(ref, reason="torn down")
    path = ref.partition("#")[0]
    found = log(str(memory.root), f"{path}#2026-07-02-gate")
    assert [(one.status, one.op, one.agent, one.reason) for one in found.changes] == [
        ("withdrawn", "forget", "desk", "torn down"),
        ("revised", "revise", "desk", "it moved"),
        ("confirmed", "verify", "desk", ""),
        ("recorded", "remember", "desk", "the firewall says so"),
    ]
    document = json.loads(memory.run("log", f"{path}#2026-07-02-gate", "--format", "json", ok=(0,)).stdout)
    assert document["schema"] == "memtool.log/1"
    assert {"commit", "date", "agent", "author", "op", "path", "from_path", "status", "subject", "reason"} <= set(
        document["changes"][0]
    )
    assert "torn down" not in memory.git("log", "--format=%B")


def test_an_entry_of_a_part_reaches_back_through_the_split_to_its_first_commit(memory: Memory) -> None:
    """The part continues in the source before the split, the source goes on as the route."""
    text = b"# Agent\n\n" + b"".join(section(f"## Part {number}", 3000) for number in range(5))
    memory.write("topics/agent.md", text)
    memory.git("add", "-A")
    memory.git("commit", "-qm", "by hand", "--no-verify")
    memory.run("split", "topics/agent.md", ok=(0,))
    part = next(
        str(path.relative_to(memory.root))
        for path in (memory.root / "topics").glob("*.md")
        if b"Part 3" in path.read_bytes() and path.name != "agent.md"
    )
    root = str(memory.root)
    assert told(log(root, f"{part}#part-3")) == [("desk", "moved", "topics/agent.md"), ("Ada", "recorded", "")]
    assert told(log(root, part)) == [("desk", "split", "topics/agent.md"), ("Ada", "added", "")]
    assert told(log(root, "topics/agent.md")) == [("desk", "changed", ""), ("Ada", "added", "")]
    left = log(root, "topics/agent.md#part-3")
    assert left.gone
    assert list(lines(left))[-1] == f"It is in {part} now: memtool log {part}"


def test_an_entry_keeps_its_history_where_its_heading_or_its_place_changes(history: History) -> None:
    one, two = entry("One", "first fact"), entry("Two", "second fact, told at some length\nwith a line that stays")
    history.commit({NOTE: one + two}, "2026-01-01", by="Bea")
    history.commit({NOTE: two + one}, "2026-01-02", by="Turner")
    history.commit({NOTE: two.replace("## Two", "## Number two") + one}, "2026-01-03", by="Namer")
    history.commit({NOTE: one, "topics/b.md": two.replace("## Two", "## Number two")}, "2026-01-04", by="Mover")
    history.write()
    assert told(log(str(history.root), "topics/b.md#number-two")) == [
        ("Mover", "moved", NOTE),
        ("Namer", "edited", ""),
        ("Bea", "recorded", ""),
    ]
    assert told(log(str(history.root), f"{NOTE}#one")) == [("Bea", "recorded", "")]


def test_an_entry_that_is_gone_is_found_by_its_name(history: History) -> None:
    """Also where its file went with it, and where it was there twice, years apart."""
    kept, gate = entry("Kept", "x"), entry("Gate", "port 22")
    history.commit({NOTE: kept + gate}, "2026-01-01", by="Bea")
    history.commit({NOTE: kept}, "2026-01-02", by="Cy")
    history.commit({NOTE: kept + gate}, "2026-01-03", by="Dan")
    history.commit({NOTE: None, "other": "x"}, "2026-01-04", by="Eve")
    history.write()
    found = log(str(history.root), f"{NOTE}#gate")
    assert told(found) == [
        ("Eve", "removed", ""),
        ("Dan", "recorded", ""),
        ("Cy", "removed", ""),
        ("Bea", "recorded", ""),
    ]
    assert list(lines(found))[-1] == f"It is gone. To bring it back: memtool restore {NOTE}#gate"


def test_equal_entries_and_names_that_begin_alike_are_told_apart(history: History) -> None:
    same = entry("Log", "the same words")
    history.commit({NOTE: same}, "2026-01-01", by="Bea")
    history.commit({NOTE: same + same + entry("Log book", "x")}, "2026-01-02", by="Cy")
    history.write()
    root = str(history.root)
    assert told(log(root, f"{NOTE}#log-1")) == [("Cy", "recorded", "")]
    assert told(log(root, f"{NOTE}#log-book")) == [("Cy", "recorded", "")]
    with pytest.raises(MemtoolError, match="2 entries are called so"):
        log(root, f"{NOTE}#log")


def test_what_never_was_is_an_error_that_helps(history: History) -> None:
    history.commit({NOTE: entry("Gate", "x")}, "2026-01-01")
    history.write()
    with pytest.raises(MemtoolError, match="ever held it") as found:
        log(str(history.root), "topics/aa.md")
    assert NOTE in (found.value.hint or "")
    with pytest.raises(MemtoolError, match="ever held it"):
        log(str(history.root), f"{NOTE}#door")


@pytest.mark.parametrize("folder", ["topics", "", "topics/deep", "old", "topics#x"])
def test_a_folder_is_called_one(history: History, folder: str) -> None:
    """With a file below it that can be asked for, one that is there if any is."""
    history.commit({NOTE: "x", "old/gone.md": "x", "topics/deep/b c.md": "x", "z": "x"}, "2026-01-01")
    history.commit({"old/gone.md": None, "INDEX.md": "x"}, "2026-01-02")
    history.write()
    path = folder.partition("#")[0]
    example = {"topics/deep": "'topics/deep/b c.md'", "old": "old/gone.md"}.get(path, NOTE)
    with pytest.raises(MemtoolError) as found:
        log(str(history.root), folder)
    assert found.value.message == f"{path or '.'}: a folder, not a file"
    assert found.value.hint == f"Name a file below it, such as {example}."


def test_a_file_where_a_folder_was_has_its_own_history(history: History) -> None:
    history.commit({"topics/a": "x"}, "2026-01-01")
    history.commit({"topics/a": None, NOTE: "y"}, "2026-01-02", by="Bea")
    history.commit({NOTE: None, "topics/a/b.md": "z"}, "2026-01-03")
    history.write()
    assert log(str(history.root), "topics/a").gone


def test_a_command_that_is_told_can_be_pasted(history: History) -> None:
    """A name with a blank or a quote is one word of the shell."""
    name = "topics/it's mine.md"
    history.commit({name: "1", NOTE: "x"}, "2026-01-01")
    history.commit({name: "2"}, "2026-01-02")
    history.commit({name: None}, "2026-01-03")
    history.write()
    said = list(lines(log(str(history.root), name, n=1)))
    commands = [line.rpartition(": ")[2] for line in said if "memtool" in line]
    assert [shlex.split(one)[:3] for one in commands] == [["memtool", "log", name], ["memtool", "restore", name]]


# --- real histories --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["skill-memory-bank", "engram-memory", "til"])
def test_every_path_that_a_real_history_ever_had_has_a_log(name: str, tmp_path: Path) -> None:
    """Each begins with what added it, and names every commit that `git log` names for that path.

    Every fourth path; all in the slow profile.
    """
    bundle = BUNDLES / f"{name}.bundle"
    if not bundle.exists():
        pytest.skip("the shared histories are not here")
    root = tmp_path / name
    subprocess.run(["git", "clone", "-q", "-n", str(bundle), str(root)], check=True)
    with Objects(str(root)) as objects:
        lineage = Lineage(objects, head(str(root)))
        touched: dict[str, set[str]] = {}
        for commit in lineage.commits:
            for path in commit.changes:
                touched.setdefault(path, set()).add(commit.oid)
        every = 1 if os.environ.get("MEMTOOL_SLOW") else 4
        for path, commits in list(touched.items())[::every]:
            subject = jobs.aim(lineage, path)
            changes = [jobs.told(step, subject, lineage) for step in steps(subject.states(lineage))]
            assert changes[-1].status == "added"
            if not any(one.from_path for one in changes):
                assert {one.commit for one in changes} == commits
