"""markdown-it's table rule with rows for tokens instead of cells.

Its own rule makes three tokens a cell: 280 MB for a megabyte of table. An outline needs to know where rows are.
Whether lines begin a table is still decided by markdown-it; what ends one follows its rule.
"""

from __future__ import annotations

from typing import Any

from markdown_it.rules_block.table import table as markdown_table

HEAD_LINES = 2


def table_rows(state: Any, start: int, end: int, silent: bool) -> bool:
    """A block rule: pushes `table_open`, one `inline` a line of content, and `table_close`."""
    if not markdown_table(state, start, end, True):
        return False
    if silent:
        return True
    outer, state.parentType = state.parentType, "table"
    stop = _end_of_rows(state, start + HEAD_LINES, end)
    state.push("table_open", "table", 1).map = [start, stop]
    for line in [start, *range(start + HEAD_LINES, stop)]:
        state.push("inline", "", 0).map = [line, line + 1]
    state.push("table_close", "table", -1)
    state.parentType, state.line = outer, stop
    return True


def _end_of_rows(state: Any, line: int, end: int) -> int:
    terminators = state.md.block.ruler.getRules("blockquote")  # as markdown-it ends its tables
    while line < end and not (
        state.sCount[line] < state.blkIndent
        or any(rule(state, line, end, True) for rule in terminators)
        or state.isEmpty(line)
        or state.is_code_block(line)
    ):
        line += 1
    return line
