"""An agent finds what a feed offers, sees what is due, and updates once a person agreed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema

from okf_edge.tools.catalogue import TOOLS
from tests.contract.test_tools import output_of
from tests.served import OKF

Call = Callable[..., Any]
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

    with talking(environment, tmp_path / "base") as call:
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


@contextmanager
def talking(environment: dict[str, str], folder: Path) -> Iterator[Call]:
    """Calls to one server; each gives structured content, in its frozen shape unless it is an error."""
    command = [OKF, "mcp", "--dir", str(folder)]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin and server.stdout
        lines = server.stdin, server.stdout

        def call(name: str, **arguments: Any) -> Any:
            params = {"name": name, "arguments": arguments}
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            print(json.dumps(message), file=lines[0], flush=True)
            result = json.loads(lines[1].readline())["result"]
            if not result["isError"]:
                tool = next(tool for tool in TOOLS if tool.name == name)
                jsonschema.validate(result["structuredContent"], output_of(tool))
            return result["structuredContent"]

        yield call
