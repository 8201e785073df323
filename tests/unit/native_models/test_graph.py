"""The network computes what BERT computes, and its file is the same bytes each time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnxruntime
import pytest

from okf_edge.embedding.models import INPUT, OUTPUT
from okf_edge_native.models import centres
from okf_edge_native.models.graph import Centring, Embedding, encoder_model, int4_blocks, int8_rows, quantised
from okf_edge_native.models.onnx_file import Graph, Signature
from okf_edge_native.models.weights import Blocks4, Encoder, Floats, Layer, Linear, Norm
from tests.contract.encoder_reference import vector

DIMS, INNER, HEADS, POSITIONS, WORDS = 64, 96, 4, 16, 20
CHANCE = np.random.default_rng(3)


def floats(*shape: int) -> Floats:
    return CHANCE.normal(0, 0.4, shape).astype(np.float32)


def norm() -> Norm:
    return Norm(1 + floats(DIMS) / 4, floats(DIMS) / 4)


def linear(outputs: int, inputs: int) -> Linear:
    """A matrix that int8 holds exactly, so that only arithmetic is compared."""
    numbers, scales = quantised(floats(outputs, inputs))
    return Linear(numbers * scales[:, None], floats(outputs))


def layer() -> Layer:
    attention = [linear(DIMS, DIMS) for _ in range(4)]
    return Layer(*attention, linear(INNER, DIMS), linear(DIMS, INNER), norm(), norm())


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder(floats(POSITIONS, DIMS), norm(), (layer(), layer()), HEADS, 1e-6)


def eight_bits() -> tuple[Embedding, Floats]:
    numbers, scales = quantised(floats(WORDS, DIMS))
    table = numbers * scales[:, None]
    return int8_rows(table), table


def four_bits() -> tuple[Embedding, Floats]:
    nibbles = CHANCE.integers(0, 256, (WORDS, DIMS // 32, 16), np.uint8)
    blocks = Blocks4(np.abs(floats(WORDS, DIMS // 32)).astype(np.float16), nibbles)
    return int4_blocks(blocks), blocks.floats()


@pytest.mark.parametrize("table", [eight_bits, four_bits])
@pytest.mark.parametrize("ids", [[3], [1, 5, 7, 2, 19], list(range(POSITIONS))])
def test_a_text_gets_the_vector_that_the_paper_gives_it(
    table: Callable[[], tuple[Embedding, Floats]], ids: list[int], encoder: Encoder
) -> None:
    embedding, word = table()
    session = onnxruntime.InferenceSession(encoder_model("tiny", encoder, embedding))
    (vectors,) = session.run([OUTPUT], {INPUT: np.array([ids], np.int32)})
    assert np.abs(vectors[0] - vector(encoder, word, ids)).max() < 1e-5


@pytest.mark.parametrize("ids", [[3], [0, 1], [2, 2, 5], [9, 4]])
def test_the_centre_of_a_texts_scripts_is_taken_away_by_their_shares(ids: list[int], encoder: Encoder) -> None:
    """Words 0 to 3 weigh 3 towards the first kind, 4 to 7 one towards the second, the others nothing."""
    embedding, word = eight_bits()
    kinds = np.array([(3, 0)] * 4 + [(0, 1)] * 4 + [(0, 0)] * (WORDS - 8), np.uint8)
    centring = Centring(kinds, floats(2, DIMS) / 20)
    counts = kinds[ids].sum(0) if kinds[ids].any() else np.array([0, 1])
    rest = vector(encoder, word, ids) - counts / counts.sum() @ centring.centres
    session = onnxruntime.InferenceSession(encoder_model("tiny", encoder, embedding, centring))
    (vectors,) = session.run([OUTPUT], {INPUT: np.array([ids], np.int32)})
    assert np.abs(vectors[0] - rest / np.linalg.norm(rest)).max() < 1e-5


def test_pieces_weigh_by_script_and_prefixes_weigh_nothing() -> None:
    pieces = ["<s>", "▁query", "▁passage", ":", "▁the", "知识", "한", "▁1648", "v2の"]
    assert centres.weights(pieces).tolist() == [[0, 0]] * 4 + [[0, 3], [6, 0], [3, 0], [0, 0], [3, 1]]


def test_the_same_weights_make_the_same_file(encoder: Encoder) -> None:
    embedding, _ = eight_bits()
    assert encoder_model("tiny", encoder, embedding) == encoder_model("tiny", encoder, embedding)


def test_quantised_numbers_use_all_of_int8_and_keep_each_output_within_half_a_step() -> None:
    matrix = floats(5, 40) * np.array([[1], [10], [0.1], [1e-3], [1e3]], np.float32)
    numbers, scales = quantised(matrix)
    assert np.abs(numbers).max(1).tolist() == [127] * 5
    assert (np.abs(numbers * scales[:, None] - matrix) <= scales[:, None] * 0.501).all()


@pytest.mark.parametrize("values", [np.array([1, 2], np.float32), np.array([1, 2], np.int64), np.array(3, np.float32)])
def test_what_is_written_is_what_the_runtime_reads(values: np.ndarray) -> None:
    graph = Graph()
    graph.node("Identity", [graph.weight("constant", values)], name="out")
    graph.node("Identity", ["in"], name="same")
    element = values.dtype.name
    outputs = [Signature("out", element, values.shape), Signature("same", "float32", ("many",))]
    session = onnxruntime.InferenceSession(graph.model("constant", [Signature("in", "float32", ("many",))], outputs))
    out, same = session.run(None, {"in": np.array([5], np.float32)})
    assert (out.tolist(), same.tolist()) == (values.tolist(), [5])
