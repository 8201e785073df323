"""Builds the encoder as an ONNX graph: token ids of one text in, its unit vector out.

Rules:
1. Matrices are kept as int8 with one scale an output, and multiplied in float32. Quantising the tokens too would run
   twice as fast, but no two hosts round alike: one token rounded the other way changes what follows, and the same
   text got cosines of .998 between hosts. In float32 they differ by 1e-6, so every host ranks alike.
2. The cast from int8 stands in the graph. A host that folds it when it loads runs faster; one that does not keeps a
   quarter of the memory. Both get the same vector.
3. One text a run: no padding, no mask, and a text has one vector whatever it is embedded with. Batches were no faster.
4. Operators are chosen here, not by ONNX Runtime at load. Add and LayerNormalization stay two, since their fusion
   runs five times slower (onnxruntime 1.32).
5. The numbers are made by elementwise operations and maxima in float32, so the file does not depend on the machine
   that makes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from okf_edge.embedding.models import INPUT, OUTPUT

from .onnx_file import FLOAT, Graph, Signature
from .weights import Blocks4, Encoder, Floats, Layer, Linear, Norm

MICROSOFT = "com.microsoft"
WEIGHT_LIMIT = np.float32(127)

Embedding = Callable[[Graph], str]


@dataclass(frozen=True, slots=True)
class Centring:
    """What is taken away of a text's vector: the mean of the centres, each as the text's tokens weigh towards it.

    Shapes: weights (vocabulary, kinds), centres (kinds, dims). A text without weight is taken for one of the last kind.
    """

    weights: NDArray[np.uint8]
    centres: Floats


def encoder_model(name: str, encoder: Encoder, embedding: Embedding, centring: Centring | None = None) -> bytes:
    """The ONNX file. Shapes: input_ids int32 (1, tokens) -> embedding float32 (1, dims)."""
    graph = Graph()
    hidden = _embed(graph, encoder, embedding)
    for number, layer in enumerate(encoder.layers):
        hidden = _layer(graph, f"layer{number}", layer, encoder, hidden)
    pooled = graph.node("ReduceMean", [hidden], axes=[1], keepdims=0)
    if centring:
        pooled = graph.node("Sub", [_unit(graph, pooled), _centre(graph, centring)])
    _unit(graph, pooled, OUTPUT)
    dims = encoder.position.shape[1]
    return graph.model(name, [Signature(INPUT, "int32", (1, "tokens"))], [Signature(OUTPUT, "float32", (1, dims))])


def int8_rows(table: Floats) -> Embedding:
    """Word embeddings with one scale a row."""
    numbers, scales = quantised(table)

    def embed(graph: Graph) -> str:
        row = graph.node("Cast", [graph.node("Gather", [graph.weight("word", numbers), INPUT])], to=FLOAT)
        return graph.node("Mul", [row, graph.node("Gather", [graph.weight("word_scale", scales[:, None]), INPUT])])

    return embed


def int4_blocks(table: Blocks4) -> Embedding:
    """Word embeddings in 4 bits, unpacked by operators that every ONNX host has."""
    rows, blocks, _ = table.nibbles.shape

    def embed(graph: Graph) -> str:
        packed = graph.weight("word", table.nibbles.reshape(rows, -1))
        pairs = graph.node("Cast", [graph.node("Gather", [packed, INPUT])], to=FLOAT)
        pairs = graph.node("Reshape", [pairs, _ints(graph, "pair_shape", 1, -1, blocks, 16)])
        high = graph.node("Floor", [graph.node("Mul", [pairs, _scalar(graph, "sixteenth", np.float32(1 / 16))])])
        low = graph.node("Sub", [pairs, graph.node("Mul", [high, _scalar(graph, "sixteen", np.float32(16))])])
        values = graph.node("Sub", [graph.node("Concat", [low, high], axis=3), _scalar(graph, "eight", np.float32(8))])
        scales = graph.node("Gather", [graph.weight("word_scale", table.scales[:, :, None]), INPUT])
        values = graph.node("Mul", [values, graph.node("Cast", [scales], to=FLOAT)])
        return graph.node("Reshape", [values, _ints(graph, "row_shape", 1, -1, blocks * 32)])

    return embed


def _embed(graph: Graph, encoder: Encoder, embedding: Embedding) -> str:
    length = graph.node("Shape", [INPUT], start=1, end=2)
    zero = _ints(graph, "zero", 0)
    position = graph.node("Slice", [graph.weight("position", encoder.position), zero, length, zero])
    both = graph.node("Add", [embedding(graph), position])
    return _norm(graph, "norm", encoder.norm, encoder, both)


def _layer(graph: Graph, name: str, layer: Layer, encoder: Encoder, hidden: str) -> str:
    qkv = _linear(graph, f"{name}.qkv", _stacked(layer.q, layer.k, layer.v), hidden)
    thirds = graph.split("Split", [qkv], 3, axis=2)
    context = graph.node("MultiHeadAttention", thirds, domain=MICROSOFT, num_heads=encoder.heads)
    attended = _linear(graph, f"{name}.ao", layer.ao, context)
    hidden = _norm(graph, f"{name}.aln", layer.aln, encoder, graph.node("Add", [attended, hidden]))
    inner = graph.node("Gelu", [_linear(graph, f"{name}.fi", layer.fi, hidden)], domain=MICROSOFT)
    outer = _linear(graph, f"{name}.fo", layer.fo, inner)
    return _norm(graph, f"{name}.oln", layer.oln, encoder, graph.node("Add", [outer, hidden]))


def _unit(graph: Graph, rows: str, name: str = "") -> str:
    length = graph.node("ReduceL2", [rows], axes=[1], keepdims=1)
    return graph.node("Div", [rows, length], name=name)


def _centre(graph: Graph, centring: Centring) -> str:
    kinds = centring.centres.shape[0]
    gathered = graph.node("Cast", [graph.node("Gather", [graph.weight("kind", centring.weights), INPUT])], to=FLOAT)
    default = np.array([[0.0] * (kinds - 1) + [_DEFAULT_WEIGHT]], np.float32)
    counts = graph.node("ReduceMean", [gathered], axes=[1], keepdims=0)
    counts = graph.node("Add", [counts, graph.weight("default_kind", default)])
    shares = graph.node("Div", [counts, graph.node("ReduceL1", [counts], axes=[1], keepdims=1)])
    return graph.node("MatMul", [shares, graph.weight("centres", centring.centres)])


_DEFAULT_WEIGHT = 1e-6


def _linear(graph: Graph, name: str, linear: Linear, hidden: str) -> str:
    numbers, scales = quantised(linear.weight)
    matrix = graph.node("Cast", [graph.weight(f"{name}.weight", numbers.T)], to=FLOAT)
    product = graph.node("Mul", [graph.node("MatMul", [hidden, matrix]), graph.weight(f"{name}.scale", scales)])
    return graph.node("Add", [product, graph.weight(f"{name}.bias", linear.bias)])


def quantised(matrix: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Integers and one scale a row. Shapes: (rows, columns) -> (rows, columns), (rows,)."""
    scales = np.abs(matrix).max(1) / WEIGHT_LIMIT
    return np.rint(matrix / scales[:, None]).astype(np.int8), scales


def _stacked(*linears: Linear) -> Linear:
    return Linear(np.concatenate([one.weight for one in linears]), np.concatenate([one.bias for one in linears]))


def _norm(graph: Graph, name: str, norm: Norm, encoder: Encoder, hidden: str) -> str:
    inputs = [hidden, graph.weight(f"{name}.weight", norm.weight), graph.weight(f"{name}.bias", norm.bias)]
    return graph.node("LayerNormalization", inputs, axis=-1, epsilon=encoder.epsilon)


def _scalar(graph: Graph, name: str, value: np.generic) -> str:
    return graph.weight(name, np.array(value))


def _ints(graph: Graph, name: str, *values: int) -> str:
    return graph.weight(name, np.array(values, np.int64))
