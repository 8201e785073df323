"""Bundles as the service serves them: unpacked once by `ingest`, read by everybody else.

    contents.json   what `.okf/bundles.json` says of the bundle, and its files: path, bytes, sha256, place in pages.bin
    pages.bin       the text files one behind the other
    <sha256>.duckdb the index, shipped or built

All three lie under the digest of the archive and the formats of this version (`layout.served_key`), are derived, and
are written before `contents.json`, which so says that they are whole.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from okf_edge.bundles.contents import Contents, is_markdown, open_zip
from okf_edge.bundles.digest import INDEX_FILE, MANIFEST
from okf_edge.bundles.indexer import Indexer
from okf_edge.bundles.manifest import IndexInfo, Manifest, read_manifest
from okf_edge.bundles.registry import InstalledBundle, bundle_from, plain_bundle
from okf_edge.errors import FormatError, PreconditionError
from okf_edge.limits import LIMITS
from okf_edge.ports import BlobStore
from okf_edge_lambda import layout

CONTENTS, PAGES = "contents.json", "pages.bin"
_DERIVED = ("agent-index.json",)


@dataclass(frozen=True, slots=True)
class ServedFile:
    """`place` is where it begins in pages.bin, -1 for what is in the archive only."""

    path: str
    bytes: int
    sha256: str
    place: int


@dataclass(frozen=True, slots=True)
class ServedBundle:
    """A release that can be searched and read. `pages_bytes` and `pages_sha256` are those of pages.bin."""

    archive_sha256: str
    bundle: InstalledBundle
    pages_bytes: int
    pages_sha256: str
    files: Mapping[str, ServedFile]

    @property
    def index(self) -> IndexInfo:
        assert self.bundle.index is not None
        return self.bundle.index

    @property
    def index_key(self) -> str:
        return self.key(f"{self.index.sha256}.duckdb")

    @property
    def told(self) -> bytes:
        """It as contents.json."""
        told = {
            "bundle": {"id": self.bundle.id, **plain_bundle(self.bundle)},
            "pages": {"bytes": self.pages_bytes, "sha256": self.pages_sha256},
            "files": [asdict(each) for each in self.files.values()],
        }
        return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()

    def key(self, name: str) -> str:
        return layout.served_key(self.archive_sha256, name)


async def serve(store: BlobStore, archive: bytes, indexer: Indexer, feed: str) -> ServedBundle:
    """Write the served form of an archive that was verified; what is there is left.

    Args: feed: what to call where it came from.
    """
    contents = open_zip(archive)
    manifest = read_manifest(await contents.read(MANIFEST))
    index, info, origin = await _index_of(contents, manifest, indexer)
    pages, files = await _pages_of(contents)
    bundle = InstalledBundle(
        id=manifest.id, version=manifest.version, title=manifest.title, kind="okf", origin=feed,
        installed_at=manifest.created, content_digest=manifest.content_digest,
        manifest_sha256=files[MANIFEST].sha256, signature="valid", index_origin=origin, index=info,
        feed=feed, signer=manifest.id.partition(".")[0],
    )  # fmt: skip
    made = ServedBundle(contents.archive_sha256, bundle, len(pages), sha256(pages).hexdigest(), files)
    await _put_once(store, made.index_key, index)
    await _put_once(store, made.key(PAGES), pages)
    await _put_once(store, made.key(CONTENTS), made.told)
    return await read_served(store, made.archive_sha256)


async def read_served(store: BlobStore, archive_sha256: str) -> ServedBundle:
    """Raises: NotFoundError: it is not served yet, or not in this version's format. FormatError: it is damaged."""
    blob = await store.get(layout.served_key(archive_sha256, CONTENTS), LIMITS.manifest_bytes * 2)
    try:
        return _read(archive_sha256, json.loads(blob.data))
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"the served form of {archive_sha256[:12]}… is damaged", code="served-damaged") from error


async def _index_of(contents: Contents, manifest: Manifest, indexer: Indexer) -> tuple[bytes, IndexInfo, Any]:
    """The shipped index when it can be searched here, else one made of the text."""
    if manifest.index and indexer.reads(manifest.index):
        return await contents.read(manifest.index.path), manifest.index, "shipped"
    built = await indexer.build(await contents.markdown())
    return built.data, built.info(), "built"


async def _pages_of(contents: Contents) -> tuple[bytes, dict[str, ServedFile]]:
    pages, files = bytearray(), {}
    for path in contents.sizes:
        if path == INDEX_FILE:
            continue
        digest = await contents.digest(path)
        is_text = is_markdown(path) or path == MANIFEST or path in _DERIVED
        files[path] = ServedFile(path, digest.bytes, digest.sha256, len(pages) if is_text else -1)
        if is_text:
            pages += await contents.read(path)
    return bytes(pages), files


def _read(archive_sha256: str, told: Any) -> ServedBundle:
    files = [ServedFile(**each) for each in told["files"]]
    stated = dict(told["bundle"])
    bundle = bundle_from(CONTENTS, stated.pop("id"), stated)
    if bundle.index is None:
        raise ValueError("no index")
    pages = told["pages"]
    return ServedBundle(archive_sha256, bundle, pages["bytes"], pages["sha256"], {each.path: each for each in files})


async def _put_once(store: BlobStore, key: str, data: bytes) -> None:
    """Who came second leaves it: pages are the same bytes, an index is named by its own, and contents name one."""
    with suppress(PreconditionError):
        await store.put(key, data, if_version=None)
