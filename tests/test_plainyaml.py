"""YAML as memtool reads it: two readers, one meaning, and errors that a person can act on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memtool.core.plainyaml import BadYaml, load, quote, quoted

DATA = Path(__file__).parent.parent.parent / "shared" / "data" / "front-matter" / "front-matter.jsonl"

keys = st.sampled_from(["a", "b", "a-b", "_x9", "no", "é", "a.b", "description"])
ODD = """a|no|012|10:00|~|read before git|x: y|'q'|"q"|[a, b]|[a, 'b']|{a: b}||- x|#c|a #c|a#c|&x|*x|!t|>|@x|`x`|%x|中文
a:|:a|[|]|-|--|a\tb|é|\u2028|null|=|<<""".replace("\n", "|").split("|")
words = st.sampled_from([*ODD, "|"])


@st.composite
def yaml_like(draw: st.DrawFn) -> str:
    """Lines that are nearly YAML: keys, dashes, indentation, comments, odd values."""
    lines = []
    for _ in range(draw(st.integers(0, 6))):
        indent = " " * draw(st.sampled_from([0, 0, 0, 2, 2, 4, 1]))
        start = draw(st.sampled_from(["", "", "- ", "-   "]))
        key = draw(st.one_of(st.just(""), keys.map(lambda k: k + ":"), keys.map(lambda k: k + ": ")))
        lines.append(indent + start + key + draw(words))
    return "\n".join(lines)


def by_pyyaml(text: str) -> Any:
    """Read by PyYAML's own composer, scalars as strings: the meaning that both of ours are held to."""
    return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 (it builds strings, lists and dicts only)


@given(yaml_like())
def test_both_readers_give_pyyamls_meaning(text: str) -> None:
    """Whatever the plain reader accepts, PyYAML reads the same; and so does the full reader."""
    try:
        value = load(text)
    except BadYaml:
        return
    assert (value or "") == (by_pyyaml(text) or "")


def refusal(text: str) -> BadYaml | None:
    try:
        load(text)
    except BadYaml as error:
        return error
    return None


@given(yaml_like())
def test_a_text_is_refused_by_name_or_read_never_left_in_a_traceback(text: str) -> None:
    """Every refusal names a line of the text."""
    error = refusal(text)
    assert error is None or (1 <= error.line <= text.count("\n") + 2 and error.message)


@given(st.text(max_size=60))
def test_a_quoted_value_reads_back_equal_by_every_reader(value: str) -> None:
    """What memtool offers to paste is YAML for PyYAML too, and means what it meant."""
    if any(0xD800 <= ord(char) < 0xE000 for char in value):
        return
    line = f"description: {quote(value)}"
    assert "\n" not in line
    assert yaml.safe_load(line) == {"description": value}


@pytest.mark.parametrize(
    "value", ["no", "yes", "10:00", "012", "1_000", "2026-01-02", "1e3", "null", "~", "0x1F", "on"]
)
def test_scalars_stay_as_written(value: str) -> None:
    """YAML 1.1 would make False, 600 and 10 of `no`, `10:00` and `012`; here they are text."""
    assert load(f"a: {value}") == {"a": value}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: 1\na: 2", 2, "stands twice, on lines 1 and 2"),
        ("a: &x [1]\nb: *x", 1, "anchors"),
        ("a: !!python/object x", 1, "tag"),
        ("x: " + "[" * 20, 1, "levels deep"),
        ("x: " + "[" * 2000, 1, "deep|depth"),
        ("a: b\n---\nc: d", 2, "second YAML document"),
        ("a: 'open", 1, "not YAML"),
        ("? [a]\n: b", 1, "where a key should"),
        ("a: b\n\tc: d", 2, "not YAML"),
        ("a: \x07", 1, "not YAML"),
    ],
)
def test_what_is_not_read_is_named_with_its_line(text: str, line: int, said: str) -> None:
    """Duplicate keys, anchors, tags, deep nesting, second documents and broken YAML end as one named error."""
    with pytest.raises(BadYaml, match=said) as error:
        load(text)
    assert error.value.line == line


def test_an_alias_bomb_a_long_number_and_a_wrong_date_are_harmless() -> None:
    """No expansion, no integer, no date is ever built of what a file says."""
    bomb = "a: &a [x, x]\n" + "\n".join(
        f"{new}: &{new} [*{old}, *{old}]" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    with pytest.raises(BadYaml, match="anchors"):
        load(bomb)
    assert load("n: " + "9" * 5000) == {"n": "9" * 5000}
    assert load("d: 2026-02-31") == {"d": "2026-02-31"}


def test_size_is_bounded_and_a_large_block_below_the_bound_is_read() -> None:
    """7 KiB without aliases pass; over 8 KB is refused before anything is parsed."""
    assert load("a: " + "x" * 7168) == {"a": "x" * 7168}
    with pytest.raises(BadYaml, match="at most 8,192"):
        load("a: [" * 100_000)


@pytest.mark.parametrize(
    ("line", "fixed"),
    [
        ("description: read before: git ops", 'description: "read before: git ops"'),
        ("args: [a] | --b", 'args: "[a] | --b"'),
        ("created: {{date}}", 'created: "{{date}}"'),
        ("  - name: a: b", '  - name: "a: b"'),
        ("- a: b: c", '- a: "b: c"'),
        ('x: "a" b', 'x: "\\"a\\" b"'),
        ("x: 'it's'", 'x: "it\'s"'),
        ("no key here", ""),
    ],
)
def test_the_offered_line_is_the_users_own_value_quoted(line: str, fixed: str) -> None:
    """The form to paste keeps indentation, dash, key and value."""
    assert quoted(line) == fixed
    if fixed:
        by_pyyaml(fixed.strip())


@pytest.mark.skipif(not DATA.exists(), reason="needs ../shared/data/front-matter")
def test_every_real_block_is_read_or_named_with_a_line_that_can_be_pasted() -> None:
    """1,117 blocks that people wrote: what PyYAML reads is read; the rest is named, and its offered line is YAML."""
    count = 0
    for row in map(json.loads, DATA.read_text().splitlines()):
        text = "\n".join(row["raw"].replace("\r\n", "\n").strip("\n").split("\n")[1:-1])
        count += 1
        error = refusal(text)
        assert (error is None) == (row["yaml"] != "error"), row["path"]
        if error is None:
            assert load(text) == (by_pyyaml(text) or ""), row["path"]
        else:
            assert by_pyyaml(error.hint.strip()), row["path"]
    assert count == 1117
