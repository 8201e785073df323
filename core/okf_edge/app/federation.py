"""One question over many knowledge bases: their indexes are one corpus, with one ranking and one rarity of each word.

Rules:
1. Every place says which base it is from; its path opens in that base.
2. A base that can't be asked is named, with the reason; only when none can is that an error.
3. A bundle that several bases installed is searched once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from okf_edge.app.asking import Gathered, gather
from okf_edge.app.ports import Ports
from okf_edge.errors import InputError, OkfError
from okf_edge.ports import FileTree, SqlEngine
from okf_edge.retrieval.answer import Answer, Candidate, Coverage
from okf_edge.retrieval.request import SearchRequest
from okf_edge.retrieval.search import search
from okf_edge.retrieval.source import Source


@dataclass(frozen=True, slots=True)
class Member:
    """A base under the name that it is registered by."""

    name: str
    ports: Ports


@dataclass(frozen=True, slots=True)
class Federation:
    """The `Searcher` of this process over some bases."""

    members: Sequence[Member]
    absent: Mapping[str, str]

    async def search(self, request: SearchRequest) -> Answer:
        return await ask_all(self.members, self.absent, request)


@dataclass(frozen=True, slots=True)
class Joined:
    """The sources of all bases as one corpus, with the request and the coverage that fit them."""

    request: SearchRequest
    sources: list[Source]
    coverage: Coverage


async def ask_all(
    members: Sequence[Member], absent: Mapping[str, str], request: SearchRequest, wanted: str = ""
) -> Answer:
    """The answer of all bases together.

    Args: absent: why a base can't be asked, by name. wanted: the model of every index; empty for any.
    Raises: InputError: there is no base to ask. Else what asking the only bases raises.
    """
    reasons = dict(absent)
    if not members:
        named = "; ".join(f"{name} {reason}" for name, reason in reasons.items())
        raise InputError(
            f"expected a knowledge base to ask, found none{': ' if named else ''}{named}",
            code="no-base",
            hint="Register one: `okf kb add NAME DIR`.",
        )
    first = members[0].ports
    engine = first.engine()
    try:
        joined = await join(members, reasons, request, engine, wanted)
        answer = await search(joined.request, joined.sources, engine, first.models, first.clock, joined.coverage)
    finally:
        await engine.close()
    return with_own_paths(answer)


async def join(
    members: Sequence[Member], absent: Mapping[str, str], request: SearchRequest, engine: SqlEngine, wanted: str = ""
) -> Joined:
    """Attach what answers for all bases. Raises what attaching the only bases raises."""
    reasons, found = dict(absent), dict[str, Gathered]()
    for number, member in enumerate(members):
        try:
            found[member.name] = await gather(member.ports, engine, request, member.name, wanted, f"_of_{number}")
        except OkfError as error:
            is_last_hope = not found and number == len(members) - 1
            if is_last_hope:
                raise
            reasons[member.name] = f"could not be searched: {error.message}"
    return Joined(_within(request, list(found)), _sources(found), _coverage(found, reasons))


def with_own_paths(answer: Answer) -> Answer:
    """The answer with paths that open in the base of each place."""
    return replace(
        answer,
        candidates=tuple(map(_own_path, answer.candidates)),
        near=tuple(map(_own_path, answer.near)),
    )


def _within(request: SearchRequest, names: Sequence[str]) -> SearchRequest:
    """The request with each wanted path below every base."""
    paths = tuple(f"{name}/{path.removeprefix('./').strip('/')}" for name in names for path in request.filters.paths)
    return replace(request, filters=replace(request.filters, paths=paths))


def _sources(found: Mapping[str, Gathered]) -> list[Source]:
    """All sources, each below the name of its base, so that equal paths of two bases stay apart."""
    sources: list[Source] = []
    bundles: set[tuple[str, str, str]] = set()
    for name, gathered in found.items():
        for source in gathered.sources:
            identity = (source.bundle, source.version, source.embedder_digest)
            if source.bundle and identity in bundles:
                continue
            bundles.add(identity)
            tree = cast(FileTree, Below(source.tree, f"{name}/"))
            sources.append(replace(source, tree=tree, path_prefix=f"{name}/{source.path_prefix}", kb=name))
    return sources


@dataclass(frozen=True, slots=True)
class Below:
    """The reading part of a tree whose paths begin with the name of its base."""

    tree: FileTree
    prefix: str

    async def read(self, path: str, max_bytes: int | None = None) -> bytes:
        return await self.tree.read(path.removeprefix(self.prefix), max_bytes)


def _coverage(found: Mapping[str, Gathered], reasons: Mapping[str, str]) -> Coverage:
    parts = [gathered.coverage for gathered in found.values()]
    return Coverage(
        read=sum(part.read for part in parts),
        found=sum(part.found for part in parts),
        problems=sum(part.problems for part in parts),
        mode="hybrid",
        note="; ".join(f"{name} {reason}" for name, reason in reasons.items()),
    )


def _own_path(candidate: Candidate) -> Candidate:
    return replace(candidate, path=candidate.path.removeprefix(f"{candidate.kb}/"))
