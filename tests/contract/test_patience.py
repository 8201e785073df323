"""Whoever opens connections and sends nothing, or little, or reads nothing, holds no place; others keep theirs."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import Any

import pytest
import uvicorn

from okf_edge_native.mcp.patience import Impatient


class Quick(Impatient):
    patience_seconds = 0.3


LARGE = 32 * 1024 * 1024
"""More than systems buffer for a connection."""


async def application(scope: Any, receive: Any, send: Any) -> None:
    await asyncio.sleep({"/slow": 1.2, "/soon": 0.2}.get(scope["path"], 0))
    body = b"x" * {"/large": LARGE, "/many": LARGE // 100}.get(scope["path"], 0) or b"ok"
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def started() -> tuple[uvicorn.Server, asyncio.Task[None], int]:
    config = uvicorn.Config(application, port=0, lifespan="off", log_level="error", ws="none", http=Quick)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    return server, task, server.servers[0].sockets[0].getsockname()[1]


async def stop(server: uvicorn.Server, task: asyncio.Task[None]) -> None:
    server.should_exit = True
    await asyncio.wait_for(task, 20)


async def test_idle_connections_are_closed_and_working_ones_are_not() -> None:
    server, task, port = await started()

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
    dripped = [head, b"A: b\r\n", b"C: d\r\n", b"E: f\r\n", b"G: h\r\n", b"I: j\r\n"]
    *idle, one, begun, worked, both = await asyncio.gather(
        sends(b""), sends(b"GET"), sends(head), sends(*dripped),
        sends(whole), sends(whole, head), sends(slow), sends(whole, slow),
    )  # fmt: skip
    assert idle == [b""] * 4
    assert one.endswith(b"ok") and worked.endswith(b"ok")
    assert begun.count(b"200") == 1
    assert both.count(b"ok") == 2
    await stop(server, task)


@pytest.mark.parametrize("path", ["/large", "/many"])
async def test_a_client_that_does_not_read_its_answers_loses_its_connection(path: str) -> None:
    server, task, port = await started()
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * (1 if path == "/large" else 300))
    async with asyncio.timeout(20):
        while not server.server_state.connections:
            await asyncio.sleep(0.01)
        while server.server_state.connections:
            await asyncio.sleep(0.05)
    client.close()
    await stop(server, task)


async def test_a_client_that_reads_slowly_gets_its_whole_answer() -> None:
    server, task, port = await started()
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
    writer.write(b"GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    await asyncio.sleep(Quick.patience_seconds)
    assert len(await asyncio.wait_for(reader.read(), 20)) > LARGE
    writer.close()
    await stop(server, task)


async def test_who_has_sent_a_whole_request_and_no_more_gets_its_answer_and_is_closed() -> None:
    server, task, port = await started()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /soon HTTP/1.1\r\nHost: x\r\n\r\n")
    await asyncio.sleep(0.1)
    writer.write_eof()
    assert (await asyncio.wait_for(reader.read(), 2)).endswith(b"ok")
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /soon HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\ncut")
    await asyncio.sleep(0.1)
    writer.write_eof()
    assert await asyncio.wait_for(reader.read(), 2) == b""
    await stop(server, task)
