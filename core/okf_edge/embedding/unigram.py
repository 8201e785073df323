"""The Unigram language model of SentencePiece, as multilingual e5 uses it: text to token ids, in pure Python.

Rules:
1. The same ids as the `tokenizers` package gives with this vocabulary, on every Python.
2. Text is normalised by the table that the model was trained with, then composed (NFC).
3. Text is only text: `</s>` in a note is no control token.

Source: Kudo, "Subword Regularization", ACL 2018; the treatment of unknown characters follows SentencePiece.
"""

from __future__ import annotations

import unicodedata
from array import array
from functools import lru_cache
from math import inf

from . import character_classes as classes

SPACE = "\u2581"  # stands for the space before a word
FIRST, LAST, UNKNOWN, CONTROLS = 0, 2, 3, 4  # <s> <pad> </s> <unk>
UNKNOWN_PENALTY = 10.0  # below the rarest piece
CACHED_WORDS = 50_000
CACHED_CHARS = 24  # longer runs, as in scripts without spaces, hardly come again
NO_LETTER = "\ufffd"  # of no vocabulary; stands for what only newer Pythons would normalise


class Unigram:
    """Encodes text with pieces of one a line, the score (log probability) of each, and a normaliser.

    The normaliser has a line `code-point replacement...` for each code point that is replaced, in hexadecimal.
    """

    def __init__(self, pieces: str, scores: array[float], normaliser: str, max_tokens: int) -> None:
        names = pieces.split("\n")
        names[:CONTROLS] = (f"\n{number}" for number in range(CONTROLS))  # no text has a piece with a line break
        self._ids = dict(zip(names, range(len(names)), strict=True))
        self._scores = scores
        self._unknown_score = min(scores) - UNKNOWN_PENALTY
        self._longest = max(map(len, names))
        self._table = _table(normaliser)
        self._max_tokens = max_tokens
        self._word_ids = lru_cache(CACHED_WORDS)(self._best_path)

    def encode(self, text: str) -> list[int]:
        """Token ids of a text with the marks of its start and end, at most `max_tokens`."""
        ids = [FIRST]
        for word in self.words_of(text):
            cut = self._word_ids if len(word) <= CACHED_CHARS else self._best_path
            ids += cut(SPACE + word)
            if len(ids) >= self._max_tokens:
                break
        return [*ids[: self._max_tokens - 1], LAST]

    def words_of(self, text: str) -> list[str]:
        """Normalised text between spaces."""
        return unicodedata.normalize("NFC", text.translate(self._table)).split()

    def _best_path(self, word: str) -> tuple[int, ...]:
        """The likeliest way to cut a word into pieces (Viterbi); a run of unknown characters is one unknown token."""
        size, ids, scores = len(word), self._ids, self._scores
        best: list[float] = [0.0, *[-inf] * size]
        steps = [(0, UNKNOWN)] * (size + 1)
        for start in range(size):
            so_far = best[start]
            if word[start] not in ids and so_far + self._unknown_score > best[start + 1]:
                best[start + 1], steps[start + 1] = so_far + self._unknown_score, (start, UNKNOWN)
            for end in range(start + 1, min(start + self._longest, size) + 1):
                piece = ids.get(word[start:end])
                if piece is not None and so_far + scores[piece] > best[end]:
                    best[end], steps[end] = so_far + scores[piece], (start, piece)
        return _walk_back(steps)


def _walk_back(steps: list[tuple[int, int]]) -> tuple[int, ...]:
    ids: list[int] = []
    at = len(steps) - 1
    while at:
        at, piece = steps[at]
        if piece != UNKNOWN or not ids or ids[-1] != UNKNOWN:
            ids.append(piece)
    return tuple(reversed(ids))


def _table(normaliser: str) -> dict[int, str]:
    table = {}
    for line in normaliser.splitlines():
        point, *replacement = (int(number, 16) for number in line.split())
        table[point] = "".join(map(chr, replacement))
    for first, last in classes.ranges_of(classes.SINCE_UNICODE_14):
        table.update(dict.fromkeys(range(first, last + 1), NO_LETTER))
    return table
