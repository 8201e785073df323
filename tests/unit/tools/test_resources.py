"""Only curated pages are resources, whatever an address spells."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from okf_edge.errors import OkfError
from okf_edge.policy.caller import Caller
from okf_edge.policy.rate import Buckets, Rate
from okf_edge.tools import resources
from tests.tool_kit import OWNER, FolderHost, folder_of, reader, service_of

FILES = {
    "KNOWLEDGE.md": "# Guide\n",
    "concepts/weir.md": "# Weir\n",
    "concepts/caf\u00e9.md": "# Caf\u00e9\n",
    "concepts/.hidden.md": "# Hidden\n",
    "concepts/.trash/x.md": "# Trash\n",
    "concepts/picture.png": "png",
    "Library/acme.ops/run.md": "# Run\n",
    "diary/today.md": "# Diary\n",
    "SCHEMA.md": "# Schema\n",
    "secret.md": "# Secret\n",
    ".okf/other.md": "{}",
}


@pytest.fixture
def world(tmp_path: Path):
    outside = folder_of(tmp_path / "outside", {"passwords.md": "# Passwords\n"})
    root = folder_of(tmp_path / "kb", FILES)
    (root / "concepts/link.md").symlink_to(outside / "passwords.md")
    (root / "concepts/linked").symlink_to(outside)
    os.link(outside / "passwords.md", root / "concepts/hard.md")
    os.mkfifo(root / "concepts/pipe.md")
    return service_of(FolderHost(tmp_path, {"kb": root})).world


@pytest.mark.parametrize(
    "path",
    ["KNOWLEDGE.md", "concepts/weir.md", "concepts/caf%C3%A9.md", "concepts/cafe%CC%81.md", "concepts%2Fweir.md",
     "concepts%5Cweir.md", "Concepts/WEIR.md", "Library/acme.ops/run.md", "map", "concepts/weir.md#Weir"],
)  # fmt: skip
async def test_a_curated_page_is_read_however_its_address_is_spelled(world, path: str) -> None:
    assert (await resources.read(world(OWNER), f"okf://kb/{path}")).text


async def test_the_id_of_a_bundle_stands_for_its_folder(world) -> None:
    assert "# Run" in (await resources.read(world(OWNER), "okf://acme.ops/run.md")).text


@pytest.mark.parametrize(
    "path",
    ["diary/today.md", "secret.md", "SCHEMA.md", ".okf/other.md", "concepts/.hidden.md", "concepts/.trash/x.md",
     "concepts/picture.png", "concepts/link.md", "concepts/linked/passwords.md", "concepts/hard.md", "concepts/pipe.md",
     "concepts/../secret.md", "concepts/%2e%2e/secret.md", "concepts/%252e%252e/secret.md", "concepts/..%2fsecret.md",
     "concepts/..%5csecret.md", "concepts//weir.md", "/concepts/weir.md", "concepts/./weir.md", "concepts/weir.md%00",
     "concepts", "", "concepts/weir.md/", "%2Fetc%2Fpasswd", "concepts/weir.md::$DATA", "concepts/weir.md.", "%ff",
     "concepts/nul.md", "knowledge.md/..", "Library", "../kb/concepts/weir.md"],
)  # fmt: skip
async def test_anything_else_is_not_found_in_the_same_words(world, path: str) -> None:
    with pytest.raises(OkfError) as told:
        await resources.read(world(OWNER), f"okf://kb/{path}")
    assert told.value.code == "no-resource"
    assert told.value.message.startswith("no resource 'okf://kb/")


@pytest.mark.parametrize("uri", ["", "okf://", "okf://other/map", "http://kb/map", "file:///etc/passwd", "okf:///map"])
async def test_a_foreign_address_names_nothing(world, uri: str) -> None:
    with pytest.raises(OkfError, match="no resource"):
        await resources.read(world(OWNER), uri)


async def test_what_a_caller_may_not_see_is_neither_listed_nor_completed_nor_read(world) -> None:
    caller = world(reader(deny=("concepts/weir.md", "KNOWLEDGE.md")))
    assert [each.uri for each in await resources.listed(caller)] == ["okf://kb/map"]
    assert "concepts/weir.md" not in await resources.completions(caller, "path", "", "kb")
    assert "concepts/weir.md" in await resources.completions(world(OWNER), "path", "conc", "kb")
    assert await resources.completions(world(OWNER), "kb", "k", "") == ["kb"]
    for spelled in ("concepts/weir.md", "CONCEPTS/weir.md", "concepts%5cweir.md"):
        with pytest.raises(OkfError, match="no resource"):
            await resources.read(caller, f"okf://kb/{spelled}")


async def test_what_is_listed_completed_and_read_needs_the_scope_and_is_recorded_like_a_call(tmp_path: Path) -> None:
    service = service_of(FolderHost(tmp_path, {"kb": folder_of(tmp_path / "kb", FILES)}))

    async def looks(caller: Caller) -> list[str]:
        codes = []
        for look in (
            service.resources(caller),
            service.completions(caller, "path", "", "kb"),
            service.resource(caller, "okf://kb/KNOWLEDGE.md"),
        ):
            try:
                await look
                codes.append("")
            except OkfError as error:
                codes.append(error.code)
        return codes

    assert await looks(replace(reader(), scopes=frozenset({"capture"}))) == ["forbidden"] * 3
    assert await looks(reader()) == [""] * 3
    told = [json.loads(line) for line in await service.guards.log.lines()]
    assert [(each["tool"], each["outcome"]) for each in told] == [
        (what, outcome) for outcome in ("denied", "done") for what in ("resources", "completion", "resource")
    ]
    service = replace(
        service, guards=replace(service.guards, buckets=Buckets({"read": Rate(60, 2), "write": Rate(60, 2)}))
    )
    assert await looks(reader(name="busy")) == ["", "", "throttled"]
