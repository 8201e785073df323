"""How many model tokens a text takes, estimated without a model: the same everywhere, so that chunks are the same.

The costs were fitted to the larger of WordPiece (MiniLM) and Unigram (e5) counts on English, Chinese and mixed notes;
99 of 100 texts take at most 1.16 times their estimate.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left

_PIECES = re.compile(r"[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]")
_UNIT = 100
"""Costs are whole hundredths of a token, so that their sums do not depend on their order."""

_MAX_REMEMBERED = 24  # letters; longer runs are rare, and may be hostile
_MOST_REMEMBERED = 50_000  # pieces: 5 MB


def estimate_tokens(text: str) -> int:
    """Tokens that `text` takes in a model, special tokens not counted."""
    return _whole(sum(map(_cost, _PIECES.findall(text))))


class TokenMap:
    """The estimate for any part of one text, from one pass over it."""

    def __init__(self, text: str, first: int = 0) -> None:
        """Args: first: where the parts that will be asked for begin."""
        self._starts = array("Q")
        self._sums = array("Q", [0])
        total = 0
        for match in _PIECES.finditer(text, first):
            total += _cost(match[0])
            self._starts.append(match.start())
            self._sums.append(total)

    def tokens(self, start: int, end: int) -> int:
        """Tokens of the words that begin in [start, end)."""
        return _whole(self._sums[bisect_left(self._starts, end)] - self._sums[bisect_left(self._starts, start)])


def _whole(cost: int) -> int:
    return -(-cost // _UNIT)


class _Costs(dict[str, int]):
    """The cost of a piece by the piece, worked out when it is first asked for."""

    def __missing__(self, piece: str) -> int:
        if len(piece) > _MAX_REMEMBERED:
            return len(piece) * _UNIT // 2
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        cost = self[piece] = _worked_out(piece)
        return cost


_cost = _Costs().__getitem__


def _worked_out(piece: str) -> int:
    letters = len(piece)
    if not piece.isascii():
        return 90 if "\u2e80" <= piece <= "\uffef" else 100
    if piece.isalpha():
        return 100 + 20 * max(0, letters - 4) + 30 * max(0, letters - 12)
    return 45 + 35 * letters if piece.isdigit() else 100
