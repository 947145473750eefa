"""What sync must never do to anybody's text: each case once lost, mixed up, or brought back something."""

from __future__ import annotations

from pathlib import Path

import pytest
from machines import TODAY, Machine, Machines

from memtool.edge.switch import InTheWay
from memtool.jobs.sync.undo import undo

TOPIC = (
    "---\ndescription: read for T {0}\nsource_date: 2026-01-01\n---\n\n# T\n\n## one\n\ntext\n\n## two\n\ntext two\n"
)
TOKEN = "token ghp_" + "eb735348682d691f3ca4" + "0d18ced73ed1abcd"


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Machine, Machine]:
    """Give two machines that hold the same."""
    machines = Machines(tmp_path)
    return machines.all[0], machines.clone("second")


def share(pair: tuple[Machine, Machine], path: str, text: str) -> None:
    """Let both have a file."""
    pair[0].save(path, text)
    pair[0].sync()
    pair[1].ends("pulled")


def test_markdown_that_is_no_memory_is_merged_by_git(pair: tuple[Machine, Machine]) -> None:
    """A README is merged by lines as git merges it; where that fails, the sync stops with its name."""
    one, two = pair
    share(pair, "README.md", "one\n\ntwo\n\nthree\n")
    one.save("README.md", "one A\n\ntwo\n\nthree\n")
    two.save("README.md", "one\n\ntwo\n\nthree B\n")
    one.ends("pushed")
    two.ends("merged")
    assert two.read("README.md") == "one A\n\ntwo\n\nthree B\n"
    one.ends("pulled")
    one.save("README.md", "ours\n")
    two.save("README.md", "theirs\n")
    one.ends("pushed")
    assert two.ends("conflict-elsewhere").paths == ("README.md",)


def test_a_file_beside_a_folder_that_moved_stays(pair: tuple[Machine, Machine]) -> None:
    """A script added to a folder that the other side renamed is there afterwards, where it was put."""
    one, two = pair
    for number in range(6):
        one.write(f"tools/g/s{number}.sh", "".join(f"echo {line}\n" for line in range(number, 20)))
    one.save("tools/g/s.sh", "echo\n")
    one.ends("pushed")
    two.ends("pulled")
    one.git("mv", "tools/g", "tools/h")
    one.git("commit", "-qm", "move")
    one.ends("pushed")
    two.save("tools/g/new.py", "new\n")
    two.ends("merged")
    assert two.read("tools/g/new.py") == "new\n"


def test_a_draft_that_became_memory_keeps_its_edit(pair: tuple[Machine, Machine]) -> None:
    """A file that one side moves into the memory while the other edits it: the sync stops, and names it."""
    one, two = pair
    share(pair, "draft.md", "# D\n" + "".join(f"{number}\n" for number in range(40)))
    one.git("mv", "draft.md", "topics/draft.md")
    one.git("commit", "-qm", "move")
    one.ends("pushed")
    two.save("draft.md", two.read("draft.md").replace("20\n", "20 EDIT\n"))
    assert "draft.md" in two.ends("conflict-elsewhere").paths
    assert "20 EDIT" in two.read("draft.md")


def test_what_is_written_in_a_merge_commit_is_judged(pair: tuple[Machine, Machine]) -> None:
    """A secret that was written into a merge by hand is not sent; one that the remote has already stops nothing."""
    one, two = pair
    share(pair, "topics/t.md", TOPIC.format(1))
    one.save("topics/t.md", TOPIC.format(1) + "\nA\n")
    one.ends("pushed")
    two.save("topics/b.md", TOPIC.format(2))
    two.git("fetch", "-q")
    two.git("merge", "-q", "--no-commit", "origin/main")
    two.write("topics/b.md", TOPIC.format(2) + TOKEN)
    two.git("add", "-A")
    two.git("commit", "-qm", "evil merge")
    before = two.head()
    assert two.ends("refused").findings[0].code == "secret"
    one.save("topics/key.md", TOPIC.format(3) + TOKEN)
    one.git("push", "-q")
    two.git("reset", "-q", "--hard", f"{before}^1")
    two.ends("merged")


def test_an_edit_of_a_deleted_file_goes_into_no_other(pair: tuple[Machine, Machine]) -> None:
    """Where a file was deleted and a like one renamed, an edit of the first stays with the first."""
    one, two = pair
    one.write("topics/oslo.md", TOPIC.format("Oslo"))
    share(pair, "topics/rome.md", TOPIC.format("Rome"))
    one.save("topics/rome.md", TOPIC.format("Rome") + "passport in Rome\n")
    one.ends("pushed")
    (two.root / "projects").mkdir()
    two.git("rm", "-q", "topics/rome.md")
    two.git("mv", "topics/oslo.md", "projects/oslo.md")
    done = two.ends("merged")
    assert "passport" not in two.read("projects/oslo.md")
    assert "passport" in two.read("topics/rome.md")
    assert [one.path for one in done.conflicts] == ["topics/rome.md"]


def test_an_edit_during_the_sync_survives_an_undo(pair: tuple[Machine, Machine]) -> None:
    """What somebody writes while the sync fetches is committed by it, and stands in the file after the undo."""
    one, two = pair
    share(pair, "topics/t.md", TOPIC.format(1))
    one.save("topics/t.md", TOPIC.format(1).replace("text two", "text two A"))
    one.ends("pushed")
    script = two.root.parent / "upload.sh"
    place = two.root / "topics/t.md"
    script.write_text(f'#!/bin/sh\nsed -i "s/^text\\$/text MIDSYNC/" {place}\nexec git-upload-pack "$@"\n')
    script.chmod(0o755)
    two.git("config", "remote.origin.uploadpack", str(script))
    two.ends("merged", push=False)
    two.git("config", "--unset", "remote.origin.uploadpack")
    undo(str(two.root), agent="second", today=TODAY)
    assert "MIDSYNC" in two.read("topics/t.md")


def test_void_text_stays_void_in_files_that_cannot_be_taken_apart(pair: tuple[Machine, Machine]) -> None:
    """Where one of two whole files has to stay, it is the one in which a text was declared void."""
    one, two = pair
    head = "---\ndescription: d\nsource_date: {0}\n---\n\n# T\n\n## Posts\n\n"
    share(pair, "topics/t.md", head.format("2026-01-01") + "Keep 3,000.\n\n## Code\n\n```sh\nhi\n")
    void = "Keep 4,000.\n\n> **Void since 2026-08-01:** moved. It said:\n>\n> Keep 3,000.\n\n## Code\n\n```sh\nA\n"
    one.save("topics/t.md", head.format("2026-01-01") + void)
    one.ends("pushed")
    new = "Keep 3,000.\n\n## New\n\n```sh\nfoo\n\n## Code\n\n```sh\nB\n"
    two.save("topics/t.md", head.format("2026-02-01") + new)
    two.ends("conflict-kept")
    assert "> Keep 3,000." in two.read("topics/t.md")


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
@pytest.mark.parametrize("path", ["run.sh", "topics/t.md"])
def test_a_file_that_git_is_told_not_to_see_is_not_overwritten(
    pair: tuple[Machine, Machine], flag: str, path: str
) -> None:
    """A hidden local change stands in the way of what comes, as for git, and is named."""
    one, two = pair
    share(pair, path, TOPIC.format(1))
    two.git("update-index", flag, path)
    two.write(path, "PRECIOUS\n")
    one.save(path, TOPIC.format(2))
    one.ends("pushed")
    assert two.ends("dirty-elsewhere").paths == (path,)
    assert two.read(path) == "PRECIOUS\n"


def test_a_file_can_be_given_up_and_kept(pair: tuple[Machine, Machine]) -> None:
    """`git rm --cached` is the user's: a sync leaves it staged, and says so."""
    one, _ = pair
    one.save("topics/t.md", TOPIC.format(1))
    one.ends("pushed")
    one.git("rm", "-q", "--cached", "topics/t.md")
    assert [left.path for left in one.ends("up-to-date").left] == ["topics/t.md"]
    assert one.git("ls-files", "topics/t.md") == ""


def test_an_undo_leaves_what_is_staged(pair: tuple[Machine, Machine]) -> None:
    """A file that is staged, and changed again since, keeps both versions: the undo stops, and names it."""
    one, _ = pair
    one.save("topics/t.md", TOPIC.format(1))
    one.ends("pushed")
    one.write("topics/t.md", TOPIC.format(1).replace("text\n", "v1\n"))
    one.ends("unpushed", push=False)
    one.write("topics/t.md", TOPIC.format(1).replace("text\n", "v2 STAGED\n"))
    one.git("add", "-A")
    one.write("topics/t.md", TOPIC.format(1).replace("text\n", "v3\n"))
    before = one.state()
    with pytest.raises(InTheWay, match=r"topics/t\.md"):
        undo(str(one.root), agent="first", today=TODAY)
    assert one.state() == before


def test_memory_behind_a_filter_is_refused(pair: tuple[Machine, Machine]) -> None:
    """Where git converts memory files, nothing is committed and nothing brought in: each sync would convert again."""
    one, two = pair
    for machine in pair:
        machine.git("config", "filter.b64.clean", "base64 -w0")
        machine.git("config", "filter.b64.smudge", "base64 -d")
    one.save(".gitattributes", "*.md -text\n*.md merge=memtool\ntopics/*.md filter=b64\n")
    one.git("push", "-q")
    two.git("pull", "-q")
    for machine in pair:
        machine.write("topics/new.md", TOPIC.format(1))
        assert "topics/git.md" in machine.ends("filtered").paths
        assert machine.read("topics/new.md") == TOPIC.format(1)


def test_half_a_rename_does_not_go(pair: tuple[Machine, Machine]) -> None:
    """Where the new name of a file stays behind, its old name is not deleted from the other machines."""
    one, two = pair
    share(pair, "topics/rome.md", TOPIC.format("Rome"))
    (one.root / "topics/rome.md").rename(one.root / "topics/roma.md")
    one.write("topics/roma.md", TOPIC.format("Rome") + TOKEN + "\n")
    left = {left.path: left.why for left in one.ends("left-behind").left}
    assert left.keys() == {"topics/rome.md", "topics/roma.md"}
    two.ends("up-to-date")
    assert (two.root / "topics/rome.md").exists()


def test_an_undo_says_what_it_could_not_take_back(pair: tuple[Machine, Machine]) -> None:
    """What was edited since the sync stays as it is, and the undo names the file."""
    one, two = pair
    share(pair, "topics/t.md", TOPIC.format(1))
    one.save("topics/t.md", TOPIC.format(1).replace("text two", "text A"))
    one.ends("pushed")
    two.save("topics/b.md", TOPIC.format(2))
    two.ends("merged")
    two.save("topics/t.md", TOPIC.format(1).replace("text two", "text since"))
    done = undo(str(two.root), agent="second", today=TODAY)
    assert "text since" in two.read("topics/t.md")
    assert done.stays == ("topics/t.md: the same was changed in it since",)
    assert not (two.root / "inbox").exists()


def test_an_undo_brings_no_void_text_back(pair: tuple[Machine, Machine]) -> None:
    """What the sync brought declares a text void: the file stays, and the undo says why."""
    one, two = pair
    share(pair, "topics/t.md", TOPIC.format(1))
    void = "text three\n\n> **Void since 2026-08-01:** moved. It said:\n>\n> text two\n"
    one.save("topics/t.md", TOPIC.format(1).replace("text two\n", void))
    one.ends("pushed")
    two.save("topics/b.md", TOPIC.format(2))
    two.ends("merged")
    done = undo(str(two.root), agent="second", today=TODAY)
    assert done.stays == ("topics/t.md: what is void in it would be back",)
    assert "> text two" in two.read("topics/t.md")
