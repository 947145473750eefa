"""The states of work tree, repo and configuration in which a sync may be run: each ends as named, and loses nothing.

Each function brings about what its docstring says; the line above it says how the sync ends: the state, the exit code,
and what the screen must name.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest
import servers
from machines import Machine
from memory import Memory
from scenes import TOPIC, Make, Row, Scene, Table, running
from scenes import scene as scene  # noqa: PLC0414 (fixtures)
from scenes import seed as seed  # noqa: PLC0414

from memtool.edge import switch, transaction
from memtool.edge.lock import locked

TABLE = Table()
ends = TABLE.ends


# --- kinds of repos ---------------------------------------------------------------------------------------------------


def cloned(s: Scene, *options: str) -> None:
    """Let `here` be a clone of the remote after some commits, made with *options*."""
    for number in range(3):
        s.comes("topics/theirs.md", TOPIC.format(f"theirs {number}"))
    s.remote.git("config", "uploadpack.allowFilter", "true")
    Memory(s.folder).git("clone", "-q", "--template=", *options, f"file://{s.hub}", "third")
    s.here = Machine(s.folder / "third")
    s.here.git("config", "user.name", "third")
    s.here.git("config", "user.email", "third@example.invalid")


@ends("merged", 0, "brought together")
def a_shallow_clone(s: Scene) -> None:
    """A clone with the last commit only, and work on both sides."""
    cloned(s, "--depth=1")
    s.comes("topics/theirs.md", TOPIC.format("theirs, later"))
    s.here.write("topics/new.md", TOPIC.format("new"))


@ends("remote-rewritten", 2, "origin/main lost", "To bring both together")
def a_shallow_clone_of_what_was_rewritten(s: Scene) -> None:
    """The remote went back behind what a shallow clone has: deepened, the two have something in common."""
    cloned(s, "--depth=1")
    s.remote.git("update-ref", "refs/heads/main", "main~3")


@ends("unrelated", 2, "nothing in common")
def a_shallow_remote(s: Scene) -> None:
    """The remote is itself shallow, and has another history: deepening it finds no more, and has an end."""
    cloned(s, "--depth=1")
    Memory(s.folder).git("clone", "-q", "--bare", "--depth=1", f"file://{s.hub}", "shallow.git")
    s.hub = s.folder / "shallow.git"
    s.here.git("checkout", "-q", "--orphan", "other")
    s.here.git("commit", "-qm", "begun apart")
    s.here.git("branch", "-M", "main")
    s.forget()
    s.point(f"file://{s.hub}")


@ends("merged", 0, "changed  topics/theirs.md")
def a_partial_clone(s: Scene) -> None:
    """A clone without old contents; what comes is fetched once, within the time limit."""
    cloned(s, "--filter=blob:none")
    s.comes("topics/theirs.md", TOPIC.format("theirs, later"))
    s.here.write("topics/new.md", TOPIC.format("new"))


@ends("other-branch", 2, "origin has no branch desk", "git push origin desk:refs/heads/desk")
def a_linked_work_tree(s: Scene) -> str:
    """A second work tree of the same repo, on a branch of its own that was never sent."""
    s.here.git("worktree", "add", "-q", "-b", "desk", "../desk")
    s.here = Machine(s.folder / "desk")
    s.here.write("topics/new.md", TOPIC.format("new"))
    return "{1}"


@ends("merged", 0, "changed  projects/out.md", "new      projects/mine.md")
def a_sparse_checkout(s: Scene) -> None:
    """A file that is left out of the work tree was changed there, and one beside it was written here."""
    s.comes("projects/out.md", TOPIC.format("out"))
    s.here.ends("pulled")
    s.here.git("sparse-checkout", "set", "topics", "resident")
    s.comes("projects/out.md", TOPIC.format("out, later"))
    s.here.write("projects/mine.md", TOPIC.format("mine"))


@ends("conflict-kept", 1, "resident/rules.md", "memtool resolve")
def sha256(s: Scene) -> None:
    """A repo whose ids are longer."""
    Memory(s.folder).git("init", "-q", "--bare", "-b", "main", "--object-format=sha256", "long.git")
    s.hub = s.folder / "long.git"
    s.there = s.new("east", url="../long.git", objects="sha256")
    s.there.write("memtool.yaml", "format: 1\n")
    s.there.write(".gitignore", "/.memtool/\n")
    s.comes("resident/rules.md", "# Rules\n\n- one\n")
    s.here = s.new("west", url="../long.git", objects="sha256")
    s.here.ends("pulled")
    s.comes("resident/rules.md", "# Rules\n\n- theirs\n")
    s.here.write("resident/rules.md", "# Rules\n\n- mine\n")


@ends("remote-failed", 2, "hash algorithm")
def sha256_there(s: Scene) -> None:
    """Ids of one length here, and of another one there."""
    Memory(s.folder).git("init", "-q", "--bare", "-b", "main", "--object-format=sha256", "long.git")
    s.point("../long.git")
    s.forget()


# --- git in the middle of something -----------------------------------------------------------------------------------


def operation(*command: str) -> Make:
    """Give a scene in which that command stops over a conflict."""

    def make(s: Scene) -> str:
        s.here.save("run.sh", "one\n")
        s.here.git("switch", "-qc", "other")
        s.here.save("run.sh", "two\n")
        s.here.git("format-patch", "-q", "-1", "--output=../patch")
        s.here.git("switch", "-q", "main")
        s.here.save("run.sh", "three\n")
        s.here.git(*command, ok=(0, 1, 128))
        return f"git {command[0]} {'reset' if command[0] == 'bisect' else '--abort'}"

    make.__name__ = command[0]
    make.__doc__ = f"git {command[0]} is under way."
    return make


for words in (["merge", "other"], ["rebase", "other"], ["cherry-pick", "other"], ["revert", "HEAD~1"]):
    ends("operation-in-progress", 2, f"a {words[0]} is under way", f"git {words[0]} --abort")(operation(*words))
ends("operation-in-progress", 2, "git am --abort")(operation("am", "../patch"))
ends("operation-in-progress", 2, "git bisect reset")(operation("bisect", "start", "HEAD", "HEAD~2"))


@ends("operation-in-progress", 2, "files are in conflict", "git status")
def unmerged(s: Scene) -> str:
    """The index holds a conflict, and git knows of no operation: a stash that did not fit."""
    s.here.save("run.sh", "one\n")
    s.here.write("run.sh", "two\n")
    s.here.git("stash")
    s.here.save("run.sh", "three\n")
    s.here.git("stash", "pop", ok=(1,))
    return "git checkout --theirs run.sh && git add run.sh && git commit -qm settled"


# --- hooks of the user ------------------------------------------------------------------------------------------------


@ends("refused", 1, "not on Fridays; really not", "Mend what is named")
def the_users_hook_refuses_the_commit(s: Scene) -> str:
    """A pre-commit hook refuses."""
    servers.hook(s.here.root / ".git", "pre-commit", "printf 'not on Fridays\\nreally not\\n' >&2; exit 1")
    s.here.write("topics/new.md", TOPIC.format("new"))
    return "rm .git/hooks/pre-commit"


@ends("refused", 1, "not from here", "Mend what is named")
def the_users_hook_refuses_the_push(s: Scene) -> str:
    """A pre-push hook refuses."""
    servers.hook(s.here.root / ".git", "pre-push", "echo 'not from here' >&2; exit 1")
    s.here.write("topics/new.md", TOPIC.format("new"))
    return "rm .git/hooks/pre-push"


@ends("up-to-date", 0, "plain git commits are not checked here", "merge.memtool.driver is not set")
def no_hooks_and_no_driver(s: Scene) -> None:
    """A clone that memtool was never set up in."""
    s.here.git("config", "--remove-section", "merge.memtool")


# --- disks and locks --------------------------------------------------------------------------------------------------


@ends("disk-full", 2, "no room left on this disk", "Make room")
def the_disk_is_full(s: Scene) -> None:
    """Not one block is left here."""
    disk = s.hold(servers.small_disk(s.folder / "disk", kilobytes=1000))
    s.here = Machine(Path(shutil.copytree(s.here.root, disk / "first", symlinks=True)))
    s.point(str(s.hub))
    s.here.write("topics/new.md", TOPIC.format("new"))
    subprocess.run(["dd", "if=/dev/zero", f"of={disk}/filler"], capture_output=True, check=False)


@ends("read-only", 2, "cannot be written to")
def the_repo_is_read_only(s: Scene) -> None:
    """Nobody may write here."""
    s.comes("topics/theirs.md", TOPIC.format("theirs"))
    s.here.write("topics/new.md", TOPIC.format("new"))
    s.hold(servers.read_only(s.here.root))


@ends("read-only", 2, "topics/theirs.md: not written")
def a_folder_is_read_only(s: Scene) -> None:
    """Nobody may write where something comes."""
    s.comes("topics/theirs.md", TOPIC.format("theirs"))
    s.hold(servers.read_only(s.here.root / "topics"))


@ends("locked", 2, "index.lock", "again in a while")
def git_is_at_work(s: Scene) -> None:
    """A git commit waits for its editor, and holds the index."""
    s.comes("topics/theirs.md", TOPIC.format("theirs"))
    s.here.write("resident/rules.md", "# Rules\n\n- mine\n")
    s.hold(running(s.here.root, "git", "commit", "-a", GIT_EDITOR="exec sleep 300 #"))
    for _ in range(1000):
        if (s.here.root / ".git" / "index.lock").exists():
            return
        time.sleep(0.01)
    pytest.fail("git did not begin")


@ends("locked", 2, "index.lock", "memtool doctor tells")
def a_lock_that_was_left(s: Scene) -> str:
    """A git was killed, and its lock stands in the way of what comes."""
    s.comes("topics/theirs.md", TOPIC.format("theirs"))
    s.here.write(".git/index.lock", "")
    return "rm .git/index.lock"


@ends("locked", 2, "another memtool")
def another_sync_is_running(s: Scene) -> None:
    """Another sync of this work tree is under way."""
    s.here.write("topics/new.md", TOPIC.format("new"))
    s.hold(locked(str(s.here.root), name="sync"))


# --- what is in the way -----------------------------------------------------------------------------------------------


@ends("dirty-elsewhere", 2, "run.sh", "Commit or move them")
def an_untracked_file_in_the_way(s: Scene) -> str:
    """A script comes where another one, of which git knows nothing, stands."""
    s.comes("run.sh", "theirs\n")
    s.here.write("run.sh", "mine\n")
    return "mv run.sh mine.sh"


@ends("dirty-elsewhere", 2, "topics/private.md")
def an_ignored_file_in_the_way(s: Scene) -> str:
    """A topic comes where another one stands that git is told to ignore."""
    s.comes("topics/private.md", TOPIC.format("theirs"))
    s.here.write(".git/info/exclude", "private.md\n")
    s.here.write("topics/private.md", "mine\n")
    return "mv topics/private.md .."


@ends("pulled", 0, "new      run.sh")
def the_same_file_in_the_way(s: Scene) -> None:
    """A script and an ignored topic come that are here already, with the same content."""
    s.there.save("topics/private.md", TOPIC.format("theirs"))
    s.comes("run.sh", "theirs\n")
    s.here.write(".git/info/exclude", "private.md\n")
    s.here.write("topics/private.md", TOPIC.format("theirs"))
    s.here.write("run.sh", "theirs\n")


@ends("dirty-elsewhere", 2, "topics/folder.md", "run.sh")
def folders_in_the_way(s: Scene) -> str:
    """A topic and a script come where folders stand."""
    s.there.save("topics/folder.md", TOPIC.format("folder"))
    s.comes("run.sh", "theirs\n")
    s.here.write("topics/folder.md/x.txt", "mine\n")
    (s.here.root / "run.sh").mkdir()
    return "mv topics/folder.md run.sh .."


@ends("dirty-elsewhere", 2, "run.sh")
def a_script_changed_on_both_sides(s: Scene) -> str:
    """A script comes changed, and is changed here too."""
    s.comes("run.sh", "one\n")
    s.here.ends("pulled")
    s.comes("run.sh", "two\n")
    s.here.write("run.sh", "mine\n")
    return "cp run.sh .. && git checkout run.sh"


@ends("conflict-elsewhere", 2, "topics/both.md", "a file here is a folder there", "To merge by hand")
def a_file_here_a_folder_there(s: Scene) -> str:
    """One side has a topic where the other has a folder of topics."""
    s.comes("topics/both.md", TOPIC.format("theirs"))
    s.here.write("topics/both.md/mine.md", TOPIC.format("mine"))
    return "{0}; mv topics/both.md~* topics/theirs.md; git add -A && git commit -qm merged"


@ends("conflict-elsewhere", 2, "memtool.yaml")
def the_configuration_in_conflict(s: Scene) -> str:
    """Both sides changed the same line of memtool.yaml."""
    s.comes("memtool.yaml", "format: 1\ntotal: 13000\n")
    s.here.write("memtool.yaml", "format: 1\ntotal: 14000\n")
    return "{0}; git checkout --ours memtool.yaml && git commit -qam merged"


# --- names and kinds of files -----------------------------------------------------------------------------------------


@ends("pushed", 0, "topics/a\\x0anew line.md", 'quo"te.md', "topics/\\xff\\xfe.md")
def odd_names(s: Scene) -> None:
    """Names with a newline, a quote, a tab, bytes that are no UTF-8, and what git would take for more than a name."""
    for name in ("a\nnew line", 'quo"te', "t\tab", "\udcff\udcfe", "-dash", ":(top)x"):
        s.here.write(f"topics/{name}.md", TOPIC.format("odd"))


@ends("pulled", 0, "topics/Case.md", "topics/case.md")
def names_that_are_nearly_the_same(s: Scene) -> None:
    """Names that differ in case only, and in how an accent is written."""
    for name in ("Case", "case", "caf\u00e9", "cafe\u0301"):
        s.there.write(f"topics/{name}.md", TOPIC.format(name))
    s.there.ends("pushed")


@ends("pulled", 0, "new      lib")
def a_submodule(s: Scene) -> None:
    """A submodule comes; its folder is there, so that no commit of the user's takes it out."""
    (s.there.root / "lib").mkdir()
    s.there.git("update-index", "--add", "--cacheinfo", f"160000,{s.there.head()},lib")
    s.there.git("commit", "-qm", "lib")
    s.there.ends("pushed")


@ends("up-to-date", 0, "topics/link.md: it is a symbolic link")
def a_topic_that_is_a_link(s: Scene) -> None:
    """A new topic is a link: it is named and left."""
    (s.here.root / "topics/link.md").symlink_to("git.md")


@ends("dirty-elsewhere", 2, "topics/git.md: it lies behind a symbolic link")
def topics_behind_a_link(s: Scene) -> None:
    """The folder of topics was moved away and is a link, and a topic comes: nothing is deleted, nothing overwritten."""
    s.comes("topics/theirs.md", TOPIC.format("theirs"))
    (s.here.root / "topics").rename(s.folder / "elsewhere")
    (s.here.root / "topics").symlink_to(s.folder / "elsewhere")


@ends("up-to-date", 0, "and 4997 more: no memory")
def five_thousand_files(s: Scene) -> None:
    """5,000 untracked files that are no memory."""
    for number in range(5000):
        s.here.write(f"scratch/{number // 100}/{number}.txt", "x")


@ends("merged", 0, "brought together")
def wrong_clocks(s: Scene) -> None:
    """One machine's clock stands in 1990, the other's in 2090."""
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        s.setenv(name, "2090-01-01T00:00:00Z")
    s.comes("topics/theirs.md", TOPIC.format("theirs"))
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        s.setenv(name, "1990-01-01T00:00:00Z")
    s.here.write("topics/new.md", TOPIC.format("new"))


# --- the configuration ------------------------------------------------------------------------------------------------


@ends("bad-config", 2, "memtool.yaml:1: not YAML", "Mend it, then memtool sync")
def the_configuration_is_wrong(s: Scene) -> str:
    """memtool.yaml was changed here, and is no YAML."""
    s.here.write("memtool.yaml", "format: [\n")
    s.here.write("topics/new.md", TOPIC.format("new"))
    return "git checkout memtool.yaml"


@ends("bad-config", 2, "says format 2", "Upgrade memtool")
def the_configuration_is_newer(s: Scene) -> str:
    """memtool.yaml is of a format that this memtool does not know."""
    s.here.write("memtool.yaml", "format: 2\n")
    return "git checkout memtool.yaml"


def comes_unchecked(s: Scene, text: str) -> None:
    s.there.save("memtool.yaml", text)
    s.there.git("push", "-q", "origin", "main")


@ends("bad-config", 2, "once merged, memtool.yaml:1: not YAML", "To mend it here: git merge")
def a_wrong_configuration_comes(s: Scene) -> str:
    """The remote has a memtool.yaml that is no YAML."""
    comes_unchecked(s, "format: [\n")
    s.here.write("topics/new.md", TOPIC.format("new"))
    return "{1} && printf 'format: 1\\n' >memtool.yaml && git commit -qam mended"


@ends("bad-config", 2, "says format 2", "Upgrade memtool")
def a_newer_configuration_comes(s: Scene) -> None:
    """The remote has a memtool.yaml of a newer format, and nothing was changed here."""
    comes_unchecked(s, "format: 2\n")


# --- the promise ------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (switch, transaction):
        monkeypatch.setattr(module, "_PATIENCE", 0.2)


@TABLE.each()
def test_each_state_is_named_and_loses_nothing(scene: Scene, row: Row) -> None:
    """The sync ends in this state, with this exit code, says so on one screen, and what was there is there.

    Where the row has a way out, it works as it is told, and the next sync ends well.
    """
    row.holds(scene)


def test_a_submodule_is_not_taken_for_removed(scene: Scene) -> None:
    """After a submodule has come, git sees nothing changed: a `git commit -a` of the user's takes nothing out."""
    a_submodule(scene)
    scene.here.ends("pulled")
    assert scene.here.git("status", "--porcelain") == ""


def test_what_is_left_out_stays_left_out(scene: Scene) -> None:
    """A sparse checkout follows what it leaves out without writing it; what is written beside it goes."""
    a_sparse_checkout(scene)
    scene.here.ends("merged")
    assert "S projects/out.md" in scene.here.git("ls-files", "-t").splitlines()
    assert not (scene.here.root / "projects/out.md").exists()
    assert scene.here.git("status", "--porcelain") == ""
    assert "out, later" in scene.remote.git("show", "main:projects/out.md")
    scene.there.ends("pulled")
    assert scene.there.read("projects/mine.md") == TOPIC.format("mine")


def test_odd_names_arrive(scene: Scene) -> None:
    """Files with odd names are the same on the other machine, under the same names."""
    odd_names(scene)
    scene.here.ends("pushed")
    scene.there.ends("pulled")
    assert scene.there.files() == scene.here.files()
