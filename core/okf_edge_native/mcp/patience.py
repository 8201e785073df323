"""Connections that wait for a request that does not come: they are closed, so that others get their places."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from okf_edge.limits import LIMITS


class Impatient(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, where neither the first request of a connection nor a later one may take for ever.

    A request counts from its last header on; how long its body may take is the application's to say.
    """

    patience_seconds = LIMITS.http_idle_seconds
    _seen: RequestResponseCycle | None = None
    _next_look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._look_later()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._next_look:
            self._next_look.cancel()
        super().connection_lost(exc)

    def _look_later(self) -> None:
        self._next_look = self.loop.call_later(self.patience_seconds, self._look)

    def _look(self) -> None:
        """Close the connection when no request came since the last look, and none is worked on."""
        is_working = self.cycle is not None and not self.cycle.response_complete
        if self.cycle is self._seen and not is_working:
            self.transport.close()
            return
        self._seen = self.cycle
        self._look_later()
