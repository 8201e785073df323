"""Plots of the report, as SVG: quality with its intervals, latency against size, reliability."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

Rows = Sequence[Mapping[str, Any]]
STYLE = {"hybrid": ("C0", -0.2), "lexical": ("C1", 0.0), "dense": ("C2", 0.2)}


def drawn(
    quality: Rows | None,
    scale: Mapping[str, Any] | None,
    gate: Mapping[str, Any] | None,
    ranges: Mapping[str, Any] | None,
) -> Iterator[tuple[str, str]]:
    """Title and SVG of each plot for which there are figures."""
    if quality:
        yield "Quality by means of search", _quality(quality)
    if scale:
        yield "Cost of a question against size", _growth(scale["rows"])
    if ranges:
        yield "Cost of a hybrid question to a million chunks", _growth(_named(ranges["rows"]))
    if gate:
        yield "What a confidence is worth, on sets left out of the fit", _reliability(gate["reliability"])


def _quality(rows: Rows) -> str:
    figure, axes = pyplot.subplots(figsize=(9, 4))
    names = list(dict.fromkeys(row["name"] for row in rows))
    for means, (colour, offset) in STYLE.items():
        own = [row for row in rows if row["means"] == means]
        at = [names.index(row["name"]) + offset for row in own]
        values = [row["ndcg"]["mean"] for row in own]
        reach = [
            [row["ndcg"]["mean"] - row["ndcg"]["low"] for row in own],
            [row["ndcg"]["high"] - row["ndcg"]["mean"] for row in own],
        ]
        axes.errorbar(at, values, yerr=reach, fmt="o", color=colour, label=means, capsize=3)
    axes.set_xticks(range(len(names)), names)
    axes.set_ylabel("nDCG@10")
    return _svg(figure, axes)


def _named(rows: Rows) -> Rows:
    """The whole question, and its part that finds the nearest chunks, beside a scan of all."""
    costs = {"p50_ms": "hybrid question", "nearest_ms": "nearest chunks, in ranges", "scan_ms": "nearest of all"}
    return [
        {"engine": name, "chunks": row["chunks"], "p50_ms": row[key]} for key, name in costs.items() for row in rows
    ]


def _growth(rows: Rows) -> str:
    figure, axes = pyplot.subplots(figsize=(9, 4))
    for engine in dict.fromkeys(row["engine"] for row in rows):
        own = sorted((row["chunks"], row["p50_ms"]) for row in rows if row["engine"] == engine)
        axes.plot([size for size, _ in own], [cost for _, cost in own], marker="o", label=engine)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("chunks")
    axes.set_ylabel("p50 in ms of processor time")
    return _svg(figure, axes)


def _reliability(bins: Rows) -> str:
    figure, axes = pyplot.subplots(figsize=(5, 5))
    axes.plot([0, 1], [0, 1], color="0.7", linestyle="--")
    for model in dict.fromkeys(each["model"] for each in bins):
        own = [each for each in bins if each["model"] == model]
        shown = ([each["confidence"] for each in own], [each["answered"] for each in own])
        axes.plot(*shown, marker="o", label=model or "words alone")
    axes.set_xlabel("confidence")
    axes.set_ylabel("share that could be answered")
    return _svg(figure, axes)


def _svg(figure: Figure, axes: Axes) -> str:
    axes.legend()
    axes.grid(alpha=0.3)
    figure.tight_layout()
    written = io.StringIO()
    figure.savefig(written, format="svg")
    pyplot.close(figure)
    return written.getvalue().partition("<svg")[1] + written.getvalue().partition("<svg")[2]
