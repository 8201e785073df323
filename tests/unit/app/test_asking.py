"""A question sees the folder as it is now, from whatever index there is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from okf_edge.app import asking
from okf_edge.errors import IndexFileError, InputError, ModelError, StateFileError, UnavailableError
from okf_edge.inmemory.embedding import HASHED_SPEC, HashedEmbedder, MemoryModels
from okf_edge.inmemory.files import MemoryTree
from okf_edge.retrieval.request import SearchRequest
from okf_edge.workspace import layout
from tests.unit.app.conftest import NOTES, FullTree, ReadOnlyTree, World


async def ask(world: World, question: str, **options):
    return await world.okf.query(SearchRequest(question, **options))


async def best(world: World, question: str) -> str:
    answer = await ask(world, question)
    return (answer.candidates + answer.near)[0].path


async def test_the_first_question_builds_the_index_and_the_second_uses_it(world):
    assert await best(world, "russet pears") == "orchard/pears.md"
    assert layout.INDEX in world.tree.files
    written = world.tree.mtimes[layout.INDEX]
    assert await best(world, "sluice dawn") == "entities/weir.md"
    assert world.tree.mtimes[layout.INDEX] == written


async def test_an_answer_names_tier_base_and_address(world):
    candidate = (await ask(world, "sluice dawn")).candidates[0]
    assert (candidate.tier, candidate.kb, candidate.bundle) == ("agent", "notes", "")
    assert candidate.uri.startswith("okf://notes/entities/weir.md")
    await world.okf.init("River lab")
    assert (await ask(world, "sluice dawn")).candidates[0].uri.startswith("okf://River%20lab/entities/weir.md")


async def test_edits_are_answered_without_a_new_index_while_they_are_few(world):
    for number in range(100):
        world.tree.put(f"more/{number}.md", f"# More {number}\n\nFiller number {number}.\n".encode())
    await world.okf.build_index()
    written = world.tree.mtimes[layout.INDEX]
    world.tree.put("bees.md", b"# Hives\n\nThe hives moved to the meadow.\n")
    await world.tree.remove("orchard/pears.md")
    assert await best(world, "hives meadow") == "bees.md"
    gone = await ask(world, "russet pears ripen")
    assert "orchard/pears.md" not in [each.path for each in gone.candidates + gone.near]
    assert gone.coverage.read == gone.coverage.found == 102
    assert world.tree.mtimes[layout.INDEX] == written


async def test_many_edits_are_folded_into_a_new_index(world):
    await world.okf.build_index()
    written = world.tree.mtimes[layout.INDEX]
    world.tree.put("bees.md", b"# Hives\n\nThe hives moved to the meadow.\n")
    assert await best(world, "hives meadow") == "bees.md"
    assert world.tree.mtimes[layout.INDEX] > written
    status = await world.okf.index_status()
    assert (status.changes.added, status.changes.touched, status.changes.removed) == (0, 0, 0)


async def test_base_and_delta_answer_like_a_rebuild(world):
    await world.okf.build_index()
    world.tree.put("bees.md", b"# Hives\n\nThe sluice hives moved to the meadow.\n")
    world.tree.put("new.md", b"# New\n\nDawn over the meadow and the sluice.\n")
    rebuilt = World(MemoryTree({path: data for path, data in world.tree.files.items() if path.endswith(".md")}))
    for question in ("sluice dawn", "meadow hives", "russet pears"):
        ours, theirs = await ask(world, question), await ask(rebuilt, question)
        assert ours.candidates == theirs.candidates
        assert ours.near == theirs.near


async def test_a_folder_that_cant_be_written_is_answered_from_the_spare_place():
    world = World(ReadOnlyTree(NOTES))
    assert await best(world, "russet pears") == "orchard/pears.md"
    assert set(world.tree.files) == set(NOTES)
    assert layout.INDEX in world.spare.files
    assert "can't be written" in world.progress.messages[0]
    assert (await world.okf.index_status()).place == "cache"


async def test_a_spare_index_is_forgotten_once_the_folder_can_be_written():
    locked = World(ReadOnlyTree(NOTES))
    await locked.okf.build_index()
    world = World(MemoryTree(NOTES), spare=locked.spare)
    await world.okf.build_index()
    assert layout.INDEX not in world.spare.files
    assert (await world.okf.index_status()).place == "folder"


async def test_a_full_disk_is_an_error_and_no_reason_to_write_elsewhere():
    world = World(FullTree(NOTES))
    with pytest.raises(UnavailableError) as caught:
        await ask(world, "russet pears")
    assert caught.value.code == "disk-full"
    assert not world.spare.files


async def test_a_disk_that_fills_up_later_costs_only_the_fold(world):
    await world.okf.build_index()
    full = World(FullTree())
    for path, data in world.tree.files.items():
        full.tree.put(path, data)
    full.tree.put("bees.md", b"# Hives\n\nThe hives moved to the meadow.\n")
    assert await best(full, "hives meadow") == "bees.md"
    assert "could not be renewed" in full.progress.messages[-1]


async def test_without_a_home_a_writable_folder_answers():
    world = World(MemoryTree(NOTES), spare=None)
    assert await best(world, "russet pears") == "orchard/pears.md"


@pytest.mark.parametrize("damage", [b"", b"no database"])
async def test_a_damaged_index_is_made_anew_and_that_is_said(world, damage):
    await world.okf.build_index()
    world.tree.put(layout.INDEX, damage)
    assert await best(world, "russet pears") == "orchard/pears.md"
    assert "made anew" in world.progress.messages[0]


async def embedder_of_index(world: World) -> tuple[str, str]:
    index = (await world.okf.index_status()).index
    return (index.embedder, index.embedder_digest)


async def test_an_index_without_vectors_gets_them_once_a_suitable_model_is_at_hand(world):
    await world.okf.build_index()
    world.models = MemoryModels(HashedEmbedder())
    await ask(world, "russet pears", dense=False)
    assert await embedder_of_index(world) == ("", "")
    await ask(world, "russet pears")
    assert await embedder_of_index(world) == ("hashed", HASHED_SPEC.digest)


async def test_an_index_of_an_older_version_of_a_model_is_made_anew_by_a_question_that_needs_it(world):
    world.models = MemoryModels(HashedEmbedder(replace(HASHED_SPEC, digest="1" * 64)))
    await world.okf.build_index()
    world.models = MemoryModels(HashedEmbedder())
    await ask(world, "russet pears", dense=False)
    assert await embedder_of_index(world) == ("hashed", "1" * 64)
    await ask(world, "russet pears")
    assert await embedder_of_index(world) == ("hashed", HASHED_SPEC.digest)


async def test_an_index_of_a_model_that_is_elsewhere_is_kept(world):
    world.models = MemoryModels(HashedEmbedder(replace(HASHED_SPEC, id="elsewhere")))
    await world.okf.build_index()
    world.models = MemoryModels(HashedEmbedder())
    answer = await ask(world, "russet pears")
    assert answer.candidates[0].path == "orchard/pears.md"
    assert await embedder_of_index(world) == ("elsewhere", HASHED_SPEC.digest)


async def test_an_edit_embeds_only_what_changed(world):
    for number in range(100):
        world.tree.put(f"more/{number}.md", f"# More {number}\n\nFiller number {number}.\n".encode())
    embedder = HashedEmbedder()
    world.models = MemoryModels(embedder)
    await world.okf.build_index()
    before = embedder.calls
    world.tree.put("bees.md", b"# Hives\n\nThe hives moved to the meadow.\n")
    await ask(world, "hives meadow")
    await ask(world, "hives meadow")
    assert embedder.calls == before + 1


async def test_a_model_that_is_not_at_hand_is_an_error_when_it_is_asked_for(world):
    with pytest.raises(ModelError):
        await world.okf.query(SearchRequest("pears"), "absent")


async def test_an_empty_folder_refuses_and_says_that_nothing_is_there():
    answer = await ask(World(MemoryTree()), "russet pears")
    assert (answer.verdict, answer.coverage.read, answer.coverage.found) == ("no-confident-match", 0, 0)


async def test_notes_that_are_not_downloaded_are_found_and_not_read(world):
    world.tree.put("orchard/.Plums.md.icloud", b"bplist00")
    coverage = (await ask(world, "russet pears")).coverage
    assert (coverage.read, coverage.found, coverage.problems) == (3, 4, 1)


@pytest.mark.parametrize("path", [layout.MANIFEST, layout.BUNDLES])
async def test_a_corrupt_state_file_is_an_error_and_never_an_empty_state(world, path):
    world.tree.put(path, b"{")
    with pytest.raises(StateFileError, match=path.replace(".", r"\.")):
        await ask(world, "russet pears")


async def test_an_installed_bundle_without_its_index_is_an_error_and_no_refusal(world):
    from okf_edge.bundles.install import InstallOptions

    source = MemoryTree({"heron.md": "---\ntype: Note\ntitle: Heron\n---\n\nThe heron nests here.\n"})
    await world.okf.install(source, InstallOptions("source", bundle_id="acme.birds", version="1.0.0"))
    assert await best(world, "heron nests") == "Library/acme.birds/heron.md"
    await world.tree.remove("Library/acme.birds/okf-index.duckdb")
    with pytest.raises(IndexFileError, match=r"acme\.birds"):
        await ask(world, "heron nests")


async def test_a_bundle_that_is_uninstalled_during_a_question_is_left_out(world, monkeypatch):
    from okf_edge.bundles.install import InstallOptions

    source = MemoryTree({"heron.md": "---\ntype: Note\ntitle: Heron\n---\n\nThe heron nests here.\n"})
    await world.okf.install(source, InstallOptions("source", bundle_id="acme.birds", version="1.0.0"))
    read, pending = asking._indexed_bundles, [True]

    async def read_before_the_other(ports):
        bundles = await read(ports)
        if pending and pending.pop():
            await world.okf.uninstall("acme.birds")
        return bundles

    monkeypatch.setattr(asking, "_indexed_bundles", read_before_the_other)
    assert await best(world, "russet pears") == "orchard/pears.md"
    assert pending == []


@pytest.mark.parametrize(
    ("wanted", "path"),
    [
        ("orchard/pears.md", "orchard/pears.md"),
        ("orchard/pears", "orchard/pears.md"),
        ("pears", "orchard/pears.md"),
        ("PEARS", "orchard/pears.md"),
        ("okf://notes/orchard/pears.md", "orchard/pears.md"),
    ],
)
async def test_a_concept_is_read_by_any_of_its_names(world, wanted, path):
    assert (await world.okf.read(wanted)).path == path


async def test_one_section_is_read_with_its_lines(world):
    reading = await world.okf.read("pears#storage")
    assert (reading.heading, reading.lines, reading.text) == (
        "Russet pears > Storage",
        (5, 7),
        "## Storage\n\nIn a cellar.\n",
    )


async def test_a_name_that_means_several_concepts_lists_them(world):
    world.tree.put("deep/bees.md", b"# Other hives\n")
    world.tree.put("other/bees.md", b"# Third hives\n")
    assert (await world.okf.read("bees.md")).path == "bees.md"
    with pytest.raises(InputError) as caught:
        await world.okf.read("bees")
    assert caught.value.code == "ambiguous-concept"
    assert "deep/bees.md" in caught.value.message
