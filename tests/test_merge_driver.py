"""memtool as git's merge driver: plain pull, merge, rebase, cherry-pick and stash pop keep both texts, no markers."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from folders import fill, run
from memory import CONFIG, GOOD, Memory

from memtool import hook
from memtool.core import scaffold
from memtool.core.merge.aside import unfenced
from memtool.core.page import MARK
from memtool.edge import plumbing
from memtool.jobs import merge as job
from memtool.jobs.setup import driver
from memtool.jobs.setup.hooks import interpreter

BLOG = """\
---
description: read before a post
source_date: 2026-01-01
---

## Length

Near 3,000 words.

## Tone

Plain.
"""
OURS, THEIRS = BLOG.replace("3,000", "4,000"), BLOG.replace("3,000", "2,500")
POST = "topics/blog post.md"
MARKERS = "<<<<<<< ours\nNear 4,000 words.\n=======\nNear 2,500 words.\n>>>>>>> theirs\n"

BOTH = """\
---
description: read before a post
source_date: 2026-01-01
---

## Length

Near 4,000 words.

## Set aside in a merge (4ec8de80): Length

What stands above and this are two versions. Keep what is right, and delete this section.

```markdown
## Length

Near 2,500 words.
```

## Tone

Plain.
"""


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """Give a repo with one post, whose git knows the driver."""
    made = Memory.make(tmp_path / "m", hooks=False)
    config = CONFIG + "exclude:\n  - topics/README.md\n"
    own = {".gitattributes": "*.md -text merge=memtool\n", ".gitignore": "/.memtool/\n", "memtool.yaml": config}
    fill(made.root, own | {POST: BLOG})
    made.git("add", "-A")
    made.git("commit", "-qm", "base")
    driver.install(str(made.root))
    return made


def _commit(memory: Memory, texts: Mapping[str, str | bytes]) -> None:
    fill(memory.root, texts)
    memory.git("add", "-A")
    memory.git("commit", "-qm", "edit")


def _diverge(memory: Memory, ours: Mapping[str, str | bytes], theirs: Mapping[str, str | bytes]) -> None:
    """Commit *theirs* on the branch side, and *ours* on main."""
    memory.git("checkout", "-qb", "side")
    _commit(memory, theirs)
    memory.git("checkout", "-q", "main")
    _commit(memory, ours)


def _text(memory: Memory, path: str = POST) -> str:
    return (memory.root / path).read_text()


def _tool(place: Path, text: str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\n{text}\n")
    place.chmod(0o755)
    return place


# --- two machines ----------------------------------------------------------------------------------------------------


def test_two_machines_pull_without_a_conflict(tmp_path: Path) -> None:
    """Both add to one journal and make the index anew; a plain pull joins them, and the index is right again."""
    Memory(tmp_path).git("init", "-q", "--bare", "-b", "main", "far.git")
    machines = []
    for name in ("one", "two"):
        report = run(tmp_path / name, agent=name, remote=tmp_path / "far.git")
        assert report.merge_driver
        machines.append(Memory(tmp_path / name))
        machines[-1].git("push", "-qu", "origin", "main")
    one, two = machines
    one.git("pull", "-q")
    for machine, day in ((one, "28"), (two, "29")):
        machine.git("config", "user.name", "Ada")
        machine.git("config", "user.email", "ada@example.invalid")
        machine.write(f"topics/day-{day}.md", GOOD)
        machine.write("notes/house/2026-11.md", f"# House\n\n## 2026-11-{day} Day {day}\n\nText {day}.\n")
        machine.run("index", ok=(0,))
        machine.git("add", "-A")
        machine.git("commit", "-qm", f"day {day}")
    one.git("push", "-q")
    two.git("pull", "-q", "--no-rebase", "--no-edit")
    days = "# House\n\n## 2026-11-28 Day 28\n\nText 28.\n\n## 2026-11-29 Day 29\n\nText 29.\n"
    assert _text(two, "notes/house/2026-11.md") == days
    two.run("index", ok=(0,))
    two.run("index", "--check", ok=(0,))
    assert "[Git](topics/day-28.md)" in _text(two, "INDEX.md")
    assert "[Git](topics/day-29.md)" in _text(two, "INDEX.md")


def test_both_texts_stand_in_the_file_and_the_commit_passes(memory: Memory) -> None:
    """One section, two wordings: no markers, one line says where to look, and the hook has nothing against it."""
    _diverge(memory, {POST: OURS}, {POST: THEIRS})
    memory.install_hooks()
    done = memory.call("git", "merge", "--no-edit", "side")
    assert (done.returncode, _text(memory)) == (0, BOTH)
    assert f"memtool: {POST}: two versions stand in it" in done.stderr
    assert "conflict-marker" not in memory.run("check", POST, ok=(0,)).stdout
    assert unfenced(BOTH.encode()) == b"## Length\n\nNear 2,500 words."


@pytest.mark.parametrize("how", ["merge", "rebase", "cherry-pick", "stash"])
def test_whatever_git_merges_by_it_uses_the_driver(memory: Memory, how: str) -> None:
    """Both texts are there, and not one marker."""
    if how == "stash":
        memory.write(POST, THEIRS)
        memory.git("stash", "-q")
        _commit(memory, {POST: OURS})
        memory.git("stash", "pop", "-q")
    else:
        _diverge(memory, {POST: OURS}, {POST: THEIRS})
        memory.git(how, *(["--no-edit"] if how == "merge" else []), "side")
    assert _text(memory) == BOTH


def test_front_matter_is_merged_by_its_keys(memory: Memory) -> None:
    """A description here, a key there, two days: all of it, and the later day."""
    day = "source_date: 2026-01-01"
    ours = BLOG.replace("a post", "a post is written").replace(day, "source_date: 2026-03-01")
    theirs = BLOG.replace(day, "source_date: 2026-02-01\nscope: project:blog")
    _diverge(memory, {POST: ours}, {POST: theirs})
    memory.git("merge", "-q", "--no-edit", "side")
    front = "description: read before a post is written\nsource_date: 2026-03-01\nscope: project:blog\n"
    assert _text(memory) == f"---\n{front}---\n\n## Length\n\nNear 3,000 words.\n\n## Tone\n\nPlain.\n"


def test_a_file_that_both_added_holds_what_both_say(memory: Memory) -> None:
    """There is no base: nothing counts as deleted."""
    _diverge(memory, {"topics/new.md": "# New\n\n## A\n\na\n"}, {"topics/new.md": "# New\n\n## B\n\nb\n"})
    memory.git("merge", "-q", "--no-edit", "side")
    assert _text(memory, "topics/new.md") == "# New\n\n## A\n\na\n\n## B\n\nb\n"


@pytest.mark.parametrize("name", ["'q' \"d\" $HOME %A.md", "记忆.md", "-dash;`id`.md"])
def test_odd_names_are_merged_like_any_other(memory: Memory, name: str) -> None:
    """git quotes the path for the shell; no name is obeyed."""
    path = f"topics/{name}"
    _commit(memory, {path: BLOG})
    _diverge(memory, {path: OURS}, {path: THEIRS})
    memory.git("merge", "-q", "--no-edit", "side")
    assert _text(memory, path) == BOTH


def test_a_bare_repo_merges_too(memory: Memory, tmp_path: Path) -> None:
    """It has no work tree to read memtool.yaml from: all markdown is memory there."""
    _diverge(memory, {POST: OURS}, {POST: THEIRS})
    memory.git("clone", "-q", "--bare", str(memory.root), str(tmp_path / "bare.git"))
    bare = Memory(tmp_path / "bare.git")
    driver.install(str(bare.root))
    bare.write("info/attributes", "*.md merge=memtool\n")
    tree = bare.git("merge-tree", "--write-tree", "main", "side").split("\n")[0]
    assert bare.git("show", f"{tree}:{POST}") == BOTH


# --- what is git's ---------------------------------------------------------------------------------------------------


def test_what_is_no_memory_is_merged_by_git(memory: Memory) -> None:
    """A README in the same folder gets git's markers, and git's conflict."""
    _commit(memory, {"topics/README.md": BLOG})
    _diverge(memory, {"topics/README.md": OURS}, {"topics/README.md": THEIRS})
    memory.git("merge", "-q", "--no-edit", "side", ok=(1,))
    assert MARKERS in _text(memory, "topics/README.md")


@pytest.mark.parametrize(
    ("ours", "theirs", "result"),
    [
        (b"\0our\n", b"\0their\n", b"\0our\n"),
        (b"caf\xe9\nb\n", b"their\nb\n", b"<<<<<<< ours\ncaf\xe9\n=======\ntheir\n>>>>>>> theirs\nb\n"),
    ],
)
def test_what_is_no_text_is_a_conflict_as_ever(memory: Memory, ours: bytes, theirs: bytes, result: bytes) -> None:
    """git reports it, and nothing of it is wrapped up as markdown."""
    _commit(memory, {"topics/x.md": b"a\nb\n"})
    _diverge(memory, {"topics/x.md": ours}, {"topics/x.md": theirs})
    memory.git("merge", "-q", "--no-edit", "side", ok=(1,))
    assert (memory.root / "topics/x.md").read_bytes() == result
    assert memory.git("ls-files", "-u", "--", "topics/x.md").count("\n") == 3


# --- a generated page, a broken configuration, a failed write --------------------------------------------------------


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder as git makes it for the driver: base, ours, theirs."""
    fill(tmp_path, {"base": BLOG, "ours": OURS, "theirs": THEIRS, "memtool.yaml": CONFIG})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _drive(path: str = POST) -> job.Outcome:
    return job.drive("base", "ours", "theirs", path=path)


def test_a_generated_page_is_never_in_conflict(three: Path) -> None:
    """New lines of both stay; where both changed one line, ours will do, for the page is made anew."""
    page = MARK.decode() + " -->\n- a\n"
    fill(three, {"base": page, "ours": page + "- b\n", "theirs": page + "- c\n"})
    assert _drive("INDEX.md").merged
    assert (three / "ours").read_text() == page + "- b\n- c\n"
    fill(three, {"ours": page.replace("- a", "- x"), "theirs": page.replace("- a", "- y")})
    assert "memtool index" in _drive("INDEX.md").said
    assert (three / "ours").read_text() == page.replace("- a", "- x")


@pytest.mark.parametrize(("config", "merged"), [(CONFIG, False), ("format: [\n", True), (None, True)])
def test_where_the_configuration_cannot_be_read_all_markdown_is_memory(
    three: Path, config: str | None, *, merged: bool
) -> None:
    """Both texts without a conflict is the safer of the two mistakes."""
    (three / "memtool.yaml").unlink()
    fill(three, {"memtool.yaml": config} if config else {})
    assert _drive("elsewhere/a.md").merged == merged


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_the_file_as_it_was(
    three: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException
) -> None:
    """The old bytes, whole, no litter beside them, and an exit code that git takes for a conflict."""

    def full(_source: str, _target: str) -> None:
        raise error

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises((SystemExit, KeyboardInterrupt)) as caught:
        hook.main(["merge-file", "base", "ours", "theirs", POST])
    if isinstance(caught.value, SystemExit):
        assert caught.value.code == 2
        assert "not written (No space left on device)" in capsys.readouterr().err
    assert (three / "ours").read_text() == OURS
    assert {path.name for path in three.iterdir()} == {"base", "ours", "theirs", "memtool.yaml"}


def test_it_wants_what_git_gives(capsys: pytest.CaptureFixture[str]) -> None:
    """Called by hand with too little, it says what belongs there."""
    with pytest.raises(SystemExit) as caught:
        hook.main(["merge-file", "base"])
    assert caught.value.code == 2
    assert "%O %A %B %P" in capsys.readouterr().err


def test_a_merge_loads_nothing_heavy(three: Path) -> None:
    """git starts it for every file that both sides changed."""
    code = f"from memtool.jobs.merge import drive\ndrive('base', 'ours', 'theirs', path={POST!r})\n"
    said = subprocess.run(
        [sys.executable, "-P", "-c", code + "import sys; print(*sys.modules)"],
        cwd=three, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert set(said.stdout.split()) & {"typer", "rich", "git", "markdown_it", "yaml", "subprocess"} == set()
    assert (three / "ours").read_text() == BOTH


# --- the command in git's configuration ------------------------------------------------------------------------------


@pytest.fixture
def bare_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Take all from PATH but git and sh, and give the one folder that it names."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("git", "sh"):
        (folder / name).symlink_to(shutil.which(name) or "")
    monkeypatch.setenv("PATH", str(folder))
    return folder


def _with_python(memory: Memory, python: str) -> None:
    found = memory.git("config", "merge.memtool.driver").strip()
    memory.git("config", "merge.memtool.driver", found.replace(interpreter(), shlex.quote(python)))


@pytest.mark.parametrize("code", [None, 97, 2])
@pytest.mark.usefixtures("bare_path")
def test_without_memtool_git_merges_as_ever(memory: Memory, tmp_path: Path, code: int | None) -> None:
    """Python gone, memtool gone from it, or failing: what git can merge it merges; else markers and a conflict."""
    python = tmp_path / "gone" if code is None else _tool(tmp_path / "python", f"exit {code}")
    _with_python(memory, str(python))
    _diverge(memory, {POST: OURS}, {POST: THEIRS})
    memory.git("merge", "-q", "--no-edit", "side", ok=(1,))
    assert MARKERS in _text(memory)
    assert memory.git("status", "--porcelain") == f'UU "{POST}"\n'
    memory.git("merge", "--abort")
    memory.git("checkout", "-q", "side")
    memory.git("reset", "-q", "--hard", "HEAD^")
    _commit(memory, {POST: BLOG.replace("Plain.", "Dry.")})
    memory.git("merge", "-q", "--no-edit", "main")
    assert _text(memory) == OURS.replace("Plain.", "Dry.")


@pytest.mark.parametrize("gone", [True, False])
def test_the_memtool_on_path_stands_in(memory: Memory, tmp_path: Path, bare_path: Path, *, gone: bool) -> None:
    """The recorded interpreter is gone, or has lost memtool."""
    _tool(bare_path / "memtool", f'exec {shlex.quote(interpreter())} -P -m memtool "$@"')
    _with_python(memory, str(tmp_path / "gone" if gone else _tool(tmp_path / "python", "exit 97")))
    _diverge(memory, {POST: OURS}, {POST: THEIRS})
    memory.git("merge", "-q", "--no-edit", "side")
    assert _text(memory) == BOTH


def test_an_interpreter_at_an_odd_place_is_found(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spaces, quotes, a dollar sign, git's own per cent and Chinese in its path."""
    python = _tool(tmp_path / "my 'o' \"p\" $HOME %A 记" / "python3", f'exec {shlex.quote(sys.executable)} "$@"')
    monkeypatch.setattr(driver, "interpreter", lambda: str(python))
    assert driver.install(str(memory.root))
    assert not driver.install(str(memory.root))
    assert driver.driver_state(str(memory.root)) == ""
    _diverge(memory, {POST: OURS}, {POST: THEIRS})
    memory.git("merge", "-q", "--no-edit", "side")
    assert _text(memory) == BOTH
    python.unlink()
    assert driver.driver_state(str(memory.root)).endswith(f"is gone: {python}; run memtool init here")


def test_one_line_says_what_is_lacking(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing where all is well; one git process at most, for a command that asks at every run."""
    asked = []

    def git(*args: str, ok: tuple[int, ...] = (0,)) -> bytes:
        asked.append(args)
        return real(*args, ok=ok)

    real = plumbing.git
    monkeypatch.setattr(driver, "git", git)
    root = str(memory.root)
    assert driver.driver_state(root) == ""
    memory.git("config", "merge.memtool.driver", "my own %A")
    assert driver.driver_state(root) == ""
    memory.git("config", "merge.memtool.driver", "an open 'quote")
    assert driver.driver_state(root) == ""
    memory.git("config", "--remove-section", "merge.memtool")
    assert driver.driver_state(root).endswith("merge.memtool.driver is not set in this clone; run memtool init here")
    memory.write(".gitattributes", "*.md -text\n")
    assert f"`*.md {scaffold.MERGE}`" in driver.driver_state(root)
    (memory.root / ".gitattributes").unlink()
    assert driver.driver_state(root)
    assert len(asked) == 4


def test_several_values_become_one(memory: Memory) -> None:
    """A second value, which git would take instead, goes."""
    memory.git("config", "--add", "merge.memtool.driver", "false")
    assert driver.install(str(memory.root))
    assert driver.is_installed(str(memory.root))
    assert os.fsencode(memory.git("config", "--get-all", "merge.memtool.driver")).count(b"\n") == 1
