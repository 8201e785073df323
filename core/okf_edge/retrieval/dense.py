"""Step 3, dense: the chunks whose meaning is near the question's, by int8 dot products in SQL.

The cosine's mean and deviation over the corpus come from the same scan, or from an index's own sample where only some
cells are scanned. They are pooled over all sources that share an embedder.

Cells are ranges of chunks, and vectors lie in the order of chunks, one for each: so a range is read by row, and the
engine skips to it. A condition on `chunk` would be looked at in every row.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from okf_edge.ports import Row, SqlEngine
from okf_edge.retrieval.plan import Plan
from okf_edge.retrieval.pool import Found, widened
from okf_edge.retrieval.scope import Scope

PROBED_CELLS = 32
"""Cells that are scanned of an index that has cells. Recall@10 against the full scan is .976 at 160 cells."""

NEARBY_CHUNKS = 200
"""Ranges that are no farther from each other are read as one: planning another takes as long as reading so many."""

REFERENCE_CHUNKS = 100
"""For how many chunks the model's reference values count beside those of the corpus: few vectors say little of their
own mean and deviation, and the reference says nothing of this subject and this language."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Count, sum and sum of squares of a source's cosines; `stands_for` is the number of chunks that they represent."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0
    stands_for: int = 0


@dataclass(frozen=True, slots=True)
class Standard:
    """What a cosine is measured against: mean and standard deviation, pooled over one embedder's sources."""

    mean: float
    deviation: float


def pool(moments: Sequence[Moments], mean: float, deviation: float) -> Standard:
    """Mean and deviation over all sources of one embedder, each by its number of chunks, and the reference by its own.

    Args:
        moments: one per source.
        mean: the model's reference mean, which a small corpus leans on.
        deviation: the same of the standard deviation.
    """
    known = [part for part in moments if part.count]
    chunks = sum(part.stands_for for part in known)
    if not chunks:
        return Standard(mean, deviation)
    own = sum(part.stands_for * part.total / part.count for part in known) / chunks
    squares = sum(part.stands_for * part.squares / part.count for part in known) / chunks
    spread = max(squares - own * own, 0.0)
    share = chunks / (chunks + REFERENCE_CHUNKS)
    return Standard(share * own + (1 - share) * mean, math.sqrt(share * spread + (1 - share) * deviation * deviation))


@dataclass(frozen=True, slots=True)
class Nearest:
    """Of one source: its best chunks, best first; cosines of these and of those that were asked for; moments."""

    best: Sequence[Found] = ()
    cosines: Mapping[int, float] = field(default_factory=dict)
    moments: Moments = Moments()


async def nearest(engine: SqlEngine, scope: Scope, vector: array[float], asked: Sequence[int], plan: Plan) -> Nearest:
    """Scan one source: all of it, or the cells nearest to the question where it has cells and nothing is filtered.

    Args:
        vector: the question's unit vector.
        asked: chunks whose cosine is wanted in any case.
    """
    literal = _literal(vector)
    area = await _area(engine, scope, literal) if scope.source.coarse and scope.wanted == scope.present else None
    result = Nearest()

    async def fetch(limit: int) -> Sequence[Found]:
        nonlocal result
        if area is None:
            rows = await engine.query(_scanning_sql(scope, limit, asked), (literal,))
        else:
            rows = await engine.query(_probing_sql(scope, limit, asked, area), (literal, literal))
        result = _nearest(rows, scope.chunks)
        return result.best

    await widened(fetch, plan.chunks, plan.concepts)
    return result


Range = tuple[int, int]
"""The first and the last chunk of a range."""


@dataclass(frozen=True, slots=True)
class _Area:
    """The part of a source that is scanned: its sample, which the moments come from, and cells."""

    sample: Range
    cells: Sequence[Range]

    @property
    def ranges(self) -> list[Range]:
        """In order, as few as may be."""
        merged: list[Range] = []
        for first, last in sorted([self.sample, *self.cells]):
            if merged and first <= merged[-1][1] + NEARBY_CHUNKS:
                merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
            else:
                merged.append((first, last))
        return merged


def _scanning_sql(scope: Scope, limit: int, asked: Sequence[int]) -> str:
    scored = f"SELECT chunk, {_cosine(scope)} AS cosine FROM {scope.source.alias}.vector WHERE {scope.present}"
    return (
        f"WITH scored AS MATERIALIZED ({scored}) {_best(scope, limit)} "
        f"UNION ALL SELECT 'asked', chunk, 0, cosine, 0 FROM scored WHERE chunk IN ({_listed(asked)}) "
        f"UNION ALL SELECT 'moments', COUNT(*), 0, SUM(cosine), SUM(cosine * cosine) FROM scored"
    )


def _probing_sql(scope: Scope, limit: int, asked: Sequence[int], area: _Area) -> str:
    vector = f"{scope.source.alias}.vector"
    rows = " UNION ALL ".join(
        f"SELECT chunk, scale, v FROM {vector} WHERE rowid BETWEEN {first} AND {last}" for first, last in area.ranges
    )
    cosine, (first, last) = _cosine(scope), area.sample
    return (
        f"WITH scored AS MATERIALIZED (SELECT chunk, {cosine} AS cosine FROM ({rows}) AS r WHERE {scope.present}) "
        f"{_best(scope, limit)} "
        f"UNION ALL SELECT 'asked', chunk, 0, {cosine}, 0 FROM {vector} "
        f"WHERE {scope.present} AND chunk IN ({_listed(asked)}) "
        f"UNION ALL SELECT 'moments', COUNT(*), 0, SUM(cosine), SUM(cosine * cosine) FROM scored "
        f"WHERE chunk BETWEEN {first} AND {last}"
    )


def _best(scope: Scope, limit: int) -> str:
    return (
        f"SELECT 'best', top.chunk, chunk.concept, top.cosine, 0 FROM "
        f"(SELECT chunk, cosine FROM scored WHERE {scope.wanted} ORDER BY cosine DESC, chunk LIMIT {limit}) AS top "
        f"JOIN {scope.source.alias}.chunk AS chunk ON chunk.number = top.chunk"
    )


async def _area(engine: SqlEngine, scope: Scope, literal: str) -> _Area:
    alias = scope.source.alias
    cells = await engine.query(
        f"SELECT first_chunk, last_chunk FROM {alias}.coarse ORDER BY {_cosine(scope)} DESC, cell LIMIT {PROBED_CELLS}",
        (literal,),
    )
    [(first, last)] = await engine.query(f"SELECT MIN(chunk), MAX(chunk) FROM {alias}.sample")
    return _Area((int(first or 0), int(last or 0)), [(int(first or 0), int(last or 0)) for first, last in cells])


def _cosine(scope: Scope) -> str:
    """A string parameter costs 1 ms to bind; a list of floats costs 30."""
    dims = scope.source.dims
    return f"scale * array_inner_product(v::FLOAT[{dims}], ?::VARCHAR::FLOAT[{dims}])"


def _literal(vector: array[float]) -> str:
    return f"[{','.join(map(repr, vector))}]"


def _listed(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers)) or "NULL"


def _nearest(rows: Sequence[Row], stands_for: int) -> Nearest:
    best = [(int(a or 0), int(b or 0), float(c or 0)) for kind, a, b, c, _ in rows if kind == "best"]
    cosines = {int(a or 0): float(c or 0) for kind, a, _, c, _ in rows if kind in ("best", "asked")}
    moments = next(row for row in rows if row[0] == "moments")
    count, total, squares = int(moments[1] or 0), float(moments[3] or 0), float(moments[4] or 0)
    best.sort(key=lambda found: (-found[2], found[0]))
    return Nearest(best, cosines, Moments(count, total, squares, stands_for if count else 0))
