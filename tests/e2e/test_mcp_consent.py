"""A person is asked through their client before something is installed, and only their yes installs it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ElicitResult

from tests.served import OKF, environment_at, run_okf

PAGE = "---\ntype: Note\ntitle: Heron\ndescription: d\n---\n\n# Place\n\nThe heron nests by the weir.\n"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a base and a bundle that can be installed in it."""
    root = tmp_path_factory.mktemp("prepared")
    (root / "source").mkdir()
    (root / "source/heron.md").write_text(PAGE)
    (root / "base").mkdir()
    environment, archive = environment_at(root), str(root / "birds.okf.zip")
    run_okf(environment, "init", str(root / "base"), "--json")
    made = ["--id", "acme.birds", "--version", "1.0.0", "--out", archive, "--json"]
    run_okf(environment, "export", str(root / "source"), *made)
    return root


@pytest.fixture
def archive(prepared: Path, tmp_path: Path) -> Path:
    shutil.copytree(prepared / "base", tmp_path / "base")
    return prepared / "birds.okf.zip"


def client(environment: dict[str, str], folder: Path, mode: str, asked: list[str], answer: ElicitResult) -> Client:
    async def elicit(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return answer

    parameters = StdioServerParameters(command=OKF, args=["mcp", "--dir", str(folder)], env=environment)
    return Client(stdio_client(parameters), mode=mode, elicitation_callback=elicit)


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
async def test_a_person_who_agrees_gets_the_bundle(
    environment: dict[str, str], archive: Path, tmp_path: Path, mode: str
) -> None:
    asked: list[str] = []
    agrees = ElicitResult(action="accept", content={"ok": True})
    async with client(environment, tmp_path / "base", mode, asked, agrees) as agent:
        done = await agent.call_tool("install_bundle", {"source": str(archive)})
        assert not done.is_error and done.structured_content is not None
        assert done.structured_content["id"] == "acme.birds"
    assert asked == [f"Install a bundle?\nsource: {archive}"]


@pytest.mark.parametrize(
    ("mode", "answer"),
    [
        ("2026-07-28", ElicitResult(action="decline")),
        ("legacy", ElicitResult(action="cancel")),
        ("legacy", ElicitResult(action="accept", content={"ok": False})),
    ],
)
async def test_without_a_yes_nothing_is_installed(
    environment: dict[str, str], archive: Path, tmp_path: Path, mode: str, answer: ElicitResult
) -> None:
    asked: list[str] = []
    async with client(environment, tmp_path / "base", mode, asked, answer) as agent:
        done = await agent.call_tool("install_bundle", {"source": str(archive)})
        assert done.is_error and done.structured_content is not None
        assert done.structured_content["error"]["code"] == "declined"
    assert len(asked) == 1
    assert not (tmp_path / "base/Library/acme.birds").exists()


def test_a_confirmation_of_another_call_or_used_before_does_not_hold(
    environment: dict[str, str], archive: Path, tmp_path: Path
) -> None:
    first = call(1, source=str(archive))
    told = talk(environment, tmp_path / "base", first)[0]["result"]
    assert told["resultType"] == "input_required"
    said = {
        "inputResponses": {"confirm": {"action": "accept", "content": {"ok": True}}},
        "requestState": told["requestState"],
    }
    replies = talk(
        environment,
        tmp_path / "base",
        with_params(call(2, source="/elsewhere"), said),
        with_params(call(3, source=str(archive)), {**said, "requestState": said["requestState"] + "0"}),
        with_params(call(4, source=str(archive)), said),
    )
    assert [each.get("error", {}).get("code") for each in replies] == [-32602, -32602, None]
    assert replies[2]["result"]["structuredContent"]["outcome"] == "installed"
    [again] = talk(environment, tmp_path / "base", with_params(call(5, source=str(archive)), said))
    assert again["error"]["code"] == -32602


def test_answers_of_a_wrong_form_are_an_error_or_ask_again(
    environment: dict[str, str], archive: Path, tmp_path: Path
) -> None:
    wrong: list[dict[str, Any]] = [
        {"inputResponses": 5},
        {"inputResponses": None},
        {"inputResponses": {}, "requestState": []},
        {"inputResponses": [], "requestState": "x"},
    ]
    vague = [5, {}, {"action": "accept"}, {"action": "accept", "content": {"ok": "yes"}}]
    said = [*wrong, *({"inputResponses": {"confirm": each, "other": {}}, "requestState": "x"} for each in vague)]
    calls = [with_params(call(number, source=str(archive)), each) for number, each in enumerate(said)]
    replies = talk(environment, tmp_path / "base", *calls)
    assert [each["error"]["code"] for each in replies[:4]] == [-32602] * 4
    assert [each["result"]["resultType"] for each in replies[4:]] == ["input_required"] * 4


def test_a_client_that_goes_away_while_its_person_is_asked_ends_the_server(
    environment: dict[str, str], archive: Path, tmp_path: Path
) -> None:
    begin = {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": {}}
    replies = talk(
        environment,
        tmp_path / "base",
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
         "params": {"name": "install_bundle", "arguments": {"source": str(archive)}}},
        {"jsonrpc": "2.0", "id": "okf-77", "result": {"action": "accept", "content": {"ok": True}}},
        {"jsonrpc": "2.0", "id": ["okf-1"], "result": {"action": "accept", "content": {"ok": True}}},
    )  # fmt: skip
    assert not (tmp_path / "base/Library/acme.birds").exists()
    assert "confirmation" not in json.dumps(replies)


def call(number: int, **arguments: Any) -> dict[str, Any]:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    }
    params = {"name": "install_bundle", "arguments": arguments, "_meta": meta}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def with_params(message: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    return {**message, "params": {**message["params"], **more}}


def talk(environment: dict[str, str], folder: Path, *messages: dict[str, Any]) -> list[dict[str, Any]]:
    """The replies of one server to messages, in the order of their ids."""
    ended = subprocess.run(
        [OKF, "mcp", "--dir", str(folder)],
        input="".join(json.dumps(message) + "\n" for message in messages),
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return sorted(map(json.loads, ended.stdout.splitlines()), key=lambda reply: str(reply["id"]))
