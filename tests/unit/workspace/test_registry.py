"""Names of knowledge bases are checked at both ends, and a corrupt registry is never written over."""

from __future__ import annotations

import json

import pytest

from okf_edge.errors import AlreadyExistsError, InputError, NewerFormatError, NotFoundError, StateFileError
from okf_edge.inmemory.files import MemoryTree
from okf_edge.workspace.registry import FILE, Registry, read_registry, write_registry


async def test_what_is_written_reads_back_with_keys_of_others():
    tree = MemoryTree({FILE: json.dumps({"format": 1, "bases": {}, "colour": "blue"})})
    await write_registry(tree, (await read_registry(tree)).with_base("lab", "/srv/lab"))
    assert (await read_registry(tree)).bases == {"lab": "/srv/lab"}
    assert json.loads(tree.files[FILE])["colour"] == "blue"


@pytest.mark.parametrize("name", ["", "*", "all", "Lab", "-lab", "a b", "../x", "é", "x" * 65, "lab\n"])
async def test_a_name_that_is_none_is_refused_when_written_and_when_read(name):
    with pytest.raises(InputError) as caught:
        Registry().with_base(name, "/srv/lab")
    assert caught.value.code == "bad-name"
    tree = MemoryTree({FILE: json.dumps({"format": 1, "bases": {name: {"path": "/srv/lab"}}})})
    with pytest.raises(StateFileError):
        await read_registry(tree)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"bases": {}}', '{"format": 1}', '{"format": 1, "bases": {"lab": {}}}',
             '{"format": 1, "bases": {"lab": {"path": 5}}}', '{"format": 1, "bases": {"lab": "x"}}']
)  # fmt: skip
async def test_a_corrupt_registry_is_a_loud_error(text):
    tree = MemoryTree({FILE: text})
    with pytest.raises(StateFileError, match=FILE):
        await read_registry(tree)
    assert tree.files[FILE] == text.encode()


async def test_a_registry_of_a_later_format_is_left_alone():
    with pytest.raises(NewerFormatError):
        await read_registry(MemoryTree({FILE: '{"format": 2, "bases": {}}'}))


def test_a_name_changes_its_folder_only_by_force():
    lab = Registry().with_base("lab", "/srv/lab")
    assert lab.with_base("lab", "/srv/lab") == lab
    with pytest.raises(AlreadyExistsError, match="/srv/lab"):
        lab.with_base("lab", "/srv/other")
    assert lab.with_base("lab", "/srv/other", force=True).bases == {"lab": "/srv/other"}


def test_an_unknown_name_lists_those_that_there_are():
    lab = Registry({"lab": "/a", "work": "/b"})
    for call in (lab.path_of, lab.without):
        with pytest.raises(NotFoundError) as caught:
            call("lob")
        assert "lab, work" in caught.value.hint
