"""How many model tokens a text takes, estimated without a model: the same everywhere, so that chunks are the same.

The costs were fitted to the larger of WordPiece (MiniLM) and Unigram (e5) counts on English, Chinese and mixed notes;
99 of 100 texts take at most 1.16 times their estimate.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

_PIECES = re.compile(r"[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]")
_MAX_REMEMBERED = 24  # letters; longer runs are rare, and may be hostile


def estimate_tokens(text: str) -> int:
    """Tokens that `text` takes in a model, special tokens not counted."""
    return math.ceil(sum(map(_cost, _PIECES.findall(text))))


def _cost(piece: str) -> float:
    if len(piece) > _MAX_REMEMBERED:
        return len(piece) / 2
    return _known_cost(piece)


@lru_cache(maxsize=50_000)
def _known_cost(piece: str) -> float:
    letters = len(piece)
    if not piece.isascii():
        return 1.0
    if piece.isalpha():
        return 1 + 0.2 * max(0, letters - 4) + 0.3 * max(0, letters - 12)
    return 0.45 + 0.35 * letters if piece.isdigit() else 1.0
