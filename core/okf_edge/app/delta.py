"""What changed in a folder since its index was built, indexed in memory; and a new base out of both."""

from __future__ import annotations

from contextlib import suppress

from okf_edge.app.home import UNWRITABLE
from okf_edge.app.ports import Ports
from okf_edge.errors import NotFoundError, StoreError, UnavailableError
from okf_edge.index.build import BuildOptions
from okf_edge.index.files import IndexFile, open_index
from okf_edge.index.fold import can_fold, fold
from okf_edge.index.refresh import Refreshed, delta_alias, refresh
from okf_edge.index.vector_cache import VectorCache
from okf_edge.limits import LIMITS
from okf_edge.ports import Embedder, FileTree, SqlEngine
from okf_edge.workspace import layout
from okf_edge.workspace.scan import Scan


async def delta_of(
    ports: Ports, engine: SqlEngine, base: IndexFile, home: FileTree, found: Scan, with_vectors: bool
) -> Refreshed:
    """Index what changed. New vectors are kept beside the base, or in the spare place when that can't be written."""
    embedder = await _embedder_of(ports, base) if with_vectors else None
    try:
        return await _refresh(ports, engine, base, found, embedder, home)
    except UnavailableError as error:
        if error.code not in UNWRITABLE:
            raise
        with suppress(StoreError):
            await engine.detach(delta_alias(base.alias))
        return await _refresh(ports, engine, base, found, embedder, ports.spare())


async def folded(ports: Ports, engine: SqlEngine, refreshed: Refreshed, home: FileTree) -> IndexFile | None:
    """The new base, attached in place of base and delta, when folding is due and possible; else None.

    Folding only saves time later: where the disk is full or read-only, the answer comes from the delta.
    """
    if not refreshed.changes.is_worth_folding or not can_fold(refreshed):
        return None
    try:
        await fold(engine, refreshed, home, layout.INDEX)
    except StoreError as error:
        ports.progress.message(f"the index could not be renewed: {error.message}")
        return None
    alias = refreshed.base.alias
    for attached in (alias, delta_alias(alias)) if refreshed.delta else (alias,):
        await engine.detach(attached)
    return await open_index(engine, alias, home, layout.INDEX)


async def _refresh(
    ports: Ports, engine: SqlEngine, base: IndexFile, found: Scan, embedder: Embedder | None, kept: FileTree
) -> Refreshed:
    async def read(path: str) -> bytes | None:
        try:
            return await ports.tree.read(path, LIMITS.note_bytes)
        except (NotFoundError, StoreError):
            return None

    options = BuildOptions(
        embedder=embedder, cache=VectorCache(kept, embedder.spec) if embedder else None, files=found.paths
    )
    return await refresh(engine, base, [(note.stat, note.tier) for note in found.notes], read, options)


async def _embedder_of(ports: Ports, base: IndexFile) -> Embedder | None:
    """The very model that the base was built with, when it is at hand."""
    specs = await ports.models.specs()
    at_hand = any((spec.id, spec.digest) == (base.embedder, base.embedder_digest) for spec in specs)
    return await ports.models.embedder(base.embedder) if at_hand else None
