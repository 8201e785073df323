"""A base index and what changed since: together they answer like an index that was built now.

Rules:
1. The tree is compared first (`comparison`): what is unchanged costs one row each.
2. Changed and new pages are indexed into a delta in memory, by the code that builds any index.
3. Concepts of the base that changed or went away are masked, before anything is ranked or counted.
4. Where names came or went, links of unchanged pages may lead elsewhere: the delta holds those pages' links, and the
   base's links of the pages in `relinked` are masked.
5. When much has changed, `fold` writes a new base.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from okf_edge.index.build import BuildOptions, build_tables
from okf_edge.index.comparison import Changes, Known, compare, known_concepts, paths_of, settle
from okf_edge.index.files import IndexFile, describe
from okf_edge.index.linking import load_links
from okf_edge.index.relinking import Naming, entries_of, relinked
from okf_edge.ports import FileStat, SqlEngine


def delta_alias(base: str) -> str:
    """The alias of the delta of a base; several bases may be attached to one engine."""
    return f"{base}_delta"


Read = Callable[[str], Awaitable[bytes | None]]
"""Reads a file by path; None when it can't be read."""


@dataclass(frozen=True, slots=True)
class Refreshed:
    """The base with its delta. `delta` is None when nothing of it is needed.

    `masked` are numbers of base concepts that no longer count; `relinked` are paths of base concepts whose links the
    delta holds.
    """

    base: IndexFile
    delta: IndexFile | None
    masked: frozenset[int]
    relinked: frozenset[str]
    changes: Changes


async def refresh(
    engine: SqlEngine,
    base: IndexFile,
    present: Iterable[tuple[FileStat, str]],
    read: Read,
    options: BuildOptions | None = None,
) -> Refreshed:
    """Bring an attached base up to date with the tree, in memory.

    Args:
        present: every file to be indexed, with its tier, in path order.
        options: with the base's embedder, so that the delta has vectors too.
    """
    known = await known_concepts(engine, base.alias)
    comparison = compare(known, present)
    contents = {path: data for path in paths_of(comparison) if (data := await read(path)) is not None}
    changes = settle(comparison, known, await _sha256_of(engine, base.alias, known, contents), contents)
    masked = frozenset(known[path].number for path in (*changes.replaced, *changes.gone))
    if not changes.pages and not changes.gone:
        return Refreshed(base, None, masked, frozenset(), changes)
    return await _with_delta(engine, base, masked, changes, options or BuildOptions())


async def _sha256_of(
    engine: SqlEngine, alias: str, known: Mapping[str, Known], contents: Mapping[str, bytes]
) -> dict[str, str]:
    numbers = ",".join(str(known[path].number) for path in contents if path in known) or "NULL"
    rows = await engine.query(f"SELECT path, sha256 FROM {alias}.concept WHERE number IN ({numbers})")
    return {str(path): str(content) for path, content in rows}


async def _with_delta(
    engine: SqlEngine, base: IndexFile, masked: frozenset[int], changes: Changes, options: BuildOptions
) -> Refreshed:
    """Build the delta, with the links of base pages that lead elsewhere now."""
    entries = await entries_of(engine, base.alias)
    kept = tuple(entry for number, entry in entries.items() if number not in masked)
    delta = delta_alias(base.alias)
    await engine.create(delta)
    await build_tables(changes.pages, engine, delta, replace(options, concepts=kept))
    after = tuple((await entries_of(engine, delta)).values())
    naming = Naming(tuple(entries[number] for number in sorted(masked)), after, kept, options.files)
    rows = await relinked(engine, base.alias, naming)
    await load_links(rows, engine, delta)
    return Refreshed(base, await describe(engine, delta, delta), masked, frozenset(row[0] for row in rows), changes)
