"""`memtool remember` in a real repo: one entry more, on disk before it is reported, whatever fails."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from memory import Memory

from memtool import MemoryRepo
from memtool.core import document
from memtool.core.entry import entries
from memtool.edge import files
from memtool.errors import MemtoolError

DAY = "2026-07-14"
JOURNAL = "notes/desk/2026-07.md"
JOURNALS = "dated entries, one file a month"
"""How the index leads to all journals at once."""
STAGED, UNSTAGED, NEW = "topics/staged.md", "topics/git.md", "topics/new.md"

RUN = """
import os, signal, sys
from memtool import MemoryRepo
def fatal(module, name, at):
    real, calls = getattr(module, name), [0]
    def call(*args, **named):
        calls[0] += 1
        if calls[0] == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **named)
    setattr(module, name, call)
repo = MemoryRepo.open()
{fault}
for text in {texts!r}:
    print(repo.remember(text, date="2026-07-14").ref, flush=True)
"""


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    made = Memory.started(tmp_path / "memory")
    made.git("config", "memtool.agent", "desk")
    return made


def repo(memory: Memory) -> MemoryRepo:
    return MemoryRepo.open(str(memory.root))


def run(memory: Memory, *texts: str, fault: str = "") -> subprocess.CompletedProcess[str]:
    return memory.call(sys.executable, "-c", RUN.format(texts=texts, fault=fault))


def remember(memory: Memory, text: str, *args: str) -> str:
    """Remember by the command line, and give the ref it prints."""
    return memory.run("remember", text, "--date", DAY, *args, ok=(0,)).stdout.strip()


def names(memory: Memory, commit: str = "HEAD") -> set[str]:
    return set(memory.git("show", "--name-only", "--format=", commit).split())


def bodies(memory: Memory, path: str = JOURNAL) -> list[str]:
    """List the live text of every entry of a file, oldest first."""
    data = (memory.root / path).read_bytes()
    return [found.live.decode().strip() for found in entries(data, document.read(data).body) if found.date]


def user_work(memory: Memory) -> str:
    """Leave staged, unstaged and new work of the user's about; give what git says of it."""
    memory.write(STAGED, "# Staged\n")
    memory.git("add", STAGED)
    memory.write(STAGED, "# Staged\n\nand more\n")
    memory.write(UNSTAGED, (memory.root / UNSTAGED).read_bytes() + b"\nunstaged\n")
    memory.write(NEW, "# New\n")
    return memory.git("status", "--porcelain") + memory.git("diff") + memory.git("diff", "--cached")


# --- what it does ----------------------------------------------------------------------------------------------------


def test_the_first_entry_makes_the_journal_with_its_front_matter_and_its_index_line(memory: Memory) -> None:
    """One commit holds the journal and the index page that leads to it; `check` and `index --check` agree."""
    said = remember(memory, "Keep posts at 4,000 words.")
    assert said.startswith(f"{JOURNAL}#{DAY}-keep-posts-at-4000-words@")
    text = (memory.root / JOURNAL).read_text()
    assert text.startswith(
        '---\ndescription: "read when looking for what desk noted in 2026-07"\nsource_date: 2026-07-'
    )
    assert text.endswith(
        f"# Journal of desk, 2026-07\n\n## {DAY} Keep posts at 4,000 words\n\nKeep posts at 4,000 words.\n"
    )
    assert JOURNAL in names(memory)
    assert names(memory) - {JOURNAL} <= {"INDEX.md"}
    assert memory.git("status", "--porcelain") == ""
    memory.run("index", "--check", ok=(0,))
    memory.run("check", ok=(0,))


def test_later_entries_change_the_journal_alone_and_no_earlier_byte(memory: Memory) -> None:
    """The second commit holds the journal alone; what stood in it before is a prefix of what stands there now."""
    remember(memory, "One.")
    before = (memory.root / JOURNAL).read_bytes()
    remember(memory, "Two.")
    assert (memory.root / JOURNAL).read_bytes().startswith(before)
    assert names(memory) == {JOURNAL}
    assert bodies(memory) == ["One.", "Two."]


def test_a_ref_is_valid_after_ten_more_entries(memory: Memory) -> None:
    """`show` finds the entry by the very ref that was printed, and `revise` takes it."""
    said = remember(memory, "The port is 22.")
    for number in range(10):
        repo(memory).remember(f"Number {number} is remembered as well.", date=DAY)
    assert "The port is 22." in memory.run("show", said, ok=(0,)).stdout
    memory.run("revise", said, "--void", "22", "--reason", "moved", "--now", "23", ok=(0,))


def test_the_commit_says_what_was_done_and_quotes_nothing(memory: Memory) -> None:
    """Trailers name operation, agent, path and hash; no word of the memory stands in the message."""
    said = remember(memory, "Walrus polish is in the cellar.", "--title", "Walrus", "--why", "walrus smell")
    message = memory.git("log", "-1", "--format=%B")
    assert message.strip() == (
        f"Remember an entry\n\nMemory-Op: remember\nMemory-Agent: desk\nMemory-Path: {JOURNAL}\n"
        f"Memory-Hash: {said[-6:]}"
    )


def test_the_users_own_work_is_as_it_was(memory: Memory) -> None:
    """Staged, unstaged and new files stay so, and the user's next commit holds exactly what the user staged."""
    before = user_work(memory)
    remember(memory, "Something else.")
    after = memory.git("status", "--porcelain") + memory.git("diff") + memory.git("diff", "--cached")
    ours = "".join(line for line in after.splitlines(keepends=True) if "INDEX.md" not in line)
    assert all(line in after for line in before.splitlines())
    assert JOURNAL not in ours
    memory.git("commit", "-qm", "mine", "--no-verify")
    assert names(memory) == {STAGED}
    assert JOURNAL in memory.git("ls-tree", "-r", "--name-only", "HEAD")
    assert bodies(memory) == ["Something else."]


def test_an_index_that_also_lists_uncommitted_files_keeps_their_lines(memory: Memory) -> None:
    """A new journal is no reason to drop the line of a topic that the user has not committed yet."""
    memory.write(NEW, '---\ndescription: "read before sailing: knots"\n---\n\n# New\n')
    memory.run("index", ok=(0,))
    remember(memory, "Something else.")
    assert NEW in (memory.root / "INDEX.md").read_text()
    assert NEW not in memory.git("show", "HEAD:INDEX.md")
    memory.run("index", "--check", ok=(0,))


def test_to_names_the_file(memory: Memory) -> None:
    """An entry goes into a named topic, new or not, also as a path from the current folder."""
    assert remember(memory, "Pull before push.", "--to", "topics/git.md").startswith("topics/git.md#")
    assert names(memory) == {"topics/git.md"}
    assert remember(memory, "A bowline holds.", "--to", "topics/knots.md").startswith("topics/knots.md#")
    assert names(memory) == {"topics/knots.md", "INDEX.md"}
    assert "description_status: draft\n" in (memory.root / "topics/knots.md").read_text()
    done = subprocess.run(
        [sys.executable, "-m", "memtool", "remember", "A sheet bend joins.", "--to", "knots.md"],
        cwd=memory.root / "topics", capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.stdout.startswith("topics/knots.md#"), done.stderr


def test_every_part_is_written_where_it_is_read(memory: Memory) -> None:
    """Title, scope, source, date, reason and end come back as they were given."""
    said = remember(
        memory, "Posts have 4,000 words.", "--title", "Post length", "--scope", "project:blog", "--source", "a survey",
        "--why", "readers finish them", "--valid-until", "2099-01-01",
    )  # fmt: skip
    assert (
        (memory.root / JOURNAL)
        .read_text()
        .endswith(
            f"## {DAY} [project:blog] Post length\n\nPosts have 4,000 words.\n\n"
            "> **Source:** a survey\n> **Why:** readers finish them\n> **Valid until:** 2099-01-01\n"
        )
    )
    hit = repo(memory).show(said)
    assert (hit.source_date, hit.scope, hit.status) == (DAY, "project:blog", "current")


def test_the_text_comes_from_standard_input(memory: Memory) -> None:
    """A pipe is read to its end, markdown and all; bytes that are no UTF-8 are refused."""
    done = memory.call(sys.executable, "-m", "memtool", "remember", "--date", DAY, stdin="Über 漢字\n\n- one\n- two\n")
    assert done.returncode == 0, done.stderr
    assert bodies(memory) == ["Über 漢字\n\n- one\n- two"]
    before = memory.state()
    done = memory.call(sys.executable, "-m", "memtool", "remember", stdin="caf\udce9")
    assert (done.returncode, done.stdout) == (2, "")
    assert "not UTF-8" in done.stderr
    assert memory.state() == before


def test_the_text_comes_from_the_editor_where_nobody_pipes(memory: Memory) -> None:
    """On a terminal git's editor is opened; what it leaves is remembered, and its failure is said."""
    editor = memory.write(".git/editor", '#!/bin/sh\necho "Typed by hand." >"$1"\n')
    editor.chmod(0o755)
    assert _on_terminal(memory, f"'{editor}'") == 0
    [path] = (memory.root / "notes/desk").iterdir()
    assert bodies(memory, f"notes/desk/{path.name}") == ["Typed by hand."]
    before = memory.state()
    assert _on_terminal(memory, "false") == 2
    assert _on_terminal(memory, "true") == 2  # nothing typed
    assert memory.state() == before


def _on_terminal(memory: Memory, editor: str) -> int:
    """Run `memtool remember` with a terminal as its standard input."""
    mine, theirs = os.openpty()
    try:
        return subprocess.run(
            [sys.executable, "-m", "memtool", "remember"], cwd=memory.root, stdin=theirs, capture_output=True,
            env=os.environ | {"GIT_EDITOR": editor}, check=False,
        ).returncode  # fmt: skip
    finally:
        os.close(mine)
        os.close(theirs)


def test_a_dry_run_changes_nothing_and_says_the_ref(memory: Memory) -> None:
    """What would be written is shown; files, index and history are as they were; then it is written so."""
    before = memory.state()
    said = memory.run("remember", "One.", "--date", DAY, "--dry-run", ok=(0,)).stdout
    assert memory.state() == before
    assert said == f"would be {remember(memory, 'One.')}:\n\n## {DAY} One\n\nOne.\n"


def test_json_has_the_ref_the_commit_and_the_notes(memory: Memory) -> None:
    """The shape is `memtool.remember/1`."""
    said = json.loads(memory.run("remember", "One.", "--date", DAY, "--format", "json", ok=(0,)).stdout)
    assert said.keys() == {"schema", "ref", "path", "commit", "notes"}
    assert (said["schema"], said["path"], said["notes"]) == ("memtool.remember/1", JOURNAL, [])
    assert memory.git("rev-parse", "HEAD").strip() == said["commit"]


# --- what it refuses -------------------------------------------------------------------------------------------------

KEY = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("",), "nothing to remember"),
        ((" \n ",), "nothing to remember"),
        (("One.", "--date", "14 July"), "no date"),
        (("One.", "--date", "../../../x"), "no date"),
        (("One.", "--valid-until", "2026-02-30"), "no date"),
        (("One.", "--scope", "blog"), "scope"),
        (("One.", "--agent", "../up"), "cannot name an agent"),
        (("One.", "--to", "../x.md"), "not in the memory repo"),
        (("One.", "--to", "/x/x.md"), "not in the memory repo"),
        (("One.", "--to", ".git/x.md"), "not in the memory repo"),
        (("One.", "--to", "topics/../../x.md"), "not in the memory repo"),
        (("One.", "--to", "topics"), "takes no entries"),
        (("One.", "--to", "topics/x.txt"), "takes no entries"),
        (("One.", "--to", "resident/rules.md"), "takes no entries"),
        (("One.", "--to", "elsewhere/x.md"), "takes no entries"),
        (("One.", "--to", "INDEX.md"), "takes no entries"),
        (("One.", "--to", "topics/page.md"), "generates it"),
        (("One.", "--to", "topics/folder.md"), "a folder"),
        (("One.", "--to", "topics/link.md"), "a symbolic link"),
        (("One.", "--to", "topics/open.md"), "opens a fence"),
        ((f"The key is {KEY}.",), "nothing was stored"),
        (("One.", "--title", KEY), "nothing was stored"),
        (("One.", "--why", KEY), "nothing was stored"),
        (("One.", "--source", KEY), "nothing was stored"),
        (("One.", "--title", "caf\udce9"), "UTF-8"),
        (("caf\udce9",), "UTF-8"),
        (("One.", "--why", "caf\udce9"), "UTF-8"),
    ],
    ids=str,
)
def test_what_cannot_be_remembered_is_refused_in_one_message(memory: Memory, args: tuple[str, ...], said: str) -> None:
    """Exit code 2, one message on stderr that never repeats a secret, nothing on stdout, nothing changed."""
    memory.write("topics/page.md", (memory.root / "INDEX.md").read_bytes())
    memory.write("topics/open.md", "# Open\n\n```\nnever closed\n")
    memory.write("topics/folder.md/x.md", "# X\n")
    (memory.root / "topics/link.md").symlink_to("git.md")
    before = memory.state()
    done = memory.run("remember", *args, ok=(2,))
    assert memory.state() == before
    assert done.stdout == ""
    assert said in done.stderr
    assert done.stderr.count("memtool:") == 1
    assert KEY not in done.stderr


@pytest.mark.parametrize("to", ["../out.md", "topics/../../out.md", "topics/away/out.md", "/x/out.md", "topics//a.md"])
def test_no_path_leads_a_library_out_of_the_repo(memory: Memory, to: str) -> None:
    """A path with dots, an absolute one, and one behind a link are refused where no shell has made them plain."""
    (memory.root / "topics/away").symlink_to(memory.root.parent)
    memory.write("memtool.yaml", "format: 1\non_demand: ['**']\n")
    before = memory.state()
    with pytest.raises(MemtoolError):
        repo(memory).remember("One.", to=to)
    assert memory.state() == before
    assert not (memory.root.parent / "out.md").exists()


def test_without_an_agent_there_is_no_journal(memory: Memory) -> None:
    """The message names the ways to say who remembers; with --to nobody has to be named."""
    memory.git("config", "--unset", "memtool.agent")
    assert "memtool.agent" in memory.run("remember", "One.", ok=(2,)).stderr
    assert remember(memory, "One.", "--to", "topics/git.md")


def test_an_exact_repetition_is_refused_with_its_ref(memory: Memory) -> None:
    """Case, white space and width do not make another conclusion; the message names the entry that is there."""
    said = remember(memory, "Keep posts at 4,000 words, and no more.")
    before = memory.state()
    for text in ("Keep posts at 4,000 words, and no more.", "keep  posts at\n４,000 words, AND no more."):
        assert said in memory.run("remember", text, ok=(2,)).stderr
        assert said in memory.run("remember", text, "--to", "topics/git.md", "--title", "Other", ok=(2,)).stderr
    assert memory.state() == before


def test_what_no_longer_holds_can_be_remembered_again(memory: Memory) -> None:
    """A void entry is no repetition, nor is an expired one."""
    memory.run("forget", remember(memory, "The office is closed."), "--reason", "opened", ok=(0,))
    assert remember(memory, "The office is closed.", "--valid-until", "2026-07-15")
    assert memory.run("remember", "The office is closed.", "--date", "2026-07-16", ok=(0,))
    assert bodies(memory) == ["", "The office is closed.", "The office is closed."]


def test_a_near_repetition_and_a_process_are_stored_and_said(memory: Memory) -> None:
    """The note names the entry that is nearly the same and the way to correct it; stdout is the ref alone."""
    said = remember(memory, "The build of the parser takes nine minutes on the old laptop machine.")
    done = memory.run("remember", "The build of the parser takes eight minutes on the old laptop machine.", ok=(0,))
    assert said in done.stderr
    assert "memtool revise" in done.stderr
    assert done.stdout.count("\n") == 1
    assert "not what came of it" in memory.run("remember", "Let me check the logs of the walrus.", ok=(0,)).stderr


# --- reported is on disk ---------------------------------------------------------------------------------------------


def test_two_writers_at_once_lose_nothing(memory: Memory) -> None:
    """Twenty entries each: forty refs, forty bodies, each once, all committed."""
    texts = {who: [f"{who} says {number}." for number in range(20)] for who in ("ant", "bee")}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", RUN.format(texts=said, fault="")], cwd=memory.root, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for said in texts.values()
    ]  # fmt: skip
    ended = [process.communicate() for process in started]
    assert [process.returncode for process in started] == [0, 0], ended
    refs = [line for out, _ in ended for line in out.splitlines()]
    assert len(set(refs)) == 40
    assert sorted(bodies(memory)) == sorted([*texts["ant"], *texts["bee"]])
    assert all(repo(memory).show(ref).ref == ref for ref in refs)
    assert memory.git("status", "--porcelain") == ""


def test_two_that_remember_the_same_store_it_once(memory: Memory) -> None:
    """Of several processes that say the same at once, one stores it and the others name its ref."""
    command = [sys.executable, "-m", "memtool", "remember", "Said by many.", "--date", DAY]
    started = [
        subprocess.Popen(
            command, cwd=memory.root, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]  # fmt: skip
    ended = [process.communicate() for process in started]
    assert sorted(process.returncode for process in started) == [0, 2, 2, 2], ended
    assert bodies(memory) == ["Said by many."]


def stored_only(memory: Memory, text: str) -> str:
    """Remember *text* where no commit can be made: stored, exit code 0, and a note on stderr; give the note."""
    tip = memory.git("rev-parse", "HEAD")
    done = memory.run("remember", text, "--date", DAY, ok=(0,))
    assert repo(memory).show(done.stdout.strip()).text == text
    assert memory.git("rev-parse", "HEAD") == tip
    assert "stored, but not committed yet" in done.stderr
    return done.stderr


def both_committed(memory: Memory, *texts: str) -> None:
    """Hold that the next command commits all that waited, the index page too."""
    remember(memory, texts[-1])
    assert bodies(memory) == list(texts)
    assert memory.git("status", "--porcelain") == ""
    assert JOURNALS in memory.git("show", "HEAD:INDEX.md")
    memory.run("index", "--check", ok=(0,))


@pytest.mark.parametrize("first", [True, False], ids=["new journal", "old journal"])
def test_under_a_held_index_lock_the_entry_is_stored_and_committed_later(memory: Memory, *, first: bool) -> None:
    """Another git, or a stale lock, keeps the commit back, not the entry; the next `remember` commits both."""
    if not first:
        remember(memory, "Zero.")
    lock = memory.write(".git/index.lock", "")
    assert "index.lock" in stored_only(memory, "One.")
    lock.unlink()
    both_committed(memory, *([] if first else ["Zero."]), "One.", "Two.")


def test_a_hook_that_refuses_keeps_the_commit_back_only(memory: Memory) -> None:
    """The words of the hook come out; when it lets commits pass again, all is committed."""
    hook = memory.root / ".git/hooks/pre-commit"
    kept = hook.read_bytes()
    hook.write_text("#!/bin/sh\necho 'error: not today' >&2\necho 'nor tomorrow' >&2\nexit 1\n")
    assert "error: not today\nnor tomorrow" in stored_only(memory, "One.")
    stored_only(memory, "Two.")
    hook.write_bytes(kept)
    both_committed(memory, "One.", "Two.", "Three.")


def test_in_the_middle_of_a_merge_the_entry_waits(memory: Memory) -> None:
    """The merge is not disturbed; after it, the next `remember` commits both."""
    memory.write(".git/MERGE_HEAD", memory.git("rev-parse", "HEAD"))
    assert "a merge is under way" in stored_only(memory, "One.")
    (memory.root / ".git/MERGE_HEAD").unlink()
    both_committed(memory, "One.", "Two.")


def test_revise_too_commits_what_waits(memory: Memory) -> None:
    """Whatever command writes next: its commit holds what it did and what waited, and then nothing waits."""
    said = remember(memory, "One.", "--to", "topics/git.md")
    lock = memory.write(".git/index.lock", "")
    stored_only(memory, "Two.")
    lock.unlink()
    memory.run("verify", said, ok=(0,))
    assert names(memory) == {"topics/git.md", JOURNAL, "INDEX.md"}
    assert memory.git("status", "--porcelain") == ""
    memory.run("index", "--check", ok=(0,))


@pytest.mark.parametrize("command", ["verify", "remember"])
def test_what_was_committed_is_no_longer_waited_for(memory: Memory, command: str) -> None:
    """Once what waited is committed, the user's later edit of that file stays the user's."""
    said = remember(memory, "Zero.", "--to", "topics/git.md")
    lock = memory.write(".git/index.lock", "")
    stored_only(memory, "One.")
    lock.unlink()
    memory.run(command, *((said,) if command == "verify" else ("Two.", "--to", "topics/git.md")), ok=(0,))
    assert memory.git("status", "--porcelain") == ""
    memory.write(JOURNAL, (memory.root / JOURNAL).read_bytes() + b"\nby hand\n")
    remember(memory, "Three.", "--to", "topics/git.md")
    assert memory.git("status", "--porcelain") == f" M {JOURNAL}\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_named(memory: Memory) -> None:
    """Exit code 2, the path in the message, nothing changed."""
    remember(memory, "One.")
    folder = memory.root / "notes/desk"
    before = memory.state()
    folder.chmod(0o555)
    try:
        done = memory.run("remember", "Two.", "--date", DAY, ok=(2,))
    finally:
        folder.chmod(0o755)
    assert JOURNAL in done.stderr
    assert memory.state() == before


@pytest.mark.parametrize("new", [True, False], ids=["new journal", "old journal"])
def test_on_a_full_disk_what_was_reported_is_there(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, *, new: bool
) -> None:
    """Whichever write fails, either the ref comes out and shows, or an error does and the file is as it was."""
    if not new:
        remember(memory, "Zero.")
    tip, place, real = memory.git("rev-parse", "HEAD").strip(), memory.root / JOURNAL, files._write_new
    before = place.read_bytes() if place.exists() else None
    outcomes = set()
    for at in range(1, 20):
        calls = [0]

        def fail(*args: str, number: int = at, calls: list[int] = calls, **named: bool) -> None:
            calls[0] += 1
            if calls[0] >= number:
                raise OSError(28, "No space left on device")
            real(*args, **named)  # type: ignore[arg-type]

        with monkeypatch.context() as patch:
            patch.setattr(files, "_write_new", fail)
            try:
                said = repo(memory).remember("One.", date=DAY)
            except MemtoolError:
                assert (place.read_bytes() if place.exists() else None) == before, f"write {at}"
                outcomes.add("refused")
            else:
                assert repo(memory).show(said.ref).text == "One."
                outcomes.add("committed" if said.commit else "stored")
        if calls[0] < at:
            break
        memory.git("reset", "-q", "--hard", tip)
        memory.git("clean", "-fdq")
    else:
        pytest.fail("it never ended")
    assert outcomes == {"refused", "stored", "committed"}


@pytest.mark.parametrize("call", ["replace", "fsync", "posix_spawnp", "write", "open", "close"])
def test_killed_at_any_call_nothing_reported_is_lost(memory: Memory, call: str) -> None:
    """No half entry, the rest byte for byte as it was; the next `remember` works and commits what waited.

    Some of the calls are tried, and all in the slow profile.
    """
    remember(memory, "Zero.", "--to", "topics/git.md")
    start = memory.git("rev-parse", "HEAD").strip()
    some = {"close": 74, "open": 34, "posix_spawnp": 8, "write": 6}
    step = 1 if os.environ.get("MEMTOOL_SLOW") else some.get(call, 2)
    for at in range(1, 400, step):
        done = run(memory, "One.", "Two.", fault=f"fatal(os, {call!r}, {at})")
        assert done.returncode in {0, -signal.SIGKILL}, done.stderr
        for ref in done.stdout.splitlines():
            assert repo(memory).show(ref).ref == ref, f"{call} number {at}"
        place = memory.root / JOURNAL
        there = bodies(memory) if place.exists() else []
        assert there == ["One.", "Two."][: len(there)], f"{call} number {at}"
        assert len(there) >= done.stdout.count("\n")
        repo(memory).remember("Three.", date=DAY)
        assert bodies(memory) == [*there, "Three."], f"{call} number {at}"
        assert memory.git("status", "--porcelain") == "", f"{call} number {at}"
        assert JOURNALS in memory.git("show", "HEAD:INDEX.md"), f"{call} number {at}"
        if done.returncode == 0:
            break
        memory.git("reset", "-q", "--hard", start)
    else:
        pytest.fail("it never ended")
    assert at > 1, "nothing was killed"


def test_a_file_that_git_holds_and_the_disk_does_not_is_no_new_file(memory: Memory) -> None:
    """A sparse checkout, a deletion that is not committed: the entries of before are not replaced."""
    memory.run("remember", "one of them", ok=(0,))
    journal = next(path for path in memory.git("ls-files").splitlines() if path.startswith("notes/"))
    (memory.root / journal).unlink()
    before = memory.git("rev-parse", "HEAD")
    assert "git holds it and the disk does not" in memory.run("remember", "two of them", ok=(2,)).stderr
    assert memory.git("rev-parse", "HEAD") == before


def test_what_a_hook_changes_is_said_and_not_undone_by_the_next_commit(memory: Memory) -> None:
    """The index follows what the hook made of the commit."""
    hook = memory.write(".git/hooks/pre-commit", "#!/bin/sh\nsed -i s/apples/pears/ notes/*/*.md\ngit add notes\n")
    hook.chmod(0o755)
    assert "a hook changed the file" in memory.run("remember", "all about apples here", ok=(0,)).stderr
    hook.unlink()
    assert memory.git("status", "--porcelain") == ""


def test_another_index_is_none_of_remembers(memory: Memory) -> None:
    """With GIT_INDEX_FILE set, as in a hook, the entry is in the repo's own index, and no commit reverts it."""
    memory.run("remember", "first of all", ok=(0,))
    memory.run("remember", "second of all", env={"GIT_INDEX_FILE": str(memory.root / ".git/other")}, ok=(0,))
    assert memory.git("status", "--porcelain") == ""


def test_what_is_lost_from_sight_or_was_withdrawn_is_said(memory: Memory) -> None:
    """A detached HEAD; a text that was withdrawn and comes again."""
    ref = memory.run("remember", "the canary is in Berlin", ok=(0,)).stdout.strip()
    memory.run("forget", ref, "--reason", "it moved", ok=(0,))
    assert "this was withdrawn on " in memory.run("remember", "The canary is in Berlin", ok=(0,)).stderr
    memory.git("checkout", "-q", "--detach")
    assert "on no branch" in memory.run("remember", "detached fact", ok=(0,)).stderr


def test_doctor_tells_what_waits_for_a_commit(memory: Memory) -> None:
    """An entry that is stored and not committed is named, until a later command commits it."""
    hook = memory.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    memory.run("remember", "it waits", ok=(0,))
    assert "stored, not committed" in memory.run("doctor").stdout
    hook.unlink()
    memory.run("remember", "it goes", ok=(0,))
    assert "stored, not committed" not in memory.run("doctor").stdout
