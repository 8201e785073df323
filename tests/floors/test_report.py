"""The report shows what the bench measured, and leaves out what it did not."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from okf_edge.inmemory import HashedEmbedder, MemoryModels
from okf_edge.inmemory.embedding import HASHED_SPEC
from okf_edge.retrieval import calibration, hits, plan
from tests.bench import choosing, metrics, quality, report, rows, tables
from tests.bench.agreement import outside
from tests.bench.choices import CHOICES, Choice
from tests.bench.sets import Question, RetrievalSet

WORDS = ("sluice", "keeper", "tide", "gate", "harbour", "lantern", "ferry", "pilot", "anchor", "beacon")
INSTANT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
MEASURE = {"mean": 0.75, "low": 0.7, "high": 0.8}
ROW = {"name": "scifact", "means": "hybrid", "embedder": "minilm-l6", "questions": 300, "ndcg": MEASURE, "lead": None}
QUALITY = [ROW | {"recall": MEASURE, "mrr": MEASURE}]
COSTS = {"index_mb": 1.0, "build_s": None, "build_mb": None, "cold_s": 0.1, "cold_mb": 20, "p95_ms": 30}
GROWTH = [
    COSTS | {"engine": engine, "chunks": 1180, "p50_ms": p50_ms}
    for engine, p50_ms in (("okf-edge lexical", 4), ("<b>", 2))
]
BESIDE = pairwise((*WORDS, "shore"))
SMALL = RetrievalSet(
    "small",
    HASHED_SPEC.id,
    {f"{one}.md": f"# {one}\n\nWhat {one} is, told beside {other}.\n".encode() for one, other in BESIDE},
    tuple(Question(word, f"what is {word}?", {f"{word}.md": 1}) for word in WORDS),
)
FOLLOWS = {"CITATION_CREDIT"}
"""It goes with the credit over a link."""


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(rows, "OUT", tmp_path)
    return tmp_path


def test_what_was_not_measured_is_left_out(measured: Path) -> None:
    assert [title for title, *_ in tables.tables()] == ["Tried", "Versions"]


def test_figures_stand_in_the_page_with_their_intervals_and_the_versions(measured: Path) -> None:
    (measured / "quality.json").write_text(json.dumps(QUALITY))
    page = report.page(list(tables.tables()), INSTANT)
    assert "| scifact | hybrid | minilm-l6 | 300 | 0.750 [0.700, 0.800] | 0.750 | 0.750 |" in page
    assert "at: 2026-01-02T03:04:00Z" in page
    assert "| duckdb |" in page


def test_the_html_page_needs_no_other_file_and_shows_names_as_text(measured: Path) -> None:
    (measured / "quality.json").write_text(json.dumps(QUALITY))
    (measured / "scale.json").write_text(json.dumps({"rows": GROWTH}))
    shown = report.html_page(list(tables.tables()), INSTANT)
    assert shown.count("<svg") == 2
    assert "&lt;b&gt;" in shown
    assert "<script" not in shown
    assert 'src="' not in shown


def test_where_another_engine_is_ahead_the_report_says_so(measured: Path) -> None:
    (measured / "scale.json").write_text(json.dumps({"rows": GROWTH}))
    found = list(tables.tables())
    assert "<b> is quicker at 1,180 chunks" in report.page(found, INSTANT)
    assert ("<b>", "1,180", "1.0", "", "", "0.10", "20", "2.00", "30.00", "0.50") in found[0][3]


def test_a_tool_that_was_stopped_is_named_with_what_it_said(measured: Path) -> None:
    row = {"tool": "slow", "version": "1.2", "pages": 10_000, "stopped": "stopped after 600 s"}
    (measured / "tools.json").write_text(json.dumps([row]))
    assert "| slow | 1.2 | 10,000 | stopped after 600 s |" in report.page(list(tables.tables()), INSTANT)


def test_means_that_left_their_interval_are_told_by_name_and_others_are_not() -> None:
    after = [row | {"ndcg": MEASURE | {"mean": 0.81}} for row in QUALITY]
    assert list(outside(QUALITY, QUALITY)) == []
    assert list(outside(QUALITY, after)) == ["scifact hybrid minilm-l6 ndcg: 0.810, earlier 0.750 [0.700, 0.800]"]
    assert list(outside(None, after)) == []


def test_a_second_run_over_a_small_set_agrees_with_the_first() -> None:
    def run() -> list[dict[str, object]]:
        found = asyncio.run(quality.judged(SMALL, quality.MODES, MemoryModels(HashedEmbedder())))
        return [asdict(row) for row in quality.rows_of("small", "hashed", found)]

    first, second = run(), run()
    assert [row["means"] for row in first] == ["hybrid", "lexical", "dense", "by ranks"]
    assert first[1]["recall"]["mean"] == 1.0
    assert list(outside(first, second)) == []


def test_the_defaults_that_the_report_names_are_those_of_the_product() -> None:
    for choice in CHOICES:
        default, *_ = choice.values
        for module, name, value in (patch for patches in choice.values.values() for patch in patches):
            if isinstance(value, int | float) and name not in FOLLOWS:
                assert float(default) == getattr(module, name), choice.name
    assert {f"{one.weight:g}" for one in calibration.MODELS.values()} == {next(iter(CHOICES[0].values))}


def test_a_choice_is_compared_by_what_the_product_does_with_it() -> None:
    blind = ((plan, "_telling", lambda word: []), (hits, "meaning_of", lambda cosine, standard: 0.0))
    choice = Choice("what is seen", ("small",), {"all": (), "nothing": blind})
    rows = asyncio.run(choosing.compare(choice, "small", MemoryModels(HashedEmbedder()), SMALL))
    assert [row.is_default for row in rows] == [True, False]
    assert rows[1].test_lead
    assert rows[1].test_lead.mean > 0


def test_a_lead_over_the_same_figures_is_nothing_and_a_steady_one_is_no_chance() -> None:
    values = [0.1 * number for number in range(10)]
    assert metrics.lead(values, values) == metrics.Lead(0.0, 0.0, 0.0, 1.0)
    steady = metrics.lead([value + 0.1 for value in values], values)
    assert steady.low == pytest.approx(0.1)
    assert steady.chance < 0.01
