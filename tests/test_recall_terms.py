"""The promises of memtool.core.recall: what counts as a word, what a query asks, what is ranked where."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtool.core.recall.query import days, parse
from memtool.core.recall.rank import Candidate, Corpus, needed, rank
from memtool.core.recall.stem import stem
from memtool.core.recall.terms import fold, is_unspaced, length, terms

ANY = st.text(st.characters(codec=None), max_size=80) | st.text(" aé-_.+#中の한ไก्が", max_size=40)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Café ＡＢＣ STRASSE straße", "cafe abc strass strass"),
        ("git-ops", "git-ops git ops"),
        ("POL-358, (v2.1).", "pol-358 pol 358 v2.1 v2 1"),
        ("C++ and C# and .gitignore", "c++ c and c# c and gitignor"),
        ("topics/git.md#setup", "topics/git.md#setup topic git md setup"),
        ("me\u00admory \u200bkey\u200d 1️⃣", "memori key 1"),
        ("用Git管理5月", "用 git 管理 5 月"),
        ("ﾊﾝｶｸ が", "ハンカク が"),
        ("हिन्दी мир שָׁלוֹם", "हिन्दी мир שלום"),
        ("--- *** \0 🦊 \ud800", ""),
    ],
)
def test_case_accents_width_and_endings_are_folded_and_identifiers_count_whole_and_in_parts(
    text: str, folded: str
) -> None:
    """What a person takes for the same word is the same word."""
    assert fold(text) == folded


def test_unspaced_text_is_indexed_by_pairs_and_each_character_starts_one_term() -> None:
    """Two characters are found as a pair, one by how a pair starts."""
    assert list(terms("书架很大 v2")) == ["书架", "架很", "很大", "大", "v2"]


@given(ANY)
def test_folding_is_settled_by_one_pass_and_tells_its_length(text: str) -> None:
    """Terms hold no blank, quote or upper case, are as many as `length` says, and none is empty."""
    folded = fold(text)
    found = list(terms(folded))
    assert len(found) == length(folded)
    assert all(term and not set(term) & set(" \t\n\"'*()\0") for term in found)
    assert folded == " ".join(folded.split())


@given(ANY)
def test_what_is_asked_for_is_found_where_it_stands(text: str) -> None:
    """Each term of a query is, or starts, a term of the same text in an entry; days come on top."""
    asked = set(parse(text).terms) - set(days(fold(text).split()))
    held = set(terms(fold(text)))
    assert all(any(one == term or (is_unspaced(term) and one.startswith(term)) for one in held) for term in asked)


@pytest.mark.parametrize(
    "words",
    ["deploy deploys deployed deploying", "plan plans planned planning", "note notes", "box boxes", "query queries"],
)
def test_the_forms_of_an_english_word_have_one_stem(words: str) -> None:
    assert len(set(map(stem, words.split()))) == 1


@pytest.mark.parametrize("word", ["git", "news1", "is", "cafés", "sing", "red", "bus", "class"])
def test_short_words_and_other_letters_keep_their_ending(word: str) -> None:
    assert stem(word) == word


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("what did I say on May 4th?", ["05-04"]),
        ("4 Sep or december 24", ["09-04", "12-24"]),
        ("我在5月2日说的", ["05-02"]),
        ("may I ask 3 things in 2023", []),
        ("13月40日", []),
    ],
)
def test_a_day_that_a_query_names_is_looked_for_as_headings_write_it(text: str, found: list[str]) -> None:
    assert list(days(fold(text).split())) == found


def test_words_that_say_nothing_count_only_where_nothing_else_is_asked() -> None:
    """A question's frame is no reason for an answer; a query of nothing else still asks for something."""
    assert parse("what is the budget").telling == ("budget",)
    assert parse("who are you").telling == ("who", "are", "you")


def test_a_long_query_is_read_to_a_limit() -> None:
    """A page pasted in costs no more than its beginning."""
    query = parse(" ".join(f"word{number}" for number in range(20_000)))
    assert len(query.terms) == 64
    assert len(query.phrases) == 64
    assert parse("memory " * 3_000).terms == ("memori",)


def ordered(query: str, *texts: str, headings: tuple[str, ...] = ()) -> list[int]:
    """Rank *texts* and give their places, best first."""
    heads = [fold(head) for head in headings] or [""] * len(texts)
    folded = list(map(fold, texts))
    asked = parse(query)
    corpus = Corpus(
        len(texts),
        sum(map(length, folded)) / len(texts),
        {term: sum(term in f"{head} {text}" for head, text in zip(heads, folded, strict=True)) for term in asked.terms},
    )
    given = [
        Candidate(("", at), "", head, text, length(text) + length(head))
        for at, (head, text) in enumerate(zip(heads, folded, strict=True))
    ]
    found = sorted((-score, at) for score, (_, at) in rank(asked, given, corpus))
    return [at for score, at in found if score]


FILLER = "the harbour lies still and a boat waits for the tide that comes with the night"


def test_the_rarer_word_the_shorter_entry_the_heading_and_words_side_by_side_come_first() -> None:
    """The four things by which entries are told apart, each alone."""
    assert ordered("merge conflict", "merge here", "merge there", "a conflict", FILLER)[0] == 2
    assert ordered("merge", f"{FILLER} merge", "merge now", FILLER)[0] == 1
    assert ordered("merge", "merge now", "another text", FILLER, headings=("", "merge", ""))[0] == 1
    assert ordered("release train", "train of thought release", "the release train", FILLER)[0] == 1


def test_a_single_character_of_a_pair_counts_where_the_pair_is_not_there() -> None:
    """看书 is nearer to 看小说 than to a text with neither character, once something else is shared."""
    assert ordered("公园看书", "公园跑步", "公园里看小说", "天气很好")[0] == 1


def test_nothing_answers_where_the_best_holds_too_little_of_what_is_asked() -> None:
    """One shared word of eight is no answer; half of them is."""
    texts = ("we deploy on friday", *(f"note {number} about fridge{number}" for number in range(30)))
    asked = "quantum chromodynamics lagrangian kilimanjaro sourdough elephants mongolia tango deploying"
    assert ordered("quantum lagrangian deploys friday", *texts) == [0]
    corpus = Corpus(31, 4.0, dict.fromkeys(parse(asked).terms, 0) | {"note": 30})
    candidate = Candidate(("", 0), "", "", "note 3 about fridge3", 4)
    assert rank(parse(f"{asked} note"), [candidate], corpus) == []


def test_in_a_large_store_the_commonest_words_are_not_looked_for() -> None:
    """They could not make an answer; in a small one every word is looked for."""
    query = parse("weekly rule 88")
    assert needed(query, Corpus(100_000, 50.0, {"week": 60_000, "rule": 60_000, "88": 3})) == ["88"]
    assert set(needed(query, Corpus(100, 50.0, {"week": 60, "rule": 60, "88": 3}))) == {"week", "rule", "88"}
    assert needed(query, Corpus(100_000, 50.0, {"week": 60_000, "rule": 0, "88": 0})) == []
