"""What the tests of bundles share: archives made by hand, so that they can be wrong on purpose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from okf_edge.bundles.contents import open_zip
from okf_edge.bundles.digest import content_digest, digest_of
from okf_edge.bundles.indexer import BuiltIndex
from okf_edge.bundles.install import Installation, InstallOptions, install
from okf_edge.bundles.manifest import IndexInfo, Manifest, listed_files, write_manifest
from okf_edge.bundles.zip_writer import write_archive
from okf_edge.errors import OkfError
from okf_edge.inmemory.files import MemoryTree
from okf_edge.inmemory.progress import RecordedProgress
from okf_edge.inmemory.system import ManualClock

PAGE = b"---\ntype: Note\ntitle: Tides\n---\nThe harbour floods at spring tide.\n"


class LineIndexer:
    """An index of one line a file, enough to see which index was taken and from which text."""

    def __init__(self, pipeline: str = "p1") -> None:
        self.pipeline = pipeline

    async def build(self, files: Mapping[str, bytes]) -> BuiltIndex:
        data = "".join(f"{path} {len(files[path])}\n" for path in sorted(files)).encode()
        return BuiltIndex(data, 1, self.pipeline, len(files))

    def reads(self, info: IndexInfo) -> bool:
        return info.pipeline == self.pipeline

    async def differences(self, files: Mapping[str, bytes], index: bytes, info: IndexInfo) -> Sequence[str]:
        return () if (await self.build(files)).data == index else ("rows differ",)


async def make_bundle(version: str = "1.0.0", pages: Mapping[str, bytes] | None = None, **stated: object) -> bytes:
    """A whole archive of our own format, made by hand so that it can be wrong on purpose."""
    files = dict(pages if pages is not None else {"tides.md": PAGE})
    built = await LineIndexer().build({path: data for path, data in files.items() if path.endswith(".md")})
    files["okf-index.duckdb"] = built.data
    digests = {path: digest_of(data) for path, data in files.items()}
    manifest = Manifest(
        **{
            "id": "ada.harbour",
            "version": version,
            "title": "Harbour",
            "content_digest": content_digest(digests),
            "files": listed_files(digests),
            "index": built.info(),
            **stated,
        }
    )
    return write_archive([*sorted(files.items()), ("okf-bundle.json", write_manifest(manifest))])


async def put(base: MemoryTree, data: bytes, clock: ManualClock | None = None, **options: object) -> Installation:
    """Install an archive as its user would."""
    return await install(
        base,
        open_zip(data),
        InstallOptions(**{"origin": "harbour.okf.zip", **options}),
        clock=clock or ManualClock(),
        indexer=LineIndexer(),
        progress=RecordedProgress(),
    )


async def refused(base: MemoryTree, data: bytes, **options: object) -> OkfError:
    """The refusal of an installation that changes nothing."""
    before = dict(base.files)
    with pytest.raises(OkfError) as caught:
        await put(base, data, **options)
    assert visible(base.files) == visible(before)
    return caught.value


def visible(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {path: data for path, data in files.items() if not path.startswith(".okf/locks/")}
