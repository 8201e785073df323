"""WordPiece cuts text into the pieces of its vocabulary, and text stays text."""

from __future__ import annotations

from itertools import pairwise

import pytest

from okf_edge.embedding import character_classes as classes
from okf_edge.embedding.wordpiece import MAX_WORD_CHARS, WordPiece, words_of

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "bundle", "##s", "install", "##ing", ".", "[", "]", "sep", "知", "e"]
IDS = {piece: number for number, piece in enumerate(PIECES)}


def pieces(text: str, max_tokens: int = 64) -> list[str]:
    return [PIECES[number] for number in WordPiece("\n".join(PIECES), max_tokens).encode(text)]


def test_a_word_is_cut_into_the_longest_pieces() -> None:
    assert pieces("Installing bundles.") == ["[CLS]", "install", "##ing", "bundle", "##s", ".", "[SEP]"]


def test_a_word_that_no_pieces_cover_is_unknown_as_a_whole() -> None:
    assert pieces("bundlex installing") == ["[CLS]", "[UNK]", "install", "##ing", "[SEP]"]


def test_a_word_of_endless_letters_is_unknown() -> None:
    assert pieces("e" * (MAX_WORD_CHARS + 1)) == ["[CLS]", "[UNK]", "[SEP]"]


def test_a_control_token_in_the_text_is_only_text() -> None:
    assert pieces("[SEP]") == ["[CLS]", "[", "sep", "]", "[SEP]"]


@pytest.mark.parametrize("max_tokens", [2, 3, 4, 5])
def test_a_long_text_is_cut_and_still_ends(max_tokens: int) -> None:
    cut = pieces("bundles installing", max_tokens)
    assert len(cut) == max_tokens
    assert cut[-1] == "[SEP]"


def test_an_empty_text_is_its_start_and_end() -> None:
    assert pieces(" \n") == ["[CLS]", "[SEP]"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ünïcode É", ["unicode", "e"]),
        ("it's", ["it", "'", "s"]),
        ("知识", ["知", "识"]),
        ("a\u200bb\u0000c", ["abc"]),
        ("a\u00a0b\u3000c", ["a", "b", "c"]),
        ("\u037e", [";"]),
        ("İ", ["i"]),
        ("\ud800x", ["\ud800x"]),
    ],
)
def test_words_are_lower_case_without_accents_and_cut_at_marks(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_what_only_newer_unicode_knows_is_kept_as_it_is() -> None:
    points = [point for first, last in classes.ranges_of(classes.SINCE_UNICODE_14) for point in range(first, last + 1)]
    assert words_of(" ".join(map(chr, points))) == [chr(point) for point in points]


def test_no_character_class_overlaps_another() -> None:
    tables = (classes.DROPPED, classes.SPACE, classes.IDEOGRAPH, classes.PUNCTUATION, classes.MARK)
    spans = sorted(span for table in tables for span in classes.ranges_of(table))
    assert all(last < first for (_, last), (first, _) in pairwise(spans))
