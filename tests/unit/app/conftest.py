"""`Okf` over ports in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from okf_edge.app import Config, Okf, Ports
from okf_edge.errors import UnavailableError
from okf_edge.inmemory.embedding import MemoryModels
from okf_edge.inmemory.files import MemoryTree
from okf_edge.inmemory.progress import RecordedProgress
from okf_edge.inmemory.sql import SqliteSql
from okf_edge.inmemory.system import ManualClock, SeededEntropy
from okf_edge.ports import FileTree, Models


class ReadOnlyTree(MemoryTree):
    """A tree on a disk that refuses every write with one code."""

    code = "read-only"

    async def write(self, path: str, data: bytes) -> None:
        raise UnavailableError("the disk is read-only", code=self.code)

    async def create(self, path: str, data: bytes) -> None:
        raise UnavailableError("the disk is read-only", code=self.code)

    async def stage(self) -> str:
        raise UnavailableError("the disk is read-only", code=self.code)


class FullTree(ReadOnlyTree):
    code = "disk-full"


@dataclass
class World:
    """The ports of one folder, in memory."""

    tree: MemoryTree
    spare: MemoryTree | None = field(default_factory=MemoryTree)
    models: Models = field(default_factory=MemoryModels)
    progress: RecordedProgress = field(default_factory=RecordedProgress)
    preferred: str = ""

    @property
    def okf(self) -> Okf:
        return Okf(self.ports, Config("notes"))

    @property
    def ports(self) -> Ports:
        return Ports(
            tree=self.tree,
            spare=self._spare,
            engine=SqliteSql,
            models=self.models,
            preferred=self._preferred,
            clock=ManualClock(),
            entropy=SeededEntropy(),
            progress=self.progress,
        )

    async def _preferred(self) -> str:
        return self.preferred

    def _spare(self) -> FileTree:
        if self.spare is None:
            raise UnavailableError("no home directory is known", code="no-home")
        return self.spare


NOTES = {
    "orchard/pears.md": "# Russet pears\n\nThe russet pears ripen in October.\n\n## Storage\n\nIn a cellar.\n",
    "bees.md": "# Hives\n\nSix hives stand behind the barn.\n",
    "entities/weir.md": "# Weir\n\nThe sluice of the weir opens at dawn.\n",
}


@pytest.fixture
def world() -> World:
    return World(MemoryTree(NOTES))
