"""The registry of installed bundles keeps its schema, and its lock lets one writer work at a time."""

from __future__ import annotations

import asyncio
import json
from importlib.resources import files

import jsonschema
import pytest
from referencing import Registry as Schemas
from referencing import Resource

from bundle_kit import make_bundle, put
from okf_edge.bundles.install import recover
from okf_edge.bundles.lock import BusyError, hold_lock
from okf_edge.bundles.registry import REGISTRY, Registry, read_registry, write_registry
from okf_edge.errors import NewerFormatError
from okf_edge.inmemory.files import MemoryTree
from okf_edge.inmemory.system import ManualClock

SCHEMAS = {
    name: json.loads((files("okf_edge") / "schemas" / name).read_text("utf-8"))
    for name in ("bundle.schema.json", "bundles.schema.json")
}


async def test_a_written_registry_keeps_the_schema():
    base = MemoryTree()
    await put(base, await make_bundle())
    known = Schemas().with_resources([(name, Resource.from_contents(schema)) for name, schema in SCHEMAS.items()])
    validator = jsonschema.Draft202012Validator(SCHEMAS["bundles.schema.json"], registry=known)
    validator.check_schema(SCHEMAS["bundles.schema.json"])
    state = json.loads(base.files[REGISTRY])
    validator.validate(state)
    state["bundles"]["ada.harbour"]["kind"] = "virus"
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(state)


async def test_a_registry_is_read_as_it_was_written():
    base = MemoryTree()
    await put(base, await make_bundle())
    registry = await read_registry(base)
    copy = MemoryTree()
    await write_registry(copy, registry)
    assert await read_registry(copy) == registry
    assert await read_registry(MemoryTree()) == Registry()


async def test_a_registry_of_a_later_version_is_left_alone():
    with pytest.raises(NewerFormatError):
        await read_registry(MemoryTree({REGISTRY: '{"format": 2, "bundles": {}}'}))


async def test_reading_the_registry_does_not_import_pydantic():
    code = "import sys, okf_edge.bundles.registry; sys.exit('pydantic' in sys.modules)"
    process = await asyncio.create_subprocess_exec(__import__("sys").executable, "-c", code)
    assert await process.wait() == 0


async def test_of_many_writers_one_works_at_a_time():
    tree, clock = MemoryTree(), ManualClock()
    inside: list[int] = []
    most: list[int] = []

    async def work(number: int) -> None:
        async with hold_lock(tree, clock):
            inside.append(number)
            most.append(len(inside))
            await asyncio.sleep(0)
            inside.remove(number)

    await asyncio.gather(*(work(number) for number in range(8)))
    assert most == [1] * 8


async def test_a_lock_that_a_killed_process_left_expires():
    tree, clock = MemoryTree(), ManualClock()
    holder = hold_lock(tree, clock)
    await holder.__aenter__()
    clock.advance(21)
    async with asyncio.timeout(1):
        async with hold_lock(tree, clock):
            pass


async def test_a_lock_that_is_held_is_waited_for_and_then_told(monkeypatch):
    tree, clock = MemoryTree(), ManualClock()
    monkeypatch.setattr("okf_edge.bundles.lock._POLLS_COUNT", 3)
    async with hold_lock(tree, clock):
        with pytest.raises(BusyError) as caught:
            async with hold_lock(tree, clock):
                pass
    assert caught.value.code == "busy"


async def test_two_installations_at_once_lose_nothing():
    base, clock = MemoryTree(), ManualClock()
    bundles = [await make_bundle(id=f"ada.b{number}") for number in range(4)]
    await asyncio.gather(*(put(base, data, clock) for data in bundles))
    assert sorted((await read_registry(base)).bundles) == ["ada.b0", "ada.b1", "ada.b2", "ada.b3"]


async def test_of_two_updates_at_once_the_newer_stays():
    base, clock = MemoryTree(), ManualClock()
    await put(base, await make_bundle("1.0.0"), clock)
    newer, newest = await make_bundle("1.1.0", {"a.md": b"---\ntype: A\n---\n"}), await make_bundle("1.2.0")
    results = await asyncio.gather(put(base, newest, clock), put(base, newer, clock), return_exceptions=True)
    bundle = (await read_registry(base)).bundles["ada.harbour"]
    assert bundle.version == "1.2.0"
    assert "Library/ada.harbour/tides.md" in base.files
    assert "Library/ada.harbour/a.md" not in base.files
    assert [getattr(result, "code", "") for result in results if isinstance(result, Exception)] in ([], ["downgrade"])


async def test_recovering_where_nothing_happened_writes_nothing():
    base = MemoryTree({"a.md": b"x"})
    await recover(base, ManualClock())
    assert base.files == {"a.md": b"x"}
