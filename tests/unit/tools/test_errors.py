"""An error tells whoever calls over a network what is wrong, and not where this machine keeps things."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from okf_edge.errors import OkfError, StateFileError
from okf_edge.policy.caller import Caller
from okf_edge_native.mcp.host import NativeHost
from tests.tool_kit import OWNER, FolderHost, folder_of, reader, service_of

CALLS = [
    ("query", {"question": "sluice"}), ("explain", {"question": "sluice"}), ("read", {"page": "weir"}), ("map", {}),
    ("neighbours", {"page": "weir"}), ("health", {}), ("stale", {}), ("capture", {"content": "x"}),
]  # fmt: skip


async def errors(service, caller) -> list[str]:
    told = []
    for tool, arguments in CALLS:
        try:
            await service.call(caller, tool, arguments)
        except OkfError as error:
            told.append("\n".join([error.message, error.hint, *error.issues]))
    return told


async def test_no_error_over_a_network_names_a_folder_of_this_machine(tmp_path: Path) -> None:
    root = folder_of(tmp_path / "my notes" / "river", {"concepts/weir.md": "# Weir\n"})
    service = service_of(FolderHost(tmp_path, {"river": root}))
    shutil.rmtree(root)
    told = await errors(service, reader())
    assert told and not [text for text in told if "my notes" in text or tmp_path.name in text]
    shutil.rmtree(root)  # a note was captured
    assert [text for text in await errors(service, OWNER) if str(root) in text]


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("/home/me/.config/okf/registry.json is corrupt", "registry.json is corrupt"),
        ("expected a file at '/home/me/my notes/a.md', found none", "expected a file at 'a.md', found none"),
        (r"C:\Users\me\notes\a.md is unavailable", "a.md is unavailable"),
        ("see okf://river/concepts/weir.md or https://example.org/a/b", None),
        ("no heading 'x' in concepts/weir.md and/or ../b.md", None),
    ],
)
async def test_paths_lose_their_folders_and_addresses_do_not(tmp_path: Path, message: str, shown: str | None) -> None:
    class Broken(FolderHost):
        async def bases(self):
            raise StateFileError(message)

    with pytest.raises(StateFileError) as told:
        await service_of(Broken(tmp_path, {})).call(reader(), "map", {})
    assert told.value.message == (message if shown is None else shown)


async def test_a_folder_that_was_deleted_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OKF_HOME", str(tmp_path / "okf"))
    root = folder_of(tmp_path / "river", {"concepts/weir.md": "# Weir\n"})
    host = NativeHost(str(root))
    service = replace(service_of(FolderHost(tmp_path, {})), host=host)
    shutil.rmtree(root)
    for tool, arguments in [*CALLS, ("sync", {}), ("list_bundles", {})]:
        with pytest.raises(OkfError, match="folder is not there"):
            await service.call(OWNER, tool, {**arguments, "kb": "river"})
    assert not root.exists()
    listed = (await service.call(OWNER, "list_kbs", {})).content["kbs"][0]
    assert listed["problem"] == "is missing: its folder is not there"


async def test_why_one_of_many_bases_can_not_be_asked_names_no_folder_to_callers_over_a_network(tmp_path: Path) -> None:
    folders = {"river": folder_of(tmp_path / "river", {"weir.md": "# Weir\n"}), "gone": tmp_path / "gone"}
    service = service_of(FolderHost(tmp_path, folders))

    async def note(caller: Caller) -> str:
        answer = await service.call(caller, "query", {"question": "weir", "kb": "*"})
        assert answer.content["coverage"]["note"] in answer.text
        return str(answer.content["coverage"]["note"])

    assert str(tmp_path) in await note(OWNER)
    assert str(tmp_path) not in await note(reader()) and "gone could not be searched" in await note(reader())
