"""Step 7, pack: the ranked concepts as the candidates of an answer, each with its evidence and why it is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast
from urllib.parse import quote

from okf_edge.retrieval.answer import Candidate, Tier
from okf_edge.retrieval.evidence import Evidence
from okf_edge.retrieval.fuse import Ranked
from okf_edge.retrieval.gate import outdated, words_of
from okf_edge.retrieval.lexical import Vocabulary
from okf_edge.retrieval.places import Place
from okf_edge.retrieval.visible import visible


def candidate_of(item: Ranked, evidence: Evidence, confidence: float, vocabulary: Vocabulary) -> Candidate:
    """One candidate. What comes from notes is shown without invisible characters; the path is as the host spells it."""
    place = item.hit.place
    return Candidate(
        path=place.path,
        title=visible(place.title),
        heading=visible(place.heading),
        lines=evidence.lines,
        text=evidence.text,
        score=item.score,
        confidence=confidence,
        tier=place.source.tier or cast(Tier, place.tier),
        kb=place.source.kb,
        bundle=place.source.bundle,
        version=place.source.version,
        uri=uri_of(place),
        trust=place.trust,
        fresh=not item.stale,
        why=tuple(_why(item, vocabulary)),
    )


def uri_of(place: Place) -> str:
    """The address of a place: its concept, and the innermost heading where it has one."""
    heading = place.heading.rpartition(" > ")[2]
    return f"{place.source.uri_prefix}{quote(place.name)}" + (f"#{quote(heading)}" if heading else "")


def _why(item: Ranked, vocabulary: Vocabulary) -> Sequence[str]:
    hit = item.hit
    why = [words_of(hit, vocabulary)]
    if hit.cosine is not None and hit.weights:
        why.append(f"meaning: cosine {hit.cosine:.2f}")
    if item.credited_by:
        why.append(f"linked with {item.credited_by}")
    if item.yields:
        why.append(f"{outdated(item)}: ranked below current pages")
    return why
