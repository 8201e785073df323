"""What bundles ask of the index: a port of this feature, so that archives never depend on an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from okf_edge.bundles.digest import INDEX_FILE, digest_of
from okf_edge.bundles.manifest import IndexInfo


@dataclass(frozen=True, slots=True)
class BuiltIndex:
    """An index file and what identifies it. `scripts` are those in which its embedder answers; none without one."""

    data: bytes
    schema: int
    pipeline: str
    chunks: int
    embedder: str = ""
    embedder_digest: str = ""
    scripts: tuple[str, ...] = ()

    def info(self, path: str = INDEX_FILE) -> IndexInfo:
        digest = digest_of(self.data)
        return IndexInfo(
            path, digest.bytes, digest.sha256, self.schema, self.pipeline, self.embedder, self.embedder_digest,
            self.chunks,
        )  # fmt: skip


class Indexer(Protocol):
    """Builds and compares index files over the markdown of a bundle."""

    async def build(self, files: Mapping[str, bytes]) -> BuiltIndex:
        """The index of these files, by path in the bundle. Files that are no concepts are left out by the builder."""

    def reads(self, info: IndexInfo) -> bool:
        """Whether an index of this schema and pipeline can be attached as it is."""

    async def differences(self, files: Mapping[str, bytes], index: bytes, info: IndexInfo) -> Sequence[str]:
        """In which rows the index differs from one rebuilt from the files, in words; empty when in none."""
