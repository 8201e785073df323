"""Bytes to a Document."""

from __future__ import annotations

from okf_edge.okf.decoding import decode
from okf_edge.okf.document import Document
from okf_edge.okf.frontmatter import read_frontmatter
from okf_edge.okf.lines import NEWLINE
from okf_edge.okf.rules import finding


def read_document(path: str, data: bytes) -> Document:
    """Read one markdown file. Never raises for content: each problem is a diagnostic of the document."""
    decoded = decode(data)
    frontmatter = read_frontmatter(path, decoded.text)
    block = frontmatter.block
    body_start = block.body_start if block else 0
    diagnostics = frontmatter.diagnostics
    if decoded.problem:
        diagnostics = [finding("OKF-D01", path, None, decoded.problem), *diagnostics]
    if decoded.bom_bytes and not decoded.problem:
        diagnostics = [finding("OKF-D02", path, 1), *diagnostics]
    return Document(
        path=path,
        text=decoded.text,
        frontmatter=frontmatter.values,
        frontmatter_lines=frontmatter.lines,
        has_frontmatter=block is not None,
        body_start=body_start,
        body_line=1 + len(NEWLINE.findall(decoded.text, 0, body_start)),
        decodable=not decoded.problem,
        bom_bytes=decoded.bom_bytes,
        diagnostics=tuple(diagnostics),
    )
