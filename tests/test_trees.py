"""The three trees of a repo as one kind of Snapshot."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from memory import Memory

from memtool.edge.plumbing import Objects
from memtool.edge.trees import CommitTree, Folder, WorkTree, staged
from memtool.model import Tree, odd


@pytest.fixture
def repo(tmp_path: Path) -> Memory:
    made = Memory.make(tmp_path / "repo", hooks=False)
    made.write(".gitignore", "ignored.md\n")
    made.write("same.md", "same")
    made.write("changed.md", "committed")
    made.write("gone.md", "gone")
    made.write("folder/deep/x.md", "x")
    made.git("add", "-A")
    made.git("commit", "-qm", "x")
    made.write("changed.md", "staged!!")
    made.git("rm", "-q", "gone.md")
    made.git("add", "-A")
    made.write("changed.md", "on disk")
    made.write("new.md", "new")
    made.write("ignored.md", "ignored")
    (made.root / "link.md").symlink_to("same.md")
    return made


def contents(tree: Tree) -> dict[str, bytes]:
    return {path: tree[path] for path in tree if not odd(tree, path) and not path.startswith(".")}


def test_a_commit_the_index_and_the_work_tree_each_show_their_own(repo: Memory) -> None:
    """One question, three answers; an ignored file is in none."""
    root = str(repo.root)
    base = {"same.md": b"same", "folder/deep/x.md": b"x"}
    with Objects(root) as objects:
        assert contents(CommitTree(objects, "HEAD")) == base | {"changed.md": b"committed", "gone.md": b"gone"}
        assert contents(staged(objects)) == base | {"changed.md": b"staged!!"}
    assert contents(WorkTree(root)) == base | {"changed.md": b"on disk", "new.md": b"new"}
    assert odd(WorkTree(root), "link.md") == "a symbolic link"


def test_one_folder_is_listed_without_the_rest(repo: Memory) -> None:
    """A few files of a large tree cost a few tree objects; the listing agrees with the whole."""
    with Objects(str(repo.root)) as objects:
        for tree in (CommitTree(objects, "HEAD"), staged(objects), WorkTree(str(repo.root)), Folder(str(repo.root))):
            assert list(tree.under("folder")) == ["folder/deep/x.md"]
            assert "folder/deep/x.md" in tree
            assert "folder/deep" not in CommitTree(objects, "HEAD")
            assert list(tree.under("none")) == []


def test_staged_before_the_first_commit_is_all_that_is_added(tmp_path: Path) -> None:
    """There is no HEAD to compare with; what is added with `add -N` is not there."""
    repo = Memory.make(tmp_path / "repo", hooks=False)
    repo.write("a.md", "a")
    repo.write("later.md", "later")
    repo.git("add", "a.md")
    repo.git("add", "-N", "later.md")
    with Objects(str(repo.root)) as objects:
        tree = staged(objects)
        assert (contents(tree), tree.base) == ({"a.md": b"a"}, None)


@pytest.mark.parametrize("kind", ["folder", "large", "unreadable", "pipe"])
def test_what_is_no_readable_file_is_named_not_read(repo: Memory, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder where a file should be, 100 MB, no permission, a pipe: said in words, never a hang or a traceback."""
    path = repo.root / "same.md"
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "large":
        path.touch()
        os.truncate(path, 100 << 20)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.write_text("x")
        monkeypatch.setattr("os.access", lambda *_: False)
    words = {
        "folder": "a folder",
        "large": "too large to read (100 MB)",
        "unreadable": "unreadable",
        "pipe": "no regular file",
    }
    tree = WorkTree(str(repo.root))
    assert words[kind] in tree.odd("same.md")
    if kind != "unreadable":
        with pytest.raises(KeyError):
            tree["same.md"]


def test_a_submodule_and_a_large_blob_are_odd_in_git_trees(repo: Memory) -> None:
    """Neither is text to be read."""
    head = repo.git("rev-parse", "HEAD").strip()
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{head},sub.md")
    (repo.root / "large.md").touch()
    os.truncate(repo.root / "large.md", 17 << 20)
    repo.git("add", "large.md")
    with Objects(str(repo.root)) as objects:
        tree = staged(objects)
        assert (tree.odd("sub.md"), tree.odd("large.md")) == ("a submodule", "too large to read (17 MB)")
        assert "large.md" in tree
        with pytest.raises(KeyError):
            tree["large.md"]


def test_what_may_not_be_looked_at_is_not_taken_for_removed(repo: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without permission makes its files unreadable; the index must not lose their rows over it."""
    real = os.lstat

    def lstat(path: str | bytes) -> os.stat_result:
        if os.fsencode(path).endswith(b"folder/deep/x.md"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    repo.write("folder/deep/x.md", "changed, so that git names it")
    monkeypatch.setattr(os, "lstat", lstat)
    tree = WorkTree(str(repo.root))
    assert "folder/deep/x.md" in tree
    assert tree.odd("folder/deep/x.md") == "unreadable (Permission denied)"
    (repo.root / "same.md").unlink()
    assert "same.md" not in WorkTree(str(repo.root))
