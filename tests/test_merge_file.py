"""Two versions of a memory file become one: by keys, entries and sections, whichever side merges; nothing is lost."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from edits import WORD, kept_by_all, pages, words
from hypothesis import given
from hypothesis import strategies as st

from memtool.core import document
from memtool.core.entry import entries
from memtool.core.lint.markers import conflict
from memtool.core.merge.aside import BOTH, DELETED, Merged, fenced, unfenced
from memtool.core.merge.file import merge, merge_file

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not beside this checkout")

A, B, C = "## A\n\na\n", "## B\n\nb\n", "## C\n\nc\n"
OCT, NOV, DEC = "## 2026-10-01 x\n\no\n", "## 2026-11-01 y\n\nn\n", "## 2026-12-01 z\n\nd\n"


def page(*sections: str) -> str:
    return "\n".join(sections)


# What one side made of the base, what the other did, and what comes of it.
CASES = {
    "each side adds an entry: by date": (page(OCT), page(OCT, DEC), page(OCT, NOV), page(OCT, NOV, DEC)),
    "the newest stands first: by date too": (
        page(NOV, OCT), page("## 2026-11-20 p\n", NOV, OCT), page("## 2026-11-10 q\n", NOV, OCT),
        page("## 2026-11-20 p\n", "## 2026-11-10 q\n", NOV, OCT),
    ),
    "each side adds a section: by content": (page(A), page(A, C), page(A, B), page(A, B, C)),
    "each side adds several: each side's own order stays": (
        page(A), page(A, C, B), page(A, "## D\n"), page(A, C, B, "## D\n"),
    ),
    "both add the same entry: once": (page(OCT), page(OCT, NOV), page(OCT, NOV, DEC), page(OCT, NOV, DEC)),
    "a section under another stays under it": (
        page(A, C), page(A, "### a2\n", C), page(A, B, "### b1\n", C), page(A, "### a2\n", B, "### b1\n", C),
    ),
    "both sides under one new day": (
        page(A), page(A, "## 2026-11-30\n", "### p\n"), page(A, "## 2026-11-30\n", "### q\n"),
        page(A, "## 2026-11-30\n", "### p\n", "### q\n"),
    ),
    "the same heading new in two places: twice": (
        page(A, B), page(A, "## H\n", B), page(A, B, "## H\n"), page(A, "## H\n", B, "## H\n"),
    ),
    "each side changes another section": (page(A, B), page("## A\n\nx\n", B), page(A, "## B\n\ny\n"),
                                          page("## A\n\nx\n", "## B\n\ny\n")),
    "each side changes another line of a section": (
        page("## A\n\none\ntwo\nthree\n"), page("## A\n\nONE\ntwo\nthree\n"), page("## A\n\none\ntwo\nTHREE\n"),
        page("## A\n\nONE\ntwo\nTHREE\n"),
    ),
    "one deletes, the other leaves it": (page(A, B), page(A), page(A, B, C), page(A, C)),
    "moved and edited: edited, once": (page(A, B, C), page(B, C, A), page("## A\n\na, and more\n", B, C),
                                       page(B, C, "## A\n\na, and more\n")),
    "a new heading, and edited: one section": (page(A, B), page("## A, now\n\na\n", B), page("## A\n\na\nb\n", B),
                                               page("## A, now\n\na\nb\n", B)),
    "a new title, and a section more": (page("# T\n", A), page("# U\n", A), page("# T\n", A, B), page("# U\n", A, B)),
    "one deletes a section, the other adds under the next": (
        page(A, B), page(B), page(A, B, "### b1\n"), page(B, "### b1\n"),
    ),
    "a new heading, a line changed, a new neighbour; and another line": (
        page(A, "## B\n\none\ntwo\nthree\nfour\n"), page(A, C, "## N\n\nONE\ntwo\nthree\nfour\n"),
        page(A, "## B\n\none\ntwo\nthree\nFOUR\n"), page(A, C, "## N\n\nONE\ntwo\nthree\nFOUR\n"),
    ),
    "both give a bare heading the same new words, one with a new neighbour": (
        page(A, "## X\n", C), page(A, "## Y\n", C), page(A, B, "## Y\n", C), page(A, B, "## Y\n", C),
    ),
    "the same new entry, on one side under a new heading": (
        page(A), page(A, NOV), page(A, "# Journal\n", NOV), page(A, "# Journal\n", NOV),
    ),
    "a heading that stands twice is told by the one above it": (
        page("## 1\n", "### Added\n\nx\n", "## 2\n", "### Added\n\na\nb\nc\n"),
        page("## 2\n", "### Added\n\nA\nb\nc\n"),
        page("## 1\n", "### Added\n\nx\n", "## 2\n", "### Added\n\na\nb\nC\n"),
        page("## 2\n", "### Added\n\nA\nb\nC\n"),
    ),
    "a text above the first heading, on each side": (page(A), page("p\n", A), page("q\n", A), page("p\nq\n", A)),
    "blank lines are nobody's change": (page(A, B), "## A\n\na\n\n\n\n## B\n\nb\n", page("## A\n\nx\n", B),
                                        "## A\n\nx\n\n\n\n## B\n\nb\n"),
    "no line end at the end": (page(A), page(A, "## B\n\nb"), page(A, "## C\n\nc"), page(A, B, "## C\n\nc")),
    "confirmed, and withdrawn": (
        "## A\n\na\n", "## A\n\na\n\n> **Verified:** 2026-11-01\n",
        "## A\n\n> **Void since 2026-11-02:** wrong. It said:\n>\n> a\n",
        "## A\n\n> **Void since 2026-11-02:** wrong. It said:\n>\n> a\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", CASES)
def test_sections(name: str, end: str) -> None:
    """Each case reads as it says, byte for byte, with any line end, before the same front matter, from either side."""
    base, ours, theirs, expected = (f"---\nscope: x\n---\n\n{text}".replace("\n", end).encode() for text in CASES[name])
    if name == "confirmed, and withdrawn":
        assert [aside.reason for aside in merge(base, ours, theirs).asides] == [BOTH]
    else:
        assert merge(base, ours, theirs).asides == ()
    assert merge(base, ours, theirs).data == expected
    assert merge(base, theirs, ours).data == expected


FRONT = {
    "each another key": ("a: 1\nb: 2\n", "a: x\nb: 2\n", "a: 1\nb: y\n", "a: x\nb: y\n", []),
    "a key more on each side": ("a: 1\n", "a: 1\nc: 3\n", "a: 1\nb: 2\n", "a: 1\nb: 2\nc: 3\n", []),
    "one deletes a key": ("a: 1\nb: 2\n", "b: 2\n", "a: 1\nb: 3\n", "b: 3\n", []),
    "comments and lists go with their key": (
        "a: 1\n# why\nb:\n  - x\nc: 3\n", "# why\nb:\n  - x\nc: 3\n", "a: 1\n# why\nb:\n  - x\n  - y\nc: 3\n",
        "# why\nb:\n  - x\n  - y\nc: 3\n", [],
    ),
    "the later of two days": (
        "verified: 2026-01-01\n", "verified: 2026-03-01\n", "verified: 2026-02-01\n", "verified: 2026-03-01\n", [],
    ),
    "one key, two values": ("a: 1\n", "a: x\n", "a: y\n", "a: y\n", [("front matter: a", BOTH, b"a: x\n")]),
    "deleted and changed": ("a: 1\nb: 2\n", "b: 2\n", "a: 9\nb: 2\n", "a: 9\nb: 2\n",
                            [("front matter: a", DELETED, b"")]),
}  # fmt: skip


@pytest.mark.parametrize(("base", "ours", "theirs", "expected", "asides"), FRONT.values(), ids=FRONT)
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_front_matter(
    base: str, ours: str, theirs: str, expected: str, asides: list[tuple[str, str, bytes]], start: str
) -> None:
    """Front matter is merged key by key, bytes and all; of two values one stays and the other is set aside."""
    versions = [f"{start}---\n{keys}---\n\n# T\n".encode() for keys in (base, ours, theirs)]
    for done in (merge(*versions), merge(versions[0], versions[2], versions[1])):
        assert done.data.decode() == f"{start}---\n{expected}---\n\n# T\n"
        assert [(aside.what, aside.reason, aside.text) for aside in done.asides] == asides


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        ("---\na: [\n---\nx\n", "---\na: [1\n---\nx\n", "---\na: 1\n---\nx\n"),
        ("---\n{a: 1, b: 2}\n---\nx\n", "---\n{a: 3, b: 2}\n---\nx\n", "---\n{a: 1, b: 4}\n---\nx\n"),
        ("x\n", "---\na: 1\n---\nx\n", "---\nb: 1\n# end\n---\nx\n"),
        ("x\n", "---\ndescription: 1\nx\n", "---\nb: 1\n---\nx\n"),
        ("---\na: 1\n---\nx\n", "x\n", "---\na: 2\n---\nx\n"),
        ("---\na: 1\n---\nx\n", f"---\na: 1\nb: {'b' * 5000}\n---\nx\n", f"---\na: 1\nc: {'c' * 5000}\n---\nx\n"),
    ],
)
def test_front_matter_that_is_no_keys(base: str, ours: str, theirs: str) -> None:
    """What cannot be taken apart by keys stays whole, on one side; none of it gets into the body."""
    done = merge(base.encode(), ours.encode(), theirs.encode())
    assert done == merge(base.encode(), theirs.encode(), ours.encode())
    parsed = document.read(done.data)
    assert parsed.error is None
    assert done.data[parsed.body :] == b"x\n"
    texts = [done.data, *(aside.text for aside in done.asides)]
    assert all(
        any(line in text for text in texts) for line in {*ours.encode().split(b"\n"), *theirs.encode().split(b"\n")}
    )


def test_the_later_stays_and_the_other_is_set_aside() -> None:
    """Where lines cannot be merged, the text with the later date stays in its place, whichever side has it."""
    base = b"## A\n\na\n\n> **Verified:** 2026-01-01\n"
    later = b"## A\n\nb\n\n> **Verified:** 2026-03-01\n"
    other = b"## A\n\nz\n\n> **Verified:** 2026-02-01\n"
    done = merge(base, other, later)
    assert done.data == later
    assert [(aside.what, aside.slug, aside.text) for aside in done.asides] == [("A", "a", other.rstrip())]


def test_what_one_side_declared_void_is_not_back() -> None:
    """Against a later edit of the same words, the side that withdrew them stays; the edit is set aside."""
    void = b"## A\n\n> **Void since 2026-02-01:** moved. It said:\n>\n> Port 22.\n"
    edit = b"## A\n\nPort 22, and 23.\n\n> **Verified:** 2026-11-30\n"
    done = merge(b"## A\n\nPort 22.\n", void, edit)
    assert done.data == void
    assert [aside.text for aside in done.asides] == [edit.rstrip()]


def test_a_void_part_takes_nothing_in() -> None:
    """A record line of one side does not get into the void text of the other, though both stand at the end."""
    base = b"## A\n\none\n\ntwo\n\n> **Why:** w\n"
    void = b"## A\n\none\n\n> **Why:** w\n> **Void since 2026-02-01:** r. It said:\n>\n> two\n"
    seen = b"## A\n\none\n\ntwo\n\n> **Why:** w\n> **Verified:** 2026-03-01\n"
    done = merge(base, void, seen)
    (entry,) = entries(done.data)
    assert [part.text for part in entry.voids] == [b"two"]
    assert done.asides == ()
    done = merge(base, void, base + b"> **Why:** because\n")
    assert (done.data, [aside.reason for aside in done.asides]) == (void, [BOTH])


def test_a_deleted_heading_stays_over_what_the_other_side_added_below() -> None:
    """One deletes a section with all below, the other adds to it: what is added keeps its heading, and it is told."""
    base = page("## Deploy\n\nd\n", "### Roll back\n\nr\n", C)
    ours = page(C)
    theirs = page("## Deploy\n\nd\n", "### Roll back\n\nr\n", "### Test\n\nt\n", C)
    done = merge(base.encode(), ours.encode(), theirs.encode())
    assert done.data.decode() == page("## Deploy\n\nd\n", "### Test\n\nt\n", C)
    assert [(aside.what, aside.reason, aside.text) for aside in done.asides] == [("Deploy", DELETED, b"")]


def test_deleted_against_edited() -> None:
    """The edit wins, and it is told."""
    done = merge(page(A, B).encode(), page(A).encode(), page(A, "## B\n\nb, and c\n").encode())
    assert done.data.decode() == page(A, "## B\n\nb, and c\n")
    assert [(aside.what, aside.reason) for aside in done.asides] == [("B", DELETED)]


def test_a_file_new_on_both_sides() -> None:
    """Two files of one name become one with the sections of both, the same one once."""
    done = merge(None, b"---\na: 1\n---\n\n# T\n\n" + A.encode(), b"---\nb: 2\n---\n\n# T\n\n" + B.encode())
    assert done == Merged(f"---\na: 1\nb: 2\n---\n\n# T\n\n{page(A, B)}".encode())


@pytest.mark.parametrize("bad", [b"\xff", b"\0", b"```\nopen"])
def test_what_cannot_be_merged_by_parts_stays_whole(bad: bytes) -> None:
    """Bytes that are no text, a fence that would swallow what follows: the sound file stays, the other is set aside."""
    base, ours, theirs = A.encode(), A.encode() + bad, b"\n".join([A.encode(), B.encode()])
    done = merge(base, ours, theirs)
    assert (done.data, [(aside.what, aside.text) for aside in done.asides]) == (theirs, [("", ours)])
    assert done == merge(base, theirs, ours)


INLINE = """\
## A

z

### Set aside in a merge ({digest}): A

What stands above and this are two versions. Keep what is right, and delete this section.

```markdown
## A

b
```

### a1

## C

c
"""


def test_both_texts_in_one_file() -> None:
    """For a merge driver the other text stands in the file, right below what stayed, as no markdown."""
    base = page(A, "### a1\n", C).encode()
    ours, theirs = base.replace(b"a\n", b"b\n", 1), base.replace(b"a\n", b"z\n", 1)
    (aside,) = merge(base, ours, theirs).asides
    assert merge_file(base, ours, theirs).decode() == INLINE.format(digest=aside.digest())
    assert unfenced(merge_file(base, ours, theirs)) == b"## A\n\nb"
    whole = merge_file(b"x\n", b"\xff\n", b"y\n")
    assert whole.startswith(b"y\n\n## Set aside in a merge (")
    assert unfenced(whole) == b"\xff\n"


@given(
    st.binary(max_size=30)
    | st.lists(st.sampled_from([b"`", b"```", b"\n", b"\r", b"x", b"```markdown\n"])).map(b"".join)
)
def test_a_fence_gives_its_text_back(text: bytes) -> None:
    """Whatever stands in it, backticks too, comes out of a fence byte for byte."""
    assert unfenced(b"# head\n\n" + fenced(text)) == text


def all_of(done: Merged) -> bytes:
    return b"\n".join([done.data, *(aside.text for aside in done.asides)])


@given(pages())
def test_nothing_is_lost_or_doubled(versions: list[bytes]) -> None:
    """Each word that nobody deleted is in the merged file or set aside, a new one as often as its side has it."""
    base, ours, theirs = versions
    done = merge(base, ours, theirs)
    assert kept_by_all(base, ours, theirs) <= words(all_of(done))
    new = words(ours, theirs) - words(base)
    written = Counter(WORD.findall(ours)) + Counter(WORD.findall(theirs))
    assert {word for word in new if WORD.findall(all_of(done)).count(word) > written[word]} == set()
    if not done.asides:
        assert kept_by_all(base, ours, theirs) <= words(done.data)


@given(pages())
def test_the_side_does_not_matter(versions: list[bytes]) -> None:
    """From either side the result is the same, byte for byte; a side that changed nothing has no say."""
    base, ours, theirs = versions
    done = merge(base, ours, theirs)
    assert done == merge(base, theirs, ours)
    assert merge_file(base, ours, theirs) == merge_file(base, theirs, ours)
    assert merge(base, base, theirs) == merge(base, theirs, base) == merge(base, theirs, theirs) == Merged(theirs)
    for side in (ours, theirs):
        assert merge(side, side, done.data) == Merged(done.data)


@given(pages())
def test_one_file_holds_both(versions: list[bytes]) -> None:
    """What a merge driver writes holds every word that nobody deleted, and no marker; its front matter reads."""
    base, ours, theirs = versions
    data = merge_file(base, ours, theirs)
    assert kept_by_all(base, ours, theirs) <= words(data)
    assert conflict(data) is None
    assert b"<<<<<<<" not in data
    parsed = document.read(data)
    assert parsed.error is None
    assert b"\n---" not in data[parsed.body :].replace(b"\r", b"\n")


ENTRIES = [f"## 2026-11-{day} [project:{name}] note {name}\n\nText of {name}.\n" for day, name in
           [("30", "x"), ("10", "y"), ("20", "z"), ("20", "v"), ("05", "w")]]  # fmt: skip


@given(st.permutations(ENTRIES), st.integers(0, 3))
def test_machines_converge(order: list[str], old: int) -> None:
    """Entries that five machines append are all there once, in date order, in whatever order they are merged."""
    base = "# Journal\n\n" + page(*sorted(ENTRIES)[:old])
    result = base.encode()
    for new in order:
        side = base if new in base else f"{base}\n{new}" if old else base + new
        result = merge(base.encode(), result, side.encode()).data
    assert result.decode() == "# Journal\n\n" + page(*sorted(ENTRIES))


@given(pages())
def test_merging_again_loses_nothing(versions: list[bytes]) -> None:
    """Merged with a side once more, over the old base, the result still has every word that nobody deleted."""
    base, ours, theirs = versions
    done = merge(base, ours, theirs)
    for side in (ours, theirs):
        assert kept_by_all(base, done.data, side) <= words(all_of(merge(base, done.data, side)))


HOSTILE = [
    *("", "   ", "# One", "## 2026-01-01 [a:b] Two", "word", "===", "---", "- item", "> quote", "> **Why:** so", ">"),
    *("> **Void since 2026-01-01:** r. It said:", "```", "~~~", "<!-- open", "--> shut", "<div>", "    code", "| a |"),
    *("[x]:", "结论是 49222。", "- ```", "description: z", "...", "\tq", "a\u2028# b", "<<<<<<< ours"),
]
HEADS = ["", "---\ndescription: read\n---\n", "---\na: x\n# c\nverified: 2026-01-01\n---\n\n", "---\na: [1,\n---\n"]


def hostile(chance: random.Random, lines: list[str]) -> list[str]:
    """Put in, take out and change some of *lines*."""
    new = list(lines)
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(new) + 1)
        new[at : at + chance.randrange(2)] = [f"{chance.choice(HOSTILE)} {chance.randrange(99)}"] * chance.randrange(3)
    return new


def hostile_file(chance: random.Random, lines: list[str], head: str, end: str) -> bytes:
    start = chance.choice(["", "", "", "\ufeff"])
    text = start + head + "\n".join(lines) + chance.choice(["\n", "\n", "", "\n\n"])
    return text.replace("\n", end).encode() + chance.choice([b""] * 30 + [b"\xff", b"\0"])


@given(st.randoms(use_true_random=False))
def test_any_bytes(chance: random.Random) -> None:
    """Fences left open, half front matter, NUL, lone CR: no line that a side added is lost, from either side."""
    end, head = chance.choice(["\n", "\n", "\r\n", "\r"]), chance.choice(HEADS)
    lines = [chance.choice(HOSTILE) for _ in range(chance.randrange(10))]
    base = hostile_file(chance, lines, head, end)
    ours, theirs = (
        hostile_file(chance, hostile(chance, lines), chance.choice([head, *HEADS]), chance.choice([end] * 9 + ["\r\n"]))
        for _ in range(2)
    )
    done = merge(base, ours, theirs)
    assert done == merge(base, theirs, ours)
    new = bare_lines(ours, theirs) - bare_lines(base)
    assert new <= bare_lines(all_of(done))
    assert new <= bare_lines(merge_file(base, ours, theirs))


def bare_lines(*contents: bytes) -> set[bytes]:
    return {line.strip(b"\xef\xbb\xbf \t\r\n\x00\xff") for data in contents for line in data.splitlines()} - {b""}


@needs_data
def test_real_files() -> None:
    """In every real file each side changes a section and adds one: both are done, all else stays byte for byte."""
    files = sorted((DATA / "big-files").glob("*--*.md"))
    assert files
    for file in files:
        base = file.read_bytes()
        gap = b"\r\n\r\n" if b"\r\n" in base else b"\n\n"
        found = entries(base, document.read(base).body)
        cut = found[len(found) // 3].end if len(found) > 1 else found[0].start
        above, below = base[:cut].rstrip(), base[cut:].rstrip()
        ours = gap.join([base.rstrip(), b"ours", b"## 2026-11-30 ours"])
        theirs = gap.join([above, b"theirs", below, b"## 2026-11-29 theirs"])
        done = merge(base, ours, theirs)
        assert done == Merged(
            gap.join([above, b"theirs", below, b"ours", b"## 2026-11-29 theirs", b"## 2026-11-30 ours"])
        )
