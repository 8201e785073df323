"""The protocol over standard input and output: one JSON message a line, for the one client that started us.

Rules:
1. Nothing but messages reaches standard output; whatever else prints goes to standard error.
2. A message that is too long or no JSON gets its error, and the next line is read as if nothing had happened.
3. When the input ends, what is being answered is answered, and the process ends; when nobody hears us, it ends at once.
4. A client of the handshake era that can ask its person is asked on the same line, by requests of ours.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from okf_edge.errors import OkfError, TooLargeError
from okf_edge.limits import LIMITS
from okf_edge.policy.caller import SCOPES, Caller
from okf_edge.policy.parse import parse
from okf_edge_native.mcp.consent import Ask, can_ask
from okf_edge_native.mcp.protocol import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, Fault, Protocol, failure

OWNER = Caller("stdio", frozenset(SCOPES), is_local=True)
_TOO_LONG = b""
_LAST_WORDS_SECONDS = 10.0


@dataclass(slots=True)
class Wire:
    """The way to the client, one message a line. `serving` is what ends when nobody hears it any more."""

    file: BinaryIO
    serving: asyncio.Task[None] | None = None
    is_lost: bool = False

    def send(self, message: dict[str, Any]) -> None:
        data = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        try:
            self.file.write(data + b"\n")
            self.file.flush()
        except OSError:
            self.is_lost = True
            if self.serving:
                self.serving.cancel()

    def close(self) -> None:
        with suppress(OSError):
            self.file.close()


@dataclass(slots=True)
class Questions:
    """What the client was asked and has not answered yet."""

    wire: Wire
    _can_ask: bool = False
    _open: dict[str, asyncio.Future[Any]] = field(default_factory=dict)
    _count: int = 0

    def hear(self, message: Any) -> bool:
        """Note what the client can do, and take its answers. Whether the message is for nobody else."""
        if not isinstance(message, dict):
            return False
        if message.get("method") == "initialize":
            params = message.get("params")
            self._can_ask = can_ask(params.get("capabilities") if isinstance(params, dict) else None)
            return False
        if "method" in message or not ("result" in message or "error" in message):
            return False
        waiting = self._open.get(str(message.get("id")))
        if waiting and not waiting.done():
            waiting.set_result(message.get("result"))
        return True

    async def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        """The client's result; None when it did not answer in time, or could not."""
        self._count += 1
        request, waiting = f"okf-{self._count}", asyncio.get_running_loop().create_future()
        self._open[request] = waiting
        self.wire.send({"jsonrpc": "2.0", "id": request, "method": method, "params": dict(params)})
        try:
            async with asyncio.timeout(LIMITS.confirmation_seconds):
                return await waiting
        except TimeoutError:
            return None
        finally:
            del self._open[request]

    @property
    def way(self) -> Ask | None:
        """How the client is asked; None when it can't be."""
        return self.ask if self._can_ask else None

    def close(self) -> None:
        """Nobody answers any more."""
        for waiting in self._open.values():
            if not waiting.done():
                waiting.set_result(None)


async def serve(protocol: Protocol) -> None:
    """Serve until the input ends, or the output leads nowhere."""
    wire = _take_output()
    serving = asyncio.ensure_future(_serve(protocol, wire))
    try:
        await serving
    except asyncio.CancelledError:
        if not wire.is_lost:
            raise
    finally:
        wire.close()


async def _serve(protocol: Protocol, wire: Wire) -> None:
    wire.serving = asyncio.current_task()
    questions = Questions(wire)
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
        if questions.hear(message):
            continue
        request = message.get("id") if isinstance(message, dict) else None
        task = asyncio.create_task(_answer(protocol.asking(questions.way), message, wire))
        key = request if isinstance(request, str | int) else task
        running[key] = task
        task.add_done_callback(lambda _, key=key: running.pop(key, None))  # type: ignore[misc]
    questions.close()
    if running:
        await asyncio.wait([*running.values()], timeout=_LAST_WORDS_SECONDS)


async def _answer(protocol: Protocol, message: Any, wire: Wire) -> None:
    try:
        reply = await protocol.answer(message, OWNER)
    except Exception as error:  # a defect of ours: the client gets an error, the person the trace on standard error
        if os.environ.get("OKF_DEBUG"):
            sys.excepthook(type(error), error, error.__traceback__)
        print(f"okf mcp: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        reply = failure(message.get("id"), Fault(INTERNAL_ERROR, "internal error"))
    if reply is not None:
        wire.send(reply)


def _parsed(line: bytes, wire: Wire) -> Any:
    """The message of a line; None when it was none, and its sender was told."""
    if not line.strip():
        if line is _TOO_LONG:
            wire.send(failure(None, Fault(INVALID_REQUEST, f"a message has at most {LIMITS.call_bytes:,} bytes")))
        return None
    try:
        return parse(line)
    except OkfError as error:
        code = INVALID_REQUEST if isinstance(error, TooLargeError) else PARSE_ERROR
        wire.send(failure(None, Fault(code, error.message)))
        return None


def _cancels(message: Any) -> bool:
    return isinstance(message, dict) and message.get("method") == "notifications/cancelled" and "id" not in message


def _cancel(message: dict[str, Any], running: dict[Any, asyncio.Task[None]]) -> None:
    params = message.get("params")
    request = params.get("requestId") if isinstance(params, dict) else None
    if isinstance(request, str | int) and request in running:
        running[request].cancel()


def _take_output() -> Wire:
    """Standard output for messages alone; everything else that writes there reaches standard error."""
    wire = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return Wire(wire)


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
