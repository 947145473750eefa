"""Links that a split breaks: each is told with what holds its target, and mended where bytes alone can mend it."""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Mapping
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from memtool.core import document
from memtool.core.blocks import headings
from memtool.core.entry import slug
from memtool.core.split import markup
from memtool.core.split.links import BrokenLink, broken, mended
from memtool.core.split.plan import Part, Plan, in_file

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not beside this checkout")

SOURCE = "topics/big.md"
FRONT = b"---\ndescription: read before x\n---\n"


class Split:
    """A source cut at its first heading and those of levels 1 and 2, and its links mended; beside it *others*."""

    def __init__(
        self, data: bytes, *, into: str = "topics", remove: bool = False, others: Mapping[str, bytes] | None = None
    ) -> None:
        self.plan = plan(data, into, remove=remove)
        self.after = {part.path: FRONT + self.plan.slice(part) for part in self.plan.parts}
        if not remove:
            self.after[SOURCE] = data[: self.plan.kept] + b"# Route\n"
        self.before = {**(others or {}), SOURCE: data}
        self.links = broken(self.plan, self.after, self.before, lambda path: not path.startswith("skipped/"))
        whole = {path: content for path, content in self.before.items() if path != SOURCE} | self.after
        self.now = {path: mended(content, self.of(path)) for path, content in whole.items()}
        self.unmended = whole

    def of(self, path: str) -> list[BrokenLink]:
        return [link for link in self.links if link.path == path]

    def text(self, name: str) -> str:
        return self.now[name].removeprefix(FRONT).decode("utf-8", "surrogateescape")


def plan(data: bytes, into: str, *, remove: bool) -> Plan:
    body = document.read(data).body
    found = in_file(headings(data[body:]), data, body)
    cuts = [h for h in found if h.level <= 2 or h is found[0]]
    starts = [h.start for h in cuts]
    if remove:
        starts[0] = body
    names: list[str] = []
    for cut in cuts:
        name = slug(cut.text.decode("utf-8", "replace"))
        names.append(name if name not in names else f"{name}-{len(names)}")
    parts = [
        Part(f"{into}/{name}.md".lstrip("/"), start, end, name, (), tuple(h for h in found if start <= h.start < end))
        for name, (start, end) in zip(names, pairwise([*starts, len(data)]), strict=True)
    ]
    return Plan(SOURCE, data, body, tuple(parts), 2, remove, 0)


# --- by example ------------------------------------------------------------------------------------------------------

TWO = """\
## Two

<a id="pin"></a> text ^block

[r]: http://e/a|b "T|U"
[q]: <img/a b.png>
[s]: #two 'on
two lines'
[^1]: note

### 安装

## Setup

## Setup
"""


def put(line: str, *, into: str = "topics", remove: bool = False) -> str:
    """Write *line* in the first of some parts, split, and give what stands there then."""
    one = Split(f"## One\n\n{line}\n\n{TWO}".encode(), into=into, remove=remove).text(f"{into}/one.md".lstrip("/"))
    return one.removeprefix("## One\n\n").removesuffix("\n\n")


@pytest.mark.parametrize(
    ("written", "now"),
    [
        ("[x](#two)", "[x](two.md#two)"),
        ("[x](#pin), [x](#^block)", "[x](two.md#pin), [x](two.md#^block)"),
        ("[x](<#two> 't')", "[x](<two.md#two> 't')"),
        ("[x](#安装) [x](#%E5%AE%89%E8%A3%85)", "[x](two.md#安装) [x](two.md#%E5%AE%89%E8%A3%85)"),
        ("[x](#setup) [x](#setup-1)", "[x](setup.md#setup) [x](setup-3.md#setup)"),
        ("[x](#Two) [x](#️-two)", "[x](two.md#Two) [x](#️-two)"),
        ("[x](big.md#two) [x](../topics/big.md?v=1#two)", "[x](two.md#two) [x](two.md?v=1#two)"),
        ("[t][r]", '[t](http://e/a%7Cb "T&#124;U")'),
        ("[r], [R][] and ![t][ r ]", "[r]{}, [R]{} and ![t]{}".replace("{}", '(http://e/a%7Cb "T&#124;U")')),
        ("![t][q]", "![t](<img/a b.png>)"),
        ("[t][s]", "[t](two.md#two 'on two lines')"),
        ("[o]: #two\n\n[o]", "[o]: two.md#two\n\n[o]"),
        ('<a href="#two">x</a> <A HREF=#two>', '<a href="two.md#two">x</a> <A HREF=two.md#two>'),
        ("<p>\n<a title=\"id='a'\" href='#two'>\n</p>", "<p>\n<a title=\"id='a'\" href='two.md#two'>\n</p>"),
        ("[[#Two]] ![[big#Two|as]]", "[[two#Two]] ![[two#Two|as]]"),
        ("[[topics/big#Two\\|as]] [[Big.md#two]]", "[[two#Two\\|as]] [[two#two]]"),
        ("[[big#^block]] [[big#One#安装]]", "[[two#^block]] [[two#One#安装]]"),
        ("[x\ny](#two)", "[x\ny](two.md#two)"),
        ("[x](\n#two\n't')", "[x](\ntwo.md#two\n't')"),
        ("| a | [x](#two) |", "| a | [x](two.md#two) |"),
        ("- [x](#two)\n  > 1. ![t\n  >    u][q]", "- [x](two.md#two)\n  > 1. ![t\n  >    u](<img/a b.png>)"),
        ("### h [x](#two)\n[t][q]", "### h [x](two.md#two)\n[t](<img/a b.png>)"),
        ("[![i](#two)](#two)", "[![i](two.md#two)](two.md#two)"),
        ("[a [b](#two) c](#two)", "[a [b](two.md#two) c](#two)"),
        ("\\\\[x](#two) \\![x](#two)", "\\\\[x](two.md#two) \\![x](two.md#two)"),
        ("`` ` `` [x](#two) `", "`` ` `` [x](two.md#two) `"),
        ("a <!-- a --> [x](#two) <!--", "a <!-- a --> [x](two.md#two) <!--"),
    ],
)  # fmt: skip
def test_a_link_to_another_part_is_mended(written: str, now: str) -> None:
    """Only the target changes, or what stands behind the text of a reference; all else is as it was written."""
    assert put(written) == now


@pytest.mark.parametrize(
    "written",
    [
        "[x](#one) [[#One]]",
        "[x](#nowhere) [x](#) [x]() [[#Nowhere]] [[other#Two]] [x](other.md#two)",
        "[x](big.md) [x](big.md#nowhere) [[big]] [[big#Nowhere]]",
        "[x](a.md) ![i](../img/a.png) [x](https://e/#two) <https://e/#two>",
        "`[x](#two) [t][r]` ``[[#Two]]``",
        "    [x](#two)",
        "```\n[x](#two)\n```",
        "<!-- [x](#two)\n[t][r] -->",
        "<!--\n\n[x](#two) <a href='#two'>\n\n-->",
        "\\[x](#two) [x\\](#two) [t]\\[r]",
        "[t][unknown] [t] [unknown][] [r\n\n](#two)",
        "[x](#two 't) [x] (#two) [x](<#two) [x](#t wo)",
        "[r]: http://own/\n\n[t][r]",
        "- a [x\n- b](#two)",
        "[[ -f x ]] && [[#Two\n]]",
    ],
)
def test_what_leads_on_right_or_is_no_link_stays(written: str) -> None:
    """A link within its part, to a page that stays, out of the file, in code or a comment, or none at all."""
    assert put(written) == written


@pytest.mark.parametrize(
    ("written", "now"),
    [
        ("[x](a.md)", "[x](../a.md)"),
        ("![i](<img/a b.png?x#y> 't')", "![i](<../img/a b.png?x#y> 't')"),
        ("[x](../z.md) [x](./%E8%AE%B0.md#k)", "[x](../../z.md) [x](../%E8%AE%B0.md#k)"),
        ("[x](../../../out.md)", "[x](../../../../out.md)"),
        ("[x](sub/) [x](..) [x](.)", "[x](../sub/) [x](../../) [x](../../topics)"),
        ("[x](deep/a.md) [x](deep/a:b.md)", "[x](a.md) [x](./a:b.md)"),
        ("[d]: a.md 't'", "[d]: ../a.md 't'"),
        ('<img alt="a.png" src="img/a.png?raw=1">', '<img alt="a.png" src="../img/a.png?raw=1">'),
        ("[x](a_\\(b\\).md)", "[x](../a_\\(b\\).md)"),
        ("![t][q]", "![t](<../img/a b.png>)"),
        ("[x](big.md) [x](big.md#two) [x](big.md#nowhere)", "[x](../big.md) [x](two.md#two) [x](../big.md#nowhere)"),
        ("[x](/rules.md) [x](https://e/) [x](mailto:a@e) [x](//e/a) [x](x-y://a)", ""),
        ("[x](~/a) [x]({{ a }}) [x](<$HOME/a>)", ""),
        ("[[a]] [[../a]]", ""),
    ],
)
def test_a_relative_link_leads_to_the_same_place_from_another_folder(written: str, now: str) -> None:
    """Query, fragment, title, brackets and encoding stay; whether anything lies at that place does not matter."""
    assert put(written, into="topics/deep") == (now or written)


def test_the_holder_of_a_relative_link_is_what_lies_at_that_place() -> None:
    """A file or a folder; nothing where there is neither, and the link was broken before."""
    others = {"topics/a.md": b"", "topics/sub/b.md": b""}
    split = Split(b"## A\n\n[x](a.md) [x](gone.md) [x](sub/) [x](big.md)\n", into="other", others=others)
    assert [link.holder for link in split.links] == ["topics/a.md", "", "topics/sub", "topics/big.md"]


@pytest.mark.parametrize(
    ("written", "now"),
    [
        ("[x](big.md) [x](big.md#nowhere)", "[x](one.md) [x](one.md#nowhere)"),
        ("[[big]] [[big|as]] [[big#Nowhere]]", "[[one]] [[one|as]] [[one#Nowhere]]"),
        ("[x](big.md#two) [[big#Two]]", "[x](two.md#two) [[two#Two]]"),
    ],
)
def test_a_link_to_a_source_that_goes_leads_to_its_first_part(written: str, now: str) -> None:
    """Without the route, the file itself is what the link has lost."""
    assert put(written, remove=True) == now


def test_a_link_into_the_source_from_another_file_is_mended() -> None:
    """Whatever folder it lies in; files that are no memory and no markdown are not looked at."""
    line = b"\xff [x](%s#two), [r]\n\n[r]: %s#setup-1\n[p]: %s\n"
    others = {
        "a.md": line.replace(b"%s", b"topics/big.md"),
        "notes/b.md": line.replace(b"%s", b"../topics/b%69g.md"),
        "topics/c.md": line.replace(b"%s", b"big.md") + b"[[big#Two]] [[#Two]] [x](#two)",
        "skipped/d.md": line.replace(b"%s", b"../topics/big.md"),
        "e.txt": line.replace(b"%s", b"topics/big.md"),
        "f.md": b"---\nabout: '[x](topics/big.md#two)'\n---\n",
    }
    split = Split(f"## One\n\n{TWO}".encode(), others=others)
    assert {path: split.now[path] for path in others} == others | {
        "a.md": b"\xff [x](topics/two.md#two), [r]\n\n[r]: topics/setup-3.md#setup\n[p]: topics/big.md\n",
        "notes/b.md": b"\xff [x](../topics/two.md#two), [r]\n\n"
        b"[r]: ../topics/setup-3.md#setup\n[p]: ../topics/b%69g.md\n",
        "topics/c.md": b"\xff [x](two.md#two), [r]\n\n[r]: setup-3.md#setup\n[p]: big.md\n"
        b"[[two#Two]] [[#Two]] [x](#two)",
    }


def test_a_wikilink_names_the_path_where_the_name_is_not_enough() -> None:
    """Two files called two.md: the link says which; and a page of that very path is never taken for the source."""
    others = {"notes/two.md": b"", "big.md": b"", "a.md": b"[[topics/big#Two]] [[big#Two]]"}
    assert Split(f"## One\n\n{TWO}".encode(), others=others).now["a.md"] == b"[[topics/two#Two]] [[big#Two]]"


def test_a_footnote_and_a_hidden_anchor_are_left_to_a_person() -> None:
    """A footnote cannot stand inline; an anchor that another one hides in its part cannot be named there."""
    data = b'## A\n\n[^1][^N] [x](#b-1)\n\n[^n]: here\n\n# B\n\n## C\n\n<i id="b"></i>\n\n### B\n\n[^1]: text\n'
    split = Split(data)
    told = [(link.kind, link.target, link.holder, link.replacement) for link in split.links]
    assert told == [("footnote", "^1", "topics/c.md", None), ("anchor", "#b-1", "topics/c.md", None)]
    assert split.now == split.unmended


def test_a_link_is_told_with_its_place_in_the_file_after_the_split() -> None:
    """Path, line from 1, and bytes; line ends of every kind count, and bytes that are no text stand still."""
    data = (
        b"---\r\na: b\r\n---\r\nkept [k](#two)\r\n\r\n## One\r\rbad \xe5\x00\r\n[x](#two) [t][r]\r\n## Two\n\n[r]: <>\n"
    )
    split = Split(data)
    assert split.links == [
        BrokenLink("topics/big.md", 4, "anchor", "#two", "topics/two.md#two", 25, 29, b"two.md#two"),
        BrokenLink("topics/one.md", 7, "anchor", "#two", "topics/two.md#two", 55, 59, b"two.md#two"),
        BrokenLink("topics/one.md", 7, "reference", "r", "topics/two.md", 64, 67, b"(<>)"),
    ]
    assert [split.unmended[link.path][link.start : link.end] for link in split.links] == [b"#two", b"#two", b"[r]"]
    assert split.now["topics/one.md"] == FRONT + b"## One\r\rbad \xe5\x00\r\n[x](two.md#two) [t](<>)\r\n"


def test_a_long_definition_is_not_written_out_again_and_again() -> None:
    """A file of many references to one long address would grow without bound: a person must look."""
    definition = "[r]: http://e/" + "a" * 1_000
    (link,) = Split(f"## A\n\n[t][r]\n\n## B\n\n{definition}\n".encode()).links
    assert (link.kind, link.holder, link.replacement) == ("reference", "topics/b.md", None)


def test_the_name_of_a_folder_ends_no_attribute_and_no_link() -> None:
    """What a folder is called is written so that quotes, blanks and brackets in it stay part of the target."""
    others = {"c.md": b"[x](topics/big.md#b) <a href='topics/big.md#b'>"}
    split = Split(b"## A\n\n## B\n", into="it's (b)", others=others)
    assert split.now["c.md"] == b"[x](it%27s%20%28b%29/b.md#b) <a href='it%27s%20%28b%29/b.md#b'>"


def test_a_label_that_is_defined_twice_keeps_its_first_meaning() -> None:
    """What a later definition of a part would take over is written out."""
    data = b"## A\n\n[r]: one\n\n## B\n\n[t][r]\n\n[r]: two\n\n## C\n\n[t][r]\n\n[r]: one\n"
    split = Split(data)
    assert split.text("topics/b.md") == "## B\n\n[t](one)\n\n[r]: two\n\n"
    assert split.text("topics/c.md") == "## C\n\n[t][r]\n\n[r]: one\n"


def test_a_number_that_a_heading_gets_in_its_part_is_followed() -> None:
    """`#setup-1` becomes `#setup` where the part has only that one; `#setup` goes to the file with the first."""
    data = b"## A\n\n### Setup\n\n## B\n\n[x](#setup-1) [x](#setup)\n\n### Setup\n\n[x](#setup-1)\n"
    assert Split(data).text("topics/b.md") == "## B\n\n[x](#setup) [x](a.md#setup)\n\n### Setup\n\n[x](#setup)\n"


@pytest.mark.parametrize(
    "hostile",
    ["[", "![", "](", "[](", "`", "` `` ", "[a](b", "[](<", '<a b="', "<!--", "[[a", "[^1", "\\", "\n> - ", "[a]: b\n"],
)  # fmt: skip
def test_marks_without_end_hide_no_link_behind_them(hostile: str) -> None:
    """However many brackets, backticks or quotes a text leaves open, the next paragraph is read as ever."""
    text = "x " + hostile * (100_000 // len(hostile)) + "\n\n[last](#two)\n"
    last = markup.read(text.encode()).links[-1]
    assert (last.text, last.start) == (b"#two", text.index("#two"))


# --- by a resolver of its own ----------------------------------------------------------------------------------------

TITLES = ["Setup", "Setup", "Setup 1", "Second", "安装", "a `b` c"]
FORMS = [
    "[L{n}]({})", "[L{n}](<{}> 't')", "![L{n}\nx]({})", "- [L{n}]({})", '<a href="{}">L{n}</a>', "[L{n}][r{m}]",
    "[r{m}]: {}", "[r{m}]: <{}> 't'", "> | [L{n}][R{m}] |", "`[L{n}]({})`", "[[big#Second|L{n}]]", "[[#Setup|L{n}]]",
]  # fmt: skip
TARGETS = [
    "#setup", "#setup-1", "#setup-2", "#second", "#%E5%AE%89%E8%A3%85", "#安装", "#a-b-c", "#pin", "#gone", "big.md",
    "big.md#second", "../topics/big.md#setup-1", "img/a.png", "../rules.md?x=1#y", "sub/", "https://e/#setup",
]  # fmt: skip
OTHER = "".join(f"[L{900 + n}](../{target})\n\n" for n, target in enumerate(["topics/big.md#setup-1", "topics/big.md"]))


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    lines, marks = ["---\ntitle: t\n---"] if draw(st.booleans()) else [], 0
    for n in range(draw(st.integers(1, 14))):
        if draw(st.integers(0, 3)) == 0:
            lines.append(f"{'#' * draw(st.integers(1, 3))} {draw(st.sampled_from(TITLES))}")
            lines.append(f"mark {(marks := marks + 1)}")
        elif draw(st.integers(0, 8)) == 0:
            lines.append('<a id="pin"></a>')
        else:
            form, m = draw(st.sampled_from(FORMS)), draw(st.integers(0, 2))
            lines.append(form.format(draw(st.sampled_from(TARGETS)), n=n, m=m))
    lines += [f"## {title}\n\nmark {marks + n + 1}" for n, title in enumerate(draw(st.permutations(TITLES))[:2])]
    return "\n\n".join(lines).encode() + b"\n"


class Resolver:
    """Reads the generated documents with plain regular expressions and tells what a link means, in words."""

    def __init__(self, files: Mapping[str, bytes], renamed: Mapping[str, str]) -> None:
        self.files = {path: content.decode() for path, content in files.items()}
        self.renamed = renamed

    def meanings(self) -> dict[str, str]:
        found = {}
        for path, text in self.files.items():
            prose = re.sub(r"`\[L[^`]*`", "", text)
            for name, target in re.findall(r"\[(L\d+)(?:\nx)?\]\(<?([^)> ]*)", prose):
                found[name] = self.meaning(path, target)
            for name, label in re.findall(r"\[(L\d+)(?:\nx)?\]\[([^]]*)\]", prose):
                found[name] = self.by_label(path, label)
            for target, name in re.findall(r'<a href="([^"]*)">(L\d+)', prose):
                found[name] = self.meaning(path, target)
            for page, words, name in re.findall(r"\[\[([^]#|]*)#([^]|]*)\|(L\d+)\]\]", prose):
                found[name] = self.by_words(self.page(page) if page else path, words)
        return found

    def by_label(self, path: str, label: str) -> str:
        defined = re.search(rf"(?im)^\[{label}\]: <?([^> \n]*)", self.files[path])
        return self.meaning(path, defined[1]) if defined else "no link"

    def page(self, name: str) -> str:
        return next(path for path in self.files if path.endswith(f"{name}.md"))

    def by_words(self, path: str, words: str) -> str:
        found = re.search(rf"(?m)^#+ {words}\n\n(mark \d+)", self.files[path])
        return found[1] if found else "no heading"

    def meaning(self, path: str, target: str) -> str:
        if "://" in target:
            return target
        way, _, fragment = target.partition("#")
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), way.partition("?")[0])) if way else path
        anchor = self.anchors(place).get(unquote(fragment)) if place in self.files else None
        if fragment and anchor is None and not way:
            return f"#{fragment}, which is nowhere"
        return anchor or f"{self.renamed.get(place, place)} {way.partition('?')[2]} {fragment}"

    def anchors(self, path: str) -> dict[str, str]:
        found: dict[str, str] = {}
        used: dict[str, int] = {}
        for title, mark, pin in re.findall(r"(?m)^#+ (.*)\n\n(mark \d+)|<a id=\"(pin)\">", self.files[path]):
            base = name = pin or re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            while name in used and not pin:
                used[base] += 1
                name = f"{base}-{used[base]}"
            used.setdefault(name, 0)
            found.setdefault(name, mark or "the pin")
        return found


@given(data=documents(), into=st.sampled_from(["topics", "topics/deep", "", "other"]), remove=st.booleans())
def test_every_link_leads_where_it_led(data: bytes, into: str, *, remove: bool) -> None:
    """After mending, each link of the parts, the route and other files means the same heading, file or place."""
    split = Split(data, into=into, remove=remove, others={"notes/other.md": OTHER.encode()})
    first = split.plan.parts[0].path
    before = Resolver(split.before, {SOURCE: first} if remove else {}).meanings()
    assert Resolver(split.now, {}).meanings() == before


@given(data=documents(), into=st.sampled_from(["topics", "topics/deep"]))
def test_no_byte_outside_what_is_told_changes(data: bytes, into: str) -> None:
    """The ranges of one file do not overlap, hold what was written there, and all else is as it was."""
    split = Split(data, into=into)
    for path, content in split.unmended.items():
        at = shifted = 0
        for link in split.of(path):
            assert at <= link.start <= link.end
            piece = content[at : link.start]
            assert split.now[path][shifted : shifted + len(piece)] == piece
            shifted += len(piece) + len(
                content[link.start : link.end] if link.replacement is None else link.replacement
            )
            at = link.end
            if link.kind in {"anchor", "relative", "file", "wikilink"}:
                assert content[link.start : link.end].decode() == link.target
        assert split.now[path][shifted:] == content[at:]


@given(st.binary(max_size=60) | st.text("[]()!<>`\\\"'#^:ab \n\r-|", max_size=60).map(str.encode))
def test_any_bytes_are_read(data: bytes) -> None:
    """Whatever a file holds, it is split and mended without an error, and links lie within it."""
    split = Split(b"## A\n\n" + data + b"\n\n## B\n\n[a]: b\n\n[^a]: b\n", into="x")
    assert all(link.line > 0 and link.end <= len(split.unmended[link.path]) for link in split.links)


# --- by markdown-it-py -----------------------------------------------------------------------------------------------

REFERENCE = MarkdownIt("commonmark", {"maxNesting": 1_000}).enable("table")
setattr(REFERENCE, "validateLink", lambda _url: True)  # noqa: B010 - the schemes that it would refuse are links too


def theirs(text: str) -> list[str]:
    """List the targets of all links and images, in order, as markdown-it-py reads them."""

    def walk(tokens: list[Token]) -> list[str]:
        found: list[str] = []
        for token in tokens:
            if token.type in {"link_open", "image"} and token.markup != "autolink":
                found.append(str(token.attrs.get("href", token.attrs.get("src"))))
            found += walk(token.children or [])
        return found

    return walk(REFERENCE.parse(text))


def ours(data: bytes) -> list[str]:
    found = markup.read(data)
    defined: dict[str, bytes] = {}
    for definition in found.definitions:
        defined.setdefault(definition.label, data[definition.start : definition.end])
    skipped = {definition.start for definition in found.definitions}
    raw = [link.text for link in found.links if link.kind == "destination" and link.start not in skipped]
    raw += [defined[markup.label(link.text)] for link in found.links if link.kind == "reference"]
    return [REFERENCE.normalizeLink(plain(target.decode())) for target in raw]


def plain(target: str) -> str:
    entity = r"&(?:#x[0-9a-fA-F]{1,6}|#\d{1,7}|[a-zA-Z][a-zA-Z0-9]{1,31});"
    return re.sub(rf"\\([!-/:-@\[-`{{-~])|({entity})", lambda found: found[1] or unescape(found[2]), target)


@needs_data
def test_every_example_of_the_specification() -> None:
    """In each example of CommonMark and GFM, the links are those that markdown-it-py finds."""
    rows = [row for file in sorted((DATA / "spec").glob("*.jsonl")) for row in file.read_text("utf-8").splitlines()]
    assert len(rows) > 700
    for example in (json.loads(row)["markdown"] for row in rows):
        assert sorted(ours(example.encode())) == sorted(theirs(example)), example


def resolved(path: str, target: str) -> Any:
    """Give the place that *target* means, and its fragment."""
    if re.match(r"[a-z][a-z0-9+.-]*:|//", target):
        return target
    way, _, fragment = unquote(target).partition("#")
    return (posixpath.normpath(posixpath.join(posixpath.dirname(path), way)) if way else path), fragment


_LARGE = 50_000
"""Bytes of a file that is split into one folder only, but in the slow profile."""


@needs_data
@pytest.mark.parametrize("into", ["topics", "topics/deep"])
def test_links_of_real_files_as_markdown_it_py_reads_them(into: str) -> None:
    """Of all links in some real files, each leads where it led; one to a heading, to the part that has that heading."""
    for file in sorted((DATA / "big-files").glob("*.md")):
        if into != "topics" and file.stat().st_size > _LARGE and not os.environ.get("MEMTOOL_SLOW"):
            continue
        split = Split(file.read_bytes(), into=into)
        pages = [SOURCE, *(part.path for part in split.plan.parts)]
        before = [resolved(SOURCE, target) for target in theirs(body(split.before[SOURCE]))]
        after = [resolved(page, target) for page in pages for target in theirs(body(split.now[page]))]
        assert len(before) == len(after), file.name
        for was, now in zip(before, after, strict=True):
            moved = was[0] == SOURCE and has_anchor(split.now[now[0]], was[1])
            dead = was[0] == SOURCE and not has_anchor(split.before[SOURCE], was[1])
            assert now == was or moved or dead, file.name


def body(data: bytes) -> str:
    return data[document.read(data).body :].decode()


def has_anchor(data: bytes, name: str) -> bool:
    """Tell whether a file has the id *name*, or a heading that *name* without its number means."""
    texts = [re.sub(r"<[^>]*>|\(\S*\)", "", heading.text.decode()) for heading in headings(data)]
    return bool({slug(name), slug(re.sub(r"-\d+$", "", name))} & set(map(slug, texts))) or f'"{name}"' in body(data)
