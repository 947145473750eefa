"""Two memory trees become one, the same from either side: files added, deleted, renamed and split; conflict copies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from edits import PATHS, WORD, kept_by_all, trees, words
from hypothesis import given

from memtool.core import document
from memtool.core.config import Config
from memtool.core.entry import entries
from memtool.core.merge.aside import BOTH, DELETED, Aside
from memtool.core.merge.copy import Copy, read, written
from memtool.core.merge.tree import TORN, Conflict, Merge, merge
from memtool.core.page import MARK
from memtool.model import Tree

CONFIG = Config()
TEXT = "# T\n\nt\n\n## A\n\na\n\n## B\n\nb\n"

Files = dict[str, str]


def merged(base: Files, ours: Files, theirs: Files, config: Config = CONFIG) -> Merge:
    """Merge from both sides, which must give the same."""
    sides = [{path: text.encode() for path, text in files.items()} for files in (base, ours, theirs)]
    done = merge(sides[0], sides[1], sides[2], config=config)
    assert done == merge(sides[0], sides[2], sides[1], config=config)
    return done


def texts(done: Merge) -> Files:
    return {path: data.decode() for path, data in done.files.items()}


A, B, C = "topics/a.md", "topics/b.md", "topics/c.md"
EDITED = TEXT.replace("a\n\n", "a, and more\n\n")

# What the base holds, what each side made of it, what comes of it, and what is said.
CASES: dict[str, tuple[Files, Files, Files, Files, list[tuple[str, str]]]] = {
    "each adds a file": ({}, {A: TEXT}, {B: TEXT}, {A: TEXT, B: TEXT}, []),
    "both add the same": ({}, {A: TEXT}, {A: TEXT}, {A: TEXT}, []),
    "one deletes it": ({A: TEXT, B: TEXT}, {B: TEXT}, {A: TEXT, B: TEXT}, {B: TEXT}, []),
    "both delete it": ({A: TEXT}, {}, {}, {}, []),
    "deleted and changed": ({A: TEXT}, {}, {A: EDITED}, {A: EDITED}, [(A, DELETED)]),
    "renamed and changed": ({A: TEXT}, {B: TEXT}, {A: EDITED}, {B: EDITED}, []),
    "renamed with a change, and changed": (
        {A: TEXT}, {B: TEXT + "\n## C\n\nc\n"}, {A: EDITED}, {B: EDITED + "\n## C\n\nc\n"}, [],
    ),
    "renamed and deleted": ({A: TEXT}, {B: TEXT}, {}, {B: TEXT}, [(B, DELETED)]),
    "renamed on one side only": ({A: TEXT}, {B: TEXT}, {A: TEXT}, {B: TEXT}, []),
    "renamed alike": ({A: TEXT}, {B: TEXT}, {B: TEXT}, {B: TEXT}, []),
    "renamed differently": ({A: TEXT}, {C: TEXT}, {B: EDITED}, {B: EDITED}, [(B, TORN)]),
    "renamed to where the other adds": (
        {A: TEXT}, {B: TEXT}, {A: EDITED, B: "# U\n\nu\n"}, {B: EDITED + "\n# U\n\nu\n"}, [],
    ),
    "a section moved to another file, and edited where it was": (
        {A: TEXT}, {A: "# T\n\nt\n\n## B\n\nb\n", B: "## A\n\na\n"}, {A: EDITED},
        {A: "# T\n\nt\n\n## B\n\nb\n", B: "## A\n\na, and more\n"}, [],
    ),
    "a section moved to two files, and edited where it was": (
        {A: TEXT}, {A: "# T\n\nt\n\n## B\n\nb\n", B: "## A\n\na\n", C: "## A\n\na\n"}, {A: EDITED},
        {A: EDITED, B: "## A\n\na\n", C: "## A\n\na\n"}, [(A, DELETED)],
    ),
    "a file split in two, and a section edited and one added": (
        {A: TEXT}, {A: "# T\n\nt\n", B: "## A\n\na\n", C: "## B\n\nb\n"}, {A: EDITED + "\n## N\n\nn\n"},
        {A: "# T\n\nt\n\n## N\n\nn\n", B: "## A\n\na, and more\n", C: "## B\n\nb\n"}, [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("base", "ours", "theirs", "expected", "said"), CASES.values(), ids=CASES)
def test_files(base: Files, ours: Files, theirs: Files, expected: Files, said: list[tuple[str, str]]) -> None:
    """Each case reads as it says: an edit follows where its file or section went, and wins over a deletion."""
    done = merged(base, ours, theirs)
    assert texts(done) == expected
    assert [(one.path, one.reason) for one in done.conflicts] == said
    assert not any(one.copy for one in done.conflicts)


def test_a_folder_renamed() -> None:
    """One renames a folder of many files, the other edits each: every edit is in the new folder."""
    base = {f"topics/{number:02}.md": f"# T\n\n{number}\n" for number in range(70)}
    done = merged(
        base,
        {path.replace("topics", "history"): text for path, text in base.items()},
        {path: f"{text}\n## A\n\na\n" for path, text in base.items()},
    )
    assert texts(done) == {path.replace("topics", "history"): f"{text}\n## A\n\na\n" for path, text in base.items()}
    assert done.conflicts == ()


COPY = """\
---
description: "read to settle a conflict in topics/a.md: a text that a merge set aside there"
---

# Set aside in topics/a.md

- [topics/a.md](../../topics/a.md#a) — A: both sides changed it

```markdown
## A

x
```
"""


def test_a_conflict_copy() -> None:
    """Of two texts one stays, the other is a file in inbox/conflicts, named by its content; it can be read back."""
    done = merged({A: TEXT}, {A: TEXT.replace("a\n\n", "x\n\n")}, {A: TEXT.replace("a\n\n", "y\n\n")})
    ((place, data),) = ((path, data) for path, data in done.files.items() if path != A)
    assert done.files[A].decode() == TEXT.replace("a\n\n", "y\n\n")
    assert place.startswith("inbox/conflicts/a-")
    assert data.decode() == COPY
    assert done.conflicts == (Conflict(A, "A", BOTH, place),)
    assert read(place, data, CONFIG) == Copy(A, "a", b"## A\n\nx", "A", BOTH)
    assert read(A, data, CONFIG) is None
    assert read(place, b"# No copy\n", CONFIG) is None


def test_a_settled_conflict_stays_settled() -> None:
    """A conflict copy that one side has deleted is gone after the next merge."""
    both = merged({A: TEXT}, {A: TEXT.replace("a\n\n", "x\n\n")}, {A: TEXT.replace("a\n\n", "y\n\n")})
    kept = {A: both.files[A].decode()}
    done = merged(texts(both), kept, texts(both) | {B: TEXT})
    assert texts(done) == kept | {B: TEXT}
    assert done.conflicts == ()


@pytest.mark.parametrize("path", ["topics/a [b](c) `d` #e.md", "topics/100%.md", "topics/\udcff.md", "topics/笔记.md"])
@pytest.mark.parametrize("text", [b"", b"```\nx\n", b"\xff\0\r", b"---\na: b\n---\n"])
def test_a_copy_of_anything(path: str, text: bytes) -> None:
    """Whatever the path and the bytes, a conflict copy gives both back, and its description can be read."""
    aside = Aside("top", BOTH, text, "笔-记")
    place, data = written(path, aside, CONFIG)
    assert read(place, data, CONFIG) == Copy(path, "笔-记", text, "top", BOTH)
    assert document.read(data).description.startswith("read to settle a conflict in topics/")


class Linked(Tree):
    """A tree in which one path is a symbolic link."""

    def __init__(self, files: dict[str, bytes], link: str) -> None:
        self.files = files
        self.link = link

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, path: str) -> bytes:
        return self.files[path]

    def odd(self, path: str) -> str:
        return "a symbolic link" if path == self.link else ""


def test_what_is_not_ours_to_merge() -> None:
    """Generated pages and the digest are left out; what is no memory, or no regular file, is named."""
    page = MARK.decode()
    base = {"INDEX.md": page, "memtool.yaml": "format: 1\n", "README.md": "r\n", A: TEXT}
    ours = base | {"INDEX.md": page + "1", "memtool.yaml": "format: 1\ntotal: 9 KB\n", ".memtool/digest.md": "d\n"}
    done = merged(base, ours, base | {"INDEX.md": page + "2"})
    assert (texts(done), done.others) == ({A: TEXT}, ("README.md", "memtool.yaml"))
    own = merged({"INDEX.md": "mine\n"}, {"INDEX.md": "mine, too\n"}, {"INDEX.md": "mine\n"})
    assert own.others == ("INDEX.md",)
    link = Linked({A: b"../secret"}, A)
    assert merge({A: b"x\n"}, {A: b"x\n"}, link, config=CONFIG) == Merge({}, (), (), (A,))


def test_copies_where_the_inbox_is_elsewhere() -> None:
    """In a memory with a layout of its own the copies lie in its inbox, and are merged like any memory."""
    config = Config(on_demand=("notes",), inbox="new")
    sides = [{"notes/n.md": f"## A\n\n{text}\n"} for text in "axy"]
    done = merged(sides[0], sides[1], sides[2], config)
    (conflict,) = done.conflicts
    assert conflict.copy.startswith("new/conflicts/n-")
    again = merged(texts(done), texts(done), {"notes/n.md": "## A\n\ny\n"}, config)
    assert (texts(again), again.others) == ({"notes/n.md": "## A\n\ny\n"}, ())


def test_unchanged_files_may_be_left_out() -> None:
    """A merge of only what changed gives the same for it as a merge of all."""
    base, ours, theirs = {A: TEXT, B: TEXT}, {A: EDITED, B: TEXT}, {A: TEXT + "\n## C\n\nc\n", B: TEXT}
    part = merged({A: base[A]}, {A: ours[A]}, {A: theirs[A]})
    assert merged(base, ours, theirs).files == part.files | {B: TEXT.encode()}


def all_words(files: dict[str, bytes]) -> bytes:
    """Give what stands in *files*, of a conflict copy only the text that was set aside."""
    copies = {path: read(path, data, CONFIG) for path, data in files.items()}
    return b"\n".join(copy.text if (copy := copies[path]) else data for path, data in files.items())


@given(trees())
def test_nothing_is_lost_whichever_side_merges(versions: list[dict[str, bytes]]) -> None:
    """Each word that nobody deleted is in the merged tree, a new one as often as its side has it, from either side."""
    base, ours, theirs = versions
    done = merge(base, ours, theirs, config=CONFIG)
    assert done == merge(base, theirs, ours, config=CONFIG)
    old, mine, other, now = (all_words(files) for files in (base, ours, theirs, done.files))
    assert kept_by_all(old, mine, other) <= words(now)
    written = Counter(WORD.findall(mine)) + Counter(WORD.findall(other))
    found = Counter(WORD.findall(now))
    assert {word for word in words(mine, other) - words(old) if found[word] > written[word]} == set()
    assert {one.copy for one in done.conflicts} - {""} == done.files.keys() - {*PATHS, *ours, *theirs}


@given(trees())
def test_a_side_that_changed_nothing_has_no_say(versions: list[dict[str, bytes]]) -> None:
    """Merged with the base, a tree stays as it is; a clone that gets the result has exactly that."""
    base, ours, theirs = versions
    assert merge(base, base, theirs, config=CONFIG) == Merge(theirs, gone(base, theirs), (), ())
    done = merge(base, ours, theirs, config=CONFIG).files
    assert merge(ours, ours, done, config=CONFIG) == Merge(done, gone(ours, done), (), ())
    assert merge(theirs, done, theirs, config=CONFIG) == Merge(done, gone(theirs, done), (), ())


def gone(before: dict[str, bytes], after: dict[str, bytes]) -> tuple[str, ...]:
    return tuple(sorted(before.keys() - after.keys()))


def test_a_void_follows_a_section_whose_links_were_mended_in_the_move() -> None:
    """What one side voids stays void where the other side moved it, and the link there leads where it was mended to."""
    void = "\n> **Void since 2026-08-01:** moved on. It said:\n>\n> Keep 3,000. See [rules](../resident/rules.md).\n"
    base = "# T\n\n## Posts\n\nKeep 3,000. See [rules](../resident/rules.md).\n\n## Code\n\nc\n"
    ours = base.replace("Keep 3,000. See [rules](../resident/rules.md).\n", f"Keep 4,000.\n{void}")
    moved = "# Posts\n\n## Posts\n\nKeep 3,000. See [rules](../../resident/rules.md).\n"
    theirs = {A: b"# T\n\n## Code\n\nc\n", "projects/t/posts.md": moved.encode()}
    done = merge({A: base.encode()}, {A: ours.encode()}, theirs, config=CONFIG)
    assert done == merge({A: base.encode()}, theirs, {A: ours.encode()}, config=CONFIG)
    assert done.files[A] == theirs[A]
    (entry,) = (one for one in entries(done.files["projects/t/posts.md"]) if one.heading == "Posts" and one.level == 2)
    assert entry.live.strip() == b"Keep 4,000."
    assert entry.voids[0].text.strip() == b"Keep 3,000. See [rules](../../resident/rules.md)."
