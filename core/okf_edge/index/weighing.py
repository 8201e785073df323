"""How heavily a term counts in a chunk: BM25F with constants in place of a corpus's averages, as a byte.

The constants belong to PIPELINE_ID. Because no corpus enters, chunks of any indexes can be ranked together, and a part
of a corpus ranks like the whole.

Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, section 3.6.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from okf_edge.index.chunks import Chunk
from okf_edge.index.tokens import counted_terms

K1 = 1.2
WEIGHT_SCALE = 255


@dataclass(frozen=True, slots=True)
class Field:
    """`boost` multiplies the term frequency, `b` says how far length counts against `usual_words`."""

    boost: float
    b: float
    usual_words: float


TITLE = Field(boost=2.0, b=0.3, usual_words=6)
TAGS = Field(boost=1.5, b=0.0, usual_words=4)
HEADINGS = Field(boost=1.0, b=0.3, usual_words=6)
DESCRIPTION = Field(boost=1.5, b=0.5, usual_words=16)
BODY = Field(boost=1.0, b=0.6, usual_words=90)


def weights_of(chunk: Chunk) -> dict[str, int]:
    """The weight of every term of a chunk, from 1 to WEIGHT_SCALE."""
    frequency: dict[str, float] = {}
    for field, text in _fields(chunk):
        counted = counted_terms(text)
        part = field.boost / (1 - field.b + field.b * counted.length / field.usual_words)
        for term, count in counted.terms.items():
            frequency[term] = frequency.get(term, 0.0) + part * count
    return {term: round(WEIGHT_SCALE * tf / (K1 + tf)) or 1 for term, tf in frequency.items()}


def _fields(chunk: Chunk) -> Iterator[tuple[Field, str]]:
    yield BODY, chunk.body
    yield TITLE, "\n".join((chunk.title, *chunk.aliases))
    if chunk.heading or chunk.headings:
        yield HEADINGS, "\n".join(dict.fromkeys((*chunk.heading, *chunk.headings)))
    if chunk.tags:
        yield TAGS, "\n".join(chunk.tags)
    if chunk.description:
        yield DESCRIPTION, chunk.description
