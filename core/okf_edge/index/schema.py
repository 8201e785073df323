"""The tables of an index file: the contract between what builds an index and what searches it.

One file per indexed thing (a bundle, a workspace), immutable, always attached read-only, the same on every platform.
The same tables hold the in-memory delta of a workspace. Only column types that DuckDB 1.4 (WebAssembly) and SQLite
share are used; lists are stored as text with one item a line.

Numbers: concepts are numbered in path order, terms in term order, chunks in `coarse` order where there is one, else
in concept order, so that postings and vectors of neighbours are contiguous. Postings are sorted by term, then chunk.

Links name concepts by path, not by number, so that a link from the base into the delta, and back, still leads there.
`target` is empty when the link leads to no concept; `raw` is what the author wrote, and `form` says by which rules it
resolves. A link of kind `source` cites.
"""

from __future__ import annotations

SCHEMA_VERSION = 1
STORAGE_VERSION = "v1.0.0"
BLOCK_BYTES = 32_768
"""The least with which DuckDB packs the bits of 32-bit integers; with half of it a large index is twice as large."""

SMALL_BLOCK_BYTES = 16_384
"""DuckDB's least. Every table takes blocks of its own, which is most of a small index."""

SMALL_CHUNKS = 400
"""An index with fewer chunks is written in small blocks."""

META_KEYS = (
    "schema",
    "writer",
    "pipeline",
    "embedder",  # empty, like the next two, in an index without vectors
    "embedder_digest",
    "dims",
    "concepts",
    "chunks",
    "problems",  # concepts of which not everything could be read
    "source_digest",  # sha256 over lines `path NUL bytes NUL sha256` of the indexed files, sorted by path
)

TABLES: dict[str, str] = {
    "meta": "key VARCHAR, value VARCHAR",
    "concept": (
        "number INTEGER, path VARCHAR, type VARCHAR, title VARCHAR, description VARCHAR, tags VARCHAR, "
        "aliases VARCHAR, status VARCHAR, tier VARCHAR, trust VARCHAR, generated_at VARCHAR, stale_after VARCHAR, "
        "sha256 VARCHAR, bytes BIGINT, mtime_ns BIGINT, problems INTEGER"
    ),
    "chunk": (
        "number INTEGER, concept INTEGER, ordinal INTEGER, heading VARCHAR, first_line INTEGER, last_line INTEGER, "
        "first_byte INTEGER, last_byte INTEGER, tokens INTEGER"
    ),
    "term": "number INTEGER, term VARCHAR, df INTEGER",
    "posting": "term INTEGER, chunk INTEGER, weight UTINYINT",
    "vector": "chunk INTEGER, scale FLOAT, v TINYINT[{dims}]",
    "link": "source VARCHAR, target VARCHAR, raw VARCHAR, kind VARCHAR, form VARCHAR, anchor VARCHAR",
    "coarse": "cell INTEGER, first_chunk INTEGER, last_chunk INTEGER, scale FLOAT, v TINYINT[{dims}]",
    "sample": "chunk INTEGER",
}


def names_of(table: str) -> tuple[str, ...]:
    """Column names of a table, in order."""
    return tuple(column.split()[0] for column in TABLES[table].split(", "))


def create_statements(alias: str, dims: int) -> list[str]:
    """Statements that create every table in an empty database. Without vectors `dims` is 0, and theirs are left out."""
    return [
        f"CREATE TABLE {alias}.{name} ({columns.format(dims=dims)})"
        for name, columns in TABLES.items()
        if dims or "{dims}" not in columns
    ]
