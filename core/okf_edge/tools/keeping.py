"""`list_kbs`, `map`, `stale`, `health`, `list_bundles`, `neighbours`: what there is, and how it is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from okf_edge.app import lifecycle
from okf_edge.app.linking import Neighbour, neighbours
from okf_edge.app.ports import Config
from okf_edge.bundles.registry import read_registry
from okf_edge.policy.call import Result
from okf_edge.tools import inputs, results
from okf_edge.tools.host import World, meant
from okf_edge.tools.marking import shown
from okf_edge.workspace.health import PASSES
from okf_edge.workspace.reports import health_json, orientation_json, staleness_json

MOST_NEIGHBOURS = 200
"""In each direction: beyond it a page is a listing."""

MOST_LISTED = 200
"""Entries of one list in a report; its counts tell of all."""


async def list_kbs(world: World, asked: inputs.Nothing) -> Result:
    known = await world.known()
    default = meant(world.host.default, known)
    lines = [
        results.KbLine(
            name=base.name,
            default=base.name == default,
            problem=base.problem,
            place=base.place if world.caller.is_local else "",
        )
        for base in known
    ]
    names = ", ".join(base.name for base in known)
    return Result(results.KbList(kbs=lines).model_dump(mode="json"), names or "no knowledge base is registered")


async def orient(world: World, asked: inputs.OfBase) -> Result:
    base = await world.base(asked.kb)
    found = await lifecycle.orientation(world.host.ports(base, world.caller), Config(base.name))
    counts = found.counts
    text = f"{base.name}: {counts.compiled} compiled pages, {counts.notes} notes, {counts.bundles} bundles"
    return _report(orientation_json(found), f"{text}; {counts.stale} stale, {counts.inbox} in the inbox")


async def stale(world: World, asked: inputs.OfBase) -> Result:
    base = await world.base(asked.kb)
    found = await lifecycle.stale(world.host.ports(base, world.caller))
    text = f"{len(found.stale)} stale pages, {len(found.uncooked)} notes that no page cites, "
    return _report(staleness_json(found), f"{text}{len(found.dangling)} citations that lead nowhere")


async def health(world: World, asked: inputs.OfBase) -> Result:
    base = await world.base(asked.kb)
    found = await lifecycle.health(world.host.ports(base, world.caller), Config(base.name))
    return _report(health_json(found, PASSES), f"health {found.score} of 100; {len(found.findings)} findings")


async def list_bundles(world: World, asked: inputs.OfBase) -> Result:
    base = await world.base(asked.kb)
    registry = await read_registry(world.host.ports(base, world.caller).tree)
    lines = [
        results.BundleLine(
            id=each.id, version=each.version, title=each.title, signature=each.signature, index=each.index_origin
        )
        for _, each in sorted(registry.bundles.items())
    ]
    found = results.BundleList(kb=base.name, bundles=lines)
    return _report(found.model_dump(mode="json"), ", ".join(f"{each.id} {each.version}" for each in lines) or "none")


async def link_graph(world: World, asked: inputs.Neighbours) -> Result:
    base = await world.base(asked.kb)
    found = await neighbours(world.host.ports(base, world.caller), asked.page)
    cut = sum(max(0, len(each) - MOST_NEIGHBOURS) for each in (found.links, found.linked_from))
    told = results.NeighbourList(
        kb=base.name, path=found.path, links=_lines(found.links), linked_from=_lines(found.linked_from), cut=cut
    )
    text = f"links to {len(found.links)} pages, linked from {len(found.linked_from)}"
    return _report(told.model_dump(mode="json"), text)


def _lines(found: Sequence[Neighbour]) -> list[results.NeighbourLine]:
    return [
        results.NeighbourLine(path=each.path, title=each.title, line=each.line, cites=each.cites)
        for each in found[:MOST_NEIGHBOURS]
    ]


def _report(content: Mapping[str, Any], text: str) -> Result:
    """A report with its texts made visible, and its lists cut to what is worth reading; its counts stay whole."""
    told = {name: value[:MOST_LISTED] if isinstance(value, list) else value for name, value in content.items()}
    more = sum(
        len(value) - MOST_LISTED for value in content.values() if isinstance(value, list) and len(value) > MOST_LISTED
    )
    note = f" (the lists are cut by {more} entries)" if more else ""
    return Result(cast(Mapping[str, Any], shown(told)), f"{shown(text)}{note}")
