"""What changed from one version of a bundle to another, concept by concept.

Listings and what is derived from the content are not compared: they follow from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import sha256
from typing import Any, Literal

from okf_edge.bundles.contents import is_markdown
from okf_edge.bundles.digest import DERIVED
from okf_edge.okf.concept import concept_of
from okf_edge.okf.document import Document
from okf_edge.okf.outline import outline_of
from okf_edge.okf.reader import read_document

ChangeKind = Literal["added", "removed", "changed", "renamed"]
_LISTINGS = frozenset({"index.md", "log.md"})
_SHOWN_CHARS = 200


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One key of frontmatter; a value that is absent is None."""

    key: str
    old: Any
    new: Any


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to one file. `sections` are the headings below which words changed; lines are those of the body.

    `was` is the old path of a file that was renamed. A file that is no concept has no title, fields and lines.
    """

    path: str
    kind: ChangeKind
    title: str = ""
    was: str = ""
    fields: tuple[FieldChange, ...] = ()
    sections: tuple[str, ...] = ()
    added_lines: int = 0
    removed_lines: int = 0


def changes_between(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> tuple[Change, ...]:
    """All changes by path: of concepts, sources, attachments and other files."""
    before, after = _content(old), _content(new)
    gone = {path: data for path, data in before.items() if path not in after}
    moved = _moved(gone, {path: data for path, data in after.items() if path not in before})
    found = [Change(path, "removed", _title(path, data)) for path, data in gone.items() if path not in moved.values()]
    for path, data in after.items():
        if path in moved:
            found.append(Change(path, "renamed", _title(path, data), moved[path]))
        elif path not in before:
            found.append(Change(path, "added", _title(path, data)))
        elif data != before[path]:
            found.append(_changed(path, before[path], data))
    return tuple(sorted(found, key=lambda change: change.path))


def _content(files: Mapping[str, bytes]) -> dict[str, bytes]:
    names = (path for path in files if path not in DERIVED and path.rpartition("/")[2] not in _LISTINGS)
    return {path: files[path] for path in names}


def _moved(gone: Mapping[str, bytes], come: Mapping[str, bytes]) -> dict[str, str]:
    """The old path of each file that is there under a new one, byte for byte."""
    places = {sha256(data).digest(): path for path, data in gone.items()}
    moved = {path: places[digest] for path, data in come.items() if (digest := sha256(data).digest()) in places}
    return {path: was for number, (path, was) in enumerate(moved.items()) if was not in [*moved.values()][:number]}


def _changed(path: str, old: bytes, new: bytes) -> Change:
    if not is_markdown(path):
        return Change(path, "changed")
    before, after = read_document(path, old), read_document(path, new)
    added, removed = _lines(before.body.splitlines(), after.body.splitlines())
    fields = tuple(_fields(before.frontmatter, after.frontmatter))
    return Change(path, "changed", concept_of(after).title, "", fields, _sections(before, after), added, removed)


def _fields(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[FieldChange]:
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) != new.get(key) or (key in old) != (key in new):
            yield FieldChange(key, old.get(key), new.get(key))


def _lines(old: list[str], new: list[str]) -> tuple[int, int]:
    """Lines added and removed. A file of very many lines is compared as a set, which is quick and near enough."""
    if len(old) * len(new) > 4_000_000:
        return len(set(new) - set(old)), len(set(old) - set(new))
    added = removed = 0
    for word, start, stop, to_start, to_stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if word != "equal":
            removed, added = removed + stop - start, added + to_stop - to_start
    return added, removed


def _sections(old: Document, new: Document) -> tuple[str, ...]:
    """The headings of sections that are other than they were, in the new order, then those that are gone."""
    before, after = _by_heading(old), _by_heading(new)
    changed = [heading for heading, text in after.items() if before.get(heading) != text]
    return tuple(heading or "(beginning)" for heading in (*changed, *(each for each in before if each not in after)))


def _by_heading(document: Document) -> dict[str, str]:
    found: dict[str, str] = {}
    for section in outline_of(document).sections:
        heading = " > ".join(section.path)
        found[heading] = found.get(heading, "") + document.text[section.start : section.end].strip()
    return found


def _title(path: str, data: bytes) -> str:
    return concept_of(read_document(path, data)).title if is_markdown(path) else ""


def plain_change(change: Change) -> dict[str, Any]:
    """A change as JSON."""
    return {
        "path": change.path,
        "change": change.kind,
        "title": change.title,
        "was": change.was,
        "fields": [{"key": each.key, "old": each.old, "new": each.new} for each in change.fields],
        "sections": list(change.sections),
        "added_lines": change.added_lines,
        "removed_lines": change.removed_lines,
    }


def shown_value(value: Any) -> str:
    """A value of frontmatter on one short line."""
    text = "nothing" if value is None else " ".join(str(value).split())
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
