"""The one place where native shells put adapters into the ports of the core.

Rules:
1. Nothing heavy is imported, opened or created before a use case asks for it.
2. A process without a home directory still answers; only what must be kept in a home fails, and says so.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from okf_edge.app import Okf
from okf_edge.app.ports import Config, Ports
from okf_edge.errors import InputError, ModelError, NotFoundError, OkfError, UnavailableError
from okf_edge.feed.names import SERVED
from okf_edge.ports import Audience, BlobStore, Embedder, EmbedderSpec, FileTree, Models, Progress, SqlEngine
from okf_edge.workspace.layout import MARKERS
from okf_edge_native.disk import DiskTree
from okf_edge_native.github import GITHUB
from okf_edge_native.places import cache_place, state_place
from okf_edge_native.progress import SilentProgress, progress_for
from okf_edge_native.system import SystemClock, SystemEntropy

if TYPE_CHECKING:
    from okf_edge.app.federation import Member
    from okf_edge_native.models.shelf import ModelShelf


def okf_of(folder: str | None, *, quiet: bool = False) -> Okf:
    """The use cases of a folder.

    Args: folder: None is the nearest knowledge base at or above the current folder, else the current folder.
        quiet: tell nobody about progress.
    Raises: NotFoundError: there is no such folder. InputError: it is no folder.
    """
    root = nearest_base(current_folder()) if folder is None else existing_folder(folder)
    return Okf(ports_of(root, quiet), Config(folder_name=shown_name(root)))


async def members(*, quiet: bool = False) -> tuple[list[Member], dict[str, str]]:
    """Every registered knowledge base that can be asked, and why the others can't, by name."""
    from okf_edge.app.federation import Member
    from okf_edge_native import bases

    found = await bases.registered()
    absent = {each.name: bases.REASONS[each.state] for each in found if each.state != "ok"}
    return [Member(each.name, ports_of(each.path, quiet)) for each in found if each.state == "ok"], absent


def ports_of(root: str, quiet: bool) -> Ports:
    """The adapters of one folder, by its absolute path."""
    return Ports(
        tree=DiskTree(root),
        spare=spare_place(root),
        engine=_engine,
        models=models(),
        preferred=_preferred,
        device=device_place,
        open_store=open_store,
        clock=SystemClock(),
        entropy=SystemEntropy(),
        progress=progress(quiet),
    )


def shown_name(root: str) -> str:
    """The name of a folder as text, whatever its bytes are."""
    return os.fsencode(os.path.basename(root) or root).decode(errors="replace")


def nearest_base(start: str) -> str:
    """The nearest knowledge base at or above a folder, else the folder itself."""
    folder = start
    while True:
        if any(os.path.exists(f"{folder}/{marker}") for marker in MARKERS):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return start
        folder = parent


def current_folder() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        raise NotFoundError(
            "the current folder does not exist any more", code="no-folder", hint="Change to another, or pass --dir."
        ) from error


def existing_folder(folder: str) -> str:
    """The absolute, real path of a folder. Raises NotFoundError, InputError."""
    root = os.path.realpath(folder)
    if os.path.isdir(root):
        return root
    if os.path.exists(root):
        raise InputError(f"expected a folder, found a file: {folder}", code="no-folder", hint="Name its folder.")
    raise NotFoundError(f"no folder at {folder}", code="no-folder", hint="Check the path; okf does not make folders.")


def spare_place(root: str) -> Callable[[], FileTree]:
    """Where derived files of a folder go that can't be written: in the user's cache, keyed by its real path."""
    key = sha256(os.fsencode(root)).hexdigest()[:24]
    return lambda: DiskTree(f"{cache_place()}/folders/{key}")


def device_place() -> FileTree:
    """Where this device keeps what it trusts. Raises UnavailableError: there is no home."""
    return DiskTree(state_place())


def open_store(address: str) -> BlobStore:
    """The store of a feed: `s3://bucket/prefix`, `github:owner/repository`, a URL (read only, unless a service's), or a
    folder."""
    if address.startswith(GITHUB):
        from okf_edge_native.github.blobs import GithubBlobs

        return GithubBlobs(address)
    if address.startswith("s3://"):
        from okf_edge_native.s3 import S3Blobs

        return S3Blobs(address)
    if is_web(address) and address.endswith(SERVED):
        from okf_edge_native.service import Service, ServiceBlobs

        return ServiceBlobs(Service(address.removesuffix(SERVED)))
    if is_web(address):
        from okf_edge_native.http import HttpBlobs

        return HttpBlobs(address)
    from okf_edge_native.blobs import DiskBlobs

    return DiskBlobs(address)


def store_address(text: str) -> str:
    """A feed's address as it is kept: a folder by its absolute path, anything else as it was given."""
    return text if "://" in text or text.startswith(GITHUB) else os.path.abspath(text)


def service_store(url: str, accepted: Mapping[str, str]) -> BlobStore:
    """The feed of a service, to publish to. Args: accepted: risks that may leave. Raises InputError: no such URL."""
    from okf_edge_native.remotes import address_of
    from okf_edge_native.service import Service, ServiceBlobs

    return ServiceBlobs(Service(address_of(url)), accepted)


async def prepare_store(store: BlobStore) -> None:
    """Make the place of a new feed where there is none yet."""
    make: Callable[[], Awaitable[None]] | None = getattr(store, "prepare", None)
    if make:
        await make()


async def audience_of(store: BlobStore) -> Audience:
    """Who can read what is published to a store: looked up where the store can be asked."""
    ask: Callable[[], Awaitable[Audience]] | None = getattr(store, "audience", None)
    return await ask() if ask else "unknown"


async def feed_address(text: str) -> str:
    """The address of the feed that a URL means: itself, or the feed of the service there."""
    from okf_edge.feed.client import first_pin
    from okf_edge_native.remotes import address_of, at

    if not is_web(text):
        return store_address(text)
    known = await at(text.rstrip("/"))
    if known:
        return f"{known.url}{SERVED}"
    try:
        await first_pin(open_store(text))
    except NotFoundError:
        return f"{address_of(text)}{SERVED}"
    return text


def is_web(address: str) -> bool:
    return address.startswith(("http://", "https://"))


def progress(quiet: bool) -> Progress:
    return SilentProgress() if quiet else progress_for(sys.stderr)


def models() -> Models:
    """The models in the user's cache; none at hand when there is no home to look in."""
    try:
        return shelf()
    except UnavailableError as error:
        return NoModels(error)


def shelf() -> ModelShelf:
    """The shelf of models in the user's cache. Raises UnavailableError: there is no home."""
    from okf_edge_native.models.shelf import ModelShelf

    return ModelShelf(Path(cache_place()) / "models")


class NoModels:
    """The `Models` of a process that has no place for any."""

    def __init__(self, reason: OkfError) -> None:
        self._reason = reason

    async def specs(self) -> Sequence[EmbedderSpec]:
        return ()

    async def embedder(self, model_id: str) -> Embedder:
        reason = self._reason
        raise ModelError(f"no model is at hand: {reason.message}", code="model-absent", hint=reason.hint) from reason


async def _preferred() -> str:
    from okf_edge_native.preferences import read_preferences

    return (await read_preferences()).embedder


def _engine() -> SqlEngine:
    from okf_edge_native.duckdb_engine import DuckdbSql

    return DuckdbSql()
