"""The text pipeline: text to index terms, the same for index and question, the same on every host.

Rules:
1. Unicode is frozen (`unicode_table`): what a newer Python knows more is not used; unknown characters pass through.
2. Text is NFKC; words are case-folded. A word of Latin letters is stemmed (Snowball, English) and stop words go.
3. A word has further forms where people type it otherwise: without diacritics, and with ae, oe, ue for umlauts.
4. An identifier is kept whole and split: `snake_case`, `camelCase`, `v1.2`, `a.b`, `a/b`, `IL-6`.
5. Han, kana and Hangul give every character and every pair; Thai, Lao, Khmer and Myanmar give pairs and triples.
6. A text of nothing but stop words keeps them: "The Who" is a title, and a question.

Parts of compounds ("schiff" in "Dampfschiff") have no terms of their own; a search finds them among the terms.
Anything that changes a term changes PIPELINE_ID: an index of another id is rebuilt, never mixed.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from okf_edge.index import unicode_table

PIPELINE_ID = "okf-text-1"
MAX_TERM_CHARS = 64
"""A longer word is cut: it is a hash, a URL or data, and nobody types it whole."""

_MEMO_WORDS = 200_000  # forms of distinct words that are remembered: about 60 MB, and nearly every word of a corpus

_ENGLISH_STOP_WORDS = """
a about after all also am an and any are aren as at be because been before being both but by can could couldn did
didn do does doesn doing don each for from had has hasn have haven having he her here hers him his how i if in into
is isn it its just me more most my no nor not of on or other our out over own same she should shouldn so some such
than that the their them then there these they this those through to too under until up very was wasn we were weren
what when where which while who whom why will with would wouldn you your
"""
STOP_WORDS = frozenset(_ENGLISH_STOP_WORDS.split())

_LETTERS = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ı": "i"}
    | {"ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه", "ـ": None})  # fmt: skip
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_DIACRITIC = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670]+")
_CLITIC = re.compile(r"(?<=[^\W\d_])['’ʼ](?:s|t|d|m|ll|re|ve|S|T|D|M|LL|RE|VE)(?![^\W_])", re.ASCII)
_PLAIN = re.compile(r"[a-z]+\Z")
_PARTS = re.compile(r"[./:\\@-]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
_PLURAL_ACRONYM = re.compile(r"[A-Z]{2,}s\Z")
_IS_CAMEL = re.compile(r"[A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z0-9]*\Z|[A-Z]{2,}(?!s\Z)[a-z][A-Za-z0-9]*\Z")
_JOINED = r"[A-Za-z0-9_]+(?:(?:[./\\:@-]|::)[A-Za-z0-9_]+)*"
_LANGUAGE = r"[A-Za-z]{1,2}(?:\+\+|#)(?![A-Za-z0-9_+#])"
_ASCII_WORDS = re.compile(_JOINED)
_ASCII_WORDS_AND_LANGUAGES = re.compile(f"{_LANGUAGE}|{_JOINED}")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text with its terms: the whole identifier and its parts, the stem and its other spellings."""

    text: str
    terms: tuple[str, ...]
    is_stop: bool = False


@dataclass(frozen=True, slots=True)
class CountedTerms:
    """How often each term occurs in a text, and the number of words that gave them."""

    terms: dict[str, int]
    length: int


def terms(text: str) -> list[str]:
    """Index terms of a text, in order, with repetitions; without stop words, unless there is nothing else."""
    forms = [_form_of(piece) for piece in _pieces(text)]
    kept = [form for form in forms if not form.is_stop] or forms
    return [term for form in kept for term in form.terms]


def counted_terms(text: str) -> CountedTerms:
    """The same terms, counted: each distinct word of the text is looked at once."""
    counts = Counter(_pieces(text))
    forms = [(_form_of(piece), count) for piece, count in counts.items()]
    kept = [(form, count) for form, count in forms if not form.is_stop] or forms
    found: dict[str, int] = {}
    for form, count in kept:
        for term in form.terms:
            found[term] = found.get(term, 0) + count
    return CountedTerms(found, sum(form.words * count for form, count in kept))


def words(text: str) -> tuple[Word, ...]:
    """The words of a question, each with all of its terms, for whoever weighs words and not terms."""
    return tuple(Word(piece, form.terms, form.is_stop) for piece in _pieces(text) if (form := _form_of(piece)).terms)


@dataclass(frozen=True, slots=True)
class _Form:
    terms: tuple[str, ...]
    words: int
    is_stop: bool = False


def _pieces(text: str) -> list[str]:
    """The text cut into words and identifiers, runs of CJK, runs of unspaced scripts, and symbols."""
    if not text.isascii():
        return _all_words().findall(_CLITIC.sub("", _normal("NFKC", text.translate(_ignored()))))
    if "'" in text:
        text = _CLITIC.sub("", text)
    pattern = _ASCII_WORDS_AND_LANGUAGES if "#" in text or "++" in text else _ASCII_WORDS
    return pattern.findall(text)


def _form_of(piece: str) -> _Form:
    """Terms of one piece of text. Only words recur, so only they are remembered; no long ones, which may be hostile."""
    kind = "word" if piece.isascii() else _kind(piece[0])
    if kind == "word":
        return _remembered(piece) if len(piece) <= MAX_TERM_CHARS else _form_of_word(piece)
    if kind == "cjk":
        return _Form((*piece, *map("".join, pairwise(piece))), len(piece))
    return _Form(tuple(_grams(piece)), len(piece))


@lru_cache(maxsize=_MEMO_WORDS)
def _remembered(piece: str) -> _Form:
    return _form_of_word(piece)


def _form_of_word(piece: str) -> _Form:
    if _PLURAL_ACRONYM.match(piece):
        piece = piece[:-1]
    lower = _folded_case(piece)
    if lower in STOP_WORDS:
        return _Form((lower,), 1, is_stop=True)
    if _PLAIN.match(lower) and not _IS_CAMEL.match(piece):
        return _Form((_stemmer()(lower)[:MAX_TERM_CHARS],), 1)
    units = list(dict.fromkeys(_units(piece)))
    found = dict.fromkeys(term[:MAX_TERM_CHARS] for unit in units for term in _spellings(unit))
    for stop in STOP_WORDS.intersection(found) if len(found) > 1 else ():
        del found[stop]
    return _Form(tuple(found), max(1, len(_PARTS.split(piece))))


def _units(piece: str) -> Iterator[str]:
    """An identifier and its parts, as the author spelled them: a/b.c_d gives a/b.c_d, a, b.c_d, b, c_d, c, d."""
    if _is_identifier(piece):
        yield piece
    for separator in ("/", "\\", "::", ":", "@", ".", "-", "_"):
        if separator in piece:
            for part in piece.split(separator):
                if part:
                    yield from _units(part)
            return
    if piece.isascii() and _IS_CAMEL.match(piece):
        yield piece
        yield from _CAMEL.findall(piece)
    elif piece:
        yield piece


def _is_identifier(piece: str) -> bool:
    """Whether it is worth a term as a whole: joined by more than hyphens, or with a digit."""
    stripped = piece.strip("_")
    return any(mark in stripped for mark in "./\\:@_") or ("-" in piece and any(map(str.isdigit, piece)))


def _spellings(unit: str) -> Iterator[str]:
    """The unit's term, then its other spellings."""
    lower = _folded_case(unit)
    plain = _without_diacritics(lower)
    stem = _stemmer() if _PLAIN.match(plain) else str
    yield stem(lower)
    if lower != plain:
        yield stem(plain)
    if (written_out := lower.translate(_UMLAUTS)) != lower:
        yield stem(_without_diacritics(written_out))


def _without_diacritics(lower: str) -> str:
    if lower.isascii():
        return lower
    plain = _DIACRITIC.sub("", _normal("NFD", lower).replace("и\u0306", "\ue000")).translate(_LETTERS)
    return _ascii_digits(_normal("NFC", plain.replace("\ue000", "й")))


def _ascii_digits(text: str) -> str:
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() and not _unknown().match(c) else c for c in text)


def _grams(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for size in (2, 3):
        yield from (run[at : at + size] for at in range(len(run) - size + 1))


# --- frozen Unicode ---------------------------------------------------------------------------------------------------


_KNOWN: set[str] = set(map(chr, range(128)))
_NEW: set[str] = set()
"""Characters that were looked up, by whether Unicode 14 knew them: a class of 700 ranges is slow to match."""


def _normal(form: str, text: str) -> str:
    """Unicode normalisation of what Unicode 14 knew; the rest stays as it is."""
    return _known_parts(lambda part: unicodedata.normalize(form, part), text)  # type: ignore[arg-type]


def _folded_case(text: str) -> str:
    return text.lower() if text.isascii() else _known_parts(str.casefold, text)


def _known_parts(change: Callable[[str], str], text: str) -> str:
    for character in set(text) - _KNOWN - _NEW:
        (_NEW if _unknown().match(character) else _KNOWN).add(character)
    if _NEW.isdisjoint(text):
        return change(text)
    return "".join(part if at % 2 else change(part) for at, part in enumerate(_unknown().split(text)))


def _ranges_of(table: str) -> Iterator[tuple[int, int]]:
    for item in table.split():
        first, _, last = item.partition("-")
        yield int(first, 16), int(last or first, 16)


def _class_of(*tables: str) -> str:
    """The inside of a character class."""
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for table in tables for first, last in _ranges_of(table))


@cache
def _unknown() -> re.Pattern[str]:
    return re.compile(f"([{_class_of(unicode_table.UNKNOWN)}]+)")


@cache
def _ignored() -> dict[int, None]:
    """For `str.translate`: drops joiners, soft hyphens and variation selectors."""
    return {point: None for first, last in _ranges_of(unicode_table.IGNORED) for point in range(first, last + 1)}


@cache
def _all_words() -> re.Pattern[str]:
    word = f"[{_class_of(unicode_table.WORD, unicode_table.UNKNOWN)}_]+"
    symbol, cjk, unspaced = (
        _class_of(table) for table in (unicode_table.SYMBOL, unicode_table.CJK, unicode_table.UNSPACED)
    )
    return re.compile(
        rf"[{symbol}]|[{cjk}]+|[{unspaced}]+|{_LANGUAGE}"
        rf"|{word}(?:(?:[./\\:@-]|::){word})*"
    )


@cache
def _kinds() -> tuple[tuple[str, re.Pattern[str]], ...]:
    tables = {"symbol": unicode_table.SYMBOL, "cjk": unicode_table.CJK, "unspaced": unicode_table.UNSPACED}
    return tuple((kind, re.compile(f"[{_class_of(table)}]")) for kind, table in tables.items())


def _kind(character: str) -> str:
    return next((kind for kind, pattern in _kinds() if pattern.match(character)), "word")


@cache
def _stemmer() -> Callable[[str], str]:
    """The English Snowball stemmer: PyStemmer's where it is installed, else the pure one. They agree by test."""
    import snowballstemmer  # type: ignore[import-untyped]

    stem: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord
    return stem
