"""The states of remotes and branches in which a sync may be run: each ends as named, and loses nothing.

Each function brings about what its docstring says; the line above it says how the sync ends: the state, the exit code,
and what the screen must name.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
import servers
from scenes import DONE, TOPIC, Row, Scene, Table
from scenes import scene as scene  # noqa: PLC0414 (fixtures)
from scenes import seed as seed  # noqa: PLC0414

TABLE = Table()
ends = TABLE.ends


# --- which remote, which branch ---------------------------------------------------------------------------------------


@ends("no-remote", 0, "git remote add origin URL")
def no_remote(s: Scene) -> str:
    """There is no remote."""
    s.here.git("remote", "remove", "origin")
    s.here.write("topics/new.md", TOPIC.format("new"))
    return "git remote add origin ../hub.git"


@ends("no-remote", 0, "git remote add origin URL")
def no_remote_and_no_commit(s: Scene) -> str:
    """There is no remote, and no commit yet."""
    s.here = s.new()
    s.here.write("topics/new.md", TOPIC.format("new"))
    servers.bare(s.folder / "empty.git")
    return "git rev-parse HEAD && git remote add origin ../empty.git"


@ends("which-remote", 2, "several remotes could be meant: east, west", "git config memtool.remote east")
def several_remotes(s: Scene) -> str:
    """Two remotes, and neither of them is meant."""
    s.here.git("remote", "rename", "origin", "west")
    s.here.git("branch", "--unset-upstream")
    s.here.git("remote", "add", "east", "../east.git")
    s.here.write("topics/new.md", TOPIC.format("new"))
    return "{1}"


@ends("which-remote", 2, "names http://…@h/x, and there is no such remote")
def a_remote_that_is_none(s: Scene) -> str:
    """memtool.remote names what is no remote: an address, with a password in it."""
    s.here.git("config", "memtool.remote", "http://ada:s3cret@h/x")
    return "{0}"


@ends("pushed", 0, "sent to west/main")
def the_chosen_one(s: Scene) -> None:
    """Several remotes, and memtool's is named."""
    s.here.git("remote", "rename", "origin", "west")
    s.here.git("remote", "add", "origin", "../nowhere.git")
    s.here.git("config", "memtool.remote", "west")
    s.here.write("topics/new.md", TOPIC.format("new"))


@ends("pushed", 0, "sent to origin/main")
def a_first_push(s: Scene) -> None:
    """The remote is empty."""
    servers.bare(s.folder / "empty.git")
    s.point("../empty.git")
    s.forget()


@ends("up-to-date", 0, "nothing to do")
def nothing_at_either_side(s: Scene) -> None:
    """No commit here, and an empty remote."""
    servers.bare(s.folder / "empty.git")
    s.here = s.new(url="../empty.git")


@ends("pulled", 0, "new      topics/git.md")
def no_commit_here(s: Scene) -> None:
    """No commit here, a memory at the remote, and a new file that is in nobody's way."""
    s.here = s.new(url="../hub.git")
    s.here.write("topics/mine.md", TOPIC.format("mine"))


@ends("dirty-elsewhere", 2, "memtool.yaml", "Commit or move them")
def no_commit_here_but_a_file(s: Scene) -> str:
    """No commit here, a memory at the remote, and another file in the place of one of its own."""
    s.here = s.new(url="../hub.git")
    s.here.write("memtool.yaml", "format: 1\n# mine\n")
    return "mv memtool.yaml mine.yaml"


@ends("other-branch", 2, "origin has no branch main, but it has trunk")
def another_branch_there(s: Scene) -> str:
    """The remote has one branch, and it has another name."""
    s.comes("topics/theirs.md", TOPIC.format("theirs"))
    s.remote.git("branch", "-m", "main", "trunk")
    s.forget()
    s.here.write("topics/new.md", TOPIC.format("new"))
    return "{0}"


@ends("other-branch", 2, "but it has other branches; nothing was sent")
def other_branches_there(s: Scene) -> str:
    """The remote has several branches, and none of them is likely to be meant."""
    s.remote.git("branch", "east", "main")
    s.remote.git("branch", "-m", "main", "west")
    s.remote.git("symbolic-ref", "HEAD", "refs/heads/main")
    s.forget()
    return "{0}"


@ends("pushed", 0, "sent to origin/notes/main")
def a_branch_in_a_folder(s: Scene) -> None:
    """The branch is called notes/main."""
    named(s, "notes/main")


@ends("pushed", 0, "sent to origin/日本")
def a_branch_in_japanese(s: Scene) -> None:
    """The branch is called 日本."""
    named(s, "日本")


def named(s: Scene, name: str) -> None:
    s.remote.git("branch", "-m", "main", name)
    s.here.git("branch", "-m", name)
    s.here.git("branch", "--unset-upstream")
    s.here.write("topics/new.md", TOPIC.format("new"))


@ends("merged", 0, "brought together with origin/main")
def a_branch_that_follows_another(s: Scene) -> None:
    """The branch here is `work`; it follows `main` there."""
    s.comes("topics/theirs.md", TOPIC.format("theirs"))
    s.here.git("branch", "-m", "work")
    s.here.write("topics/new.md", TOPIC.format("new"))


@ends("remote-failed", 2, "cannot lock ref 'refs/remotes/origin/notes'", "git fetch origin")
def a_branch_in_place_of_a_folder(s: Scene) -> str:
    """The branch was notes/main, there and here, and is now notes."""
    named(s, "notes/main")
    s.here.ends("pushed")
    s.remote.git("branch", "-m", "notes/main", "between")
    s.remote.git("branch", "-m", "between", "notes")
    s.here.git("branch", "-m", "between")
    s.here.git("branch", "-m", "notes")
    s.here.write("topics/newer.md", TOPIC.format("newer"))
    return "{0}; git remote prune origin"


@ends("detached", 2, "git switch BRANCH", "git branch NAME")
def a_detached_head(s: Scene) -> str:
    """HEAD names a commit and no branch."""
    s.here.git("switch", "-q", "--detach")
    s.here.save("topics/new.md", TOPIC.format("new"))
    s.here.write("topics/newer.md", TOPIC.format("newer"))
    return "git branch kept && git switch main"


# --- the remote's history ---------------------------------------------------------------------------------------------


@ends("remote-rewritten", 2, "origin/main lost 2 of the commits", "To bring both together: git update-ref")
def the_remote_went_back(s: Scene) -> None:
    """The remote was forced back to an older commit."""
    s.comes("topics/theirs.md", TOPIC.format("theirs"))
    s.here.ends("pulled")
    s.remote.git("update-ref", "refs/heads/main", "main~2")
    s.here.write("topics/new.md", TOPIC.format("new"))


@ends("remote-rewritten", 2, "origin/main lost", "git push --force-with-lease=main:")
def the_remote_was_rewritten(s: Scene) -> None:
    """The remote's last commits were made anew, with other messages."""
    rewrite(s)
    s.here.write("topics/new.md", TOPIC.format("new"))


def rewrite(s: Scene) -> None:
    s.comes("topics/theirs.md", TOPIC.format("theirs"))
    s.here.ends("pulled")
    s.there.git("commit", "-q", "--amend", "-m", "made anew")
    s.there.git("push", "-qf", "origin", "main")


@ends("remote-rewritten", 2, "origin/main lost", "git reset --keep")
def the_remote_is_another_memory(s: Scene) -> None:
    """The remote was replaced by an unrelated history, while this machine has what was never sent."""
    replace(s)


def replace(s: Scene) -> None:
    s.here.save("topics/new.md", TOPIC.format("new"))
    s.there.git("checkout", "-q", "--orphan", "other")
    s.there.git("commit", "-qm", "unrelated")
    s.there.git("push", "-qf", "origin", "other:main")


@ends("unrelated", 2, "nothing in common")
def another_memory_that_was_never_seen(s: Scene) -> None:
    """Two memories that were begun apart."""
    replace(s)
    s.forget()


@ends("remote-rewritten", 2, "origin/main is gone")
def the_branch_was_deleted(s: Scene) -> str:
    """The branch is gone from the remote."""
    s.remote.git("update-ref", "-d", "refs/heads/main")
    s.here.write("topics/new.md", TOPIC.format("new"))
    return "{0}"


@ends("remote-rewritten", 2, "origin/main is gone")
def the_remote_is_empty_now(s: Scene) -> str:
    """The remote was replaced by an empty repo."""
    s.hub = servers.bare(s.folder / "empty.git")
    s.point("../empty.git")
    return "{0}"


@ends("offline", 2, "no such folder", "memtool sync again later")
def the_disk_of_the_remote_is_not_there(s: Scene) -> None:
    """The remote is a folder that does not exist."""
    s.point("../nowhere.git")
    s.here.write("topics/new.md", TOPIC.format("new"))


@ends("protected", 2, "checked out", "Ask who looks after it")
def the_remote_has_a_work_tree(s: Scene) -> None:
    """The remote is no bare repo, and has the branch checked out."""
    s.point("../second")
    s.here.write("topics/new.md", TOPIC.format("new"))


@ends("protected", 2, "only maintainers")
def the_remote_refuses(s: Scene) -> str:
    """A hook of the remote refuses the push."""
    servers.hook(s.hub, "pre-receive", "echo 'only maintainers'; exit 1")
    s.here.write("topics/new.md", TOPIC.format("new"))
    return "rm ../hub.git/hooks/pre-receive"


@ends("protected", 2, "refuses to take")
def the_remote_is_read_only(s: Scene) -> None:
    """Nobody may write at the remote."""
    s.hold(servers.read_only(s.hub))
    s.here.write("topics/new.md", TOPIC.format("new"))


@ends("remote-full", 2, "no room left", "Make room there")
def the_remote_is_full(s: Scene) -> None:
    """The remote's disk is full."""
    disk = s.hold(servers.small_disk(s.folder / "disk", kilobytes=200))
    s.hub = Path(shutil.copytree(s.hub, disk / "hub.git"))
    s.point("../disk/hub.git")
    s.here.write("topics/new.md", TOPIC.format("new") + os.urandom(250_000).hex())


@ends("pushed", 0, "sent to origin/main")
def a_mirror_that_lags(s: Scene) -> None:
    """What is pushed goes elsewhere than where it is fetched from, and has not got there: nothing was rewritten."""
    shutil.copytree(s.hub, s.folder / "up.git")
    s.here.git("remote", "set-url", "--push", "origin", "../up.git")
    s.here.write("topics/new.md", TOPIC.format("new"))
    s.here.ends("pushed")


@ends("pushed", 0, "sent to origin/main")
def an_address_in_short(s: Scene) -> None:
    """The address is one that git replaces (insteadOf)."""
    s.here.git("config", f"url.{s.folder}/.insteadOf", "memory:")
    s.point("memory:hub.git")
    s.here.write("topics/new.md", TOPIC.format("new"))


# --- the promise ------------------------------------------------------------------------------------------------------


@TABLE.each()
def test_each_state_is_named_and_loses_nothing(scene: Scene, row: Row) -> None:
    """The sync ends in this state, with this exit code, says so on one screen, and what was there is there.

    Where the row has a way out, it works as it is told, and the next sync ends well.
    """
    row.holds(scene)


# --- what a person may choose -----------------------------------------------------------------------------------------


def rewritten(scene: Scene, *, unrelated: bool) -> None:
    scene.comes("topics/theirs.md", TOPIC.format("theirs"))
    scene.here.ends("pulled")
    if unrelated:
        scene.there.git("checkout", "-q", "--orphan", "other")
        scene.there.git("commit", "-qm", "another memory")
    else:
        scene.there.git("commit", "-q", "--amend", "-m", "made anew")
    scene.there.git("push", "-qf", "origin", "HEAD:main")
    scene.here.write("topics/new.md", TOPIC.format("new"))


@pytest.mark.parametrize("unrelated", [False, True])
@pytest.mark.parametrize("choice", ["Look first", "keep what is here", "take what is there", "bring both together"])
def test_each_choice_leads_on(scene: Scene, choice: str, *, unrelated: bool) -> None:
    """After the remote's history was replaced, each command that is told does what it says, and loses nothing."""
    rewritten(scene, unrelated=unrelated)
    done = scene.here.ends("remote-rewritten")
    before = scene.kept()
    rows = [row.partition(": ") for row in done.next.splitlines()]
    found = [command for what, _, command in rows if choice in what]
    if choice == "bring both together" and unrelated:
        assert found == []
        return
    scene.shell(found[0].replace("   and   ", " && "))
    if choice != "Look first":
        assert scene.here.sync().state in DONE
        kept = scene.kept()
        assert before.objects <= kept.objects
        has_mine = scene.remote.git("ls-tree", "--name-only", "main", "topics/new.md") != ""
        assert has_mine == (choice != "take what is there")
