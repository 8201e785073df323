"""The contracts of Embedder and Models over the reference adapters."""

from __future__ import annotations

import pytest

from okf_edge.contracts import EmbedderContract, ModelsContract, clauses
from okf_edge.inmemory import HashedEmbedder, MemoryModels


@pytest.mark.parametrize("clause", clauses(EmbedderContract))
async def test_the_embedder_contract_is_kept(clause: str) -> None:
    await getattr(EmbedderContract(), clause)(HashedEmbedder())


@pytest.mark.parametrize("clause", clauses(ModelsContract))
async def test_the_models_contract_is_kept(clause: str) -> None:
    await getattr(ModelsContract(), clause)(MemoryModels(HashedEmbedder()))
