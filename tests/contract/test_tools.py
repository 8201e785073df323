"""What tools take and return is frozen: agents and their hosts rely on it. A change that breaks them shows here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import okf_edge
from okf_edge.errors import OkfError, PolicyError
from okf_edge.policy.caller import SCOPES, Caller
from okf_edge.tools.catalogue import TOOLS, shown_to
from tests.tool_kit import OWNER, FolderHost, folder_of, service_of

SCHEMAS = Path(okf_edge.__file__).parent / "schemas"
FROZEN = SCHEMAS / "tools.json"
MOST_BYTES = 9 * 1024
BASE = {
    "KNOWLEDGE.md": "# Guide\n",
    "concepts/weir.md": "---\ntype: Concept\ntitle: Weir\nsources: [river/log.md]\n---\n\nThe sluice opens. [[eel]]\n",
    "concepts/eel.md": "---\ntype: Concept\ntitle: Eel\n---\n\n" + "Eels pass the weir in autumn.\n\n" * 60,
    "river/log.md": "# Log\n\nThe gauge read two metres.\n",
}
CALLS: dict[str, dict[str, Any]] = {
    "list_kbs": {},
    "query": {"question": "sluice of the weir"},
    "explain": {"question": "sluice of the weir"},
    "read": {"page": "weir"},
    "map": {},
    "neighbours": {"page": "weir"},
    "stale": {},
    "health": {},
    "list_bundles": {},
    "check_updates": {},
    "capture": {"content": "A heron."},
    "sync": {},
    "init_kb": {"name": "pond", "path": "POND"},
    "register_kb": {"name": "lake", "path": "POND"},
}
NEED_MORE = {"install_bundle", "update_bundle", "search_feed"}
"""They need a feed or a person's consent: run over standard input and output in tests/e2e."""


def output_of(tool: Any) -> dict[str, Any]:
    if isinstance(tool.output, str):
        return dict(json.loads((SCHEMAS / f"{tool.output}.schema.json").read_text()))
    return dict(tool.output.model_json_schema())


def frozen() -> dict[str, Any]:
    return {
        "tools": [tool.listed() for tool in TOOLS],
        "results": {tool.name: output_of(tool) for tool in TOOLS if not isinstance(tool.output, str)},
        "results_elsewhere": {tool.name: tool.output for tool in TOOLS if isinstance(tool.output, str)},
    }


def test_what_tools_take_and_return_is_as_it_was() -> None:
    assert frozen() == json.loads(FROZEN.read_text()), "if it is meant: python -m tests.contract.test_tools"


def test_the_whole_list_of_tools_costs_a_model_little() -> None:
    everything = shown_to(OWNER, read_only=False)
    assert len(everything) == len(TOOLS)
    assert len(json.dumps({"tools": [tool.listed() for tool in everything]}).encode()) <= MOST_BYTES


def test_every_tool_is_called_here_or_named() -> None:
    assert CALLS.keys() | NEED_MORE == {tool.name for tool in TOOLS}


async def test_every_result_has_its_frozen_shape(tmp_path: Path) -> None:
    host = FolderHost(tmp_path, {"river": folder_of(tmp_path / "river", BASE)}, default="river")
    (tmp_path / "pond").mkdir()
    service = service_of(host)
    await service.call(OWNER, "init_kb", {"name": "again", "path": str(tmp_path / "river")})
    outputs = {tool.name: output_of(tool) for tool in TOOLS}
    for name, arguments in CALLS.items():
        asked = {key: str(tmp_path / "pond") if value == "POND" else value for key, value in arguments.items()}
        result = await service.call(OWNER, name, asked)
        jsonschema.validate(json.loads(json.dumps(result.content)), outputs[name])
        assert 0 < len(result.text) < 20_000


async def test_a_bundle_is_installed_once_a_person_agreed(tmp_path: Path) -> None:
    service = service_of(FolderHost(tmp_path, {"river": folder_of(tmp_path / "river", BASE)}))
    for name, arguments in (("install_bundle", {"source": "ARCHIVE"}), ("update_bundle", {"bundle": "acme.ops"})):
        with pytest.raises(PolicyError) as asked:
            await service.call(OWNER, name, arguments)
        assert asked.value.code == "confirmation-required"
        with pytest.raises(OkfError) as refused:
            await service.call(OWNER, name, {**arguments, "confirm": asked.value.details["confirm"]})
        assert refused.value.code != "confirmation-required"


async def test_pages_of_a_result_hold_everything_once(tmp_path: Path) -> None:
    service = service_of(FolderHost(tmp_path, {"river": folder_of(tmp_path / "river", BASE)}))
    whole = await service.call(OWNER, "read", {"page": "eel", "max_tokens": 50_000})
    parts, cursor = [], ""
    while True:
        part = (await service.call(OWNER, "read", {"page": "eel", "max_tokens": 200, "cursor": cursor})).content
        parts.append(part["text"])
        cursor = part["cursor"]
        if not cursor:
            break
    assert len(parts) > 1
    assert "\n".join(parts) == whole.content["text"]

    paths, cursor = [], ""
    while True:
        result = await service.call(OWNER, "query", {"question": "weir", "k": 5, "max_tokens": 300, "cursor": cursor})
        paths += [each["path"] for each in [*result.content["candidates"], *result.content["near"]]]
        cursor = result.meta.get("cursor", "")
        if not cursor:
            break
        assert "did not fit" in result.content["coverage"]["note"]
    assert len(paths) == len(set(paths)) >= 2


@pytest.mark.parametrize("scope", [scope for scope in SCOPES if scope != "publish"])  # what a service takes, no tool
def test_a_scope_offers_only_its_own_tools(scope: str) -> None:
    offered = shown_to(Caller("x", frozenset({scope}), is_local=True), read_only=False)
    assert {tool.scope for tool in offered} == {scope}


if __name__ == "__main__":
    FROZEN.write_text(json.dumps(frozen(), indent=1, ensure_ascii=False) + "\n", "utf-8")
