"""Which base a call means: its argument, else OKF_KB, else the one chosen, else the only one, else an error."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.served import OKF


def test_a_call_means_the_base_that_people_expect(okf: Any, environment: dict[str, str], tmp_path: Path) -> None:
    def asked(variables: dict[str, str], *options: str, **arguments: str) -> Any:
        call = {"name": "list_bundles", "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        ended = subprocess.run(
            [OKF, "mcp", *options],
            input=json.dumps(message) + "\n",
            env={**environment, **variables},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        content = json.loads(ended.stdout)["result"]["structuredContent"]
        return content["error"] if "error" in content else content["kb"]

    assert asked({})["code"] == "no-base"
    for name in ("lab", "home"):
        (tmp_path / name).mkdir()
        assert okf("init", name, "--json").code == 0
        assert okf("kb", "add", name, name, "--json").code == 0
        if name == "lab":
            assert asked({}) == "lab"

    error = asked({})
    assert (error["code"], error["hint"]) == ("no-base", "There are: home, lab.")
    assert okf("kb", "use", "nowhere", "--json").error["code"] == "no-base"
    assert okf("kb", "use", "home", "--json").json == {"use": "home"}
    assert asked({}) == "home"
    assert asked({"OKF_KB": "lab"}) == "lab"
    assert asked({"OKF_KB": "lab"}, kb="home") == "home"
    assert asked({"OKF_KB": "nowhere"})["hint"] == "There are: home, lab."
    assert asked({}, "--kb", "lab") == "lab"
    assert okf("kb", "use", "auto", "--json").json == {"use": "auto"}
    assert asked({})["code"] == "no-base"


def test_the_last_calls_are_shown_in_lines_that_people_read(okf: Any, environment: dict[str, str]) -> None:
    assert okf("audit", "tail").out == "no call was recorded yet\n"
    calls = [
        {"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": {"name": name, "arguments": {}}}
        for name in ("list_kbs", "map")
    ]
    lines = "".join(json.dumps(call) + "\n" for call in calls)
    subprocess.run([OKF, "mcp"], input=lines, env=environment, capture_output=True, text=True, timeout=60, check=True)
    shown = sorted(line.split()[1:5] for line in okf("audit", "tail").out.splitlines())
    assert shown == [["done", "stdio", "list_kbs", "-"], ["failed", "(no-base)", "stdio", "map"]]
    assert len(okf("audit", "tail", "-n", "1").out.splitlines()) == 1
    assert okf("audit", "tail", "-n", "0", "--json").error["code"] == "usage"


def test_no_token_passes_in_the_log_for_who_started_the_server(okf: Any) -> None:
    for name in ("stdio", "token-file"):
        assert okf("token", "create", name, "--json").error["code"] == "bad-name"
