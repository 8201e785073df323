"""The function `search`: answers questions over the bundles that `api` names.

Indexes, pages and models are fetched from the bucket when they are first asked for, and stay on this environment's
disk. Who may see which bundle was decided before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from okf_edge.app import federation
from okf_edge.app.ports import Ports
from okf_edge.app.view import seen_by
from okf_edge.errors import NotFoundError, OkfError
from okf_edge.inmemory.files import MemoryTree
from okf_edge.retrieval.answer import to_json
from okf_edge_lambda import environment, faults, store
from okf_edge_lambda.host import ports_over
from okf_edge_lambda.searching import Member, Question, question_from
from okf_edge_lambda.served import ServedBundle
from okf_edge_lambda.telling import count, logger, metrics, tracer
from okf_edge_lambda.tree import ServedTree
from okf_edge_native.duckdb_engine import DuckdbSql

environment.keep_snapshots_clean()


@logger.inject_lambda_context
@tracer.capture_lambda_handler(capture_response=False)
@metrics.log_metrics
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    try:
        environment.shelf().begin()
        return environment.run(answer(question_from(event)))
    except OkfError as error:
        count("SearchFailed")
        logger.warning("search failed", extra={"code": error.code, "reason": error.message})
        return faults.told(error)


async def answer(question: Question) -> dict[str, Any]:
    opened = await open_members(question)
    found = await federation.ask_all(opened.members, opened.absent, question.request)
    return to_json(found)


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
    whole = ports_over(tree, DuckdbSql, environment.models(), feed=store.feed(), device=MemoryTree())
    return seen_by(whole, member.rules.admits, MemoryTree) if member.rules else whole
