"""What leaves a base was approved by a person, item by item, and tells nothing of what stays."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from effort import cpu_seconds
from okf_edge.app.reviewing import Verdicts, Wanted
from okf_edge.bundles.export import ExportOptions
from okf_edge.bundles.verify import verify_archive
from okf_edge.errors import BundleError, InputError, NotFoundError, StateFileError
from okf_edge.inmemory.embedding import HashedEmbedder, MemoryModels
from okf_edge.inmemory.files import MemoryTree
from okf_edge.okf.outline import outline_of
from okf_edge.okf.reader import read_document
from okf_edge.okf.sharing import Fate, shared_note
from tests.unit.app.conftest import World

ID = "ada.weir"
STATE = f".okf/reviews/{ID}.json"
WEIR = """---
type: Concept
title: Weir
description: How the weir works.
tags: [water]
created: 2024-02-30
sources:
  - "[[Private/Clients/Meadow log|log]]"
  - resource: "[[Private/Clients/Nightingale]]"
    id: n1
    title: Nightingale
  - https://example.org/weirs
related: ["[[sluice]]", "[[Private/Clients/Nightingale]]"]
cover: Private/secret-cover.png
generated: { by: "human:ada", at: 2026-01-01T00:00:00Z }
---

# How

It leads to [[sluice]], [[concepts/sluice#Gate|the gate]] and [a page](../concepts/sluice.md#Gate).
Ask [[Private/Clients/Nightingale]] or [[Private/Clients/Nightingale|our partner]]
or [them](../Private/Clients/Nightingale.md) and others. [[Not written yet]] either.
![[plan.png|200]] ![[Private/secret-cover.png]] <img src="Private/secret-cover.png">
By [reference][r] and [[Meadow log]].[^1] Code: `[[Private/kept in code]]`.

[r]: ../Private/Clients/Nightingale.md
[^1]: [[Private/Clients/Meadow log]] says so.

%%Not for you: Private/Clients%%
"""
NOTES = {
    "concepts/weir.md": WEIR.replace(" Code: `[[Private/kept in code]]`.", ""),
    "concepts/sluice.md": "---\ntype: Concept\ntitle: Sluice\n---\n\n# Gate\n\nOpens at dawn. See [[far]].\n",
    "concepts/far.md": "---\ntype: Concept\ntitle: Far away\n---\n\nTwo links away.\n",
    "Private/Clients/Meadow log.md": "The meadow was flooded in March. [[Private/Clients/Nightingale]]\n",
    "Private/Clients/Nightingale.md": "Nightingale pays late.\n",
    "Private/secret-cover.png": "\x89PNG\0cover",
    "Private/plan.png": "\x89PNG\0plan",
    "SCHEMA.md": "# Schema\n\nOf the Nightingale deal.\n\n## Tags\n\n| tag | used for |\n|---|---|\n"
    "| water | rivers |\n| nightingale | the deal |\n",
}
STAYS = ("Nightingale", "Private", "secret-cover", "Clients", "nightingale", "Not for you")


def add(world: World, path: str, data: bytes) -> None:
    world.tree.put(path, world.tree.files[path] + data)


@pytest.fixture
def world() -> World:
    return World(MemoryTree(NOTES))


async def decide(world: World, flagged=("Private/Clients/Nightingale.md", "Private/secret-cover.png"), **more):
    """Everything that is asked for is flagged, everything else approved, one by one."""
    found = await world.okf.decide(Wanted(("weir",), 1, ID), Verdicts("ada", flagged=tuple(flagged)))
    for line in found.lines:
        if line.status == "unreviewed":
            reasons = {each.id: "it is meant to be told" for each in found.open_risks(line)}
            await world.okf.decide(Wanted(("weir",), 1, ID), Verdicts("ada", (line.item.path,), accepted=reasons))
    return await world.okf.review(Wanted(bundle_id=ID))


def unpacked(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


@pytest.mark.parametrize("text", ["[[sluice]] [x](a/b.md) ", "| [[sluice]] | a |\n", "[[sluice]]\n\n```\nx\n```\n\n"])
def test_a_page_of_many_links_costs_time_in_proportion(text: str):
    def seconds(count: int) -> float:
        document = read_document("weir.md", text.encode() * count)
        outline = outline_of(document)
        return cpu_seconds(lambda: shared_note(document, lambda link: Fate(stays=True), "Note", outline))

    seconds(100)
    long, short = (min(seconds(count) for _ in range(5)) for count in (8_000, 1_000))
    assert long < 24 * short  # eight times in proportion, sixty-four if each looked at each other


async def test_what_stays_is_named_by_no_file_that_was_approved(world):
    """A canvas and a query name it, where no link could be taken out: that is a risk of the item, not a surprise."""
    world.tree.put("board.canvas", b'{"nodes":[{"type":"file","file":"Private/Clients/Nightingale.md"}]}')
    query = "\n```dataview\nLIST FROM [[Private/Clients/Nightingale]]\n```\n![[board.canvas]]\n"
    add(world, "concepts/weir.md", query.encode())
    found = await world.okf.decide(
        Wanted(("weir",), 1, ID), Verdicts("ada", flagged=("Private/Clients/Nightingale.md",))
    )
    named = {
        line.item.path: finding.severity
        for line in found.lines
        for finding in line.findings
        if finding.kind == "name of what stays"
    }
    assert named == {"board.canvas": "blocking", "concepts/weir.md": "blocking"}
    for line in found.lines:
        if line.status == "unreviewed":
            await world.okf.decide(Wanted(("weir",), 1, ID), Verdicts("ada", (line.item.path,)))
    with pytest.raises(BundleError, match="name of what stays"):
        await world.okf.export_reviewed(ExportOptions(id=ID, version="1.0.0"), "", ())


async def test_the_closure_follows_links_as_far_as_asked_and_sources_one_step(world):
    found = await world.okf.review(Wanted(("weir",), None, ID))
    kinds = {line.item.path: (line.item.kind, line.status) for line in found.lines}
    assert kinds == {
        "concepts/weir.md": ("concept", "unreviewed"),
        "concepts/sluice.md": ("concept", "unreviewed"),
        "Private/Clients/Meadow log.md": ("source", "unreviewed"),
        "Private/Clients/Nightingale.md": ("source", "unreviewed"),
        "Private/plan.png": ("attachment", "unreviewed"),
        "Private/secret-cover.png": ("attachment", "unreviewed"),
        "SCHEMA.md": ("schema", "unreviewed"),
    }
    further = await world.okf.review(Wanted(("weir",), 2, ID))
    assert {line.item.path for line in further.lines} - set(kinds) == {"concepts/far.md"}


async def test_each_item_says_why_it_is_in(world):
    found = await world.okf.review(Wanted(("weir",), 1, ID))
    why = {line.item.path: line.item.why for line in found.lines}
    assert why["concepts/weir.md"] == ("a seed",)
    assert "cited by concepts/weir.md" in why["Private/Clients/Meadow log.md"]


async def test_looking_writes_no_decision(world):
    await world.okf.review(Wanted(("weir",), 1, ID))
    assert STATE not in world.tree.files


async def test_a_decision_is_kept_with_hash_reviewer_and_time(world):
    await world.okf.decide(Wanted(("weir",), 1, ID), Verdicts("ada", ("concepts/sluice.md",)))
    kept = json.loads(world.tree.files[STATE])["items"]["concepts/sluice.md"]
    assert (kept["status"], kept["reviewer"], len(kept["sha256"])) == ("approved", "ada", 64)
    assert kept["at"].endswith("Z")


async def test_an_edit_opens_an_approval_again_and_leaves_a_flag(world):
    await decide(world)
    for path in ("concepts/sluice.md", "Private/Clients/Nightingale.md"):
        add(world, path, b"\nMore.\n")
    found = await world.okf.review(Wanted(bundle_id=ID))
    status = {line.item.path: (line.status, line.is_changed) for line in found.lines}
    assert status["concepts/sluice.md"] == ("unreviewed", True)
    assert status["Private/Clients/Nightingale.md"] == ("flagged", True)
    assert status["concepts/weir.md"] == ("approved", False)


async def test_nothing_is_exported_while_an_item_is_open(world):
    await world.okf.decide(Wanted(("weir",), 1, ID), Verdicts("ada", ("concepts/weir.md",)))
    with pytest.raises(BundleError) as caught:
        await world.okf.export_reviewed(ExportOptions(ID, "1.0.0"))
    assert caught.value.code == "review-required"
    assert "concepts/sluice.md: unreviewed" in caught.value.issues


async def test_what_only_a_flagged_page_leads_to_does_not_leave(world):
    add(world, "concepts/sluice.md", b"![[only.png]]\n")
    world.tree.put("only.png", b"\x89PNG\0")
    found = await decide(world, flagged=("concepts/sluice.md",))
    assert "only.png" not in {line.item.path for line in found.lines}


@pytest.mark.parametrize(
    "verdicts",
    [
        Verdicts("", ("concepts/weir.md",)),
        Verdicts("ada", ("concepts/none.md",)),
        Verdicts("ada", ("concepts/weir.md",), ("concepts/weir.md",)),
        Verdicts("ada", accepted={"0" * 12: "so what"}),
    ],
)
async def test_a_decision_about_nothing_or_by_nobody_is_refused(world, verdicts):
    with pytest.raises(InputError) as caught:
        await world.okf.decide(Wanted(("weir",), 1, ID), verdicts)
    assert caught.value.code == "bad-decision"
    assert STATE not in world.tree.files


async def test_what_leaves_is_a_verified_bundle_with_its_provenance(world):
    await decide(world)
    exported = await world.okf.export_reviewed(ExportOptions(ID, "1.0.0"))
    await verify_archive(exported.archive)
    assert not exported.manifest.local
    files = unpacked(exported.archive)
    weir = files["concepts/weir.md"].decode()
    assert "created: 2024-02-30\n" in weir
    assert 'generated: { by: "human:ada", at: 2026-01-01T00:00:00Z }' in weir
    assert "/references/Meadow log.md" in weir
    assert "https://example.org/weirs" in weir
    assert "id: n1" in weir
    assert "[sluice](/concepts/sluice.md), [the gate](/concepts/sluice.md#Gate)" in weir
    assert "[a page](/concepts/sluice.md#Gate)" in weir
    assert "our partner\nor them and others. Not written yet either." in weir
    assert "![plan.png|200](/attachments/plan.png)" in weir
    assert "[^1]: [" in weir
    assert {"attachments/plan.png", "references/Meadow log.md", "SCHEMA.md", "log.md"} <= set(files)
    assert b"water" in files["SCHEMA.md"]


async def test_no_file_of_the_bundle_names_what_stays(world):
    await decide(world)
    exported = await world.okf.export_reviewed(ExportOptions(ID, "1.0.0"))
    for path, data in unpacked(exported.archive).items():
        for word in STAYS:
            assert word.encode() not in data, f"{word} in {path}"
            assert word not in path
        assert b"[[" not in data or path.endswith(".duckdb")


async def test_the_log_tells_what_changed_since_the_last_version(world):
    await decide(world)
    first = await world.okf.export_reviewed(ExportOptions(ID, "1.0.0"))
    await world.okf.record_release(first)
    add(world, "concepts/sluice.md", b"\nAnd closes at dusk.\n")
    add(world, "concepts/weir.md", b"\n[[New page]]\n")
    world.tree.put("concepts/New page.md", b"---\ntype: Concept\n---\n\nNew.\n")
    await decide(
        world, flagged=("Private/Clients/Nightingale.md", "Private/secret-cover.png", "Private/Clients/Meadow log.md")
    )
    second = await world.okf.export_reviewed(ExportOptions(ID, "1.1.0"))
    log = unpacked(second.archive)["log.md"].decode()
    assert "**Creation**: [New page](/concepts/New%20page.md) (1.1.0)." in log
    assert "**Update**: [Sluice](/concepts/sluice.md) (1.1.0)." in log
    assert "**Removal**: 1 page (1.1.0)." in log
    assert "**Initialization**: Version 1.0.0, " in log
    assert "Meadow" not in log


async def test_two_exports_of_one_review_have_the_same_content(world):
    await decide(world)
    first = await world.okf.export_reviewed(ExportOptions(ID, "1.0.0"))
    await world.okf.record_release(first)
    second = await world.okf.export_reviewed(ExportOptions(ID, "1.0.0"))
    assert first.manifest.content_digest == second.manifest.content_digest


async def test_an_accepted_risk_stays_accepted_with_its_reason_when_lines_move(world):
    add(world, "concepts/sluice.md", b"\nWrite to jo.merganser@quayworks-zq7.org today.\n")
    found = await decide(world)
    assert found.review.accepted
    world.tree.put("concepts/sluice.md", world.tree.files["concepts/sluice.md"].replace(b"# Gate", b"# Gate\n\nx"))
    again = await world.okf.review(Wanted(bundle_id=ID))
    line = next(each for each in again.lines if each.item.path == "concepts/sluice.md")
    assert line.findings and not again.open_risks(line)


async def test_a_risk_that_nobody_accepted_keeps_an_approved_item_open(world):
    add(world, "concepts/sluice.md", b"\nWrite to jo.merganser@quayworks-zq7.org today.\n")
    found = await world.okf.review(Wanted(("weir",), 1, ID))
    for line in found.lines:
        await world.okf.decide(Wanted(("weir",), 1, ID), Verdicts("ada", (line.item.path,)))
    with pytest.raises(BundleError) as caught:
        await world.okf.export_reviewed(ExportOptions(ID, "1.0.0"))
    assert any("concepts/sluice.md" in issue and "e-mail" in issue for issue in caught.value.issues)


async def test_names_that_some_system_cannot_store_are_changed_in_all_links(world):
    world.tree.put("concepts/What now?.md", b"---\ntype: Concept\n---\n\nA question. [[SLUICE]]\n")
    world.tree.put("concepts/Sluice.md", b"---\ntype: Concept\ntitle: Twin\n---\n\nA twin.\n")
    world.tree.put("concepts/sluice.md", b"---\ntype: Concept\n---\n\n[[What now?]] [[concepts/Sluice]]\n")
    await decide(world)
    await decide(world)
    found = await world.okf.review(Wanted(("weir",), 3, ID))
    names = {line.item.path: line.leaves_as for line in found.lines}
    assert names["concepts/What now?.md"] == "concepts/What now-.md"
    assert names["concepts/sluice.md"].startswith("concepts/sluice-")
    assert names["concepts/Sluice.md"].startswith("concepts/Sluice-")
    text = next(line.text for line in found.lines if line.item.path == "concepts/sluice.md")
    assert "(/concepts/What%20now-.md)" in text
    assert f"(/{names['concepts/Sluice.md']})" in text


async def test_a_note_that_is_not_downloaded_stops_the_export(world):
    world.tree.put("concepts/.Later.md.icloud", b"bplist00")
    add(world, "concepts/sluice.md", b"[[Later]]\n")
    await decide(world)
    with pytest.raises(BundleError) as caught:
        await world.okf.export_reviewed(ExportOptions(ID, "1.0.0"))
    assert any("concepts/Later.md is not downloaded" in issue for issue in caught.value.issues)


async def test_an_unknown_page_or_review_is_refused(world):
    with pytest.raises(NotFoundError):
        await world.okf.review(Wanted(("nowhere",), 1, ID))
    with pytest.raises(InputError) as caught:
        await world.okf.review(Wanted(bundle_id=ID))
    assert caught.value.code == "no-review"


async def test_a_corrupt_review_is_an_error_and_never_an_empty_one(world):
    world.tree.put(STATE, b'{"format": 1, "id": "ada.weir", "items": {"a": 1}}')
    with pytest.raises(StateFileError):
        await world.okf.decide(Wanted(("weir",), 1, ID), Verdicts("ada", ("concepts/weir.md",)))
    assert world.tree.files[STATE].startswith(b'{"format": 1, "id"')


async def test_a_second_export_embeds_only_what_changed(world):
    await decide(world)
    embedded: list[str] = []

    class Counting(HashedEmbedder):
        async def embed(self, texts, purpose):
            embedded.extend(texts)
            return await super().embed(texts, purpose)

    world.models = MemoryModels(Counting())
    first = await world.okf.export_reviewed(ExportOptions(ID, "1.0.0"))
    assert first.manifest.index.embedder and embedded
    embedded.clear()
    await world.okf.export_reviewed(ExportOptions(ID, "1.0.0"))
    assert embedded == []
