"""One process of the service, used again and again: run by `lambda_checks` where nothing but /tmp can be written.

Both functions that answer a question live in it, so that what one leaves behind meets the other.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

CONTEXT = SimpleNamespace(
    function_name="okf", memory_limit_in_mb=1024, invoked_function_arn="arn:aws:lambda:::function:okf",
    aws_request_id="1",
)  # fmt: skip


def main() -> None:
    assert "HOME" not in os.environ and not os.access("/", os.W_OK)
    from okf_edge_lambda import api, search, searching

    async def invoke(message: Any) -> Any:
        return await search.answer(searching.question_from(json.loads(json.dumps(message))))

    events = json.loads((Path(tempfile.gettempdir()) / "events.json").read_text())
    statuses, tools, answers, cold, most = [], set(), set(), 0.0, 0
    with mock.patch.object(api, "invoke_search", invoke):
        for number, event in enumerate(events):
            told = api.handler(event, CONTEXT)
            cold = cold or time.process_time()
            statuses.append(told["statusCode"])
            body = json.loads(told["body"])
            if "result" in body:
                tools.add(tuple(tool["name"] for tool in body["result"]["tools"]))
            else:
                answers.add(body["verdict"])
            most = max(most, damage(number))
    print()
    print(
        json.dumps(
            {
                "statuses": statuses, "tools": sorted(tools), "answers": sorted(answers), "tmp_bytes": most,
                "cold_cpu_seconds": cold,
            }
        )
    )  # fmt: skip


def damage(number: int) -> int:
    """Spoil what was fetched, as another process may have: another size, or the same. Gives what lay there."""
    files = [path for path in Path(tempfile.gettempdir(), "okf").rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    if number % 10 == 9:
        for path in files:
            path.write_bytes(b"x" * (path.stat().st_size if number % 20 == 9 else 10))
    return size


if __name__ == "__main__":
    main()
