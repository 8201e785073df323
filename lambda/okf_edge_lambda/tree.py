"""The served bundles of one creator as the files of a knowledge base that has them installed.

It can't be written, except for new notes in the inbox where there is one. What an engine opens must have been brought
to this environment's disk before: `bring`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar

from okf_edge.app.read_only import ReadOnly
from okf_edge.bundles.digest import INDEX_FILE
from okf_edge.bundles.registry import REGISTRY, plain_bundle
from okf_edge.errors import (
    AlreadyExistsError,
    DigestMismatchError,
    NotFoundError,
    PreconditionError,
    TooLargeError,
)
from okf_edge.feed.subscriptions import FEEDS
from okf_edge.paths import parents
from okf_edge.ports import BlobStore, FileStat
from okf_edge.workspace import layout as places
from okf_edge_lambda.served import PAGES, ServedBundle, ServedFile
from okf_edge_lambda.shelf import Shelf

FEED_NAME, FEED_URL = "service", "service:feed"


Bundles = Callable[[], Awaitable[Sequence[ServedBundle]]]


@dataclass(frozen=True, slots=True)
class _Found:
    """The bundles by id, and the state files of a base that has them."""

    bundles: Mapping[str, ServedBundle]
    state: Mapping[str, bytes]

    def meant(self, path: str) -> tuple[ServedBundle, str]:
        library, _, rest = path.partition("/")
        bundle_id, _, name = rest.partition("/")
        if library != places.LIBRARY or bundle_id not in self.bundles:
            raise _absent(path)
        return self.bundles[bundle_id], name


class ServedTree(ReadOnly):
    """A `FileTree` over served bundles.

    Args:
        bundles: tells which they are, when something of them is first asked for.
        root: the pin of the service's own feed, which the base follows; empty: it follows none.
        inbox: where captured notes go, if anywhere.
    """

    refusal: ClassVar[str] = "what was published can't be written"

    def __init__(self, bundles: Bundles, shelf: Shelf, root: str = "", inbox: BlobStore | None = None):
        self._find = bundles
        self._shelf = shelf
        self._root = root
        self._inbox = inbox
        self._brought: dict[str, str] = {}
        self._found: _Found | None = None

    async def bring(self) -> None:
        """Have the indexes of all bundles, and their pages, on this environment's disk."""
        for each in (await self._content()).bundles.values():
            place = await self._shelf.bring(each.index_key, each.index.bytes, each.index.sha256)
            self._brought[f"{each.bundle.path}/{each.index.path}"] = place
            await self._pages(each)

    async def list(self, enter: Callable[[str], bool] | None = None) -> Sequence[FileStat]:
        content = await self._content()
        found = [FileStat(path, len(data), 1) for path, data in content.state.items()]
        for each in content.bundles.values():
            found += (FileStat(f"{each.bundle.path}/{file.path}", file.bytes, 1) for file in each.files.values())
            found.append(FileStat(f"{each.bundle.path}/{INDEX_FILE}", each.index.bytes, 1))
        entered = _remembered(enter) if enter else None
        shown = [stat for stat in found if entered is None or all(map(entered, parents(stat.path)))]
        return sorted(shown, key=lambda stat: stat.path)

    async def stat(self, path: str) -> FileStat:
        content = await self._content()
        if path in content.state:
            return FileStat(path, len(content.state[path]), 1)
        bundle, name = content.meant(path)
        if name == bundle.index.path:
            return FileStat(path, bundle.index.bytes, 1)
        return FileStat(path, self._file(bundle, name, path).bytes, 1)

    async def read(self, path: str, max_bytes: int | None = None) -> bytes:
        content = await self._content()
        if path in content.state:
            return content.state[path]
        bundle, name = content.meant(path)
        file = self._file(bundle, name, path)
        if max_bytes is not None and file.bytes > max_bytes:
            raise TooLargeError(f"expected at most {max_bytes} bytes in {path!r}, found {file.bytes}")
        if file.place < 0:
            raise NotFoundError(f"expected a text at {path!r}, found what is in the archive only")
        data = _part(await self._pages(bundle), file)
        if sha256(data).hexdigest() != file.sha256:
            raise DigestMismatchError(f"expected {path!r} as it was published, found other bytes")
        return data

    async def create(self, path: str, data: bytes) -> None:
        if self._inbox is None or not path.startswith(f"{places.INBOX}/"):
            self._refuse()
        try:
            await self._inbox.put(path, data, if_version=None)
        except PreconditionError as error:
            raise AlreadyExistsError(f"expected nothing at {path!r}, found something") from error

    def locate(self, path: str) -> str:
        return self._brought.get(path, path)

    async def _pages(self, bundle: ServedBundle) -> str:
        return await self._shelf.bring(bundle.key(PAGES), bundle.pages_bytes, bundle.pages_sha256)

    async def _content(self) -> _Found:
        if self._found is None:
            bundles = await self._find()
            state = {REGISTRY: _registry(bundles)} | ({FEEDS: _feeds(self._root)} if self._root else {})
            self._found = _Found({each.bundle.id: each for each in bundles}, state)
        return self._found

    def _file(self, bundle: ServedBundle, name: str, path: str) -> ServedFile:
        if name not in bundle.files:
            raise _absent(path)
        return bundle.files[name]


def _part(place: str, file: ServedFile) -> bytes:
    with open(place, "rb") as pages:
        return os.pread(pages.fileno(), file.bytes, file.place)


def _registry(bundles: Sequence[ServedBundle]) -> bytes:
    return json.dumps(
        {"format": 1, "bundles": {each.bundle.id: plain_bundle(each.bundle) for each in bundles}}
    ).encode()


def _feeds(root: str) -> bytes:
    return json.dumps({"format": 1, "feeds": {FEED_NAME: {"url": FEED_URL, "root": root}}}).encode()


def _remembered(enter: Callable[[str], bool]) -> Callable[[str], bool]:
    """Asked about each folder once, as a walk asks."""
    known: dict[str, bool] = {}

    def entered(folder: str) -> bool:
        if folder not in known:
            known[folder] = enter(folder)
        return known[folder]

    return entered


def _absent(path: str) -> NotFoundError:
    return NotFoundError(f"expected a file at {path!r}, found none")
