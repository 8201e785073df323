"""`okf mcp serve` as a process of its own, for tests that speak HTTP to it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

OKF = str(Path(sys.executable).parent / "okf")


@dataclass(frozen=True, slots=True)
class Served:
    """A running server, and a token that it accepts."""

    url: str
    token: str
    environment: Mapping[str, str]
    process: subprocess.Popen[str]

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"}

    def post(self, body: Any, headers: Mapping[str, str] | None = None, **options: Any) -> httpx.Response:
        """POST with exactly these headers beside the token; a message unless it is bytes."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        with httpx.Client(timeout=30, trust_env=False) as client:
            client.headers.clear()
            return client.post(self.url, content=data, headers={**self.headers, **(headers or {})}, **options)

    def call(self, method: str, params: Mapping[str, Any] | None = None, **headers: str) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params or {})}
        return self.post(body, {"accept": "application/json", **headers}).json()


def run_okf(environment: Mapping[str, str], *arguments: str) -> Any:
    ended = subprocess.run([OKF, *arguments], env=environment, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(ended.stdout)


def environment_at(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "SYSTEMROOT") if name in os.environ}
    return {**kept, "HOME": str(home), "OKF_HOME": str(home / "okf")}


@contextmanager
def serving(
    folder: Path,
    home: Path,
    *options: str,
    grants: tuple[str, ...] = (),
    more: Mapping[str, str] | None = None,
    program: Sequence[str] = (OKF,),
) -> Iterator[Served]:
    """Serve a folder on a free port; what the server writes is in `log` of the home, once it has ended.

    Args: grants: what the token may, as options of `okf token create`. more: variables of its environment.
        program: what is started in place of `okf`.
    """
    environment = {**environment_at(home), **(more or {})}
    token = run_okf(environment, "token", "create", f"t{len(list(home.iterdir()))}", "--json", *grants)["token"]
    command = [*program, "mcp", "serve", "--port", "0", "--dir", str(folder), *options]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    reading = None
    try:
        told = process.stderr.readline()
        found = re.search(r"http://\S+", told)
        assert found, told + process.stderr.read()
        reading = threading.Thread(target=lambda: (home / "log").write_text(process.stderr.read()), daemon=True)
        reading.start()
        yield Served(found[0], token, environment, process)
    finally:
        process.terminate()
        process.wait(20)
        if reading:
            reading.join(20)
