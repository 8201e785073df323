"""Builds the encoder as an ONNX graph: token ids of one text in, its unit vector out.

Rules:
1. One text a run. Activations are quantised with a scale taken from all tokens of a run, so a text that shares a run
   with others would get another vector than alone; and a run of one text is as fast, without padding.
2. Matrices are int8 in [-64, 64]. CPUs without VNNI add pairs of u8 x s8 products in 16 bits, which saturate beyond
   that range; within it every host computes the same integers.
3. Operators are fused here, not by ONNX Runtime at load: a session starts faster and every host runs the same graph.
4. Everything is elementwise or a maximum in float32, so the bytes do not depend on the machine that builds them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .onnx_file import Graph, Signature
from .weights import Blocks4, Encoder, Floats, Layer, Linear, Norm

MICROSOFT = "com.microsoft"
WEIGHT_LIMIT = 64  # rule 2: 2 * 255 * 64 = 32,640 fits in 16 bits

Embedding = Callable[[Graph], str]


def encoder_model(name: str, encoder: Encoder, embedding: Embedding) -> bytes:
    """The ONNX file. Shapes: input_ids int32 (1, tokens) -> embedding float32 (1, dims)."""
    graph = Graph()
    hidden = _embed(graph, encoder, embedding)
    for number, layer in enumerate(encoder.layers):
        hidden = _layer(graph, f"layer{number}", layer, encoder, hidden)
    _pool(graph, hidden)
    dims = encoder.position.shape[1]
    return graph.model(
        name, [Signature("input_ids", "int32", (1, "tokens"))], [Signature("embedding", "float32", (1, dims))]
    )


def int8_rows(table: Floats) -> Embedding:
    """Word embeddings with one scale a row."""
    scales = np.abs(table).max(1, keepdims=True) / np.float32(127)
    numbers = np.rint(table / scales).astype(np.int8)

    def embed(graph: Graph) -> str:
        row = graph.node("Cast", [graph.node("Gather", [graph.weight("word", numbers), "input_ids"])], to=1)
        return graph.node("Mul", [row, graph.node("Gather", [graph.weight("word_scale", scales), "input_ids"])])

    return embed


def int4_blocks(table: Blocks4) -> Embedding:
    """Word embeddings in 4 bits, unpacked by operators that every ONNX host has."""
    rows, blocks, _ = table.nibbles.shape

    def embed(graph: Graph) -> str:
        packed = graph.weight("word", table.nibbles.reshape(rows, -1))
        pairs = graph.node("Cast", [graph.node("Gather", [packed, "input_ids"])], to=1)
        pairs = graph.node("Reshape", [pairs, _ints(graph, "pair_shape", 1, -1, blocks, 16)])
        high = graph.node("Floor", [graph.node("Mul", [pairs, _float(graph, "sixteenth", 1 / 16)])])
        low = graph.node("Sub", [pairs, graph.node("Mul", [high, _float(graph, "sixteen", 16)])])
        values = graph.node("Sub", [graph.node("Concat", [low, high], axis=3), _float(graph, "eight", 8)])
        scales = graph.node("Gather", [graph.weight("word_scale", table.scales[:, :, None]), "input_ids"])
        values = graph.node("Mul", [values, graph.node("Cast", [scales], to=1)])
        return graph.node("Reshape", [values, _ints(graph, "row_shape", 1, -1, blocks * 32)])

    return embed


def _embed(graph: Graph, encoder: Encoder, embedding: Embedding) -> str:
    length = graph.node("Shape", ["input_ids"], start=1, end=2)
    zero = _ints(graph, "zero", 0)
    position = graph.node("Slice", [graph.weight("position", encoder.position), zero, length, zero])
    both = graph.node("Add", [embedding(graph), position])
    return graph.node(
        "LayerNormalization", [both, *_norm(graph, "norm", encoder.norm)], axis=-1, epsilon=encoder.epsilon
    )


def _layer(graph: Graph, name: str, layer: Layer, encoder: Encoder, hidden: str) -> str:
    qkv = _linear(graph, f"{name}.qkv", _stacked(layer.q, layer.k, layer.v), hidden)
    thirds = graph.split("Split", [qkv], 3, axis=2)
    context = graph.node("MultiHeadAttention", thirds, domain=MICROSOFT, num_heads=encoder.heads)
    attended = _linear(graph, f"{name}.ao", layer.ao, context)
    hidden = _residual(graph, f"{name}.aln", layer.aln, encoder.epsilon, attended, hidden)
    inner = graph.node("Gelu", [_linear(graph, f"{name}.fi", layer.fi, hidden)], domain=MICROSOFT)
    outer = _linear(graph, f"{name}.fo", layer.fo, inner)
    return _residual(graph, f"{name}.oln", layer.oln, encoder.epsilon, outer, hidden)


def _pool(graph: Graph, hidden: str) -> None:
    mean = graph.node("ReduceMean", [hidden], axes=[1], keepdims=0)
    length = graph.node("ReduceL2", [mean], axes=[1], keepdims=1)
    graph.node("Div", [mean, length], name="embedding")


def _linear(graph: Graph, name: str, linear: Linear, hidden: str) -> str:
    numbers, scales = quantised(linear.weight)
    inputs = [
        hidden,
        graph.weight(f"{name}.weight", numbers.T),
        graph.weight(f"{name}.scale", scales),
        graph.weight(f"{name}.zero", np.zeros(len(scales), np.int8)),
        graph.weight(f"{name}.bias", linear.bias),
    ]
    return graph.node("DynamicQuantizeMatMul", inputs, domain=MICROSOFT)


def quantised(weight: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Integers and one scale an output (rule 2). Shapes: (outputs, inputs) -> (outputs, inputs), (outputs,)."""
    scales = np.abs(weight).max(1) / np.float32(WEIGHT_LIMIT)
    return np.rint(weight / scales[:, None]).astype(np.int8), scales


def _stacked(*linears: Linear) -> Linear:
    return Linear(np.concatenate([one.weight for one in linears]), np.concatenate([one.bias for one in linears]))


def _residual(graph: Graph, name: str, norm: Norm, epsilon: float, change: str, hidden: str) -> str:
    inputs = [change, hidden, *_norm(graph, name, norm)]
    return graph.node("SkipLayerNormalization", inputs, domain=MICROSOFT, epsilon=epsilon)


def _norm(graph: Graph, name: str, norm: Norm) -> tuple[str, str]:
    return graph.weight(f"{name}.weight", norm.weight), graph.weight(f"{name}.bias", norm.bias)


def _float(graph: Graph, name: str, value: float) -> str:
    return graph.weight(name, np.array(value, np.float32))


def _ints(graph: Graph, name: str, *values: int) -> str:
    return graph.weight(name, np.array(values, np.int64))
