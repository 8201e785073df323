"""The blocks of settings that connect clients, as `okf mcp config` prints them and the handbook shows them."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from tests.served import OKF, environment_at, run_okf

HANDBOOK = Path(__file__).parents[1] / "bundles/handbook/commands/okf-mcp.md"


def entry_of(block: str) -> dict[str, Any]:
    """The server in a block, whatever its client calls the place."""
    if block.startswith("["):
        return dict(tomllib.loads(block)["mcp_servers"]["okf"])
    [servers] = json.loads(block).values()
    return dict(servers["okf"])


def shown_in_handbook(language: str) -> dict[str, Any]:
    """The server in the one block of a language on the handbook's page."""
    [block] = re.findall(rf"```{language}\n(.+?)\n```", HANDBOOK.read_text(), re.DOTALL)
    return entry_of(block)


def newcomer_at(home: Path, folder: Path) -> dict[str, str]:
    """The environment of somebody who has just installed okf and made a folder a knowledge base."""
    environment = environment_at(home)
    run_okf(environment, "init", str(folder), "--json")
    run_okf(environment, "kb", "add", folder.name, str(folder), "--json")
    return {**environment, "PATH": f"{Path(OKF).parent}:{environment['PATH']}"}
