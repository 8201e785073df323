"""The report shows what the bench measured, and leaves out what it did not."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.bench import metrics, report

INSTANT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
MEASURE = {"mean": 0.75, "low": 0.7, "high": 0.8}
ROW = {"name": "scifact", "means": "hybrid", "embedder": "minilm-l6", "questions": 300, "ndcg": MEASURE, "lead": None}
QUALITY = [ROW | {"recall": MEASURE, "mrr": MEASURE}]
GROWTH = {"engine": "<b>", "chunks": 1180, "index_mb": 1.0, "build_s": None, "cold_s": 0.1, "p50_ms": 2, "p95_ms": 3}


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(report, "OUT", tmp_path)
    return tmp_path


def test_what_was_not_measured_is_left_out(measured: Path) -> None:
    assert [title for title, *_ in report.tables()] == ["Versions"]


def test_figures_stand_in_the_page_with_their_intervals_and_the_versions(measured: Path) -> None:
    (measured / "quality.json").write_text(json.dumps(QUALITY))
    page = report.page(list(report.tables()), INSTANT)
    assert "| scifact | hybrid | minilm-l6 | 300 | 0.750 [0.700, 0.800] | 0.750 | 0.750 |" in page
    assert "at: 2026-01-02T03:04:00Z" in page
    assert "| duckdb |" in page


def test_the_html_page_needs_no_other_file_and_shows_names_as_text(measured: Path) -> None:
    (measured / "quality.json").write_text(json.dumps(QUALITY))
    (measured / "scale.json").write_text(json.dumps({"rows": [GROWTH]}))
    shown = report.html_page(list(report.tables()), INSTANT)
    assert shown.count("<svg") == 2
    assert "&lt;b&gt;" in shown
    assert "<script" not in shown
    assert 'src="' not in shown


def test_a_lead_over_the_same_figures_is_nothing_and_a_steady_one_is_no_chance() -> None:
    values = [0.1 * number for number in range(10)]
    assert metrics.lead(values, values) == metrics.Lead(0.0, 0.0, 0.0, 1.0)
    steady = metrics.lead([value + 0.1 for value in values], values)
    assert steady.low == pytest.approx(0.1)
    assert steady.chance < 0.01
