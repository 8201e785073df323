"""The JavaScript side of the worker as Python sees it: a module that `runtime/worker/serve.ts` registers.

Everything crosses as JSON text and bytes, so that neither side holds objects of the other.
"""

from __future__ import annotations

import json
from typing import Any, Protocol, cast

from okf_edge_wasm.failures import error_of


class JsBytes(Protocol):
    """A Uint8Array."""

    def to_bytes(self) -> bytes: ...


class _Reply(Protocol):
    """Any of these is absent where it does not apply."""

    failure: str
    json: str
    data: JsBytes


class _Asking(Protocol):
    async def ask(self, service: str, argument: str, data: Any = None) -> _Reply: ...

    def tell(self, message: str) -> None: ...


def module() -> Any:
    """The registered module."""
    import okf_edge_bridge  # type: ignore[import-not-found]

    return okf_edge_bridge


class Page:
    """What the worker asks of its page."""

    def __init__(self, bridge: _Asking) -> None:
        self._bridge = bridge

    async def ask(self, service: str, argument: dict[str, Any], data: bytes | None = None) -> Any:
        """The value of the reply. Raises the OkfError that the page's failure stands for."""
        return (await self._reply(service, argument, data))[0]

    async def bytes_of(self, service: str, argument: dict[str, Any]) -> bytes:
        return (await self._reply(service, argument, None))[1]

    async def ask_both(self, service: str, argument: dict[str, Any]) -> tuple[Any, bytes]:
        return await self._reply(service, argument, None)

    def tell(self, message: dict[str, Any]) -> None:
        self._bridge.tell(json.dumps(message))

    async def _reply(self, service: str, argument: dict[str, Any], data: bytes | None) -> tuple[Any, bytes]:
        text = json.dumps(argument)
        reply = await (self._bridge.ask(service, text) if data is None else self._bridge.ask(service, text, _js(data)))
        if failure := getattr(reply, "failure", None):
            raise error_of(json.loads(failure), service, argument)
        value, found = getattr(reply, "json", None), getattr(reply, "data", None)
        return json.loads(value) if value else None, found.to_bytes() if found else b""


def _js(data: bytes) -> Any:
    """A Uint8Array of its own, which can be transferred."""
    from pyodide.ffi import to_js  # type: ignore[import-not-found]

    return cast(Any, to_js(data))
