"""A service of tools over real folders and the real engine, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from okf_edge.app.federation import Federation, Member
from okf_edge.app.ports import Ports
from okf_edge.app.view import seen_by
from okf_edge.errors import InputError
from okf_edge.inmemory.calls import MemoryAuditLog, MemoryLedger
from okf_edge.inmemory.embedding import MemoryModels
from okf_edge.inmemory.progress import RecordedProgress
from okf_edge.inmemory.system import ManualClock, SeededEntropy
from okf_edge.policy.caller import SCOPES, Caller
from okf_edge.policy.pipeline import Guards
from okf_edge.policy.rules import PathRules
from okf_edge.ports import FileTree
from okf_edge.tools.host import Base
from okf_edge.tools.service import Service
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql

KEY = b"k" * 32
OWNER = Caller("owner", frozenset(SCOPES), is_local=True)


@dataclass
class FolderHost:
    """A host of folders of this disk, without a registry."""

    root: Path
    folders: dict[str, Path]
    default: str = ""
    clock: ManualClock = field(default_factory=ManualClock)

    async def bases(self) -> Sequence[Base]:
        return [Base(name, str(path)) for name, path in sorted(self.folders.items())]

    def ports(self, base: Base, caller: Caller) -> Ports:
        whole = Ports(
            tree=DiskTree(base.place),
            spare=lambda: DiskTree(self.root / "spare" / base.name),
            engine=DuckdbSql,
            models=MemoryModels(),
            clock=self.clock,
            entropy=SeededEntropy(),
            progress=RecordedProgress(),
        )
        if not caller.rules:
            return whole
        return seen_by(whole, caller.rules.admits, lambda: DiskTree(self.root / "views" / base.name))

    def searcher(self, bases: Sequence[Base], absent: Mapping[str, str], caller: Caller) -> Federation:
        return Federation([Member(base.name, self.ports(base, caller)) for base in bases], absent)

    def is_single(self, base: Base, path: str) -> bool:
        return (Path(base.place) / path).lstat().st_nlink == 1

    async def make(self, name: str, place: str) -> Base:
        if name in self.folders:
            raise InputError(f"{name} is taken")
        self.folders[name] = Path(place)
        return Base(name, place)

    async def source(self, named: str) -> bytes | FileTree:
        return await DiskTree(self.root).read(named)


def folder_of(root: Path, files: Mapping[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return root


def service_of(host: FolderHost, *, read_only: bool = False) -> Service:
    guards = Guards(MemoryLedger(), MemoryAuditLog(), KEY, host.clock, SeededEntropy("calls"), read_only=read_only)
    return Service(host, guards)


def reader(*, allow: Sequence[str] | None = None, deny: Sequence[str] = (), name: str = "reader") -> Caller:
    rules = PathRules(None if allow is None else tuple(allow), tuple(deny))
    return Caller(name, frozenset({"read", "capture"}), rules=rules)
