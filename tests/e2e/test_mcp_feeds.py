"""An agent finds what a feed offers, sees what is due, and updates once a person agreed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema

from okf_edge.tools.catalogue import TOOLS
from tests.contract.test_tools import output_of
from tests.served import OKF

PAGE = "---\ntype: Note\ntitle: Heron\ndescription: d\n---\n\n# Place\n\nThe heron nests by the weir.\n"


def test_an_agent_follows_a_feed(okf: Any, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source/heron.md").write_text(PAGE)
    (tmp_path / "base").mkdir()

    def publish(version: str) -> list[str]:
        return ["publish", "source", "--id", "acme.birds", "--version", version, "--to", "shelf"]

    for line in (
        ["init", "base"], ["feed", "init", "shelf"], ["feed", "add-creator", "shelf", "acme"], publish("1.0.0"),
        ["feed", "trust", "shelf", "--dir", "base"],
    ):  # fmt: skip
        assert okf(*line, "--json").code == 0, line
    archive = tmp_path / "b.okf.zip"
    made = ["export", "source", "--id", "acme.other", "--version", "1.0.0", "--out", str(archive), "--json"]
    assert okf(*made).code == 0

    def call(name: str, **arguments: Any) -> Any:
        return called(environment, tmp_path / "base", name, arguments)

    [offer] = call("search_feed", words="birds")["bundles"]
    assert (offer["id"], offer["version"], offer["signer"]) == ("acme.birds", "1.0.0", "acme")
    assert okf("install", "acme.birds", "--feed", "--dir", "base", "--json").code == 0
    assert okf(*publish("1.1.0"), "--json").code == 0
    assert call("check_updates")["bundles"][0]["offered"] == "1.1.0"
    asked = call("update_bundle", bundle="acme.birds")["error"]
    assert asked["code"] == "confirmation-required"
    done = call("update_bundle", bundle="acme.birds", confirm=asked["details"]["confirm"])
    assert done["updated"][0]["version"] == "1.1.0"

    asked = call("install_bundle", source=str(archive))["error"]
    done = call("install_bundle", source=str(archive), confirm=asked["details"]["confirm"])
    assert (done["id"], done["outcome"]) == ("acme.other", "installed")
    assert {each["id"] for each in call("list_bundles")["bundles"]} == {"acme.birds", "acme.other"}


def called(environment: dict[str, str], folder: Path, name: str, arguments: dict[str, Any]) -> Any:
    """The structured content of one call to a server of its own, in its frozen shape unless it is an error."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    ended = subprocess.run(
        [OKF, "mcp", "--dir", str(folder)],
        input=json.dumps(message) + "\n",
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    result = json.loads(ended.stdout)["result"]
    content = result["structuredContent"]
    if not result["isError"]:
        jsonschema.validate(content, output_of(next(tool for tool in TOOLS if tool.name == name)))
    return content
