"""The part of a base's SCHEMA.md that a bundle needs: the rows of its tables that the leaving pages use.

Everything else in it, prose and rows of other topics, is about the rest of the base, and stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from okf_edge.okf.document import Document
from okf_edge.okf.outline import outline_of

_CELL_MARKS = "`*#_/ "
_DIVIDER = re.compile(r"\|?[\s:|-]+\|?")
_HEAD = (
    "---\ntype: Schema\ntitle: Schema\ndescription: The page types and tags that this bundle uses.\n---\n\n# Schema\n"
)


def scoped_schema(schema: Document, used: Iterable[str]) -> bytes:
    """The schema of a bundle whose pages use these types, folders, domains and tags; empty when no row is used."""
    wanted = {_plain(each) for each in used}
    wanted |= {part for each in list(wanted) for part in [each.partition("/")[0]]}
    outline = outline_of(schema)
    parts = []
    for section in outline.sections:
        for block in section.blocks:
            rows = _rows(block.text, wanted) if block.kind == "table" else []
            if rows and section.path:
                parts.append(f"\n## {section.path[-1]}\n\n" + "\n".join(rows) + "\n")
    return (_HEAD + "".join(parts)).encode() if parts else b""


def _rows(table: str, wanted: set[str]) -> list[str]:
    """Heading, divider and used rows; nothing when no row is used."""
    lines = [line.strip() for line in table.splitlines() if line.strip()]
    head, rows = lines[:2], [line for line in lines[2:] if _plain(_first_cell(line)) in wanted]
    return [*head, *rows] if rows and len(head) == 2 and _DIVIDER.fullmatch(head[1]) else []


def _first_cell(row: str) -> str:
    return row.strip("|").split("|")[0]


def _plain(text: str) -> str:
    return text.strip().strip(_CELL_MARKS).casefold()
