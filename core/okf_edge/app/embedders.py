"""Which of the models at hand suits some text: the one made for its scripts, and among several the smallest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from okf_edge.app.ports import Ports
from okf_edge.ports import Embedder, EmbedderSpec
from okf_edge.retrieval.scripts import shares_of

ENOUGH = 0.5
"""A model that reads less of the text than this gives vectors of noise: words alone are better."""

HARDLY_BETTER = 0.05
"""Another script's names and terms do not call for a model that reads it; a twentieth of the text does."""


async def embedder_for(ports: Ports, wanted: str, sample: Iterable[str]) -> Embedder | None:
    """The wanted model, else the preferred one if it is at hand, else the one that suits the sample, else None.

    Raises: ModelError: the wanted model is unknown or not at hand.
    """
    models = ports.models
    if wanted:
        return await models.embedder(wanted)
    at_hand = await models.specs()
    preferred = await ports.preferred() if at_hand else ""
    chosen = preferred if preferred in {spec.id for spec in at_hand} else suited(at_hand, shares_of("\n".join(sample)))
    return await models.embedder(chosen) if chosen else None


def suited(specs: Sequence[EmbedderSpec], shares: dict[str, float]) -> str:
    """The id of the model for text with these shares of scripts; empty when none of them reads enough of it."""
    read = {spec.id: sum(shares.get(script, 0.0) for script in spec.scripts) for spec in specs}
    best = max(read.values(), default=0.0)
    if best < ENOUGH:
        return ""
    good = [spec for spec in specs if read[spec.id] >= best - HARDLY_BETTER]
    return min(good, key=lambda spec: (len(spec.scripts), spec.id)).id
