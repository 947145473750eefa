"""The promises of memtool.core.blocks: markdown-it-py's headings, without markdown-it-py.

The two part on what DEPARTURES lists; millions of generated documents have shown nothing else.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from memtool.core.blocks import Heading, headings, lines

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not beside this checkout")
slow = pytest.mark.skipif(not os.environ.get("MEMTOOL_SLOW"), reason="takes minutes; set MEMTOOL_SLOW to run it")

MARKDOWN = MarkdownIt("commonmark", {"maxNesting": 10_000}).disable("inline")
BOM = b"\xef\xbb\xbf"

Found = tuple[int, int, int, str]
"""Level, first line, last line, both from 1, and text."""


KINDS_OF = {"fence": {"code"}, "code_block": {"code", "blank"}, "html_block": {"html"}}


class Theirs(NamedTuple):
    """What markdown-it-py finds."""

    headings: list[Found]
    kinds: list[set[str]]
    """By line, what may be said of it."""
    definitions: list[tuple[int, int]]
    """The lines of each reference definition, from 0."""


def theirs(data: bytes) -> Theirs:
    env: dict[str, Any] = {}
    tokens = MARKDOWN.parse(data.removeprefix(BOM).decode("utf-8", "replace"), env)
    found = []
    kinds = [{"text", "blank"} for _ in data.splitlines()]
    for token, following in pairwise([*tokens, Token("", "", 0)]):
        start, end = token.map or (0, 0)
        if token.type in KINDS_OF:
            kinds[start:end] = [KINDS_OF[token.type]] * (end - start)
        elif token.type == "heading_open" and token.level == 0:
            kinds[start:end] = [{"heading"}] * (end - start)
            found.append((int(token.tag[1:]), start + 1, end, following.content.strip()))
    if data and not data.splitlines()[-1].strip(b" \t") and not data.endswith((b"\n", b"\r")):
        kinds[-1] = {"blank", "code", "html"}  # they leave such a line out
    references = [*env.get("references", {}).values(), *env.get("duplicate_refs", [])]
    return Theirs(found, kinds, [(one["map"][0], one["map"][1]) for one in references])


def ours(data: bytes) -> list[Found]:
    starts = {start: number for number, (_, start, _) in enumerate(lines(data), start=1)} | {len(data): None}
    last = len(starts) - 1

    def found(heading: Heading) -> Found:
        text = re.sub(r"\r\n?", "\n", heading.text.decode("utf-8", "replace")).replace("\0", "\ufffd").strip()
        assert starts[heading.start] == heading.line, "a heading starts with its line"
        after = starts[heading.end]
        end = last if after is None else after - 1
        assert heading.setext == (end > heading.line), "only a setext heading has more lines than one"
        return heading.level, heading.line, end, text

    return [found(heading) for heading in headings(data)]


def differ(data: bytes) -> bool:
    """Tell whether the headings, or what kind each line is, are not the same."""
    known = theirs(data)
    kinds = [kind for kind, _, _ in lines(data)]
    return ours(data) != known.headings or any(kind not in may for kind, may in zip(kinds, known.kinds, strict=True))


def front_matter_cut(data: bytes) -> bytes:
    """Give the body, as the callers of the scanner do."""
    found = re.match(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?s:.*?)\n---[ \t]*\r?\n", data)
    return data[found.end() :] if found else data


def spec_examples() -> list[bytes]:
    files = sorted((DATA / "spec").glob("*.jsonl"))
    rows = [json.loads(row) for file in files for row in file.read_text("utf-8").splitlines()]
    return list(dict.fromkeys(row["markdown"].encode() for row in rows))


# --- where the two part ----------------------------------------------------------------------------------------------

DEPARTURES: list[tuple[str, bytes, list[Found]]] = [
    # A setext underline ends its paragraph (CommonMark 4.3: the lines are those that "would be interpreted as a
    # paragraph, were they not followed by the underline"); markdown-it-py reads a definition across it.
    ("underline in a label", b"[a\n===\n]: /u\n", [(1, 1, 2, "[a")]),
    ("underline as a destination", b"[a]:\n=\n", [(1, 1, 2, "[a]:")]),
    ("underline in a title", b"[a]: /u\n'\n=\n'\n", [(1, 2, 3, "'")]),
    # A definition is one whatever it points to; markdown-it-py refuses the schemes that it would not link to.
    ("scheme that is not linked", b"[a]: javascript:x\n===\n", []),
    # The second line can be no title, so the definition ends before it; markdown-it-py takes the empty title for none
    # and gives up the whole definition.
    ("empty title with text behind it", b'[a]: /u\n"" x\n===\n', [(1, 2, 3, '"" x')]),
    # Whether a title ends is only known when it does. Until then its lines are a paragraph here, as in the reference
    # implementation; markdown-it-py looks ahead, and reads the first of them anew where the title has no end.
    ("indented title without an end", b"[a]: /u\n    'b\nc\n===\n", [(1, 2, 4, "'b\nc")]),
    ("lazy title without an end", b"> [a]: /u\n'b\n===\n", []),
    # In a destination a backslash escapes punctuation only; markdown-it-py lets it swallow a control character, the
    # line end included.
    ("backslash at the end of a destination", b"[a]: b\\\n'c'\n===\n", []),
    ("backslash before a tab", b"[a]: b\\\tc\n===\n", [(1, 1, 2, "[a]: b\\\tc")]),
    ("backslash before a space", b"[a]: \\ \n===\n", []),
    # Four columns of indentation are too many for a block's first line, so it lazily continues the paragraph above, or
    # is code; markdown-it-py does not count them before the mark of an open quote, nor where the line stands left of
    # a list item or behind two quotes.
    ("quote mark indented by four", b">\n    > a\nb\n---\n", [(2, 3, 4, "b")]),
    ("heading indented by four, behind two quotes", b">> a\n    # b\nc\n-\n", []),
    ("fence indented by four, left of its item", b"1.   a\n    ```\nb\n-\n", []),
    ("heading indented by four, left of its item", b"10.   a\n    # b\nc\n-\n", []),
    ("tag indented by a tab, left of its item", b" 1.  a\n\t<div\nb\n-\n", []),
    ("item indented by four, left of its item", b"   - - b\n    1.\na\n-\n", []),
    # A tab goes on to the next multiple of four columns of the line; behind two quote marks markdown-it-py miscounts.
    ("tab behind two quote marks", b">>- \ta\nb\n===\n", [(1, 2, 3, "b")]),
    # Only ASCII white space is white space within a tag and a label; markdown-it-py takes Unicode's as well.
    ("no-break space behind a tag", b"<a>\xc2\xa0\n# h\n", [(1, 2, 2, "h")]),
    ("no-break space in a tag", b"<p\xc2\xa0\n# h\n", [(1, 2, 2, "h")]),
    ("no-break space as a label", b"[\xc2\xa0]: /u\n===\n", []),
]


def departs(data: bytes) -> bool:
    """Tell whether *data* shows what one of DEPARTURES is about, so that a difference is no news."""
    text = re.sub(r"\r\n?", "\n", data.decode("utf-8", "replace"))
    rows = text.split("\n")
    inner = [row for start, end in theirs(data).definitions for row in rows[start + 1 : end]]
    return (
        any(re.search(r"^[ \t>]*(=+|-+)[ \t]*$", row) for row in inner)
        or any(re.search(signs, text) for signs in DEPARTURE_SIGNS)
        or ("]:" in text and any(re.search(signs, text) for signs in DEFINITION_SIGNS))
    )


DEPARTURE_SIGNS = (
    r"(?ms)^ *([>*+-]|\d+[.)]).*^[ \t>]*( {4}|\t)[ \t]*[>#<`~*+_\d-]",  # a container, then a mark indented by four
    r">.*>.*\t",
    r"(?s)[^\S \t\n\v\f].*(<|\]:)|(<|\]:).*[^\S \t\n\v\f]",
)
DEFINITION_SIGNS = (r"(?i)(javascript|vbscript|file|data)", r"\\[\x00-\x20\x7f]", r"""(?m)^[ \t>]*["'(]""")


@pytest.mark.parametrize(("data", "expected"), [row[1:] for row in DEPARTURES], ids=[row[0] for row in DEPARTURES])
def test_departures(data: bytes, expected: list[Found]) -> None:
    """Where markdown-it-py leaves CommonMark, the headings are CommonMark's."""
    assert ours(data) == expected
    assert not differ(data) or departs(data), "the property below excuses this difference"


# --- agreement -------------------------------------------------------------------------------------------------------


@needs_data
def test_every_example_of_the_specification() -> None:
    """Each example of CommonMark and GFM has exactly the headings, code and HTML that markdown-it-py finds in it."""
    examples = spec_examples()
    assert len(examples) > 700
    for data in examples:
        assert not differ(data), data


@needs_data
def test_pairs_of_examples() -> None:
    """Whatever an example leaves open, the one behind it is still read as markdown-it-py reads it."""
    examples = spec_examples()
    chance = random.Random(31)
    for _ in range(3_000):
        data = chance.choice(examples) + chance.choice(examples)
        assert not differ(data) or departs(data), data


@needs_data
def test_every_example_cut_short() -> None:
    """After any line of an example the same blocks are open: a line that follows is code, text or a heading alike."""
    for data in spec_examples():
        for cut in accumulate(data.splitlines(keepends=True)):
            for probe in (b"    p\n", b"# p\n", b"p\n===\n"):
                assert not differ(cut + probe) or departs(cut + probe), cut + probe


CLOSE_CALLS = [
    b"123456789. a\n\n           # in it\n",
    b"1234567890. a\n===\n",
    b"-\n # h\n",
    b"-\n\n      code\n",
    b"-\n  a\n\n      # in it\n",
    b"-\n      code\n",
    b"> -\n>\n>       code\n",
    b"- -\n\n      code\n",
    b"1)\n\n    code\n",
    b"1) a\n\n       # in it\n",
    b"a\n-\n",
    b"a\n*\nb\n===\n",
    b"a\n1.\nb\n===\n",
    b"- - a -\n\n      # in it\n",
    b"- -\na\n---\n",
    b"-\ta\n\n    # in it\n",
    b" -\ta\n\n    # in it\n",
    b"-\t\tcode\n",
    b"-   \tcode\n",
    b">\tno code\n>\t\tcode\n",
    b"[a]: " + b"(" * 32 + b")" * 32 + b"\n===\n",
    b"[a]: " + b"(" * 33 + b")" * 33 + b"\n===\n",
    b"[a]: b)\n===\n",
    b"[\na\n]: b\n===\n",
    b"[\n]: b\n===\n",
    b"[]: b\n===\n",
    b"[a]:\n<b>\n'c'\n===\nd\n===\n",
    b"[a]: <b>'c'\n===\n",
    b"[a]: <b>c\n===\n",
    b"[a]: b 'c' d\n===\n",
    b"[a]: b\n'c' d\n===\n",
    b"[a]: b (c(d)\n===\n",
    b"[a\\]]: b\n===\n",
    b"<a b=>\n# h\n",
    b"<a b='>\n# h\n",
    b"<a b = 'c' d=\"e\" f=g/ h />\n# no\n",
    b"<a b='c'd>\n# h\n",
    b"<a/ >\n# h\n",
    b"</a b>\n# h\n",
    b"</a >\n# no\n",
    b"<p\x0c\n# no\n",
    b"<PRE>\n\n# no\n</pRe>\n# h\n",
    # Where CommonMark leaves room, the definition is markdown-it-py's: what follows one continues no paragraph.
    b"[a]: /u\n    code\n===\n",
    b"[a]: /u\n2. item\n===\n",
    b"[a]: /u\n-\n===\n",
    b"> [a]: /u\nb\n===\n",
    # A list mark ends the search for the rest of a definition even where it interrupts no paragraph.
    b'[a]: /u\n"b\n2. c"\n===\n',
]


@pytest.mark.parametrize("data", CLOSE_CALLS)
def test_close_calls(data: bytes) -> None:
    """What is one byte away from another reading is read as markdown-it-py reads it."""
    assert not differ(data)


@slow
@pytest.mark.slow
@needs_data
def test_every_pair_of_examples() -> None:
    """The same for every ordered pair, half a million."""
    examples = spec_examples()
    for first in examples:
        for second in examples:
            assert not differ(first + second) or departs(first + second), first + second


@needs_data
@pytest.mark.parametrize("pattern", ["spec/*.txt", "big-files/*.md"])
def test_whole_files(pattern: str) -> None:
    """Real files, and the specifications with their hundreds of fenced headings, have markdown-it-py's headings."""
    files = [front_matter_cut(path.read_bytes()) for path in sorted(DATA.glob(pattern))]
    assert files
    for data in files:
        assert not differ(data)


FRAGMENTS = (
    *("a", "b c", "#", "##", "# a", "## b ##", "#######", "#x", "---", "===", "-", "=", "--", "***", "* * *", "_ _ _"),
    *("- ", "- a", "-", "* ", "+ ", "1. ", "1)", "2. ", "10. ", "- - -", "> ", ">", " ", "  ", "   ", "    ", "\t"),
    *("```", "~~~", "````", "``` x", "```x`", "<!--", "-->", "<div>", "</div>", "<p", "<a>", "<b c='d'>", "<b c=d/>"),
    *("<pre>", "</pre>", "<?", "?>", "<!A", "<![CDATA[", "]]>", "<", ">", "/>", "[a]: b", "[a]:", "[a", "]: /u", "["),
    *("]", "]:", "<u v>", '"', "'", "(", ")", "'t'", '"t"', "(t)", "\\", "&", "|", "\0", "\x0b", "\x0c", "é", "一"),
)
ENDS = ("\n",) * 12 + ("\n\n",) * 3 + ("\r\n", "\r", "\n \n", "\x0c", "\x0b", "\x1c", "\x85", "\xa0", "\u2028", "")

hostile = st.lists(
    st.builds(
        lambda parts, end: "".join(parts) + end, st.lists(st.sampled_from(FRAGMENTS), max_size=5), st.sampled_from(ENDS)
    ),
    max_size=12,
).map(lambda rows: "".join(rows).encode())


@settings(max_examples=20_000 if os.environ.get("MEMTOOL_SLOW") else 500, deadline=None)
@given(hostile)
def test_hostile_lines(data: bytes) -> None:
    """Any heap of block marks is read as markdown-it-py reads it."""
    try:
        assert not differ(data) or departs(data)
    except IndexError:  # markdown-it-py 4.3 fails on ">- <?\n>": an open HTML block in an item, in a quote, at the end
        return


@settings(deadline=None)
@given(st.binary() | hostile)
@example(b"")
@example(BOM)
@example(BOM + b"\n")
@example(b"\r\n\r")
@example(b"a\n=")
@example(b">- <?\n>")
def test_any_bytes(data: bytes) -> None:
    """Any bytes are cut into lines without loss, and the headings are the lines of that kind, in order."""
    cut = list(lines(data))
    assert b"".join(data[start:end] for _, start, end in cut) == data
    assert [data[start:end] for _, start, end in cut] == data.splitlines(keepends=True)
    assert {kind for kind, _, _ in cut} <= {"blank", "heading", "text", "code", "html"}
    marked = [(start, end) for kind, start, end in cut if kind == "heading"]
    assert [span for heading in headings(data) for span in cut_span(cut, heading)] == marked


def cut_span(cut: list[tuple[str, int, int]], heading: Heading) -> list[tuple[int, int]]:
    return [(start, end) for _, start, end in cut if heading.start <= start < heading.end]


# --- by example ------------------------------------------------------------------------------------------------------


def test_heading() -> None:
    """A heading tells its level, bytes, line and text; an underline belongs to it, a closing run of # does not."""
    data = b"# One ##\n\nTwo\r\nlines \r\n---\r\n> # no\n\n- # no\n"
    assert headings(data) == [
        Heading(1, 0, 9, 1, b"One", setext=False),
        Heading(2, 10, 28, 3, b"Two\r\nlines", setext=True),
    ]


def test_byte_order_mark() -> None:
    """A byte order mark hides no heading; offsets count it, and the first line begins before it."""
    assert headings(BOM + b"# a\n") == [Heading(1, 0, 7, 1, b"a", setext=False)]
    assert headings(BOM + b"a\n=\n") == [Heading(1, 0, 7, 1, b"a", setext=True)]
    assert headings(b"\n" + BOM + b"# a\n") == []


def test_line_ends() -> None:
    """Lines end at LF, CRLF and CR; form feed, U+0085 and U+2028 are letters like others."""
    assert [heading.line for heading in headings(b"# a\r# b\r\n# c\n\r# d")] == [1, 2, 3, 5]
    assert headings("a\x0c# a\x0b# a\x85# a\u2028# a".encode()) == []


KINDS = """\
heading|# title
text   |prose
blank  |
text   |- # a heading within a list
text   |  prose
blank  |>
text   |> prose
text   |that goes on lazily
blank  |
heading|two lines
heading|over a rule
heading|---
text   |[label]: /url
text   |'title'
text   |---
code   |    indented
blank  |
code   |    code
code   |~~~ sh
code   |
code   |# no heading
code   |~~~
code   |- ```
code   |
code   |  in a list
text   |prose, for the list has ended
html   |<!-- comment
html   |
html   |# no heading --> still
html   |<div>
html   |# no heading
blank  |
text   |prose
text   |    goes on indented
"""


def test_kinds() -> None:
    """Each line has a kind: what is no code, HTML, heading or blank is text, within containers too."""
    rows = [row.partition("|") for row in KINDS.splitlines()]
    data = "".join(line + "\n" for _, _, line in rows).encode()
    told = [f"{kind:7}|{data[start : end - 1].decode()}" for kind, start, end in lines(data)]
    assert "\n".join(told) + "\n" == KINDS


def test_nested_without_end() -> None:
    """However deep the nesting, what stands behind it is found."""
    for deep in (b"> " * 50_000, b"- " * 50_000, b"1. > " * 20_000, b">" * 100_000):
        data = deep + b"a\n" + b"\n" * 1_000 + b"# after\n"
        assert [heading.text for heading in headings(data)] == [b"after"]


def test_first_lines_first() -> None:
    """What stands above a heading is told before anything below the heading is read."""
    told = lines(b"# a\n" + b"b\n" * 10)
    assert next(told) == ("heading", 0, 4)


def test_imports() -> None:
    """The scanner loads nothing that git would wait for at every commit."""
    code = "import sys; old = set(sys.modules); import memtool.core.blocks; print(*sorted(set(sys.modules) - old))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    cheap = {"__future__", "_bisect", "bisect", "itertools"}
    assert {name for name in loaded if not name.startswith("memtool")} <= cheap
