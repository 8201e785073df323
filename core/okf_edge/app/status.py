"""What of a folder is indexed, how, what changed since, and what could not be read, with reasons."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, cast

from okf_edge.app.asking import scan_own
from okf_edge.app.home import home_of_index
from okf_edge.app.ports import Ports
from okf_edge.errors import IndexFileError, NotFoundError, StoreError
from okf_edge.index.comparison import is_same_time
from okf_edge.index.files import IndexFile, open_index
from okf_edge.limits import LIMITS
from okf_edge.okf.document import Diagnostic
from okf_edge.okf.reader import read_document
from okf_edge.ports import FileStat, FileTree, SqlEngine
from okf_edge.workspace import layout
from okf_edge.workspace.scan import Scan, Skipped

Place = Literal["folder", "cache", "none"]

_BASE = "base"


@dataclass(frozen=True, slots=True)
class Changes:
    """How many notes came, changed by size or time, or went since the index was built."""

    added: int = 0
    touched: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a folder's index.

    `read` of `found` notes are in it. `problems` tell what could not be read of a note, `skipped` which files are no
    notes although they look like some. `unusable` says why an index that is there can't be used.
    """

    place: Place
    found: int
    read: int
    problems: tuple[Diagnostic, ...]
    skipped: tuple[Skipped, ...]
    index: IndexFile | None = None
    index_bytes: int = 0
    changes: Changes = Changes()
    unusable: str = ""


async def status_of(ports: Ports) -> Status:
    """Look at the folder and at its index; nothing is built or changed."""
    found = await scan_own(ports)
    home = await home_of_index(ports)
    if home is None:
        return Status("none", _found(found), 0, (), found.skipped, changes=Changes(added=len(found.notes)))
    place: Place = "folder" if home is ports.tree else "cache"
    engine = ports.engine()
    try:
        index = await open_index(engine, _BASE, home, layout.INDEX)
        return Status(
            place,
            _found(found),
            index.concepts,
            await _problems(engine, ports.tree),
            found.skipped,
            index,
            (await home.stat(layout.INDEX)).bytes,
            await _changes(engine, found),
        )
    except IndexFileError as error:
        return Status(place, _found(found), 0, (), found.skipped, unusable=error.message)
    finally:
        await engine.close()


def _found(found: Scan) -> int:
    return len(found.notes) + len(found.skipped_for("not-downloaded"))


async def _changes(engine: SqlEngine, found: Scan) -> Changes:
    rows = await engine.query(f"SELECT path, bytes, mtime_ns FROM {_BASE}.concept")
    indexed = {str(path): FileStat(str(path), cast(int, size), cast(int, mtime_ns)) for path, size, mtime_ns in rows}
    present = {note.path: note.stat for note in found.notes}
    shared = indexed.keys() & present.keys()
    return Changes(
        added=len(present) - len(shared),
        touched=sum(not _looks_same(indexed[path], present[path]) for path in shared),
        removed=len(indexed) - len(shared),
    )


def _looks_same(indexed: FileStat, present: FileStat) -> bool:
    return indexed.bytes == present.bytes and is_same_time(indexed.mtime_ns, present.mtime_ns)


async def _problems(engine: SqlEngine, tree: FileTree) -> tuple[Diagnostic, ...]:
    rows = await engine.query(f"SELECT path FROM {_BASE}.concept WHERE problems > 0 ORDER BY path")
    return tuple([problem for (path,) in rows for problem in await _read_problems(tree, str(path))])


async def _read_problems(tree: FileTree, path: str) -> Iterable[Diagnostic]:
    try:
        document = read_document(path, await tree.read(path, LIMITS.note_bytes))
    except (NotFoundError, StoreError):
        return ()
    return [problem for problem in document.diagnostics if problem.severity == "error"]
