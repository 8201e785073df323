"""Where others are ahead of us, said in words from the figures, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Rows = Sequence[Mapping[str, Any]]
OURS = "okf-edge lexical"
TELLING = 0.05
"""The chance below which a lead counts."""

WHY = {
    "bm25s": "it scores in memory; ours are rows that a browser opens too",
    "tantivy": "it is compiled and reads its files in place",
    "fts5-porter": "it plans nothing, and reads every match",
    "fts5-trigram": "it plans nothing, and reads every match",
    "duckdb-fts": "it plans nothing, and reads every match",
    "okf-parser": "it is one compiled program",
    "okflib": "reading few pages takes less than opening a database",
    "qmd": "it finds only what holds every word",
}


def of_cost(rows: Rows) -> str:
    """Which engines answer in less than ours does, by size."""
    return _ahead(rows, "engine", "chunks", "p50_ms")


def of_tools(rows: Rows) -> str:
    """The same of whole tools."""
    return _ahead([row for row in rows if "query_s" in row], "tool", "pages", "query_s")


def _ahead(rows: Rows, name: str, size: str, cost: str) -> str:
    ours = {row[size]: row[cost] for row in rows if row[name] == OURS}
    ahead: dict[str, list[str]] = {}
    for row in rows:
        if not row[name].startswith("okf-edge") and row[cost] < ours.get(row[size], 0):
            ahead.setdefault(row[name], []).append(f"{row[size]:,}")
    return " ".join(
        f"{engine} is quicker at {_listed(sizes)} {size}: {WHY.get(engine, 'we do not know why')}."
        for engine, sizes in ahead.items()
    )


def of_quality(rows: Rows) -> str:
    """On which sets another engine ranks better than our hybrid search beyond chance."""
    better = [
        f"{row['engine']} on {row['name']}"
        for row in rows
        if row["lead"] and row["lead"]["mean"] < 0 and row["lead"]["chance"] < TELLING
    ]
    return f"Better than our hybrid search, beyond chance: {_listed(better) if better else 'none'}."


def of_choices(rows: Rows) -> str:
    """Which values would have been better than the default on both halves, beyond chance on one."""
    better = [
        f"{row['choice']} {row['value']} on {row['set']}"
        for row in rows
        if not row["is_default"] and _is_better(row["development_lead"], row["test_lead"])
    ]
    return f"Better than the default on both halves, beyond chance on one: {_listed(better) if better else 'none'}."


def _is_better(*leads: Mapping[str, float]) -> bool:
    return all(lead["mean"] < 0 for lead in leads) and any(lead["chance"] < TELLING for lead in leads)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
