"""The promises of memtool.core.split.draft: one line by which an agent can tell to open a part."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memtool.core.document import MAX_DESCRIPTION
from memtool.core.lint.routing import weakness
from memtool.core.split.draft import Drafts
from memtool.core.split.names import Names
from memtool.core.split.plan import Cut, Plan, plan
from memtool.errors import MemtoolError

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not beside this checkout")
BIG = sorted([*DATA.glob("big-files/*--*.md"), *DATA.glob("spec/*m.txt")])


def planned(text: str, level: int = 1) -> Plan:
    return plan("notes/big.md", text.encode(), lambda: Names("topics", ()), Cut(level=level))


def drafts(text: str, level: int = 1) -> list[str]:
    made = planned(text, level)
    drafted = Drafts(made)
    return [drafted.of(part) for part in made.parts]


def assert_sound(text: str, title: str) -> None:
    """A description is short, on one line, shows all that it holds, and says when to read."""
    assert len(text.encode()) <= MAX_DESCRIPTION
    assert text == " ".join(text.split())
    kinds = {unicodedata.category(char) for char in text if char not in "\u200c\u200d"}
    assert kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"} == set()
    assert weakness(text, title) == ""


def test_sub_headings_come_first_and_those_of_this_part_before_shared_ones() -> None:
    """What only one part has routes to it; "Summary" in each tells nothing."""
    text = """\
# Storage
## Summary
## Write-ahead log
## Vacuum
# Network
## Summary
## Retries
"""
    assert drafts(text) == [
        "read before Storage: Write-ahead log; Vacuum; Summary",
        "read before Network: Retries; Summary",
    ]


def test_terms_that_only_this_part_stresses_follow() -> None:
    """Bold words, code and what leads a list item or a table row are triggers; what all parts say is none."""
    text = """\
# Storage
**Write-ahead log** is kept by `flush_all`, says the manual.
- Checkpoint: each hour
| Knob | Default |
|---|---|
| page_size | 4 |
# Network
All of it is kept, says the manual. `Default`
"""
    storage, network = drafts(text)
    assert set(storage.removeprefix("read before Storage: ").split("; ")) == {
        *("Write-ahead log", "flush_all", "Checkpoint", "page_size", "Knob"),
    }
    assert network == "read before Network"


def test_names_are_told_from_words_that_start_a_sentence() -> None:
    """A word with a capital letter is a name only where it is never written small and starts no sentence."""
    text = "# One\nWe asked Ada Lovelace. Never ask twice. So We Never did.\n# Two\nBut never mind.\n# Three\nno\n"
    assert drafts(text)[0] == "read before One: Ada Lovelace"


def test_the_headings_above_are_named_as_far_as_there_is_room() -> None:
    """A part says where it stands, and drops the outermost headings first."""
    made = drafts(f"# Manual\n## Set up\n{'x ' * 2000}\n### Linux\n{'y ' * 3000}\n### macOS\n{'z ' * 3000}\n", 3)
    assert made[-1].startswith("read before Manual › Set up › macOS")
    above = "A very long heading that leaves no room for others"
    assert drafts(f"# {above}\n{'x ' * 2000}\n## Some more words, not too few\na\n## B\n", 2)[1:] == [
        "read before Some more words, not too few",
        f"read before {above} › B",
    ]


@pytest.mark.parametrize("heading", ["2026-07-14", "1.2.0", "v2.0"])
def test_a_heading_that_is_a_date_or_a_number_is_named(heading: str) -> None:
    """What has no words is the name of its part all the same."""
    assert drafts(f"# {heading}\n# Other\n")[0] == f"read before {heading}"


def test_dated_sections_of_one_part_are_named_by_the_first_and_the_last() -> None:
    """Dates and versions tell where a day or a release is; one by one they would leave no room for what happened."""
    text = "# Log\n## 2026-07-14\nMoved `alpha`.\n## 2026-07-13\n## 2026-07-12\n# Plans\n## v1.0 - May\n## v2.0 - May\n"
    assert drafts(text) == [
        "read before Log: 2026-07-14 – 2026-07-12; alpha",
        "read before Plans: v1.0 - May – v2.0 - May",
    ]


def test_numbers_and_dates_in_the_text_are_no_triggers() -> None:
    """A number alone says nothing of what a part is about."""
    assert drafts("# A\n**2026** `1.2` 100 %\n- 2026-07-14: 7\n# B\n")[0] == "read before A"


def test_chinese_headings_get_a_chinese_draft() -> None:
    """The description speaks the language of what it describes."""
    assert drafts("# 数据库\n## 备份\n## 恢复：从备份\n# 网络\n## 重试\n") == [
        "涉及“数据库”前先读：备份；恢复：从备份",
        "涉及“网络”前先读：重试",
    ]


TITLES = (
    "About",
    "This file",
    "关于本项目",
    "有关",
    "概要",
    "データベースの概要",
    "설치 방법",
    "ডাটাবেস",
    "การติดตั้ง",
    "🎉",
    "!?",
)


@pytest.mark.parametrize("title", TITLES)
def test_no_title_makes_a_draft_weak(title: str) -> None:
    """In any script, and for titles that say nothing, the draft names an occasion to read the part."""
    for text in drafts(f"# {title}\n# {title}\nMore `words`.\n"):
        assert_sound(text, title)
        assert title.casefold() in text.casefold()


def test_a_part_without_a_title_is_named_after_its_file() -> None:
    """An empty heading leaves the name of the source to say what it is."""
    assert drafts("#\n# B\n")[0] == "read before big"


def test_no_secret_and_no_key_gets_into_a_draft() -> None:
    """A description is read at each start: no credential is copied there, nor what looks like one."""
    token = "ghp_" + "a1B2c3D4e5" * 4
    text = f"""\
# Deploy
## Token {token}
**{token}** and `{token}`
- password: Tr0ub4dor&3x
The run 0123abcd9f and `Zm9vYmFyQmF6UXV4MTIzNDU2Nzg5` of **3f2a9c1d-77aa-4b1e-9c55-0123456789ab** went well.
# {token}
"""
    assert drafts(text) == ["read before Deploy", "read before big"]


def test_what_does_not_fit_is_left_out_whole() -> None:
    """A draft ends with a whole trigger, and a long heading with a whole word."""
    names = [f"Section of {word * 4}" for word in ("alpha", "beta", "gamma", "delta", "theta", "kappa", "sigma")]
    head, colon, triggers = drafts("# Big\n" + "".join(f"## {name}\n" for name in names) + "# Z\n")[0].partition(": ")
    assert (head, colon) == ("read before Big", ": ")
    assert set(triggers.split("; ")) <= set(names)
    title = "words " * 11 + "end of the matter"
    assert drafts(f"# {title}\n# Z\n")[0] == "read before " + title.removesuffix(" of the matter")
    explained = "## The lock file — who writes it, when, and what happens where two of them meet\n"
    assert drafts(f"# Big\n{explained}# Z\n")[0] == "read before Big: The lock file"


@given(
    st.lists(
        st.tuples(st.text(max_size=40), st.text(st.characters(codec="utf-8") | st.sampled_from("*`_|-: \n"))),
        min_size=2,
        max_size=6,
    )
)
def test_any_text_gets_a_sound_draft_and_the_same_each_time(sections: list[tuple[str, str]]) -> None:
    """Whatever stands in a file, each part's description is short, visible, not weak, and never changes by itself."""
    try:
        made = planned("".join(f"# {' '.join(title.split())}\n\n{text}\n\n" for title, text in sections))
    except MemtoolError:
        assume(False)
    first, second = Drafts(made), Drafts(made)
    for part in made.parts:
        assert_sound(first.of(part), part.title)
        assert first.of(part) == second.of(part)


@needs_data
@pytest.mark.parametrize("path", BIG, ids=lambda path: path.name)
def test_the_parts_of_a_real_file_are_told_apart(path: Path) -> None:
    """No two parts of one file have the same description, and each says more than its heading."""
    try:
        made = plan("notes/big.md", path.read_bytes(), lambda: Names("topics", ()), Cut())
    except MemtoolError:
        pytest.skip("one heading only")
    drafted = Drafts(made)
    texts = [drafted.of(part) for part in made.parts]
    for text, part in zip(texts, made.parts, strict=True):
        assert_sound(text, part.title)
        assert ": " in text or "：" in text
    assert len(set(texts)) == len(texts)
