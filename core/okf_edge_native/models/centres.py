"""What in a vector of e5 tells only in which script a text is written: the network takes it out, alike on every host.

A multilingual encoder puts all texts of a language into one corner of its space. In a folder of two languages, every
page in the question's own language is then nearer than the page that answers. So the network takes away a part of the
centre of the text's scripts, each by its share of the text, and gives the rest unit length.

The centres are the means over the 240 paragraphs of XQuAD, which are the same in English and Chinese, without any of
its questions. `python -m tests.bench.centres` computes them; docs/decisions/ says what they change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SHARE = np.float32(0.7)
"""Of the centre that is taken away. All of it loses a little where there is one language; none loses the other."""

SCALE = np.float32(0.0008365492103621364)
PREFIXES = frozenset({"▁query", "▁passage", ":"})
"""Pieces that stand before every text and say nothing of its script."""

_EAST_ASIAN = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_LATIN = re.compile("[A-Za-z\u00c0-\u00ff]")
_CHARACTER_WEIGHT = 3
"""A Han character carries about as much as three letters."""

EAST_ASIAN = bytes.fromhex(
    "50fec8dd5ddb0c3260ef2cf748efaa3649d8e5c62915c2395d30ca2c37cfc6bf2bb95a2db9d031b9ed08365f1e46ea2cc1e3fa3621390fb4"
    "d9b39d55500908295f1c4429dcdce95417ce10013ff31cbea6c9dc1db73a41bd4c062f3bdfc5c1c6ef3350f854b6f9bbc24237b62ed0c736"
    "2d3ab0c81dae31c91ec8d2dbb6b33825e9072822ef0f215eb90cdcddd723bf47293547cb37c205d3403949e5f5cb4847c0b6b6c4a5bb2f47"
    "c4dafb3ed8170b56ea037237e7eeacd1abebd81817fd0a3dbbcfeb12b9392232f8c1171235e2af3bc93122a8ba3db4e1f22bb52e1de71787"
    "ff4434ead024b6d6d1a5c681ed45338ffcba01b24ac6eb2fe55131b0d19edd2d4a6bcd291de4663b4703cbe9b600cc0e59d3d5db2c6bc7c9"
    "39371a2935ded43bd3e4e9ec39b94017fb589929e7ed2c078c3d01e52b386426ced5153a022cbacdd5d8ddc44b32c0d44e250ed4cb3bc7c6"
    "c039bdc8346ee149e9b814dbcf200c98113fd428e6d74a37b2b840364b1109ff39a94729c012f9e1a342cec039583a39"
)
LATIN = bytes.fromhex(
    "46dac1d03dbd243441fd440d29cacc3c48eae1b423efc6442b44de052ec9bccb2fbe4338b4d845cfda2424322e38d82feadfcf40283944c0"
    "accac54229d3121d4d3f3536b8ecc64007db052b2cce1ccfced7d62ac34943c359ce342cb1bdb4c4d8324ad14bd03be4c81e24b64ac5da33"
    "4e4dc4cdf3e127de3bd6b4b8c1d32c3642142e2325353b4bb0eff7e2bf25c82b513258e046d331dc3f263de8c1c73538cec7c3e6bbec3b40"
    "d4d1cc30b82bf948d2255632c5ecc7bbc4c2c11f20d5eb39d5c1d835c032372dede81a24370bc435cb354aabc238e3e3fd3ac5323be6388a"
    "c21d3ce0e237c9cec0a6d4c3cc3b20b9cbd029a533c6e026ef2634bcdec6cb2b2a4bc82602ef5a3c313dd9d4beefa91626dad3da0e52e2d9"
    "463138491ce9dc3fc4e800bc42e84e230349ca1cdbc02f3fb5190917141d3d20d7e13a4aed1dc6b7c5c8e6c22c1db6cf22f417cac73db2d0"
    "ea42cea3172bbf29fcc822c9ca2446961732c931e6cb2c2cbacf2c2d344fe4fe35c03b42c517f1dadb4fc9c42c4e2533"
)


def centres() -> NDArray[np.float32]:
    """What to take away of a text in East Asian scripts, and of one in Latin letters. Shape: (2, dims)."""
    numbers = np.frombuffer(EAST_ASIAN + LATIN, np.int8).reshape(2, -1)
    return numbers.astype(np.float32) * (SCALE * SHARE)


def weights(pieces: Sequence[str]) -> NDArray[np.uint8]:
    """How much each piece has of both kinds of script. Shape: (pieces, 2)."""
    return np.array([_weights(piece) for piece in pieces], np.uint8)


def _weights(piece: str) -> tuple[int, int]:
    if piece in PREFIXES or (piece.startswith("<") and piece.endswith(">")):
        return 0, 0
    return _CHARACTER_WEIGHT * len(_EAST_ASIAN.findall(piece)), len(_LATIN.findall(piece))
