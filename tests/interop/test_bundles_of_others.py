"""Bundles of other tools, as they are in the wild: they install, and what left them verifies."""

from __future__ import annotations

from pathlib import Path

import pytest

from bundle_kit import LineIndexer, put
from okf_edge.bundles.contents import open_folder, open_zip
from okf_edge.bundles.edits import edits_of
from okf_edge.bundles.export import ExportOptions, export_bundle
from okf_edge.bundles.install import InstallOptions, install
from okf_edge.bundles.verify import verify_archive
from okf_edge.bundles.zip_writer import write_archive
from okf_edge.errors import DigestMismatchError
from okf_edge.inmemory.files import MemoryTree
from okf_edge.inmemory.progress import RecordedProgress
from okf_edge.inmemory.system import ManualClock
from okf_edge_native.disk import DiskTree

BUNDLES = Path(__file__).parents[2].parent / "shared" / "corpora" / "bundles"
pytestmark = pytest.mark.skipif(not BUNDLES.is_dir(), reason="the corpora of other tools' bundles are not at hand")

KNOWLERY = BUNDLES / "knowlery-cache-strategy-1.2.0.zip"
BY_THE_FORMATS_AUTHORS = ("acme_retail", "crypto_bitcoin")


async def test_a_knowlery_bundle_installs_verified_by_its_own_hash():
    base = MemoryTree()
    done = await put(base, KNOWLERY.read_bytes())
    assert (done.bundle.id, done.bundle.version, done.bundle.kind) == ("creator.cache.strategy", "1.2.0", "knowlery")
    assert done.bundle.index_origin == "built"
    assert "Library/creator.cache.strategy/_attachments/diagram.png" in base.files
    assert await edits_of(base, done.bundle) == ()
    assert (await put(base, KNOWLERY.read_bytes())).outcome == "unchanged"


@pytest.mark.parametrize("changed", ["concepts/eviction.md", "_sources/Notes/plain.md", "_attachments/diagram.png"])
async def test_a_knowlery_bundle_with_a_changed_file_is_refused(changed):
    contents = open_zip(KNOWLERY.read_bytes())
    files = {path: await contents.read(path) for path in contents.sizes}
    files[changed] += b"!"
    with pytest.raises(DigestMismatchError):
        await put(MemoryTree(), write_archive(files.items()))


@pytest.mark.parametrize("name", BY_THE_FORMATS_AUTHORS)
async def test_a_folder_by_the_formats_authors_installs_as_it_is(name):
    base, source = MemoryTree(), DiskTree(BUNDLES / name)
    done = await install(
        base,
        await open_folder(source),
        InstallOptions(name, bundle_id=f"google.{name.replace('_', '-')}"),
        clock=ManualClock(),
        indexer=LineIndexer(),
        progress=RecordedProgress(),
    )
    for entry in await source.list():
        assert base.files[f"{done.bundle.path}/{entry.path}"] == await source.read(entry.path)


@pytest.mark.parametrize("name", BY_THE_FORMATS_AUTHORS)
async def test_a_bundle_by_the_formats_authors_exports_unchanged_and_installs(name):
    source = DiskTree(BUNDLES / name)
    exported = await export_bundle(
        source,
        ExportOptions(f"google.{name.replace('_', '-')}", "1.0.0"),
        indexer=LineIndexer(),
        progress=RecordedProgress(),
    )
    contents = open_zip(exported.archive)
    for entry in await source.list():
        assert await contents.read(entry.path) == await source.read(entry.path)
    await verify_archive(exported.archive, indexer=LineIndexer(), rebuild=True)
    assert (await put(MemoryTree(), exported.archive)).bundle.kind == "okf"
