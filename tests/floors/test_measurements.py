"""The last measurements keep the floors, and the README's headline figures are theirs.

`make report` writes the page that is read here, so a figure that fell fails here before it is published.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from tests.bench import ranges
from tests.bench.quality import FLOORS
from tests.bench.report import PAGE
from tests.bench.sets import REPOSITORY

README = (REPOSITORY / "README.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE.read_text("utf-8"), re.S | re.M))
RANGES = "To a million chunks"
LINK = "(bundles/handbook/reference/measurements.md#"


def rows(title: str) -> list[Sequence[str]]:
    """The cells of a section's table."""
    lines = (line for line in SECTIONS[title].splitlines() if line.startswith("|"))
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def row(title: str, *first: str) -> Sequence[str]:
    """The row that begins with these cells."""
    return next(cells for cells in rows(title) if tuple(cells[: len(first)]) == first)


def value(cell: str) -> float:
    return float(cell.split()[0])


@pytest.mark.parametrize("name", FLOORS)
def test_hybrid_search_of_a_public_set_is_above_its_floor(name: str) -> None:
    assert value(row("Public sets", name, "hybrid")[4]) >= FLOORS[name]


@pytest.mark.parametrize("others", ["lexical", "dense"])
def test_hybrid_search_is_ahead_of_one_means_alone_in_every_language(others: str) -> None:
    leads = [cells for cells in rows("By language") if cells[1] == others]
    assert len(leads) > 2
    assert all(value(cells[7]) > 0 and float(cells[8]) < 0.05 for cells in leads)


@pytest.mark.skipif(RANGES not in SECTIONS, reason="the page has no table of coarse ranges: run `make report`")
def test_a_hybrid_question_grows_slowly_with_the_chunks_and_coarse_ranges_miss_little() -> None:
    kept = [
        {"chunks": int(cells[0].replace(",", "")), "p50_ms": value(cells[2]), "recall": value(cells[6])}
        for cells in rows(RANGES)[2:]
    ]
    growth = re.search(r"to the power of ([\d.]+)", SECTIONS[RANGES])
    assert growth
    assert list(ranges.beyond(kept, float(growth[1]))) == []
    assert max(row["chunks"] for row in kept) > 99_000


def headline(anchor: str) -> str:
    """The README's headline figure that links to a section."""
    found = re.search(r"- \*\*([\d.]+)[^*]*\*\*(?:(?!\n- ).)*?" + re.escape(f"{LINK}{anchor})"), README, re.S)
    assert found, f"no headline figure links to {anchor}"
    return found[1]


def test_the_headline_figures_of_the_readme_are_those_of_the_last_measurements() -> None:
    assert headline("the-hard-set") == f"{value(row('The hard set', 'test, hybrid', 'answerable')[3]) * 100:.0f}"
    hybrid = [cells for cells in rows("How cost grows") if cells[0] == "okf-edge hybrid"]
    assert headline("how-cost-grows") == f"{value(hybrid[-1][7]):.0f}"
    error = re.search(r"never saw: .*?([\d.]+) \(e5-small-cjk\)", SECTIONS["Knowing when not to answer"])
    assert error
    assert float(headline("knowing-when-not-to-answer")) == round(float(error[1]), 2)
