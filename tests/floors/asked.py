"""The questions asked over the handbook, through the use cases that every shell calls."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable
from pathlib import Path

from okf_edge.app import Okf
from okf_edge.app.ports import Config, Ports
from okf_edge.ports import Models
from okf_edge.retrieval.answer import Answer
from okf_edge.retrieval.request import SearchRequest
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql
from okf_edge_native.progress import SilentProgress
from okf_edge_native.system import SystemClock, SystemEntropy
from tests.floors.handbook import ROOT
from tests.floors.questions import Question


def handbook_with(models: Models, folder: Path, embedder: str = "") -> Okf:
    """The use cases of a fresh copy of the handbook in `folder`, with these models at hand."""
    shutil.copytree(ROOT, folder / "handbook", ignore=shutil.ignore_patterns(".okf"))

    async def preferred() -> str:
        return embedder

    ports = Ports(
        tree=DiskTree(str(folder / "handbook")),
        spare=lambda: DiskTree(str(folder / "spare")),
        engine=DuckdbSql,
        models=models,
        clock=SystemClock(),
        entropy=SystemEntropy(),
        progress=SilentProgress(),
        preferred=preferred,
    )
    return Okf(ports, Config("handbook"))


def answers(okf: Okf, asked: Iterable[Question]) -> dict[str, Answer]:
    """The answer to each question, by its id."""

    async def ask_all() -> dict[str, Answer]:
        return {question.id: await okf.query(SearchRequest(question.text)) for question in asked}

    return asyncio.run(ask_all())
