"""Where what reports keep of pages lies: in the folder, or in the spare place when the folder can't be written."""

from __future__ import annotations

from contextlib import suppress

from okf_edge.app.home import UNWRITABLE
from okf_edge.app.ports import Ports
from okf_edge.errors import AlreadyExistsError, NotFoundError, UnavailableError
from okf_edge.workspace import layout, texts


class Cache:
    """Reads and writes derived files of a folder."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    async def read(self, path: str, max_bytes: int | None = None) -> bytes:
        try:
            return await self._ports.tree.read(path, max_bytes)
        except NotFoundError:
            return await self._ports.spare().read(path, max_bytes)

    async def write(self, path: str, data: bytes) -> None:
        try:
            with suppress(AlreadyExistsError):
                await self._ports.tree.create(layout.IGNORE, texts.IGNORE.encode())
            await self._ports.tree.write(path, data)
        except UnavailableError as error:
            if error.code not in UNWRITABLE:
                raise
            await self._ports.spare().write(path, data)
