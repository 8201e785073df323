"""Parity: the same index and the same 200 questions give the same ids, order and verdicts natively and in the WebView.

English, Chinese and mixed questions over the handbook with the model of many languages, and those in Latin script over
the handbook with the English model too.
"""

from __future__ import annotations

import asyncio
import functools
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from browser.engines import Engine, call, node_engine, page_engine
from browser.webdriver import browser
from okf_edge.app import Okf
from okf_edge.app.ports import Config, Ports
from okf_edge.bundles.export import ExportOptions
from okf_edge.bundles.install import InstallOptions
from okf_edge.inmemory.progress import RecordedProgress
from okf_edge.retrieval.answer import Answer, to_json
from okf_edge.retrieval.request import SearchRequest
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql
from okf_edge_native.models.shelf import ModelShelf
from okf_edge_native.system import SystemClock, SystemEntropy

REPOSITORY = Path(__file__).parents[2]
HANDBOOK = REPOSITORY / "bundles" / "handbook"
QUESTIONS = tuple((REPOSITORY / "tests" / "floors").glob("questions-*.yaml"))
COUNT, SAMPLE = 200, 30
MIXED = (
    "okf publish 怎么用",
    "什么是 feed 的 root",
    "如何 install 一个 bundle",
    "stale 的页面怎么找",
    "hash mismatch 呢",
)
PART = ("bundles", "zh/bundles", "format")
"""Of the handbook, for the sample: embedding all of it takes minutes."""
Archive = Callable[[str, bool], Path]


def _questions(count: int) -> list[str]:
    """Every second one Chinese as far as there are so many, and some that mix both."""
    asked = [each["question"] for path in QUESTIONS for each in yaml.safe_load(path.read_text("utf-8"))]
    chance = random.Random(5)
    chance.shuffle(asked)
    han = [text for text in asked if any("一" <= char <= "鿿" for char in text)]
    latin = [text for text in asked if text not in set(han)]
    assert len(han) >= count // 5
    chosen = [*MIXED, *han[: count // 2]]
    return [*chosen, *latin[: count - len(chosen)]]


def _okf(folder: Path, models: ModelShelf) -> Okf:
    ports = Ports(
        tree=DiskTree(folder),
        spare=lambda: DiskTree(folder / "spare"),
        engine=DuckdbSql,
        models=models,
        clock=SystemClock(),
        entropy=SystemEntropy(),
        progress=RecordedProgress(),
    )
    return Okf(ports, Config("base"))


@pytest.fixture(scope="session")
def archive_of(tmp_path_factory: pytest.TempPathFactory, models: ModelShelf) -> Archive:
    """The handbook, or a part of it, as a bundle whose index has the vectors of a model."""

    @functools.cache
    def made(model: str, whole: bool) -> Path:
        folder = tmp_path_factory.mktemp("archive")
        for part in ("",) if whole else PART:
            shutil.copytree(HANDBOOK / part, folder / "source" / part, ignore=shutil.ignore_patterns(".okf"))
        options = ExportOptions(id="okf.handbook", version="1.0.0")
        exported = asyncio.run(_okf(folder / "source", models).export(options, model))
        path = folder / f"{model}.okf.zip"
        path.write_bytes(exported.archive)
        return path

    return made


def _require_one_answer(
    engine: Engine, archive: Path, questions: list[str], models: ModelShelf, folder: Path, means: str
) -> None:
    native = _okf(folder, models)
    asyncio.run(native.install(archive.read_bytes(), InstallOptions(archive.name)))
    call(engine, "install", archive, name=archive.name)
    differing = {}
    for question in questions:
        request = SearchRequest(question, dense=means != "words")
        here = _shown(to_json(asyncio.run(native.query(request))))
        there = _shown(call(engine, "query", question=question, means=means))
        if here != there:
            differing[question] = (here, there)
    assert differing == {}


def _shown(answer: dict[str, Any] | Answer) -> tuple[Any, ...]:
    assert isinstance(answer, dict)
    places = [(each["path"], each["lines"]) for each in (*answer["candidates"], *answer["near"])]
    return answer["verdict"], answer["coverage"]["mode"], places


@pytest.mark.parametrize("count", [SAMPLE, pytest.param(COUNT, marks=pytest.mark.slow)])
@pytest.mark.parametrize("model", ["e5-small-cjk", "minilm-l6"])
def test_node_answers_like_this_machine(
    model: str,
    count: int,
    archive_of: Archive,
    models: ModelShelf,
    node: str,
    engine_dist: Path,
    tmp_path: Path,
) -> None:
    with node_engine(node, engine_dist) as engine:
        _require_one_answer(engine, archive_of(model, count == COUNT), _questions(count), models, tmp_path, "both")


@pytest.mark.parametrize("name", ["chromium", "webkit"])
def test_a_browser_answers_like_this_machine(
    name: Any, archive_of: Archive, models: ModelShelf, engine_dist: Path, tmp_path: Path
) -> None:
    with browser(name) as window, page_engine(window, engine_dist) as engine:
        _require_one_answer(engine, archive_of("e5-small-cjk", False), _questions(12), models, tmp_path, "both")
