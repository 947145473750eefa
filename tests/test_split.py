"""`memtool split` in a real repo: one commit, provable for ever, undone by one revert; refused with nothing changed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from memory import GOOD, Memory
from test_blocks import DATA, needs_data
from test_split_plan import section

BIG = (
    b'---\ndescription: "read before deploys: how"\nsource_date: 2026-01-02\nscope: project:web\n---\n\nBefore.\n\n'
    + section("## Setup", 5000)
    + section("## Rollback", 6000)
    + section("## Secrets of the trade", 4000)
)
PARTS = ["topics/setup.md", "topics/rollback.md", "topics/secrets-of-the-trade.md"]


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    made = Memory.started(tmp_path / "memory")
    made.git("config", "memtool.agent", "laptop")
    add(made, "topics/big.md", BIG)
    return made


def add(memory: Memory, path: str, data: bytes) -> None:
    memory.write(path, data)
    memory.run("index", ok=(0,))
    memory.git("add", "-A")
    memory.git("commit", "-qm", f"add {path}", "--no-verify")


def split(memory: Memory, *args: str, ok: tuple[int, ...] = (0,)) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(memory.run("split", *args, "--format", "json", ok=ok).stdout)
    return answer


def bodies(memory: Memory, paths: list[str]) -> bytes:
    contents = [(memory.root / path).read_bytes() for path in paths]
    return b"".join(content.partition(b"\n---\n")[2] for content in contents)


# --- what it does ----------------------------------------------------------------------------------------------------


def test_a_file_becomes_its_parts_in_one_commit(memory: Memory) -> None:
    """The parts joined are the source; the source is the route; the index leads to the parts; nothing is left over."""
    before = memory.git("rev-parse", "HEAD")
    assert [part["path"] for part in split(memory, "topics/big.md")["parts"]] == PARTS
    assert bodies(memory, PARTS) == BIG[BIG.index(b"## Setup") :]
    route = (memory.root / "topics/big.md").read_text()
    assert route.startswith(BIG[: BIG.index(b"## Setup")].decode())
    assert all(f"]({path.removeprefix('topics/')})" in route for path in PARTS)
    assert memory.git("rev-parse", "HEAD^") == before
    assert memory.git("status", "--porcelain") == ""
    assert "topics/rollback.md" in (memory.root / "INDEX.md").read_text()
    memory.run("index", "--check", ok=(0,))
    memory.run("check", ok=(0,))


def test_the_commit_names_ids_and_lengths_and_the_proof_needs_no_more(memory: Memory) -> None:
    """The trailers carry the proof; the message quotes no heading."""
    split(memory, "topics/big.md")
    message = memory.git("log", "-1", "--format=%B")
    assert "Memory-Op: split\nMemory-Agent: laptop\nMemory-Path: topics/big.md\n" in message
    assert message.count("Memory-Part: ") == 3
    assert "rollback" not in message.lower()
    assert "proved" in memory.run("split", "--verify", ok=(0,)).stdout
    assert "proved" in memory.run("split", "--verify", "HEAD", ok=(0,)).stdout


def test_a_dry_run_shows_the_plan_and_writes_nothing(memory: Memory) -> None:
    """Source, parts, sizes, every heading with its line and part; the tree is as before."""
    before = memory.state()
    plan = split(memory, "topics/big.md", "--dry-run")
    assert plan["schema"] == "memtool.split/1"
    assert (plan["source"], plan["bytes"], plan["commit"]) == ("topics/big.md", len(BIG), "")
    assert b"".join(BIG[part["start"] : part["end"]] for part in plan["parts"]) == BIG[plan["kept"] :]
    assert plan["parts"][1]["headings"] == [{"line": 12, "level": 2, "text": "Rollback", "setext": False}]
    said = memory.run("split", "topics/big.md", "--dry-run", ok=(0,)).stdout
    assert "   6,000      12  topics/rollback.md\n" in said
    assert "Nothing is written yet" in said
    assert memory.state() == before


def test_one_revert_undoes_it(memory: Memory) -> None:
    """`git revert` of the commit gives the tree of before, index included."""
    tree = memory.git("rev-parse", "HEAD^{tree}")
    split(memory, "topics/big.md")
    memory.git("revert", "--no-edit", "HEAD")
    assert memory.git("rev-parse", "HEAD^{tree}") == tree


def test_history_follows_the_moved_text(memory: Memory) -> None:
    """git finds the source of a part: blame names the commits that wrote the lines, log --follow goes on before it."""
    split(memory, "topics/big.md")
    blamed = memory.git("blame", "-C", "-C", "-C", "-s", "topics/rollback.md").splitlines()
    assert sum("topics/big.md" in line for line in blamed) >= 2
    followed = memory.git("log", "--follow", "-M1%", "-C1%", "--format=%s", "topics/rollback.md").splitlines()
    assert followed[-1] == "add topics/big.md"


def test_with_remove_the_source_goes_and_its_preamble_is_kept(memory: Memory) -> None:
    """Nothing before the first heading is lost, and it is said what of the front matter goes."""
    plan = split(memory, "topics/big.md", "--remove")
    assert not (memory.root / "topics/big.md").exists()
    assert bodies(memory, PARTS) == BIG[BIG.index(b"\nBefore") :]
    assert plan["notes"] == ["of the source's front matter, description goes with it"]
    assert memory.git("status", "--porcelain") == ""
    assert "topics/big.md" not in (memory.root / "INDEX.md").read_text()
    memory.run("split", "--verify", ok=(0,))


def test_parts_go_where_the_user_says(memory: Memory) -> None:
    """--into names a folder, made where it is missing, from the root or from here."""
    made = [part["path"] for part in split(memory, "topics/big.md", "--into", "topics/deploy")["parts"]]
    assert made == [path.replace("topics/", "topics/deploy/") for path in PARTS]
    assert bodies(memory, made) == BIG[BIG.index(b"## Setup") :]


def test_a_resident_file_is_split_into_the_on_demand_tier(memory: Memory) -> None:
    """Its parts are read when they are needed, and the file is within its budget again."""
    add(memory, "resident/rules.md", section("## Always", 3000) + section("## Mail", 3000) + section("## Money", 5000))
    made = [part["path"] for part in split(memory, "resident/rules.md", "--level", "2")["parts"]]
    assert made == ["topics/always.md", "topics/mail.md", "topics/money.md"]
    assert "](../topics/mail.md)" in (memory.root / "resident/rules.md").read_text()
    memory.run("check", ok=(0,))


def test_a_journal_is_split_to_where_the_index_leads(memory: Memory) -> None:
    """Beside a journal the parts would have no row of their own."""
    add(memory, "notes/laptop/2026-07.md", section("## 2026-07-01 Mail", 5000) + section("## 2026-07-02 Money", 5000))
    made = [part["path"] for part in split(memory, "notes/laptop/2026-07.md")["parts"]]
    assert made == ["topics/2026-07-01-mail.md", "topics/2026-07-02-money.md"]


def test_other_work_in_the_tree_stays_out_of_the_commit(memory: Memory) -> None:
    """Staged, unstaged and new files stay as they are; the index of the commit knows only what is committed."""
    memory.write("topics/git.md", GOOD + "staged\n")
    memory.git("add", "topics/git.md")
    memory.write("topics/git.md", GOOD + "staged\nmore\n")
    memory.write("topics/new.md", GOOD.replace("git", "new"))
    split(memory, "topics/big.md")
    assert memory.git("status", "--porcelain").splitlines() == [" M INDEX.md", "MM topics/git.md", "?? topics/new.md"]
    assert "new.md" not in memory.git("show", "HEAD:INDEX.md")
    assert "topics/new.md" in (memory.root / "INDEX.md").read_text()


def test_with_folders_each_page_of_the_index_is_right(memory: Memory) -> None:
    """The pages that the split adds, changes or empties are all in its commit."""
    memory.write("memtool.yaml", "format: 1\nindex:\n  layout: folders\n")
    add(memory, "projects/web/big.md", BIG)
    split(memory, "projects/web/big.md", "--into", "projects/web/deploy", "--remove")
    assert memory.git("status", "--porcelain") == ""
    memory.run("index", "--check", ok=(0,))


@needs_data
@pytest.mark.parametrize("name", ["skill-memory-bank--memory-bank--progress.md", "copier--docs--configuring.md"])
def test_real_big_files_are_split_and_proved(memory: Memory, name: str) -> None:
    """A file of 522 headings, one with footnotes and reference links: whole, proved, and within the index."""
    data = (DATA / "big-files" / name).read_bytes()
    add(memory, "topics/real.md", data)
    plan = split(memory, "topics/real.md", "--into", "topics/real")
    assert bodies(memory, [part["path"] for part in plan["parts"]]) == data[plan["kept"] :]
    memory.run("split", "--verify", ok=(0,))
    proof = json.loads(memory.run("index", "--check", "--format", "json").stdout)
    assert {finding["code"] for finding in proof["findings"]} <= {"over-budget"}


# --- the proof -------------------------------------------------------------------------------------------------------


def test_a_tampered_split_commit_is_found_from_history(memory: Memory) -> None:
    """An amended part is named with its offset, exit 1; later edits are nobody's fault."""
    split(memory, "topics/big.md")
    part = memory.root / "topics/rollback.md"
    part.write_bytes(part.read_bytes()[:-10] + b"y" + part.read_bytes()[-9:])
    memory.git("commit", "-qam", "a later edit", "--no-verify")
    memory.run("split", "--verify", ok=(0,))
    memory.git("reset", "-q", "--soft", "HEAD~1")
    memory.git("commit", "-q", "--amend", "--no-edit", "--no-verify")
    done = memory.run("split", "--verify", ok=(1,))
    assert f"topics/rollback.md: differs from the source at its byte {len(BIG) - 4010:,}" in done.stdout
    assert "1 of 1 split could not be proved" in done.stderr


def test_what_cannot_be_proved_is_never_called_proved(memory: Memory, tmp_path: Path) -> None:
    """No split, a commit that is none, a revision that is none, a shallow clone: exit 2 each."""
    assert "nothing to prove" in memory.run("split", "--verify", ok=(2,)).stderr
    split(memory, "topics/big.md")
    assert "no split commit" in memory.run("split", "--verify", "HEAD~1", ok=(2,)).stderr
    assert "no such commit" in memory.run("split", "--verify", "nonsense", ok=(2,)).stderr
    memory.git("clone", "-q", "--depth=1", f"file://{memory.root}", str(tmp_path / "shallow"))
    assert "could not be proved" in Memory(tmp_path / "shallow").run("split", "--verify", ok=(2,)).stderr


def test_every_split_of_a_history_is_proved(memory: Memory) -> None:
    """Each commit has its line; a revert of one is none."""
    first = split(memory, "topics/big.md")["commit"]
    memory.git("revert", "--no-edit", "HEAD")
    second = split(memory, "topics/big.md", "--level", "2", "--remove")["commit"]
    answer = json.loads(memory.run("split", "--verify", "--format", "json", ok=(0,)).stdout)
    assert [(one["commit"], one["source"], one["faults"]) for one in answer["commits"]] == [
        (second, "topics/big.md", []),
        (first, "topics/big.md", []),
    ]


# --- links -----------------------------------------------------------------------------------------------------------

LINKED = (
    b"# Guide\n\n## First\n\nSee [t][r], a note[^1], [the second](#second), ![i](img/a.png).\n\n"
    + b"x" * 6000
    + b"\n\n## Second\n\n[r]: http://e/\n[^1]: note\n\n"
    + b"y" * 6000
    + b"\n"
)
OTHER = GOOD.encode() + b"\nAsk the [guide](guide.md#second).\n"


def linked(memory: Memory) -> None:
    memory.write("topics/other.md", OTHER)
    add(memory, "topics/guide.md", LINKED)


def test_every_link_that_breaks_is_told_with_the_file_that_holds_its_target(memory: Memory) -> None:
    """References, footnotes, anchors, relative links, and other files' links into the source: none silently."""
    linked(memory)
    found = split(memory, "topics/guide.md", "--into", "topics/guide")["links"]
    assert [(link["path"], link["kind"], link["target"], link["holder"], link["mendable"]) for link in found] == [
        ("topics/guide/first.md", "reference", "r", "topics/guide/second.md", True),
        ("topics/guide/first.md", "footnote", "^1", "topics/guide/second.md", False),
        ("topics/guide/first.md", "anchor", "#second", "topics/guide/second.md#second", True),
        ("topics/guide/first.md", "relative", "img/a.png", "", True),
        ("topics/other.md", "anchor", "guide.md#second", "topics/guide/second.md#second", True),
    ]
    assert [link["line"] for link in found] == [9, 9, 9, 9, 8]


def test_relinking_is_a_second_commit_of_link_targets_alone(memory: Memory) -> None:
    """The split stays provable, and the second commit changes the targets and no other byte."""
    linked(memory)
    done = split(memory, "topics/guide.md", "--into", "topics/guide", "--relink")
    assert memory.git("log", "-2", "--format=%H").split() == [done["relink_commit"], done["commit"]]
    memory.run("split", "--verify", ok=(0,))
    changed = memory.git("show", "--format=", "-U0", "HEAD").splitlines()
    assert [line for line in changed if line.startswith("+") and not line.startswith("+++")] == [
        "+See [t](http://e/), a note[^1], [the second](second.md#second), ![i](../img/a.png).",
        "+Ask the [guide](guide/second.md#second).",
    ]
    assert memory.git("status", "--porcelain") == ""


def test_links_can_be_mended_later(memory: Memory) -> None:
    """`split --relink` alone mends what the newest split broke; done once, there is nothing left to mend."""
    linked(memory)
    split(memory, "topics/guide.md")
    said = memory.run("split", "--relink", "--dry-run", ok=(0,)).stdout
    assert "3 links would be mended" in said
    assert "topics/first.md:9  footnote ^1: topics/second.md; left, for it has to be mended by hand" in said
    assert "3 links mended: commit " in memory.run("split", "--relink", ok=(0,)).stdout
    assert "second.md#second" in (memory.root / "topics/other.md").read_text()
    assert "0 links mended" in memory.run("split", "--relink", ok=(0,)).stdout


def test_what_a_person_edited_since_is_not_relinked(memory: Memory) -> None:
    """Uncommitted work is left and named; a part that was edited and committed is not looked at."""
    linked(memory)
    split(memory, "topics/guide.md")
    part = memory.root / "topics/first.md"
    part.write_bytes(part.read_bytes() + b"mine\n")
    memory.git("commit", "-qam", "edit", "--no-verify")
    memory.write("topics/other.md", OTHER + b"mine too\n")
    said = memory.run("split", "--relink", ok=(0,)).stdout
    assert "0 links mended" in said
    assert "topics/other.md:8" in said
    assert (memory.root / "topics/other.md").read_bytes() == OTHER + b"mine too\n"


# --- what is refused -------------------------------------------------------------------------------------------------


def test_bad_input_is_refused_with_one_message_and_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    """Each says what is wrong; the tree, the index and the refs are as they were."""
    memory.write("topics/one.md", "# One\n\ntext\n")
    memory.write("topics/open.md", "# One\n\n```\n# no\n")
    memory.write("topics/picture.png", b"\x89PNG\0")
    memory.write("topics/new.md", BIG)
    (memory.root / "topics/link.md").symlink_to("big.md")
    add(memory, "topics/edited.md", BIG)
    memory.git("rm", "-q", "--cached", "topics/new.md")
    memory.git("commit", "-qm", "untracked again", "--no-verify")
    memory.write("topics/edited.md", BIG + b"more\n")
    outside = tmp_path / "outside.md"
    outside.write_bytes(BIG)
    cases = [
        (["topics/big.md", "--level", "4"], "topics/big.md: no heading at level 4\n  Headings by level: 3 at 2."),
        (["topics/one.md"], "topics/one.md:1: one heading only"),
        (["topics/open.md"], "Line 3 opens a fence"),
        (["INDEX.md"], "INDEX.md: memtool generates it"),
        ([str(outside)], "is not in the memory repo"),
        (["topics/edited.md"], "topics/edited.md: has changes that are not committed"),
        (["topics/new.md"], "topics/new.md: not committed yet"),
        (["topics/link.md"], "topics/link.md: a symbolic link"),
        (["topics"], "topics: a folder"),
        (["topics/picture.png"], "topics/picture.png: no markdown"),
        (["topics/none.md"], "topics/none.md: no such file"),
        (["topics/big.md", "--into", "../elsewhere"], "is not in the memory repo"),
        (["topics/big.md", "--into", ".git/x"], "is not in the memory repo"),
        (["topics/big.md", "--into", "src"], "src: files there are not on demand"),
        (["topics/big.md", "--into", "topics/git.md"], "topics/git.md: no folder"),
        ([], "which file?"),
        (["--verify", "--deep"], "--deep: nothing is cut by --verify"),
        (["--verify", "--relink"], "--verify only reads"),
    ]
    before = memory.state()
    for args, message in cases:
        done = memory.run("split", *args, ok=(2,))
        assert message in done.stderr, (args, done.stderr)
        assert done.stdout == ""
        assert memory.state() == before, args


def test_a_file_of_a_hundred_megabytes_is_refused(memory: Memory) -> None:
    """It is not even read."""
    os.truncate(memory.write("topics/huge.md", b""), 100 << 20)
    assert "topics/huge.md: too large to read (100 MB)" in memory.run("split", "topics/huge.md", ok=(2,)).stderr


@pytest.mark.parametrize("name", ["rollback.md", "Rollback.md", "ROLLBACK.MD"])
def test_an_existing_target_is_refused(memory: Memory, name: str) -> None:
    """A file of that name, in whatever case and whether git knows it or not, is never written over."""
    memory.write(f"topics/{name}", "mine\n")
    before = memory.state()
    assert "topics/rollback.md: a file stands there already" in memory.run("split", "topics/big.md", ok=(2,)).stderr
    assert memory.state() == before


def test_a_refused_commit_leaves_the_tree_as_it_was(memory: Memory) -> None:
    """A hook that says no is quoted; no part stays behind."""
    hook = memory.write(".git/hooks/pre-commit", "#!/bin/sh\necho 'not on a Monday' >&2\nexit 1\n")
    hook.chmod(0o755)
    before = memory.state()
    assert "not on a Monday" in memory.run("split", "topics/big.md", ok=(2,)).stderr
    assert memory.state()[:3] == before[:3]
    assert memory.state()[4] == before[4]


def test_bytes_that_git_would_convert_are_not_split(memory: Memory) -> None:
    """With line ends converted, blob and file differ, and the proof would not hold for what is on disk."""
    data = BIG.replace(b"\n", b"\r\n")
    add(memory, "topics/crlf.md", data)
    split(memory, "topics/crlf.md", "--into", "topics/a")
    memory.git("config", "core.autocrlf", "input")
    memory.git("reset", "-q", "--hard", "HEAD~1")
    before = memory.state()
    assert "line ends" in memory.run("split", "topics/crlf.md", "--into", "topics/b", ok=(2,)).stderr
    assert memory.state()[4] == before[4]


# --- killed ----------------------------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
real, calls = os.{call}, [0]
def call(*args, **named):
    calls[0] += 1
    if calls[0] == {at}:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*args, **named)
os.{call} = call
sys.argv = ["memtool", "split", "topics/big.md"]
from memtool.__main__ import main
main()
"""


@pytest.mark.parametrize("call", ["replace", "fsync"])
def test_killed_at_every_write_the_next_command_finds_it_undone_or_whole(memory: Memory, call: str) -> None:
    """After a kill at a write (every second one, each in the slow profile) the next command works, and all is whole."""
    before = memory.state()
    killed = 0
    for at in range(1, 100, 1 if os.environ.get("MEMTOOL_SLOW") else 2):
        code = KILLED.format(call=call, at=at)
        done = subprocess.run([sys.executable, "-c", code], cwd=memory.root, capture_output=True, check=False)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        memory.run("check", ok=(0,))
        after = memory.state()
        if after[2] == before[2]:
            assert (after[0], after[4]) == (before[0], before[4]), f"{call} number {at}"
        else:
            memory.run("split", "--verify", ok=(0,))
            assert memory.git("status", "--porcelain") == ""
            memory.git("reset", "-q", "--hard", "HEAD~1")
        killed += 1
    assert killed >= 3
    memory.run("split", "--verify", ok=(0,))


# --- what a new user met ---------------------------------------------------------------------------------------------


def test_a_plan_needs_no_commit(memory: Memory) -> None:
    """A dry run works on the file as it lies there; the split says how to commit a file that the budget refuses."""
    memory.write("resident/rules.md", section("## Always", 3000) + section("## Mail", 3000))
    assert "Nothing is written yet" in memory.run("split", "resident/rules.md", "--dry-run", ok=(0,)).stdout
    assert "--no-verify" in memory.run("split", "resident/rules.md", ok=(2,)).stderr


def test_links_are_mended_also_after_the_parts_were_described(memory: Memory) -> None:
    """A better description changes no link; a part whose text was edited is named, and not looked at."""
    linked(memory)
    done = split(memory, "topics/guide.md")
    memory.run("describe", "topics/first.md", "read before the first", ok=(0,))
    second = memory.root / "topics/second.md"
    second.write_bytes(second.read_bytes() + b"mine\n")
    memory.git("commit", "-qam", "describe", "--no-verify")
    said = memory.run("split", "--relink", done["commit"], ok=(0,)).stdout
    assert "3 links mended" in said
    assert "not looked at  topics/second.md" in said
    assert "second.md#second" in (memory.root / "topics/first.md").read_text()


def test_links_in_a_file_that_git_converts_are_refused_whole(memory: Memory) -> None:
    """Offsets are those of git's bytes; where the disk holds others, nothing is spliced into them."""
    linked(memory)
    memory.write(".gitattributes", "topics/other.md text eol=crlf\n")
    memory.git("add", "-A")
    memory.git("commit", "-qm", "convert", "--no-verify")
    (memory.root / "topics/other.md").unlink()
    memory.git("checkout", "-q", "--", "topics/other.md")
    before = (memory.root / "topics/other.md").read_bytes()
    assert b"\r\n" in before
    done = memory.run("split", "topics/guide.md", "--relink", ok=(2,))
    assert "Split, and proved byte for byte" in done.stdout
    assert "topics/other.md: changed meanwhile" in done.stderr
    assert (memory.root / "topics/other.md").read_bytes() == before
    assert memory.git("status", "--porcelain") == ""


def test_the_plan_says_what_it_means_for_tiers_and_index(memory: Memory) -> None:
    """What is read at every start and will be no longer, and an index that outgrows its page."""
    add(memory, "resident/rules.md", b"".join(section(f"## Rule {n} of them", 2000) for n in range(120)))
    notes = split(memory, "resident/rules.md", "--dry-run", "--remove")["notes"]
    assert notes[0].startswith("resident/rules.md is read at every start: it is gone for every session")
    assert notes[1].startswith("INDEX.md: this page of the index is ")


# --- what an attacker found ------------------------------------------------------------------------------------------


def amend(memory: Memory) -> None:
    memory.git("add", "-A")
    memory.git("commit", "-q", "--amend", "--no-edit", "--no-verify")


def test_a_lost_preamble_is_no_proof(memory: Memory) -> None:
    """What stood before the first heading is in the source still, or the proof fails."""
    split(memory, "topics/big.md")
    (memory.root / "topics/big.md").unlink()
    amend(memory)
    assert "bytes did not stay" in memory.run("split", "--verify", ok=(1,)).stdout


def test_equal_parts_are_counted(memory: Memory) -> None:
    """Of parts with the same bytes each has to be there."""
    add(memory, "topics/same.md", section("## Same", 4500) * 4)
    split(memory, "topics/same.md", "--level", "2")
    memory.run("split", "--verify", "HEAD", ok=(0,))
    (memory.root / "topics/same-3.md").unlink()
    amend(memory)
    assert "no file holds it" in memory.run("split", "--verify", "HEAD", ok=(1,)).stdout


def test_a_hook_that_changes_the_parts_is_told(memory: Memory) -> None:
    """memtool says "proved" of the commit that was made, not of the one that it asked for."""
    hook = memory.write(
        ".git/hooks/pre-commit", "#!/bin/sh\nsed -i s/xxx/yyy/ topics/rollback.md\ngit add topics/rollback.md\n"
    )
    hook.chmod(0o755)
    done = memory.run("split", "topics/big.md", ok=(2,))
    assert "committed, but a hook changed what was written" in done.stderr
    assert "proved" not in done.stdout


def test_other_commits_do_not_disturb_the_proof(memory: Memory) -> None:
    """Words in prose, damaged trailers, a user's settings of git: splits are found and proved, or named as damaged."""
    split(memory, "topics/big.md")
    memory.git("commit", "-q", "--allow-empty", "-m", "about\n\nMemory-Op: split\nis a line of prose here\n\nEnd")
    for key, value in (
        ("grep.patternType", "fixed"),
        ("i18n.logOutputEncoding", "UTF-16"),
        ("log.date", "bogus"),
        ("trailer.separators", "="),
    ):
        memory.git("config", key, value)
        assert memory.run("split", "--verify", ok=(0,)).stdout.count("proved") == 1, key
    memory.git("commit", "-q", "--allow-empty", "-m", "odd\n\nMemory-Op: split\nMemory-Source: a\n b c")
    assert "its trailers are damaged" in memory.run("split", "--verify", ok=(1,)).stdout


def test_a_staged_file_that_is_gone_from_the_disk_is_not_written_over(memory: Memory) -> None:
    """The index may hold the only copy of a user's work."""
    memory.write("topics/rollback.md", "precious\n")
    memory.git("add", "topics/rollback.md")
    (memory.root / "topics/rollback.md").unlink()
    assert "a file stands there already" in memory.run("split", "topics/big.md", ok=(2,)).stderr
    assert memory.git("show", ":topics/rollback.md") == "precious\n"


def test_parts_go_to_no_other_tier_and_no_other_repository(memory: Memory) -> None:
    """A part that would be resident or excluded, a folder that differs in case, a repository within: refused."""
    memory.write("topics/deploy/a.md", GOOD)
    memory.write("memtool.yaml", "format: 1\nresident:\n  - path: topics/setup.md\nexclude: [topics/x]\n")
    add(memory, "topics/other.md", section("## Other", 5000) + section("## More", 5000))
    Memory.make(memory.root / "topics/nest", hooks=False)
    before = memory.state()
    for args, message in (
        (["topics/big.md"], "topics/setup.md: by memtool.yaml this part would be read at every start"),
        (["topics/other.md", "--into", "topics/x"], "files there are not on demand"),
        (["topics/other.md", "--into", "topics/Deploy"], "topics/deploy is there"),
        (["topics/other.md", "--into", "topics/nest"], "topics/nest: another repository begins there"),
    ):
        assert message in memory.run("split", *args, ok=(2,)).stderr
    assert memory.state() == before


def test_thousands_of_parts_are_one_commit(memory: Memory) -> None:
    """No list of names or trailers is too long for a command line."""
    add(memory, "topics/many.md", b"".join(section(f"## S{n}", 40) for n in range(2500)))
    assert len(split(memory, "topics/many.md", "--level", "2", "--into", "topics/many")["parts"]) == 2500


def test_a_hook_may_call_memtool(memory: Memory) -> None:
    """A check from within the commit of a split neither waits for it nor undoes it."""
    command = f"'{sys.executable}' -m memtool check >/dev/null"
    memory.write(".git/hooks/post-commit", f"#!/bin/sh\n{command} && echo fine >.git/said\n").chmod(0o755)
    split(memory, "topics/big.md")
    assert (memory.root / ".git/said").read_text() == "fine\n"
    memory.run("split", "--verify", ok=(0,))
