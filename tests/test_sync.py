"""Promises of `memtool sync`: several machines, one memory, nothing lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from machines import TODAY, Machine, Machines

from memtool import MemoryRepo
from memtool.edge import refs
from memtool.errors import MemtoolError
from memtool.jobs.setup.doctor import doctor
from memtool.jobs.sync.undo import undo

TOPIC = "---\ndescription: read before {0}\nsource_date: 2026-09-01\n---\n\n# {0}\n"


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    """Give a memory with one machine, `first`, and its remote."""
    return Machines(tmp_path)


@pytest.fixture
def pair(machines: Machines) -> tuple[Machine, Machine]:
    """Give two machines that hold the same."""
    return machines.all[0], machines.clone("second")


def paths(moved: tuple[object, ...]) -> list[str]:
    return [f"{one.what} {one.path}" for one in moved]  # type: ignore[attr-defined]


# --- there and back --------------------------------------------------------------------------------------------------


def test_changes_go_to_the_other_machine(pair: tuple[Machine, Machine]) -> None:
    """What one machine changes, adds and deletes in its memory files, the other has after both have synced."""
    one, two = pair
    one.write("topics/posts.md", TOPIC.format("posts"))
    one.write("resident/rules.md", "# Rules\n\n- one\n- two\n")
    (one.root / "topics/git.md").unlink()
    sent = one.ends("pushed")
    assert paths(sent.went) == ["changed resident/rules.md", "gone topics/git.md", "new topics/posts.md"]
    got = two.ends("pulled")
    assert paths(got.came) == paths(sent.went)
    assert one.files() == two.files()
    assert "posts.md" in two.read("INDEX.md")
    assert "git.md" not in two.read("INDEX.md")
    assert (sent.pushed, got.pulled, sent.code, got.code) == (1, 1, 0, 0)


def test_nothing_to_do(pair: tuple[Machine, Machine]) -> None:
    """A sync with nothing to do makes no commit and says so, however often it is run."""
    one, _ = pair
    before = one.head()
    assert [one.sync().state for _ in range(3)] == ["up-to-date"] * 3
    assert one.head() == before


def test_both_sides_are_brought_together(pair: tuple[Machine, Machine]) -> None:
    """Two machines that both wrote hold both texts, the index of both, and one history with a merge commit."""
    one, two = pair
    one.write("topics/a.md", TOPIC.format("a"))
    two.write("topics/b.md", TOPIC.format("b"))
    one.ends("pushed")
    merged = two.ends("merged")
    assert (paths(merged.came), paths(merged.went)) == (["new topics/a.md"], ["new topics/b.md"])
    one.ends("pulled")
    assert one.files() == two.files()
    assert all(name in one.read("INDEX.md") for name in ("a.md", "b.md"))
    assert len(two.git("rev-list", "--parents", "-1", "HEAD").split()) == 3
    assert "Memory-Op: sync" in two.git("log", "-1", "--format=%B")


def test_the_same_line_on_both(pair: tuple[Machine, Machine]) -> None:
    """Where both sides changed the same line, both texts are kept, and both machines show the same pair."""
    one, two = pair
    one.write("resident/rules.md", "# Rules\n\n- ours\n")
    two.write("resident/rules.md", "# Rules\n\n- theirs\n")
    one.ends("pushed")
    kept = two.ends("conflict-kept")
    assert kept.code == 1
    (conflict,) = kept.conflicts
    assert {"ours", "theirs"} <= {*two.read("resident/rules.md").split(), *two.read(conflict.copy).split()}
    one.ends("pulled")
    assert one.files() == two.files()
    assert b"<<<<" not in b"".join(one.files().values())


def test_scripts_merge_as_git_merges_them(pair: tuple[Machine, Machine]) -> None:
    """Files that are no memory are merged by git, with their modes; links and executables arrive as what they are."""
    one, two = pair
    lines = [f"echo {number}\n" for number in range(9)]
    one.write("tools/run.sh", "".join(lines))
    (one.root / "tools/run.sh").chmod(0o755)
    (one.root / "link.txt").symlink_to("tools/run.sh")
    one.git("add", "-A")
    one.git("commit", "-qm", "tools")
    one.ends("pushed")
    two.ends("pulled")
    assert (two.root / "tools/run.sh").stat().st_mode & 0o111
    assert (two.root / "link.txt").readlink() == Path("tools/run.sh")
    one.save("tools/run.sh", "".join(["echo first\n", *lines[1:]]))
    two.save("tools/run.sh", "".join([*lines[:-1], "echo last\n"]))
    one.ends("pushed")
    two.ends("merged")
    assert two.read("tools/run.sh") == "".join(["echo first\n", *lines[1:-1], "echo last\n"])
    assert (two.root / "tools/run.sh").stat().st_mode & 0o111


def test_other_files_in_conflict_stop_it(pair: tuple[Machine, Machine]) -> None:
    """A conflict that git cannot merge in a script stops the sync, with the list; all is as it was."""
    one, two = pair
    one.save("run.sh", "echo one\n")
    two.save("run.sh", "echo two\n")
    one.ends("pushed")
    before = two.state()
    stopped = two.ends("conflict-elsewhere")
    assert (stopped.paths, stopped.code) == (("run.sh",), 2)
    assert unmoved(two.state()) == unmoved(before)


def unmoved(state: tuple[str, str, str, bytes, dict[str, bytes]]) -> object:
    """Leave out of a state what a fetch moves."""
    index, stash, refs_, _, files = state
    shown = {path: data for path, data in files.items() if not path.startswith(".memtool/")}
    return index, stash, [line for line in refs_.splitlines() if "/heads/" in line], shown


# --- what is committed, and what is not ------------------------------------------------------------------------------


def test_only_memory_is_committed(pair: tuple[Machine, Machine]) -> None:
    """Untracked files that are no memory, and changed scripts, are named and left; what is staged stays staged."""
    one, _ = pair
    one.save("run.sh", "echo one\n")
    one.write("run.sh", "echo two\n")
    one.write("scratch.txt", "x")
    one.write("staged.txt", "y")
    one.git("add", "staged.txt")
    one.write("notes/first/2026-09.md", "# Notes\n")
    done = one.ends("pushed")
    assert {left.path for left in done.left} == {"run.sh", "scratch.txt", "staged.txt"}
    assert one.git("status", "--porcelain").splitlines() == [" M run.sh", "A  staged.txt", "?? scratch.txt"]
    assert "notes/first/2026-09.md" in one.git("show", "--format=", "--name-only", "HEAD")


def test_a_memory_file_staged_in_part_is_left(pair: tuple[Machine, Machine]) -> None:
    """A file that is staged, and changed again since, is the user's to commit: both versions stay."""
    one, _ = pair
    one.write("resident/rules.md", "# Rules\n\n- staged\n")
    one.git("add", "-A")
    one.write("resident/rules.md", "# Rules\n\n- changed again\n")
    (left,) = one.ends("up-to-date").left
    assert (left.path, "staged" in left.why) == ("resident/rules.md", True)
    assert "- staged" in one.git("show", ":resident/rules.md")
    assert "- changed again" in one.read("resident/rules.md")


def test_staged_work_survives_a_merge(pair: tuple[Machine, Machine]) -> None:
    """What the user has staged and changed elsewhere is as it was after others' work has come."""
    one, two = pair
    two.save("run.sh", "echo one\n")
    two.ends("pushed")
    one.write("topics/a.md", TOPIC.format("a"))
    one.ends("merged")
    two.write("run.sh", "echo two\n")
    two.git("add", "run.sh")
    two.write("run.sh", "echo three\n")
    two.write("topics/b.md", TOPIC.format("b"))
    two.ends("merged")
    assert two.git("status", "--porcelain") == "MM run.sh\n"
    assert (two.git("show", ":run.sh"), two.read("run.sh")) == ("echo two\n", "echo three\n")


def test_what_may_not_enter_is_left_out(pair: tuple[Machine, Machine]) -> None:
    """A file with a secret is left and named, with the line; the rest is committed and goes."""
    one, two = pair
    one.write("topics/key.md", TOPIC.format("key") + "\nAKIAIOSFODNN7EXAMPLQ aws_secret_access_key\n")
    one.write("topics/key.md", TOPIC.format("key") + "\ntoken: ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8\n")
    one.write("topics/posts.md", TOPIC.format("posts"))
    done = one.ends("left-behind")
    assert "sent to origin/main" in done.message
    assert [(one.code, one.path) for one in done.findings] == [("secret", "topics/key.md")]
    assert done.code == 1
    assert [left.path for left in done.left] == ["topics/key.md"]
    two.ends("pulled")
    assert not (two.root / "topics/key.md").exists()


def test_a_secret_in_an_unpushed_commit_stops_it(pair: tuple[Machine, Machine]) -> None:
    """A secret in any commit that is not sent yet stops the push, taken out since or not; the way out is named."""
    one, two = pair
    one.save("topics/key.md", TOPIC.format("key") + "\ntoken: ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8\n")
    one.save("topics/key.md", TOPIC.format("key"))
    stopped = one.ends("refused")
    assert (stopped.code, stopped.findings[0].code) == (1, "secret")
    assert stopped.next.startswith("git reset ")
    one.git(*stopped.next.split(" takes")[0].split()[1:])
    one.ends("pushed")
    two.ends("pulled")
    assert "ghp_" not in two.git("log", "-p", "--all")


def test_most_of_the_memory_gone_is_no_change(pair: tuple[Machine, Machine]) -> None:
    """Where most files are gone from the disk, nothing is committed: an accident until a person stages the deletion.

    The commands that it names bring back what is gone, and nothing else.
    """
    one, two = pair
    for number in range(20):
        one.write(f"topics/t{number}.md", TOPIC.format(number))
    one.ends("pushed")
    for number in range(20):
        (one.root / f"topics/t{number}.md").unlink()
    one.write("resident/rules.md", "# Rules\n\n- one\n- mine\n")
    before = one.head()
    stopped = one.ends("many-deleted")
    assert (stopped.code, one.head()) == (1, before)
    back, meant, _ = (line.partition(": ")[2] for line in stopped.next.split("\n"))
    one.call("sh", "-c", back)
    assert one.git("status", "--porcelain") == " M resident/rules.md\n"
    for number in range(20):
        (one.root / f"topics/t{number}.md").unlink()
    one.call("sh", "-c", meant)
    one.ends("pushed")
    two.ends("pulled")
    assert not (two.root / "topics/t3.md").exists()


def test_all_that_is_resident_gone_is_no_change(pair: tuple[Machine, Machine]) -> None:
    """However small the memory is, it is not wiped by a sync: not all of it, and not all that every session reads."""
    one, _ = pair
    for gone in (["resident/rules.md", "resident/summary.md"], ["topics/git.md"]):
        for path in gone:
            (one.root / path).unlink()
        assert one.ends("many-deleted").code == 1
    one.git("checkout", "--", "resident")
    one.ends("pushed")


def test_who_rewrote_the_history_goes_on(pair: tuple[Machine, Machine]) -> None:
    """Where this clone itself gave commits up and pushed by force, others' work on top of that simply comes."""
    one, two = pair
    one.save("topics/a.md", TOPIC.format("a"))
    one.ends("pushed")
    two.ends("pulled")
    one.git("commit", "-q", "--amend", "-m", "said better")
    one.git("push", "-qf")
    two.git("fetch", "-q")
    two.git("reset", "-q", "--keep", "origin/main")
    two.save("topics/b.md", TOPIC.format("b"))
    two.ends("pushed")
    one.ends("pulled")
    assert one.files() == two.files()


def test_over_budget_after_a_merge(pair: tuple[Machine, Machine]) -> None:
    """Two sides within a budget that are over it together are merged, kept, sent and reported."""
    one, two = pair
    rules = "# Rules\n\n- one\n"
    one.write("resident/rules.md", rules + "".join(f"- ours {number} {'x' * 80}\n" for number in range(28)))
    two.write("resident/rules.md", rules.replace("- one", "- two " + "y" * 2000 + "\n- one"))
    one.ends("pushed")
    done = two.ends("merged")
    assert [finding.code for finding in done.findings] == ["over-budget"]
    one.ends("pulled")


def test_resident_changes_are_shown(pair: tuple[Machine, Machine]) -> None:
    """What other machines changed in files that every session reads is shown as a diff."""
    one, two = pair
    one.write("resident/rules.md", "# Rules\n\n- one\n- pipes swallow exit codes\n")
    one.ends("pushed")
    (change,) = two.ends("pulled").resident_changes
    assert change.path == "resident/rules.md"
    assert "+- pipes swallow exit codes" in change.diff.splitlines()


# --- undo ------------------------------------------------------------------------------------------------------------


def test_undo_goes_back_while_nothing_was_sent(pair: tuple[Machine, Machine]) -> None:
    """Before a push, undo brings the branch back; what was changed here stands in the files, not committed."""
    one, two = pair
    one.write("topics/a.md", TOPIC.format("a"))
    one.ends("pushed")
    two.write("topics/b.md", TOPIC.format("b"))
    before = two.head()
    two.ends("merged", push=False)
    done = undo(str(two.root), agent="second", today=TODAY)
    assert (done.how, two.head()) == ("back", before)
    assert not (two.root / "topics/a.md").exists()
    assert two.read("topics/b.md") == TOPIC.format("b")
    assert two.git("status", "--porcelain").splitlines() == [" M INDEX.md", "?? topics/b.md"]
    two.ends("merged")


def test_undo_reverts_what_was_sent(pair: tuple[Machine, Machine]) -> None:
    """After a push, undo takes out what came by a commit of its own; own work, and work since, stays everywhere."""
    one, two = pair
    one.write("topics/a.md", TOPIC.format("a"))
    one.write("resident/rules.md", "# Rules\n\n- one\n- two\n")
    one.ends("pushed")
    two.write("topics/b.md", TOPIC.format("b"))
    two.ends("merged")
    two.save("topics/c.md", TOPIC.format("c"))
    done = undo(str(two.root), agent="second", today=TODAY)
    assert done.how == "reverted"
    two.ends("pushed")
    one.ends("pulled")
    files = one.files()
    assert one.files() == two.files()
    assert "topics/a.md" not in files
    assert {"topics/b.md", "topics/c.md"} <= files.keys()
    assert files["resident/rules.md"] == b"# Rules\n\n- one\n"
    assert b"a.md" not in files["INDEX.md"]


def test_undo_loses_nothing(pair: tuple[Machine, Machine]) -> None:
    """Where nothing can be taken back, or the branch has moved on, undo says so and changes nothing."""
    one, two = pair
    with pytest.raises(MemtoolError, match="no sync"):
        undo(str(one.root), agent="first", today=TODAY)
    one.write("topics/a.md", TOPIC.format("a"))
    one.ends("pushed")
    two.ends("pulled")
    two.save("topics/c.md", TOPIC.format("c"))
    before = two.state()
    with pytest.raises(MemtoolError, match="moved on"):
        undo(str(two.root), agent="second", today=TODAY)
    assert two.state() == before


def test_undo_takes_back_the_last_sync_and_no_older_one(pair: tuple[Machine, Machine]) -> None:
    """A sync that only sent what was committed before is one too: its commits are taken back, by a commit."""
    one, two = pair
    one.write("topics/a.md", TOPIC.format("a"))
    one.ends("pushed")
    one.save("topics/b.md", TOPIC.format("b"))
    one.ends("pushed")
    done = undo(str(one.root), agent="first", today=TODAY)
    assert (done.how, dict(zip(done.paths, done.what, strict=True))["topics/b.md"]) == ("reverted", "gone")
    one.ends("pushed")
    two.ends("pulled")
    assert (two.root / "topics/a.md").exists()
    assert not (two.root / "topics/b.md").exists()


# --- asked, not done -------------------------------------------------------------------------------------------------


def test_a_dry_run_changes_nothing(pair: tuple[Machine, Machine]) -> None:
    """A dry run tells what would come, conflicts too, and leaves files, index, branch and remote as they are."""
    one, two = pair
    one.write("resident/rules.md", "# Rules\n\n- ours\n")
    one.ends("pushed")
    two.write("resident/rules.md", "# Rules\n\n- theirs\n")
    before = two.state()
    told = two.ends("conflict-kept", dry_run=True)
    assert (told.dry_run, len(told.conflicts), paths(told.came)) == (True, 1, ["changed resident/rules.md"])
    assert unmoved(two.state()) == unmoved(before)
    assert one.ends("up-to-date")


def test_a_dry_run_tells_what_would_go(pair: tuple[Machine, Machine]) -> None:
    """A dry run names the end that the sync would have, and the files that would go; none where nobody was asked."""
    one, _ = pair
    one.write("topics/a.md", TOPIC.format("a"))
    assert paths(one.ends("pushed", dry_run=True).went) == ["new topics/a.md"]
    one.git("remote", "set-url", "origin", "nowhere")
    assert one.ends("offline", dry_run=True).went == ()
    one.git("remote", "set-url", "origin", "../hub.git")
    assert paths(one.ends("pushed").went) == ["new topics/a.md"]


def test_no_push_keeps_it_here(pair: tuple[Machine, Machine]) -> None:
    """With --no-push what is new here stays here until it is asked for."""
    one, two = pair
    one.write("topics/a.md", TOPIC.format("a"))
    assert "1 commit waits here for the next sync" in one.ends("unpushed", push=False).notes
    two.ends("up-to-date")
    one.ends("pushed")
    two.ends("pulled")


def test_json_says_all(pair: tuple[Machine, Machine]) -> None:
    """One JSON document: the state, its sentence and next step, what came and went, what is to be looked at."""
    one, _ = pair
    one.write("topics/a.md", TOPIC.format("a"))
    done = one.run("sync", "--format", "json", ok=(0,))
    said = json.loads(done.stdout)
    assert (said["schema"], said["state"], said["pulled"], said["pushed"]) == ("memtool.sync/1", "pushed", 0, 1)
    assert said["went"] == [{"path": "topics/a.md", "what": "new"}]
    assert {"conflicts", "resident_changes", "findings", "left", "notes", "next", "message", "commit"} <= said.keys()


def test_quiet_says_nothing_where_all_is_well(pair: tuple[Machine, Machine]) -> None:
    """For a timer: no word while nothing needs a person, and the whole screen where something does."""
    one, two = pair
    assert one.run("sync", "--quiet", ok=(0,)).stdout == ""
    one.write("resident/rules.md", "# Rules\n\n- ours\n")
    two.write("resident/rules.md", "# Rules\n\n- theirs\n")
    assert one.run("sync", "--quiet", ok=(0,)).stdout == ""
    assert two.run("sync", "--quiet", ok=(1,)).stdout.startswith("conflict-kept: ")


def test_the_last_seen_commit_is_kept(pair: tuple[Machine, Machine]) -> None:
    """What memtool saw of the remote stands in a ref of its own, which a plain fetch does not move."""
    one, two = pair
    one.write("topics/a.md", TOPIC.format("a"))
    one.ends("pushed")
    two.sync()
    seen = refs.read(str(two.root), refs.seen("origin", "main"))
    assert list(seen.values()) == [one.head()]
    one.write("topics/b.md", TOPIC.format("b"))
    one.ends("pushed")
    two.git("fetch", "-q")
    assert refs.read(str(two.root), refs.seen("origin", "main")) == seen


def test_doctor_tells_what_is_not_sent(pair: tuple[Machine, Machine]) -> None:
    """Without asking the remote, doctor says how many commits the other machines cannot have yet, and since when."""
    one, two = pair
    one.save("topics/a.md", TOPIC.format("a"))
    (said,) = (check for check in doctor(str(one.root)) if check.name == "sync")
    assert (said.status, said.remedy) == ("warn", "memtool sync")
    assert "1 commit not sent to origin/main" in said.message
    one.ends("pushed")
    two.ends("pulled")
    for machine in pair:
        assert [check.status for check in doctor(str(machine.root)) if check.name == "sync"] == ["ok"]


def test_missing_hooks_and_driver_are_noted(pair: tuple[Machine, Machine]) -> None:
    """Every sync says where plain git commits and merges would pass memtool by, and syncs all the same."""
    one, _ = pair
    one.git("config", "--unset", "merge.memtool.driver")
    notes = "\n".join(one.ends("up-to-date").notes)
    assert "pre-commit" in notes
    assert "merge.memtool.driver is not set" in notes


def test_a_plain_push_is_judged_and_a_syncs_is_not_judged_twice(pair: tuple[Machine, Machine]) -> None:
    """The pre-push hook goes on stopping a secret that git pushes; a sync has judged its own commits itself."""
    one, _ = pair
    one.install_hooks()
    one.git("config", "core.hooksPath", str(one.root / ".git/hooks"))
    one.write("topics/a.md", TOPIC.format("a"))
    one.ends("pushed")
    one.write("topics/key.md", TOPIC.format("key") + "\ntoken: ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8\n")
    one.git("add", "-A")
    one.git("commit", "-qnm", "a secret")
    assert "secret" in one.call("git", "push", "-q").stderr
    assert one.ends("refused").findings[0].code == "secret"


def test_the_library_syncs(pair: tuple[Machine, Machine]) -> None:
    """`MemoryRepo.sync` does what the command does, and gives its result."""
    one, two = pair
    one.write("topics/a.md", TOPIC.format("a"))
    assert MemoryRepo.open(str(one.root), agent="first").sync().state == "pushed"
    assert MemoryRepo.open(str(two.root), agent="second").sync(push=False).state == "pulled"


def test_what_the_index_tells_of_files_left_out_is_not_committed(pair: tuple[Machine, Machine]) -> None:
    """A link among the topics is left out, and so is its row: the next sync has nothing to commit over it."""
    one, two = pair
    (one.root / "topics/link.md").symlink_to("git.md")
    one.write("topics/a.md", TOPIC.format("a"))
    one.ends("pushed")
    assert [left.path for left in one.ends("up-to-date").left] == ["topics/link.md"]
    assert "link.md" not in one.git("show", "HEAD:INDEX.md")
    two.ends("pulled")


def test_a_copy_that_another_machine_made_is_told(pair: tuple[Machine, Machine]) -> None:
    """The machine whose text was set aside elsewhere hears of it, with the way to see both."""
    one, two = pair
    one.write("resident/rules.md", "# Rules\n\n- ours\n")
    two.write("resident/rules.md", "# Rules\n\n- theirs\n")
    one.ends("pushed")
    two.ends("conflict-kept")
    told = one.run("sync", "--quiet", ok=(0,)).stdout
    assert "1 open conflict: memtool resolve" in told
    assert one.run("sync", "--quiet", ok=(0,)).stdout == ""
    assert "1 open conflict: memtool resolve" in one.run("sync", ok=(0,)).stdout
