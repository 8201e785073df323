"""The order of chunks, and cells of near vectors where there are many.

Below CELLS_FROM chunks their order is that of the concepts. From there on chunks are ordered by cell, so that a search
reads the ranges of a few cells only.
"""

from __future__ import annotations

from okf_edge.ports import SqlEngine


async def place(engine: SqlEngine, work: str, made: str, dims: int) -> None:
    """Fill `work`.placing: the final number of every staged chunk."""
    await engine.query(f"INSERT INTO {work}.placing SELECT number, number FROM {work}.chunk ORDER BY number")
