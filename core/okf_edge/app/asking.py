"""One question over a folder: its own index, and the indexes of all installed bundles, as one corpus.

Rules:
1. A question never sees an old answer: the tree is looked at first, and what changed is answered from a delta.
2. A folder without an index gets one; so does one whose index has no vectors, once a model that suits it is at hand.
3. A missing or unusable index is made anew or is an error, never a refusal.
"""

from __future__ import annotations

from dataclasses import replace

from okf_edge.app import addresses
from okf_edge.app.home import home_of_index
from okf_edge.app.ports import Config, Ports
from okf_edge.bundles.registry import InstalledBundle, read_registry
from okf_edge.errors import IndexFileError, NewerFormatError, NotFoundError
from okf_edge.index.files import IndexFile, open_index
from okf_edge.ports import FileTree, SqlEngine
from okf_edge.retrieval.answer import Answer, Coverage
from okf_edge.retrieval.request import SearchRequest
from okf_edge.retrieval.search import search
from okf_edge.retrieval.source import Source
from okf_edge.workspace import layout
from okf_edge.workspace.identity import identify
from okf_edge.workspace.scan import Scan, scan

BASE = "base"


async def ask(ports: Ports, config: Config, request: SearchRequest, wanted: str = "") -> Answer:
    """The answer to a question, or a refusal that says why.

    Args: wanted: the model that the folder's own index has to be built with; empty for any.
    Raises: ModelError, IndexFileError, StateFileError, NewerFormatError, UnavailableError.
    """
    await finish_interrupted_install(ports)
    indexed = await _indexed_bundles(ports)
    found = await scan(ports.tree, frozenset(bundle.id for bundle in indexed))
    name = (await identify(ports.tree, config.folder_name)).name
    engine = ports.engine()
    try:
        asked = [await _shipped(ports, engine, bundle, number) for number, bundle in enumerate(indexed)]
        if found.notes or not asked:
            own = await _own(ports, config, engine, found, request, wanted)
            asked.insert(0, (_source(own, ports.tree, name), own))
        coverage = _coverage(found, [index for _, index in asked])
        sources = [source for source, _ in asked]
        return await search(request, sources, engine, ports.models, ports.clock, coverage)
    finally:
        await engine.close()


async def scan_own(ports: Ports) -> Scan:
    """What the folder holds beside the bundles that bring their own index."""
    return await scan(ports.tree, frozenset(bundle.id for bundle in await _indexed_bundles(ports)))


async def _indexed_bundles(ports: Ports) -> list[InstalledBundle]:
    return [bundle for bundle in (await read_registry(ports.tree)).bundles.values() if bundle.index]


async def finish_interrupted_install(ports: Ports) -> None:
    """Finish or undo what a killed process left half done. Costs one look when there is nothing to do."""
    try:
        await ports.tree.stat(f"{layout.STATE}/swap.json")
    except NotFoundError:
        return
    from okf_edge.bundles.install import recover

    await recover(ports.tree, ports.clock)


async def _own(
    ports: Ports, config: Config, engine: SqlEngine, found: Scan, request: SearchRequest, wanted: str
) -> IndexFile:
    """The index of the folder's own notes, attached; built first when there is none, or not the one that is needed."""
    home = await home_of_index(ports)
    if home is not None:
        try:
            index = await open_index(engine, BASE, home, layout.INDEX)
        except IndexFileError as error:
            ports.progress.message(f"the index is made anew: {error.message}")
        else:
            if not await _lacks_vectors(ports, config, found, index, request, wanted):
                return index
            await engine.detach(BASE)
    from okf_edge.app.base import build_base

    built = await build_base(ports, config, found, wanted)
    return await open_index(engine, BASE, built.tree, layout.INDEX)


async def _lacks_vectors(
    ports: Ports, config: Config, found: Scan, index: IndexFile, request: SearchRequest, wanted: str
) -> bool:
    """Whether the index has to be built anew so that the question can be asked as it is meant."""
    if wanted:
        return index.embedder != wanted
    if index.embedder or not request.dense or not found.notes or not await ports.models.specs():
        return False
    from okf_edge.app.embedders import embedder_for
    from okf_edge.app.notes import Notes

    sample = await Notes(ports.tree, found.notes).sample()
    return await embedder_for(ports.models, "", config.embedder, sample) is not None


async def _shipped(ports: Ports, engine: SqlEngine, bundle: InstalledBundle, number: int) -> tuple[Source, IndexFile]:
    """The index of an installed bundle, attached as it is."""
    assert bundle.index is not None
    path = f"{bundle.path}/{bundle.index.path}"
    try:
        index = await open_index(engine, f"bundle{number}", ports.tree, path)
    except (IndexFileError, NewerFormatError, NotFoundError) as error:
        raise IndexFileError(
            f"the index of the bundle {bundle.id} can't be used: {error.message}",
            code=error.code if isinstance(error, IndexFileError) else "index-unusable",
            hint=f"Install {bundle.id} again, or uninstall it.",
        ) from error
    source = _source(index, ports.tree, "")
    return replace(
        source,
        path_prefix=f"{bundle.path}/",
        tier="bundle",
        bundle=bundle.id,
        version=bundle.version,
        uri_prefix=addresses.prefix_of(bundle.id),
    ), index


def _source(index: IndexFile, tree: FileTree, name: str) -> Source:
    return Source(
        alias=index.alias,
        tree=tree,
        chunks=index.chunks,
        kb=name,
        uri_prefix=addresses.prefix_of(name),
        embedder=index.embedder,
        embedder_digest=index.embedder_digest,
        dims=index.dims,
        coarse=index.coarse,
    )


def _coverage(found: Scan, indexes: list[IndexFile]) -> Coverage:
    read = sum(index.concepts for index in indexes)
    shipped = read - sum(index.concepts for index in indexes if index.alias == BASE)
    absent = len(found.skipped_for("not-downloaded"))
    problems = sum(index.problems for index in indexes) + absent
    return Coverage(read, len(found.notes) + shipped + absent, problems, mode="hybrid")
