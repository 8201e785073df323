"""A model gives the same vectors in a browser's runtime as natively, so that both rank alike."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from array import array
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from okf_edge.embedding.models import MODELS, NETWORK_FILE, SCORE_DECIMALS, Model, tokenizer_of
from okf_edge_native.models.shelf import ModelShelf

REPOSITORY = Path(__file__).parents[2]
WASM = REPOSITORY / "wasm"
EMBED = Path(__file__).with_name("embed.mjs")
MARGIN = 5
"""Scores of two hosts may differ by this part of the last decimal that scores are rounded to."""


@pytest.fixture(scope="session")
def node() -> str:
    """Node with the packages of the lock file; installing them needs the package index once."""
    found = shutil.which("node"), shutil.which("npm")
    assert all(found), "expected node and npm on the path; parity with the browser can't be shown without them"
    pinned = json.loads((WASM / "package.json").read_text())["dependencies"]["onnxruntime-web"]
    installed = WASM / "node_modules" / "onnxruntime-web" / "package.json"
    if not installed.is_file() or json.loads(installed.read_text())["version"] != pinned:
        done = subprocess.run(["npm", "ci", "--ignore-scripts"], cwd=WASM, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"npm could not install the pinned packages of {WASM}:\n{done.stderr[-2000:]}"
    return str(found[0])


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
@pytest.mark.parametrize("count", [60, pytest.param(500, marks=pytest.mark.slow)])
async def test_vectors_of_the_browser_and_of_this_machine_score_alike(
    model: Model, count: int, models: ModelShelf, node: str, tmp_path: Path
) -> None:
    texts = _texts(count)
    here = _rows(await (await models.embedder(model.id)).embed(texts, "passage"), model)
    there = _rows(_embedded_by_node(node, model, models, texts, tmp_path), model)
    furthest = float(np.abs(here @ here.T - there @ there.T).max())
    crossed = float(np.abs(here @ here.T - here @ there.T).max())
    print(f"{model.id}: scores of {count} texts differ by at most {max(furthest, crossed):.1e}")
    assert max(furthest, crossed) <= 10**-SCORE_DECIMALS / MARGIN


def _embedded_by_node(node: str, model: Model, models: ModelShelf, texts: list[str], folder: Path) -> array[float]:
    files = {file.name: models.read(model, file) for file in model.files if file.name != NETWORK_FILE}
    tokenizer = tokenizer_of(model, files)
    ids, vectors = folder / "ids.json", folder / "vectors.f32"
    ids.write_text(json.dumps([tokenizer.encode(model.prefixed(text, "passage")) for text in texts]))
    command = [node, str(EMBED), str(models.place(model) / NETWORK_FILE), str(ids), str(vectors)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return array("f", vectors.read_bytes())


def _rows(vectors: array[float], model: Model) -> NDArray[np.float64]:
    return np.array(vectors, np.float64).reshape(-1, model.spec.dims)


def _texts(count: int) -> list[str]:
    """Different blocks of our own pages, English and Chinese, from a word to a long paragraph."""
    pages = sorted((REPOSITORY / "bundles").rglob("*.md"))
    blocks = dict.fromkeys(block.strip() for page in pages for block in re.split(r"\n\s*\n", page.read_text("utf-8")))
    chosen = [block for block in blocks if block][:: max(1, len(blocks) // count - 1)]
    texts = list(islice(chosen, count))
    assert len(texts) == count, f"expected {count} blocks of text in the bundles, found {len(texts)}"
    return texts
