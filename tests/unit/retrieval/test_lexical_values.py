import pytest

from okf_edge.retrieval.lexical import coverage, idf, score, weigh
from okf_edge.retrieval.plan import Plan, Sought, plan_of
from okf_edge.retrieval.request import SearchRequest
from tests.unit.retrieval.values import a_plan, a_vocabulary


def a_plan_of(*words: str) -> Plan:
    return a_plan(terms={word: Sought(1.0, word) for word in words}, units=[(word,) for word in words])


def test_frequencies_are_summed_over_all_sources() -> None:
    parts = weigh(a_plan_of("pump", "leak"), [{"pump": ((3,), 4)}, {"pump": ((1,), 2), "leak": ((0,), 1)}], 50, 10)
    whole = weigh(a_plan_of("pump", "leak"), [{"pump": ((5,), 6), "leak": ((2,), 1)}], 50, 10)
    assert [(term.df, term.idf) for term in parts.terms] == [(term.df, term.idf) for term in whole.terms]
    assert parts.mass == whole.mass
    assert parts.terms[0].numbers == {0: (3,), 1: (1,)}


def test_an_unknown_word_weighs_as_much_as_the_rarest() -> None:
    vocabulary = weigh(a_plan_of("known", "unknown"), [{"known": ((0,), 1)}], 100, 10)
    assert vocabulary.terms[1].idf == idf(0, 100) > vocabulary.terms[0].idf


def test_a_very_long_question_keeps_its_rarest_known_terms_in_their_order() -> None:
    found = {f"t{n}": ((n,), n + 1) for n in range(20)}
    vocabulary = weigh(a_plan_of("unknown", *reversed(found)), [found], 100, 3)
    assert [term.text for term in vocabulary.terms] == ["t2", "t1", "t0"]
    assert len(vocabulary.dropped) == 18


def test_a_chunk_that_holds_every_term_in_full_scores_one() -> None:
    vocabulary = a_vocabulary(pump=2.0, leak=1.0)
    assert score(vocabulary, {"pump": 255, "leak": 255}) == pytest.approx(1)
    assert coverage(vocabulary, {"pump": 1}) == pytest.approx(2 / 3)


def test_a_question_without_indexed_words_scores_nothing_and_divides_by_nothing() -> None:
    nothing = weigh(a_plan_of(), [], 100, 10)
    assert score(nothing, {}) == coverage(nothing, {}) == 0.0


def test_a_term_that_only_asks_weighs_what_it_counts() -> None:
    found = {"什么": ((0,), 1), "阀门": ((1,), 1)}
    asking, telling = weigh(plan_of(SearchRequest("什么 阀门")), [found], 100, 10).terms
    assert asking.idf == pytest.approx(0.3 * telling.idf)


def test_a_text_covers_the_characters_of_a_run_whose_words_it_holds_apart() -> None:
    plan = plan_of(SearchRequest("采样策略"))
    vocabulary = weigh(plan, [{"采样": ((0,), 1), "策略": ((1,), 1)}], 100, 10)
    assert coverage(vocabulary, {"采样": 9, "策略": 9}) == pytest.approx(1)
    assert coverage(vocabulary, {"采样": 9}) == pytest.approx(0.5)
    assert coverage(vocabulary, {}) == 0.0
