"""What the use cases of one folder ask of the world, and what their host knows about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from okf_edge.ports import Clock, Entropy, FileTree, Models, Progress, SqlEngine


async def content_decides() -> str:
    """No model is preferred."""
    return ""


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of one folder.

    `spare` opens where derived files go when the folder itself can't be written, e.g. a place in the user's cache.
    `engine` opens a fresh connection; whoever opens it closes it. `preferred` tells the model that the person chose for
    new indexes, empty when the content decides.
    """

    tree: FileTree
    spare: Callable[[], FileTree]
    engine: Callable[[], SqlEngine]
    models: Models
    clock: Clock
    entropy: Entropy
    progress: Progress
    preferred: Callable[[], Awaitable[str]] = content_decides


@dataclass(frozen=True, slots=True)
class Config:
    """What a host says about the folder: the name that it goes by until it is a knowledge base."""

    folder_name: str
