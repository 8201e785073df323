"""A directory as a `BlobStore`: what a feed on a shared disk, or a copy of a registry, is."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from okf_edge.errors import AlreadyExistsError, NotFoundError, PreconditionError
from okf_edge.paths import require_relative
from okf_edge.ports import Blob, BlobStat
from okf_edge_native.disk import DiskTree
from okf_edge_native.failures import port_errors
from okf_edge_native.locks import locked

LOCK = ".okf-lock"


class DiskBlobs:
    """Blobs below one directory. A version is the sha256 of the bytes.

    Writers of one machine exclude each other by a lock that the system drops when its holder dies. On a network disk
    that keeps no locks a store has one writer.
    """

    def __init__(self, root: str | Path) -> None:
        self._tree = DiskTree(root)

    async def get(self, key: str, max_bytes: int) -> Blob:
        data = await self._tree.read(key, max_bytes)
        return Blob(data, _version(data))

    async def head(self, key: str) -> BlobStat:
        data = await self._tree.read(key)
        return BlobStat(key, len(data), _version(data))

    async def list(self, prefix: str) -> Sequence[BlobStat]:
        try:
            entries = await self._tree.list(lambda directory: _may_hold(directory, prefix))
        except NotFoundError:  # a store that nobody wrote to yet
            return []
        return [
            await self.head(entry.path)
            for entry in entries
            if entry.kind == "file" and entry.path.startswith(prefix) and entry.path != LOCK
        ]

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        require_relative(key)
        with self._locked():
            found = await self._version_of(key)
            if found != if_version:
                raise PreconditionError(
                    f"expected version {if_version or 'none'} of {key!r}, found {found or 'none'}",
                    hint="Somebody else wrote first: read again and decide anew.",
                )
            await self._write(key, data, is_new=found is None)
        return _version(data)

    async def _version_of(self, key: str) -> str | None:
        try:
            return (await self.head(key)).version
        except NotFoundError:
            return None

    async def _write(self, key: str, data: bytes, *, is_new: bool) -> None:
        try:
            await (self._tree.create(key, data) if is_new else self._tree.write(key, data))
        except AlreadyExistsError as error:
            raise PreconditionError(f"expected no blob at {key!r}, found one", hint=error.hint) from error

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with port_errors(LOCK):
            os.makedirs(self._tree.root, exist_ok=True)
            with locked(f"{self._tree.root}/{LOCK}", 0o666):
                yield


def _may_hold(directory: str, prefix: str) -> bool:
    return f"{directory}/".startswith(prefix) or prefix.startswith(f"{directory}/")


def _version(data: bytes) -> str:
    return sha256(data).hexdigest()
