"""A question over more bundles than one environment holds: parts of it are asked of more of them, and merged.

Rules:
1. Bundles are dealt out by the size of their archives, the largest first, each to the shard that has least: the same
   bundles always to the same shards, so that what an environment has fetched is asked of it again.
2. A shard that does not answer in time is left out, and the answer says so. None at all is an error.
"""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from math import ceil
from typing import Any, cast

from okf_edge.app.federation import Below, with_own_paths
from okf_edge.errors import OkfError, UnavailableError
from okf_edge.ports import FileTree
from okf_edge.retrieval import part_json, parts
from okf_edge.retrieval.answer import Answer
from okf_edge.retrieval.meaning import Question as Asked
from okf_edge.retrieval.meaning import Questions, identity_of
from okf_edge.retrieval.parts import Contribution
from okf_edge_lambda import clients, environment
from okf_edge_lambda.searching import Member, Message, Question, Ref, invoke, message_of
from okf_edge_lambda.settings import settings
from okf_edge_lambda.telling import count
from okf_edge_lambda.tree import ServedTree
from okf_edge_native.system import SystemClock

MOST_SHARDS = 200
NAMED_COUNT = 5
"""Bundles that a note names; more are counted."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A shard that answered, and with what."""

    shard: Question
    told: Message


def is_too_large(question: Question) -> bool:
    """Whether one environment should not answer it alone."""
    return sum(ref.bytes for member in question.members for ref in member.bundles) > settings().shard_bytes


def dealt(question: Question, budget: int) -> list[Question]:
    """The question for each shard. Raises: UnavailableError: it would take too many."""
    every = [(ref, member) for member in question.members for ref in member.bundles]
    total = sum(ref.bytes for ref, _ in every)
    wanted = min(ceil(total / budget), len(every))
    if wanted > MOST_SHARDS:
        raise UnavailableError(
            f"expected bundles for at most {MOST_SHARDS} shards, found {wanted}",
            code="too-many-bundles",
            hint="Ask of one creator (kb), or give tokens fewer.",
        )
    loads = [0] * wanted
    hands: list[list[tuple[Ref, Member]]] = [[] for _ in loads]
    for ref, member in sorted(every, key=lambda each: (-each[0].bytes, each[0].archive)):
        at = loads.index(min(loads))
        loads[at] += ref.bytes
        hands[at].append((ref, member))
    return [replace(question, members=_members(hand), absent={}) for hand in hands]


async def answer(question: Question) -> Answer:
    """The answer of all shards that answer in time."""
    asked = dealt(question, settings().shard_bytes)
    count("Shards", len(asked))
    tallied = await _all(asked, [{"op": "tally"}] * len(asked))
    vocabularies = parts.vocabularies(question.request, [part_json.tally_from(each.told) for each in tallied])
    more = [
        {"op": "contribute", "vocabulary": part_json.vocabulary_json(vocabulary), "sources": each.told["sources"]}
        for vocabulary, each in zip(vocabularies, tallied, strict=True)
    ]
    given = await _all([each.shard for each in tallied], more)
    contributions = [part_json.contribution_from(each.told, _tree_of(each.shard)) for each in given]
    note = _note(question.absent, asked, [each.shard for each in given])
    merged = await parts.merge(
        question.request, contributions, vocabularies[0], await _questions(contributions), SystemClock(), note
    )
    return with_own_paths(merged)


async def _all(asked: Sequence[Question], more: Sequence[Mapping[str, Any]]) -> list[Heard]:
    """What the shards tell that answer in time. Raises UnavailableError: none does."""
    messages = [{**message_of(shard), **each} for shard, each in zip(asked, more, strict=True)]
    told = await asyncio.gather(*(_one(message) for message in messages))
    heard = [Heard(shard, each) for shard, each in zip(asked, told, strict=True) if each is not None]
    if not heard:
        raise UnavailableError("no part of the question was answered in time", code="too-slow", hint="Try again.")
    return heard


async def _one(message: Message) -> Message | None:
    seconds = settings().shard_seconds
    work = asyncio.get_running_loop().run_in_executor(_pool(), invoke, clients.shards(seconds), message)
    try:
        return await asyncio.wait_for(work, seconds)
    except (OkfError, TimeoutError):
        count("ShardFailed")
        return None


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(clients.CONNECTIONS)


def _members(hand: Sequence[tuple[Ref, Member]]) -> tuple[Member, ...]:
    by_name: dict[str, list[Ref]] = {}
    known = {member.name: member for _, member in hand}
    for ref, member in hand:
        by_name.setdefault(member.name, []).append(ref)
    return tuple(replace(known[name], bundles=tuple(refs)) for name, refs in sorted(by_name.items()))


def _tree_of(shard: Question) -> part_json.TreeOf:
    """Opens the pages of one bundle of a shard, for what is quoted."""
    archives = {(member.name, ref.id): ref.archive for member in shard.members for ref in member.bundles}

    def tree_of(source: Mapping[str, Any]) -> FileTree:
        archive = archives[source["kb"], source["bundle"]]

        async def bundle() -> Any:
            return [await environment.library().bundle(archive)]

        return cast(FileTree, Below(ServedTree(bundle, environment.shelf()), f"{source['kb']}/"))

    return tree_of


async def _questions(contributions: Sequence[Contribution]) -> Questions:
    """By which models the shards have searched; their vectors stayed there."""
    used = {
        identity_of(source)
        for part in contributions
        for source, moments in zip(part.sources, part.moments, strict=True)
        if moments.count
    }
    specs = await environment.models().specs()
    return Questions(
        {(each.id, each.digest): Asked(each, array("f")) for each in specs if (each.id, each.digest) in used}
    )


def _note(absent: Mapping[str, str], asked: Sequence[Question], heard: Sequence[Question]) -> str:
    notes = [f"{name} {reason}" for name, reason in absent.items()]
    silent = [shard for shard in asked if not any(shard is each for each in heard)]
    if silent:
        ids = sorted(ref.id for shard in silent for member in shard.members for ref in member.bundles)
        more = f" and {len(ids) - NAMED_COUNT} more" if len(ids) > NAMED_COUNT else ""
        notes.append(
            f"a partial answer: {len(silent)} of {len(asked)} shards did not answer in time; left out are "
            f"{', '.join(ids[:NAMED_COUNT])}{more}"
        )
    return "; ".join(notes)
