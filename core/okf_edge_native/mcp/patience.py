"""Connections that wait for a request that does not come, or whose client does not read: they are closed, so that
others get their places."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from okf_edge.limits import LIMITS


class Impatient(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, where neither a request nor the reading of its answer may take for ever.

    A request counts from its last header on; how long its body may take is the application's to say. An answer of the
    largest size is read within the same time on the slowest line that is of use.
    """

    patience_seconds = LIMITS.http_idle_seconds
    _seen: RequestResponseCycle | None = None
    _was_unread = False
    _next_look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._look_later()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._next_look:
            self._next_look.cancel()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether to stay: who has sent a whole request, and says that no other follows, gets its answer."""
        cycle = self.cycle
        waits = cycle is not None and not (cycle.more_body or cycle.response_complete)
        if waits:
            cycle.keep_alive = False
        return waits

    def _look_later(self) -> None:
        self._next_look = self.loop.call_later(self.patience_seconds, self._look)

    def _look(self) -> None:
        """Close the connection when no request came since the last look and none is worked on, or nothing was read."""
        is_working = self.cycle is not None and not self.cycle.response_complete
        is_same, is_unread = self.cycle is self._seen, self.transport.get_write_buffer_size() > 0
        if is_same and is_unread and self._was_unread:
            self.transport.abort()  # to close it would wait until all is read
        elif is_same and not is_working and not is_unread:
            self.transport.close()
        else:
            self._seen, self._was_unread = self.cycle, is_unread
            self._look_later()
