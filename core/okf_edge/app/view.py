"""A folder as somebody sees who may see only a part of it: what is hidden is as if it were not there.

Everything is computed from what the view lists and reads, so hidden pages show through nothing: no count, score,
rarity of a word, link or suggestion. The folder's index is used as it is, with the hidden pages masked like pages that
were removed since it was built. The view is never written: what is derived from it goes to its own spare place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from okf_edge.app.ports import Ports
from okf_edge.app.read_only import ReadOnly
from okf_edge.errors import NotFoundError
from okf_edge.json_text import json_value
from okf_edge.ports import FileStat, FileTree
from okf_edge.workspace import agents, layout

Sees = Callable[[str], bool]

_UNSEEN = frozenset({f"{layout.STATE}/cache/facts.json", ".knowlery/bundles.json"})
"""What tells of all pages at once, and can be made anew or done without."""

_ROW = re.compile(rb"\| `([^`\r\n]+)` \|")
_LIST_HEAD = re.compile(rb"\| bundle \| version \| title \|\r?\n\|---\|---\|---\|")


def seen_by(ports: Ports, sees: Sees, spare: Callable[[], FileTree]) -> Ports:
    """The ports of the same folder for somebody who sees a part. Args: spare: where what is derived for them goes."""
    return replace(ports, tree=View(ports.tree, sees), spare=spare, sees=sees)


@dataclass(frozen=True, slots=True)
class View(ReadOnly):
    """A `FileTree` of which a part is seen, and nothing can be written."""

    refusal: ClassVar[str] = "a view of a part of a folder can't be written"
    tree: FileTree
    sees: Sees

    async def list(self, enter: Callable[[str], bool] | None = None) -> Sequence[FileStat]:
        return [entry for entry in await self.tree.list(enter) if self._shows(entry.path)]

    async def stat(self, path: str) -> FileStat:
        self._require(path)
        return await self.tree.stat(path)

    async def read(self, path: str, max_bytes: int | None = None) -> bytes:
        self._require(path)
        data = await self.tree.read(path, max_bytes)
        if path == layout.GUIDE:
            return self._guide(data)
        return self._registry(data) if path == layout.BUNDLES else data

    def locate(self, path: str) -> str:
        return self.tree.locate(path)

    def _shows(self, path: str) -> bool:
        if path in _UNSEEN:
            return False
        return path.startswith(f"{layout.STATE}/") or self.sees(path)

    def _require(self, path: str) -> None:
        if not self._shows(path):
            raise NotFoundError(f"expected a file at {path!r}, found none")

    def _registry(self, data: bytes) -> bytes:
        """The registry of bundles without those that are hidden as a whole. A damaged one is its reader's to report."""
        try:
            state: dict[str, Any] = json_value(data)
            bundles = state["bundles"].items()
        except (ValueError, KeyError, TypeError, AttributeError):
            return data
        seen = {name: entry for name, entry in bundles if self.sees(f"{layout.LIBRARY}/{name}")}
        return json.dumps({**state, "bundles": seen}).encode()

    def _guide(self, data: bytes) -> bytes:
        """The guide without the rows of its generated list that name hidden bundles."""
        lines = data.splitlines(keepends=True)
        rows = {line: found[1].decode("utf-8", "replace") for line in lines if (found := _ROW.match(line))}
        kept = [line for line in lines if line not in rows or self.sees(f"{layout.LIBRARY}/{rows[line]}")]
        if rows and not any(line in rows for line in kept):
            return _LIST_HEAD.sub(agents.bundles_text(()).encode(), b"".join(kept))
        return b"".join(kept)
