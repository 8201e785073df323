"""`make report`: the last measurements as a page of the handbook and as one HTML page with plots.

Reads the JSON that the parts of the bench left in `bench-out/`. What was not measured is left out. With `--measure`
everything is measured first but what takes hours, the largest sizes and whole tools: of these the last figures stay.
"""

from __future__ import annotations

import argparse
import html
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from tests.bench import choosing, cost, fit_gate, gate_quality, peers, plots, quality, ranges, scale, sets
from tests.bench.agreement import outside
from tests.bench.hard import measure
from tests.bench.hard.questions import ANSWERABLE, UNANSWERABLE
from tests.bench.rows import OUT, read
from tests.bench.tables import CHOICES, ENGINES, GATE, HARD, Table, tables
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


def page(found: Sequence[Table], instant: datetime) -> str:
    """The page of the handbook, which is read in minutes: of every table the rows that sum up, if any."""
    head = HEAD.format(told=TOLD, introduction=INTRODUCTION, instant=instant.strftime("%Y-%m-%dT%H:%M:%SZ"))
    summed = ((title, told, names, _summed(title, rows)) for title, told, names, rows in found)
    return head + "".join(_section(table) for table in summed if table[3])


def _summed(title: str, rows: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    keep = SUMMED.get(title)
    return [row for row in rows if keep(row)] if keep else rows


HARD_ROWS = ("answerable", "en", "zh", *ANSWERABLE, *UNANSWERABLE)
SUMMED: Mapping[str, Callable[[Sequence[str]], bool]] = {
    "Public sets": lambda row: row[1] == "hybrid",
    HARD: lambda row: row[0] == "test, hybrid" and row[1] in HARD_ROWS,
    GATE: lambda row: row[:2] == ("e5-small-cjk", "every set"),
    ENGINES: lambda row: False,
    "Close to the limit": lambda row: False,
    CHOICES: lambda row: False,
    "Whole tools, quality": lambda row: False,
    "How cost grows": lambda row: row[0].startswith("okf-edge"),
    "Tried": lambda row: False,
}
"""Which rows of a table the page shows; the HTML has all."""


def _section(table: Table) -> str:
    title, told, head, rows = table
    lines = [head, ["---"] * len(head), *rows]
    return f"\n## {title}\n\n{told}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in lines) + "\n"


def html_page(found: Sequence[Table], instant: datetime) -> str:
    """The same with plots, in one file that needs no other."""
    drawn = plots.drawn(read("quality"), read("scale"), read("gate"), read("ranges"))
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
    parser.add_argument("--measure", action="store_true", help="measure first what takes no hours")
    failed = _measured() if parser.parse_args(arguments).measure else 0
    instant, found = datetime.now(UTC), list(tables())
    PAGE.write_text(page(found, instant), "utf-8")
    OUT.mkdir(exist_ok=True)
    (OUT / "report.html").write_text(html_page(found, instant), "utf-8")
    print(f"{PAGE}\n{OUT / 'report.html'}")
    return failed


PARTS: Mapping[str, Callable[[], int]] = {
    "hard": measure.both_halves,
    "quality": lambda: quality.main(["--json", str(OUT / "quality.json")]),
    "choices": lambda: choosing.main([]),
    "peers": lambda: peers.main(["--json", str(OUT / "peers.json")]),
    "scale": lambda: scale.main(["--chunks", "1000", "10000"]),
    "ranges": lambda: ranges.main(["--chunks", "10000", "100000"]),
    "cost": lambda: cost.main(["embedding", "scanning", "checking"]),
    "gate": lambda: fit_gate.main() + gate_quality.main(),
}
"""What the report measures, by the JSON that it leaves."""

WITHOUT_CORPORA = {"hard", "scale", "ranges", "cost"}


def _measured() -> int:
    """Measures each part and says what of it disagrees with the run before; 1 when a figure is below its floor."""
    failed = 0
    for name, run in PARTS.items():
        if name not in WITHOUT_CORPORA and not sets.CORPORA.is_dir():
            print(f"{name}: no public corpora beside the checkout: its last figures are shown", file=sys.stderr)
            continue
        before, start_s = read(name), time.monotonic()
        failed |= run()
        print(f"{name}: measured in {(time.monotonic() - start_s) / 60:.1f} minutes", file=sys.stderr, flush=True)
        for change in outside(before, read(name)):
            print(f"{name}: outside the interval of the run before: {change}", file=sys.stderr)
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
