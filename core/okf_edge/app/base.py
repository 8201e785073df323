"""Builds the index of a folder's own notes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from okf_edge.app.embedders import embedder_for
from okf_edge.app.home import UNWRITABLE
from okf_edge.app.notes import Notes
from okf_edge.app.ports import Ports
from okf_edge.errors import AlreadyExistsError, NotFoundError, StoreError, UnavailableError
from okf_edge.index.build import BuildOptions, BuildReport, build_index
from okf_edge.index.vector_cache import VectorCache
from okf_edge.ports import Embedder, FileTree
from okf_edge.workspace import layout, texts
from okf_edge.workspace.scan import Scan


@dataclass(frozen=True, slots=True)
class Built:
    """An index that was built: where, what it holds, and with which model (empty: none)."""

    tree: FileTree
    report: BuildReport
    embedder: str
    unread: dict[str, str]


async def build_base(ports: Ports, found: Scan, wanted: str = "") -> Built:
    """Build the index of the notes of a scan, in the folder if it can be written.

    Args: wanted: the model to embed with; empty lets the person's choice decide, else the content.
    Raises: ModelError: the wanted model is not at hand. StoreError: the old index is as it was.
    """
    notes = Notes(ports.tree, found.notes)
    embedder = await embedder_for(ports, wanted, await notes.sample())
    try:
        built = await _build(ports, found, notes, embedder, ports.tree)
    except UnavailableError as error:
        if error.code not in UNWRITABLE:
            raise
        ports.progress.message("the folder can't be written: its index is kept in your cache")
        return await _build(ports, found, notes, embedder, ports.spare())
    await _forget_spare(ports)
    return built


async def _build(ports: Ports, found: Scan, notes: Notes, embedder: Embedder | None, home: FileTree) -> Built:
    options = BuildOptions(
        embedder=embedder,
        cache=VectorCache(home, embedder.spec) if embedder else None,
        files=found.paths,
        progress=ports.progress,
        total=len(notes),
    )
    engine = ports.engine()
    try:
        with suppress(AlreadyExistsError):
            await home.create(layout.IGNORE, texts.IGNORE.encode())
        report = await build_index(notes.pages(), engine, home, layout.INDEX, options)
    finally:
        await engine.close()
    return Built(home, report, embedder.spec.id if embedder else "", notes.unread)


async def _forget_spare(ports: Ports) -> None:
    """Remove an index from the spare place, now that the folder has its own."""
    with suppress(NotFoundError, StoreError):
        await ports.spare().remove(layout.INDEX)
