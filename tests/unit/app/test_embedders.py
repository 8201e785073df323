"""The content picks the model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from okf_edge.app.embedders import embedder_for, suited
from okf_edge.inmemory.embedding import HASHED_SPEC, HashedEmbedder, MemoryModels

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


async def test_a_wanted_model_wins_over_a_preferred_one_and_that_over_the_content(world):
    english, many = HashedEmbedder(ENGLISH), HashedEmbedder(MANY)
    world.models = MemoryModels(english, many)

    async def chosen(wanted: str = "") -> str:
        embedder = await embedder_for(world.ports, wanted, ["plain English text"])
        return embedder.spec.id if embedder else ""

    assert await chosen() == "english"
    world.preferred = "many"
    assert await chosen() == "many"
    assert await chosen("english") == "english"


async def test_a_preferred_model_that_is_not_at_hand_leaves_it_to_the_content(world):
    world.models = MemoryModels(HashedEmbedder(ENGLISH))
    world.preferred = "many"
    embedder = await embedder_for(world.ports, "", ["plain English text"])
    assert embedder is not None
    assert embedder.spec.id == "english"
