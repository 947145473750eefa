"""The promises of memtool.core.changes and memtool.core.digest, which know no git."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtool.core.changes import DAY, SLOP, Commit, Dating, Edges, Split, advance, identical, midnight, similar, walk
from memtool.core.config import Config
from memtool.core.digest import LONG_LINE, Facts, Move, candidates, compose, fold, moves, quoted, shorten
from memtool.errors import MemtoolError

DAY_OF_DIGEST = "2026-09-21"
NOON = midnight(DAY_OF_DIGEST) + DAY // 2


def commit(oid: str, day: str = DAY_OF_DIGEST, **given: Any) -> Commit:
    fields: dict[str, Any] = {
        "oid": oid,
        "parents": ("p",),
        "committed": midnight(day) + DAY // 2,
        "written": midnight(day) + DAY // 2,
        "date": day,
        "agent": "laptop",
        "op": "",
        "changes": (),
    }
    return Commit(**(fields | given))


def changing(oid: str, *paths: str, day: str = DAY_OF_DIGEST, **given: Any) -> Commit:
    return commit(oid, day, changes=tuple((path, b"1", b"2") for path in paths), **given)


def move(
    path: str, day: str = DAY_OF_DIGEST, *, kind: str = "", was: str = "", by: str = "laptop", oid: str = ""
) -> Move:
    return Move(path, kind, was, b"blob", commit(oid or path, day, agent=by))


def page(*files: Move, budget: int = 2048, about: str = "read before work", **given: object) -> str:
    facts = Facts(DAY_OF_DIGEST, "laptop", files=files).replace(**given)
    return compose(facts, Config(digest_budget=budget), lambda _: about)


# --- the page --------------------------------------------------------------------------------------------------------


def test_the_page_is_plain_to_read() -> None:
    """Projects first, then files; newest first; what another agent moved is marked; what does not fit is counted."""
    projects = (
        move("projects/blog", "2026-09-20", by="desk"),
        move("projects/shed", "2026-08-30", kind="removed"),
    )
    files = [
        move("topics/git.md"),
        move("topics/发布.md", by="desk", kind="new"),
        move("plans/done/a.md", "2026-09-18", kind="renamed", was="plans/a.md"),
        *(move(f"imported/{n}.md", "2026-09-15", kind="new", oid="import") for n in range(482)),
    ]
    text = page(*files, projects=projects, older_files=3, older_projects=1, shallow="2026-08-25")
    assert text == (
        "# What moved, as of 2026-09-21\n"
        "\n"
        "This clone is shallow: what moved before 2026-08-25 cannot be seen.\n"
        "\n"
        "(by NAME) marks what another agent than laptop moved.\n"
        "\n"
        "## Projects, last 30 days\n"
        "\n"
        "- 2026-09-20 projects/blog — read before work (by desk)\n"
        "- 2026-08-30 removed: projects/shed — read before work\n"
        "- and 1 more, older\n"
        "\n"
        "## Files, last 7 days\n"
        "\n"
        "- 2026-09-21 topics/git.md — read before work\n"
        "- 2026-09-21 new: topics/发布.md — read before work (by desk)\n"
        "- 2026-09-18 renamed: plans/a.md → plans/done/a.md — read before work\n"
        "- 2026-09-15 482 new files in imported/\n"
        "- and 3 more, older\n"
    )


def test_without_news_there_is_a_sentence() -> None:
    assert page() == (
        "# What moved, as of 2026-09-21\n\n"
        "Nothing moved: no memory file in the last 7 days, no project in the last 30 days.\n"
    )
    assert page(history=False) == "# What moved, as of 2026-09-21\n\nNo history yet.\n"
    quiet = compose(Facts(DAY_OF_DIGEST, ""), Config(digest_days=1, digest_project_days=1), str)
    assert "no memory file in the last day, no project in the last day" in quiet


def test_a_session_without_a_name_sees_all_names() -> None:
    text = compose(Facts(DAY_OF_DIGEST, "", files=(move("a.md"),)), Config(), lambda _: "")
    assert text.endswith("- 2026-09-21 a.md (by laptop)\n")
    assert "marks" not in text


def test_projects_have_a_third_of_the_page_and_what_files_leave() -> None:
    """Neither pushes the other out; either takes what the other does not need."""
    many = tuple(move(f"f{n}.md", oid=str(n)) for n in range(90))
    parts = page(*many, projects=tuple(move(f"projects/{n}", oid=f"p{n}") for n in range(90))).split("## ")
    assert (len(parts[1]) > 500, len(parts[2]) > 1100) == (True, True)
    few = page(move("f.md"), projects=tuple(move(f"projects/{n}", oid=f"p{n}") for n in range(90))).split("## ")
    assert len(few[1]) > 1700


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
paths = st.one_of(
    st.text(st.characters(exclude_categories=[]), min_size=1, max_size=80), st.sampled_from(["a.md", "topics/git.md"])
)
found = st.builds(
    move,
    paths.filter(lambda path: not any("\ud800" <= char < "\udc80" or "\udcff" < char <= "\udfff" for char in path)),
    st.sampled_from(["2026-09-21", "2026-09-20", "2026-09-15"]),
    kind=st.sampled_from(["", "new", "removed"]),
    by=st.one_of(texts, st.just("laptop")),
    oid=st.sampled_from("abcdefgh"),
)


@given(st.lists(found, max_size=40), st.lists(found, max_size=40), st.integers(1, 3000), texts, st.integers(0, 2000))
def test_the_page_keeps_its_budget_and_counts_what_it_leaves_out(
    files: list[Move], projects: list[Move], budget: int, about: str, older: int
) -> None:
    """Whole lines only, whatever names and descriptions hold: no text can forge a line, and none is lost uncounted."""
    facts = Facts(DAY_OF_DIGEST, "laptop", files=tuple(files), projects=tuple(projects), older_files=older)
    config = Config(digest_budget=budget)
    text = compose(facts, config, lambda _: about)
    assert len(text.encode()) <= budget
    assert text == "" or (text.startswith("# What moved, as of 2026-09-21\n") and text.endswith("\n"))
    assert all(line == "" or line.isprintable() or "\u200c" in line or "\u200d" in line for line in text.split("\n"))
    for title, groups, more in (("Files", fold(files), older), ("Projects", fold(projects), 0)):
        _, heading, section = text.partition(f"## {title}, last")
        listed = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("- ")]
        counted = [line for line in listed if line.startswith("- and ")]
        shown = len(listed) - len(counted)
        left = sum(map(len, groups[shown:])) + more
        assert counted == ([f"- and {left:,} more, older"] if heading and left else [])


@given(st.lists(found, max_size=40), st.integers(1, 3000))
def test_every_line_of_its_own_was_a_candidate(files: list[Move], budget: int) -> None:
    """What can be shown is known before any description is read."""
    asked: list[str] = []

    def describe(move: Move) -> str:
        asked.append(move.path)
        return "x"

    text = compose(Facts(DAY_OF_DIGEST, "laptop", files=tuple(files)), Config(digest_budget=budget), describe)
    shown = sum(line.startswith("- 2") for line in text.splitlines())
    groups = [group for group in fold(files)[:shown] if len(group) == 1]
    assert {group[0].path for group in groups} <= {near.path for near in candidates(files, budget)}
    assert len(asked) <= shown + 1


def test_one_line_stays_short_and_its_path_whole() -> None:
    """A description gives way, at a word; a path never does."""
    (line,) = (line for line in page(move("topics/a.md"), about="word " * 90).splitlines() if line.startswith("- "))
    assert len(line.encode()) <= 120
    assert line.endswith("word…")
    (line,) = (line for line in page(move("深" * 40), about="很长的描述" * 40).splitlines() if line.startswith("- "))
    assert len(line.encode()) <= LONG_LINE
    assert "深" * 40 in line
    assert line.endswith("…")
    long = "x" * 400 + ".md"
    assert f"- 2026-09-21 {long}\n" in page(move(long))


@given(texts, st.integers(3, 200))
def test_shortening_keeps_whole_letters_within_the_bytes_given(text: str, room: int) -> None:
    short = shorten(text, room)
    assert len(short.encode()) <= room
    assert short == text or (short.endswith("…") and text.startswith(short[:-1]))


def test_a_path_is_quoted_only_where_it_could_be_misread() -> None:
    assert [quoted(p) for p in ("a b.md", "记忆.md", "-x.md")] == ["a b.md", "记忆.md", "-x.md"]
    assert [quoted(p) for p in ("new: a.md", "a -> b.md", " a.md", "a\tb\udcff")] == [
        '"new: a.md"',
        '"a -> b.md"',
        '" a.md"',
        '"a\\tb\\xff"',
    ]


def test_a_bulk_commit_names_what_it_did_and_where() -> None:
    kinds = ["new"] * 9 + [""] * 5 + ["removed"]
    mixed = [move(f"topics/{'git' if n else 'js'}/{n}.md", kind=kind, oid="x") for n, kind in enumerate(kinds)]
    assert "- 2026-09-21 15 files in topics/: 9 new, 5 changed, 1 removed\n" in page(*mixed)
    wide = [move(f"{name}/{n}.md", kind="new", oid="x") for name in "abcde" for n in range(4)]
    assert "- 2026-09-21 20 new files in a/, b/, c/, …\n" in page(*wide)


# --- what moved ------------------------------------------------------------------------------------------------------


def test_moves_are_sorted_by_date_then_time_then_path() -> None:
    """A clock that is ahead counts as the digest's own day."""
    dated = {
        "b.md": commit("1", "2026-09-20"),
        "a.md": commit("1", "2026-09-20"),
        "late.md": commit("2", "2026-09-20", written=midnight("2026-09-21") - 1),
        "future.md": commit("3", "2027-01-01"),
    }
    table = dict.fromkeys([*dated, "undated.md"], (b"1", b"2"))
    assert [move.path for move in moves(table, dated, {}, DAY_OF_DIGEST)] == ["future.md", "late.md", "a.md", "b.md"]


def test_a_rename_has_the_date_of_its_newest_part() -> None:
    dated = {"old.md": commit("1", "2026-09-18"), "new.md": commit("2", "2026-09-20")}
    (one,) = moves({"old.md": (b"1", b""), "new.md": (b"", b"2")}, dated, {"new.md": "old.md"}, DAY_OF_DIGEST)
    assert (one.kind, one.was, one.path, one.commit.oid) == ("renamed", "old.md", "new.md", "2")


def test_moved_files_are_found_by_their_content() -> None:
    """The same bytes first, of equal ones the same name; else half of the larger file's bytes in common lines."""
    table = {
        "plans/a.md": (b"1", b""),
        "plans/b.md": (b"1", b""),
        "done/b.md": (b"", b"1"),
        "done/c.md": (b"", b"1"),
        "changed.md": (b"1", b"2"),
    }
    assert identical(table) == {"done/b.md": "plans/b.md", "done/c.md": "plans/a.md"}
    body = b"".join(b"line %d\n" % n for n in range(20))
    assert similar({"a": body, "b": b"x\n"}, {"c": body[:80] + b"y" * 50, "d": body + b"more\n", "e": b"y\n"}) == {
        "d": "a"
    }
    assert similar({"a": b"1\n2\n"}, {"b": b"1\n" + b"3\n" * 3}) == {}
    assert similar({"a": b""}, {"b": b""}) == {}


def test_tables_are_carried_on_over_commits() -> None:
    """A file that is back at what it was drops out; what is not listed stays out."""
    commits = [
        commit("1", changes=(("a", b"1", b"2"), ("b", b"", b"1"), ("skip", b"", b"1"))),
        commit("2", changes=(("a", b"2", b"1"), ("b", b"1", b"2"), ("old", b"9", b""))),
    ]
    table = advance({"old": (b"8", b"9")}, commits, lambda path: path != "skip")
    assert table == {"b": (b"", b"2"), "old": (b"8", b"")}


# --- dates and clocks ------------------------------------------------------------------------------------------------


@given(st.dates())
def test_midnight_is_that_of_the_calendar(day: date) -> None:
    assert midnight(str(day)) == (day - date(1970, 1, 1)).days * DAY


@pytest.mark.parametrize(
    "day", ["2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "0000-01-01", "2026-1-01", "", "٢٠٢٦-01-01"]
)
def test_what_is_no_date_is_refused(day: str) -> None:
    with pytest.raises(MemtoolError, match="is no date"):
        midnight(day)


@given(st.integers(0, 40), st.data())
def test_the_edge_is_where_the_fewest_clocks_disagree(inside: int, data: st.DataObject) -> None:
    """It is found by looking at every cut, and one wrong clock among many never moves it past its neighbours."""
    times = [10] * inside + [0] * 60
    wrong = data.draw(st.lists(st.integers(0, len(times) - 1), max_size=2, unique=True))
    for at in wrong:
        times[at] = 10 - times[at]
    split = Split(5)
    for time in times:
        split.add(time)
    disagree = [
        sum(time < 5 for time in times[:at]) + sum(time >= 5 for time in times[at:]) for at in range(len(times))
    ]
    assert split.done
    assert disagree[split.at] == min(disagree)
    assert len(wrong) > 1 or abs(split.at - inside) <= 2


def test_commits_behind_a_believed_edge_are_not_counted() -> None:
    split = Split(5)
    for time in [9, 9] + [0] * SLOP + [9] * 500:
        split.add(time)
    assert (split.at, split.done, split.inside) == (2, True, False)


def test_the_edge_of_a_shallow_clone_is_its_oldest_commit() -> None:
    whole, shallow = (Edges([0, 7], cut) for cut in (frozenset[str](), frozenset({"c"})))
    for edges in (whole, shallow):
        for oid, time in (("a", 9), ("b", 8), ("c", 5)):
            edges.add(oid, time)
    assert (whole.before(), whole.hidden()) == (("", "c"), 0)
    assert (shallow.before(), shallow.hidden()) == (("c", "c"), 5)


def test_commits_are_walked_newest_first_and_each_once() -> None:
    told = {
        "m": commit("m", parents=("a", "b"), committed=9),
        "a": commit("a", parents=("r",), committed=7),
        "b": commit("b", parents=("r",), committed=8),
        "r": commit("r", parents=(), committed=99),
    }
    assert [one.oid for one in walk("m", told.__getitem__)] == ["m", "b", "r", "a"]


def test_a_merge_dates_what_nothing_else_does_and_housekeeping_nothing() -> None:
    """What housekeeping alone has moved is told apart, so that it is neither listed nor counted."""
    dating = Dating({path: path for path in ("a", "b", "c")}, room=9)
    dating.add(changing("merge", "a", "b", parents=("x", "y")))
    dating.add(changing("index", "a", "c", op="index"))
    dating.add(changing("real", "a"))
    assert (dating.undated(), dating.done) == ({"b": "b", "c": "c"}, False)
    dating.settle()
    assert {path: one.oid for path, one in dating.found.items()} == {"a": "real", "b": "merge"}
    assert dating.chores == {"c"}


def test_a_line_counts_once_nothing_newer_can_follow() -> None:
    """A note rebased today but written long ago does not stand for a recent one; a bulk commit is one line."""
    dating = Dating({str(n): str(n) for n in range(30)}, room=9)
    dating.add(changing("rebased", "1", written=NOON - 90 * DAY))
    assert dating.lines(NOON) == 0
    dating.add(changing("bulk", *map(str, range(2, 22))))
    dating.add(changing("two", "28", "29"))
    assert dating.lines(NOON) == 3
    assert dating.lines(NOON + 1) == 0
