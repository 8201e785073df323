"""Real notes by many hands are read, outlined, linked, checked and published without one exception."""

from __future__ import annotations

from pathlib import Path

import pytest

from okf_edge.okf.concept import concept_of
from okf_edge.okf.conformance import check, is_hidden
from okf_edge.okf.links import links_of
from okf_edge.okf.outline import outline_of
from okf_edge.okf.publish import meaning_by, standard_body
from okf_edge.okf.reader import read_document
from okf_edge.okf.resolve import Entry, Resolver, entry_of

VAULTS = Path(__file__).parents[4] / "shared" / "corpora" / "vaults"


@pytest.mark.parametrize("name", ["kepano-obsidian", "logseq-docs", "zh-hans.react.dev", "pulseboard"])
def test_a_vault_is_read_whole(name: str) -> None:
    root = VAULTS / name
    if not root.is_dir():
        pytest.skip("needs the corpora beside the checkout")
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    documents = [read_document(path, data) for path, data in files.items() if path.endswith(".md")]
    outlines = [outline_of(document) for document in documents]
    others = [Entry(path) for path in files if not path.endswith(".md")]
    entries = [entry_of(document, outline) for document, outline in zip(documents, outlines, strict=True)]
    resolver = Resolver([*entries, *others])
    for document, outline in zip(documents, outlines, strict=True):
        assert concept_of(document, outline).title
        edges = _edges(resolver, document.path, links_of(document, outline))
        body = standard_body(document, meaning_by(resolver, document.path), outline)
        assert _edges(resolver, document.path, links_of(read_document(document.path, body.encode()))) == edges
    report = check(files)
    assert report.notes == report.read == len([path for path in files if path.endswith(".md") and not is_hidden(path)])


def _edges(resolver: Resolver, path: str, links: object) -> list[str]:
    """Where the links of a body lead, those to nothing left out: they do not leave."""
    found = [(link, resolver.resolve(link, path)) for link in links if link.end]  # type: ignore[attr-defined]
    return [meant.path for _, meant in found if meant.path]
