"""Stage 3, authorise: scopes, the read-only switch, and which bases and pages the caller may use."""

from __future__ import annotations

from collections.abc import Collection

from okf_edge.errors import PolicyError
from okf_edge.policy.call import Call, Guarded
from okf_edge.policy.caller import Caller, Scope


def authorise(call: Call, tool: Guarded, *, read_only: bool) -> None:
    """Raises: PolicyError: the call is not allowed, with the same words whether or not what it names exists."""
    caller = call.caller
    if tool.kind == "write" and read_only:
        raise PolicyError(f"{tool.name} writes, and this server is read-only", code="read-only")
    require_scope(caller, tool.scope, tool.name)
    if tool.local_only and not caller.is_local:
        raise PolicyError(f"{tool.name} is for whoever started the server, not over a network", code="forbidden")
    if tool.whole_base and caller.rules:
        raise PolicyError(f"{tool.name} needs a whole base, and this token sees a part of it", code="forbidden")


def require_scope(caller: Caller, scope: Scope, what: str) -> None:
    if scope not in caller.scopes:
        raise PolicyError(
            f"{what} needs the scope {scope}, which this token does not have",
            code="forbidden",
            hint="Ask whoever runs the server for a token with it.",
            details={"scope": scope},
        )


def require_base(call: Call, named: str, known: Collection[str]) -> None:
    """Refuse a base that the caller may not use as one that does not exist.

    Args: known: the bases that the caller may use.
    """
    if named not in known:
        there = ", ".join(sorted(known)) or "none"
        raise PolicyError(
            f"no knowledge base is called {named!r}",
            code="no-base",
            hint=f"There are: {there}.",
            details={"bases": sorted(known)},
        )
