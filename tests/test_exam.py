"""The promises of memtool.core.exam: what is read, what is refused, how an answer is marked, who else passes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtool.core.exam import report
from memtool.core.exam.case import SURFACES, Case, Control, Expect, Forbid, Op, Stale, flaws, folded
from memtool.core.exam.derived import derived
from memtool.core.exam.engine import DeleteAll, Engine, Nothing, Unsupported
from memtool.core.exam.reading import MAX_BYTES, read
from memtool.core.exam.report import Rate
from memtool.core.exam.sitting import examine, sit
from memtool.core.exam.verdict import MARKS, Answer, Hit, Verdict, judge
from memtool.errors import MemtoolError

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data" / "forgeteval" / "cases.jsonl"
needs_data = pytest.mark.skipif(not DATA.is_file(), reason="../shared/data is not beside this checkout")


class Shelf:
    """A memory in a list: a query fits a text that shares a word with it."""

    def __init__(self, *, marks: bool = True, refuses: str = "", loses: str = "") -> None:
        self.marks = marks
        """Whether what was replaced comes out with a qualifier; else it comes out bare."""
        self.refuses = refuses
        self.loses = loses
        """A command that is carried out and writes nothing."""
        self.hits: list[Hit] = []
        self.number = 0

    def reset(self, fixture: str) -> None:
        if fixture:
            raise MemtoolError(f"{fixture}: no such folder")
        self.hits = []
        self.number = 0

    def do(self, op: str, args: Mapping[str, str], /) -> Mapping[str, str]:
        if op not in {"remember", "revise", "forget"}:
            raise Unsupported(f"no command `{op}`")
        if op == self.refuses:
            raise MemtoolError("not by me")
        at = [hit.ref for hit in self.hits].index(args["ref"]) if "ref" in args else -1
        if op == "forget":
            del self.hits[at]
        if op == "revise":
            self.hits[at] = self.hits[at].replace(qualifier="was replaced" * self.marks, status="void")
        made = Op(op, args)
        if not made.written or op == self.loses:
            return {}
        self.number += 1
        self.hits.append(Hit(f"a.md#{self.number}@012345", made.written))
        return {made.gives: self.hits[-1].ref}

    def ask(self, surface: str, query: str, *, k: int, budget: int) -> Answer:
        if surface != "recall":
            raise Unsupported(f"no surface `{surface}`")
        if not query.strip("?"):
            raise MemtoolError("a query has words")
        words = set(folded(query).split())
        found = [hit for hit in reversed(self.hits) if words & set(folded(hit.text).split())][:k]
        return answer(*found, cut=budget or None)


def answer(*hits: Hit, cut: int | None = None) -> Answer:
    return Answer(hits, "\n".join(hit.text for hit in hits).encode()[:cut])


def cases_of(text: str, path: str = "exam.yaml") -> list[Case]:
    cases, warnings = read(text.encode(), path)
    assert not warnings
    return cases


# --- reading ---------------------------------------------------------------------------------------------------------


def test_the_case_of_the_manual_is_read_and_passed() -> None:
    """What docs/eval.md shows is a case, and a memory that does right passes it; one that marks nothing does not."""
    text = (ROOT / "docs" / "eval.md").read_text().partition("```yaml\n")[2].partition("```")[0]
    (case,) = cases_of(text)
    assert (case.id, case.k, case.budget, case.place) == ("home-moved", 3, 2048, "exam.yaml:1")
    assert case.ops[0].written == "I live in Lisbon"
    assert case.control == Control(("doctor",), "where is my doctor")
    assert [verdict.outcome for verdict in examine([case], Shelf())] == ["PASS"]
    assert [verdict.outcome for verdict in examine([case], Shelf(marks=False))] == ["STALE"]


names = st.text("abc-", min_size=1, max_size=4)
words = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=8).filter(folded)
texts = st.lists(words, min_size=1, max_size=2)
case_values = st.fixed_dictionaries(
    {"id": names, "query": words, "expect": st.fixed_dictionaries({"text_all": texts})},
    optional={
        "tags": texts,
        "k": st.integers(1, 9),
        "budget": st.integers(1, 9999),
        "setup": st.lists(st.fixed_dictionaries({"remember": st.fixed_dictionaries({"text": words, "as": names})})),
        "ops": st.just([{"jobs": "all"}]),
        "forbid": st.fixed_dictionaries({"refs": st.just(["a.md#b"]), "probe": st.booleans()}),
        "control": st.fixed_dictionaries({"refs": st.just(["a.md"]), "query": words}),
    },
)


def plain(case: Case) -> Case:
    """Give *case* without its lines, which differ by the form it was written in."""
    ops, setup = (tuple(op.replace(line=0) for op in group) for group in (case.ops, case.setup))
    return case.replace(place="", ops=ops, setup=setup)


@given(st.lists(case_values, min_size=1, max_size=2, unique_by=lambda value: value["id"]))
def test_a_list_documents_and_lines_are_the_same_exam(values: list[dict[str, Any]]) -> None:
    """One exam reads alike as a YAML list, as YAML documents and as JSON lines."""
    rows = [json.dumps(value) for value in values]
    spread = [json.dumps(value, indent=1, ensure_ascii=False) for value in values]
    as_lines = cases_of("\n".join(rows), "exam.jsonl")
    assert [case.place for case in as_lines] == [f"exam.jsonl:{at}" for at in range(1, len(rows) + 1)]
    assert list(map(plain, cases_of("[" + ",\n".join(spread) + "]"))) == list(map(plain, as_lines))
    assert list(map(plain, cases_of("".join(f"---\n{one}\n" for one in spread)))) == list(map(plain, as_lines))


def test_every_document_knows_its_lines() -> None:
    """The place of a case and of a command is the line of the file, whatever stands before it."""
    common = "query: q\nabstain: true\n"
    text = f"# about\n---\nid: a\n{common}--- # more\n# why\n\nid: b\nops:\n  - jobs: all\n{common}"
    first, second = cases_of(text)
    assert (first.place, second.place, second.ops) == ("exam.yaml:3", "exam.yaml:9", (Op("jobs", {"what": "all"}, 11),))


def test_a_byte_order_mark_is_no_text() -> None:
    """A file that an editor marked as UTF-8 reads as it would without the mark, JSON too."""
    assert cases_of('\ufeff{"id": "a", "query": "q", "abstain": true}', "e.jsonl")[0].id == "a"
    assert cases_of("\ufeffid: a\r\nquery: q\r\nabstain: true\r\n")[0].query == "q"


def test_a_file_that_is_no_exam_by_its_size_is_not_read() -> None:
    """What is over 16 MB is refused before it is parsed, with both sizes."""
    with pytest.raises(MemtoolError, match="16,777,217 bytes; at most 16,777,216"):
        read(b"#" * (MAX_BYTES + 1), "e.yaml")


GOOD = "query: q\nexpect: {text_all: [x]}\n"
BAD = [
    ("", 1, "no case"),
    ("- 1\n", 1, "keys are expected"),
    ("id: [a]\n", 1, "id: a text is expected"),
    (GOOD, 1, "needs an `id`"),
    (f"id: a\n{GOOD}k: 0\n", 4, "k: a whole number"),
    (f"id: a\n{GOOD}k: {'9' * 5000}\n", 4, "k: a whole number"),
    (f"id: a\n{GOOD}abstain: yes\n", 4, "`true` or `false`"),
    (f"id: a\n{GOOD}surface: screen\n", 4, "one of recall, "),
    (f"id: a\n{GOOD}tags: x\n", 4, "tags: a list"),
    (f"id: a\n{GOOD}forbid:\n  text:\n    - b\n    - ' '\n", 7, "forbid.text: a text that is not blank"),
    (f"id: a\n{GOOD}setup:\n  - {{remember: {{text: a}}, forget: {{ref: b}}}}\n", 5, "one command is expected"),
    (f"id: a\n{GOOD}setup:\n  - remember: {{text: [a]}}\n", 5, "setup.remember.text: a text is"),
    (f"id: a\n{GOOD}---\nid: a\n{GOOD}", 5, "stands at exam.yaml:1 already"),
    (f"id: a\n{GOOD}---\n\nid: b\n{GOOD}surface: *x\n", 9, "anchors"),
    (f"id: a\n{GOOD}---\nk: ]\n", 5, "not YAML"),
    ("id: a\nquery: q\n", 1, "asks nothing"),
]
BAD_LINES = [
    ('\n{"id": "a",\n', 2, "not JSON"),
    ('{"id": "a", "id": "b"}', 1, "the key 'id' stands twice"),
    ('{"id": "\\ud800"}', 1, "half a character"),
    ("[" * 100_000, 1, "nested too deep"),
    ("[" * 700 + "]" * 700, 1, "nested too deep"),
    ('{"id": "a", "query": "q", "abstain": 1}', 1, "`true` or `false`"),
    ('{"id": "a", "query": null, "abstain": true}', 1, "needs a `query`"),
]


@pytest.mark.parametrize(
    ("path", "text", "line", "said"),
    [("exam.yaml", *row) for row in BAD] + [("exam.jsonl", *row) for row in BAD_LINES],
)
def test_what_cannot_be_meant_is_refused_at_its_line(path: str, text: str, line: int, said: str) -> None:
    """An error names file and line, and what was expected there."""
    with pytest.raises(MemtoolError) as error:
        read(text.encode(), path)
    assert error.value.message.startswith(f"{path}:{line}: ")
    assert said in error.value.message


@given(st.binary(max_size=60), st.sampled_from(["e.yaml", "e.jsonl"]))
def test_any_bytes_are_an_exam_or_a_told_error(data: bytes, path: str) -> None:
    """Nothing that a file can hold ends in anything but cases or a MemtoolError with its line."""
    try:
        assert read(data, path)[0]
    except MemtoolError as error:
        told = error.message
    else:
        return
    assert told.startswith(f"{path}:")
    assert told.split(":")[1].isdecimal()


def test_an_unknown_key_is_a_warning_with_the_nearest_known_one() -> None:
    """A key that is not known changes nothing and is told, at any depth."""
    cases, warnings = read(f"id: a\n{GOOD}budgte: 9\nstale:\n  txt: [a]\n".encode(), "e.yaml")
    assert cases[0].budget == 0
    assert [(one.code, one.line, one.hint) for one in warnings] == [
        ("unknown-key", 4, "Did you mean `budget`?"),
        ("unknown-key", 6, "Did you mean `text`?"),
    ]


# --- cases that cannot be -------------------------------------------------------------------------------------------


REMEMBER = Op("remember", {"text": "We moved from Berlin to Lisbon", "as": "new"}, 3)
CASE = Case("a", query="q", expect=Expect(text_all=("Lisbon",)))


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (Case("a", query="q"), "asks nothing"),
        (CASE.replace(query=""), "needs a `query`"),
        (CASE.replace(abstain=True), "wants nothing to come out"),
        (Case("a", query="q", abstain=True, control=Control(("a.md",))), "`query` of its own"),
        (CASE.replace(k=1, expect=Expect(refs_all=("a.md#a", "a.md#b"))), "2 refs, and k is 1"),
        (CASE.replace(expect=Expect(refs_any=("new",))), "speaks of `new`"),
        (CASE.replace(ops=(Op("forget", {"ref": "new"}, 9), REMEMBER)), "`forget` on line 9 speaks of `new`"),
        (CASE.replace(forbid=Forbid(text=("ＬＩＳ",))), "“Lisbon” must come out"),
        (CASE.replace(stale=Stale(text=("lisbon",), unless_qualified=False)), "“Lisbon” must come out"),
        (CASE.replace(control=Control(("b.md#x",)), forbid=Forbid(("b.md#x",))), "`b.md#x` must come out and may not"),
        (
            CASE.replace(ops=(REMEMBER,), expect=Expect(refs_all=("new",)), forbid=Forbid(text=("berlin",))),
            "the text of `remember` must come out",
        ),
        (CASE.replace(ops=(REMEMBER,), forbid=Forbid(text=("berlin",))), "each text that holds it"),
        (CASE.replace(ops=(REMEMBER.replace(name="revise"),), forbid=Forbid(text=("from",))), "the text of `revise`"),
    ],
)
def test_a_case_that_nobody_can_pass_is_refused(case: Case, said: str) -> None:
    """What is forbidden within what must come out, and whatever else cannot be, is told."""
    assert [flaw for flaw in flaws(case) if said in flaw]


def test_what_can_be_passed_is_not_refused() -> None:
    """A re-fed value that should be refused, a qualified stale part, and a second source are all lawful."""
    again = (REMEMBER, Op("forget", {"ref": "new"}), REMEMBER)
    assert not list(flaws(Case("a", query="q", ops=again, forbid=Forbid(text=("berlin",)))))
    assert not list(flaws(CASE.replace(stale=Stale(text=("lisb",)))))
    other = Op("remember", {"text": "Lisbon it is"})
    assert not list(flaws(CASE.replace(ops=(REMEMBER, other), forbid=Forbid(text=("berlin",)))))
    pages = Expect(refs_all=tuple(f"{at}.md" for at in range(9)))
    assert not list(flaws(CASE.replace(surface="index", query="", expect=pages)))


# --- marks -----------------------------------------------------------------------------------------------------------


LIVE, OLD = Hit("t/a.md#new@0a1b2c", "Lisbon"), Hit("t/a.md#old@0a1b2c", "Was Berlin", status="revised")
ASKED = Case("a", query="q", k=2, expect=Expect(refs_all=("t/a.md#new",), text_any=("lisbon", "porto")))
MARKED = [
    (ASKED, answer(LIVE), "PASS"),
    (ASKED, answer(), "MISS"),
    (ASKED, answer(OLD), "MISS"),
    (ASKED, Answer((LIVE,), b"cut away"), "MISS"),
    (ASKED, answer(LIVE, OLD, OLD), "MISS"),
    (ASKED.replace(budget=6), answer(LIVE), "PASS"),
    (ASKED.replace(budget=5), answer(LIVE), "MISS"),
    (ASKED.replace(expect=Expect(refs_any=("t/a.md", "b.md"))), answer(LIVE), "PASS"),
    (ASKED.replace(expect=Expect(refs_any=("t/a.md#new@ffffff",))), answer(LIVE), "MISS"),
    (ASKED.replace(stale=Stale(text=("ＢＥＲＬＩＮ",))), answer(LIVE, OLD), "STALE"),
    (ASKED.replace(stale=Stale(text=("berlin",))), answer(LIVE, OLD.replace(qualifier="void")), "PASS"),
    (ASKED.replace(stale=Stale(text=("berlin",))), Answer((LIVE, OLD), b"Lisbon"), "STALE"),
    (ASKED.replace(stale=Stale(refs=("t/a.md#old",))), answer(LIVE, OLD), "STALE"),
    (ASKED.replace(stale=Stale(refs=("t/a.md#old",))), answer(LIVE, OLD.replace(qualifier="void")), "PASS"),
    (
        ASKED.replace(stale=Stale(refs=("t/a.md#old",), unless_qualified=False)),
        answer(LIVE, OLD.replace(qualifier="void")),
        "STALE",
    ),
    (
        ASKED.replace(stale=Stale(text=("berlin",))),
        Answer((LIVE, OLD.replace(qualifier="void")), b"Lisbon, was Berlin; BERLIN, I say"),
        "STALE",
    ),
    (ASKED.replace(surface="index", stale=Stale(text=("berlin",))), Answer((), b"- Berlin"), "STALE"),
    (ASKED.replace(forbid=Forbid(text=("was  BERLIN",))), answer(LIVE, OLD.replace(qualifier="void")), "LEAK"),
    (ASKED.replace(forbid=Forbid(text=("berlin",))), Answer((LIVE, OLD), b"Lisbon"), "LEAK"),
    (ASKED.replace(forbid=Forbid(("t/a.md#old",))), answer(OLD), "LEAK"),
    (Case("a", query="q", abstain=True), answer(LIVE), "INVENTED"),
    (Case("a", query="q", abstain=True), Answer((), b"nothing found"), "PASS"),
    (Case("a", query="q", abstain=True, forbid=Forbid(text=("lisbon",))), answer(LIVE), "LEAK"),
]


@pytest.mark.parametrize(("case", "given", "outcome"), MARKED)
def test_an_answer_is_marked_by_the_worst_that_fits(case: Case, given: Answer, outcome: str) -> None:
    """LEAK before INVENTED before STALE before MISS before PASS; anything but a pass says why."""
    verdict = judge(case, given)
    assert verdict.outcome == outcome
    assert bool(verdict.why) == (outcome != "PASS")


def test_a_verdict_counts_what_the_metrics_need() -> None:
    """Of three wanted things two came out, the first of them at the second place."""
    case = ASKED.replace(expect=Expect(refs_all=("t/a.md#new", "b.md"), text_any=("lisbon", "porto")))
    verdict = judge(case, answer(OLD, LIVE))
    assert (verdict.hits, verdict.relevant, verdict.rank, verdict.found, verdict.wanted) == (2, 1, 2, 2, 3)
    assert verdict.bytes == len(b"Was Berlin\nLisbon")


@given(st.lists(st.sampled_from([LIVE, OLD, OLD.replace(qualifier="void")]), max_size=4), words)
def test_no_answer_makes_good_for_a_leak(hits: list[Hit], secret: str) -> None:
    """Whatever else came out, a forbidden text anywhere, in a probe's answer too, is a LEAK."""
    case = ASKED.replace(forbid=Forbid(text=(secret,)))
    leaky = Hit("x.md#x@000000", f"so: {secret} !")
    assert judge(case, answer(*hits, leaky)).outcome == "LEAK"
    assert judge(case, answer(*hits), further=[answer(leaky)]).outcome == "LEAK"


# --- sitting ---------------------------------------------------------------------------------------------------------


def remember(text: str, name: str) -> Op:
    return Op("remember", {"text": text, "as": name})


MOVED = Case(
    "moved",
    setup=(remember("I live in Berlin", "berlin"), remember("my doctor is Ada", "doctor")),
    ops=(Op("forget", {"ref": "berlin"}), remember("I live in Lisbon", "lisbon")),
    query="where do I live",
    expect=Expect(refs_all=("lisbon",)),
    forbid=Forbid(("berlin",), ("in Berlin",)),
    control=Control(("doctor",), "my doctor"),
)


def one(case: Case, engine: Engine) -> Verdict:
    (verdict,) = examine([case], engine)
    return verdict


def test_a_case_runs_from_setup_to_mark() -> None:
    """Names become refs, commands are carried out in order, and a memory that does right passes."""
    verdict = one(MOVED, Shelf())
    assert (verdict.outcome, verdict.rank, verdict.refused, verdict.passed_by) == ("PASS", 1, (), ())


@pytest.mark.parametrize(
    ("case", "engine", "outcome", "why"),
    [
        (MOVED.replace(fixture="lost"), Shelf(), "UNEXERCISED", "lost: no such folder"),
        (MOVED, Shelf(refuses="remember"), "UNEXERCISED", "not by me"),
        (MOVED, Shelf(loses="remember"), "UNEXERCISED", "`remember` wrote no `berlin`"),
        (MOVED.replace(query="???"), Shelf(), "UNEXERCISED", "a query has words"),
        (MOVED.replace(control=Control(("doctor",))), Shelf(), "UNEXERCISED", "the control a.md#2@012345"),
        (MOVED.replace(ops=(Op("purge", {}),)), Shelf(), "NA", "no command `purge`"),
        (MOVED.replace(surface="digest"), Shelf(), "NA", "no surface `digest`"),
        (MOVED, Shelf(refuses="forget"), "LEAK", "“in Berlin” came out"),
        (MOVED.replace(control=Control(("b.md",))), Shelf(refuses="forget"), "LEAK", "“in Berlin” came out"),
        (
            MOVED.replace(query="Lisbon", forbid=Forbid(text=("Berlin",), probe=False), control=Control((), "live")),
            Shelf(refuses="forget"),
            "LEAK",
            "“Berlin” came out",
        ),
        (MOVED.replace(query="Lisbon", forbid=Forbid(text=("Berlin",))), Shelf(refuses="forget"), "LEAK", "Berlin"),
        (
            MOVED.replace(query="Lisbon", forbid=Forbid(text=("Berlin",), probe=False)),
            Shelf(refuses="forget"),
            "PASS",
            "",
        ),
        (MOVED.replace(control=Control()), Shelf(), "VACUOUS", "delete-all would pass it too"),
        (MOVED.replace(expect=Expect(), control=Control()), Shelf(), "VACUOUS", "null and delete-all"),
        (MOVED.replace(expect=Expect()), Shelf(), "PASS", ""),
        (Case("a", query="q", abstain=True), Shelf(), "VACUOUS", "null would pass it too"),
    ],
)
def test_what_proves_nothing_is_no_pass(case: Case, engine: Shelf, outcome: str, why: str) -> None:
    """What was not set up, cannot be done, or is passed by a control is named; a leak by probe counts."""
    verdict = one(case, engine)
    assert verdict.outcome == outcome
    assert verdict.why.startswith(why) or why in verdict.why


def test_to_refuse_can_be_right() -> None:
    """What is refused after the set-up is told in the verdict, and the case goes on."""
    verdict = one(
        MOVED.replace(ops=(Op("revise", {"ref": "doctor", "text": "x", "as": "y"}), *MOVED.ops)),
        Shelf(refuses="revise"),
    )
    assert (verdict.outcome, verdict.refused) == ("PASS", ("revise: not by me",))


class Page:
    """A memory that is one page, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, int, int]] = []

    def reset(self, fixture: str) -> None:
        self.asked = [] if not fixture else [("fixture", fixture, 0, 0)]

    def do(self, op: str, args: Mapping[str, str], /) -> Mapping[str, str]:
        raise Unsupported(f"no command `{op}` with {len(args)} arguments")

    def ask(self, surface: str, query: str, *, k: int, budget: int) -> Answer:
        self.asked.append((surface, query, k, budget))
        return Answer((), b"- Lisbon")


def test_only_what_takes_a_query_is_probed() -> None:
    """Each forbidden text is a query of its own where there are queries; a page is read once."""
    engine = Page()
    case = Case("a", k=2, budget=99, query="q", expect=Expect(text_all=("Lisbon",)), forbid=Forbid(text=("x", "y")))
    assert sit(case, engine).outcome == "PASS"
    assert engine.asked == [("recall", query, 2, 99) for query in ("q", "x", "y")]
    assert sit(case.replace(surface="index"), engine).outcome == "PASS"
    assert engine.asked == [("index", "q", 2, 99)]


def test_the_controls_keep_to_k() -> None:
    """A control that gave more than k would fail cases that it should show to be vacuous."""
    setup = tuple(remember(f"fact {at}", f"f{at}") for at in range(9))
    case = Case("a", setup=(Op("forget", {}), *setup), query="fact", k=2, expect=Expect(refs_any=("f8",)))
    assert sit(case, DeleteAll()).outcome == "PASS"


@pytest.mark.parametrize("engine", [Nothing(), DeleteAll()])
def test_the_controls_fail_a_good_case(engine: Engine) -> None:
    """A case with something to find and something to keep is passed by no control."""
    assert sit(MOVED, engine).outcome != "PASS"


# --- real cases ------------------------------------------------------------------------------------------------------


def foreign() -> list[tuple[dict[str, Any], Case]]:
    """Translate the cases of ForgetEval, whose commands find by a query what they change."""
    rows = [json.loads(line) for line in DATA.read_text().splitlines()]
    return [(row, _translated(row)) for row in rows]


def _translated(row: dict[str, Any]) -> Case:
    changes = [
        Op("revise" if change["op"] == "supersede" else "forget", {"matching": change["query"]}
           | ({"text": change["new_text"]} if "new_text" in change else {}))
        for change in row["mutations"]
    ]  # fmt: skip
    return Case(
        row["id"],
        tags=(row["category"],),
        setup=tuple(Op("remember", {"text": fact}) for fact in row["setup_facts"]),
        ops=tuple(changes),
        query=row["final_query"],
        k=5,
        expect=Expect(text_all=tuple(row["must_contain"])),
        forbid=Forbid(text=tuple(row["must_not_contain"])),
    )


@needs_data
def test_real_cases_that_nobody_can_pass_are_refused() -> None:
    """What is refused nobody can pass, as careful readers say; of what they found so, most is refused."""
    refused = {row["id"] for row, case in foreign() if any(flaws(case))}
    broken = {row["id"] for row, _ in foreign() if row["reachable"] == "unsatisfiable"}
    assert len(refused) == 17
    assert refused <= broken


@needs_data
def test_the_controls_pass_what_degenerate_stores_pass() -> None:
    """The controls pass exactly the real cases which a store that has nothing, or only the newest texts, passes."""
    for row, case in foreign():
        assert (sit(case, Nothing()).outcome == "PASS") == (not row["must_contain"])
        kept = ""
        for change in row["mutations"]:
            kept = change.get("new_text", "")
        right = all(folded(text) in folded(kept) for text in row["must_contain"])
        wrong = any(folded(text) in folded(kept) for text in row["must_not_contain"])
        assert (sit(case, DeleteAll()).outcome == "PASS") == (right and not wrong)


# --- reports ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("passed", "low", "high"), [(344, 85.9, 92.1), (252, 60.6, 70.0), (143, 32.5, 42.1), (29, 5.3, 10.6), (0, 0, 1.0)]
)
def test_the_interval_is_wilsons(passed: int, low: float, high: float) -> None:
    """Of 385 cases, the intervals are those that were published for these counts."""
    assert [round(100 * end, 1) for end in Rate(passed, 385).interval] == [low, high]


@given(st.integers(0, 500), st.integers(0, 500))
def test_an_interval_holds_its_share(passed: int, failed: int) -> None:
    """The share lies within its interval, and that within 0 and 1; of no cases nothing is known."""
    found = Rate(passed, passed + failed)
    low, high = found.interval
    assert 0 <= low <= found.share + 1e-12
    assert found.share - 1e-12 <= high <= 1
    assert passed + failed or (low, high) == (0, 1)


def verdicts() -> list[Verdict]:
    """Give one verdict of each kind that a shelf can earn."""
    several = [
        MOVED.replace(tags=("moves",), place="e.yaml:1"),
        MOVED.replace(id="bare", tags=("moves", "old"), control=Control(), place="e.yaml:9"),
        MOVED.replace(id="no\x1b[2J", tags=("old",), query="Berlin", place="e.yaml:17"),
        MOVED.replace(id="lost", fixture="lost", place="e.yaml:25"),
        MOVED.replace(id="page", surface="index", place="e.yaml:33"),
        MOVED.replace(id="leak", forbid=Forbid(text=("lisbon",)), place="e.yaml:41"),
    ]
    return list(examine(several, Shelf()))


REPORT = """\
     1   16.7%  [3.0%, 56.4%] of all 6 cases passed
     1   33.3%  [6.1%, 79.2%] of the 3 that could be judged
LEAK 1  MISS 1  PASS 1  VACUOUS 1  UNEXERCISED 1  NA 1

Tag                        cases  passed  of all  [95 %]
old                            2       0    0.0%  [0.0%, 65.8%]
moves                          2       1   50.0%  [9.5%, 90.5%]

precision 1.000  recall@k 0.667  MRR 0.667  (3 cases that expect something)
bytes of an answer: median 16, largest 16
controls that pass as well: null 0, delete-all 1

LEAK         e.yaml:41  leak: “lisbon” came out
MISS         e.yaml:17  no\\x1b[2J: a.md#3@012345 did not come out
VACUOUS      e.yaml:9  bare: delete-all would pass it too; it needs a `control`, or to expect something
UNEXERCISED  e.yaml:25  lost: lost: no such folder
NA           e.yaml:33  page: no surface `index`
"""


def test_the_report_fits_a_screen() -> None:
    """Counts, tags from the worst, metrics, controls, then the failures, worst first; no text moves the cursor."""
    assert report.text(verdicts()) == REPORT


def test_the_report_as_data() -> None:
    """Programs get every case, the counts of all marks, and the same numbers."""
    found = json.loads(json.dumps(report.asdict(verdicts())))
    assert found["schema"] == "memtool.eval/1"
    assert found["outcomes"] == dict.fromkeys(found["outcomes"], 1) | {"INVENTED": 0, "STALE": 0}
    assert found["all"] == {"cases": 6, "passed": 1, "share": 0.1667, "interval": [0.0301, 0.5635]}
    assert found["judged"]["cases"] == found["metrics"]["cases"] == 3
    assert found["tags"]["old"]["passed"] == 0
    assert found["controls"] == {"null": 0, "delete-all": 1}
    assert [case["outcome"] for case in found["cases"]] == ["PASS", "VACUOUS", "MISS", "UNEXERCISED", "NA", "LEAK"]
    assert found["cases"][1]["passed_by"] == ["delete-all"]


def test_only_three_marks_are_hard() -> None:
    """A leak, an invention and a stale fact end an exam badly; a miss, or what proves nothing, does not."""
    marked = [Verdict(case=MOVED, outcome=outcome) for outcome in (*MARKS, "VACUOUS", "UNEXERCISED", "NA")]
    assert [verdict.outcome for verdict in report.hard(marked)] == ["LEAK", "INVENTED", "STALE"]
    assert [verdict.outcome for verdict in report.judged(marked)] == list(MARKS)


def test_many_cases_are_counted_and_not_all_named() -> None:
    """However many fail, the text stays on a screen and tells how many more there are; no cases are no error."""
    many = [Verdict(case=MOVED.replace(tags=(f"t{at}",)), outcome="MISS", why="x") for at in range(99)]
    text = report.text(many)
    assert len(text.splitlines()) < 40
    assert text.count("… and 87 more") == 2
    assert "0 cases" in report.text([])


# --- the repo's own exam ---------------------------------------------------------------------------------------------


MEMORY = {
    "topics/git.md": b"""---
description: "read before git work"
---
# Git

Push with care.

## Remote

The hub is at port 49222.

> **Void since 2026-07-01:** it moved. It said:
>
> - The hub is at port 22, and always was.
> - Ask.
> --------------------------------------------

## Old

> **Void since 2026-07-02:** wrong. It said:
>
> Never rebase.
""",
    "topics/more.md": b"# More\n\n> **Void since 2026-07-02:** said elsewhere. It said:\n>\n> push  with CARE\n",
    "topics/empty.md": b"---\ndescription: read when it is full\ndescription_status: draft\n---\n",
}


def test_a_memory_sets_its_own_exam() -> None:
    """A description must find its file, a replaced text needs a qualifier, a withdrawn one must stay away."""
    description, revised, withdrawn = derived(MEMORY)
    assert (description.query, description.expect.refs_any) == ("read before git work", ("topics/git.md",))
    assert (revised.id, revised.place) == ("void 1 topics/git.md#remote", "topics/git.md:8")
    assert revised.stale == Stale(text=("The hub is at port 22, and always was.",))
    assert revised.control == Control(("topics/git.md",), "The hub is at port 49222.")
    assert withdrawn.forbid == Forbid(("topics/git.md#old",), ("Never rebase.",), probe=False)
    assert withdrawn.control == Control(("topics/git.md",), "Push with care.")
    assert not [flaw for case in derived(MEMORY) for flaw in flaws(case)]


class Repo(Shelf):
    """A memory that holds what it is given."""

    def __init__(self, *hits: Hit) -> None:
        super().__init__()
        self.held = hits

    def reset(self, fixture: str) -> None:
        super().reset(fixture)
        self.hits = list(self.held)


def test_what_a_memory_gives_to_its_own_exam_is_marked() -> None:
    """The file found is a pass, the old port without a qualifier STALE, the withdrawn rule LEAK."""
    remote = Hit("topics/git.md#remote@000000", "The hub is at port 49222. read The hub is at port 22, and always was.")
    old = Hit("topics/git.md#old@000000", "Never rebase.", qualifier="void")
    push = Hit("topics/git.md#git@000000", "Push with care.")
    right = Repo(push, remote.replace(qualifier="revised"))
    assert [verdict.outcome for verdict in examine(derived(MEMORY), right)] == ["PASS"] * 3
    assert [verdict.outcome for verdict in examine(derived(MEMORY), Repo(push, remote, old))] == [
        "PASS",
        "STALE",
        "LEAK",
    ]
    assert [verdict.outcome for verdict in examine(derived(MEMORY), Repo())] == ["MISS", "UNEXERCISED", "UNEXERCISED"]


@given(
    st.dictionaries(names, st.lists(st.sampled_from(MEMORY["topics/git.md"].splitlines(keepends=True))).map(b"".join))
)
def test_every_derived_case_can_be_passed(files: dict[str, bytes]) -> None:
    """From any files come cases with ids of their own that no lint refuses."""
    cases = derived({f"{name}.md": data for name, data in files.items()})
    assert len({case.id for case in cases}) == len(cases)
    assert not [flaw for case in cases for flaw in flaws(case)]
    assert {case.surface for case in cases} <= set(SURFACES)
