"""What every `Embedder` and every `Models` shelf must do."""

from __future__ import annotations

from array import array
from math import sqrt

from okf_edge.contracts.checks import equal, raises, true
from okf_edge.errors import ModelError
from okf_edge.ports import Embedder, Models

TEXTS = ("the pump stops at low water", "the pump stops when water is low", "a treaty signed in spring", "")
TOLERANCE = 1e-3  # cosine; batches are padded, so the last bits of a vector depend on its neighbours


class EmbedderContract:
    async def vectors_are_floats_of_unit_length(self, embedder: Embedder) -> None:
        vectors = await embedder.embed(TEXTS, "passage")
        equal(vectors.typecode, "f", "type of the vectors")
        equal(len(vectors), len(TEXTS) * embedder.spec.dims, "length of the vectors")
        for vector in _rows(vectors, embedder.spec.dims):
            true(abs(sqrt(_dot(vector, vector)) - 1) < TOLERANCE, "expected vectors of length 1")

    async def no_text_gives_no_vector(self, embedder: Embedder) -> None:
        equal(len(await embedder.embed([], "query")), 0, "length of the vectors")

    async def a_text_gets_the_same_vector_alone_and_among_others(self, embedder: Embedder) -> None:
        among = _rows(await embedder.embed(TEXTS, "passage"), embedder.spec.dims)
        for text, vector in zip(TEXTS, among, strict=True):
            alone = await embedder.embed([text], "passage")
            true(_dot(vector, alone) > 1 - TOLERANCE, f"expected one vector for {text!r}")

    async def nearer_meaning_is_nearer_in_space(self, embedder: Embedder) -> None:
        first, near, far, _ = _rows(await embedder.embed(TEXTS, "passage"), embedder.spec.dims)
        true(_dot(first, near) > _dot(first, far), "expected the paraphrase to be nearer than the unrelated text")

    async def a_text_beyond_the_limit_is_cut(self, embedder: Embedder) -> None:
        limit = embedder.spec.max_tokens
        texts = ["pump " * limit, "pump " * limit + "treaty " * limit]
        first, second = _rows(await embedder.embed(texts, "passage"), embedder.spec.dims)
        true(_dot(first, second) > 1 - TOLERANCE, "expected words beyond the limit to count for nothing")


class ModelsContract:
    """Each clause starts with a shelf that holds at least one model."""

    async def every_model_listed_can_be_had(self, models: Models) -> None:
        specs = await models.specs()
        true(specs, "expected a model at hand")
        for spec in specs:
            equal((await models.embedder(spec.id)).spec, spec, f"spec of {spec.id}")

    async def an_unknown_model_is_a_model_error(self, models: Models) -> None:
        await raises(ModelError, models.embedder("no-such-model"), "embedder of an unknown model")


def _rows(vectors: array[float], dims: int) -> list[array[float]]:
    return [vectors[start : start + dims] for start in range(0, len(vectors), dims)]


def _dot(left: array[float], right: array[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))
