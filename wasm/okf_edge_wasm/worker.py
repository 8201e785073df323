"""What `runtime/worker/serve.ts` holds of Python: it runs calls and cancels them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from okf_edge.errors import OkfError
from okf_edge_wasm.bridge import module
from okf_edge_wasm.calls import Call, named
from okf_edge_wasm.compose import Composition, Options
from okf_edge_wasm.failures import failure_of

_CANCELLED = {"code": "cancelled", "message": "it was cancelled", "hint": "", "issues": []}


class Worker:
    """The calls at work. Errors of ours become failures; any other means that the engine is broken, and is raised."""

    def __init__(self, composition: Composition) -> None:
        self._composition = composition
        self._tasks: dict[int, asyncio.Task[str]] = {}

    async def run(self, number: int, name: str, argument: str, data: Any) -> str:
        """The outcome as JSON: `{"value": …}` or `{"failure": …}`."""
        found = data.to_bytes() if data is not None else None
        task = asyncio.ensure_future(self._run(number, name, argument, found))
        self._tasks[number] = task
        try:
            return await task
        except asyncio.CancelledError:
            return json.dumps({"failure": _CANCELLED})
        except OkfError as error:
            return json.dumps({"failure": failure_of(error)})
        finally:
            del self._tasks[number]

    def cancel(self, number: int) -> None:
        if task := self._tasks.get(number):
            task.cancel()

    async def _run(self, number: int, name: str, argument: str, data: bytes | None) -> str:
        value = await named(name)(Call(self._composition, number, json.loads(argument), data))
        return json.dumps({"value": value}, ensure_ascii=False)


def opened(options: str) -> Worker:
    """Args: options: StartOptions of `messages.ts` as JSON."""
    given = json.loads(options)
    settings = Options(bool(given["safe"]), str(given["folderName"]), tuple(given["models"]))
    return Worker(Composition(module(), settings))
