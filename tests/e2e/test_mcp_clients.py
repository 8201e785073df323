"""The official client of the protocol holds a whole session with us, over both transports and in both eras."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.mcp_blocks import newcomer_at, shown_in_handbook
from tests.served import OKF, Served, environment_at, serving

MODES = ["auto", "2026-07-28", "legacy"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("notes") / "river"
    (root / "concepts").mkdir(parents=True)
    (root / "KNOWLEDGE.md").write_text("# River\n\nRead the map first.\n")
    (root / "concepts/weir.md").write_text(
        "---\ntype: Concept\ntitle: Weir\n---\n\nThe sluice of the weir opens at dawn. See [[eel]].\n"
    )
    (root / "concepts/eel.md").write_text("---\ntype: Concept\ntitle: Eel\n---\n\nEels pass in autumn.\n")
    return root


@pytest.fixture(scope="module")
def served(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(
        folder, tmp_path_factory.mktemp("home"), "--allow", "capture", grants=("--scope", "read", "--scope", "capture")
    ) as it:
        yield it


async def session(client: Client) -> None:
    """Everything that an agent does in its first minutes."""
    async with client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert {"query", "read", "map", "capture"} <= tools
        answer = await client.call_tool("query", {"question": "when does the sluice open?"})
        assert answer.is_error is False
        assert answer.structured_content is not None
        assert answer.structured_content["candidates"][0]["path"] == "concepts/weir.md"
        page = await client.call_tool("read", {"page": "weir"})
        assert page.structured_content is not None and "opens at dawn" in page.structured_content["text"]
        wrong = await client.call_tool("read", {"page": "nowhere"})
        assert wrong.is_error and wrong.structured_content is not None
        assert wrong.structured_content["error"]["code"] == "no-concept"
        kept = await client.call_tool("capture", {"content": "A heron stood on the weir."})
        assert kept.structured_content is not None and kept.structured_content["path"].startswith("inbox/")
        uris = [str(each.uri) for each in (await client.list_resources()).resources]
        assert uris == ["okf://river/map", "okf://river/KNOWLEDGE.md"]
        read = await client.read_resource("okf://river/concepts/weir.md")
        assert "opens at dawn" in read.contents[0].text  # type: ignore[union-attr]
        assert (await client.list_resource_templates()).resource_templates
        named = {prompt.name for prompt in (await client.list_prompts()).prompts}
        assert {"ask", "orient", "review", "cook"} <= named
        prompt = await client.get_prompt("ask", {"question": "Where are the eels?"})
        assert "Where are the eels?" in prompt.messages[0].content.text  # type: ignore[union-attr]


@pytest.mark.parametrize("mode", MODES)
async def test_the_official_client_works_over_stdio(folder: Path, tmp_path: Path, mode: str) -> None:
    parameters = StdioServerParameters(command=OKF, args=["mcp", "--dir", str(folder)], env=environment_at(tmp_path))
    await session(Client(stdio_client(parameters), mode=mode))


@pytest.mark.parametrize("mode", MODES)
async def test_the_official_client_works_over_http(served: Served, mode: str) -> None:
    async with httpx2.AsyncClient(headers=served.headers, trust_env=False) as http:
        await session(Client(streamable_http_client(served.url, http_client=http), mode=mode))


async def test_a_newcomer_who_copies_the_block_of_the_handbook_is_connected(folder: Path, tmp_path: Path) -> None:
    copied = shown_in_handbook("json")
    parameters = StdioServerParameters(
        command=copied["command"], args=copied["args"], env=newcomer_at(tmp_path, folder)
    )
    await session(Client(stdio_client(parameters)))
