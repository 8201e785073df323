"""A page of a bundle tells its links both ways, from the bundle's own index."""

from __future__ import annotations

import json

import pytest

from okf_edge.app.viewing import contents_json, page_json
from okf_edge.bundles.export import ExportOptions
from okf_edge.bundles.install import InstallOptions
from okf_edge.errors import NotFoundError
from okf_edge.inmemory.files import MemoryTree
from tests.unit.app.conftest import World

PAGES = {
    "index.md": "---\nokf_version: '0.2'\n---\n# Harbour\n\n* [Tides](tides.md) - when it floods\n",
    "tides.md": (
        "---\ntype: Note\ntitle: Tides\naliases: [Springs]\nstale_after: 2020-01-01T00:00:00Z\n---\n"
        "See [[locks|the locks]], [the gauge](img/gauge.png#top), [nothing](gone.md) and [a site](https://a.example/).\n"
    ),
    "locks/locks.md": "---\ntype: Note\ntitle: Locks\n---\n# Locks\n\nThey close at [[Springs#Height]].\n",
    "quay.md": "---\ntype: Note\ntitle: Quay\n---\nBuilt above the [tides](/tides.md) and [tides again](tides.md).\n",
    "img/gauge.png": "picture",
}


@pytest.fixture
async def world() -> World:
    source = World(MemoryTree({path: text.encode() for path, text in PAGES.items()}))
    archive = (await source.okf.export(ExportOptions("ada.harbour", "1.0.0"))).archive
    reader = World(MemoryTree())
    await reader.okf.install(archive, InstallOptions("harbour.zip"))
    return reader


async def test_a_page_tells_where_its_links_lead_and_who_links_to_it(world):
    view = await world.okf.page("Library/ada.harbour/tides.md")
    home = "Library/ada.harbour/"
    assert [(link.raw, link.path.removeprefix(home), link.anchor) for link in view.links] == [
        ("/locks/locks.md", "locks/locks.md", ""),
        ("img/gauge.png#top", "img/gauge.png", "top"),
        ("gone.md", "", ""),
    ]
    assert [each.title for each in view.links_to] == ["Locks"]
    assert [(each.path, each.title) for each in view.linked_from] == [
        (f"{home}locks/locks.md", "Locks"),
        (f"{home}quay.md", "Quay"),
    ]


async def test_a_page_begins_on_the_line_of_its_file_and_tells_that_it_is_stale(world):
    view = await world.okf.page("Library/ada.harbour/tides.md")
    assert view.text.startswith("See [the locks]")
    assert (view.first_line, view.fresh, view.concept.title, view.bundle.version) == (7, False, "Tides", "1.0.0")


async def test_a_listing_is_a_page_too(world):
    view = await world.okf.page("Library/ada.harbour/index.md")
    assert [link.path for link in view.links] == ["Library/ada.harbour/tides.md"]


async def test_contents_name_every_page_and_the_one_to_begin_with(world):
    contents = await world.okf.contents("ada.harbour")
    assert [each.title for each in contents.pages] == ["Locks", "Quay", "Tides"]
    assert (contents.start, contents.stale) == ("Library/ada.harbour/index.md", 1)
    assert dict(contents.files)["img/gauge.png"] == len("picture")


async def test_pages_outside_installed_bundles_are_not_found(world):
    world.tree.put("mine.md", b"# Mine\n")
    for path in ("mine.md", "Library/ada.harbour/none.md", "Library/ada.harbour2/tides.md"):
        with pytest.raises(NotFoundError):
            await world.okf.page(path)
    with pytest.raises(NotFoundError):
        await world.okf.contents("ada.nobody")


async def test_pages_and_contents_are_plain_data_for_whoever_shows_them(world):
    page = page_json(await world.okf.page("Library/ada.harbour/tides.md"))
    contents = contents_json(await world.okf.contents("ada.harbour"))
    assert json.loads(json.dumps([page, contents])) == [page, contents]
    assert (page["content"], page["stale_after"]) == ("untrusted", "2020-01-01T00:00:00+00:00")
    assert contents["pages"][0]["path"] == page["links_to"][0]["path"]
