"""The notes of a folder as pages of its index, and as a sample of what they are written in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from okf_edge.errors import NotFoundError, StoreError
from okf_edge.index.pages import Page
from okf_edge.limits import LIMITS
from okf_edge.ports import FileTree
from okf_edge.workspace.scan import Note

SAMPLED_NOTES = 100
SAMPLED_BYTES = 4_000


class Notes:
    """Reads notes one after the other. `unread` names those that could not be read, with the reason."""

    def __init__(self, tree: FileTree, notes: Sequence[Note]) -> None:
        self._tree = tree
        self._notes = notes
        self.unread: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._notes)

    async def pages(self) -> AsyncIterator[Page]:
        """Each note that can be read, in path order."""
        for note in self._notes:
            data = await self._data(note)
            if data is not None:
                yield Page(note.path, data, note.stat.mtime_ns, note.tier)

    async def sample(self) -> list[str]:
        """The beginnings of some notes, spread over the folder."""
        step = max(1, len(self._notes) // SAMPLED_NOTES)
        found = [await self._data(note) for note in self._notes[::step]]
        return [data[:SAMPLED_BYTES].decode(errors="replace") for data in found if data]

    async def _data(self, note: Note) -> bytes | None:
        try:
            return await self._tree.read(note.path, LIMITS.note_bytes)
        except (NotFoundError, StoreError) as error:
            self.unread[note.path] = error.message
            return None
