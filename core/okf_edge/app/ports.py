"""What the use cases of one folder ask of the world, and what their host knows about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from okf_edge.ports import Clock, Entropy, FileTree, Models, Progress, SqlEngine


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of one folder.

    `spare` opens where derived files go when the folder itself can't be written, e.g. a place in the user's cache.
    `engine` opens a fresh connection; whoever opens it closes it.
    """

    tree: FileTree
    spare: Callable[[], FileTree]
    engine: Callable[[], SqlEngine]
    models: Models
    clock: Clock
    entropy: Entropy
    progress: Progress


@dataclass(frozen=True, slots=True)
class Config:
    """What a host says about the folder: its name, and the model that its person chose (empty: by content)."""

    folder_name: str
    embedder: str = ""
