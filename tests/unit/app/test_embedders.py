"""The content picks the model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from okf_edge.app.embedders import suited
from okf_edge.inmemory.embedding import HASHED_SPEC

ENGLISH = replace(HASHED_SPEC, id="english", scripts=("Latin",))
MANY = replace(HASHED_SPEC, id="many", scripts=("Latin", "Han", "Kana"))


@pytest.mark.parametrize(
    ("shares", "model"),
    [
        ({"Latin": 1.0}, "english"),
        ({"Latin": 0.97, "Han": 0.03}, "english"),
        ({"Latin": 0.9, "Han": 0.1}, "many"),
        ({"Han": 1.0}, "many"),
        ({"Latin": 0.6, "Cyrillic": 0.4}, "english"),
        ({"Cyrillic": 1.0}, ""),
        ({}, ""),
    ],
)
def test_the_smallest_model_that_reads_the_content_is_picked(shares, model):
    assert suited([MANY, ENGLISH], shares) == model


def test_a_model_that_reads_most_is_better_than_none():
    assert suited([ENGLISH], {"Latin": 0.7, "Han": 0.3}) == "english"
    assert suited([ENGLISH], {"Latin": 0.3, "Han": 0.7}) == ""
    assert suited([], {"Latin": 1.0}) == ""
