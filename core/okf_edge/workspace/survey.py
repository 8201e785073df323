"""A folder as its reports see it: the files, the facts of its own pages, and where their links lead."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol

from okf_edge.errors import NotFoundError, StoreError
from okf_edge.limits import LIMITS
from okf_edge.ports import FileTree, Progress
from okf_edge.turns import give_way
from okf_edge.workspace import facts, graph, layout
from okf_edge.workspace.facts import PageFacts
from okf_edge.workspace.graph import Graph
from okf_edge.workspace.scan import Note, Scan, scan

KEPT = f"{layout.STATE}/cache/facts.json"


class Keeping(Protocol):
    """The part of a `FileTree` that keeps derived files."""

    async def read(self, path: str, max_bytes: int | None = None) -> bytes: ...

    async def write(self, path: str, data: bytes) -> None: ...


@dataclass(frozen=True, slots=True)
class CitedFile:
    """A cited file that is no page of this base: a document, an image, a page of a bundle."""

    path: str
    bytes: int
    mtime_ns: int
    sha256: str
    changed: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Survey:
    """What was seen. `pages` are those of the person and of agents, by path; bundles are files that links lead to.

    `cited` are the cited files that are no pages, by path. `unread` says why a note could not be read at all; it counts
    among the notes.
    """

    scan: Scan
    pages: Mapping[str, PageFacts]
    graph: Graph
    cited: Mapping[str, CitedFile]
    unread: Mapping[str, str]

    def source(self, path: str) -> PageFacts | CitedFile | None:
        """What is cited at a path; None when it can't be read."""
        return self.pages.get(path) or self.cited.get(path)

    @property
    def compiled(self) -> tuple[PageFacts, ...]:
        return tuple(page for path, page in self.pages.items() if layout.tier_of(path) == "agent")

    @property
    def personal(self) -> tuple[PageFacts, ...]:
        return tuple(page for path, page in self.pages.items() if layout.tier_of(path) == "user")


async def survey(tree: FileTree, home: Keeping, progress: Progress | None = None) -> Survey:
    """Look at a folder; pages of the size and time that are kept are not read again.

    Args: home: where facts are kept, in `KEPT`; when they changed and it can be written, they are kept anew.
    Raises: NotFoundError: no such folder.
    """
    found = await scan(tree)
    kept = await _kept(home)
    pages, unread = await _pages(tree, found, kept.pages, progress)
    links = graph.graph_of(pages, found, kept.graph)
    cited = await _cited(tree, found, links, kept.cited)
    if kept != _Kept(pages, links, cited):
        await _keep(home, _Kept(pages, links, cited))
    return Survey(found, pages, links, cited, unread)


async def _pages(
    tree: FileTree, found: Scan, kept: Mapping[str, PageFacts], progress: Progress | None
) -> tuple[dict[str, PageFacts], dict[str, str]]:
    own = [note for note in found.notes if note.tier != "bundle"]
    pages: dict[str, PageFacts] = {}
    unread: dict[str, str] = {}
    for number, note in enumerate(own):
        page = kept.get(note.path)
        if page is None or not _is_same(page, note):
            if progress:
                progress.step("reading", number, len(own))
            page = await _read(tree, note, unread)
            await give_way(number)
        if page:
            pages[note.path] = page
    return pages, unread


def _is_same(page: PageFacts, note: Note) -> bool:
    return (page.bytes, page.mtime_ns) == (note.stat.bytes, note.stat.mtime_ns)


async def _read(tree: FileTree, note: Note, unread: dict[str, str]) -> PageFacts | None:
    try:
        data = await tree.read(note.path, LIMITS.note_bytes)
    except (NotFoundError, StoreError) as error:
        unread[note.path] = error.message
        return None
    return facts.facts_of(note.path, data, note.stat.mtime_ns)


async def _cited(tree: FileTree, found: Scan, links: Graph, kept: Mapping[str, CitedFile]) -> dict[str, CitedFile]:
    """The cited files that are no pages, by path; those that can't be read are left out."""
    paths = {edge.end.path for edge in links.citations() if edge.end.path not in links.pages}
    there = paths & set(found.paths) if paths else set()
    files: dict[str, CitedFile] = {}
    for path in sorted(there):
        try:
            files[path] = await _cited_file(tree, path, kept.get(path))
        except (NotFoundError, StoreError):
            continue
    return files


async def _cited_file(tree: FileTree, path: str, kept: CitedFile | None) -> CitedFile:
    stat = await tree.stat(path)
    if kept and (kept.bytes, kept.mtime_ns) == (stat.bytes, stat.mtime_ns):
        return kept
    data = await tree.read(path, LIMITS.archive_file_bytes)
    return CitedFile(path, stat.bytes, stat.mtime_ns, sha256(data).hexdigest())


@dataclass(frozen=True, slots=True)
class _Kept:
    """What the cache holds."""

    pages: Mapping[str, PageFacts]
    graph: Graph | None
    cited: Mapping[str, CitedFile]


async def _kept(home: Keeping) -> _Kept:
    try:
        pages, rest = facts.decode(await home.read(KEPT, LIMITS.facts_bytes))
        return _Kept(pages, graph.decode_ends(rest, pages), _kept_files(rest))
    except (NotFoundError, StoreError):
        return _Kept({}, None, {})


def _kept_files(rest: Mapping[str, Any]) -> dict[str, CitedFile]:
    try:
        return {row[0]: CitedFile(*row) for row in rest.get("cited", ())}
    except (TypeError, IndexError):
        return {}


async def _keep(home: Keeping, kept: _Kept) -> None:
    """Keeping only saves time: where it can't be done, the next report reads again."""
    assert kept.graph is not None
    cited = [(file.path, file.bytes, file.mtime_ns, file.sha256) for file in kept.cited.values()]
    with suppress(StoreError):
        await home.write(KEPT, facts.encode(kept.pages.values(), {**graph.encode_ends(kept.graph), "cited": cited}))
