"""Unigram cuts text into its likeliest pieces, and text stays text."""

from __future__ import annotations

from array import array

import pytest

from okf_edge.embedding import character_classes as classes
from okf_edge.embedding.unigram import Unigram

SCORES = {
    "<s>": 0.0,
    "<pad>": 0.0,
    "</s>": 0.0,
    "<unk>": 0.0,
    "▁": -3.0,
    "▁know": -5.0,
    "ledge": -5.0,
    "▁knowledge": -8.0,
    "知": -6.0,
    "识": -6.0,
    "知识": -7.0,
    "é": -6.0,
    "~": -6.0,
    "<": -4.0,
    "/": -4.0,
    "s": -4.0,
    ">": -4.0,
}
PIECES = list(SCORES)
NORMALISER = "a 20\nff5e 7e\nb"


def pieces(text: str, max_tokens: int = 64) -> list[str]:
    unigram = Unigram("\n".join(PIECES), array("f", SCORES.values()), NORMALISER, max_tokens)
    return [PIECES[number] for number in unigram.encode(text)]


def test_the_likeliest_way_to_cut_a_word_wins() -> None:
    assert pieces("knowledge") == ["<s>", "▁knowledge", "</s>"]


def test_a_run_without_spaces_is_cut_too() -> None:
    assert pieces("知识识") == ["<s>", "▁", "知识", "识", "</s>"]


def test_a_run_of_unknown_characters_is_one_unknown_token() -> None:
    assert pieces("知ЖЖ知") == ["<s>", "▁", "知", "<unk>", "知", "</s>"]


def test_a_control_token_in_the_text_is_only_text() -> None:
    assert pieces("</s>") == ["<s>", "▁", "<", "/", "s", ">", "</s>"]


def test_text_is_normalised_as_in_training() -> None:
    assert pieces("know\nledge～") == ["<s>", "▁know", "▁", "ledge", "~", "</s>"]


def test_a_letter_and_its_accent_are_one_letter() -> None:
    assert pieces("e\u0301") == pieces("é") == ["<s>", "▁", "é", "</s>"]


@pytest.mark.parametrize("max_tokens", [2, 3, 4])
def test_a_long_text_is_cut_and_still_ends(max_tokens: int) -> None:
    cut = pieces("knowledge " * 9, max_tokens)
    assert len(cut) == max_tokens
    assert cut[-1] == "</s>"


def test_an_empty_text_is_its_start_and_end() -> None:
    assert pieces("") == ["<s>", "</s>"]


def test_what_only_newer_unicode_knows_is_unknown() -> None:
    points = [point for first, last in classes.ranges_of(classes.SINCE_UNICODE_14) for point in range(first, last + 1)]
    assert all(pieces(f"知{chr(point)}知")[3] == "<unk>" for point in points)
