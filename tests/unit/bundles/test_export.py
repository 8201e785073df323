"""Exporting a source tree: what leaves, what does not, and that two exports are one."""

from __future__ import annotations

import json

import pytest

from bundle_kit import LineIndexer
from okf_edge.bundles.contents import open_zip
from okf_edge.bundles.export import Exported, ExportOptions, export_bundle
from okf_edge.bundles.knowlery import content_hash, read_knowlery
from okf_edge.bundles.manifest import read_manifest
from okf_edge.bundles.verify import verify_archive
from okf_edge.errors import BundleError, DigestMismatchError, InputError, OkfError, RiskError
from okf_edge.inmemory.files import MemoryTree
from okf_edge.inmemory.progress import RecordedProgress
from okf_edge.okf.links import links_of
from okf_edge.okf.reader import read_document
from okf_edge.okf.resolve import Resolver, entry_of

PAGE = (
    "---\ntype: Note\ntitle: Tides\nx-future: {b: 1, a: [no, 02700]} # kept\n"
    "generated: {by: human:ada, at: 2026-03-01T10:00:00+02:00}\n---\n# Tides\nHigh.\n"
)
WIND = "---\ntype: Note\n---\nSee [[Tides|the tides]], [[Tides#Tides]] and [tides](../sea/Tides.md).\n"
TREE = {
    "sea/Tides.md": PAGE,
    "air/Wind.md": WIND,
    "references/chart.md": "---\ntype: Source\n---\nRaw.\n",
    "img/a.png": b"\x89PNG",
}


async def export(files: dict[str, str | bytes], indexer: LineIndexer | None = None, **options: object) -> Exported:
    chosen = ExportOptions(**{"id": "ada.harbour", "version": "1.0.0", **options})
    return await export_bundle(MemoryTree(files), chosen, indexer=indexer or LineIndexer(), progress=RecordedProgress())


async def unpacked(exported: Exported) -> dict[str, bytes]:
    contents = open_zip(exported.archive)
    return {path: await contents.read(path) for path in contents.sizes}


async def refusal(files: dict[str, str | bytes], **options: object) -> OkfError:
    with pytest.raises(OkfError) as caught:
        await export(files, **options)
    return caught.value


async def test_a_page_without_wikilinks_leaves_byte_for_byte():
    odd = "\ufeff---\r\ntype: Note\r\nunknown:   [ 1.10 , no ]   # why\r\n---\r\nText.\r\n"
    files = await unpacked(await export({**TREE, "odd.md": odd}))
    assert files["sea/Tides.md"] == PAGE.encode()
    assert files["odd.md"] == odd.encode()
    assert files["img/a.png"] == b"\x89PNG"


async def test_wikilinks_become_standard_links_and_the_graph_stays():
    files = await unpacked(await export(TREE))
    assert b"[[" not in files["air/Wind.md"]
    assert b"[the tides](/sea/Tides.md)" in files["air/Wind.md"]
    assert b"[tides](../sea/Tides.md)" in files["air/Wind.md"]
    document = read_document("air/Wind.md", files["air/Wind.md"])
    resolver = Resolver([entry_of(read_document(path, data)) for path, data in files.items() if path.endswith(".md")])
    assert {resolver.resolve(link, "air/Wind.md").path for link in links_of(document)} == {"sea/Tides.md"}


async def test_comments_and_links_to_what_is_not_in_the_bundle_never_leave():
    page = "---\ntype: Note\n---\nA %%see [[Secret H]]%% b.\n\n%%\nhidden\n%%\n\nTo [[Elsewhere|there]] `%%kept%%`.\n"
    files = await unpacked(await export({"a.md": page}))
    assert b"Secret H" not in b"".join(files.values())
    assert b"hidden" not in files["a.md"]
    assert b"Elsewhere" not in files["a.md"]
    assert b"To there `%%kept%%`." in files["a.md"]


async def test_exporting_twice_gives_the_same_bytes():
    first, second = await export(TREE), await export(dict(reversed(TREE.items())))
    assert first.archive == second.archive
    assert first.file_name == "ada.harbour-1.0.0.okf.zip"


async def test_another_index_changes_only_the_index_and_its_digest():
    class OtherBytes(LineIndexer):
        async def build(self, files):
            built = await LineIndexer.build(self, files)
            return type(built)(built.data + b"#", built.schema, built.pipeline, built.chunks)

    first, second = await unpacked(await export(TREE)), await unpacked(await export(TREE, OtherBytes()))
    assert {path for path in first if first[path] != second[path]} == {"okf-index.duckdb", "okf-bundle.json"}
    one, other = (read_manifest(files["okf-bundle.json"]) for files in (first, second))
    assert one.content_digest == other.content_digest


async def test_missing_listings_are_made_and_present_ones_are_kept():
    index = "# Mine\n\n* [Tides](sea/Tides.md)\n"
    files = await unpacked(await export({**TREE, "index.md": index}))
    assert files["index.md"] == index.encode()
    assert b"[Tides](/sea/Tides.md)" in files["sea/index.md"]
    assert files["log.md"].startswith(b"# Update log\n\n## 2026-03-01\n")
    made = await unpacked(await export(TREE))
    assert made["index.md"].startswith(b'---\nokf_version: "0.2"\n---\n')
    assert b"(/air/index.md)" in made["index.md"]


async def test_a_tree_without_dates_gets_no_log_and_no_date_of_the_run():
    exported = await export({"a.md": "---\ntype: Note\n---\nx\n"})
    assert exported.manifest.created == ""
    assert "log.md" not in await unpacked(exported)


async def test_the_manifest_states_every_file_and_stands_last():
    exported = await export(TREE, description="All", licence="CC0-1.0")
    files = await unpacked(exported)
    manifest = read_manifest(files["okf-bundle.json"])
    assert manifest == exported.manifest
    assert {file.path for file in manifest.files} == set(files) - {"okf-bundle.json"}
    assert manifest.created == "2026-03-01T08:00:00Z"
    assert manifest.index is not None and manifest.index.chunks > 0
    assert b"okf-bundle.json" in exported.archive.split(b"PK\x01\x02")[-1]


async def test_a_knowlery_reader_finds_what_it_needs():
    files = await unpacked(await export(TREE))
    manifest = read_knowlery(files["knowlery-bundle.json"])
    markdown = {path: data for path, data in files.items() if path.endswith(".md")}
    assert manifest.content_hash == content_hash(markdown)
    assert list(manifest.attachments) == ["img/a.png"]
    agents = json.loads(files["agent-index.json"])
    assert {"schemaVersion", "okfVersion", "generatedAt", "title", "entrypoint", "concepts", "groups"} <= set(agents)
    assert set(agents["groups"]) == {"byType", "byDomain"}
    assert agents["schemaVersion"] == 1
    by_id = {each["id"]: each for each in agents["concepts"]}
    assert by_id["sea/Tides"]["backlinks"] == ["air/Wind"]
    assert [each["path"] for each in agents["rawSources"]] == ["references/chart.md"]


@pytest.mark.parametrize("mark", ["KNOWLEDGE.md", ".okf/manifest.json", ".knowlery/manifest.json"])
async def test_a_knowledge_base_is_refused_and_a_local_export_of_it_can_not_be_published(mark):
    theirs = "---\ntype: Note\n---\nTheirs.\n"
    files = {**TREE, mark: "{}", "Library/other.bundle/x.md": theirs, ".okf/x.md": "secret"}
    assert (await refusal(files)).code == "knowledge-base"
    exported = await export(files, local=True)
    assert exported.manifest.local
    assert not [path for path in await unpacked(exported) if path.startswith(("Library/", ".okf", "KNOWLEDGE"))]


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"a.md": "no frontmatter\n"}, "not-conformant"),
        ({"a.md": "---\ntype: ''\n---\n"}, "not-conformant"),
        ({"a.md": b"---\ntype: Note\n---\n\xff\xfe"}, "not-conformant"),
        ({}, "no-concepts"),
        ({"a.md": WIND, "A.md": WIND}, "name-collision"),
        ({"what?.md": WIND}, "unportable-name"),
        ({"n" * 245 + ".md": WIND}, "path-too-long"),
        ({"a.md": WIND, ".River log.md.icloud": b"bplist00"}, "not-downloaded"),
    ],
)
async def test_a_tree_that_can_not_be_a_bundle_is_refused(files, code):
    assert (await refusal(files)).code == code


@pytest.mark.parametrize(
    ("options", "code"), [({"id": "handbook"}, "bad-bundle-id"), ({"version": "1"}, "bad-version")]
)
async def test_a_bad_id_or_version_is_refused(options, code):
    error = await refusal(TREE, **options)
    assert isinstance(error, InputError)
    assert error.code == code


async def test_a_risk_stops_the_export_until_it_is_accepted_with_a_reason():
    files = {**TREE, "b.md": "---\ntype: Note\n---\nWrite to ada@quayworks-zq7.org.\n"}
    error = await refusal(files)
    assert isinstance(error, RiskError)
    [issue] = error.issues
    assert issue.startswith("b.md:4:10: blocking: e-mail")
    assert "ada@quayworks" not in issue
    accepted = {issue.rpartition("[")[2].rstrip("]"): "the public address"}
    assert (await export(files, accepted=accepted)).findings[0].kind == "e-mail"


async def test_readers_whose_language_the_index_does_not_understand_are_told():
    class English(LineIndexer):
        async def build(self, files):
            built = await LineIndexer.build(self, files)
            return type(built)(built.data, 1, "p1", 1, "minilm-l6", "0" * 64, ("Latin",))

    assert any("Han" in note for note in (await export(TREE, English())).notes)
    assert any("Han" in note for note in (await export(TREE, English(), languages=("en", "zh"))).notes)
    assert not any("Han" in note for note in (await export(TREE, English(), languages=("en", "de"))).notes)


async def test_an_exported_archive_verifies_and_its_index_equals_a_rebuild():
    exported = await export(TREE)
    verified = await verify_archive(exported.archive, indexer=LineIndexer(), rebuild=True)
    assert verified.content_digest == exported.manifest.content_digest
    assert verified.signature == "absent"
    for digest in (exported.manifest.content_digest, f"sha256:{verified.content_digest}"):
        await verify_archive(exported.archive, sha256=digest)
    with pytest.raises(DigestMismatchError):
        await verify_archive(exported.archive, sha256="0" * 64)
    with pytest.raises(InputError):
        await verify_archive(exported.archive, sha256="abc")


async def test_an_index_that_was_made_from_other_text_is_found_by_a_rebuild():
    class Forged(LineIndexer):
        async def build(self, files):
            return await LineIndexer.build(self, {"other.md": b"x"})

    exported = await export(TREE, Forged())
    assert (await verify_archive(exported.archive)).kind == "okf"
    with pytest.raises(DigestMismatchError) as caught:
        await verify_archive(exported.archive, indexer=LineIndexer(), rebuild=True)
    assert caught.value.code == "index-differs"


async def test_a_bundle_without_an_index_can_not_be_compared():
    exported = await export_bundle(
        MemoryTree(TREE), ExportOptions("ada.harbour", "1.0.0"), indexer=None, progress=RecordedProgress()
    )
    with pytest.raises(BundleError) as caught:
        await verify_archive(exported.archive, indexer=LineIndexer(), rebuild=True)
    assert caught.value.code == "no-index"
