from collections.abc import Mapping

import pytest

from okf_edge.retrieval.plan import CANDIDATE_CONCEPTS, FUNCTION_WEIGHT, Sought, plan_of
from okf_edge.retrieval.request import SearchRequest


def terms_of(question: str) -> Mapping[str, Sought]:
    return plan_of(SearchRequest(question)).terms


def test_stop_words_are_sought_only_when_there_is_nothing_else() -> None:
    assert "the" not in terms_of("the pump")
    assert terms_of("what is the who")


def test_terms_are_distinct_and_in_the_order_of_the_question() -> None:
    assert list(terms_of("pump valve pump")) == ["pump", "valv"]


@pytest.mark.parametrize("run", ["阀门泵", "サンドボックス", "밸브"])
def test_a_run_of_characters_is_sought_by_its_pairs(run: str) -> None:
    assert list(terms_of(run)) == [run[at : at + 2] for at in range(len(run) - 1)]


def test_a_single_character_is_sought_as_it_is() -> None:
    assert list(terms_of("泵")) == ["泵"]


def test_characters_that_only_ask_count_less_than_those_that_tell() -> None:
    terms = terms_of("采样策略是什么")
    assert terms["采样"].counts == 1.0
    assert terms["什么"].counts == FUNCTION_WEIGHT


def test_words_that_merely_contain_such_a_character_count_in_full() -> None:
    assert terms_of("目的")["目的"].counts == 1.0


def test_a_term_remembers_how_it_was_typed() -> None:
    assert terms_of("Pumping costs")["cost"].word == "costs"


def test_a_question_without_words_has_no_terms() -> None:
    assert terms_of("?!…") == {}


def test_a_search_by_meaning_alone_seeks_no_terms() -> None:
    assert plan_of(SearchRequest("pump", lexical=False)).terms == {}


def test_the_pool_holds_as_many_concepts_as_are_asked_for() -> None:
    assert plan_of(SearchRequest("pump", k=50)).concepts == 50
    assert plan_of(SearchRequest("pump", k=1)).concepts == CANDIDATE_CONCEPTS
