"""The question as a vector, once for each embedder that the sources were built with and that is at hand."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from okf_edge.errors import ModelError
from okf_edge.ports import EmbedderSpec, Models
from okf_edge.retrieval.source import Source

Identity = tuple[str, str]
"""Id and digest of an embedder: vectors of equal identity can be compared, others never."""


@dataclass(frozen=True, slots=True)
class Question:
    """The question's vector in one embedder's space."""

    spec: EmbedderSpec
    vector: array[float]


@dataclass(frozen=True, slots=True)
class Questions:
    """The question by identity of the embedder, and why a source can't be searched by meaning."""

    by_identity: dict[Identity, Question]
    notes: tuple[str, ...] = ()

    def of(self, source: Source) -> Question | None:
        return self.by_identity.get(identity_of(source))


def identity_of(source: Source) -> Identity:
    return (source.embedder, source.embedder_digest)


async def questions_of(models: Models, sources: Sequence[Source], text: str) -> Questions:
    """The question embedded for every source that can be; what can't be done is said in notes, each once."""
    at_hand = {(spec.id, spec.digest): spec for spec in await models.specs()}
    embedded: dict[Identity, Question] = {}
    notes: list[str] = []
    for identity in dict.fromkeys(map(identity_of, sources)):
        if identity not in at_hand:
            notes.append(_why_not(identity, {spec.id for spec in at_hand.values()}))
            continue
        try:
            vector = await (await models.embedder(identity[0])).embed([text], "query")
            embedded[identity] = Question(at_hand[identity], vector)
        except ModelError as error:
            notes.append(f"searched by words alone: {error.message}")
    return Questions(embedded, tuple(notes))


def _why_not(identity: Identity, known: set[str]) -> str:
    model, _ = identity
    if not model:
        return "searched by words alone: the index has no vectors"
    if model in known:
        return f"searched by words alone: the index was built with another version of the model {model}"
    return f"searched by words alone: the model {model} is not at hand (`okf model build {model}`)"
