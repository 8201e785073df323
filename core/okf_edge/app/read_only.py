"""The verbs of a `FileTree` that write, for trees that refuse them all."""

from __future__ import annotations

from typing import ClassVar, NoReturn

from okf_edge.errors import UnavailableError


class ReadOnly:
    """Every verb that writes raises UnavailableError, `permission-denied`, with the sentence `refusal`."""

    __slots__ = ()
    refusal: ClassVar[str]

    async def write(self, path: str, data: bytes) -> None:
        self._refuse()

    async def create(self, path: str, data: bytes) -> None:
        self._refuse()

    async def rename(self, old: str, new: str) -> None:
        self._refuse()

    async def replace(self, old: str, new: str) -> None:
        self._refuse()

    async def exchange(self, one: str, other: str) -> bool:
        self._refuse()

    async def remove(self, path: str) -> None:
        self._refuse()

    async def stage(self) -> str:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise UnavailableError(self.refusal, code="permission-denied")
