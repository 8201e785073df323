from datetime import UTC, datetime, timedelta

import pytest

from okf_edge.retrieval.dense import Standard
from okf_edge.retrieval.fuse import PRESUMED_SHARE, concepts_of, is_stale, meaning_of, rank, with_presumed
from tests.unit.retrieval.values import NOW, a_hit


def test_meaning_is_zero_at_the_mean_and_one_at_eight_deviations() -> None:
    standard = Standard(mean=0.1, deviation=0.05)
    assert meaning_of(0.1, standard) == 0.0
    assert meaning_of(-1.0, standard) == 0.0
    assert meaning_of(0.3, standard) == pytest.approx(0.5)
    assert meaning_of(0.9, standard) == 1.0


def test_relevance_is_the_convex_combination_of_words_and_meaning() -> None:
    assert a_hit(lexical=0.4, cosine=0.5, meaning=0.8, weight=0.25).relevance == pytest.approx(0.5)


def test_a_chunk_without_a_vector_is_judged_by_its_words_on_the_same_scale() -> None:
    assert a_hit(lexical=0.4, weight=0.0).relevance == 0.4


def test_a_concept_ranks_by_its_best_chunk_however_many_it_has() -> None:
    many = [a_hit("long.md", {"chunk": n, "ordinal": n}, lexical=0.3) for n in range(50)]
    best = concepts_of([*many, a_hit("short.md", {"chunk": 99}, lexical=0.4)])
    assert [hit.place.path for hit in best] == ["short.md", "long.md"]


def test_equal_scores_go_by_path_whatever_the_order_they_come_in() -> None:
    hits = [a_hit(name, lexical=0.3) for name in ("c.md", "a.md", "b.md")]
    assert [item.path for item in rank(concepts_of(hits), {}, NOW)] == ["a.md", "b.md", "c.md"]


def test_scores_that_differ_by_less_than_hosts_do_are_equal() -> None:
    hits = [a_hit("b.md", lexical=0.5000004), a_hit("a.md", lexical=0.4999996)]
    assert [item.path for item in rank(concepts_of(hits), {}, NOW)] == ["a.md", "b.md"]


@pytest.mark.parametrize(
    "outdated",
    [{"status": "deprecated"}, {"stale_after": "2026-01-01T00:00:00+00:00"}, {"stale_after": "2026-01-01T00:00:00Z"}],
)
def test_an_outdated_page_yields_to_a_current_one_that_is_as_good(outdated: dict[str, str]) -> None:
    hits = [a_hit("a-old.md", outdated, lexical=0.5), a_hit("b-new.md", lexical=0.48)]
    ranked = rank(concepts_of(hits), {}, NOW)
    assert [item.path for item in ranked] == ["b-new.md", "a-old.md"]
    assert ranked[1].yields


def test_an_outdated_page_that_alone_matches_stays_first() -> None:
    hits = [a_hit("old.md", {"status": "deprecated"}, lexical=0.8), a_hit("new.md", lexical=0.1)]
    assert rank(concepts_of(hits), {}, NOW)[0].path == "old.md"


def test_a_page_is_stale_from_the_instant_on() -> None:
    instant = datetime(2026, 1, 1, tzinfo=UTC)
    assert is_stale(instant.isoformat(), instant)
    assert not is_stale(instant.isoformat(), instant - timedelta(seconds=1))
    assert not is_stale("", instant)


def test_a_page_in_another_script_is_presumed_to_hold_a_share_of_what_the_best_page_holds() -> None:
    own = a_hit("own.md", lexical=0.4, cosine=0.5, meaning=0.1, place={"title": "水泵"})
    foreign = a_hit("foreign.md", lexical=0.0, cosine=0.5, meaning=0.2, place={"title": "The pump"})
    wordless = a_hit("wordless.md", lexical=0.0, place={"title": "The pump"})
    shown = with_presumed([own, foreign, wordless], {"Han": 1.0})
    assert [hit.presumed for hit in shown] == pytest.approx([0.0, PRESUMED_SHARE * 0.4, 0.0])
    assert shown[1].relevance > foreign.relevance


def test_a_page_in_the_questions_own_script_is_presumed_nothing() -> None:
    hits = [
        a_hit("a.md", lexical=0.4, cosine=0.5, meaning=0.1, place={"title": "The pump"}),
        a_hit("b.md", {"title": ""}, meaning=0.3),
    ]
    assert with_presumed(hits, {"Latin": 1.0}) == hits
