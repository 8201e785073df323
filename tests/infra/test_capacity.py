"""The model of load and cost: tied to the code that it is about, and held to the load played question by question."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tuf.api.metadata import Metadata

from okf_edge.feed import drafts
from okf_edge.feed.release import Release
from okf_edge.inmemory.system import DEFAULT_NOW
from okf_edge.limits import LIMITS
from okf_edge.policy.rules import PathRules
from okf_edge.retrieval.request import SearchRequest
from okf_edge_infra import capacity
from okf_edge_infra.capacity import LOADS, Load, any_cold, plan, play_load
from okf_edge_infra.measured import BOUNDS, MEASURED
from okf_edge_infra.simulation import play
from okf_edge_lambda import clients, searching
from okf_edge_lambda.searching import Member, Question, Ref
from okf_edge_lambda.settings import Settings

COMPANY = next(load for load in LOADS if load.name == "a company")
COMMUNITY = next(load for load in LOADS if load.name == "a community")
EVERYTHING = next(load for load in LOADS if load.name.endswith("everything seen"))


def test_the_bounds_of_the_model_are_those_of_the_code() -> None:
    assert (BOUNDS.disk_bytes, BOUNDS.shard_bytes) == (Settings().cache_bytes, Settings().shard_bytes)
    assert BOUNDS.connections == clients.CONNECTIONS
    assert abs(BOUNDS.message_bytes - searching.MESSAGE_BYTES) <= 1024
    assert BOUNDS.metadata_bytes_a_creator == LIMITS.feed_targets_bytes
    assert BOUNDS.snapshot_bytes == LIMITS.feed_snapshot_bytes


def test_the_bytes_that_name_a_bundle_are_those_that_the_code_sends() -> None:
    refs = tuple(Ref(f"creator{n % 9}.a-usual-name-{n}", "1.0.0", "0" * 64, 100_000 + n) for n in range(1_000))
    message = searching.message_of(Question(SearchRequest("q"), (Member("m", refs, PathRules()),), {}))
    found = len(json.dumps(message, separators=(",", ":"))) / len(refs)
    assert found == pytest.approx(MEASURED.message_bytes_a_bundle, rel=0.2)


def test_the_bytes_of_a_release_are_those_that_a_creator_signs() -> None:
    targets = drafts.no_targets(DEFAULT_NOW)
    for number in range(20):
        about = {"title": "A usual title of a bundle", "description": "What it holds, in one sentence of usual length."}
        more = Release(f"creator.a-usual-name-{number}", "1.0.0", bytes=100_000, sha256="0" * 64,
                       content_digest="0" * 64, licence="CC-BY-4.0", dependencies=(("other.usual-name", "^1.0"),),
                       **about)  # fmt: skip
        targets = drafts.with_release(targets, more, DEFAULT_NOW)
    found = len(Metadata(targets).to_bytes()) / 20
    assert found == pytest.approx(MEASURED.metadata_bytes_a_release, rel=0.25)


def test_the_largest_load_is_planned_in_shards_and_told_what_breaks() -> None:
    found = plan(EVERYTHING)
    assert (found.load.bundles, found.load.chunks, found.load.questions_a_second) == (10**6, 10**8, 1_000)
    assert 300 < found.shards < 1_500
    told = " ".join(found.breaks)
    for bound in ("names at most", "environments at once", "an answer takes", "more than its memory", "disks hold"):
        assert bound in told


def test_a_team_and_a_company_meet_no_bound_and_a_team_pays_cents() -> None:
    team = plan(LOADS[0])
    assert team.breaks == plan(COMPANY).breaks == ()
    assert team.dollars_a_month < 1


@given(st.integers(1, 10**6), st.integers(1, 10**8), st.floats(0.01, 1_000), st.floats(0.0001, 1))
def test_more_never_takes_less(bundles: int, chunks: int, rate: float, share: float) -> None:
    load = Load("any", bundles, chunks, rate, share)
    found = plan(load)
    for more in (replace(load, chunks=chunks * 2), replace(load, questions_a_second=rate * 2)):
        larger = plan(more)
        assert larger.shards >= found.shards
        assert larger.environments >= found.environments
        assert larger.dollars_a_month >= found.dollars_a_month
        assert larger.kept_share <= found.kept_share + 1e-9


@pytest.mark.parametrize("load", [COMPANY, COMMUNITY], ids=lambda each: each.name)
def test_the_plan_is_what_the_load_gives_when_it_is_played(load: Load) -> None:
    planned, played = plan(load), play_load(plan(load))
    assert played.kept_share == pytest.approx(planned.kept_share, abs=0.05)
    assert planned.environments / 3 <= played.most_environments <= planned.environments * 3
    fetch = 0 if planned.kept_share > 0.9 else planned.cold_s - MEASURED.init_search_s - MEASURED.model_s
    assert played.quantile(0.5) == pytest.approx(planned.shard_s + fetch, rel=0.1)


def test_a_question_of_many_shards_waits_for_the_slowest_so_cold_starts_add_up() -> None:
    assert any_cold(1, 0.01) == pytest.approx(0.01)
    assert any_cold(100, 0.01) == pytest.approx(1 - 0.99**100)
    one, many = (
        play(questions=2_000, a_second=2.0, shards=shards, groups=1, warm_s=0.05, init_s=0.8, fetch_s=2.0, held=9,
             idle_s=300.0, seed=3)
        for shards in (1, 9)
    )  # fmt: skip
    assert many.quantile(0.95) > one.quantile(0.95)


def test_an_environment_that_nobody_asks_is_gone_and_the_next_question_starts_cold() -> None:
    rare = play(questions=300, a_second=1 / 3_000, shards=1, groups=1, warm_s=0.05, init_s=0.8, fetch_s=1.0, held=1,
                idle_s=300.0, seed=1)  # fmt: skip
    assert rare.cold_share > 0.8 and rare.most_environments <= 2


def test_the_same_seed_plays_the_same(capsys) -> None:
    assert play_load(plan(COMMUNITY), 500) == play_load(plan(COMMUNITY), 500)
    assert capacity.main() == 0
    printed = capsys.readouterr().out
    assert all(load.name in printed for load in LOADS)
    assert "What breaks" in printed and "Played question by question" in printed
