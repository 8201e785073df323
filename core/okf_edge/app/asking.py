"""One question over a folder: its own notes, and the indexes of all installed bundles, as one corpus.

Rules:
1. A question never sees an old answer: the tree is looked at first.
2. A bundle's own index is used as it is.
3. A missing or unusable index is made anew or is an error, never a refusal.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from okf_edge.app.own import BASE, Own, Question, own_sources, source_of
from okf_edge.app.ports import Config, Ports, everything
from okf_edge.bundles.registry import InstalledBundle, read_registry
from okf_edge.errors import IndexFileError, NewerFormatError, NotFoundError
from okf_edge.index.files import IndexFile, open_index
from okf_edge.ports import SqlEngine
from okf_edge.retrieval.answer import Answer, Coverage
from okf_edge.retrieval.request import SearchRequest
from okf_edge.retrieval.search import search
from okf_edge.retrieval.source import Source
from okf_edge.workspace import layout
from okf_edge.workspace.identity import identify
from okf_edge.workspace.scan import Scan, scan

SWAP_POLL_SECONDS = 0.1
SWAP_POLLS_COUNT = 20
"""A swap is a handful of renames: who waits for two seconds waits for a process that was killed."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What answers for one folder: its attached sources, and how many of its notes they hold."""

    sources: tuple[Source, ...]
    coverage: Coverage


async def ask(ports: Ports, config: Config, request: SearchRequest, wanted: str = "") -> Answer:
    """The answer to a question, or a refusal that says why.

    Args: wanted: the model that the folder's own index has to be built with; empty for any.
    Raises: ModelError, IndexFileError, StateFileError, NewerFormatError, UnavailableError.
    """
    engine = ports.engine()
    try:
        name = (await identify(ports.tree, config.folder_name)).name
        found = await gather(ports, engine, request, name, wanted)
        return await search(request, found.sources, engine, ports.models, ports.clock, found.coverage)
    finally:
        await engine.close()


async def gather(
    ports: Ports, engine: SqlEngine, request: SearchRequest, name: str, wanted: str = "", part: str = ""
) -> Gathered:
    """Attach what answers for one folder.

    Args: name: what the folder is called in the answer. part: ends every alias, where several folders are asked.
    """
    await finish_interrupted_install(ports)
    bundles = await _indexed_bundles(ports)
    found = await scan(ports.tree, frozenset(bundle.id for bundle in bundles))
    own = Own()
    if found.notes or not bundles:
        own = await own_sources(ports, engine, Question(request, found, name, wanted, f"{BASE}{part}"))
    aliases = [f"bundle{number}{part}" for number in range(len(bundles))]
    attached = [
        await _attach_bundle(ports, engine, bundle, alias) for bundle, alias in zip(bundles, aliases, strict=True)
    ]
    shipped = [each for each in attached if each is not None]
    hidden = [await _hidden_of(ports, engine, bundle, index) for bundle, index in shipped]
    sources = (
        replace(_bundle_source(ports, bundle, index), masked=masked)
        for (bundle, index), masked in zip(shipped, hidden, strict=True)
    )
    return Gathered((*own.sources, *sources), _coverage(found, own, [index for _, index in shipped], hidden))


async def scan_own(ports: Ports) -> Scan:
    """What the folder holds beside the bundles that bring their own index."""
    return await scan(ports.tree, frozenset(bundle.id for bundle in await _indexed_bundles(ports)))


async def finish_interrupted_install(ports: Ports) -> None:
    """Finish or undo what a killed process left half done. Costs one look when there is nothing to do."""
    if await _is_swapping(ports):
        from okf_edge.bundles.install import recover

        await recover(ports.tree, ports.clock)


async def _is_swapping(ports: Ports) -> bool:
    try:
        await ports.tree.stat(f"{layout.STATE}/swap.json")
    except NotFoundError:
        return False
    return True


async def _indexed_bundles(ports: Ports) -> list[InstalledBundle]:
    return [bundle for bundle in (await read_registry(ports.tree)).bundles.values() if bundle.index]


async def _attach_bundle(
    ports: Ports, engine: SqlEngine, bundle: InstalledBundle, alias: str
) -> tuple[InstalledBundle, IndexFile] | None:
    """The index of an installed bundle, attached as it is; None when another process has just uninstalled it."""
    try:
        try:
            return bundle, await _open_bundle(ports, engine, bundle, alias)
        except NotFoundError:
            settled = await _settled(ports, bundle.id)
            return (settled, await _open_bundle(ports, engine, settled, alias)) if settled else None
    except (IndexFileError, NewerFormatError, NotFoundError) as error:
        raise IndexFileError(
            f"the index of the bundle {bundle.id} can't be used: {error.message}",
            code=error.code if isinstance(error, IndexFileError) else None,
            hint=f"Install {bundle.id} again, or uninstall it.",
        ) from error


async def _open_bundle(ports: Ports, engine: SqlEngine, bundle: InstalledBundle, alias: str) -> IndexFile:
    assert bundle.index is not None
    return await open_index(engine, alias, ports.tree, f"{bundle.path}/{bundle.index.path}")


async def _settled(ports: Ports, bundle_id: str) -> InstalledBundle | None:
    """A bundle as it is registered when whoever moves bundles now is done, or has had long enough."""
    for _ in range(SWAP_POLLS_COUNT):
        await finish_interrupted_install(ports)
        if not await _is_swapping(ports):
            break
        await asyncio.sleep(SWAP_POLL_SECONDS)
    return next((bundle for bundle in await _indexed_bundles(ports) if bundle.id == bundle_id), None)


def _bundle_source(ports: Ports, bundle: InstalledBundle, index: IndexFile) -> Source:
    return replace(
        source_of(index, ports.tree, bundle.id),
        kb="",
        path_prefix=f"{bundle.path}/",
        tier="bundle",
        bundle=bundle.id,
        version=bundle.version,
    )


async def _hidden_of(ports: Ports, engine: SqlEngine, bundle: InstalledBundle, index: IndexFile) -> frozenset[int]:
    """The concepts of a bundle that must not be shown, by number."""
    if ports.sees is everything:
        return frozenset()
    rows = await engine.query(f"SELECT number, path FROM {index.alias}.concept")
    return frozenset(int(number or 0) for number, path in rows if not ports.sees(f"{bundle.path}/{path!s}"))


def _coverage(found: Scan, own: Own, shipped: list[IndexFile], hidden: list[frozenset[int]]) -> Coverage:
    """How many notes there are, of the folder and its bundles, and how many of them are searched."""
    in_bundles = sum(index.concepts - len(masked) for index, masked in zip(shipped, hidden, strict=True))
    absent = len(found.skipped_for("not-downloaded"))
    problems = own.problems + sum(index.problems for index in shipped) + absent
    return Coverage(own.concepts + in_bundles, len(found.notes) + in_bundles + absent, problems, mode="hybrid")
