"""What the use cases of one folder ask of the world, and what their host knows about it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from okf_edge.errors import UnavailableError
from okf_edge.ports import BlobStore, Clock, Entropy, FileTree, Models, Progress, SqlEngine

if TYPE_CHECKING:
    from okf_edge.retrieval.answer import Answer
    from okf_edge.retrieval.request import SearchRequest


async def content_decides() -> str:
    """No model is preferred."""
    return ""


def no_device() -> FileTree:
    """Nothing is kept on this device."""
    raise UnavailableError("there is no place for what this device trusts", code="no-home")


def no_stores(address: str) -> BlobStore:
    """No feed can be reached."""
    raise UnavailableError(f"feeds can't be reached from here: {address}")


def everything(path: str) -> bool:
    """Nothing is hidden."""
    return True


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of one folder.

    `spare` opens where derived files go when the folder itself can't be written, e.g. a place in the user's cache.
    `engine` opens a fresh connection; whoever opens it closes it. `preferred` tells the model that the person chose for
    new indexes, empty when the content decides. `device` opens what this device alone keeps: which feeds it trusts;
    `open_store` opens the store behind a feed's address. `sees` tells of a path whether it may be shown: `tree` shows
    no other. Who reads or indexes pages takes the `turn`, so that in one process each page is read once.
    """

    tree: FileTree
    spare: Callable[[], FileTree]
    engine: Callable[[], SqlEngine]
    models: Models
    clock: Clock
    entropy: Entropy
    progress: Progress
    preferred: Callable[[], Awaitable[str]] = content_decides
    device: Callable[[], FileTree] = no_device
    open_store: Callable[[str], BlobStore] = no_stores
    sees: Callable[[str], bool] = everything
    turn: asyncio.Lock = field(default_factory=asyncio.Lock, compare=False)


class Searcher(Protocol):
    """Answers questions over what it was made for: in this process, or in another that holds the indexes."""

    async def search(self, request: SearchRequest) -> Answer:
        """Raises: OkfError: what asking in this process would raise. UnavailableError: no answer came in time."""


@dataclass(frozen=True, slots=True)
class Config:
    """What a host says about the folder: the name that it goes by until it is a knowledge base."""

    folder_name: str
