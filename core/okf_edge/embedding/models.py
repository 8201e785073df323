"""The models that okf-edge knows: what each consists of, what identifies it, and how its text is made into tokens.

Rules:
1. A model is its files, and a file is its sha256: a host that has other bytes does not have the model.
2. Everything that turns text into token ids is here, so that every host feeds the same ids.
"""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from okf_edge.errors import ModelError
from okf_edge.ports import EmbedderSpec, Purpose

from .unigram import Unigram
from .wordpiece import WordPiece

NETWORK_FILE = "model.onnx"
INPUT, OUTPUT = "input_ids", "embedding"
"""Names in the network. Shapes: int32 (1, tokens) -> float32 (1, dims), a unit vector."""

SCORE_DECIMALS = 5
"""Decimals of a score that mean the same on every host: rounding here takes away what hosts differ by.

Scores of one text on two hosts differ by at most 1e-6 (natively and in ONNX Runtime Web, 500 texts; the tests of
`tests/browser` hold it below a fifth of this decimal)."""


class Tokenizer(Protocol):
    def encode(self, text: str) -> list[int]:
        """Ids with the marks of start and end, cut to what the model takes."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Model:
    """`query_prefix` and `passage_prefix` go before a text, as in the model's training."""

    spec: EmbedderSpec
    tokenizer: Literal["wordpiece", "unigram"]
    files: tuple[ModelFile, ...]
    query_prefix: str = ""
    passage_prefix: str = ""

    @property
    def id(self) -> str:
        return self.spec.id

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)

    def prefixed(self, text: str, purpose: Purpose) -> str:
        return (self.query_prefix if purpose == "query" else self.passage_prefix) + text


def model_of(model_id: str) -> Model:
    """The model of that id. Raises ModelError for one that we don't know."""
    for model in MODELS:
        if model.id == model_id:
            return model
    known = ", ".join(model.id for model in MODELS)
    raise ModelError(
        f"expected one of {known}, found {model_id!r}", code="unknown-model", hint=f"Choose one of {known}."
    )


def check_file(model: Model, file: ModelFile, data: bytes) -> None:
    """Raises ModelError unless these are the bytes that the model names."""
    if len(data) != file.bytes or hashlib.sha256(data).hexdigest() != file.sha256:
        raise damaged(model, file, len(data))


def damaged(model: Model, file: ModelFile, found_bytes: int) -> ModelError:
    return ModelError(
        f"{file.name} of model {model.id} is damaged: expected {file.bytes:,} bytes with sha256 {file.sha256[:12]}…, "
        f"found {found_bytes:,} other bytes",
        code="model-damaged",
        hint=f"Run `okf model build {model.id}` to make it again.",
    )


def tokenizer_of(model: Model, files: Mapping[str, bytes]) -> Tokenizer:
    """The tokenizer from the model's files, which were checked before."""
    if model.tokenizer == "wordpiece":
        return WordPiece(files["vocabulary.txt"].decode(), model.spec.max_tokens)
    scores = array("f", files["scores.f32"])
    if sys.byteorder == "big":
        scores.byteswap()
    return Unigram(files["pieces.txt"].decode(), scores, files["normaliser.txt"].decode(), model.spec.max_tokens)


# Reference cosines: the means of mean and deviation over questions and passages, of MiniLM in XQuAD en, Cranfield and
# SciFact, of e5 in XQuAD en and zh, CMRC zh, and questions in Chinese over English passages.
MINILM = Model(
    EmbedderSpec(
        id="minilm-l6",
        digest="199dbbaaea9d3c68a1405595d3e1790ecb0ca878783749df4d7fd3869e08d469",
        dims=384,
        max_tokens=256,
        cosine_mean=0.12,
        cosine_sd=0.11,
        scripts=("Latin",),
    ),
    "wordpiece",
    (
        ModelFile(NETWORK_FILE, 23_464_822, "199dbbaaea9d3c68a1405595d3e1790ecb0ca878783749df4d7fd3869e08d469"),
        ModelFile("vocabulary.txt", 231_507, "0f052197aac305fe42f378b5c61554b7bacb34b8be4af83fec2cfdcdffbc9973"),
    ),
)

E5 = Model(
    EmbedderSpec(
        id="e5-small-cjk",
        digest="78df8237ab42d58ac21be38a0b2d2f37c2f79b2bdde2ec31300a60e1c721ec98",
        dims=384,
        max_tokens=512,
        cosine_mean=0.25,
        cosine_sd=0.06,
        scripts=("Latin", "Han", "Kana", "Hangul"),
    ),
    "unigram",
    (
        ModelFile(NETWORK_FILE, 49_847_676, "78df8237ab42d58ac21be38a0b2d2f37c2f79b2bdde2ec31300a60e1c721ec98"),
        ModelFile("pieces.txt", 1_099_565, "6ce6c14915eeaa3e74e3a42d108fc39c59266499cfae87743860ac74814f2fe5"),
        ModelFile("scores.f32", 502_548, "614f2b7e985cd981b7f02b836c98e405ec4ba949c71b66143000768192aecb41"),
        ModelFile("normaliser.txt", 52_647, "86e7b2b030a4db6bac94e7ebdf40ec031f327a4b5eb9a4cd5e77932cae957b69"),
    ),
    query_prefix="query: ",
    passage_prefix="passage: ",
)

MODELS = (MINILM, E5)
