"""One question over many bases is one question over one corpus."""

from __future__ import annotations

from dataclasses import replace

import pytest

from okf_edge.app import Config, Okf
from okf_edge.app.federation import Member, ask_all
from okf_edge.errors import InputError, StateFileError
from okf_edge.inmemory.files import MemoryTree
from okf_edge.retrieval.request import Filters, SearchRequest
from tests.unit.app.conftest import World

NORTH = {
    "pears.md": "# Pears\n\nThe russet pears ripen in October.\n",
    "weir.md": "# Weir\n\nThe sluice opens at dawn.\n",
    "other/one.md": "# One\n\nPears are pears, and a pear is no apple.\n",
}
SOUTH = {
    "pears.md": "# Pears\n\nThe conference pears ripen in September.\n",
    "bees.md": "# Bees\n\nSix hives stand behind the barn.\n",
}


def member(name: str, files: dict[str, str]) -> Member:
    return Member(name, World(MemoryTree(files)).ports)


async def ask(members, question, absent=None, **options):
    return await ask_all(members, absent or {}, SearchRequest(question, dense=False, **options))


async def test_places_name_their_base_and_equal_paths_of_two_bases_stay_apart():
    answer = await ask([member("north", NORTH), member("south", SOUTH)], "conference pears ripen")
    found = [(each.kb, each.path) for each in answer.candidates]
    assert found[0] == ("south", "pears.md")
    assert ("north", "pears.md") in found
    top = answer.candidates[0]
    assert ("September" in top.text, top.uri.startswith("okf://south/pears.md")) == (True, True)
    assert answer.coverage.read == answer.coverage.found == len(NORTH) + len(SOUTH)


@pytest.mark.parametrize("question", ["russet pears ripen", "pears", "six hives barn", "sluice at dawn"])
async def test_many_bases_rank_and_score_like_one_that_holds_all_notes(question):
    merged = {
        f"{kb}/{path}": text for kb, files in (("north", NORTH), ("south", SOUTH)) for path, text in files.items()
    }
    whole = await Okf(World(MemoryTree(merged)).ports, Config("all")).query(SearchRequest(question, dense=False))
    parts = await ask([member("north", NORTH), member("south", SOUTH)], question)
    assert parts.verdict == whole.verdict
    found = [(f"{each.kb}/{each.path}", each.score, each.confidence) for each in (*parts.candidates, *parts.near)]
    assert found == [(each.path, each.score, each.confidence) for each in (*whole.candidates, *whole.near)]


async def test_a_base_that_changed_since_its_index_is_asked_as_it_is_now():
    north = member("north", NORTH)
    members = [north, member("south", SOUTH)]
    await ask(members, "pears")
    await north.ports.tree.write("new.md", b"# Quince\n\nThe quince is picked last.\n")
    members[1].ports.tree.put("bees.md", b"# Bees\n\nThe quince hedge hides the hives.\n")
    found = {(each.kb, each.path) for each in (await ask(members, "quince")).candidates}
    assert found == {("north", "new.md"), ("south", "bees.md")}


async def test_a_path_filter_counts_below_every_base():
    members = [member("north", NORTH), member("south", SOUTH)]
    answer = await ask(members, "pears", filters=Filters(paths=("other",)))
    assert [(each.kb, each.path) for each in (*answer.candidates, *answer.near)] == [("north", "other/one.md")]


async def test_bases_that_cannot_be_asked_are_named_with_the_reason():
    broken = member("broken", {".okf/bundles.json": "{"})
    answer = await ask([broken, member("south", SOUTH)], "hives barn", {"gone": "is missing"})
    assert answer.verdict == "ok"
    assert "gone is missing" in answer.coverage.note
    assert "broken could not be searched" in answer.coverage.note


async def test_no_base_that_can_be_asked_is_an_error_and_no_refusal():
    with pytest.raises(InputError, match="gone is missing"):
        await ask([], "hives", {"gone": "is missing"})
    with pytest.raises(StateFileError):
        await ask([member("broken", {".okf/bundles.json": "{"})], "hives")


async def test_one_base_answers_as_it_does_alone():
    north = member("north", NORTH)
    alone = await Okf(north.ports, Config("north")).query(SearchRequest("russet pears", dense=False))
    together = await ask([north], "russet pears")
    assert replace(together.candidates[0], why=()) == replace(alone.candidates[0], why=())
