"""A newcomer pastes one block, of `okf mcp config`, and the client is connected."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.mcp_blocks import entry_of
from tests.served import environment_at, run_okf, serving

REMOTE = ["claude-code", "codex", "cursor", "opencode", "vscode"]
LOCAL = [
    *("claude-code", "codex", "opencode"),
    *(pytest.param(client, marks=pytest.mark.slow) for client in ("claude-desktop", "cursor", "vscode")),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "river"
    root.mkdir()
    (root / "weir.md").write_text("# Weir\n\nThe sluice opens at dawn.\n")
    return root


async def asked(client: Client) -> str:
    async with client:
        found = await client.call_tool("query", {"question": "when does the sluice open?"})
        assert found.structured_content is not None
        return str(found.structured_content["candidates"][0]["path"])


@pytest.mark.parametrize("name", LOCAL)
async def test_the_block_of_a_client_starts_a_server_that_answers(folder: Path, tmp_path: Path, name: str) -> None:
    environment = environment_at(tmp_path)
    entry = entry_of(run_okf(environment, "mcp", "config", name, "--dir", str(folder), "--json")["block"])
    command, *arguments = entry["command"] if isinstance(entry["command"], list) else [entry["command"], *entry["args"]]
    parameters = StdioServerParameters(command=command, args=arguments, env=environment)
    assert await asked(Client(stdio_client(parameters))) == "weir.md"


async def test_the_blocks_for_a_server_elsewhere_carry_the_token(folder: Path, tmp_path: Path) -> None:
    with serving(folder, tmp_path) as served:
        for name in REMOTE:
            block = run_okf(served.environment, "mcp", "config", name, "--url", served.url, "--json")["block"]
            entry = entry_of(block)
            if name == "codex":
                headers = {"Authorization": f"Bearer {{{entry['bearer_token_env_var']}}}"}
            else:
                headers = entry["headers"]
            spelled = re.sub(r"\$?\{(?:env:)?OKF_TOKEN\}", served.token, headers["Authorization"])
            assert spelled == f"Bearer {served.token}", name
            async with httpx2.AsyncClient(headers={"Authorization": spelled}, trust_env=False) as http:
                assert await asked(Client(streamable_http_client(entry["url"], http_client=http))) == "weir.md"
