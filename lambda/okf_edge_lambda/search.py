"""The function `search`: answers questions over the bundles that `api` names.

Indexes, pages and models are fetched from the bucket when they are first asked for, and stay on this environment's
disk. Who may see which bundle was decided before.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from okf_edge.app import federation
from okf_edge.app.ports import Ports
from okf_edge.app.view import seen_by
from okf_edge.errors import NotFoundError, OkfError, UnavailableError
from okf_edge.inmemory.files import MemoryTree
from okf_edge.ports import SqlEngine
from okf_edge.retrieval import part_json, parts
from okf_edge.retrieval.answer import to_json
from okf_edge.retrieval.lexical import Vocabulary
from okf_edge.retrieval.source import Source
from okf_edge_lambda import environment, faults, shards, store
from okf_edge_lambda.host import ports_over
from okf_edge_lambda.searching import Member, Question, question_from
from okf_edge_lambda.served import ServedBundle
from okf_edge_lambda.telling import count, logger, metrics, tracer
from okf_edge_lambda.tree import ServedTree

environment.keep_snapshots_clean()


@logger.inject_lambda_context
@tracer.capture_lambda_handler(capture_response=False)
@metrics.log_metrics
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    try:
        environment.shelf().begin()
        return environment.run(_told(event))
    except OkfError as error:
        count("SearchFailed")
        logger.warning("search failed", extra={"code": error.code, "reason": error.message})
        return faults.told(error)


async def _told(event: dict[str, Any]) -> dict[str, Any]:
    """What is asked for: an answer, or a part of one."""
    question = question_from(event)
    if event.get("op") == "tally":
        return await tally(question)
    if event.get("op") == "contribute":
        vocabulary = part_json.vocabulary_from(event.get("vocabulary", {}))
        return await contribute(question, vocabulary, event.get("sources"))
    if shards.is_too_large(question):
        return to_json(await shards.answer(question))
    return await answer(question)


async def tally(question: Question) -> dict[str, Any]:
    """Step 1 of a shard."""
    opened = await open_members(question)
    async with _engine() as engine:
        joined = await federation.join(opened.members, opened.absent, question.request, engine)
        told = part_json.tally_json(await parts.tally(engine, joined.sources, joined.request))
        return {**told, "sources": _names_of(joined.sources)}


async def contribute(question: Question, vocabulary: Vocabulary, expected: object) -> dict[str, Any]:
    """Step 2 of a shard. Args: expected: what step 1 was answered from, in that order."""
    opened = await open_members(question)
    async with _engine() as engine:
        joined = await federation.join(opened.members, opened.absent, question.request, engine)
        if _names_of(joined.sources) != expected:
            raise UnavailableError("what this shard holds has changed since the question began", hint="Ask again.")
        given = await parts.contribute(
            engine, joined.sources, environment.models(), joined.request, vocabulary, joined.coverage
        )
        return part_json.contribution_json(given)


def _names_of(sources: Sequence[Source]) -> list[str]:
    return [f"{source.kb}/{source.bundle}@{source.version}" for source in sources]


async def answer(question: Question) -> dict[str, Any]:
    opened = await open_members(question)
    found = await federation.ask_all(opened.members, opened.absent, question.request)
    return to_json(found)


@asynccontextmanager
async def _engine() -> AsyncIterator[SqlEngine]:
    engine = environment.engine().lend()
    try:
        yield engine
    finally:
        await engine.close()


class Opened:
    """Members that can be asked, and why others can't."""

    def __init__(self, absent: dict[str, str]) -> None:
        self.members: list[federation.Member] = []
        self.absent = absent


async def open_members(question: Question) -> Opened:
    """Bring what the question is asked of to this environment."""
    opened = Opened(dict(question.absent))
    for member in question.members:
        bundles = await _bundles(member, opened.absent)
        if not bundles:
            continue
        tree = ServedTree(_given(bundles), environment.shelf())
        await tree.bring()
        opened.members.append(federation.Member(member.name, _ports(tree, member)))
    return opened


def _given(bundles: Sequence[ServedBundle]) -> Any:
    async def given() -> Sequence[ServedBundle]:
        return bundles

    return given


async def _bundles(member: Member, absent: dict[str, str]) -> list[ServedBundle]:
    found = []
    for ref in member.bundles:
        try:
            found.append(await environment.library().bundle(ref.archive))
        except NotFoundError:
            count("NotServed")
            absent[f"{ref.id} {ref.version}"] = "is published, and not indexed yet"
    return found


def _ports(tree: ServedTree, member: Member) -> Ports:
    whole = ports_over(tree, environment.engine().lend, environment.models(), feed=store.feed(), device=MemoryTree())
    return seen_by(whole, member.rules.admits, MemoryTree) if member.rules else whole
