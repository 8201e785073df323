"""Checks of what a server over HTTP answers to requests of all kinds."""

from __future__ import annotations

import json

from tests.cases.suite import Spec
from tests.cases.vault import Vault
from tests.served import serving

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


async def http_requests(vault: Vault, spec: Spec) -> None:
    """`http_requests`: each request of a file gets the status that it states, with guidance when it is refused."""
    requests = [json.loads(line) for line in (vault.folder / spec["file"]).read_text().splitlines() if line.strip()]
    home, notes = vault.folder / "home", vault.folder / "served"
    home.mkdir()
    notes.mkdir()
    (notes / "weir.md").write_text("# Weir\n\nThe sluice opens at dawn.\n")
    with serving(notes, home) as served:
        for request in requests:
            reply = served.post(request.get("body", LIST), request.get("headers", {}))
            assert reply.status_code == request["expect_status"], request
            assert reply.json().get("result") or len(reply.json()["error"]["message"]) > 20


CHECKS = {"http_requests": http_requests}
