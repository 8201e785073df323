"""The knowledge bases of the service as tools see them: each is what one creator published and did not withdraw."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from okf_edge.app.ports import Ports
from okf_edge.app.view import seen_by
from okf_edge.errors import InputError, NotFoundError, UnavailableError
from okf_edge.feed.release import Release
from okf_edge.inmemory.files import MemoryTree
from okf_edge.policy.caller import Caller
from okf_edge.ports import BlobStore, FileTree, Models, SqlEngine
from okf_edge.tools.host import Base
from okf_edge_lambda.believed import Believed, newest
from okf_edge_lambda.searching import Invoked, RemoteSearcher, member_of
from okf_edge_lambda.served import ServedBundle, read_served
from okf_edge_lambda.shelf import Shelf
from okf_edge_lambda.tree import ServedTree
from okf_edge_native.compose import NoModels
from okf_edge_native.progress import SilentProgress
from okf_edge_native.system import SystemClock, SystemEntropy

_NOT_HERE = UnavailableError("questions are answered by the function `search`", code="no-engine")

REMEMBERED_COUNT = 2_000
"""Contents of bundles kept in memory: some 10 KB each."""


class Library:
    """The served bundles by digest of their archive, remembered: what lies under a digest never changes."""

    def __init__(self, store: BlobStore) -> None:
        self._store = store
        self._kept: OrderedDict[str, ServedBundle] = OrderedDict()

    async def bundle(self, archive_sha256: str) -> ServedBundle:
        """Raises NotFoundError: it is not served yet."""
        found = self._kept.get(archive_sha256)
        if found is None:
            found = self._kept[archive_sha256] = await read_served(self._store, archive_sha256)
        self._kept.move_to_end(archive_sha256)
        if len(self._kept) > REMEMBERED_COUNT:
            self._kept.popitem(last=False)
        return found


@dataclass(frozen=True, slots=True)
class ServiceHost:
    """A `Host` whose bases are creators. `inbox` opens where notes for a creator are captured, if anywhere."""

    believed: Believed
    library: Library
    shelf: Shelf
    invoke: Invoked
    inbox: Callable[[str], BlobStore] | None = None

    default = ""

    async def bases(self) -> Sequence[Base]:
        by_creator = await self._releases()
        return [Base(name, name, bundles=tuple(each.id for each in by_creator[name])) for name in sorted(by_creator)]

    def ports(self, base: Base, caller: Caller) -> Ports:
        inbox = self.inbox(base.place) if self.inbox else None
        tree = ServedTree(partial(self._bundles, base.place, caller), self.shelf, self.believed.root, inbox)
        whole = ports_over(tree, no_engine, NoModels(_NOT_HERE), feed=self.believed.store, device=self.believed.device)
        return seen_by(whole, caller.rules.admits, MemoryTree) if caller.rules else whole

    def searcher(self, bases: Sequence[Base], absent: Mapping[str, str], caller: Caller) -> RemoteSearcher:
        async def members() -> list[Mapping[str, object]]:
            by_creator = await self._releases(caller)
            return [member_of(base.name, by_creator.get(base.place, ()), caller.rules) for base in bases]

        return RemoteSearcher(self.invoke, members, absent)

    def is_single(self, base: Base, path: str) -> bool:
        return True

    async def make(self, name: str, place: str) -> Base:
        raise InputError("the service makes no knowledge bases: publish a bundle", code="forbidden")

    async def source(self, named: str) -> bytes | FileTree:
        raise InputError("the service installs nothing: install from its feed", code="forbidden")

    async def _releases(self, caller: Caller | None = None) -> Mapping[str, Sequence[Release]]:
        """What may be asked, by creator: of everything, or of what the caller may use."""
        found: dict[str, list[Release]] = {}
        for each in newest(await self.believed.releases()):
            if caller is None or caller.may_use_bundle(each.id):
                found.setdefault(each.creator, []).append(each)
        return found

    async def _bundles(self, creator: str, caller: Caller) -> list[ServedBundle]:
        """What is unpacked of what the creator published; the rest is, in a moment or once the clock asks for it."""
        found = []
        for release in (await self._releases(caller)).get(creator, ()):
            with suppress(NotFoundError):
                found.append(await self.library.bundle(release.sha256))
        return found


def ports_over(
    tree: FileTree, engine: Callable[[], SqlEngine], models: Models, *, feed: BlobStore, device: FileTree
) -> Ports:
    """The ports of a served base."""
    return Ports(
        tree=tree,
        spare=MemoryTree,
        engine=engine,
        models=models,
        clock=SystemClock(),
        entropy=SystemEntropy(),
        progress=SilentProgress(),
        device=lambda: device,
        open_store=lambda address: feed,
    )


def no_engine() -> NoReturn:
    raise _NOT_HERE
