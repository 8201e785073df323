"""Questions on their way from `api` to `search` and back: the message, and the `Searcher` that sends it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from okf_edge.errors import FormatError, TooLargeError, UnavailableError
from okf_edge.feed.release import Release
from okf_edge.policy.rules import PathRules
from okf_edge.retrieval.answer import Answer, from_json
from okf_edge.retrieval.request import Filters, SearchRequest
from okf_edge_lambda import clients, faults
from okf_edge_lambda.settings import settings

Message = Mapping[str, Any]
Invoked = Callable[[Message], Awaitable[Message]]

MESSAGE_BYTES = 6 * 1024 * 1024 - 1024
"""What an invocation takes and gives."""


@dataclass(frozen=True, slots=True)
class Ref:
    """One bundle to search. `bytes` are those of its archive, by which shards are weighed."""

    id: str
    version: str
    archive: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Member:
    """The bundles of one creator, as a caller may see them."""

    name: str
    bundles: tuple[Ref, ...]
    rules: PathRules


@dataclass(frozen=True, slots=True)
class Question:
    """What `search` is asked. `absent` tells why a base can't be asked, by name."""

    request: SearchRequest
    members: tuple[Member, ...]
    absent: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RemoteSearcher:
    """The `Searcher` that asks the function `search`."""

    invoke: Invoked
    members: Callable[[], Awaitable[Sequence[Mapping[str, object]]]]
    absent: Mapping[str, str]

    async def search(self, request: SearchRequest) -> Answer:
        told = await self.invoke(
            {"request": asdict(request), "members": await self.members(), "absent": dict(self.absent)}
        )
        return from_json(told)


async def invoke_search(message: Message) -> Message:
    return invoke(clients.functions(), message)


def invoke(client: Any, message: Message) -> Message:
    """What the function `search` answers.

    Raises: OkfError: what it says went wrong. UnavailableError: it did not answer. TooLargeError.
    """
    from botocore.exceptions import BotoCoreError, ClientError

    data = json.dumps(message, separators=(",", ":")).encode()
    if len(data) > MESSAGE_BYTES:
        raise TooLargeError(f"expected a question over bundles that fit {MESSAGE_BYTES:,} bytes, found more")
    try:
        reply = client.invoke(FunctionName=settings().search_function, Payload=data)
        told = json.loads(reply["Payload"].read())
    except (BotoCoreError, ClientError, ValueError) as error:
        raise UnavailableError("the function `search` did not answer", hint="Try again in a moment.") from error
    if reply.get("FunctionError"):
        is_slow = "timed out" in str(told.get("errorMessage", "")).lower()
        raise UnavailableError(
            "the function `search` did not finish", code="too-slow" if is_slow else None, hint="Try again in a moment."
        )
    if "error" in told:
        raise faults.raised(told["error"])
    return dict(told)


def member_of(name: str, releases: Sequence[Release], rules: PathRules) -> Mapping[str, object]:
    """A base, as the message names it."""
    bundles = [{"id": r.id, "version": r.version, "archive": r.sha256, "bytes": r.bytes} for r in releases]
    return {"name": name, "bundles": bundles, "allow": rules.allow, "deny": rules.deny}


def question_from(message: Message) -> Question:
    """The question in a message. Raises FormatError: there is none. InputError: it can't be asked."""
    try:
        request = dict(message["request"])
        filters = Filters(**{name: tuple(values) for name, values in request.pop("filters").items()})
        members = tuple(map(_member, message["members"]))
        return Question(SearchRequest(filters=filters, **request), members, dict(message["absent"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError("expected a question for `search`, found something else", code="bad-message") from error


def message_of(question: Question) -> dict[str, Any]:
    """The question as a message."""
    members = [
        {"name": each.name, "bundles": [asdict(ref) for ref in each.bundles], "allow": each.rules.allow,
         "deny": each.rules.deny}
        for each in question.members
    ]  # fmt: skip
    return {"request": asdict(question.request), "members": members, "absent": dict(question.absent)}


def _member(told: Mapping[str, Any]) -> Member:
    allow = told["allow"]
    rules = PathRules(None if allow is None else tuple(allow), tuple(told["deny"]))
    return Member(str(told["name"]), tuple(Ref(**each) for each in told["bundles"]), rules)
