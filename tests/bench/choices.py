"""The defaults that were chosen, what else each could be, and the pipeline without each step.

`choosing` measures them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from okf_edge.index import chunks, tokens, weighing
from okf_edge.retrieval import calibration, dense, fuse, graph, lexical, plan

HARD = "hard"
"""The hard set: of it, whether the page that answers is among the first ten."""

Patch = tuple[ModuleType, str, Any]
"""A constant of the product, and what it is instead."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What could be otherwise. The first of `values` is the default; `indexed` is what is decided at indexing."""

    name: str
    sets: tuple[str, ...]
    values: Mapping[str, tuple[Patch, ...]]
    indexed: bool = False


def _weights(*weights: float) -> dict[str, tuple[Patch, ...]]:
    known = calibration.MODELS
    return {
        f"{weight:g}": ((calibration, "MODELS", {name: replace(one, weight=weight) for name, one in known.items()}),)
        for weight in weights
    }


def _body(**changes: float) -> Patch:
    return (weighing, "BODY", replace(weighing.BODY, **changes))


def _title(boost: float) -> Patch:
    return (weighing, "TITLE", replace(weighing.TITLE, boost=boost))


ENGLISH, CHINESE = ("cranfield", "scifact"), ("xquad_zh", "xquad_zh2en")
CHOICES = (
    Choice("weight of meaning", (*ENGLISH, *CHINESE), _weights(0.4, 0.2, 0.3, 0.5)),
    Choice(
        "credit over links",
        ("pulseboard", HARD),
        {"0.2": ()}
        | {
            f"{credit:g}": ((graph, "LINK_CREDIT", credit), (graph, "CITATION_CREDIT", credit * 1.5))
            for credit in (0.0, 0.1, 0.3)
        },
    ),
    Choice(
        "presumed of another script",
        ("xquad_zh2en", HARD),
        {"0.3": ()} | {f"{share:g}": ((fuse, "PRESUMED_SHARE", share),) for share in (0.0, 0.5)},
    ),
    Choice(
        "chunks that the model's reference values count for",
        ("pulseboard", *CHINESE),
        {"100": ()} | {str(count): ((dense, "REFERENCE_CHUNKS", count),) for count in (0, 400)},
    ),
    Choice(
        "terms of a run of characters",
        ("xquad_zh",),
        {
            "pairs": (),
            "characters and pairs": ((plan, "_telling", lambda word: word.terms),),
            "characters": ((plan, "_telling", lambda word: [term for term in word.terms if len(term) == 1]),),
        },
    ),
    Choice("pairs that only ask count", ("xquad_zh",), {"0.3": (), "1": ((plan, "FUNCTION_WEIGHT", 1.0),)}),
    Choice("words that a part of a compound stands for", ENGLISH, {"8": (), "0": ((lexical, "COMPOUNDS", 0),)}),
    Choice(
        "k1",
        (*ENGLISH, "xquad_zh"),
        {"1.2": (), "0.9": ((weighing, "K1", 0.9),), "1.6": ((weighing, "K1", 1.6),)},
        indexed=True,
    ),
    Choice("b", (*ENGLISH, "xquad_zh"), {"0.6": (), "0.4": (_body(b=0.4),), "0.8": (_body(b=0.8),)}, indexed=True),
    Choice("times that a title counts", ENGLISH, {"2": (), "1": (_title(1.0),), "4": (_title(4.0),)}, indexed=True),
    Choice("stems", ENGLISH, {"English": (), "none": ((tokens, "_stemmer", lambda: str),)}, indexed=True),
    Choice("stop words", ENGLISH, {"left out": (), "kept": ((tokens, "STOP_WORDS", frozenset()),)}, indexed=True),
    Choice(
        "title and headings before an embedded text",
        ("cranfield", HARD),
        {"yes": (), "no": ((chunks, "_context", lambda title, heading: ""),)},
        indexed=True,
    ),
    Choice(
        "tokens of a chunk",
        ("cranfield", HARD),
        {"224": (), "112": ((chunks, "MAX_TOKENS", 112),), "160": ((chunks, "MAX_TOKENS", 160),)},
        indexed=True,
    ),
)


@contextmanager
def with_value(patches: Sequence[Patch]) -> Iterator[None]:
    """Within it the product has other constants."""
    kept = [(module, name, getattr(module, name)) for module, name, _ in patches]
    for module, name, value in patches:
        setattr(module, name, value)
    tokens._remembered.cache_clear()
    try:
        yield
    finally:
        for module, name, value in kept:
            setattr(module, name, value)
        tokens._remembered.cache_clear()
