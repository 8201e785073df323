"""Who calls, on the routes beside `/mcp`: the same tokens, the same refusal, the same log."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

from okf_edge.errors import PolicyError, UnavailableError
from okf_edge.policy import authorise, pipeline
from okf_edge.policy.authenticate import authenticate, is_jwt
from okf_edge.policy.caller import Caller, Scope
from okf_edge_native.mcp.http import Endpoint

Asgi = Any
"""An ASGI application: each library has its own idea of the type."""


async def caller_of(endpoint: Endpoint, authorization: str, scope: Scope, *, is_counted: bool = True) -> Caller:
    """Args: is_counted: it counts as one call; otherwise the pipeline counts it.

    Raises: PolicyError (`unauthenticated`, or `forbidden` when the scope is not granted), UnavailableError."""
    shown = _token_in(authorization)
    guards = endpoint.service.guards
    try:
        if endpoint.issued and is_jwt(shown):
            caller = await endpoint.issued(shown)
        else:
            caller = authenticate(shown, await endpoint.tokens(), guards.clock.now())
    except PolicyError as error:
        await pipeline.record_refusal(guards, "http", error, str(error.details.get("reason", "")))
        raise
    except UnavailableError as error:
        raise UnavailableError("tokens can't be checked at present", hint="Try again in a moment.") from error
    authorise.require_scope(caller, scope, "this")
    if is_counted:
        guards.buckets.take(caller.name, "read", guards.clock.monotonic())
    return caller


def _token_in(authorization: str) -> str:
    """The bearer token, or the password of Basic: the only way that a plain web client knows."""
    scheme, _, shown = authorization.partition(" ")
    if scheme.lower() == "basic":
        try:
            return b64decode(shown.strip(), validate=True).decode().partition(":")[2]
        except ValueError:
            return ""
    return shown.strip() if scheme.lower() == "bearer" else ""
