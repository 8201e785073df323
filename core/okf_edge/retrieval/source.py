"""One attached index as a query sees it. Any number of them are searched as one corpus."""

from __future__ import annotations

from dataclasses import dataclass

from okf_edge.ports import FileTree
from okf_edge.retrieval.answer import Tier


@dataclass(frozen=True, slots=True)
class Source:
    """An index file or an in-memory delta, attached to the engine, with the tree that holds its concepts' files.

    `alias` names it in SQL. `chunks` counts its chunks, masked ones included. `path_prefix` goes before every concept
    path, e.g. `Library/acme.ops/`, so that the result opens in `tree`. `tier` is None where each concept has its own.
    `masked` are the numbers of concepts that changed or went away since: they are as if they had never been indexed.
    `relinked` are the paths, within the indexed thing, of concepts whose links another source tells.
    `embedder` and `embedder_digest` are empty for an index without vectors; `coarse` says that its vectors have cells.
    """

    alias: str
    tree: FileTree
    chunks: int
    path_prefix: str = ""
    tier: Tier | None = None
    kb: str = ""
    bundle: str = ""
    version: str = ""
    uri_prefix: str = "okf://"
    masked: frozenset[int] = frozenset()
    relinked: frozenset[str] = frozenset()
    embedder: str = ""
    embedder_digest: str = ""
    dims: int = 0
    coarse: bool = False
