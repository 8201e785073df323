"""Whoever opens connections and sends nothing, or little, holds no place; whoever is being answered keeps theirs."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import uvicorn

from okf_edge_native.mcp.patience import Impatient


class Quick(Impatient):
    patience_seconds = 0.3


async def application(scope: Any, receive: Any, send: Any) -> None:
    await asyncio.sleep(1.2 if scope["path"] == "/slow" else 0)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


async def test_idle_connections_are_closed_and_working_ones_are_not() -> None:
    config = uvicorn.Config(application, port=0, lifespan="off", log_level="error", ws="none", http=Quick)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]

    async def sends(*parts: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        data = b""
        with contextlib.suppress(ConnectionError):  # it was closed while we wrote
            for part in parts:
                writer.write(part)
                await asyncio.sleep(0.1)
            data = await asyncio.wait_for(reader.read(), 20)
        writer.close()
        return data

    head = b"GET / HTTP/1.1\r\nHost: x\r\n"
    whole, slow = head + b"\r\n", b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"
    assert await sends(b"") == await sends(b"GET") == await sends(head) == b""
    assert await sends(head, b"A: b\r\n", b"C: d\r\n", b"E: f\r\n", b"G: h\r\n", b"I: j\r\n") == b""
    assert (await sends(whole)).endswith(b"ok")
    assert (await sends(whole, head)).count(b"200") == 1
    assert (await sends(slow)).endswith(b"ok")
    assert (await sends(whole, slow)).count(b"ok") == 2
    server.should_exit = True
    await asyncio.wait_for(task, 20)
