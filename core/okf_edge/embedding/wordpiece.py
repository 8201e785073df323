"""WordPiece as BERT (uncased) uses it: text to token ids, in pure Python.

Rules:
1. The same ids as the `tokenizers` package, on every Python: character classes are frozen tables.
2. Text is only text: `[SEP]` in a note is punctuation and a word, never a control token.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import lru_cache

from . import character_classes as classes

MAX_WORD_CHARS = 100  # a longer word is unknown, as in BERT
CACHED_WORDS = 50_000


class WordPiece:
    """Encodes text with a vocabulary of one piece a line; a piece inside a word starts with `##`."""

    def __init__(self, vocabulary: str, max_tokens: int) -> None:
        pieces = vocabulary.split("\n")
        self._ids = dict(zip(pieces, range(len(pieces)), strict=True))
        self._unknown, self._first, self._last = (self._ids[name] for name in ("[UNK]", "[CLS]", "[SEP]"))
        self._max_tokens = max_tokens
        self._word_ids = lru_cache(CACHED_WORDS)(self._match)

    def encode(self, text: str) -> list[int]:
        """Token ids of a text with the marks of its start and end, at most `max_tokens`."""
        ids = [self._first]
        for word in words_of(text):
            ids += self._word_ids(word)
            if len(ids) >= self._max_tokens:
                break
        return [*ids[: self._max_tokens - 1], self._last]

    def _match(self, word: str) -> tuple[int, ...]:
        """Longest piece first; a word that can't be covered is unknown as a whole."""
        if len(word) > MAX_WORD_CHARS:
            return (self._unknown,)
        ids, start, prefix = [], 0, ""
        while start < len(word):
            end = len(word)
            while (found := self._ids.get(prefix + word[start:end])) is None:
                end -= 1
                if end == start:
                    return (self._unknown,)
            ids.append(found)
            start, prefix = end, "##"
        return tuple(ids)


def words_of(text: str) -> list[str]:
    """Lower-case words without accents; each punctuation mark and each ideograph is a word of its own."""
    return text.translate(_FOLD).split()


class _Fold(dict[int, str]):
    """What each code point becomes; worked out when first met."""

    def __missing__(self, point: int) -> str:
        folded = self[point] = _folded(point)
        return folded


_FOLD = _Fold()


def _folded(point: int) -> str:
    kind = _class_of(point)
    if kind == "dropped":
        return ""
    if kind == "space":
        return " "
    bare = "".join(mark for mark in _decomposed(point) if _class_of(ord(mark)) != "mark")
    spaced = (f" {char} " if _class_of(ord(char)) == "punctuation" else char for char in bare)
    return f" {bare} " if kind == "ideograph" else "".join(spaced)


def _decomposed(point: int) -> str:
    char = chr(point)
    if _class_of(point) == "newer":
        return char
    return "".join(part.lower() for part in unicodedata.normalize("NFD", char))


@lru_cache(1)
def _boundaries() -> tuple[list[int], list[str]]:
    """Code points at which the class changes, and the class from there on."""
    tables = {
        "dropped": classes.DROPPED,
        "space": classes.SPACE,
        "ideograph": classes.IDEOGRAPH,
        "punctuation": classes.PUNCTUATION,
        "mark": classes.MARK,
        "newer": classes.SINCE_UNICODE_14,
    }
    ends = {}
    for kind, table in tables.items():
        for first, last in classes.ranges_of(table):
            ends[first] = kind
            ends.setdefault(last + 1, "letter")
    points = sorted(ends)
    return points, [ends[point] for point in points]


def _class_of(point: int) -> str:
    points, kinds = _boundaries()
    at = bisect_right(points, point)
    return kinds[at - 1] if at else "letter"
