"""The one place where the worker puts adapters into the ports of the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from okf_edge.app import Okf
from okf_edge.app.ports import Config, Ports
from okf_edge.errors import UnavailableError
from okf_edge.inmemory.embedding import MemoryModels
from okf_edge.inmemory.sql import SqliteSql
from okf_edge.ports import BlobStore, FileTree, SqlEngine
from okf_edge_wasm.bridge import Page
from okf_edge_wasm.files import PageTree
from okf_edge_wasm.http import PageBlobs
from okf_edge_wasm.models import PageModels, Slot
from okf_edge_wasm.safe import SafeTree, index_bundles
from okf_edge_wasm.sql import Database, DuckdbWasmSql
from okf_edge_wasm.system import PageProgress, WorkerClock, WorkerEntropy


@dataclass(frozen=True, slots=True)
class Options:
    """What the page says at the start: `messages.ts` has the same under StartOptions."""

    safe: bool
    folder_name: str
    models: tuple[str, ...]


class Composition:
    """The adapters of one worker; `okf` gives the use cases to one call."""

    def __init__(self, bridge: Any, options: Options) -> None:
        self.page = Page(bridge)
        self.options = options
        self.clock = WorkerClock()
        self.entropy = WorkerEntropy()
        self._slot = Slot(self.page, bridge.encoder, options.models)
        self._database = None if options.safe else Database(bridge.database)
        spare, base = self._tree("spare"), self._tree("base")
        self.spare: FileTree = spare
        self.tree: FileTree = SafeTree(base, spare) if options.safe else base

    def okf(self, call: int, *, by_words: bool = False) -> Okf:
        """Args: by_words: no model is at hand, so that none is loaded, also not for an index that is built first."""
        return Okf(self.ports(call, by_words=by_words), Config(self.options.folder_name))

    def ports(self, call: int, *, by_words: bool = False) -> Ports:
        return Ports(
            tree=self.tree,
            spare=self._spare_place,
            engine=self.engine,
            models=MemoryModels() if by_words or self.options.safe else PageModels(self._slot),
            clock=self.clock,
            entropy=self.entropy,
            progress=PageProgress(self.page, call),
            device=lambda: self._tree("device"),
            open_store=self.open_store,
        )

    async def prepare(self, call: int) -> None:
        """What a question needs first: in safe mode, indexes of words for what was installed."""
        if self.options.safe:
            await index_bundles(self.tree, PageProgress(self.page, call))

    def engine(self) -> SqlEngine:
        return SqliteSql() if self._database is None else DuckdbWasmSql(self._database)

    def open_store(self, address: str) -> BlobStore:
        return PageBlobs(self.page, address)

    def _tree(self, name: Any) -> PageTree:
        return PageTree(self.page, name, self.entropy)

    def _spare_place(self) -> FileTree:
        """Where derived files go when the base can't be written. In safe mode indexes lie there already."""
        if self.options.safe:
            raise UnavailableError("the spare folder holds the indexes of safe mode", code="no-home")
        return self.spare
