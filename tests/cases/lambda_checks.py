"""Checks of the functions of the service in one process that is used again and again, as Lambda does."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

from tests.cases.suite import Spec
from tests.cases.vault import Vault
from tests.e2e.lambda_gateway import to_event
from tests.e2e.lambda_runtime import confined
from tests.e2e.lambda_service import Deployed, aws_services, deployed, page
from tests.seaweed import s3_server

TMP_BYTES = 20_000_000
COLD_CPU_SECONDS = 3.0
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
QUERY = {"question": "when does the harbour flood?"}
SCRIPT = Path(__file__).with_name("lambda_repeat.py")


async def lambda_repeat(vault: Vault, spec: Spec) -> None:
    """`lambda_repeat`: so many invocations of one process, without what its environment lacks, are all answered."""
    told = await asyncio.to_thread(_told, vault, spec)
    assert told["statuses"] == [200] * spec["n"]
    assert len(told["tools"]) == 1 and "query" in told["tools"][0]
    assert told["answers"] == ["ok"]
    assert 0 < told["tmp_bytes"] <= TMP_BYTES
    assert told["cold_cpu_seconds"] < COLD_CPU_SECONDS


def _told(vault: Vault, spec: Spec) -> Any:
    with (
        s3_server(vault.folder / "s3") as s3,
        aws_services() as aws,
        deployed(vault.folder / "made", s3, aws) as service,
    ):
        ada = service.creator("ada")
        token = service.token("all", "--scope", "read", "--scope", "publish")
        archive = ada.archive("ada.notes", "1.0.0", {"tides.md": page("Tides", "The harbour floods at spring tide.")})
        service.publish(ada, archive, token)
        return _repeated(service, token, spec)


def _repeated(service: Deployed, token: str, spec: Spec) -> Any:
    """What a process tells of its invocations; between them, what lies in its /tmp is damaged."""
    place = service.folder / "repeat"
    (place / "tmp").mkdir(parents=True)
    events = [_event(token, number) for number in range(spec["n"])]
    (place / "tmp/events.json").write_text(json.dumps(events))
    absent = {name for name, value in spec["env"].items() if value is None}
    environment = {**service.environment, "PATH": os.environ["PATH"], "OKF_CACHE_BYTES": str(TMP_BYTES)}
    assert not absent & set(environment)
    wrap = confined(place / "tmp") if spec["readonly"] else ()
    ended = subprocess.run(
        [*wrap, sys.executable, SCRIPT], env=environment, cwd="/", capture_output=True, text=True, timeout=240,
        check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-4000:]
    return json.loads(ended.stdout.splitlines()[-1])


def _event(token: str, number: int) -> dict[str, Any]:
    """A list of tools or a question, in turn, as a Function URL tells it or as API Gateway does, in base64."""
    path, body = ("/mcp", LIST) if number % 2 else ("/v1/query", QUERY)
    data = json.dumps(body).encode()
    headers = {"content-type": "application/json", "authorization": f"Bearer {token}", "host": "127.0.0.1"}
    if number % 4 < 2:
        return to_event("POST", path, [*headers.items(), ("accept", "application/json")], data, "127.0.0.1")
    return {
        "resource": "/{proxy+}", "path": path, "httpMethod": "POST",
        "headers": {**headers, "accept": "application/json"},
        "multiValueHeaders": {name: [value] for name, value in headers.items()}, "queryStringParameters": None,
        "multiValueQueryStringParameters": None, "body": b64encode(data).decode(), "isBase64Encoded": True,
        "requestContext": {"resourcePath": "/{proxy+}", "httpMethod": "POST", "domainName": "127.0.0.1",
                           "identity": {"sourceIp": "127.0.0.1"}, "stage": "prod", "requestId": str(number)},
    }  # fmt: skip


CHECKS = {"lambda_repeat": lambda_repeat}
