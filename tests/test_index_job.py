"""`index` on real work trees: what is written, what is refused, and caches that only ever save time."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memtool.core import index
from memtool.core.config import Config
from memtool.edge import plumbing, survey
from memtool.edge.files import read_regular
from memtool.edge.trees import WorkTree
from memtool.errors import MemtoolError
from memtool.jobs import pages
from memtool.jobs.index import check_index, write_index

FOLDERS = "format: 1\nindex:\n  layout: folders\n"


@pytest.fixture(autouse=True)
def sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's own git configuration out."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


class Store:
    """A memory repo in a temporary folder."""

    def __init__(self, root: Path) -> None:
        self.path = root
        self.root = str(root)

    def git(self, *args: str) -> str:
        command = ("git", "-C", self.root, "-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", *args)
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def write(self, path: str, text: str | bytes) -> None:
        place = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        Path(place).write_bytes(text if isinstance(text, bytes) else text.encode())

    def read(self, path: str) -> bytes:
        return (self.path / path).read_bytes()

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "x")

    def files(self) -> dict[str, bytes]:
        return {str(p.relative_to(self.path)): p.read_bytes() for p in self.path.rglob("*.md") if p.is_file()}

    def truth(self, config: Config | None = None) -> dict[str, bytes]:
        """Make the pages without any cache, from the bytes."""
        return index.pages(WorkTree(self.root), config or Config())


def described(text: str) -> str:
    return f"---\ndescription: {text}\n---\n\n# {text.title()}\n"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "store")
    made.path.mkdir()
    made.git("init", "-q", "-b", "main")
    made.write("memtool.yaml", "format: 1\n")
    made.write("topics/git.md", described("read before git"))
    made.write("topics/linux/shell.md", described("read before shell"))
    made.write("projects/blog.md", described("read before blogging"))
    made.write("notes/laptop/2026-07.md", "# Notes\n")
    made.commit()
    return made


# --- what is written -------------------------------------------------------------------------------------------------


def test_the_index_is_written_once_and_then_left_alone(store: Store) -> None:
    """The second run has nothing to do, and touches no file."""
    done = write_index(store.root)
    assert (done.files, done.pages, done.written, done.removed) == (4, 1, ("INDEX.md",), ())
    assert store.read("INDEX.md") == store.truth()["INDEX.md"]
    before = os.stat(store.path / "INDEX.md").st_mtime_ns
    assert write_index(store.root).written == ()
    assert os.stat(store.path / "INDEX.md").st_mtime_ns == before
    assert check_index(store.root).findings == ()


def test_a_dry_run_says_what_would_be_written_and_writes_nothing(store: Store) -> None:
    """The tree is as before."""
    before = store.files()
    done = write_index(store.root, dry_run=True)
    assert (done.written, next(iter(done.lines()))) == (("INDEX.md",), "would be written: INDEX.md")
    assert store.files() == before


def test_the_result_is_one_json_document_and_lines_for_a_person(store: Store) -> None:
    """Both say the same."""
    store.write("memtool.yaml", "format: 1\nindex:\n  budget: 100\n")
    done = write_index(store.root)
    assert done.asdict()["schema"] == "memtool.index/1"
    assert [finding["code"] for finding in done.asdict()["findings"]] == ["over-budget"]
    assert list(done.lines())[-1] == "4 files on 1 page"
    store.write("memtool.yaml", "format: 1\n")
    assert list(write_index(store.root).lines()) == ["4 files on 1 page, all up to date"]


def test_a_new_layout_takes_the_old_pages_away(store: Store) -> None:
    """Folders get their pages, and lose them again with the folders that only they kept."""
    store.write("memtool.yaml", FOLDERS)
    store.write("topics/old/x.md", "# X\n")
    pages = ["INDEX.md", "notes/INDEX.md", "projects/INDEX.md", "topics/INDEX.md", "topics/linux/INDEX.md"]
    assert sorted(write_index(store.root).written) == sorted([*pages, "topics/old/INDEX.md"])
    assert check_index(store.root).findings == ()
    os.unlink(store.path / "topics/old/x.md")
    done = write_index(store.root)
    assert (done.written, done.removed) == (("INDEX.md", "topics/INDEX.md"), ("topics/old/INDEX.md",))
    assert not (store.path / "topics/old").exists()
    store.write("memtool.yaml", "format: 1\n")
    done = write_index(store.root)
    assert (done.written, sorted(done.removed)) == (("INDEX.md",), pages[1:])
    assert store.read("INDEX.md") == store.truth()["INDEX.md"]


def test_a_store_without_files_has_an_index_but_proves_nothing(tmp_path: Path) -> None:
    """Zero files examined is `could not`, never `ok`."""
    empty = Store(tmp_path)
    empty.git("init", "-q")
    assert write_index(empty.root).files == 0
    with pytest.raises(MemtoolError, match="no on-demand file was examined"):
        check_index(empty.root)


@pytest.mark.parametrize(
    "name", ["a b", "it's", 'say "x"', "new\nline", "读", "-rf", ":(top)", "#1", "50%", "\udcff", "(x)"]
)
def test_any_file_name_gets_its_row(store: Store, name: str) -> None:
    """Names are git's bytes, never quoted, never an option."""
    store.write(f"topics/{name}.md", "# X\n")
    assert write_index(store.root).files == 5
    assert store.read("INDEX.md") == store.truth()["INDEX.md"]
    store.commit()
    assert check_index(store.root).findings == ()
    store.write(f"topics/{name}.md", "# Y\n")
    assert len(check_index(store.root).findings) == 1


# --- what is refused -------------------------------------------------------------------------------------------------


def by_hand(store: Store) -> None:
    store.write("topics/INDEX.md", "# My own list\n")


def by_link(store: Store) -> None:
    (store.path / "topics/INDEX.md").symlink_to("git.md")


def by_folder(store: Store) -> None:
    store.write("topics/INDEX.md/x.txt", "x")


@pytest.mark.parametrize("place", [by_hand, by_link, by_folder])
def test_what_memtool_did_not_generate_is_never_overwritten(store: Store, place: Callable[[Store], None]) -> None:
    """A page by hand, a link, a folder: refused before any page is written, with the way out."""
    store.write("memtool.yaml", FOLDERS)
    place(store)
    before = store.files()
    with pytest.raises(MemtoolError, match=r"topics/INDEX\.md: the index belongs here") as caught:
        write_index(store.root)
    assert "`path: NAME.md`" in caught.value.hint
    assert store.files() == before


def test_the_index_is_not_written_through_a_linked_folder(store: Store, tmp_path: Path) -> None:
    """A link could lead out of the repo."""
    (tmp_path / "outside").mkdir()
    (store.path / "docs").symlink_to(tmp_path / "outside")
    store.write("memtool.yaml", "format: 1\nindex:\n  path: docs/INDEX.md\n")
    with pytest.raises(MemtoolError, match="docs: the index belongs here, and here is a symbolic link"):
        write_index(store.root)
    assert not list((tmp_path / "outside").iterdir())


def test_a_newer_format_is_read_and_not_written(store: Store) -> None:
    """An older memtool never rewrites a newer format."""
    write_index(store.root)
    store.write("memtool.yaml", "format: 2\n")
    with pytest.raises(MemtoolError, match="format 2"):
        write_index(store.root)
    assert check_index(store.root).findings == ()


def test_a_page_emptied_by_a_power_cut_is_written_anew(store: Store) -> None:
    """Nothing is lost with an empty file."""
    store.write("INDEX.md", "")
    assert write_index(store.root).written == ("INDEX.md",)


def test_files_that_cannot_be_read_are_listed_as_such(store: Store) -> None:
    """A link, a file of 17 MB, a missing one: never fewer rows than files."""
    (store.path / "topics/link.md").symlink_to("git.md")
    with open(store.path / "topics/huge.md", "wb") as file:
        file.truncate(17 << 20)
    os.unlink(store.path / "topics/git.md")
    store.write("topics/raw.md", b"---\ndescription: caf\xe9\n---\n# Caf\xe9\n")
    write_index(store.root)
    page = store.read("INDEX.md").decode()
    assert "- [link](topics/link.md) — (not read: a symbolic link)\n" in page
    assert "- [huge](topics/huge.md) — (not read: too large to read (17 MB))\n" in page
    assert "- [Caf\ufffd](topics/raw.md) — (unreadable: line 2)\n" in page
    assert "topics/git.md" not in page


# --- caches ----------------------------------------------------------------------------------------------------------


def caches(store: Store) -> dict[str, Path]:
    return {place.name: place for place in (store.path / ".git/memtool").iterdir()}


@pytest.fixture
def written(store: Store) -> Store:
    """The store with its index committed and all caches filled."""
    write_index(store.root)
    store.commit()
    write_index(store.root)
    assert {"index-rows", "index-proof"} <= caches(store).keys()
    return store


def never(*_args: object) -> object:
    raise AssertionError("the files were read again")


def test_nothing_is_read_again_while_nothing_has_changed(written: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a commit of the index the next run only asks git."""
    monkeypatch.setattr(pages, "make", never)
    assert list(write_index(written.root).lines()) == ["4 files on 1 page, all up to date"]
    assert check_index(written.root).files == 4


@pytest.mark.parametrize(
    "change",
    [
        lambda store: store.write("topics/git.md", described("read before gut")),
        lambda store: store.write("topics/new.md", "# New\n"),
        lambda store: os.unlink(store.path / "topics/git.md"),
        lambda store: os.rename(store.path / "topics/git.md", store.path / "topics/a.md"),
        lambda store: store.git("mv", "topics/git.md", "projects/git.md"),
        lambda store: store.git("rm", "-q", "topics/git.md"),
        lambda store: store.write("memtool.yaml", FOLDERS),
        lambda store: store.write("INDEX.md", store.read("INDEX.md") + b"\n"),
        lambda store: os.unlink(store.path / "INDEX.md"),
        lambda store: (
            store.git("update-index", "--assume-unchanged", "topics/git.md"),
            store.write("topics/git.md", "# Hidden from git\n"),
        ),
    ],
)
def test_no_change_is_hidden_by_a_cache(written: Store, change: Callable[[Store], object]) -> None:
    """Edited (to the same size, at once), new, removed, renamed, staged, configured, or overlooked by order."""
    change(written)
    assert check_index(written.root).findings
    write_index(written.root)
    config = Config(index_layout="folders" if written.read("memtool.yaml") == FOLDERS.encode() else "flat")
    assert {path: data for path, data in written.files().items() if path.endswith("INDEX.md")} == written.truth(config)


@pytest.mark.parametrize("name", ["index-rows", "index-proof"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"before", b"behind"),
        lambda data: data.replace(b" index-1 ", b" index-0 "),
        lambda _: b"",
        lambda _: b"\xff" * 999,
        lambda _: None,
    ],
)
def test_a_damaged_cache_is_no_cache(written: Store, name: str, damage: Callable[[bytes], bytes | None]) -> None:
    """Cut short, altered, of another version, emptied, nonsense, gone: the same pages."""
    place = caches(written)[name]
    data = damage(place.read_bytes())
    place.unlink() if data is None else place.write_bytes(data)
    written.write("topics/new.md", "# New\n")
    write_index(written.root)
    assert written.read("INDEX.md") == written.truth()["INDEX.md"]
    assert check_index(written.root).findings == ()


def test_a_cache_that_cannot_be_written_is_no_error(store: Store) -> None:
    """The next run is slower, that is all."""
    store.write(".git/memtool", "in the way")
    assert write_index(store.root).written == ("INDEX.md",)
    assert check_index(store.root).findings == ()


def test_what_could_not_be_read_is_tried_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A right that was missing is nothing that a blob's id could tell."""
    with monkeypatch.context() as locked:
        locked.setattr(pages, "read_regular", lambda path: "unreadable" if "topics" in path else read_regular(path))
        write_index(store.root)
        assert store.read("INDEX.md").count(b"(not read: unreadable)") == 2
    assert index.findings(WorkTree(store.root), Config())
    write_index(store.root)
    assert index.findings(WorkTree(store.root), Config()) == []


def test_the_cache_forgets_what_is_gone(written: Store) -> None:
    """It never outgrows the store."""
    written.git("rm", "-q", "-r", "topics")
    write_index(written.root)
    assert b"read before shell" not in caches(written)["index-rows"].read_bytes()


def wander(store: Store, dice: random.Random) -> None:
    """Do something that people do to files."""
    path = f"{dice.choice(['topics', 'topics/a', 'projects/b/c', 'notes/pc'])}/{dice.choice('xyz')}.md"
    tracked = store.git("ls-files", "*.md").split()
    do = dice.choice(["write", "write", "remove", "commit", "stage", "untrack", "ignore", "index", "reset"])
    if do == "write":
        store.write(path, described(f"read before {dice.choice(['this', 'that'])}"))
    elif do == "remove" and (store.path / path).exists():
        os.unlink(store.path / path)
    elif do == "commit":
        store.git("add", "-A")
        store.git("commit", "-qm", "x", "--allow-empty")
    elif do == "stage":
        store.git("add", "-A")
    elif do == "untrack" and tracked:
        store.git("rm", "-q", "--cached", "-f", dice.choice(tracked))
    elif do == "ignore":
        store.write(".gitignore", dice.choice(["", "x.md\n", "b/\n", "*\n"]))
    elif do == "index":
        write_index(store.root)
    elif do == "reset":
        store.git("reset", "-q", "--hard")


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_store_with_a_past_has_the_index_of_a_fresh_one(
    store: Store, monkeypatch: pytest.MonkeyPatch, *, seed: int, large: bool
) -> None:
    """After any work the pages are those made from nothing, also where a large tree's folders are remembered."""
    if large:
        monkeypatch.setattr(survey, "_LARGE", 0)
        monkeypatch.setattr(survey, "_SETTLED", -(10**18))
        monkeypatch.setattr(pages, "_MANY", 2)
    dice = random.Random(seed)
    for _ in range(12):
        for _ in range(dice.randint(1, 4)):
            wander(store, dice)
        write_index(store.root)
        with monkeypatch.context() as fresh:
            fresh.setattr(survey, "_is_large", lambda _root: False)
            assert store.read("INDEX.md") == store.truth()["INDEX.md"]


# --- which files are new ---------------------------------------------------------------------------------------------


def test_new_files_of_a_large_tree_are_seen_without_walking_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders that have not changed are not opened; a new file, folder or rule is seen all the same."""
    monkeypatch.setattr(survey, "_LARGE", 0)
    monkeypatch.setattr(survey, "_SETTLED", -(10**18))
    store.write(".gitignore", "junk.md\n")
    store.write("topics/junk.md", "x")
    store.commit()
    asked: list[tuple[str, ...]] = []

    def git(root: str, *args: str) -> bytes:
        asked.append(args)
        return plumbing.git(root, *args)

    monkeypatch.setattr(survey, "git", git)

    def new() -> set[bytes]:
        asked.clear()
        return set(survey.survey(store.root).new)

    def walked() -> bool:
        return any("--directory" in args for args in asked)

    assert (new(), walked()) == (set(), True)
    assert (new(), walked()) == (set(), False)
    store.write("topics/linux/new.md", "x")
    store.write("topics/folder/deep/new.md", "x")
    assert (new(), walked()) == ({b"topics/linux/new.md", b"topics/folder/deep/new.md"}, True)
    assert (len(new()), walked()) == (2, False)
    store.write("topics/folder/deep/more.md", "x")  # a folder that is itself new is looked into each time
    assert (len(new()), walked()) == (3, False)
    store.write(".git/info/exclude", "new.md\n")
    assert (new(), walked()) == ({b"topics/folder/deep/more.md"}, False)
    store.git("rm", "-q", "--cached", "topics/git.md")
    assert (len(new()), walked()) == (2, True)


def test_a_folder_that_changed_just_now_is_not_trusted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within one tick of the clock it could change again and look the same."""
    monkeypatch.setattr(survey, "_LARGE", 0)
    write_index(store.root)
    assert "folders" not in caches(store)


def test_a_repository_inside_the_store_is_not_its_own(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files are another store's."""
    subprocess.run(["git", "init", "-q", f"{store.root}/topics/other"], check=True)
    store.write("topics/other/x.md", "# X\n")
    for large in (1 << 40, 0):
        monkeypatch.setattr(survey, "_LARGE", large)
        assert write_index(store.root).files == 4
