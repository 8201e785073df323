"""The hard set is what its protocol says: tests/bench/hard/PROTOCOL.md."""

from __future__ import annotations

from collections import Counter

import pytest

from okf_edge.index import tokens
from okf_edge.okf.conformance import check
from okf_edge.retrieval.plan import FUNCTION_WEIGHT, terms_of
from tests.bench.hard.questions import ANSWERABLE, BUNDLES, HALVES, UNANSWERABLE, Half, page, questions

ALL = tuple(question for half in HALVES for question in questions(half))
OWN = ("ferries", "seedbank")
LEAST_PAGES, LEAST_QUESTIONS, LEAST_OF_A_KIND = 200, 300, 6


@pytest.mark.parametrize("bundle", OWN)
def test_the_pages_conform_and_leave_no_advice(bundle: str) -> None:
    root = BUNDLES[bundle]
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*.md"))}
    assert [f"{item.rule} {item.path}:{item.line} {item.message}" for item in check(files).findings] == []


def test_there_are_enough_pages_in_both_languages() -> None:
    paths = [path.relative_to(BUNDLES[bundle]) for bundle in OWN for path in BUNDLES[bundle].rglob("*.md")]
    chinese = sum(path.parts[0] == "zh" for path in paths)
    assert len(paths) >= LEAST_PAGES
    assert chinese >= len(paths) / 3


def test_there_are_enough_questions_and_none_is_asked_twice() -> None:
    assert len(ALL) >= LEAST_QUESTIONS
    assert len({question.id for question in ALL}) == len({question.text.casefold() for question in ALL}) == len(ALL)


@pytest.mark.parametrize("half", HALVES)
def test_each_half_has_every_kind_in_both_languages(half: Half) -> None:
    counts = Counter((question.kind, question.lang) for question in questions(half))
    assert {kind for kind, _ in counts} == {*ANSWERABLE, *UNANSWERABLE}
    assert len(counts) == 2 * len({*ANSWERABLE, *UNANSWERABLE})
    assert min(counts.values()) >= LEAST_OF_A_KIND


def test_every_gold_passage_is_there() -> None:
    answerable = [question for question in ALL if question.kind in ANSWERABLE]
    missing = [one.id for one in answerable if one.quote not in page(one.path).read_text("utf-8")]
    assert [one.id for one in answerable if not one.quote] + missing == []
    assert [one.id for one in ALL if one.via and not page(one.via).is_file()] == []
    assert [one.id for one in ALL if one.kind in UNANSWERABLE and one.path] == []


def test_a_paraphrase_shares_no_telling_word_with_its_passage() -> None:
    paraphrases = [one for one in ALL if one.kind == "paraphrase"]
    shared = {one.id: _terms(one.text) & _terms(f"{_title(one.path)}. {one.quote}") for one in paraphrases}
    assert {name: words for name, words in shared.items() if words} == {}


def test_a_cross_language_question_is_answered_in_the_other_language() -> None:
    assert [one.id for one in ALL if one.kind == "cross" and ("/zh/" in one.path) == (one.lang == "zh")] == []


def _terms(text: str) -> set[str]:
    sought = terms_of([word for word in tokens.words(text) if not word.is_stop])
    return {term for term, each in sought.items() if each.counts > FUNCTION_WEIGHT}


def _title(path: str) -> str:
    return next(
        line.removeprefix("title: ")
        for line in page(path).read_text("utf-8").splitlines()
        if line.startswith("title: ")
    )
