"""The promises of `memtool restore`: one file or entry as it was, everything else as it is, nothing lost."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory import Memory
from test_log import told

from memtool import MemoryRepo
from memtool.core import document
from memtool.core.entry import entries
from memtool.core.log.back import put_back, replaced
from memtool.core.log.section import bytes_of
from memtool.errors import MemtoolError
from memtool.jobs.log import log
from memtool.jobs.restore import Restored, restore

FRONT = '---\ndescription: "read before work on the gate: ports, colours and keys"\nsource_date: 2026-01-01\n---\n\n'
ONE = "## One\n\nThe office has one door.\n"
TWO = "## Two\n\nThe gate listens on port 22.\nIt is painted green.\n"
THREE = "## Three\n\nThe cellar has no light.\n"
WHOLE = f"{FRONT}# Gate\n\n{ONE}\n{TWO}\n{THREE}"
NOTE = "topics/gate.md"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    made = Memory.started(tmp_path / "memory")
    save(made, WHOLE)
    return made


def save(memory: Memory, text: str | bytes | None, path: str = NOTE) -> None:
    """Commit *path* with the page of the index that it needs."""
    if text is None:
        (memory.root / path).unlink()
    else:
        memory.write(path, text)
    memory.run("index", ok=(0,))
    memory.git("add", "-A")
    memory.git("commit", "-qm", "by hand")


def back(memory: Memory, target: str, *, at: str = "", dry_run: bool = False) -> Restored:
    return restore(str(memory.root), target, agent="desk", at=at, dry_run=dry_run)


def now(memory: Memory, path: str = NOTE) -> str:
    return (memory.root / path).read_text()


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_deleted_file_comes_back_byte_for_byte(memory: Memory) -> None:
    """In one commit with its line of the index; trailers say who, the message quotes nothing, other work stays."""
    index = now(memory, "INDEX.md")
    save(memory, None)
    memory.write("topics/git.md", "# Mine\n")
    done = back(memory, NOTE)
    assert now(memory) == WHOLE
    assert memory.git("show", f"HEAD:{NOTE}") == WHOLE
    assert memory.git("show", "HEAD:INDEX.md") == index
    assert memory.git("show", "--name-only", "--format=").split() == ["INDEX.md", NOTE]
    assert memory.git("log", "-1", "--format=%B").strip() == (
        f"Restore a file\n\nMemory-Op: restore\nMemory-Agent: desk\nMemory-Path: {NOTE}"
    )
    assert memory.git("rev-parse", "HEAD").strip() == done.commit
    assert now(memory, "topics/git.md") == "# Mine\n"
    assert [one.op for one in log(str(memory.root), NOTE).changes] == ["restore", "edit", "edit"]


def test_bytes_that_are_no_text_come_back_too(memory: Memory) -> None:
    """CRLF, NUL, Latin-1 and a missing last newline."""
    odd = FRONT.encode() + b"# Odd\r\n\r\n\xe9\0x"
    save(memory, odd)
    save(memory, WHOLE)
    back(memory, NOTE)
    assert (memory.root / NOTE).read_bytes() == odd


def test_a_file_that_is_there_is_as_before_its_last_change_or_as_of_a_revision(memory: Memory) -> None:
    save(memory, WHOLE + "\nfour\n")
    save(memory, WHOLE + "\nfive\n")
    back(memory, NOTE)
    assert now(memory).endswith("four\n")
    back(memory, NOTE, at="HEAD~3")
    assert now(memory) == WHOLE
    head = memory.git("rev-parse", "HEAD")
    same = back(memory, NOTE, at="HEAD")
    assert (same.commit, same.diff) == ("", "")
    assert memory.git("rev-parse", "HEAD") == head


def test_a_revision_from_before_a_rename_is_found_under_the_old_name(memory: Memory) -> None:
    old = memory.git("rev-parse", "HEAD").strip()
    memory.git("mv", NOTE, "topics/port.md")
    save(memory, WHOLE + "\nmore\n", "topics/port.md")
    back(memory, "topics/port.md", at=old)
    assert now(memory, "topics/port.md") == WHOLE
    with pytest.raises(MemtoolError, match=r"it is not gone, it was moved to topics/port\.md"):
        back(memory, NOTE)


def test_a_dry_run_shows_the_difference_and_changes_nothing(memory: Memory) -> None:
    save(memory, WHOLE.replace("port 22", "port 80"))
    before = memory.state()
    said = memory.run("restore", NOTE, "--dry-run", ok=(0,)).stdout
    assert "-The gate listens on port 80.\n+The gate listens on port 22.\n" in said
    document_ = json.loads(memory.run("restore", f"{NOTE}#two", "--dry-run", "--format", "json", ok=(0,)).stdout)
    assert document_["schema"] == "memtool.restore/1"
    assert document_["ref"].startswith(f"{NOTE}#two@")
    assert document_["commit"] == ""
    assert memory.state() == before


# --- entries ---------------------------------------------------------------------------------------------------------


def test_an_entry_is_put_in_the_place_of_what_it_is_now(memory: Memory) -> None:
    """What else changed in the file since stays; its trailers name the entry as it is again."""
    save(memory, WHOLE.replace("port 22", "port 80").replace("no light", "a lamp"))
    done = back(memory, f"{NOTE}#two")
    assert now(memory) == WHOLE.replace("no light", "a lamp")
    assert f"Memory-Hash: {done.ref.rpartition('@')[2]}" in memory.git("log", "-1", "--format=%B")
    assert MemoryRepo.open(str(memory.root)).show(done.ref).ref == done.ref
    assert told(log(str(memory.root), f"{NOTE}#two"))[0] == ("desk", "edited", "")


def test_an_entry_that_is_gone_comes_back_in_its_old_place(memory: Memory) -> None:
    """Before the next neighbour that is still there; else behind the one before."""
    for gone, left in ((TWO, f"{ONE}\n{THREE}"), (THREE, f"{ONE}\n{TWO}"), (ONE, f"{TWO}\n{THREE}")):
        save(memory, f"{FRONT}# Gate\n\n{left}")
        name = gone.split()[1].lower()
        assert log(str(memory.root), f"{NOTE}#{name}").gone
        back(memory, f"{NOTE}#{name}")
        assert now(memory) == WHOLE


def test_a_version_is_found_by_the_hash_that_log_prints(memory: Memory) -> None:
    for port in (80, 443):
        save(memory, WHOLE.replace("port 22", f"port {port}"))
    first = log(str(memory.root), f"{NOTE}#two").changes[-1].ref
    back(memory, first)
    assert now(memory) == WHOLE


def test_an_entry_whose_file_is_gone_comes_back_with_the_files_front_matter(memory: Memory) -> None:
    save(memory, None)
    back(memory, f"{NOTE}#two")
    assert now(memory) == FRONT + TWO
    assert NOTE in now(memory, "INDEX.md")


def test_a_text_that_is_void_does_not_come_back_as_current(memory: Memory) -> None:
    """Neither with its entry nor with its file, be they there or gone; what was void then comes back as void."""
    mine = MemoryRepo.open(str(memory.root), agent="desk")
    mine.revise(f"{NOTE}#two", void="port 22", now="port 80", reason="it moved")
    revised = now(memory)
    before = memory.git("rev-parse", "HEAD")
    for target in (NOTE, f"{NOTE}#two"):
        with pytest.raises(MemtoolError, match="“port 22” would hold again, and it is void since") as found:
            back(memory, target)
        assert "memtool revise" in (found.value.hint or "")
    assert memory.git("rev-parse", "HEAD") == before
    save(memory, None)
    with pytest.raises(MemtoolError, match="would hold again"):
        back(memory, f"{NOTE}#two", at=before.strip() + "^")
    with pytest.raises(MemtoolError, match="would hold again"):
        back(memory, NOTE, at=before.strip() + "^")
    back(memory, NOTE)
    assert now(memory) == revised


# --- refused ---------------------------------------------------------------------------------------------------------


def test_what_is_not_committed_is_never_lost(memory: Memory) -> None:
    """Changed, staged, or a new file where an old one was: refused, all as it was."""
    save(memory, WHOLE + "\nmore\n")
    memory.write(NOTE, WHOLE + "\nmine\n")
    with pytest.raises(MemtoolError, match="not committed, and they would be lost"):
        back(memory, NOTE)
    memory.git("add", "-A")
    with pytest.raises(MemtoolError, match="not committed, and they would be lost"):
        back(memory, f"{NOTE}#two", at="HEAD~1")
    assert now(memory).endswith("mine\n")
    memory.git("reset", "-q", "--hard")
    save(memory, None)
    memory.write(NOTE, "mine\n")
    memory.write(".git/info/exclude", f"{NOTE}\n")
    with pytest.raises(MemtoolError, match="not committed, and they would be lost"):
        back(memory, NOTE)
    assert now(memory) == "mine\n"


DELETIONS = {"rm": (), "git rm": ("git", "add", "-A"), "with its row": (sys.executable, "-m", "memtool", "index")}


@pytest.mark.parametrize("name", ["topics/new.md", NOTE], ids=["one version", "two"])
@pytest.mark.parametrize("deleted", DELETIONS)
def test_a_deletion_that_is_not_committed_is_taken_back_without_a_commit(
    memory: Memory, deleted: str, name: str
) -> None:
    """The file is as HEAD has it, staged deletion and index too; a dry run says so first."""
    save(memory, WHOLE.replace("green", "blue"), name)
    (memory.root / name).unlink()
    if command := DELETIONS[deleted]:
        memory.call(*command)
    head, before = memory.git("rev-parse", "HEAD"), memory.state()
    assert "+It is painted blue." in memory.run("restore", name, "--dry-run", ok=(0,)).stdout
    assert memory.state() == before
    assert "so no commit was needed" in memory.run("restore", name, ok=(0,)).stdout
    assert now(memory, name) == WHOLE.replace("green", "blue")
    assert memory.git("rev-parse", "HEAD") == head
    assert memory.git("status", "--porcelain") == ""


def test_where_more_is_asked_of_a_deleted_file_the_command_that_brings_it_back_is_told(memory: Memory) -> None:
    """One entry, one version; the command is told as it can be pasted."""
    name = "topics/my note.md"
    save(memory, WHOLE, name)
    save(memory, WHOLE + "more\n", name)
    (memory.root / name).unlink()
    for target, at in ((f"{name}#two", ""), (name, "HEAD~1")):
        with pytest.raises(MemtoolError, match="deleted, and that is not committed") as found:
            back(memory, target, at=at)
        assert found.value.hint == "To bring it back as it was: memtool restore 'topics/my note.md'"
    assert not (memory.root / name).exists()


def test_the_way_to_bring_back_what_is_no_memory_names_it(memory: Memory) -> None:
    """It is git's command, and it does what it is told to do."""
    save(memory, "one\n", "my code.py")
    save(memory, "two\n", "my code.py")
    for change in (None, "unlink"):
        if change:
            (memory.root / "my code.py").unlink()
        with pytest.raises(MemtoolError, match="no memory file") as found:
            back(memory, "my code.py")
        command = (found.value.hint or "").removeprefix("To bring it back: ")
        memory.git(*shlex.split(command)[1:])
        assert now(memory, "my code.py") == ("two\n" if change else "one\n")
        memory.git("reset", "-q", "--hard")


def test_a_folder_and_nothing_at_all_are_no_files(memory: Memory) -> None:
    """Neither is said to have no history."""
    for target in ("topics", "topics/", ".", ""):
        for command in (("restore", target), ("restore", target, "--at", "HEAD"), ("log", target)):
            said = memory.run(*command, ok=(2,)).stderr
            assert said.startswith(f"memtool: {target.rstrip('/') or '.'}: a folder, not a file\n")
            assert f"such as {NOTE}" in said


def test_secrets_links_and_other_files_stay_where_they_are(memory: Memory) -> None:
    key = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    memory.write(NOTE, WHOLE + f"\nthe token is {key}\n")
    memory.git("commit", "-qam", "oops", "--no-verify")
    save(memory, WHOLE)
    for target in (NOTE, f"{NOTE}#three"):
        with pytest.raises(MemtoolError, match="holds a secret") as found:
            back(memory, target)
        assert key not in f"{found.value} {found.value.hint}"
    (memory.root / NOTE).unlink()
    (memory.root / NOTE).symlink_to("git.md")
    memory.git("add", "-A")
    memory.git("commit", "-qm", "a link", "--no-verify")
    memory.git("rm", "-q", NOTE)
    memory.git("commit", "-qm", "gone", "--no-verify")
    with pytest.raises(MemtoolError, match="it was a symbolic link"):
        back(memory, NOTE)
    with pytest.raises(MemtoolError, match="no memory file"):
        back(memory, "memtool.yaml", at="HEAD~4")
    with pytest.raises(MemtoolError, match="no place in the memory repo"):
        back(memory, "../x.md")


def test_what_history_does_not_hold_is_named(memory: Memory) -> None:
    for target, at, words in (
        (NOTE, "", "history holds no other version"),
        ("topics/never.md", "", "ever held it"),
        (f"{NOTE}#never", "HEAD", "HEAD does not hold it"),
        (f"{NOTE}#two@000000", "", "no version of it has that hash"),
        (NOTE, "nowhere", "nowhere: no such commit"),
    ):
        with pytest.raises(MemtoolError, match=words):
            back(memory, target, at=at)


# --- properties ------------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(["plain words", "- item", "> quote", "```\n# code\n```", "`code`", "记忆", "> **Why:** so", ""])
TEXT = st.lists(WORDS, min_size=1, max_size=3).map("\n\n".join)
SECTIONS = st.lists(st.tuples(st.integers(1, 3), TEXT), min_size=1, max_size=6)
END = st.sampled_from(["\n", "\r\n"])


def sections(made: list[tuple[int, str]], end: str) -> bytes:
    joined = "\n\n".join(f"{'#' * level} Heading {at}\n\n{text}".rstrip("\n") for at, (level, text) in enumerate(made))
    return (FRONT + joined + "\n").replace("\n", end).encode()


def read(data: bytes) -> list[bytes]:
    return [bytes_of(data, item) for item in entries(data, document.read(data).body)]


@given(SECTIONS, END, st.data())
def test_an_entry_taken_out_and_put_back_leaves_every_other_as_it_is(
    made: list[tuple[int, str]], end: str, data: st.DataObject
) -> None:
    """Byte for byte the file that it was, wherever it stood."""
    whole = sections(made, end)
    found = entries(whole, document.read(whole).body)
    item = data.draw(st.sampled_from(found))
    without = whole[: item.start] + whole[item.end :]
    again = put_back(without, whole, item)
    assert read(again) == read(whole)
    if item is not found[-1]:
        assert again == whole


@given(SECTIONS, TEXT, END, st.data())
def test_a_replaced_entry_leaves_every_other_as_it_is(
    made: list[tuple[int, str]], text: str, end: str, data: st.DataObject
) -> None:
    """And replaced once more by what it was, the file is what it was."""
    whole = sections(made, end)
    found = entries(whole, document.read(whole).body)
    at = data.draw(st.integers(0, len(found) - 1))
    content = f"## Another\n\n{text}".rstrip("\n").encode()
    changed = replaced(whole, found[at], content)
    assert read(changed) == [*read(whole)[:at], content, *read(whole)[at + 1 :]]
    assert replaced(changed, entries(changed, document.read(changed).body)[at], read(whole)[at]) == whole
