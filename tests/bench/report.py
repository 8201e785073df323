"""`make report`: the last measurements as a page of the handbook and as one HTML page with plots.

Reads the JSON that `python -m tests.bench` left in `bench-out/`. What was not measured is left out. With `--measure`
quality, the hard set and the gate are measured first.
"""

from __future__ import annotations

import argparse
import html
import json
import platform
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import okf_edge
from okf_edge.embedding.models import MODELS
from tests.bench import fit_gate, gate_quality, plots, quality
from tests.bench.hard import measure
from tests.bench.rows import OUT
from tests.floors.handbook import ROOT

PAGE = ROOT / "reference/measurements.md"
TOLD = (
    "How well okf-edge finds and refuses, by words, by meaning and by both, and what it costs, "
    "as make report last measured it."
)
INTRODUCTION = (
    "`make report` measures this anew and writes this page; all tables and the plots are in `bench-out/report.html`. "
    "[Fusion](/concepts/fusion.md), [the gate](/concepts/gate.md) and [the models](/concepts/models.md) say what is "
    "measured. Brackets hold 95% bootstrap intervals over questions."
)
HEAD = """---
type: Reference
title: Measurements
description: {told}
tags: [reference, measurements, quality, cost]
lang: en
generated: {{ by: process:handbook, at: {instant} }}
---

{introduction}
"""

HARD, GATE = "The hard set", "Knowing when not to answer"

Table = tuple[str, str, Sequence[str], Sequence[Sequence[str]]]
"""Title, what it says, the head and the rows."""


def tables() -> Iterator[Table]:
    """Every table for which there is JSON."""
    makers = {"quality": _quality, "hard": _hard, "gate": _gate, "scale": _scale, "tools": _tools}
    for name, make in makers.items():
        data = read(name)
        if data:
            yield make(data)
    yield _versions()


def read(name: str) -> Any:
    """The JSON of one part of the bench; None when it was not measured."""
    path = OUT / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else None


def _quality(rows: Sequence[dict[str, Any]]) -> Table:
    head = ("set", "means", "embedder", "questions", "nDCG@10", "R@10", "MRR@10", "lead of hybrid", "chance")
    cells = [
        (
            row["name"],
            row["means"],
            row["embedder"] if row["means"] != "lexical" else "none",
            str(row["questions"]),
            _interval(row["ndcg"]),
            f"{row['recall']['mean']:.3f}",
            f"{row['mrr']['mean']:.3f}",
            _interval(row["lead"]) if row["lead"] else "",
            f"{row['lead']['chance']:.3f}" if row["lead"] else "",
        )
        for row in rows
    ]
    return "Public sets", "Each set as a folder of notes, through the product.", head, cells


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
    head = ("model", "set left out of the fit", "questions that are", "AUROC", "answered at 5% false refusals")
    cells = [
        (row["model"] or "words alone", row["set"], row["kind"], f"{row['auroc']:.3f}", f"{row['wrong']:.3f}")
        for row in found["held"]
    ]
    errors = ", ".join(f"{each['error']:.3f} ({each['model'] or 'words alone'})" for each in found["errors"])
    told = f"Gates fitted on the other sets. How far the confidence is off on sets that the fit never saw: {errors}."
    return GATE, told, head, cells


def _scale(found: dict[str, Any]) -> Table:
    head = ("engine", "chunks", "index MB", "build s", "cold s", "p50 ms", "p95 ms")
    cells = [
        (
            row["engine"],
            f"{row['chunks']:,}",
            f"{row['index_mb']:.1f}",
            "" if row["build_s"] is None else f"{row['build_s']:.1f}",
            f"{row['cold_s']:.2f}",
            f"{row['p50_ms']:.2f}",
            f"{row['p95_ms']:.2f}",
        )
        for row in found["rows"]
    ]
    return "How cost grows", "Processor time of one thread.", head, cells


def _tools(rows: Sequence[dict[str, Any]]) -> Table:
    head = ("tool", "pages", "index s", "index MB", "one question s", "spread s", "question MB")
    cells = [
        (
            row["tool"],
            str(row["pages"]),
            f"{row['index_s']:.1f}",
            f"{row['index_mb']:.1f}",
            f"{row['query_s']:.2f}",
            f"{row['low_s']:.2f} to {row['high_s']:.2f}",
            f"{row['query_mb']:.0f}",
        )
        for row in rows
        if "query_s" in row
    ]
    return "Whole tools", "A fresh process each, processor time.", head, cells


def _versions() -> Table:
    named = [("okf-edge", okf_edge.__version__), ("Python", platform.python_version())]
    named += [(name, version(name)) for name in ("duckdb", "onnxruntime", "tokenizers")]
    named += [(model.id, model.spec.digest[:16]) for model in MODELS]
    return "Versions", "What was measured.", ("what", "version"), named


def _interval(measure: dict[str, float]) -> str:
    return f"{measure['mean']:.3f} [{measure['low']:.3f}, {measure['high']:.3f}]"


def page(found: Sequence[Table], instant: datetime) -> str:
    """The page of the handbook: of the longest tables only the rows that sum up."""
    head = HEAD.format(told=TOLD, introduction=INTRODUCTION, instant=instant.strftime("%Y-%m-%dT%H:%M:%SZ"))
    return head + "".join(_section((title, told, names, _summed(title, rows))) for title, told, names, rows in found)


def _summed(title: str, rows: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    if title == HARD:
        return [row for row in rows if row[0] == "test, hybrid" or row[1] == "answerable"]
    if title == GATE:
        return [row for row in rows if row[1] in ("hard", "handbook")]
    return rows


def _section(table: Table) -> str:
    title, told, head, rows = table
    lines = [head, ["---"] * len(head), *rows]
    return f"\n## {title}\n\n{told}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in lines) + "\n"


def html_page(found: Sequence[Table], instant: datetime) -> str:
    """The same with plots, in one file that needs no other."""
    drawn = plots.drawn(read("quality"), read("scale"), read("gate"))
    parts = [f"<h2>{html.escape(title)}</h2>{svg}" for title, svg in drawn]
    parts += [_html_table(table) for table in found]
    body = f"<h1>okf-edge: measurements</h1><p>{instant:%Y-%m-%d %H:%M} UTC</p>" + "".join(parts)
    head = '<meta charset="utf-8"><title>okf-edge: measurements</title>'
    return f'<!doctype html><html lang="en">{head}{STYLE}{body}</html>'


STYLE = (
    "<style>body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;display:block;overflow-x:auto}td,th{padding:.2rem .6rem;text-align:left;"
    "border-bottom:1px solid #8884}svg{max-width:100%;height:auto;background:#fff}</style>"
)


def _html_table(table: Table) -> str:
    title, told, head, rows = table
    anchor = re.sub(r"\W+", "-", title.lower())
    heads = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<h2 id="{anchor}">{html.escape(title)}</h2><p>{html.escape(told)}</p><table><tr>{heads}</tr>{body}</table>'


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true", help="measure quality, the hard set and the gate first")
    failed = _measured() if parser.parse_args(arguments).measure else 0
    instant, found = datetime.now(UTC), list(tables())
    PAGE.write_text(page(found, instant), "utf-8")
    OUT.mkdir(exist_ok=True)
    (OUT / "report.html").write_text(html_page(found, instant), "utf-8")
    print(f"{PAGE}\n{OUT / 'report.html'}")
    return failed


def _measured() -> int:
    """Measures what the report shows of quality; without the public corpora only the hard set."""
    failed = measure.both_halves()
    if not quality.sets.CORPORA.is_dir():
        print("the public corpora are not beside the checkout: their last figures are shown", file=sys.stderr)
        return failed
    return quality.main(["--json", str(OUT / "quality.json")]) + fit_gate.main() + gate_quality.main() + failed


if __name__ == "__main__":
    raise SystemExit(main())
