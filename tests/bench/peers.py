"""Other engines on the same sets in the same run: `python -m tests.bench.peers`. Ranking by words, as they come.

They live in an environment of their own, `.build/peers`, made from `peers.txt` when absent. Each is asked for
any of the question's words, with the English stemming that it brings. Costs are processor time of one thread.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from okf_edge_native import compose
from tests.bench import metrics, sets
from tests.bench.cached_vectors import CachedModels
from tests.bench.peer_index import PEERS, make_environment, peer_index
from tests.bench.product import indexed
from tests.bench.quality import BUILD, Means, Measure, measured, ranking, request_of
from tests.bench.rows import beside
from tests.bench.sets import RetrievalSet


@dataclass(frozen=True, slots=True)
class Row:
    """One engine on one set: quality with its interval, and cost. Times are processor time of one thread.

    `lead` is what our hybrid search is ahead of it in nDCG@10, question by question.
    """

    name: str
    engine: str
    ndcg: Measure
    build_s: float
    index_bytes: int
    query_p50_ms: float
    query_p95_ms: float
    lead: metrics.Lead | None = None


@dataclass(frozen=True, slots=True)
class Searched:
    """A set searched by one engine: nDCG@10 of each question, and what it took."""

    engine: str
    ndcgs: list[float]
    build_s: float
    index_bytes: int
    spent_ms: list[float]


def compare(data: RetrievalSet, peers: Sequence[str]) -> list[Row]:
    """Ours hybrid and by words, then each peer; a peer that fails or takes too long has no row, and says so."""
    ours = asyncio.run(_ours(data, "hybrid"))
    others = [asyncio.run(_ours(data, "lexical")), *_peers(data, peers)]
    return [_row(data.name, ours), *(_row(data.name, each, metrics.lead(ours.ndcgs, each.ndcgs)) for each in others)]


def _peers(data: RetrievalSet, peers: Sequence[str]) -> Iterator[Searched]:
    for peer in peers:
        try:
            yield _peer(data, peer)
        except RuntimeError as error:
            print(f"{peer} on {data.name}: {error}", file=sys.stderr)


async def _ours(data: RetrievalSet, means: Means) -> Searched:
    """The product. Embedding a question is part of its cost; embedding the notes is not, since vectors are cached."""
    models = compose.shelf()
    cached = CachedModels(models, BUILD / "bench-cache")
    embedder = data.embedder if means == "hybrid" else ""
    start = time.process_time()
    async with indexed(data.notes, cached, embedder) as product:
        build_s = time.process_time() - start
        asked = product.with_models(models)
        rankings, spent_ms = [], []
        for question in data.questions:
            start = time.process_time()
            rankings.append(ranking(await asked.ask(request_of(question, means))))
            spent_ms.append((time.process_time() - start) * 1000)
    return Searched(f"okf-edge {means}", _ndcgs(data, rankings), build_s, product.index_bytes, spent_ms)


def _peer(data: RetrievalSet, peer: str) -> Searched:
    notes = {path: text.decode() for path, text in data.notes.items()}
    with peer_index(peer, notes) as index:
        asked = index.ask([question.text for question in data.questions])
    return Searched(peer, _ndcgs(data, asked.rankings), index.build_s, index.bytes, asked.query_ms)


def _ndcgs(data: RetrievalSet, rankings: Sequence[Sequence[str]]) -> list[float]:
    asked = zip(data.questions, rankings, strict=True)
    return [metrics.ndcg(paths, question.grades) for question, paths in asked if question.grades]


def _row(name: str, found: Searched, lead: metrics.Lead | None = None) -> Row:
    p95_ms = statistics.quantiles(found.spent_ms, n=20)[-1]
    p50_ms = statistics.median(found.spent_ms)
    return Row(name, found.engine, measured(found.ndcgs), found.build_s, found.index_bytes, p50_ms, p95_ms, lead)


def shown(rows: Sequence[Row]) -> str:
    lines = [f"{'set':12} {'engine':17} {'nDCG@10':23} build s   index MB  query ms p50   p95   lead of hybrid"]
    for row in rows:
        interval = f"{row.ndcg.mean:.4f} [{row.ndcg.low:.3f}, {row.ndcg.high:.3f}]"
        lines.append(
            f"{row.name:12} {row.engine:17} {interval:23} {row.build_s:7.1f} {row.index_bytes / 1e6:10.2f} "
            f"{row.query_p50_ms:12.2f} {row.query_p95_ms:8.2f}"
            + (f"   {row.lead.mean:+.3f} [{row.lead.low:+.3f}, {row.lead.high:+.3f}]" if row.lead else "")
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(sets.EMBEDDERS), help=f"of {', '.join(sets.EMBEDDERS)}")
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS))
    parser.add_argument("--json", type=Path, default=BUILD / "bench" / "peers.json")
    given = parser.parse_args(arguments)
    if not sets.CORPORA.is_dir():
        print(f"expected the public corpora at {sets.CORPORA}, found none", file=sys.stderr)
        return 2
    make_environment()
    rows = json.loads(given.json.read_text("utf-8")) if given.json.is_file() else []
    for name in given.sets:
        found = compare(sets.load(name), given.peers)
        print(shown(found), flush=True)
        rows = beside(rows, [asdict(row) for row in found], "name", "engine")
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(rows, indent=2), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
