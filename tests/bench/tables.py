"""The tables of the report, from the JSON that the parts of the bench left in `bench-out/`."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml

import okf_edge
from okf_edge.embedding.models import MODELS
from tests.bench import wins
from tests.bench.peer_index import versions as peer_versions
from tests.bench.rows import read

HARD, GATE = "The hard set", "Knowing when not to answer"
ENGINES, CHOICES = "Beside other engines", "Defaults and steps"
TRIED = Path(__file__).parent / "tried.yaml"

Rows = Sequence[Mapping[str, Any]]
Table = tuple[str, str, Sequence[str], Sequence[Sequence[str]]]
"""Title, what it says, the head and the rows."""


def tables() -> Iterator[Table]:
    """Every table for which there is JSON."""
    makers = {
        "quality": _quality,
        "languages": _languages,
        "peers": _peers,
        "choices": _choices,
        "hard": _hard,
        "gate": _gate,
        "scale": _scale,
        "ranges": _ranges,
        "tool_quality": _tool_quality,
        "tools": _tools,
        "cost": _limits,
    }
    for name, make in makers.items():
        data = read(name)
        if data and (table := make(data))[3]:
            yield table
    yield _tried()
    yield _versions()


def _quality(rows: Rows) -> Table:
    told = "Each set as a folder of notes, through the product."
    return "Public sets", told, ("set", *_QUALITY), [_of_quality(row) for row in rows]


def _languages(rows: Rows) -> Table:
    told = "All public sets; `zh to en` asks in Chinese of English pages, `by ranks` fuses both by rank."
    return "By language", told, ("language", *_QUALITY), [_of_quality(row) for row in rows]


_QUALITY = ("means", "model", "questions", "nDCG@10", "R@10", "MRR@10", "lead of hybrid", "chance")


def _of_quality(row: Mapping[str, Any]) -> Sequence[str]:
    return (
        row["name"],
        row["means"],
        row["embedder"] if row["means"] != "lexical" else "none",
        str(row["questions"]),
        _interval(row["ndcg"]),
        f"{row['recall']['mean']:.3f}",
        f"{row['mrr']['mean']:.3f}",
        *_lead(row["lead"]),
    )


def _peers(rows: Rows) -> Table:
    head = ("set", "engine", "nDCG@10", "lead of our hybrid", "chance", "build s", "index MB", "p50 ms", "p95 ms")
    cells = [
        (
            row["name"],
            row["engine"],
            _interval(row["ndcg"]),
            *_lead(row["lead"]),
            f"{row['build_s']:.1f}",
            f"{row['index_bytes'] / 1e6:.1f}",
            f"{row['query_p50_ms']:.2f}",
            f"{row['query_p95_ms']:.2f}",
        )
        for row in rows
    ]
    told = (
        "Other engines over the same notes in the same run, by words, as they come. Building ours leaves out embedding."
    )
    return ENGINES, f"{told} {wins.of_quality(rows)}", head, cells


def _choices(rows: Rows) -> Table:
    head = ("what", "value", "set", "development half", "test half", "default leads on development", "chance")
    head = (*head, "on test", "chance")
    cells = [
        (
            row["choice"],
            f"{row['value']} (default)" if row["is_default"] else row["value"],
            row["set"],
            _interval(row["development"]),
            _interval(row["test"]),
            *_lead(row["development_lead"]),
            *_lead(row["test_lead"]),
        )
        for row in rows
    ]
    told = (
        "nDCG@10 of hybrid search, of the hard set R@10 of the page. Chosen on the development half of the questions, "
        "confirmed on the other. A value that takes a step out says what the step is worth."
    )
    return CHOICES, f"{told} {wins.of_choices(rows)}", head, cells


def _hard(rows: Sequence[dict[str, Any]]) -> Table:
    head = (
        "half and means",
        "questions of",
        "number",
        "R@10 of the page",
        "of the passage",
        "MRR",
        "refused",
        "lead of hybrid",
        "chance",
    )
    cells = [
        (
            f"{row['half']}, {row['means']}",
            row["name"],
            str(row["questions"]),
            _interval(row["page"]) if row["page"] else "",
            f"{row['passage']['mean']:.3f}" if row["passage"] else "",
            f"{row['mrr']['mean']:.3f}" if row["mrr"] else "",
            f"{row['refused']:.3f}",
            _interval(row["lead"]) if row["lead"] else "",
            f"{row['lead']['chance']:.3f}" if row["lead"] else "",
        )
        for row in rows
    ]
    told = "Our own questions of six kinds over the handbook and two other bundles; nothing was tuned on the test half."
    return HARD, told, head, cells


def _gate(found: dict[str, Any]) -> Table:
    head = (
        "model",
        "set left out of the fit",
        "language",
        "questions that are",
        "AUROC",
        "answered at 5% false refusals",
    )
    cells = [
        (
            row["model"] or "words alone",
            row["set"],
            row.get("lang", ""),
            f"{row['kind']} ({row['questions']})",
            f"{row['auroc']:.3f}",
            f"{row['wrong']:.3f}",
        )
        for row in found["held"]
    ]
    errors = ", ".join(f"{each['error']:.3f} ({each['model'] or 'words alone'})" for each in found["errors"])
    told = f"Gates fitted on the other sets. How far the confidence is off on sets that the fit never saw: {errors}."
    return GATE, told, head, cells


def _scale(found: Mapping[str, Any]) -> Table:
    head = ("engine", "chunks", "index MB", "build s", "build MB", "cold s", "cold MB", "p50 ms", "p95 ms", "× ours")
    ours = {row["chunks"]: row["p50_ms"] for row in found["rows"] if row["engine"] == wins.OURS}
    cells = [
        (
            row["engine"],
            f"{row['chunks']:,}",
            f"{row['index_mb']:.1f}",
            _or_none(row["build_s"], 1),
            _or_none(row["build_mb"], 0),
            f"{row['cold_s']:.2f}",
            f"{row['cold_mb']:.0f}",
            f"{row['p50_ms']:.2f}",
            f"{row['p95_ms']:.2f}",
            f"{row['p50_ms'] / ours[row['chunks']]:.2f}" if row["chunks"] in ours else "",
        )
        for row in found["rows"]
    ]
    powers = ", ".join(f"{engine} {power:.2f}" for engine, power in found.get("exponents", {}).items())
    told = f"Processor time of one thread; ratios are to {wins.OURS}. Medians grow as chunks to the power of: {powers}."
    return "How cost grows", f"{told} {wins.of_cost(found['rows'])}", head, cells


def _ranges(found: Mapping[str, Any]) -> Table:
    head = ("chunks", "index MB", "hybrid p50 ms", "p95 ms", "nearest ms", "scan of all ms", "R@10 of the scan's")
    cells = [
        (
            f"{row['chunks']:,}",
            f"{row['index_mb']:.0f}",
            f"{row['p50_ms']:.1f} [{row['low_ms']:.1f}, {row['high_ms']:.1f}]",
            f"{row['p95_ms']:.1f}",
            f"{row['nearest_ms']:.1f}",
            f"{row['scan_ms']:.1f}",
            f"{row['recall']:.3f}",
        )
        for row in found["rows"]
    ]
    grows = f" The median grows as chunks to the power of {found['exponent']:.2f}." if found["exponent"] else ""
    told = (
        f"Processor time of one thread, {found['model']}; vectors are real ones with noise, since a million take long."
    )
    return "To a million chunks", told + grows, head, cells


def _tools(rows: Rows) -> Table:
    head = ("tool", "version", "pages", "index s", "index MB", "one question s", "spread s", "question MB", "× ours")
    ours = {row["pages"]: row["query_s"] for row in rows if row["tool"] == wins.OURS}
    cells = [
        (
            row["tool"],
            row["version"],
            f"{row['pages']:,}",
            *(_used(row, ours.get(row["pages"])) if "query_s" in row else (row["stopped"], *[""] * 5)),
        )
        for row in rows
    ]
    told = "A fresh process each, by words; stopped at ten minutes or 4 GB."
    return "Whole tools", f"{told} {wins.of_tools(rows)}", head, cells


def _tool_quality(rows: Rows) -> Table:
    head = ("tool", "version", "nDCG@10", "R@10", "lead of our hybrid", "chance", "names nothing where nothing answers")
    cells = [
        (
            row["tool"],
            row["version"],
            _interval(row["ndcg"]),
            f"{row['recall']['mean']:.3f}",
            *_lead(row["lead"]),
            f"{row['unanswerable_refused']} of {row['unanswerable']}",
        )
        for row in rows
    ]
    told = "Pulseboard, each question as a person asks it; a ranking is the order in which a tool names the notes."
    return "Whole tools, quality", told, head, cells


def _used(row: Mapping[str, Any], ours: float | None) -> Sequence[str]:
    return (
        f"{row['index_s']:.1f}",
        f"{row['index_mb']:.1f}",
        f"{row['query_s']:.2f}",
        f"{row['low_s']:.2f} to {row['high_s']:.2f}",
        f"{row['query_mb']:.0f}",
        f"{row['query_s'] / ours:.2f}" if ours else "",
    )


def _limits(rows: Rows) -> Table:
    """The ratios; what is in seconds or bytes is in `make bench`."""
    cells = [(row["name"], f"{row['value']:.2f}", row["note"]) for row in rows if row["unit"] == "×"]
    told = "Times what the machine itself takes: processor time of one thread, measured in turns."
    return "Close to the limit", told, ("what", "×", "how"), cells


def _tried() -> Table:
    head = ("idea", "meant for", "on the development half", "verdict")
    rows = yaml.safe_load(TRIED.read_text("utf-8"))
    told = "Beyond hybrid search, on the hard set; what is kept beat noise. AUROC is beside all answerable questions."
    return "Tried", told, head, [(row["idea"], row["aim"], row["figure"], row["verdict"]) for row in rows]


def _versions() -> Table:
    named = [("okf-edge", okf_edge.__version__), ("Python", platform.python_version())]
    named += [(name, version(name)) for name in ("duckdb", "onnxruntime", "tokenizers")]
    named += [(model.id, model.spec.digest[:16]) for model in MODELS]
    return "Versions", "What was measured.", ("what", "version"), [*named, *peer_versions()]


def _interval(measure: Mapping[str, float]) -> str:
    return f"{measure['mean']:.3f} [{measure['low']:.3f}, {measure['high']:.3f}]"


def _lead(lead: Mapping[str, float] | None) -> Sequence[str]:
    return (_interval(lead), f"{lead['chance']:.3f}") if lead else ("", "")


def _or_none(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"
