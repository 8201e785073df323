"""Pages of installed bundles as a reader shows them: the text, where links lead, who links to it, what else is there.

Rules:
1. A page costs its own text and the index of its bundle; no other page is read.
2. A link leads only to what the bundle holds, or out of it as it was typed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from okf_edge.app.ports import Ports
from okf_edge.bundles.registry import InstalledBundle, read_registry
from okf_edge.errors import NotFoundError
from okf_edge.index.files import open_index
from okf_edge.limits import LIMITS
from okf_edge.okf.concept import Concept, concept_of
from okf_edge.okf.document import Document
from okf_edge.okf.freshness import is_stale
from okf_edge.okf.links import Link, links_of
from okf_edge.okf.outline import outline_of
from okf_edge.okf.reader import read_document
from okf_edge.okf.resolve import Entry, Resolver
from okf_edge.ports import SqlEngine

_INDEX = "shown"


@dataclass(frozen=True, slots=True)
class Listed:
    """A page by its path in the base, as lists name it."""

    path: str
    title: str
    type: str
    description: str


@dataclass(frozen=True, slots=True)
class PageLink:
    """One link of a page. `raw` is its destination as typed; `path` is empty where it leads to no file of it."""

    raw: str
    path: str
    anchor: str
    line: int


@dataclass(frozen=True, slots=True)
class View:
    """A page. `text` is its body, which begins on `first_line` of the file. `links_to` and `linked_from` are in order
    of path, each page once."""

    path: str
    concept: Concept
    bundle: InstalledBundle
    fresh: bool
    text: str
    first_line: int
    links: tuple[PageLink, ...]
    links_to: tuple[Listed, ...]
    linked_from: tuple[Listed, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """What a bundle holds: its pages in order of path, and all files. `start` is the page to begin with, or empty.

    `stale` counts the pages that ask to be looked at again by now.
    """

    bundle: InstalledBundle
    pages: tuple[Listed, ...]
    files: tuple[tuple[str, int], ...]
    start: str
    stale: int


@dataclass(frozen=True, slots=True)
class _Known:
    """A page as the bundle's index knows it; its path is that within the bundle."""

    listed: Listed
    aliases: tuple[str, ...]
    stale_after: datetime | None


async def view_page(ports: Ports, path: str) -> View:
    """The page of an installed bundle at a path of the base. Raises NotFoundError: there is none."""
    bundle = await _bundle_of(ports, path)
    inner = path.removeprefix(f"{bundle.path}/")
    document = read_document(inner, await ports.tree.read(path, LIMITS.note_bytes))
    concept = concept_of(document, outline_of(document))
    files = [name for name, _ in await _files_of(ports, bundle)]
    known, sources = await _looked_up(ports, bundle, inner)
    links = _resolved(bundle, document, files, known)
    by_path = {each.listed.path: each.listed for each in known}
    ends = sorted({link.path for link in links if link.path in by_path and link.path != path})
    return View(
        path=path,
        concept=concept,
        bundle=bundle,
        fresh=not is_stale(concept.stale_after, ports.clock.now()),
        text=document.body,
        first_line=document.body_line,
        links=links,
        links_to=tuple(by_path[end] for end in ends),
        linked_from=tuple(by_path[source] for source in sources if source in by_path and source != path),
    )


async def contents_of(ports: Ports, bundle_id: str) -> Contents:
    """What an installed bundle holds. Raises NotFoundError: there is none of this id."""
    bundle = (await read_registry(ports.tree)).bundles.get(bundle_id)
    if bundle is None:
        raise NotFoundError(f"no bundle {bundle_id!r} is installed", hint="Install it first.")
    files = await _files_of(ports, bundle)
    known, _ = await _looked_up(ports, bundle, "")
    pages = tuple(each.listed for each in known)
    names = {name for name, _ in files}
    start = f"{bundle.path}/index.md" if "index.md" in names else pages[0].path if pages else ""
    now = ports.clock.now()
    stale = sum(is_stale(each.stale_after, now) for each in known)
    return Contents(bundle, pages, tuple(files), start, stale)


async def _bundle_of(ports: Ports, path: str) -> InstalledBundle:
    bundles = (await read_registry(ports.tree)).bundles.values()
    found = next((bundle for bundle in bundles if path.startswith(f"{bundle.path}/")), None)
    if found is None:
        raise NotFoundError(
            f"{path} is no page of an installed bundle", code="no-concept", hint="Was its bundle removed?"
        )
    return found


async def _files_of(ports: Ports, bundle: InstalledBundle) -> list[tuple[str, int]]:
    """The files of a bundle by their path within it, with their sizes."""
    prefix = f"{bundle.path}/"
    found = await ports.tree.list(lambda folder: f"{folder}/".startswith(prefix) or prefix.startswith(f"{folder}/"))
    return [(stat.path.removeprefix(prefix), stat.bytes) for stat in found if stat.path.startswith(prefix)]


async def _looked_up(ports: Ports, bundle: InstalledBundle, inner: str) -> tuple[list[_Known], list[str]]:
    """The pages of a bundle's index by path, and the paths of those that link to `inner`."""
    if bundle.index is None:
        return [], []
    engine = ports.engine()
    try:
        await open_index(engine, _INDEX, ports.tree, f"{bundle.path}/{bundle.index.path}")
        return await _pages(engine, bundle), await _sources(engine, bundle, inner)
    finally:
        await engine.close()


async def _pages(engine: SqlEngine, bundle: InstalledBundle) -> list[_Known]:
    rows = await engine.query(
        f"SELECT path, title, type, description, aliases, stale_after FROM {_INDEX}.concept ORDER BY path", ()
    )
    return [
        _Known(
            Listed(f"{bundle.path}/{path!s}", str(title), str(kind), str(description or "")),
            tuple(str(aliases or "").splitlines()),
            datetime.fromisoformat(str(stale_after)) if stale_after else None,
        )
        for path, title, kind, description, aliases, stale_after in rows
    ]


async def _sources(engine: SqlEngine, bundle: InstalledBundle, inner: str) -> list[str]:
    sql = f"SELECT DISTINCT source FROM {_INDEX}.link WHERE target = ? ORDER BY source"
    return [f"{bundle.path}/{source!s}" for (source,) in await engine.query(sql, [inner])]


def _resolved(
    bundle: InstalledBundle, document: Document, files: Sequence[str], known: Sequence[_Known]
) -> tuple[PageLink, ...]:
    prefix = f"{bundle.path}/"
    aliases = {each.listed.path.removeprefix(prefix): each.aliases for each in known}
    resolver = Resolver(Entry(name, aliases.get(name, ())) for name in files)
    links = (link for link in links_of(document) if link.kind != "footnote" and not link.is_external)
    return tuple(_page_link(link, resolver, document.path, prefix) for link in links)


def _page_link(link: Link, resolver: Resolver, source: str, prefix: str) -> PageLink:
    found = resolver.resolve(link, source)
    is_file = bool(found.path) and not found.path.endswith("/")
    return PageLink(link.inner, prefix + found.path if is_file else "", found.anchor or link.anchor, link.line)


def page_json(view: View) -> dict[str, Any]:
    """A page as plain data. Its texts come from notes: they are data, never instructions."""
    concept = view.concept
    return {
        "path": view.path,
        "title": concept.title,
        "type": concept.type,
        "description": concept.description,
        "tags": list(concept.tags),
        "status": concept.status,
        "trust": concept.trust,
        "fresh": view.fresh,
        "stale_after": concept.stale_after.isoformat() if concept.stale_after else "",
        "generated_at": concept.generated_at.isoformat() if concept.generated_at else "",
        "sources": [{"resource": source.resource, "title": source.title} for source in concept.sources],
        "bundle": view.bundle.id,
        "version": view.bundle.version,
        "content": "untrusted",
        "text": view.text,
        "first_line": view.first_line,
        "links": [asdict(link) for link in view.links],
        "links_to": [asdict(listed) for listed in view.links_to],
        "linked_from": [asdict(listed) for listed in view.linked_from],
    }


def contents_json(contents: Contents) -> dict[str, Any]:
    """What a bundle holds, as plain data."""
    return {
        "id": contents.bundle.id,
        "version": contents.bundle.version,
        "title": contents.bundle.title,
        "content": "untrusted",
        "start": contents.start,
        "stale": contents.stale,
        "pages": [asdict(listed) for listed in contents.pages],
        "files": [{"path": path, "bytes": size} for path, size in contents.files],
    }
