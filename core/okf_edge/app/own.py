"""The folder's own notes as sources of an answer: the base index, and a delta of what changed since.

Rules:
1. A folder without an index gets one; so does one whose index has no vectors, once a model that suits it is at hand.
2. An index that is damaged or of another version is derived data: it is made anew, and that is said.
3. What changed is answered from a delta in memory; when much has, it is folded into a new base.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from okf_edge.app import addresses
from okf_edge.app.home import home_of_index
from okf_edge.app.ports import Ports
from okf_edge.errors import IndexFileError
from okf_edge.index.comparison import compare, is_unchanged, known_concepts
from okf_edge.index.files import IndexFile, open_index
from okf_edge.ports import FileTree, SqlEngine
from okf_edge.retrieval.request import SearchRequest
from okf_edge.retrieval.source import Source
from okf_edge.workspace import layout
from okf_edge.workspace.scan import Scan

BASE = "base"


@dataclass(frozen=True, slots=True)
class Own:
    """The sources of the folder's notes, how many of them hold, and how many of these have problems."""

    sources: tuple[Source, ...] = ()
    concepts: int = 0
    problems: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of which folder, and the model that its index has to have (empty: any).

    `alias` names its index in SQL: several folders may be asked through one engine.
    """

    request: SearchRequest
    found: Scan
    name: str
    wanted: str = ""
    alias: str = BASE


async def own_sources(ports: Ports, engine: SqlEngine, question: Question) -> Own:
    """Attach what answers for the folder's own notes as they are now.

    Raises: ModelError: the wanted model is not at hand. NewerFormatError. UnavailableError.
    """
    async with ports.turn:
        index, home = await _opened(ports, engine, question)
        present = [(note.stat, note.tier) for note in question.found.notes]
        if is_unchanged(compare(await known_concepts(engine, question.alias), present)):
            return Own((source_of(index, ports.tree, question.name),), index.concepts, index.problems)
        return await _refreshed(ports, engine, index, home, question)


async def _opened(ports: Ports, engine: SqlEngine, question: Question) -> tuple[IndexFile, FileTree]:
    """The base index, attached; built first when there is none, or not one that serves the question."""
    home = await home_of_index(ports)
    if home is not None:
        try:
            index = await open_index(engine, question.alias, home, layout.INDEX)
        except IndexFileError as error:
            ports.progress.message(f"the index is made anew: {error.message}")
        else:
            if not await _lacks_vectors(ports, index, question):
                return index, home
            await engine.detach(question.alias)
    from okf_edge.app.base import build_base

    built = await build_base(ports, question.found, question.wanted)
    return await open_index(engine, question.alias, built.tree, layout.INDEX), built.tree


async def _lacks_vectors(ports: Ports, index: IndexFile, question: Question) -> bool:
    """Whether the index has to be built anew so that the question can be asked as it is meant.

    An index of a model that is not at hand is kept: it was made on another machine, and may go back there.
    """
    if question.wanted:
        return index.embedder != question.wanted
    if not question.request.dense or not question.found.notes:
        return False
    at_hand = {spec.id: spec.digest for spec in await ports.models.specs()}
    if index.embedder:
        return at_hand.get(index.embedder, index.embedder_digest) != index.embedder_digest
    return bool(at_hand) and await _suits_a_model(ports, question.found)


async def _suits_a_model(ports: Ports, found: Scan) -> bool:
    from okf_edge.app.embedders import embedder_for
    from okf_edge.app.notes import Notes

    return await embedder_for(ports, "", await Notes(ports.tree, found.notes).sample()) is not None


async def _refreshed(ports: Ports, engine: SqlEngine, index: IndexFile, home: FileTree, question: Question) -> Own:
    """The base with the delta of what changed, or a new base when much has."""
    from okf_edge.app.delta import delta_of, folded

    refreshed = await delta_of(ports, engine, index, home, question.found, question.request.dense)
    if new := await folded(ports, engine, refreshed, home):
        return Own((source_of(new, ports.tree, question.name),), new.concepts, new.problems)
    base = replace(source_of(index, ports.tree, question.name), masked=refreshed.masked, relinked=refreshed.relinked)
    delta = refreshed.delta
    concepts, problems = index.concepts - len(refreshed.masked), index.problems
    problems -= await _problems_among(engine, index.alias, refreshed.masked)
    if delta is None:
        return Own((base,), concepts, problems)
    sources = (base, source_of(delta, ports.tree, question.name))
    return Own(sources, concepts + delta.concepts, problems + delta.problems)


async def _problems_among(engine: SqlEngine, alias: str, masked: frozenset[int]) -> int:
    numbers = ",".join(map(str, sorted(masked))) or "NULL"
    rows = await engine.query(f"SELECT count(*) FROM {alias}.concept WHERE problems > 0 AND number IN ({numbers})")
    return int(rows[0][0] or 0)


def source_of(index: IndexFile, tree: FileTree, name: str) -> Source:
    """An attached index of notes in `tree`, under the name of its knowledge base."""
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
