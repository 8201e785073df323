"""One case's folder of notes, seen through the product's public functions."""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from pathlib import Path

from okf_edge.okf.concept import Concept, concept_of
from okf_edge.okf.document import Document
from okf_edge.okf.links import Link, links_of
from okf_edge.okf.reader import read_document
from okf_edge.okf.resolve import Entry, Resolution, Resolver, entry_of
from okf_edge.okf.tags import tags_of
from okf_edge.workspace.scan import Scan, scan
from okf_edge_native.disk import DiskTree


class Vault:
    """A folder of notes. `at` finds where the notes of a case lie: `vault/`, or the case's own `folder`."""

    def __init__(self, folder: Path, root: Path, scanned: Scan) -> None:
        self.folder = folder
        self.root = root
        self.scan = scanned

    @classmethod
    async def at(cls, folder: Path) -> Vault:
        root = folder / "vault" if (folder / "vault").is_dir() else folder
        return cls(folder, root, await scan(DiskTree(root)))

    @cached_property
    def documents(self) -> dict[str, Document]:
        return {note.path: read_document(note.path, self.bytes_of(note.path)) for note in self.scan.notes}

    @cached_property
    def resolver(self) -> Resolver:
        others = [Entry(path) for path in self.scan.paths if path not in self.documents]
        absent = [Entry(path, downloaded=False) for path in self.scan.skipped_for("not-downloaded")]
        return Resolver([*map(entry_of, self.documents.values()), *others, *absent])

    def bytes_of(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def document(self, path: str) -> Document:
        return self.documents.get(path) or read_document(path, self.bytes_of(path))

    def concept(self, path: str) -> Concept:
        return concept_of(self.document(path))

    def tags(self, path: str) -> tuple[str, ...]:
        return tags_of(self.document(path))

    def links(self, path: str) -> list[tuple[Link, Resolution]]:
        """The links of a note that mean something in this folder, each with what it means."""
        found = [link for link in links_of(self.document(path)) if link.kind != "footnote" and not link.is_external]
        return [(link, self.resolver.resolve(link, path)) for link in found]

    def digests(self) -> dict[str, str]:
        """The sha256 of every note as it lies on disk."""
        files = [path for path in self.root.rglob("*.md") if path.is_file() and not path.is_symlink()]
        return {path.relative_to(self.root).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files}
