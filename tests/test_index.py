"""The index: a row for each file and a file for each row, whatever the files say and are called."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from memtool.core import document, index, row
from memtool.core.config import Config, Resident
from memtool.core.layout import assemble
from memtool.core.page import FOLDERS, is_generated, page_of
from memtool.edge import heads
from memtool.model import Finding, Tree

GOLDEN = Path(__file__).parent / "golden" / "index"
DATA = Path(__file__).parents[2] / "shared" / "data" / "front-matter" / "front-matter.jsonl"
FLAT = Config(on_demand=("**",), exclude=("memtool.yaml",))
DEEP = FLAT.replace(index_layout=FOLDERS)


def described(text: str, heading: str = "") -> bytes:
    return f"---\ndescription: {json.dumps(text, ensure_ascii=False)}\n---\n\n# {heading}\n".encode()


STORE = {
    "memtool.yaml": b"format: 1\n",
    "resident/rules.md": b"# Rules\n",
    "topics/git.md": described("read before git operations: pipes swallow exit codes", "Git"),
    "topics/draft.md": b"---\ndescription: read before a release\ndescription_status: draft\n---\n# Releases\n",
    "topics/plain.md": b"# How we name branches\n\nfeature/NAME\n",
    "topics/bad.md": b"---\nscope: all\ndescription: read before git: pipes\n---\n# Pipes\n",
    "topics/no heading.md": b"Nothing but text.\n",
    "topics/linux/shell [old].md": described("read before `rm -rf` in [scripts](x) <b>\n@notes.md", "Shell"),
    "topics/linux/kernel/modules.md": described("加载内核模块之前先读", "内核模块"),
    "projects/blog/posts.md": described("read before writing a post: length, images, tone", "Posts"),
    "projects/shop.md": described("read before touching the shop's prices", "Shop"),
    "notes/laptop/2026-07.md": b"## 2026-07-14\n\nA note.\n",
    "notes/laptop/2026-08.md": b"## 2026-08-14\n\nA note.\n",
    "notes/server/2026-08.md": b"## 2026-08-14\n\nA note.\n",
    "notes/readme.md": described("read before writing a note", "Notes"),
    "inbox/idea.md": described("read when choosing a backup", "Backups"),
    "readme.md": b"# Not on demand\n",
}


class WithOdd(Tree):
    """A dict as a Tree, in which some paths are no regular files."""

    def __init__(self, files: dict[str, bytes], odd: dict[str, str]) -> None:
        self.files, self.strange = files, odd

    def __getitem__(self, path: str) -> bytes:
        return self.files[path]

    def __contains__(self, path: object) -> bool:
        return path in self.files or path in self.strange

    def __iter__(self) -> Iterator[str]:
        return iter([*self.files, *self.strange])

    def __len__(self) -> int:
        return len(self.files) + len(self.strange)

    def odd(self, path: str) -> str:
        return self.strange.get(path, "")


# --- what a page looks like ------------------------------------------------------------------------------------------


def assert_golden(layout: str, pages: dict[str, bytes]) -> None:
    """Compare with the files under tests/golden/index; with UPDATE_GOLDEN set they are written instead."""
    for page, data in pages.items():
        place = GOLDEN / f"{layout}.{page.replace('/', '.')}"
        if os.environ.get("UPDATE_GOLDEN"):
            place.write_bytes(data)
        assert data.decode() == place.read_text(encoding="utf-8"), place.name
    names = {f"{layout}.{page.replace('/', '.')}" for page in pages}
    assert {place.name for place in GOLDEN.glob(f"{layout}.*")} == names


@pytest.mark.parametrize("layout", ["flat", "folders"])
def test_the_pages_are_those_of_the_golden_files(layout: str) -> None:
    """What an agent reads: one flat page, or a page for each folder."""
    tree = WithOdd(STORE, {"topics/link.md": "a symbolic link", "topics/huge.md": "too large to read (17 MB)"})
    assert_golden(layout, index.pages(tree, Config(index_layout=layout)))


@pytest.mark.parametrize("layout", ["flat", "folders"])
def test_the_order_in_which_a_tree_lists_its_files_does_not_matter(layout: str) -> None:
    """The same tree gives the same bytes on every machine."""
    config = Config(index_layout=layout)
    assert index.pages(dict(sorted(STORE.items(), reverse=True)), config) == index.pages(STORE, config)


def test_files_are_sorted_by_the_bytes_of_their_paths() -> None:
    """Upper case before lower, a dot before a letter, a name that is no UTF-8 by its bytes; no locale is asked."""
    names = ["Z.md", "a-b.md", "a.md", "a/b.md", "é.md", "\udcff.md", "\U0001f600.md"]
    page = index.pages(dict.fromkeys(names, b""), FLAT)["INDEX.md"]
    targets = [row.parts(line)[1].decode() for line in page.split(b"\n") if line.startswith(b"- ")]
    assert targets == ["Z.md", "a-b.md", "a.md", "é.md", "\U0001f600.md", "%FF.md", "a/b.md"]


def test_a_month_more_in_a_journal_changes_no_page() -> None:
    """Remembering changes no index: the journals of an agent are one row."""
    for layout in ("flat", "folders"):
        config = Config(index_layout=layout)
        assert index.pages(STORE | {"notes/laptop/2026-09.md": b"x"}, config) == index.pages(STORE, config)
        assert index.pages(STORE | {"notes/tablet/2026-09.md": b"x"}, config) != index.pages(STORE, config)


def test_an_empty_store_has_a_page_that_says_so() -> None:
    """A new memory's index is no error and no blank file."""
    for layout in ("flat", "folders"):
        (page,) = index.pages({}, Config(index_layout=layout)).values()
        assert b"No file is on demand yet." in page


def test_a_description_is_cut_at_300_bytes_between_two_characters() -> None:
    """Chinese is cut at a character too, and the cut shows."""
    line = index.pages({"a.md": described("读" * 200)}, FLAT)["INDEX.md"].decode().splitlines()[-1]
    about = line.partition(" — ")[2]
    assert about == "读" * 99 + "…"
    assert len(about.encode()) == 300
    assert "读" * 100 in index.pages({"a.md": described("读" * 100)}, FLAT)["INDEX.md"].decode()


def test_links_are_relative_to_the_page_that_holds_them() -> None:
    """An index below another folder links up and over, in both layouts."""
    files = {"topics/git.md": b"", "docs/memory/x.md": b"", "docs/y.md": b""}
    flat = index.pages(files, Config(on_demand=("**",), index="docs/INDEX.md"))["docs/INDEX.md"]
    assert [b"](../topics/git.md)" in flat, b"](memory/x.md)" in flat, b"](y.md)" in flat] == [True] * 3
    deep = index.pages(files, Config(on_demand=("**",), index="docs/INDEX.md", index_layout=FOLDERS))
    assert sorted(deep) == ["docs/INDEX.md", "docs/memory/INDEX.md", "topics/INDEX.md"]
    assert b"](../topics/INDEX.md)" in deep["docs/INDEX.md"]
    assert b"](y.md)" in deep["docs/INDEX.md"]


def test_a_folder_that_holds_nothing_but_a_folder_needs_no_page() -> None:
    """An agent reads one short page a level, and no page that only passes it on."""
    deep = index.pages({"log/2026/03/18/a.md": b"", "log/2026/03/18/b.md": b"", "log/x.md": b""}, DEEP)
    assert sorted(deep) == ["INDEX.md", "log/2026/03/18/INDEX.md", "log/INDEX.md"]
    assert b"- [2026/03/18/](2026/03/18/INDEX.md) \xe2\x80\x94 2 files: a; b\n" in deep["log/INDEX.md"]
    assert b"[../../../INDEX.md](../../../INDEX.md)" in deep["log/2026/03/18/INDEX.md"]


def test_hints_give_way_where_the_page_would_not_keep_to_its_budget() -> None:
    """A hundred folders keep their counts and lose the words, rather than break the page's budget."""
    files = {f"folder-{at}/{name}.md": f"# {name} {'long ' * 9}".encode() for at in range(100) for name in "abc"}
    root = index.pages(files, DEEP)["INDEX.md"]
    assert len(root) <= DEEP.index_budget
    assert b"[folder-99/](folder-99/INDEX.md) \xe2\x80\x94 3 files\n" in root
    assert b"3 files: a long" in index.pages(files, DEEP.replace(index_budget=30_000))["INDEX.md"]


# --- nothing breaks out of its row -----------------------------------------------------------------------------------

WORDS = (  # noqa: SIM905 (legible)
    "a b Z 0 [ ] ( ) ]( [x](y) ![i](j) ` `` \\ \\\\ < > <b> <!-- --> &lt; &#91; %41 % # ? ! @ @~/x * ** _ ~~ | - = + "
    "^ $ { } --- === javascript: http://e.x/ <http://e.x/> — 读 é \" ' - 1. "
).split()
BLANKS = [" ", "  ", "\n", "\r", "\t", "\u2028", "# ", "- ", "- [t](u)", ": ", "1. ", " @notes.md", "\n\n", "\n    "]
ODD = ["\x00", "\x1b[31m", "\u202e", "\u200b", "\u200d", "\U000e0041", "\U0001f600", "\ufeff", "\xa0"]
PARTS = st.sampled_from([*WORDS, *BLANKS, *ODD])
TEXT = st.lists(PARTS, max_size=12).map("".join)
NAME = st.one_of(TEXT, st.text(max_size=8)).map(lambda text: text.replace("/", "").replace("\x00", "").encode())
RAW = st.one_of(NAME, st.binary(max_size=6).map(lambda raw: raw.replace(b"/", b"").replace(b"\0", b"")))
PATH = st.lists(RAW.filter(lambda raw: raw not in {b"", b".", b".."}), min_size=1, max_size=4).map(
    lambda raws: b"/".join(raws).decode("utf-8", "surrogateescape") + ".md"
)


def inline_tokens(page: bytes) -> list[list[Token]]:
    """Give the inline tokens of each list item of *page*, after looking at what stands around them."""
    tokens = MarkdownIt("commonmark").parse(page.decode())
    kinds = {token.type for token in tokens} - {
        "list_item_open",
        "list_item_close",
        "paragraph_open",
        "paragraph_close",
    }
    assert kinds <= {"html_block", "heading_open", "heading_close", "inline", "bullet_list_open", "bullet_list_close"}
    assert sum(token.type == "html_block" for token in tokens) == 1, "the head's comment, and nothing else, is HTML"
    return [
        token.children or []
        for before, token in pairwise(tokens)
        if token.type == "inline" and token.level == 3 and before.type == "paragraph_open"
    ]


def links(page: str, data: bytes) -> list[str]:
    """Give the paths to which the rows of a page link, each row exactly one."""
    found = []
    for children in inline_tokens(data):
        kinds = [child.type for child in children]
        assert kinds.count("link_open") == 1
        assert {"image", "html_inline", "softbreak", "hardbreak"}.isdisjoint(kinds)
        href = str(next(child for child in children if child.type == "link_open").attrs["href"])
        target = unquote_to_bytes(href).decode("utf-8", "surrogateescape")
        found.append(normpath(join(dirname(page), target)) + ("/" if target.endswith("/") else ""))
    return found


@given(st.dictionaries(PATH, st.tuples(TEXT, TEXT), min_size=1, max_size=5), st.sampled_from([FLAT, DEEP]))
def test_every_file_has_one_row_and_every_row_one_file(files: dict[str, tuple[str, str]], config: Config) -> None:
    """Whatever titles, descriptions and names hold, a markdown parser finds the files again by links, each once."""
    tree = {path: described(about, title) for path, (title, about) in files.items()}
    pages = index.pages(tree, config)
    assume(pages.keys().isdisjoint(tree))
    found = sorted(link for page, data in pages.items() for link in links(page, data))
    assert [link for link in found if link not in pages] == sorted(index.rows(tree, config))
    assert {*index.rows(tree, config)} == {*map(index.selector(config), tree)} - {""}
    seen, waiting = set[str](), ["INDEX.md"]  # every page is reached from the root's
    while waiting:
        page = waiting.pop()
        seen.add(page)
        waiting += [link for link in links(page, pages[page]) if link in pages and link not in seen]
    assert seen == pages.keys()


@given(TEXT, TEXT)
def test_no_host_loads_a_file_because_a_title_or_description_says_so(title: str, about: str) -> None:
    """An `@path` in a row never follows white space or the start of a line or of a text."""
    line = row.of_file("x.md", described(about, title), base="").decode()
    for at, char in enumerate(line):
        if char == "@":
            before = line[at - 1]
            assert before == "\\" or (before.isascii() and before.isalnum())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("mail ada@example.invalid first", "mail ada@example.invalid first"),
        ("see @~/secrets.md", "see \\@~/secrets.md"),
        ("a\n- [x](y) — z", "a - \\[x\\](y) — z"),
        ("<script>x</script> ![i](j)", "\\<script>x\\</script> !\\[i\\](j)"),
        ("`code` and \\", "\\`code\\` and \\\\"),
        ("snake_case *really* # not a heading", "snake_case *really* # not a heading"),
        ("bell \x07, turned \u202eround, tag \U000e0041", "bell \ufffd, turned round, tag"),
        ("family \U0001f468\u200d\U0001f469 and می\u200cخواهم", "family \U0001f468\u200d\U0001f469 and می\u200cخواهم"),
    ],
)
def test_what_a_description_holds_is_shown_as_text(text: str, shown: str) -> None:
    """Active markdown is escaped, invisible characters that only deceive go, those that letters need stay."""
    assert row.inline(text, 300) == shown


@given(TEXT, TEXT, PATH)
def test_a_row_is_read_back_as_it_was_written(title: str, about: str, path: str) -> None:
    """The reader by hand finds title, destination and description of any row."""
    name, text = row.inline(title, 120) or "untitled", row.inline(about, 300)
    parts = row.parts(row.joined(name.encode(), row.destination(path), text.encode()))
    assert parts == (name.encode(), row.destination(path).encode(), text.encode())


# --- which files have a row ------------------------------------------------------------------------------------------

CONFIGS = st.builds(
    Config,
    on_demand=st.lists(st.sampled_from(["a", "a/b", "**", "*", "a/*.md", "**/x.md", "a/b/x.md", "notes"])).map(tuple),
    exclude=st.lists(st.sampled_from(["a/b", "**/y.md", "x*", "a/b/INDEX.md"]), max_size=2).map(tuple),
    resident=st.lists(st.sampled_from(["x.md", "a/{agent}.md", "a/**", "b/*"]), max_size=2).map(
        lambda paths: tuple(Resident(path, 100) for path in paths)
    ),
    index=st.sampled_from(["INDEX.md", "a/INDEX.md", "x.md"]),
    index_layout=st.sampled_from(["flat", "folders"]),
    notes=st.sampled_from(["notes", "a/b"]),
    digest=st.sampled_from([".memtool/digest.md", "a/y.md"]),
)
PATHS = st.lists(st.sampled_from(["a", "b", "notes", "x", "x.md", "y.md", "INDEX.md", "z.txt"]), min_size=1, max_size=4)


@given(CONFIGS, st.lists(PATHS.map("/".join)))
def test_the_rows_are_of_exactly_the_on_demand_files(config: Config, paths: list[str]) -> None:
    """The quick selector answers as the configuration does."""
    key = index.selector(config)
    for path in paths:
        journal = config.journal_of(path)
        expected = f"{config.notes}/{journal}/" if journal else path
        assert key(path) == (expected if config.is_on_demand(path) else ""), path


def test_a_page_of_another_layout_gets_no_row() -> None:
    """After a change of layout the old pages are left over, not memories."""
    tree = STORE | index.pages(STORE, Config(index_layout=FOLDERS))
    assert index.pages(tree, Config()) == index.pages(STORE, Config())
    left = [f.path for f in index.findings(tree, Config()) if "none any more" in f.message]
    assert left == [page for page in index.pages(STORE, Config(index_layout=FOLDERS)) if page != "INDEX.md"]


def test_a_file_named_like_a_page_but_written_by_a_person_is_a_memory_like_any_other() -> None:
    """In the flat layout topics/INDEX.md may be the user's own, and has its row."""
    assert "topics/INDEX.md" in index.rows(STORE | {"topics/INDEX.md": b"# Mine\n"}, Config())


@pytest.mark.skipif(not DATA.exists(), reason="needs ../shared/data/front-matter")
def test_every_real_front_matter_gives_a_row() -> None:
    """1,117 blocks that people wrote, also the unreadable: never fewer rows than files, unreadable ones told."""
    blocks = [json.loads(line) for line in DATA.read_text().splitlines()]
    tree = {f"f/{at}.md": block["raw"].encode() + b"\n# Heading\n" for at, block in enumerate(blocks)}
    page = index.pages(tree, FLAT)["INDEX.md"]
    assert sorted(links("INDEX.md", page)) == sorted(tree)
    assert 40 <= page.count("— (unreadable: line ".encode()) <= 51
    quick = {path: heads.told_by(data) for path, data in tree.items()}
    for path, told in quick.items():
        assert told is None or agrees(tree[path], told)


# --- the quick reading of many files ---------------------------------------------------------------------------------


def agrees(data: bytes, told: tuple[bytes, bytes]) -> bool:
    parsed = document.read(data)
    title, about = (part.decode("utf-8", "replace") for part in told)
    return (parsed.error, parsed.title, parsed.description) == (None, " ".join(title.split()), " ".join(about.split()))


FRONT = st.lists(
    st.tuples(
        st.sampled_from(
            ["description", "summary", "read_when", "title", "name", "tags", "a-b", "x.y", "bad key", "-k"]
        ),
        st.sampled_from([": ", ":", ":  ", " : "]),
        st.one_of(
            TEXT,
            TEXT.map(lambda text: f'"{text}"'),
            TEXT.map(lambda text: f"'{text}'"),
            st.sampled_from(
                ["[a, b]", "[a, , b]", "[ ]", "read before x", "a: b", "a:", "a #b", "a#b", "文 a", "", '"" ']
            ),
        ),
        st.sampled_from(["\n", " \n", "\n", "\r\n", "\n\n"]),
    ).map("".join),
    max_size=4,
).map("".join)


@given(
    FRONT, st.sampled_from(["---\n", "--- \n", "...\n", "---\r\n", ""]), TEXT, st.sampled_from(["", "\n", "\n\n", " "])
)
def test_the_quick_reading_of_a_file_is_the_careful_one(front: str, close: str, title: str, gap: str) -> None:
    """Where the first bytes tell title and description, they are those that the whole file has; else it is read."""
    for data in (f"---\n{front}{close}{gap}# {title}\nbody\n".encode(), f"{gap}# {title}\n{front}".encode()):
        told = heads.told_by(data)
        assert told is None or agrees(data, told), told


def test_the_quick_reading_serves_the_usual_file() -> None:
    """Plain front matter and a heading are read without the parser; that is what it is for."""
    usual = b'---\nname: x\ndescription: "read before git: pipes"\ntags: [a, b c]\nscope: all\n---\n\n# Git\n\ntext'
    assert heads.told_by(usual) == (b"Git", b"read before git: pipes")
    assert heads.told_by(b"# Git\n") == (b"Git", b"")
    assert heads.told_by("---\ndescription: '遇到'\n---\n# 读\n".encode()) == ("读".encode(), "遇到".encode())


# --- the proof -------------------------------------------------------------------------------------------------------


def stale(findings: list[Finding]) -> list[tuple[str, int, str]]:
    return [(f.path, f.line, f.message) for f in findings if f.code == "stale-index"]


@given(st.dictionaries(PATH, st.tuples(TEXT, TEXT), min_size=1, max_size=5), st.sampled_from([FLAT, DEEP]), st.data())
def test_pages_prove_right_until_any_line_of_them_changes(
    files: dict[str, tuple[str, str]], config: Config, data: st.DataObject
) -> None:
    """The proof passes on what was generated, and on nothing else."""
    tree = {path: described(about, title) for path, (title, about) in files.items()}
    pages = index.pages(tree, config)
    assume(pages.keys().isdisjoint(tree))
    assert stale(index.findings(tree | pages, config)) == []
    page = data.draw(st.sampled_from(sorted(pages)))
    lines = pages[page].split(b"\n")
    at = data.draw(st.integers(1, len(lines) - 1))
    changed = b"\n".join(
        data.draw(st.sampled_from([[*lines[:at], *lines[at + 1 :]], [*lines[:at], b"x", *lines[at:]]]))
    )
    assume(changed != pages[page])
    assert [path for path, _, _ in stale(index.findings(tree | pages | {page: changed}, config))] == [page]


def test_a_stale_page_is_told_row_by_row() -> None:
    """The message names what is missing, left over and different, and the line to look at."""
    pages = index.pages(STORE, Config())
    tree = STORE | pages | {"topics/new.md": b"# New\n", "topics/git.md": b"# Git\n"}
    del tree["inbox/idea.md"]
    ((path, line, message),) = stale(index.findings(tree, Config()))
    assert (path, pages["INDEX.md"].split(b"\n")[line - 1]) == ("INDEX.md", b"## inbox/")
    assert message == (
        "the index has no row for topics/new.md; a row for what is not there: inbox/idea.md; "
        "another row than it should for topics/git.md"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda page: page.replace(b"\n", b"\r\n"), "another row than it should for inbox/idea.md"),
        (lambda page: page.replace(b"# Index", b"# My index"), "the right rows, but another head or order"),
        (lambda page: page + page.split(b"\n")[-2] + b"\n", "more than one row for topics/linux/kernel/modules.md"),
        (lambda _: b"", "no row for inbox/idea.md"),
        (lambda _: b"# By hand\n", "here is a file that memtool did not generate"),
    ],
)
def test_other_changes_of_a_page_are_told_too(change: object, message: str) -> None:
    """Line ends, head, a row twice, an emptied page, a page by hand."""
    assert callable(change)
    tree = STORE | {"INDEX.md": change(index.pages(STORE, Config())["INDEX.md"])}
    ((_, _, said),) = stale(index.findings(tree, Config()))
    assert message in said


def test_a_missing_page_and_one_that_is_a_link_are_told() -> None:
    """Neither is an index that a host can read."""
    assert stale(index.findings(STORE, Config())) == [("INDEX.md", 0, "this page of the index is missing")]
    ((_, _, message),) = stale(index.findings(WithOdd(STORE, {"INDEX.md": "a symbolic link"}), Config()))
    assert message == "the index belongs here, and here is a symbolic link"


def test_a_page_over_its_budget_is_reported_with_the_way_out() -> None:
    """The layout is not flipped by itself: two machines must not disagree about it."""
    files = {f"{folder}/{at}.md": described("read before " + "x" * 200) for folder in "ab" for at in range(30)}
    for config, way in ((FLAT, "`layout: folders`"), (DEEP.replace(index_budget=500), "sub-folders")):
        pages = index.pages(files, config)
        found = [f for f in index.findings(files | pages, config) if f.code == "over-budget"]
        assert [(f.path, f.severity) for f in found] == [
            (page, "warning") for page, data in pages.items() if len(data) > config.index_budget
        ]
        assert found
        assert way in found[0].hint


def test_the_layout_of_a_new_index_follows_its_size() -> None:
    """Flat while it fits and may grow; folders where they would help."""
    files = {f"{folder}/{at}.md": described("read before " + "x" * 200) for folder in "ab" for at in range(30)}
    assert index.choose_layout({}, Config()) == "flat"
    assert index.choose_layout(STORE, Config()) == "flat"
    assert index.choose_layout(files, FLAT) == "folders"
    assert index.choose_layout({path: data for path, data in files.items() if path < "b"}, FLAT) == "flat"


# --- the commit in the making ----------------------------------------------------------------------------------------


class Unlisted(Tree):
    """A Snapshot that must not be listed; only what lies in one folder may be asked for."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files

    def __getitem__(self, path: str) -> bytes:
        return self.files[path]

    def __contains__(self, path: object) -> bool:
        return path in self.files

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("the tree was listed")

    def __len__(self) -> int:
        raise AssertionError("the tree was counted")

    def odd(self, _path: str) -> str:
        return ""

    def under(self, folder: str) -> Iterator[str]:
        assert folder
        return (path for path in self.files if path.startswith(folder + "/"))


@given(st.dictionaries(PATH, TEXT, min_size=1, max_size=4), st.dictionaries(PATH, TEXT, max_size=3),
       st.sampled_from([FLAT, DEEP]), st.data())  # fmt: skip
def test_the_cheap_proof_of_a_commit_sees_the_rows_that_it_changes(
    before: dict[str, str], new: dict[str, str], config: Config, data: st.DataObject
) -> None:
    """For changed, added and removed files the page's row is compared, without listing the tree."""
    old = {path: described(text) for path, text in before.items()}
    removed = set(data.draw(st.lists(st.sampled_from(sorted(old)))))
    tree = {path: text for path, text in old.items() if path not in removed}
    tree |= {path: described(text) for path, text in new.items()}
    old_pages, new_pages = index.pages(old, config), index.pages(tree, config)
    assume((old_pages.keys() | new_pages.keys()).isdisjoint(old | tree))
    changed = sorted(removed | new.keys())
    assert index.row_findings(Unlisted(tree | new_pages), config, changed) == []
    rows = (index.rows(old, config), index.rows(tree, config))
    keys = set(map(index.selector(config), changed)) - {""}
    pages = {page_of(key, config) for key in keys if rows[0].get(key) != rows[1].get(key)}
    assert {f.path for f in index.row_findings(Unlisted(tree | old_pages), config, changed)} == pages


def test_a_journal_that_is_new_needs_its_row_and_one_that_grows_does_not() -> None:
    """The first note of an agent changes the index, the next ones do not."""
    tree = STORE | index.pages(STORE, Config())
    more, new = {"notes/laptop/2026-09.md": b"x"}, {"notes/phone/2026-09.md": b"x"}
    assert index.row_findings(Unlisted(tree | more), Config(), list(more)) == []
    ((path, _, message),) = stale(index.row_findings(Unlisted(tree | new), Config(), list(new)))
    assert (path, message) == ("INDEX.md", "the index has no row for notes/phone/")


def test_other_files_rows_do_not_matter_to_a_commit() -> None:
    """A commit is told of its own rows only; whole-tree proofs belong to check."""
    pages = index.pages(STORE, Config())
    tree = STORE | pages | {"topics/git.md": b"# Changed\n", "topics/plain.md": b"# Changed too\n"}
    ((_, line, message),) = stale(index.row_findings(Unlisted(tree), Config(), ["topics/git.md", "readme.md"]))
    assert message == "the index has another row than it should for topics/git.md"
    assert b"topics/git.md" in pages["INDEX.md"].split(b"\n")[line - 1]


def test_pages_are_known_by_their_first_line() -> None:
    """Only what memtool generated may be overwritten or taken away."""
    assert all(is_generated(data) for data in assemble({}, FLAT).values())
    assert not is_generated(b"# Index\n")
