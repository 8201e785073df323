"""How cost grows: `python -m tests.bench.scale`. Engines by words, and ours hybrid, at 1k, 10k and 100k chunks.

A peer's document is one of our chunks, so that all search as many units of the same text. Costs are processor time of
one thread; `cold` is a whole process that opens the index and answers one question.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from okf_edge.index.chunks import Chunk, chunks_of
from okf_edge.okf.concept import concept_of
from okf_edge.okf.outline import outline_of
from okf_edge.okf.reader import read_document
from tests.bench import corpus, synthetic, warm
from tests.bench.peer_index import PEERS, make_environment, peer_index
from tests.bench.processes import median_of, okf
from tests.bench.rows import Rows, beside, keep, read

SIZES = (1_000, 10_000, 100_000)
LEXICAL, HYBRID = "okf-edge lexical", "okf-edge hybrid"
MODEL = "minilm-l6"


@dataclass(frozen=True, slots=True)
class Growth:
    """One engine at one size. Times are processor time; memory is the peak of building, and of answering cold.

    Building with made-up vectors is not counted: what it would cost is all embedding.
    """

    engine: str
    chunks: int
    build_s: float | None
    build_mb: float | None
    index_mb: float
    cold_s: float
    cold_mb: float
    p50_ms: float
    p95_ms: float


def ours(work: Path, size: int) -> Iterator[Growth]:
    """By words with nothing at hand but words, then hybrid with made-up vectors, whose embedding costs nothing."""
    notes = warm.pages(work, size)
    without_models = {"OKF_HOME": str(work / "no-models")}
    built = okf("index", "build", "--dir", notes, "--json", environment=without_models)
    chunks = json.loads(built.output)["built"]["chunks"]
    yield _ours(LEXICAL, notes, chunks, built.cpu_s, built.peak_mb, lexical=True)
    synthetic.build_index(notes, MODEL)
    yield _ours(HYBRID, notes, chunks, None, None, lexical=False)


def _ours(
    engine: str, notes: Path, chunks: int, build_s: float | None, build_mb: float | None, *, lexical: bool
) -> Growth:
    cold = median_of(3, "query", corpus.questions(1)[0], "--dir", notes, "--json", *["--lexical"] * lexical)
    asked = warm.Warm(asyncio.run(warm.times_ms(notes, lexical)), chunks)
    index_mb = (notes / warm.INDEX).stat().st_size / 1e6
    return Growth(
        engine, chunks, build_s, build_mb, index_mb, cold.cpu_s, cold.peak_mb, asked.p50_ms, asked.p95_ms
    )  # fmt: skip


def of_peer(peer: str, texts: Mapping[str, str]) -> Growth:
    """Raises RuntimeError: it failed, or needed more than its limits."""
    questions = corpus.questions(warm.QUESTIONS + 1)
    with peer_index(peer, texts) as index:
        cold = index.ask(questions[:1]).process
        asked = warm.Warm(tuple(index.ask(questions).query_ms[1:]), len(texts))
        return Growth(
            peer, len(texts), index.build_s, index.building.peak_mb, index.bytes / 1e6, cold.cpu_s, cold.peak_mb,
            asked.p50_ms, asked.p95_ms,
        )  # fmt: skip


def chunk_texts(notes: Path) -> dict[str, str]:
    """The text of each chunk of a folder, named by its page and number."""
    return {
        f"{path.relative_to(notes)}#{chunk.ordinal}": chunk.body
        for path in sorted(notes.rglob("*.md"))
        for chunk in _chunks(path)
    }


def _chunks(path: Path) -> Sequence[Chunk]:
    document = read_document(str(path), path.read_bytes())
    return chunks_of(document, concept_of(document), outline_of(document))


def exponents(rows: Rows) -> dict[str, float]:
    """The power of the number of chunks by which each engine's median grows: the slope between logarithms."""
    by_engine: dict[str, dict[int, float]] = {}
    for row in rows:
        by_engine.setdefault(row["engine"], {})[row["chunks"]] = row["p50_ms"]
    return {engine: exponent(sizes) for engine, sizes in by_engine.items() if len(sizes) > 1}


def exponent(costs: Mapping[int, float]) -> float:
    """The power of the size by which a cost grows."""
    return statistics.linear_regression(list(map(math.log, costs)), list(map(math.log, costs.values()))).slope


def shown(found: Sequence[Growth]) -> Iterator[str]:
    yield f"{'engine':17} {'chunks':>8} build s  peak MB  index MB  cold s  cold MB  p50 ms  p95 ms  × ours"
    base = next(each.p50_ms for each in found if each.engine == LEXICAL)
    for each in found:
        yield (
            f"{each.engine:17} {each.chunks:8,} {_or_dash(each.build_s, 1):>7} {_or_dash(each.build_mb, 0):>8} "
            f"{each.index_mb:9.2f} "
            f"{each.cold_s:7.2f} {each.cold_mb:8.0f} {each.p50_ms:7.2f} {each.p95_ms:7.2f} {each.p50_ms / base:7.3f}"
        )


def _or_dash(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", nargs="*", type=int, default=list(SIZES))
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS))
    given = parser.parse_args(arguments)
    make_environment()
    found: list[Growth] = []
    with tempfile.TemporaryDirectory(prefix="okf-scale-") as folder:
        for size in given.chunks:
            measured = [*ours(Path(folder), size), *_peers(given.peers, chunk_texts(warm.pages(Path(folder), size)))]
            print("\n".join(shown(measured)), flush=True)
            found += measured
    kept = read("scale") or {"rows": []}
    rows = sorted(beside(kept["rows"], list(map(asdict, found)), "engine", "chunks"), key=lambda row: row["chunks"])
    slopes = exponents(rows)
    print("\n".join(f"{engine:17} grows as chunks^{slope:.2f}" for engine, slope in slopes.items()))
    keep("scale", {"rows": rows, "exponents": slopes})
    return 0


def _peers(peers: Sequence[str], texts: Mapping[str, str]) -> Iterator[Growth]:
    for peer in peers:
        try:
            yield of_peer(peer, texts)
        except RuntimeError as error:
            print(f"{peer} at {len(texts):,} chunks: {error}", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
