"""What adapters of SqlEngine share: bulk inserts that need nothing but string parameters, parameters written out, and
the checks of names.

DuckDB casts a list that is written out as text far faster than it binds a Python list, and text is the one parameter
type that DuckDB-Wasm binds for lists too. So the native and the browser adapter load alike, without numpy or Arrow.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence

from okf_edge.errors import AlreadyExistsError, IndexFileError, NotFoundError
from okf_edge.ports import Column, FileTree, Value, Vectors

_ALIAS = re.compile(r"[a-z][a-z0-9_]*\Z")

BATCH_ROWS = 50_000  # a batch of three integer columns is about 1 MB of text
BATCH_VECTORS = 1_000  # about 1.5 MB of text at 384 dimensions


def insert_statements(table: str, columns: Mapping[str, Column]) -> Iterator[tuple[str, list[str]]]:
    """Statements with parameters that append `columns` to `table`, row by row in order.

    Raises ValueError: columns differ in length.
    """
    rows = common_length(columns)
    names = ", ".join(columns)
    batch = BATCH_VECTORS if any(isinstance(column, Vectors) for column in columns.values()) else BATCH_ROWS
    for first in range(0, rows, batch):
        parts = [_unnested(column, first, min(first + batch, rows)) for column in columns.values()]
        expressions = ", ".join(sql for sql, _ in parts)
        yield f"INSERT INTO {table} ({names}) SELECT {expressions}", [text for _, texts in parts for text in texts]


def common_length(columns: Mapping[str, Column]) -> int:
    """How many rows every column holds. Raises ValueError when they differ."""
    lengths = {name: _length(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"expected columns of one length, got {lengths}")
    return next(iter(lengths.values()), 0)


def checked_alias(alias: str) -> str:
    """The alias as it is. Raises ValueError when it would need quoting."""
    if not _ALIAS.match(alias):
        raise ValueError(f"expected an alias of lower-case letters, digits and _, got {alias!r}")
    return alias


async def require_absent(tree: FileTree, path: str) -> None:
    """Return when nothing is at `path`. Raises AlreadyExistsError otherwise."""
    try:
        await tree.stat(path)
    except NotFoundError:
        return
    raise AlreadyExistsError(f"expected no file at {path}, found one", hint="write to a fresh staging folder")


def no_database(path: str, reason: str) -> IndexFileError:
    """The error for a file that an engine can't read as a database."""
    return IndexFileError(
        f"expected an index file at {path}, found something else or a damaged one: {reason}",
        hint="build it again with `okf index build`",
    )


def with_literals(sql: str, parameters: Sequence[Value]) -> str:
    """The statement with its parameters written out, as DuckDB reads them.

    Natively DuckDB looks for pandas for every parameter that it is given: it imports it where it is installed, for half
    a second, and searches the path in vain where it is not, for a tenth of a millisecond. DuckDB-Wasm binds no bytes.
    """
    first, *rest = sql.split("?")
    return first + "".join(map("".join, zip(map(_literal, parameters), rest, strict=True)))


def quoted(text: str) -> str:
    """A text in SQL, between quotes."""
    return "'" + text.replace("'", "''") + "'"


def _literal(value: Value) -> str:
    """A value in SQL that reads back as the same value."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"from_hex('{value.hex()}')"
    if isinstance(value, float):
        return f"CAST('{value!r}' AS DOUBLE)"  # a bare decimal would be a DECIMAL, and differ in the last bit
    return str(int(value)) if isinstance(value, int) else f"({' || chr(0) || '.join(map(quoted, value.split(chr(0))))})"


def _length(column: Column) -> int:
    return len(column.data) // column.dims if isinstance(column, Vectors) else len(column)


def _unnested(column: Column, first: int, last: int) -> tuple[str, list[str]]:
    """An expression that yields rows `first` to `last` of the column, and its parameters."""
    if isinstance(column, Vectors):
        return f"unnest(?::VARCHAR::TINYINT[{column.dims}][])", [_vectors_text(column, first, last)]
    part = column[first:last]
    if isinstance(part, array):
        kind = "DOUBLE" if part.typecode in "fd" else "BIGINT"
        return f"unnest(?::VARCHAR::{kind}[])", [str(part.tolist())]
    if any(isinstance(value, str) for value in part):
        return _strings(part)
    kind = "DOUBLE" if any(isinstance(value, float) for value in part) else "BIGINT"
    return f"unnest(?::VARCHAR::{kind}[])", [str(list(part)).replace("None", "NULL")]


def _vectors_text(vectors: Vectors, first: int, last: int) -> str:
    signed = array("b", vectors.data[first * vectors.dims : last * vectors.dims])
    rows = (str(signed[at : at + vectors.dims].tolist()) for at in range(0, len(signed), vectors.dims))
    return "[" + ",".join(rows) + "]"


def _strings(values: Sequence[str | int | float | None]) -> tuple[str, list[str]]:
    """Texts joined by a character that none of them holds; a lone second such character stands for NULL."""
    texts = [None if value is None else str(value) for value in values]
    separator, null = _unused_characters("".join(text for text in texts if text is not None))
    joined = separator.join(null if text is None else text for text in texts)
    return "nullif(unnest(string_split(?, ?)), ?)", [joined, separator, null]


def _unused_characters(text: str) -> tuple[str, str]:
    unused = (char for char in map(chr, range(1, 0x110000)) if char not in text)
    return next(unused), next(unused)
