"""The protocol over standard input and output: one JSON message a line, for the one client that started us.

Rules:
1. Nothing but messages reaches standard output; whatever else prints goes to standard error.
2. A message that is too long or no JSON gets its error, and the next line is read as if nothing had happened.
3. When the input ends, what is being answered is answered, and the process ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO

from okf_edge.errors import OkfError, TooLargeError
from okf_edge.limits import LIMITS
from okf_edge.policy.caller import SCOPES, Caller
from okf_edge.policy.parse import parse
from okf_edge_native.mcp.protocol import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, Fault, Protocol, failure

OWNER = Caller("stdio", frozenset(SCOPES), is_local=True)
_TOO_LONG = b""
_LAST_WORDS_SECONDS = 10.0


async def serve(protocol: Protocol) -> None:
    """Serve until the input ends."""
    wire = _take_output()
    lines: asyncio.Queue[bytes | None] = asyncio.Queue(maxsize=64)
    reader = threading.Thread(target=_read, args=(sys.stdin.buffer, lines, asyncio.get_running_loop()), daemon=True)
    reader.start()
    running: dict[Any, asyncio.Task[None]] = {}
    while (line := await lines.get()) is not None:
        message = _parsed(line, wire)
        if message is None:
            continue
        if _cancels(message):
            _cancel(message, running)
            continue
        request = message.get("id") if isinstance(message, dict) else None
        task = asyncio.create_task(_answer(protocol, message, wire))
        key = request if isinstance(request, str | int) else task
        running[key] = task
        task.add_done_callback(lambda _, key=key: running.pop(key, None))  # type: ignore[misc]
    if running:
        await asyncio.wait([*running.values()], timeout=_LAST_WORDS_SECONDS)


async def _answer(protocol: Protocol, message: Any, wire: BinaryIO) -> None:
    try:
        reply = await protocol.answer(message, OWNER)
    except Exception as error:  # a defect of ours: the client gets an error, the person the trace on standard error
        if os.environ.get("OKF_DEBUG"):
            sys.excepthook(type(error), error, error.__traceback__)
        print(f"okf mcp: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        reply = failure(message.get("id"), Fault(INTERNAL_ERROR, "internal error"))
    if reply is not None:
        _send(wire, reply)


def _parsed(line: bytes, wire: BinaryIO) -> Any:
    """The message of a line; None when it was none, and its sender was told."""
    if not line.strip():
        if line is _TOO_LONG:
            _send(wire, failure(None, Fault(INVALID_REQUEST, f"a message has at most {LIMITS.call_bytes:,} bytes")))
        return None
    try:
        return parse(line)
    except OkfError as error:
        code = INVALID_REQUEST if isinstance(error, TooLargeError) else PARSE_ERROR
        _send(wire, failure(None, Fault(code, error.message)))
        return None


def _cancels(message: Any) -> bool:
    return isinstance(message, dict) and message.get("method") == "notifications/cancelled" and "id" not in message


def _cancel(message: dict[str, Any], running: dict[Any, asyncio.Task[None]]) -> None:
    params = message.get("params")
    request = params.get("requestId") if isinstance(params, dict) else None
    if isinstance(request, str | int) and request in running:
        running[request].cancel()


def _send(wire: BinaryIO, reply: dict[str, Any]) -> None:
    data = json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    wire.write(data + b"\n")
    wire.flush()


def _take_output() -> BinaryIO:
    """Standard output for messages alone; everything else that writes there reaches standard error."""
    wire = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return wire


def _read(source: BinaryIO, lines: asyncio.Queue[bytes | None], loop: asyncio.AbstractEventLoop) -> None:
    """Hand lines over, on a thread, since no system offers to wait for standard input in the same way."""
    for line in _lines_of(source):
        asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()
    asyncio.run_coroutine_threadsafe(lines.put(None), loop)


def _lines_of(source: BinaryIO) -> Iterator[bytes]:
    """Lines; of one that is too long nothing is kept, and `_TOO_LONG` stands for it."""
    most = LIMITS.call_bytes + 1
    while line := source.readline(most):
        if len(line) == most and not line.endswith(b"\n"):
            while rest := source.readline(most):
                if rest.endswith(b"\n"):
                    break
            yield _TOO_LONG
        else:
            yield line
