"""A plan cuts a file where CommonMark sees headings, loses no byte and no heading, and comes near the target."""

from __future__ import annotations

import os
import random
from itertools import pairwise

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from test_blocks import BOM, DATA, hostile, needs_data, spec_examples, theirs

from memtool.core import commonmark, document
from memtool.core.blocks import headings
from memtool.core.split import proof
from memtool.core.split.files import files
from memtool.core.split.names import Names
from memtool.core.split.plan import SMALL, TARGET, Cut, Plan, plan
from memtool.errors import MemtoolError

LEVELS = range(7)
FRONT = b'---\nscope: "*"\nown: [a, b] # kept\n---\n'


def made(data: bytes, cut: Cut = Cut()) -> Plan:  # noqa: B008 (a frozen value)
    return plan("topics/big.md", data, lambda: Names("topics", ["big.md"]), cut)


def written(planned: Plan) -> dict[str, bytes | None]:
    return files(planned, lambda part: f"read before {part.title}")


def shape(planned: Plan) -> list[tuple[str, int]]:
    """Give the parts by name and size."""
    return [(part.path, part.end - part.start) for part in planned.parts]


def section(heading: str, size: int) -> bytes:
    return heading.encode() + b"\n\n" + b"x" * (size - len(heading) - 3) + b"\n"


def assert_whole(data: bytes, cut: Cut) -> bool:
    """Hold a plan, if there is one, to all that a split promises; tell whether there was one."""
    try:
        planned = made(data, cut)
    except MemtoolError:
        return False
    assert b"".join(map(planned.slice, planned.parts)) == data[planned.kept :]
    assert all(one.end == other.start for one, other in pairwise(planned.parts))
    found = [heading for part in planned.parts for heading in part.headings]
    known = theirs(data[planned.body :]).headings
    lines = document.line_number(data, planned.body) - 1
    assert [(heading.level, heading.line - lines) for heading in found] == [(level, line) for level, line, *_ in known]
    content = written(planned)
    proof.prove(planned, content)
    bodies = [(content[part.path] or b"") for part in planned.parts]
    assert b"".join(body[document.read(body).body :] for body in bodies) == data[planned.kept :]
    if not cut.remove:
        assert (content["topics/big.md"] or b"").startswith(data[: planned.kept])
    return True


# --- where it cuts ---------------------------------------------------------------------------------------------------


def test_small_sections_stay_with_their_neighbours_in_order() -> None:
    """Sections that are too small to stand alone share a file, up to the target."""
    data = b"".join(section(f"## S{n}", 1500) for n in range(12))
    assert [size for _, size in shape(made(data))] == [7500, 7500, 3000]
    assert all(size <= TARGET for _, size in shape(made(data)))


def test_a_title_stays_with_the_first_section_and_does_not_name_it() -> None:
    """A heading that only leads in goes where it leads to."""
    data = b"# All of it\n\nIntro.\n\n" + section("## One", 5000) + section("## Two", 5000)
    assert shape(made(data, Cut(level=2))) == [("topics/one.md", 5021), ("topics/two.md", 5000)]


def test_each_chapter_leads_in_its_own_sections() -> None:
    """A chapter's heading is not left at the end of the part before it."""
    data = section("# A", 100) + section("## A1", 5000) + section("# B", 100) + section("## B1", 5000)
    assert shape(made(data, Cut(level=2))) == [("topics/a.md", 5100), ("topics/b.md", 5100)]


def test_a_part_is_named_by_what_governs_it() -> None:
    """By the chapter that it holds, by the first and last of several sections, never by the title of the whole file."""
    small, large = (section(f"### {name}", size) for name, size in (("Small", 900), ("Large", 7000)))
    chapter = section("## Chapter", 60) + small.replace(b"Small", b"One") + small.replace(b"Small", b"Two")
    data = b"# All\n\n" + chapter + section("## Other", 60) + large + large.replace(b"Large", b"Last")
    packed = made(b"# All\n\n" + b"".join(section(f"## S{n}", 1500) for n in range(10)))
    assert [part.title for part in made(data, Cut(level=3)).parts] == ["One", "Two", "Large", "Last"]
    assert [part.title for part in made(data).parts] == ["Chapter", "Large", "Last"]
    assert [part.title for part in packed.parts] == ["S0 – S4", "S5 – S9"]
    assert packed.parts[0].path == "topics/s0-s4.md"


def test_at_a_level_every_heading_of_it_is_cut_at() -> None:
    """What the user asks for is done, however small the parts are."""
    data = b"".join(section(f"## S{n}", 40) + section("### below", 30) for n in range(5))
    assert [size for _, size in shape(made(data, Cut(level=2)))] == [70] * 5
    assert [size for _, size in shape(made(data, Cut(level=3)))] == [70] * 5


def test_the_level_is_chosen_whose_parts_come_nearest_to_the_target() -> None:
    """Not every file is cut at the same level."""
    coarse = b"".join(section(f"# C{n}", 8000) for n in range(3))
    fine = b"".join(section(f"# C{n}", 3000) + section("## a", 8000) + section("## b", 8000) for n in range(3))
    assert (made(coarse).level, made(fine).level) == (1, 2)


def test_a_section_over_the_target_is_told_and_cut_deeper_when_asked() -> None:
    """--deep goes one level down, only where it must."""
    data = section("# A", 5000) + section("# B", 5000) + b"".join(section(f"## B{n}", 5000) for n in range(3))
    assert shape(made(data, Cut(level=1))) == [("topics/a.md", 5000), ("topics/b.md", 20000)]
    assert [part.path for part in made(data, Cut(level=1)).oversize()] == ["topics/b.md"]
    deep = made(data, Cut(level=1, deep=True))
    assert [name for name, _ in shape(deep)] == ["topics/a.md", "topics/b.md", *(f"topics/b{n}.md" for n in range(3))]
    assert deep.oversize() == []


def test_underlined_headings_are_listed_and_not_cut_at_unless_asked() -> None:
    """In real files they are accidents: a long sentence over a rule."""
    data = section("## One", 3000) + b"\nBy accident\n---\n\n" + section("## Two", 9000)
    assert [name for name, _ in shape(made(data))] == ["topics/one.md", "topics/two.md"]
    assert [heading.setext for heading in made(data).parts[0].headings] == [False, True]
    assert "topics/by-accident.md" in [name for name, _ in shape(made(data, Cut(level=2, setext=True)))]


def test_what_stands_before_the_first_heading_stays_or_goes_with_the_first_part() -> None:
    """Front matter and preamble stay in the source; with --remove the preamble is in the first part."""
    data = BOM + FRONT + b"Before.\n\n" + section("## One", 5000) + section("## Two", 5000)
    stays, goes = made(data), made(data, Cut(remove=True))
    assert data[: stays.kept].endswith(b"Before.\n\n")
    assert data[: goes.kept] == BOM + FRONT
    assert assert_whole(data, Cut(remove=True))
    route = written(stays)["topics/big.md"] or b""
    assert route.startswith(data[: stays.kept])
    assert b"- [One](one.md)\n- [Two](two.md)\n" in route


def test_a_part_inherits_what_holds_for_it_too() -> None:
    """Scope, dates and unknown keys go with it byte for byte; description, title and aliases are the source's own."""
    front = (
        b"---\ntitle: Big\ndescription: 'x'\nscope: project:a\nsource_date: 2026-01-02\n# why\n"
        b"valid_until: 2027-01-01\naliases: [b]\nowner:\n  - me # mine\nverified: 2026-02-02\n---\n"
    )
    data = front + section("## One", 5000) + section("## Two", 5000)
    head = (written(made(data))["topics/one.md"] or b"").partition(b"---\n## ")[0]
    assert head == (
        b'---\ndescription: "read before One"\ndescription_status: draft\nscope: project:a\nsource_date: 2026-01-02\n'
        b"# why\nvalid_until: 2027-01-01\nowner:\n  - me # mine\n"
    )


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["lf", "crlf", "cr"])
def test_new_lines_end_as_those_of_the_source(end: bytes) -> None:
    """A file with CRLF gets no LF lines put on top."""
    data = (FRONT + section("## One", 5000) + section("## Two", 5000)).replace(b"\n", end)
    assert assert_whole(data, Cut())
    content = written(made(data))
    assert {line[len(line.rstrip(b"\r\n")) :] for line in (content["topics/one.md"] or b"").splitlines(True)} == {end}
    assert {line[len(line.rstrip(b"\r\n")) :] for line in (content["topics/big.md"] or b"").splitlines(True)} == {end}


# --- what is refused -------------------------------------------------------------------------------------------------

REFUSED = [
    (b"", Cut(), "no heading to cut at"),
    (b"text only\n", Cut(), "no heading to cut at"),
    (b"# One\n\ntext\n", Cut(), "big.md:1: one heading only"),
    (b"# A\n\n```\ncode\n\n# B\n", Cut(), "one heading only"),
    (b"## A\n\n## B\n", Cut(level=3), "no heading at level 3"),
    (b"# T\n\n## A\n\n## B\n", Cut(level=1), "all of it is one part"),
    (b"## A\n\n## B\n", Cut(), "11 bytes, small enough for one part"),
    (b"A\n===\n\nB\n===\n", Cut(), "no heading to cut at"),
    (b"---\na: [\n---\n" + section("## A", 9000) + section("## B", 9000), Cut(), r"big.md:\d: the front matter"),
    (b"---\n{a: b, c: d}\n---\n" + section("## A", 9000) + section("## B", 9000), Cut(), "cannot be handed on line"),
    (b"## A\n\n" + b">" * 40_000 + b" deep\n\n## B\n", Cut(level=2), "cannot read this text"),
    (b"## A\n\n[a\n===\n]: /u\n\n## B\n", Cut(level=2), "big.md:3: two readers of CommonMark disagree"),
]


@pytest.mark.parametrize(("data", "cut", "message"), REFUSED, ids=[row[2] for row in REFUSED])
def test_what_cannot_be_cut_is_refused_with_one_clear_message(data: bytes, cut: Cut, message: str) -> None:
    """Each says what, where, and the way out."""
    with pytest.raises(MemtoolError, match=message) as error:
        written(made(data, cut))
    assert error.value.hint or "cannot read" in message


def test_an_unclosed_fence_is_told() -> None:
    """The rest is code and holds no heading, which may not be what the writer meant."""
    data = section("## A", 9000) + section("## B", 9000) + b"```\n## C\n"
    assert made(data).open_line == 7
    with pytest.raises(MemtoolError) as error:
        made(b"# A\n\n```\ncode\n\n# B\n")
    assert "Line 3 opens a fence, comment or tag that never ends" in error.value.hint


# --- real and generated input ----------------------------------------------------------------------------------------


@needs_data
@pytest.mark.parametrize(
    "path",
    [*sorted((DATA / "big-files").glob("*-*.md")), *sorted((DATA / "spec").glob("*.txt"))],
    ids=lambda path: path.name[:40],
)
def test_real_files_split_at_every_level_and_lose_nothing(path: object) -> None:
    """Each real file is cut by the plan of its own and at each level that it has; all bytes and headings are kept."""
    data = path.read_bytes()  # type: ignore[attr-defined]
    levels = {level for level, *_ in commonmark.headings(data[document.read(data).body :])}
    cuts = [Cut(level=level, remove=bool(level % 2)) for level in sorted(levels)]
    held = [assert_whole(data, cut) for cut in (Cut(), Cut(deep=True, remove=True), Cut(setext=True), *cuts)]
    alone = len(headings(data[document.read(data).body :])) == 1
    assert any(held) or alone


@needs_data
def test_examples_of_the_specification_split_and_lose_nothing() -> None:
    """Alone and joined, what CommonMark's and GFM's examples leave open never costs a byte or a heading."""
    examples = spec_examples()
    chance = random.Random(7)
    texts = examples + [chance.choice(examples) + chance.choice(examples) for _ in range(3_000)]
    assert sum(assert_whole(data, Cut(level=level)) for data in texts for level in (1, 2)) > 40


marked = st.lists(
    st.one_of(
        st.tuples(st.integers(1, 6), st.text("ab #`*\t安é", max_size=9)).map(
            lambda h: b"#" * h[0] + b" " + h[1].encode()
        ),
        hostile,
        st.binary(max_size=30),
        st.just(b"x" * SMALL),
    ),
    min_size=1,
    max_size=12,
).flatmap(lambda rows: st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\n"]).map(lambda end: end.join(rows)))


many = settings(max_examples=20_000 if os.environ.get("MEMTOOL_SLOW") else 500)


@many
@given(st.sampled_from([b"", BOM, FRONT]), st.binary() | hostile | marked, st.integers(0, 6), st.booleans())
@example(b"", b"# a\n# b", 1, False)
@example(BOM, b"\x00# a\r# b\xff\x0c# c\n\xe2\x80\xa8# d\r\n## e", 1, True)
@example(b"", b"## A\n\n> - <!-- x", 2, False)
@example(b"", b"## A\n## B\n>- <?\n", 2, False)
def test_any_bytes_split_and_lose_nothing(front: bytes, data: bytes, level: int, remove: bool) -> None:  # noqa: FBT001
    """Whatever stands in a file, its parts joined are its body, and its headings are those of the parser."""
    assert_whole(front + data, Cut(level=level, remove=remove))


contents = st.sampled_from(
    [b"", b"text\n", b"- a\n  # in\n", b"```\n# in\n```\n", b"> # in\n", b"a\n---\n", b"\xff\0\n"]
)
sections = st.lists(st.tuples(st.integers(1, 3), contents, st.just(b"") | st.just(b"x" * SMALL)), min_size=2).map(
    lambda rows: b"".join(b"#" * level + b" h\n" + body + b"\n" + filler + b"\n" for level, body, filler in rows)
)


@many
@given(sections, st.integers(0, 3), st.booleans())
def test_files_that_can_be_split_lose_nothing(data: bytes, level: int, remove: bool) -> None:  # noqa: FBT001
    """The same, for files of which nearly each has a plan."""
    assume(assert_whole(data, Cut(level=level, remove=remove)))
