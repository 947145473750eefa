"""Links that lead nowhere, paths that a host would import, markers, descriptions and review dates."""

from __future__ import annotations

import pytest

from memtool.core import document
from memtool.core.lint import links, markers, review, routing

FILES = {"topics/a.md", "topics/b (1).md", "img/x.png", "rules.md", "记忆.md"}


def exists(place: str) -> bool:
    return place in FILES or any(path.startswith(place + "/") for path in FILES)


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("[a](a.md) [b](b%20(1).md) [c](<b (1).md>) ![i](../img/x.png 'title')", []),
        ("[r](/rules.md) [r](../rules.md#x) [d](../img) [zh](../记忆.md)", []),
        ("[x](https://e.org/a.md) [m](mailto:a@b.c) [s](#section) [h](~/x.md) [t]({{x}}) [v]($HOME/x)", []),
        ("[out](../../elsewhere.md) [site](/tools/page) [tex](\\bar{t}) [[nested](https://e.org)]([x](y))", []),
        ("`[code](gone.md)` and ``[`code`](gone.md)``", []),
        ("[gone](gone.md)", ["gone.md"]),
        ('[gone](gone.md "title") and [ref]: not', ["gone.md"]),
        ("[ref]: gone.md", ["gone.md"]),
        ("[^1]: a footnote", []),
        ("[a](a.md) [gone](sub/a.md)", ["sub/a.md"]),
        ("`` unclosed ` [gone](gone.md)", ["gone.md"]),
        ("[prose] (not a link) ](", []),
    ],
)
def test_only_links_to_files_that_are_not_there_are_told(line: str, broken: list[str]) -> None:
    """Links in code, out of the repo, with a scheme or to a section are nobody's business here."""
    assert list(links.broken([(3, line)], "topics/c.md", exists)) == [(3, target) for target in broken]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("See @topics/a.md for more.", ["@topics/a.md"]),
        ("@~/memory/rules.md", ["@~/memory/rules.md"]),
        ("(@./x)", ["@./x"]),
        ("Mail ada@example.org or ask @ada; `@topics/a.md` is quoted; @types/node is a package.", []),
        ("@rules.md, and @gone.md", ["@rules.md", "@gone.md"]),
        ("@ alone, @/ too", []),
    ],
)
def test_an_at_path_that_a_host_would_load_is_told(line: str, told: list[str]) -> None:
    """A user's name, an address, a package and what stands in code are no imports."""
    assert [name for _, name in links.imports([(1, line)], "topics/c.md", lambda place: place in FILES)] == told


CONFLICT = b"a\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> topic\n"


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (CONFLICT, (2, True)),
        (CONFLICT.replace(b"=======\n", b"||||||| base\nold\n=======\n"), (2, True)),
        (CONFLICT.replace(b"\n", b"\r\n"), (2, True)),
        (b"```\n" + CONFLICT + b"```\n", (3, False)),
        (CONFLICT.replace(b"=======\n", b""), (2, False)),
        (b"text\n>>>>>>> topic\n", (2, False)),
        (b"```\n>>>>>>> topic\n```\n", None),
        (b"Title\n=======\n\nAn <<<<<<< is a marker, >>>>>>> too\n", None),
        (b"  <<<<<<< HEAD\n=======\n  >>>>>>> x\n", None),
        (b"<<<<<<<< eight\n=======\n>>>>>>>> eight\n", None),
    ],
)
def test_a_whole_conflict_is_a_marker_and_a_lone_rule_is_none(data: bytes, found: tuple[int, bool] | None) -> None:
    """Three markers in order at the margin; in code it may be an example, a lone one is what is left of a conflict."""
    assert markers.conflict(data) == found


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("read before git operations: pipes swallow exit codes", ""),
        ("Use when a release is due", ""),
        ("遇到部署问题时先读", ""),
        ("about git", "not when it is needed"),
        ("关于部署", "not when it is needed"),
        ("Git notes", "only repeats the title"),
        ("A summary of all our git conventions", "names no occasion"),
    ],
)
def test_a_description_that_names_no_occasion_is_weak(text: str, why: str) -> None:
    """An index line must let an agent decide by the task at hand."""
    said = routing.weakness(text, "git notes")
    assert why in said
    assert bool(why) is bool(said)


def test_a_description_that_is_missing_long_or_a_draft_is_told() -> None:
    """Each with its own words and the way out."""

    def codes(front: str) -> list[tuple[str, str]]:
        page = document.read(f"---\n{front}\n---\n# T\n".encode())
        return [(code, message) for code, message, hint in routing.description(page, page.title) if hint]

    assert codes("x: y") == [("no-description", "no description: no agent is ever sent here")]
    assert codes("description: " + "read when " * 40)[0][1] == "a description of 399 bytes; the index shows 300"
    assert codes("description: read when x\ndescription_status: draft")[0][1] == "the description is a draft"
    assert codes("description: read when x") == []


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("## Current priorities\n\n- ship it\n", "“Current priorities” has no review date"),
        ("## Goals\n\nReview by 2026-01-01.\n", "“Goals” was to be reviewed by 2026-01-01"),
        ("## Goals\n\n### First\n\nto be reviewed 2026-12-31\n", None),
        ("## Non-goals\n\n- a\n", None),
        ("## 当前优先事项\n\n复查：2026-10-01\n", "“当前优先事项” was to be reviewed by 2026-10-01"),
        ("## Style\n\nreview everything\n", None),
    ],
)
def test_priorities_without_a_review_date_or_past_it_are_told(section: str, said: str | None) -> None:
    """A priority nobody looks at again becomes a false one."""
    found = list(review.due(section.encode(), today="2026-11-30"))
    assert [message for _, message in found] == ([said] if said else [])


def test_the_files_own_review_date_serves_its_priorities() -> None:
    """`review_by` in the front matter is a review date for all of the file."""
    section = b"## Priorities\n\n- a\n"
    assert list(review.due(section, today="2026-11-30", review_by="2027-01-01")) == []
    assert len(list(review.due(section, today="2027-01-02", review_by="2027-01-01"))) == 1
