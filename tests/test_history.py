"""The promises of the digest on real histories: memtool.edge.history, memtool.jobs.digest, memtool.jobs.session."""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from repos import History

from memtool.errors import MemtoolError
from memtool.jobs import digest as maker
from memtool.jobs.session import digest_as_of, refresh_digest

BUNDLES = Path(__file__).resolve().parents[2] / "shared" / "data" / "histories"
TODAY = "2026-09-21"


def note(text: str, body: str = "") -> str:
    return f'---\ndescription: "{text}"\n---\n\n# Note\n\n{body}\n'


def digest(root: Path, *, day: str = TODAY, agent: str = "laptop") -> str:
    return refresh_digest(str(root), agent=agent, today=day)


def lines(text: str) -> list[str]:
    return [line[2:] for line in text.splitlines() if line.startswith("- ")]


def from_nothing(root: Path, *, day: str = TODAY, agent: str = "laptop") -> str:
    for name in ("digest", "digest-state"):
        (root / ".git" / "memtool" / name).unlink(missing_ok=True)
    return digest(root, day=day, agent=agent)


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "memory")


@pytest.fixture(params=["added up", "compared"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test twice: with what commits changed added up, as in small histories, and with trees compared."""
    if request.param == "compared":
        monkeypatch.setattr(maker, "FAR", 0)
    return str(request.param)


# --- what is said ----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("way")
def test_what_moved_is_listed_with_date_description_and_agent(history: History) -> None:
    """New, changed and removed files, newest first; what another agent moved is marked; old changes are left out."""
    history.commit({"topics/old.md": note("read before old work"), "topics/gone.md": note("x")}, "2026-01-01")
    history.commit({"topics/git.md": note("read before git work")}, "2026-08-30")
    history.commit({"topics/gone.md": None}, "2026-09-16", by="laptop")
    history.commit({"topics/git.md": note("read before a rebase")}, "2026-09-20", message="m\n\nMemory-Agent: laptop\n")
    history.commit({"topics/new.md": note("read before a release")}, "2026-09-21", by="desk")
    history.write()
    assert digest(history.root) == (
        "# What moved, as of 2026-09-21\n"
        "\n"
        "(by NAME) marks what another agent than laptop moved.\n"
        "\n"
        "## Files, last 7 days\n"
        "\n"
        "- 2026-09-21 new: topics/new.md — read before a release (by desk)\n"
        "- 2026-09-20 topics/git.md — read before a rebase\n"
        "- 2026-09-16 removed: topics/gone.md\n"
    )


@pytest.mark.usefixtures("way")
def test_projects_that_moved_have_thirty_days(history: History) -> None:
    """A project is described by its README, else by the file that changed last; new and removed ones are said."""
    quiet = {"projects/blog/README.md": note("the blog"), "projects/blog/a.md": "1", "projects/lib.md": note("lib")}
    history.commit(quiet | {"projects/ended/plan.md": "x"}, "2026-08-01")
    history.commit({"projects/lib.md": note("the library")}, "2026-08-24")
    history.commit({"projects/blog/a.md": "2"}, "2026-08-25")
    history.commit({"projects/site/plan.md": note("the site")}, "2026-08-26")
    history.commit({"projects/ended/plan.md": None}, "2026-09-01")
    history.write()
    assert digest(history.root, agent="Ada") == (
        "# What moved, as of 2026-09-21\n"
        "\n"
        "No memory file moved in the last 7 days.\n"
        "\n"
        "## Projects, last 30 days\n"
        "\n"
        "- 2026-09-01 removed: projects/ended\n"
        "- 2026-08-26 new: projects/site — the site\n"
        "- 2026-08-25 projects/blog — the blog\n"
        "- 2026-08-24 projects/lib.md — the library\n"
    )


@pytest.mark.usefixtures("way")
def test_a_change_that_was_undone_did_not_move_anything(history: History) -> None:
    history.commit({"topics/a.md": "1"}, "2026-01-01")
    history.commit({"topics/a.md": "2"}, "2026-09-19")
    history.commit({"topics/a.md": "1"}, "2026-09-20")
    history.write()
    assert "Nothing moved: no memory file in the last 7 days, no project in the last 30 days." in digest(history.root)


@pytest.mark.usefixtures("way")
def test_generated_files_and_files_outside_the_memory_are_left_out(history: History) -> None:
    files = {"INDEX.md": "x", "README.md": "x", "memtool.yaml": "format: 1\n", ".gitignore": "x", "code/a.py": "x"}
    history.commit(files | {"topics/a.txt": "x"}, "2026-09-20")
    history.write()
    assert "Nothing moved" in digest(history.root)


def test_memtools_own_housekeeping_is_left_out(history: History) -> None:
    """What `memtool init` and `index` alone have moved is nobody's work, and is not counted as older either."""
    history.commit({"topics/a.md": "1"}, "2026-09-18")
    history.commit(
        {"topics/a.md": "2", "resident/rules.md": "r"},
        "2026-09-20",
        message="init\n\nMemory-Op: init\nMemory-Agent: desk\n",
    )
    history.write()
    assert lines(digest(history.root)) == ["2026-09-18 new: topics/a.md (by Ada)"]


def test_before_the_first_commit_there_is_no_history(history: History) -> None:
    """No commits, an unborn branch: a sentence, no error."""
    assert digest(history.root) == "# What moved, as of 2026-09-21\n\nNo history yet.\n"
    assert digest_as_of(str(history.root), agent="", day=TODAY).endswith("No history yet.\n")


def test_a_day_that_is_none_is_refused(history: History) -> None:
    history.commit({"topics/a.md": "1"}, "2026-09-18")
    history.write()
    for day in ("2026-02-30", "yesterday", "2026-9-1"):
        with pytest.raises(MemtoolError, match="is no date"):
            digest_as_of(str(history.root), agent="", day=day)


@pytest.mark.usefixtures("way")
def test_a_file_that_was_moved_is_one_line(history: History) -> None:
    """Moved as it was, or moved and changed: old → new, once, also where a name holds an arrow."""
    body = "".join(f"line {n}\n" for n in range(40))
    history.commit(
        {"topics/f1.md": "same\n" * 9, "topics/plan.md": body, "topics/other.md": "quite different\n"}, "2026-01-01"
    )
    history.commit({"topics/f1.md": None, "topics/f1 -> g.md": "same\n" * 9}, "2026-09-19")
    history.commit(
        {"topics/plan.md": None, "topics/done/plan.md": body + "done\n", "topics/new.md": "new\n"}, "2026-09-20"
    )
    history.write()
    assert lines(digest(history.root, agent="Ada")) == [
        "2026-09-20 renamed: topics/plan.md → topics/done/plan.md",
        "2026-09-20 new: topics/new.md",
        '2026-09-19 renamed: topics/f1.md → "topics/f1 -> g.md"',
    ]


@pytest.mark.usefixtures("way")
def test_names_of_every_kind_are_shown_and_forge_nothing(history: History) -> None:
    """Spaces, quotes, line ends, Chinese, a leading dash, bytes that are not UTF-8."""
    names = ["-n.md", "my good notes.md", 'q"uote.md', "a\n- 2026-09-21 b.md", "记忆.md", "bad\udcff.md", ":(top)x.md"]
    history.commit({f"topics/{name}": "x" for name in names if name.endswith(".md")}, "2026-09-20")
    history.write()
    assert lines(digest(history.root, agent="Ada")) == [
        "2026-09-20 new: topics/-n.md",
        "2026-09-20 new: topics/:(top)x.md",
        '2026-09-20 new: "topics/a\\n- 2026-09-21 b.md"',
        '2026-09-20 new: "topics/bad\\xff.md"',
        "2026-09-20 new: topics/my good notes.md",
        '2026-09-20 new: "topics/q\\"uote.md"',
        "2026-09-20 new: topics/记忆.md",
    ]


def test_a_bulk_commit_is_one_line_and_what_changed_later_has_its_own(history: History) -> None:
    history.commit({f"topics/{n:02}.md": str(n) for n in range(40)}, "2026-09-18", message="s\n\nMemory-Op: split\n")
    history.commit({"topics/07.md": note("read before seven")}, "2026-09-20")
    history.write()
    assert lines(digest(history.root, agent="Ada")) == [
        "2026-09-20 new: topics/07.md — read before seven",
        "2026-09-18 split: 39 new files in topics/",
    ]


def test_a_file_too_large_to_be_read_at_a_start_is_listed_all_the_same(history: History) -> None:
    """Nor does a name as long as the page, which has no line, stop the others."""
    history.commit({"topics/large.md": note("big", "x" * (2 << 20)), "topics/small.md": note("small")}, "2026-09-20")
    history.commit({f"topics/{'d' * 250}/{'e' * 250}/{'f' * 240}.md": note("long") for _ in "1"}, "2026-09-19")
    history.write()
    (history.root / "memtool.yaml").write_text("digest:\n  budget: 600\n")
    assert lines(digest(history.root, agent="Ada")) == [
        "2026-09-20 new: topics/large.md",
        "2026-09-20 new: topics/small.md — small",
        "and 1 more, older",
    ]


@pytest.mark.usefixtures("way")
def test_a_repository_with_longer_ids_is_read_the_same(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", "--object-format=sha256", str(tmp_path)], check=True)
    history = History(tmp_path)
    history.commit({"topics/a.md": note("read before a")}, "2026-09-20")
    history.write()
    assert lines(digest(tmp_path, agent="Ada")) == ["2026-09-20 new: topics/a.md — read before a"]


def test_a_repository_of_another_owner_is_not_taken_for_an_empty_one(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git's own remedy is repeated, never taken."""
    history.commit({"topics/a.md": "1"}, "2026-09-18")
    history.write()
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(MemtoolError, match="dubious ownership") as caught:
        digest(history.root)
    assert "safe.directory" in caught.value.hint


# --- clocks, merges, clones ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("way")
def test_one_clock_far_behind_hides_nothing(history: History) -> None:
    """Seven files in seven days, one of them committed with a clock 90 days behind; `git log --since` finds three."""
    for n in range(60):
        history.commit({f"topics/old{n:02}.md": "x"}, str(date(2026, 7, 1) + timedelta(days=n)))
    for n in range(7):
        behind = "2026-06-20" if n == 3 else ""
        history.commit({f"topics/{n}.md": "x"}, f"2026-09-{15 + n}", committed=behind)
    history.write()
    moved = lines(digest(history.root, agent="Ada"))
    assert [line.split()[-1] for line in moved] == [f"topics/{n}.md" for n in (6, 5, 4, 3, 2, 1, 0)]


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000))
@example(208)
def test_one_wrong_clock_in_a_hundred_changes_nothing(seed: int) -> None:
    """Whatever the committers' clocks, the files are those that were written in the window.

    But for its first commit: with a clock that is behind it is one more of the older ones, to anybody.
    """
    rng = random.Random(seed)
    start = date(2026, 5, 1)
    with TemporaryDirectory() as folder:
        history = History(Path(folder))
        true = set[str]()
        for hour in range(0, 24 * 143, 7):
            day = start + timedelta(days=hour // 24)
            at = f"{day}T{hour % 24:02}:00:00+00:00"
            behind = f"{day - timedelta(days=rng.randint(1, 30))}T12:00:00+00:00" if rng.random() < 0.01 else ""
            behind = behind if true or str(day) < "2026-09-14" else ""
            path = f"topics/{rng.randrange(300)}.md"
            history.commit({path: at}, at, committed=behind)
            if str(day) >= "2026-09-14":
                true.add(path)
        history.write()
        (history.root / "memtool.yaml").write_text("digest:\n  budget: 64 KB\n")
        assert {line.split(" — ")[0].split()[-1] for line in lines(digest(history.root, agent="Ada"))} == true


@pytest.mark.usefixtures("way")
def test_old_work_that_is_merged_today_is_listed_by_its_author_and_date(history: History) -> None:
    """Ten days and three months old: it moved here today; who wrote it when is kept."""
    base = history.commit({"topics/a.md": "1"}, "2026-05-01")
    side = history.commit({"topics/offline.md": "x"}, "2026-06-10", by="desk", parents=[base])
    side = history.commit({"topics/side.md": "x"}, "2026-09-11", by="desk", parents=[side])
    main = base
    for n in range(45):
        main = history.commit({"topics/b.md": str(n)}, str(date(2026, 7, 1) + timedelta(days=n)), parents=[main])
    history.commit({"topics/side.md": "x", "topics/offline.md": "x"}, "2026-09-21", by="laptop", parents=[main, side])
    history.write()
    assert lines(digest(history.root)) == [
        "2026-09-11 new: topics/side.md (by desk)",
        "2026-06-10 new: topics/offline.md (by desk)",
    ]


@pytest.mark.usefixtures("way")
def test_what_only_a_merge_changed_has_the_date_of_the_merge(history: History) -> None:
    base = history.commit({"topics/a.md": "1"}, "2026-05-01")
    side = history.commit({"topics/s.md": "1"}, "2026-09-18", by="desk", parents=[base])
    history.commit({"topics/s.md": "1", "topics/a.md": "resolved"}, "2026-09-20", parents=[base, side])
    history.write()
    assert lines(digest(history.root)) == ["2026-09-20 topics/a.md (by Ada)", "2026-09-18 new: topics/s.md (by desk)"]


@pytest.mark.usefixtures("way")
def test_a_fast_forward_to_somebody_elses_merge_tells_both_sides(history: History) -> None:
    """Their merge has their line as first parent, and mine as second."""
    base = history.commit({"topics/a.md": "1"}, "2026-05-01")
    mine = history.commit({"topics/mine.md": "1"}, "2026-09-18", by="laptop", parents=[base])
    theirs = history.commit({"topics/theirs.md": "1"}, "2026-09-19", by="desk", parents=[base])
    history.commit({"topics/mine.md": "1"}, "2026-09-20", by="desk", parents=[theirs, mine])
    history.write()
    assert lines(digest(history.root)) == [
        "2026-09-19 new: topics/theirs.md (by desk)",
        "2026-09-18 new: topics/mine.md",
    ]


@pytest.mark.usefixtures("way")
def test_an_octopus_merge_tells_all_its_arms(history: History) -> None:
    base = history.commit({"topics/a.md": "1"}, "2026-05-01")
    arms = [history.commit({f"topics/{n}.md": "x"}, f"2026-09-1{n}", by=f"m{n}", parents=[base]) for n in (5, 6, 7)]
    history.commit({f"topics/{n}.md": "x" for n in (6, 7)}, "2026-09-20", parents=arms)
    history.write()
    assert lines(digest(history.root)) == [f"2026-09-1{n} new: topics/{n}.md (by m{n})" for n in (7, 6, 5)]


@pytest.mark.usefixtures("way")
def test_a_rebased_note_shows_when_it_was_written(history: History) -> None:
    """It moved here today, so it is listed; the date is the author's."""
    history.commit({"topics/a.md": "1"}, "2026-01-01")
    history.commit({"topics/b.md": "1"}, "2026-01-02", committed="2026-09-21", by="laptop")
    history.write()
    assert lines(digest(history.root)) == ["2026-01-02 new: topics/b.md"]


def test_a_clock_in_the_future_sorts_as_today(history: History) -> None:
    history.commit({"topics/z.md": "1"}, "2026-01-01")
    history.commit({"topics/z.md": "2"}, "2027-03-01")
    history.commit({"topics/b.md": "1"}, "2026-09-20")
    history.write()
    assert [line.split()[0] for line in lines(digest(history.root))] == ["2027-03-01", "2026-09-20"]


@pytest.mark.usefixtures("way")
def test_a_shallow_clone_says_so_and_calls_no_file_changed_that_is_not(history: History, tmp_path: Path) -> None:
    """The oldest commit of such a clone seems to add all files; deeper, the whole story is told."""
    history.commit({f"topics/{n}.md": "1" for n in range(9)}, "2026-05-01")
    for n in range(5):
        history.commit({f"topics/{n}.md": "2"}, f"2026-09-{16 + n}")
    history.write()
    clone = tmp_path / "clone"
    history.git("clone", "-q", "--depth=3", history.root.as_uri(), str(clone))
    text = digest(clone, agent="Ada")
    assert "This clone is shallow: what moved before 2026-09-18 cannot be seen." in text
    assert [line.split()[-1] for line in lines(text)] == ["topics/4.md", "topics/3.md"]
    assert "shallow: what moved before 2026-09-18" in digest_as_of(str(clone), agent="Ada", day="2026-09-10")
    subprocess.run(["git", "-C", str(clone), "fetch", "-q", "--unshallow"], check=True)
    assert digest(clone, agent="Ada") == digest(history.root, agent="Ada")
    assert "shallow" not in digest(clone, agent="Ada")


def test_a_clone_that_is_deep_enough_need_not_say_that_it_is_shallow(history: History, tmp_path: Path) -> None:
    for n in range(80):
        history.commit({f"topics/{n}.md": "1"}, str(date(2026, 7, 4) + timedelta(days=n)))
    history.write()
    clone = tmp_path / "clone"
    history.git("clone", "-q", "--depth=70", history.root.as_uri(), str(clone))
    assert digest(clone) == digest(history.root)


@pytest.mark.usefixtures("way")
def test_time_zone_folder_and_settings_make_no_difference(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same bytes in every zone, from every folder, with whatever the user has set, and in every clone."""
    history.commit({"topics/早.md": "1"}, "2026-09-13T23:59:59+00:00")
    history.commit({"topics/in.md": "1"}, "2026-09-14T00:00:00+00:00")
    history.commit({"topics/late.md": "1", "projects/p/a.md": "x"}, "2026-09-21T23:30:00-07:00")
    history.write()
    expected = from_nothing(history.root)
    assert [line.split()[-3] for line in lines(expected)][-2:] == ["topics/late.md", "topics/in.md"]
    config = tmp_path / "gitconfig"
    config.write_text(
        "[log]\nshowSignature=true\nshowRoot=false\ndate=relative\ndecorate=full\nfollow=true\ndiffMerges=off\n"
        "[color]\nui=always\n[diff]\nrenames=copies\nnoprefix=true\nexternal=false\n[core]\nquotePath=true\nabbrev=5\n"
        "[i18n]\nlogOutputEncoding=latin1\n[pager]\nlog=true\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    for name, value in {"GIT_ICASE_PATHSPECS": "1", "GIT_DIFF_OPTS": "-u9", "GIT_EXTERNAL_DIFF": "false"}.items():
        monkeypatch.setenv(name, value)
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--no-local", str(history.root), str(clone)], check=True)
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Shanghai"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        assert from_nothing(history.root) == expected
    assert digest(clone) == expected
    monkeypatch.chdir(history.root)
    assert from_nothing(Path()) == expected


def test_a_detached_head_and_a_linked_work_tree_tell_their_own_history(history: History, tmp_path: Path) -> None:
    first = history.commit({"topics/a.md": "1"}, "2026-09-18")
    history.commit({"topics/b.md": "1"}, "2026-09-19")
    ids = history.write()
    both = digest(history.root)
    history.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"), ids[first])
    assert [line.split()[-3] for line in lines(digest(tmp_path / "linked"))] == ["topics/a.md"]
    history.git("checkout", "-q", "--detach", ids[first])
    assert digest(history.root) == digest(tmp_path / "linked")
    history.git("checkout", "-q", "main")
    assert digest(history.root) == both


def test_as_of_a_day_tells_what_was_known_at_its_end(history: History) -> None:
    """Of the zone in which it was committed, as the date in the digest is; nothing is written."""
    history.commit({"topics/a.md": "1"}, "2026-09-10")
    history.commit({"topics/b.md": "1"}, "2026-09-12T23:30:00-07:00")
    history.commit({"topics/c.md": "1"}, "2026-09-13T12:00:00-07:00")
    history.write()
    root = str(history.root)
    assert "No history yet." in digest_as_of(root, agent="Ada", day="2026-09-09")
    assert [line.split()[-1] for line in lines(digest_as_of(root, agent="Ada", day="2026-09-12"))] == [
        "topics/b.md",
        "topics/a.md",
    ]
    assert digest_as_of(root, agent="Ada", day="2026-12-24").count("Nothing moved") == 1
    assert not (history.root / ".memtool").exists()


# --- what is kept ----------------------------------------------------------------------------------------------------


@st.composite
def stories(draw: st.DrawFn) -> list[tuple[list[int], dict[str, str | None], str, str, str]]:
    """Make commits (parents, files, author time, committer time, message) with merges, wrong clocks and renames."""
    told: list[tuple[list[int], dict[str, str | None], str, str, str]] = []
    path = st.sampled_from([f"topics/{n}.md" for n in range(5)] + [f"projects/{p}/{n}.md" for p in "ab" for n in "12"])
    text = st.sampled_from([None, *(f"# {word}\n" + f"{word}\n" * 5 for word in ("one", "two", "three"))])
    day = st.integers(0, 40)
    for number in range(draw(st.integers(2, 24))):
        near = st.integers(max(1, number - 4), number) if number else st.nothing()
        parents = draw(st.lists(near, min_size=1, max_size=2, unique=True)) if number else []
        files = draw(st.dictionaries(path, text, max_size=3))
        age = max(0, 40 - 2 * number + draw(st.integers(-2, 2)))
        written = date(2026, 9, 21) - timedelta(days=age)
        committed = date(2026, 9, 21) - timedelta(days=draw(day)) if draw(st.integers(0, 9)) == 0 else written
        op = draw(st.sampled_from(["", "", "", "\n\nMemory-Op: index\n", "\n\nMemory-Agent: desk\n"]))
        told.append((parents, files, str(written), str(committed), f"m{op}"))
    return told


@settings(max_examples=25, deadline=None)
@given(stories(), st.integers(1, 23), st.sampled_from([2048, 300]))
def test_carried_on_or_from_nothing_by_commits_or_by_trees_the_bytes_are_the_same(
    story: list[tuple[list[int], dict[str, str | None], str, str, str]], step: int, budget: int
) -> None:
    """Any history, refreshed at some commits on the way: the digest is that of one made anew, in either way."""
    with TemporaryDirectory() as folder:
        history = History(Path(folder))
        for parents, files, at, committed, message in story:
            history.commit(files, at, committed=committed, parents=parents, message=message)
        ids = history.write()
        (history.root / "memtool.yaml").write_text(f"digest:\n  budget: {budget}\n")
        history.git("update-ref", "--no-deref", "HEAD", ids[1])
        for mark in [*range(1, len(story), step), len(story)]:
            history.git("update-ref", "--no-deref", "HEAD", ids[mark])
            carried = digest(history.root, agent="Ada")
        assert len(carried.encode()) <= budget
        assert carried == from_nothing(history.root, agent="Ada")
        with far(0):
            assert carried == from_nothing(history.root, agent="Ada")


@contextmanager
def far(commits: int) -> Iterator[None]:
    """Compare trees for windows that reach farther than *commits*."""
    before = maker.FAR
    maker.FAR = commits
    try:
        yield
    finally:
        maker.FAR = before


def spawned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note which git commands are started."""
    seen: list[str] = []
    real = os.posix_spawnp

    def spawn(program: str, argv: list[str], *args: object, **named: object) -> int:
        seen.append(
            next(word for word in argv[1:] if word in {"log", "rev-list", "diff-tree", "cat-file", "rev-parse"})
        )
        return real(program, argv, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "posix_spawnp", spawn)
    return seen


def test_while_nothing_moves_no_git_is_started(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kept text is given, and put back if the file was changed or removed; otherwise nothing is written."""
    history.commit({"topics/a.md": "1"}, "2026-09-18")
    history.write()
    text = digest(history.root)
    started = spawned(monkeypatch)
    place = history.root / ".memtool" / "digest.md"
    before = place.stat()
    assert digest(history.root) == text
    assert (place.stat().st_mtime_ns, place.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    place.write_text("spoiled")
    assert digest(history.root) == text == place.read_text()
    assert started == []


def test_a_commit_later_only_what_is_new_is_read(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """One git for the new commits and one for descriptions; neither is asked about windows or trees again."""
    for n in range(40):
        history.commit({"topics/a.md": str(n)}, str(date(2026, 8, 10) + timedelta(days=n)))
    history.write()
    with far(0):
        digest(history.root)
    history.commit({"topics/b.md": note("read before b")}, "2026-09-20")
    history.write()
    started = spawned(monkeypatch)
    assert lines(digest(history.root))[0] == "2026-09-20 new: topics/b.md — read before b (by Ada)"
    assert sorted(started) == ["cat-file", "log"]


@pytest.mark.parametrize("name", ["digest", "digest-state"])
@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data[: len(data) // 2],
        lambda _: b"",
        lambda data: data.replace(b"2026", b"2025", 1),
        lambda data: data[:-9] + b"\xff" + data[-8:],
        lambda _: b"something else\n" * 99,
    ],
    ids=["cut", "empty", "other day", "one byte", "foreign"],
)
def test_a_cache_that_is_damaged_is_not_believed(history: History, name: str, spoil: Callable[[bytes], bytes]) -> None:
    """It is never an error either; nor is one that cannot be written, or is a folder."""
    history.commit({"topics/a.md": note("read before a")}, "2026-09-18")
    history.write()
    text = digest(history.root)
    history.commit({"topics/b.md": "1"}, "2026-09-18")
    history.write()
    cache = history.root / ".git" / "memtool" / name
    if name == "digest":
        history.git("reset", "-q", "--hard", "HEAD~1")
    cache.write_bytes(spoil(cache.read_bytes()))
    assert (digest(history.root) == text) == (name == "digest")
    expected = digest(history.root)
    cache.unlink()
    cache.mkdir()
    assert digest(history.root, agent="Ada") == digest(history.root, agent="Ada")
    cache.rmdir()
    assert from_nothing(history.root) == expected


def test_a_git_directory_that_cannot_be_written_is_no_hindrance(history: History) -> None:
    history.commit({"topics/a.md": "1"}, "2026-09-18")
    history.write()
    (history.root / ".git" / "memtool").write_text("a file where the folder of caches should be")
    assert lines(digest(history.root)) == ["2026-09-18 new: topics/a.md (by Ada)"]


def test_each_agent_day_and_configuration_has_its_own_digest(history: History) -> None:
    history.commit({"topics/a.md": "1"}, "2026-09-18", by="laptop")
    history.write()
    mine = digest(history.root)
    assert "(by laptop)" in digest(history.root, agent="desk")
    assert "Nothing moved" in digest(history.root, day="2026-10-30")
    assert digest(history.root) == mine
    (history.root / "memtool.yaml").write_text("digest:\n  path: .memtool/lately.md\n  days: 1\n")
    assert "No memory file moved" in digest(history.root) or "last day" in digest(history.root)
    assert (history.root / ".memtool" / "lately.md").exists()


def test_the_digest_is_not_written_through_a_link(history: History, tmp_path: Path) -> None:
    """A memory from elsewhere could carry one that leads out of it."""
    history.commit({"topics/a.md": "1"}, "2026-09-18")
    history.write()
    (tmp_path / "outside").mkdir()
    (history.root / ".memtool").symlink_to(tmp_path / "outside")
    with pytest.raises(MemtoolError, match="symbolic link"):
        digest(history.root)
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_configuration_that_cannot_be_read_is_said(history: History) -> None:
    history.commit({"topics/a.md": "1"}, "2026-09-18")
    history.write()
    (history.root / "memtool.yaml").mkdir()
    with pytest.raises(MemtoolError, match=r"memtool\.yaml is a folder"):
        digest(history.root)


# --- real histories --------------------------------------------------------------------------------------------------


def clone(name: str, root: Path, config: str) -> Path:
    if not (BUNDLES / f"{name}.bundle").exists():
        pytest.skip("the shared histories are not here")
    subprocess.run(["git", "clone", "-q", str(BUNDLES / f"{name}.bundle"), str(root)], check=True)
    (root / "memtool.yaml").write_text(config)
    return root


def test_a_commit_of_482_files_does_not_drown_the_digest(tmp_path: Path) -> None:
    """engram-memory on its first day: nine files by name, the rest of the import on one line."""
    root = clone("engram-memory", tmp_path / "engram", 'on_demand: ["core/**"]\n')
    moved = lines(digest_as_of(str(root), agent="", day="2026-03-22"))
    assert moved[-1] == "2026-03-22 473 new files in core/ (by Author 1)"
    assert len(moved) < 12


def test_a_quiet_week_is_one_file(tmp_path: Path) -> None:
    """til at the date of its tip, which is the next day in UTC."""
    root = clone("til", tmp_path / "til", 'on_demand: ["**"]\n')
    (line,) = lines(digest_as_of(str(root), agent="Author 1", day="2026-07-13"))
    assert line.startswith("2026-07-13 new: github-actions/uvx-github-actions-cache.md — Using uvx in GitHub Actions")


def test_plans_that_are_done_are_renamed_once(tmp_path: Path) -> None:
    """skill-memory-bank moved a plan to plans/done/, with changes."""
    root = clone("skill-memory-bank", tmp_path / "bank", 'on_demand: ["**"]\n')
    moved = [
        line
        for line in lines(digest_as_of(str(root), agent="Author 1", day="2026-06-01"))
        if "ci-baseline-wave-0.md" in line
    ]
    name = "2026-05-24_fix_ci-baseline-wave-0.md"
    assert [line.split(" — ")[0] for line in moved if "renamed" in line] == [
        f"2026-05-27 renamed: .memory-bank/plans/{name} → .memory-bank/plans/done/{name}"
    ]
