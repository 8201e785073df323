"""Notes taken apart, each once, however many steps of one piece of work look at it."""

from __future__ import annotations

from typing import NamedTuple

from okf_edge.okf.document import Document
from okf_edge.okf.outline import Outline, outline_of
from okf_edge.okf.reader import read_document


class Note(NamedTuple):
    """A markdown file as it was read."""

    document: Document
    outline: Outline


class Notes:
    """What was read of some texts. It lives as long as the work does: nothing is ever forgotten."""

    def __init__(self) -> None:
        self._read: dict[tuple[str, bytes], Note] = {}

    def of(self, path: str, data: bytes) -> Note:
        """The note of these bytes under this path."""
        if (path, data) not in self._read:
            document = read_document(path, data)
            self._read[path, data] = Note(document, outline_of(document))
        return self._read[path, data]
