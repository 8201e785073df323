"""Reports and repairs of a folder, over its ports."""

from __future__ import annotations

from okf_edge.app.watching import watch
from okf_edge.inmemory.files import MemoryTree
from okf_edge.workspace.survey import KEPT
from okf_edge.workspace.watching import Event
from tests.unit.app.conftest import NOTES, FullTree, ReadOnlyTree, World

PAGE = "---\ntitle: Weir # as on the map\nsources: [/bees.md]\n---\n\n# Weir\n"


async def test_a_folder_that_cannot_be_written_is_reported_on_and_its_facts_are_kept_elsewhere():
    for tree in (ReadOnlyTree(NOTES), FullTree(NOTES)):
        world = World(tree)
        before = dict(tree.files)
        assert (await world.okf.health()).found == len(NOTES)
        assert (await world.okf.map()).counts.compiled == 1
        assert tree.files == before
        assert (KEPT in world.spare.files) is not isinstance(tree, FullTree)


async def test_a_report_on_a_folder_that_is_no_base_leaves_nothing_but_what_can_be_made_again():
    world = World(MemoryTree(NOTES))
    await world.okf.stale()
    assert set(world.tree.files) - set(NOTES) == {KEPT, ".okf/.gitignore"}


async def test_a_type_is_added_without_touching_another_byte_and_what_was_compiled_from_stays_recorded():
    world = World(MemoryTree({**NOTES, "entities/weir.md": PAGE}))
    await world.okf.init()
    await world.okf.sync()
    await world.tree.write("bees.md", b"# Hives\n\nSeven hives.\n")
    done = await world.okf.repair()
    assert "entities/weir.md" in done.mended
    assert world.tree.files["entities/weir.md"].decode() == PAGE.replace("bees.md]\n", "bees.md]\ntype: Entity\n")
    assert [page.path for page in (await world.okf.stale()).stale] == ["entities/weir.md"]


async def test_a_page_that_cannot_be_edited_safely_is_left_and_told():
    broken = b"---\ntitle: [\n---\n\n\xff\n"
    world = World(MemoryTree({**NOTES, "concepts/broken.md": broken}))
    done = await world.okf.repair()
    assert "concepts/broken.md" in done.left
    assert world.tree.files["concepts/broken.md"] == broken


async def test_watching_tells_each_change_and_keeps_the_index_current():
    world = World(MemoryTree({**NOTES, "entities/weir.md": PAGE}))
    await world.okf.init()
    await world.okf.sync()
    steps = [
        lambda: world.tree.put("bees.md", b"# Hives\n\nSeven hives now.\n"),
        lambda: None,
        lambda: world.tree.put("new.md", b"# New\n"),
        lambda: world.tree.files.pop("new.md"),
    ]
    waits = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        steps.pop(0)()

    seen = []
    async for event in watch(world.ports, world.okf._config, sleep):
        seen.append(event)
        if event.kind == "gone":
            break
    assert seen == [
        Event("watching", ""),
        Event("changed", "bees.md", ("entities/weir.md",)),
        Event("new", "new.md"),
        Event("gone", "new.md"),
    ]
    assert all(seconds >= 1 for seconds in waits)
