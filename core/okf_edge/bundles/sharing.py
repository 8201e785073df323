"""The files of a bundle from the items of a base: links of notes turned inwards, everything under its new name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from okf_edge.bundles.closure import Item
from okf_edge.bundles.portable import portable_paths
from okf_edge.bundles.scoped_schema import scoped_schema
from okf_edge.errors import FormatError
from okf_edge.okf.concept import text_of
from okf_edge.okf.links import Link
from okf_edge.okf.notes import Note, Notes
from okf_edge.okf.reader import read_document
from okf_edge.okf.resolve import Resolver
from okf_edge.okf.sharing import Fate, Meaning, shared_note
from okf_edge.okf.tags import tags_of

SCHEMA = "SCHEMA.md"
_NOTES = (".md", ".markdown")
_TYPES = {"entities": "Entity", "concepts": "Concept", "comparisons": "Comparison", "queries": "Query"}


@dataclass(frozen=True, slots=True)
class Shared:
    """`files` by their path in the bundle, and `origins`, the path in the base of each that is from there.

    `withheld` are the places (`path:line`) where the name of a file that stays was taken out; `problems` say what
    can't leave as it is.
    """

    files: Mapping[str, bytes]
    origins: Mapping[str, str]
    withheld: tuple[str, ...]
    problems: tuple[str, ...]


def notes_of(data: Mapping[str, bytes], notes: Notes) -> dict[str, Note]:
    """The markdown files among the items of a base."""
    return {path: notes.of(path, each) for path, each in data.items() if path.casefold().endswith(_NOTES)}


def share(
    items: Sequence[Item], data: Mapping[str, bytes], notes: Mapping[str, Note], resolver: Resolver
) -> Shared:  # fmt: skip
    """The items as they leave.

    Args: data: the bytes of each item in the base. notes: of those that are notes. resolver: of all files of the base.
    """
    names = portable_paths(items)
    files: dict[str, bytes] = {}
    withheld: list[str] = []
    problems: list[str] = []
    for item in items:
        try:
            files[names[item.path]], lines = _left(item, data[item.path], notes.get(item.path), resolver, names)
        except FormatError as error:
            problems.append(error.message)
        else:
            withheld += [f"{item.path}:{line}" for line in lines]
    origins = {name: path for path, name in names.items() if name in files}
    return Shared(dict(sorted(files.items())), origins, tuple(withheld), tuple(problems))


def schema_of(schema: bytes, items: Sequence[Item], notes: Mapping[str, Note]) -> bytes:
    """The part of a base's SCHEMA.md that the notes among the items use; empty when they use none."""
    used: set[str] = set()
    for item in items:
        if item.kind == "concept":
            document, outline = notes[item.path]
            values = document.frontmatter
            used |= {item.path.partition("/")[0], *tags_of(document, outline)}
            used |= {text_of(values.get(key)) for key in ("type", "domain", "status")}
    return scoped_schema(read_document(SCHEMA, schema), used - {""})


def _left(
    item: Item, data: bytes, note: Note | None, resolver: Resolver, names: Mapping[str, str]
) -> tuple[bytes, tuple[int, ...]]:
    if item.kind == "schema" or note is None:
        return data, ()
    kind = "Source" if item.kind == "source" else _TYPES.get(item.path.partition("/")[0], "Note")
    return shared_note(note.document, _meaning(item.path, resolver, names), kind, note.outline)


def _meaning(path: str, resolver: Resolver, names: Mapping[str, str]) -> Meaning:
    def meaning(link: Link) -> Fate | None:
        found = resolver.resolve(link, path)
        if found.status == "external":
            return None
        if not found.path:
            return Fate()
        name = names.get(found.path)
        shown = found.target.rpartition("/")[2]  # what a link without words is called: no folder of the base
        return Fate(replace(found, path=name, target=shown, candidates=())) if name else Fate(stays=True)

    return meaning
