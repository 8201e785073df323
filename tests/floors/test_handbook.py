"""The handbook is what it claims: conformant, linked throughout, listed, in two languages, true to the product."""

from __future__ import annotations

import re

import pytest

from okf_edge.bundles.risks import scan
from okf_edge.index import chunks, coarse, comparison, schema, tokens
from okf_edge.okf.conformance import check
from okf_edge.retrieval import gate, graph
from okf_edge_cli.commands import COMMANDS
from tests.floors import tables
from tests.floors.handbook import RESERVED, ROOT, Page, files, pages

NUMBERS = {3: "three", 5: "five", 10: "ten"}
PAGES = pages()
TYPES = {"Explanation", "Guide", "Reference", "Command", "Glossary", "FAQ"}
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
ENTRY = re.compile(r"^\* \[(.+?)\]\((\S+?)\) - (.+)$", re.MULTILINE)
CODE = re.compile(
    r"""(?:code=|default_code(?:: ClassVar\[str\])? = |\brefuse\(\s*|NameProblem\(|Deviation\()"([a-z0-9-]+)\""""
)
SOURCES = ROOT.parents[1] / "core"
ARCHIVE_CODES = "bundles/hostile-archives.md"
HAN = re.compile(r"[\u4e00-\u9fff]")
WORD = re.compile(r"[A-Za-z]{2,}")


def by_path(page: Page) -> str:
    return page.path


def test_the_handbook_conforms_and_leaves_no_advice() -> None:
    report = check(files())
    assert [f"{item.rule} {item.path}:{item.line} {item.message}" for item in report.findings] == []


def test_there_are_enough_pages_in_both_languages() -> None:
    assert len(PAGES) >= 100
    assert sum(page.language == "zh" for page in PAGES) >= 28


@pytest.mark.parametrize("page", PAGES, ids=by_path)
def test_a_page_says_what_it_is_and_who_wrote_it(page: Page) -> None:
    assert page.meta["type"] in TYPES
    assert page.meta["title"].strip()
    assert 10 <= len(page.meta["description"]) <= 200
    assert page.meta["tags"]
    assert page.meta["generated"]["by"] == "process:handbook"
    assert page.meta["generated"]["at"].isoformat().endswith("+00:00")


@pytest.mark.parametrize("page", PAGES, ids=by_path)
def test_a_page_is_written_in_the_language_that_it_claims(page: Page) -> None:
    han, words = len(HAN.findall(page.prose)), len(WORD.findall(page.prose))
    assert page.meta["lang"] == page.language
    assert han > words if page.language == "zh" else han < words / 10


@pytest.mark.parametrize("page", PAGES, ids=by_path)
def test_a_page_is_read_in_minutes(page: Page) -> None:
    if page.path in {name for name, _ in tables.TABLES}:
        pytest.skip("a table made from the product is as long as it has to be")
    length = len(WORD.findall(page.body)) + len(HAN.findall(page.body)) / 2
    assert 120 <= length <= 600


@pytest.mark.parametrize("page", PAGES, ids=by_path)
def test_a_page_links_to_others_by_absolute_paths_that_exist(page: Page) -> None:
    targets = [target for target in LINK.findall(page.prose) if "://" not in target]
    paths = [target.partition("#")[0] for target in targets]
    assert [path for path in paths if not path.startswith("/") or not (ROOT / path[1:]).is_file()] == []
    assert {path for path in paths if path != f"/{page.path}"}


def test_every_page_is_linked_from_another_page() -> None:
    linked = {target.partition("#")[0] for page in PAGES for target in LINK.findall(page.prose)}
    assert [page.path for page in PAGES if f"/{page.path}" not in linked] == []


def test_each_listing_names_all_pages_of_its_folder_with_their_titles_and_descriptions() -> None:
    for folder in sorted({(ROOT / page.path).parent for page in PAGES}):
        listed = {url: (title, text) for title, url, text in ENTRY.findall((folder / "index.md").read_text("utf-8"))}
        here = {page.path.rpartition("/")[2]: page for page in PAGES if (ROOT / page.path).parent == folder}
        expected = {name: (page.meta["title"], page.meta["description"]) for name, page in here.items()}
        assert {url: entry for url, entry in listed.items() if not url.endswith("/")} == expected


def test_each_listing_names_all_folders_below_it() -> None:
    for listing in ROOT.rglob("index.md"):
        named = {url.rstrip("/") for _, url, _ in ENTRY.findall(listing.read_text("utf-8")) if url.endswith("/")}
        assert named == {path.parent.name for path in listing.parent.glob("*/index.md")}


def test_each_command_has_a_page_that_names_it() -> None:
    commands = {page.path: page.body for page in PAGES if page.meta["type"] == "Command"}
    groups = {command.name.partition(" ")[0] for command in COMMANDS}
    assert set(commands) == {f"commands/okf-{group}.md" for group in groups}
    for command in COMMANDS:
        assert f"okf {command.name}" in commands[f"commands/okf-{command.name.partition(' ')[0]}.md"]


@pytest.mark.parametrize(("page", "heading"), tables.TABLES, ids=str)
def test_a_table_made_from_the_product_is_current(page: str, heading: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    current = tables.with_table(text, heading, tables.TABLES[page, heading]())
    assert text == current, "run: python -m tests.floors.tables"


def test_each_error_code_that_the_product_raises_is_documented() -> None:
    documented = "".join(page.body for page in PAGES if page.path.startswith(("reference/error-codes", ARCHIVE_CODES)))
    raised = {code for path in SOURCES.rglob("*.py") for code in CODE.findall(path.read_text("utf-8"))}
    assert len(raised) > 40
    assert sorted(code for code in raised - {"error"} if f"`{code}`" not in documented) == []


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("concepts/gate.md", f"one of the first {NUMBERS[gate.JUDGED]} candidates reaches {gate.THRESHOLD:g}"),
        ("concepts/link-graph.md", f"The {NUMBERS[graph.SEEDS]} best pages"),
        ("concepts/chunk.md", f"at most {chunks.MAX_TOKENS} tokens by this estimate"),
        ("concepts/chunk.md", f"below {chunks.TINY_TOKENS} tokens"),
        ("concepts/base-and-delta.md", f"less than {comparison.FOLD_CONCEPTS} pages changed"),
        ("concepts/base-and-delta.md", f"less than {comparison.FOLD_SHARE:.0%} and"),
        ("concepts/coarse-ranges.md", f"above about {coarse.CELLS_FROM:,} vectors".capitalize()),
        ("concepts/coarse-ranges.md", f"fixed sample of {coarse.SAMPLE_CHUNKS:,} chunk numbers"),
        ("concepts/index-file.md", f"| schema version | `{schema.SCHEMA_VERSION}` |"),
        ("concepts/tokens.md", f"now `{tokens.PIPELINE_ID}`"),
    ],
)
def test_a_number_in_a_page_is_that_of_the_product(path: str, sentence: str) -> None:
    assert any(page.path == path and sentence in f"{page.meta['description']} {page.body}" for page in PAGES)


def test_nothing_that_must_not_leave_stands_in_the_handbook() -> None:
    assert [str(finding) for finding in scan(files()) if finding.severity != "info"] == []


def test_nothing_but_markdown_and_small_pictures_lies_in_the_source_tree() -> None:
    others = {path: data for path, data in files().items() if not path.endswith(".md")}
    assert [path for path in others if not re.fullmatch(r"attachments/[a-z-]+\.(?:png|jpg)", path)] == []
    assert [path for path, data in others.items() if len(data) > 150_000] == []
    assert {path.name for path in ROOT.iterdir()} >= RESERVED
