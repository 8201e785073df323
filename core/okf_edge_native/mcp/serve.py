"""`okf mcp serve`: the HTTP endpoint in one process. It does not start where it would answer everybody."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from dataclasses import dataclass

from okf_edge.errors import InputError, UnavailableError
from okf_edge.limits import LIMITS
from okf_edge.policy.authenticate import Token
from okf_edge.policy.pipeline import Watch
from okf_edge_native import tokens
from okf_edge_native.issued import Issuer
from okf_edge_native.mcp.host import NativeHost, service_of
from okf_edge_native.mcp.http import LOOPBACK, PATH, Endpoint, Issued, Settings
from okf_edge_native.system import SystemClock

_REREAD_SECONDS = 2.0
"""How soon a revoked token stops working."""


@dataclass(slots=True)
class KnownTokens:
    """The tokens that are accepted: those that were created, and that of a file; read anew every few seconds."""

    file: str = ""
    _kept: tuple[Token, ...] = ()
    _at: float = float("-inf")

    async def __call__(self) -> Sequence[Token]:
        clock = SystemClock()
        if clock.monotonic() - self._at > _REREAD_SECONDS:
            own = (tokens.token_in(self.file, clock.now()),) if self.file else ()
            self._kept, self._at = (*own, *await tokens.read_tokens()), clock.monotonic()
        return self._kept


@dataclass(frozen=True, slots=True)
class Bound:
    """Where a server listens."""

    host: str
    port: int
    listener: socket.socket

    @property
    def url(self) -> str:
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{shown}:{self.port}/mcp"


def issuer_of(url: str, resource: str) -> Issuer:
    """The issuer whose tokens for this server are accepted: for its endpoint, or for all that it is called."""
    return Issuer(url, (f"{resource}{PATH}", resource), SystemClock())


async def ready(known: KnownTokens) -> None:
    """Raises InputError: no token would be accepted, so nobody could be answered, or everybody would be."""
    now = SystemClock().now()
    if not any(not token.refusal_at(now) for token in await known()):
        raise InputError(
            "expected at least one valid token, found none: the server does not start without",
            code="unauthenticated",
            hint="Create one: `okf token create NAME`, or pass --token-file.",
        )


def bind(host: str, port: int) -> Bound:
    """Raises UnavailableError: the port is taken, or the address is not ours."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(LIMITS.http_requests_count)
    except (OSError, OverflowError) as error:
        raise UnavailableError(
            f"can't listen on {host}:{port}: {error}", code="port-taken", hint="Take another port."
        ) from error
    return Bound(host, listener.getsockname()[1], listener)


def hosts_of(bound: Bound, allowed: Sequence[str]) -> frozenset[str]:
    """The names that the server goes by: loopback ones while it listens there, and those that were allowed."""
    is_loopback = bound.host in ("127.0.0.1", "::1", "localhost")
    own = LOOPBACK if is_loopback else frozenset({bound.host.lower()}) - {"0.0.0.0", "::"}
    return own | {name.lower() for name in allowed}


def serve(
    bound: Bound,
    host: NativeHost,
    known: KnownTokens,
    settings: Settings,
    issued: Issued | None = None,
    watch: Watch | None = None,
) -> None:
    """Serve until the process is told to stop; what is being answered is answered first."""
    import uvicorn

    from okf_edge_native.mcp.patience import Impatient

    config = uvicorn.Config(
        Endpoint(service_of(host, watch=watch, seconds=LIMITS.call_seconds), known, settings, issued),
        log_level="error",  # what callers get wrong is told to them, not to a log that they could fill
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        ws="none",
        http=Impatient,
        limit_concurrency=2 * LIMITS.http_requests_count,
        timeout_keep_alive=int(LIMITS.http_idle_seconds),
        timeout_graceful_shutdown=10,
    )
    asyncio.run(uvicorn.Server(config).serve(sockets=[bound.listener]))
