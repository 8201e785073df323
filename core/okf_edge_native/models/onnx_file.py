"""Writes ONNX files, byte for byte the same on every machine.

An ONNX file is a protocol-buffer message of a few fields. The `onnx` package would write it too, but its bytes follow
the versions of that package and of protobuf, and a model is identified by the digest of its bytes.

Source: the field numbers of onnx.proto3, https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

IR_VERSION = 9
OPSETS = (("", 17), ("com.microsoft", 1))
FLOAT = 1
_ELEMENT_TYPES = {"float32": FLOAT, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "float16": 10}
_FLOAT_VALUE, _INT_VALUE, _INT_VALUES = 1, 2, 7  # AttributeProto.AttributeType

Array = NDArray[np.generic]
Attribute = float | int | Sequence[int]


@dataclass(slots=True)
class Graph:
    """A graph under construction: nodes in order, weights, and a fresh name for every intermediate result."""

    nodes: list[bytes] = field(default_factory=list)
    weights: list[bytes] = field(default_factory=list)

    def weight(self, name: str, values: Array) -> str:
        """Keep a constant and return its name."""
        self.weights.append(_tensor(name, values))
        return name

    def node(
        self, operator: str, inputs: Sequence[str], *, name: str = "", domain: str = "", **attributes: Attribute
    ) -> str:
        """Add a node with one output and return that output's name."""
        return self.split(operator, inputs, 1, name=name, domain=domain, **attributes)[0]

    def split(
        self,
        operator: str,
        inputs: Sequence[str],
        count: int,
        *,
        name: str = "",
        domain: str = "",
        **attributes: Attribute,
    ) -> list[str]:
        """Add a node with `count` outputs and return their names."""
        name = name or f"{operator.lower()}_{len(self.nodes)}"
        outputs = [name] if count == 1 else [f"{name}.{i}" for i in range(count)]
        self.nodes.append(
            _repeated(1, inputs)
            + _repeated(2, outputs)
            + _text(3, name)
            + _text(4, operator)
            + b"".join(_bytes(5, _attribute(key, value)) for key, value in sorted(attributes.items()))
            + (_text(7, domain) if domain else b"")
        )
        return outputs

    def model(self, name: str, inputs: Iterable[Signature], outputs: Iterable[Signature]) -> bytes:
        """The whole file."""
        graph = (
            b"".join(_bytes(1, node) for node in self.nodes)
            + _text(2, name)
            + b"".join(_bytes(5, weight) for weight in self.weights)
            + b"".join(_bytes(11, _value_info(signature)) for signature in inputs)
            + b"".join(_bytes(12, _value_info(signature)) for signature in outputs)
        )
        opsets = b"".join(_bytes(8, _text(1, domain) + _int(2, version)) for domain, version in OPSETS)
        return _int(1, IR_VERSION) + _text(2, "okf-edge") + _bytes(7, graph) + opsets


@dataclass(frozen=True, slots=True)
class Signature:
    """An input or output of a graph. A dimension given as text is variable."""

    name: str
    element: str
    shape: tuple[int | str, ...]


def _tensor(name: str, values: Array) -> bytes:
    dims = b"".join(_int(1, size) for size in values.shape)
    data = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
    return dims + _int(2, _ELEMENT_TYPES[values.dtype.name]) + _text(8, name) + _bytes(9, data)


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        return _text(1, name) + _key(2, 5) + struct.pack("<f", value) + _int(20, _FLOAT_VALUE)
    if isinstance(value, int):
        return _text(1, name) + _int(3, value) + _int(20, _INT_VALUE)
    return _text(1, name) + b"".join(_int(8, item) for item in value) + _int(20, _INT_VALUES)


def _value_info(signature: Signature) -> bytes:
    dims = b"".join(_bytes(1, _text(2, d) if isinstance(d, str) else _int(1, d)) for d in signature.shape)
    tensor = _int(1, _ELEMENT_TYPES[signature.element]) + _bytes(2, dims)
    return _text(1, signature.name) + _bytes(2, _bytes(1, tensor))


def _repeated(number: int, texts: Iterable[str]) -> bytes:
    return b"".join(_text(number, text) for text in texts)


def _text(number: int, text: str) -> bytes:
    return _bytes(number, text.encode())


def _bytes(number: int, data: bytes) -> bytes:
    return _key(number, 2) + _varint(len(data)) + data


def _int(number: int, value: int) -> bytes:
    return _key(number, 0) + _varint(value & 0xFFFF_FFFF_FFFF_FFFF)


def _key(number: int, wire_type: int) -> bytes:
    return _varint(number << 3 | wire_type)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
