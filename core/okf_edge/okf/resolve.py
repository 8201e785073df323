"""Which file a link means.

1. Names compare under NFC, never NFKC; the same letters in another case match when nothing matches exactly.
2. A wikilink names a path, the end of a path, a file name or an alias. The whole text between the brackets wins over
   splitting it at `|` or `#` when a file is called so.
3. A name that several files have means the one in the same folder, then the one with the shortest path; it is reported.
4. A markdown link or path is tried as written and percent-decoded: from its document's folder, then from the root, and
   then, as Obsidian does, by name. A file whose own name is percent-encoded is found by its decoded name too.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from okf_edge.okf.anchors import Anchors, Place, anchors_of
from okf_edge.okf.concept import aliases_of
from okf_edge.okf.document import Document
from okf_edge.okf.links import Link, LinkForm
from okf_edge.okf.outline import Outline, outline_of

Status = Literal["resolved", "ambiguous", "anchor-missing", "attachment", "not-downloaded", "missing", "external"]
How = Literal["", "self", "path", "document", "bundle", "name", "alias", "folder"]

# A path-valued field that names no file may describe a scope instead (section 5.1), unless it looks like nothing else.
_SURELY_PATH = re.compile(r"\.{0,2}/|.*\.[A-Za-z0-9]{1,8}(?:#|\Z)")
_NOTE = ".md"
_MOST_HASHES = 8


@dataclass(frozen=True, slots=True)
class Entry:
    """One file that links may mean. `anchors` is None for what is no note, or was not read.

    A note that a sync service has not downloaded is an entry of its real path, with `downloaded` False.
    """

    path: str
    aliases: tuple[str, ...] = ()
    anchors: Anchors | None = None
    downloaded: bool = True


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a link means.

    `path` is spelled as on disk, empty for `missing` and `external`; `anchor-missing` still has it. `target` and
    `anchor` are the parts of the link in the reading that was found. `how` says by which rule: `document` and `bundle`
    are the bases of a relative path. `candidates` lists all files of an ambiguous name, the chosen one first. `place`
    is where the anchor points.
    """

    status: Status
    path: str = ""
    target: str = ""
    anchor: str = ""
    how: How = ""
    candidates: tuple[str, ...] = ()
    place: Place | None = None


def entry_of(document: Document, outline: Outline | None = None) -> Entry:
    """The entry of a note that was read."""
    return Entry(document.path, aliases_of(document), anchors_of(outline or outline_of(document)))


class Resolver:
    """Resolves links between the files of one tree. Built once; each look-up costs a few dictionary reads."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = {entry.path: entry for entry in entries}
        self._paths = _Index()
        self._names = _Index()
        self._aliases = _Index()
        self._folders = _Index()
        for path in sorted(self._entries):
            self._add(self._entries[path])

    def resolve(self, link: Link, from_path: str) -> Resolution:
        """The file, and the place in it, that a link in `from_path` means. A footnote means no file: `external`."""
        if link.kind == "footnote" or link.is_external:
            return Resolution("external", "", link.target, link.anchor)
        for target, anchor in _readings(link):
            found = self._find(target, link.form, from_path)
            if found.paths:
                return self._settled(found, target, anchor, from_path)
        is_scope = link.form == "path" and not _SURELY_PATH.match(link.inner)
        return Resolution("external" if is_scope else "missing", "", link.target, link.anchor)

    def _add(self, entry: Entry) -> None:
        self._paths.add(entry.path, entry.path)
        self._names.add(entry.path.rpartition("/")[2], entry.path)
        for alias in entry.aliases:
            self._aliases.add(alias, entry.path)
        folder = entry.path.rpartition("/")[0]
        while folder and self._folders.add(folder, folder):
            folder = folder.rpartition("/")[0]

    def _find(self, target: str, form: LinkForm, from_path: str) -> _Found:
        if not target:
            return _Found([from_path], "self")
        for spelling in dict.fromkeys((target, unquote(target), unquote(target.partition("?")[0]))):
            found = self._by_place(spelling, form, from_path)
            if not found.paths and not spelling.startswith(("/", "./", "../")):
                found = self._by_name(spelling, form)
            if found.paths:
                return found
        return _Found([])

    def _by_place(self, target: str, form: LinkForm, from_path: str) -> _Found:
        """Paths from the root and from the document's folder: a wikilink means the root first, markdown the folder."""
        folder = from_path.rpartition("/")[0]
        is_relative = target.startswith(("./", "../"))
        if target.startswith("/"):
            bases: tuple[tuple[str, How], ...] = (("", "path"),)
        elif form == "wiki":
            bases = (
                ((folder, "document"),)
                if is_relative
                else (("", "path"), (folder, "document"))
                if "/" in target
                else ()
            )
        else:
            bases = ((folder, "document"), ("", "bundle"))
        for base, how in bases:
            place = _joined(base, target)
            if place is not None:
                found = self._at(place, how, form)
                if found.paths:
                    return found
        return _Found([])

    def _at(self, place: str, how: How, form: LinkForm) -> _Found:
        for spelling in _with_suffix(place):
            paths = self._paths.find(spelling)
            if paths:
                return _Found(paths[:1], how)
        folders = self._folders.find(place) if form != "wiki" and place else []
        if folders or (form != "wiki" and not place):
            index = f"{folders[0]}/index.md" if folders else "index.md"
            return _Found(self._paths.find(index)[:1] or [f"{folders[0]}/" if folders else "/"], "folder")
        return _Found([])

    def _by_name(self, target: str, form: LinkForm) -> _Found:
        """The end of a path, a file name, or an alias."""
        name = target.rpartition("/")[2]
        for spelling in _with_suffix(name):
            paths = self._names.find(spelling)
            if "/" in target:
                tail = "/" + _folded(target[: len(target) - len(name)] + spelling)
                paths = [path for path in paths if _folded(path).endswith(tail)]
            if paths:
                return _Found(paths, "name")
        return _Found(self._aliases.find(target) if form == "wiki" else [], "alias")

    def _settled(self, found: _Found, target: str, anchor: str, from_path: str) -> Resolution:
        paths = sorted(found.paths, key=lambda path: _nearness(path, from_path))
        candidates = tuple(paths) if len(paths) > 1 else ()
        entry = self._entries.get(paths[0], Entry(paths[0]))
        place = entry.anchors.find(anchor) if anchor and entry.anchors else None
        if anchor and entry.anchors and not place:
            status: Status = "anchor-missing"
        elif candidates:
            status = "ambiguous"
        elif not entry.downloaded:
            status = "not-downloaded"
        else:
            status = "resolved" if found.how == "folder" or _is_note(entry.path) else "attachment"
        return Resolution(status, paths[0], target, anchor, found.how, candidates, place)


@dataclass(frozen=True, slots=True)
class _Found:
    paths: list[str]
    how: How = ""


class _Index:
    """Names to paths: exactly, else in any case, else as the decoded form of a percent-encoded name."""

    def __init__(self) -> None:
        self._exact: dict[str, list[str]] = defaultdict(list)
        self._folded: dict[str, list[str]] = defaultdict(list)
        self._decoded: dict[str, list[str]] = defaultdict(list)

    def add(self, name: str, path: str) -> bool:
        """Whether the name is new."""
        exact = unicodedata.normalize("NFC", name)
        is_new = exact not in self._exact
        if path not in self._exact[exact]:
            self._exact[exact].append(path)
            self._folded[exact.lower()].append(path)
            if "%" in exact:
                self._decoded[_folded(unquote(exact))].append(path)
        return is_new

    def find(self, name: str) -> list[str]:
        exact = unicodedata.normalize("NFC", name)
        folded = exact.lower()
        return self._exact.get(exact) or self._folded.get(folded) or self._decoded.get(folded) or []


def _readings(link: Link) -> Iterator[tuple[str, str]]:
    """Target and anchor, the longest target first: `[[C#]]` may name `C#.md`, `[[Talk | Part 2]]` that very file."""
    if link.form == "wiki" and "|" in link.inner:
        yield link.inner, ""
    place = link.inner.partition("|")[0].strip() if link.form == "wiki" else link.inner
    parts = place.split("#", _MOST_HASHES)
    for count in range(len(parts), 0, -1):
        yield "#".join(parts[:count]).strip(), "#".join(parts[count:]).strip()


def _with_suffix(name: str) -> tuple[str, ...]:
    return (name,) if _is_note(name) else (name + _NOTE, name)


def _is_note(path: str) -> bool:
    return path.lower().endswith(_NOTE)


def _joined(base: str, target: str) -> str | None:
    """A path below the root, without dots; None when it leads out."""
    parts: list[str] = base.split("/") if base else []
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _nearness(path: str, from_path: str) -> tuple[bool, int, int, str]:
    is_elsewhere = path.rpartition("/")[0] != from_path.rpartition("/")[0]
    return is_elsewhere, path.count("/"), len(path), path


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).lower()
