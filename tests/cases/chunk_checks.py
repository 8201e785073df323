"""Checks of how notes are cut into places."""

from __future__ import annotations

from okf_edge.index.chunks import MAX_TOKENS, Chunk, chunks_of
from okf_edge.okf.concept import concept_of
from okf_edge.okf.outline import outline_of
from tests.cases.suite import Spec
from tests.cases.vault import Vault


def rows_whole(vault: Vault, spec: Spec) -> None:
    """`chunks_rows_whole`: no row is cut; each part of a table has its header once; the caption stays in the first."""
    lines = vault.document(spec["path"]).body.splitlines()
    header = lines.index(spec["header"])
    caption = next((line for line in reversed(lines[:header]) if line.strip()), "")
    parts = [chunk.body for chunk in _chunks(vault, spec["path"]) if "|" in chunk.body]
    assert len(parts) > 1, "the table fits into one place, so that nothing is shown"
    for part in parts:
        rows = [line for line in part.splitlines() if "|" in line]
        assert rows[:2] == lines[header : header + 2]
        assert rows.count(spec["header"]) == 1
        assert set(rows) <= set(lines)
    assert [part for part in parts[1:] if caption and caption in part] == []


def within_limit(vault: Vault, spec: Spec) -> None:
    """`chunks_max`: no place is larger than the product allows, or than `limit_chars` where that is a number."""
    limit = spec.get("limit_chars")
    for path in vault.documents:
        for chunk in _chunks(vault, path):
            assert chunk.tokens <= MAX_TOKENS, (path, chunk.ordinal)
            assert not isinstance(limit, int) or len(chunk.body) <= limit


def cover(vault: Vault, spec: Spec) -> None:
    """`chunks_cover`: the places of a note are none empty and together its whole body."""
    for path in [spec["path"]] if "path" in spec else vault.documents:
        document, chunks = vault.document(path), _chunks(vault, path)
        assert "".join(document.text[chunk.start : chunk.end] for chunk in chunks) == document.body, path
        assert [chunk for chunk in chunks if not chunk.body.strip() and document.body.strip()] == []


def heading_path(vault: Vault, spec: Spec) -> None:
    """`chunk_path`: the headings above a text, outermost first."""
    holding = [chunk for chunk in _chunks(vault, spec["path"]) if spec["text"] in chunk.body]
    assert [list(chunk.heading) for chunk in holding] == [spec["equals"]]


def _chunks(vault: Vault, path: str) -> tuple[Chunk, ...]:
    document = vault.document(path)
    return chunks_of(document, concept_of(document), outline_of(document))


CHECKS = {
    "chunks_rows_whole": rows_whole,
    "chunks_max": within_limit,
    "chunks_cover": cover,
    "chunk_path": heading_path,
}
