"""Which files of a folder are notes, whose they are, and why every other markdown file is none.

Rules:
1. Nothing vanishes silently: a markdown file is either a note or is `skipped` with a reason.
2. Symbolic links are never followed: inside the folder their target is seen under its own name, outside it is not ours.
3. A file whose name is not Unicode is neither note nor target of a link: no index or report could hold its path.
4. Installed bundles that bring their own index are not walked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from okf_edge.limits import LIMITS
from okf_edge.paths import is_unicode
from okf_edge.ports import FileStat, FileTree
from okf_edge.workspace import layout, leftovers
from okf_edge.workspace.layout import Tier

Reason = Literal[
    "not-downloaded",
    "conflict-copy",
    "template",
    "system-file",
    "listing",
    "symbolic-link",
    "not-regular",
    "name-not-text",
    "hidden",
    "hidden-folder",
    "dependency-folder",
    "too-large",
]

LEFT_OUT_BY_DESIGN: frozenset[Reason] = frozenset(
    {"system-file", "listing", "hidden", "hidden-folder", "dependency-folder"}
)
"""Skips that a person expects; the others are worth a word in the coverage report."""


@dataclass(frozen=True, slots=True)
class Note:
    """A markdown file that is searched. `bundle` names the folder below `Library/` that holds it, if one does."""

    stat: FileStat
    tier: Tier
    bundle: str = ""

    @property
    def path(self) -> str:
        return self.stat.path


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is not searched, and why. For a placeholder `path` is the note that it stands for."""

    path: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Scan:
    """What a folder holds: the notes in path order, and everything that was left out."""

    notes: tuple[Note, ...]
    skipped: tuple[Skipped, ...]
    paths: tuple[str, ...]
    """Every regular file that was seen and has a name of text: what links may point to."""

    def skipped_for(self, reason: Reason) -> tuple[str, ...]:
        return tuple(skip.path for skip in self.skipped if skip.reason == reason)

    @property
    def worth_a_word(self) -> tuple[Skipped, ...]:
        return tuple(skip for skip in self.skipped if skip.reason not in LEFT_OUT_BY_DESIGN)


async def scan(tree: FileTree, installed: frozenset[str] = frozenset()) -> Scan:
    """Tell notes from everything else in one walk of the tree.

    Args: installed: folders below `Library/` whose bundles bring their own index; they are not walked.
    Raises: NotFoundError: the folder itself does not exist.
    """
    gate = _Gate(installed)
    entries = await tree.list(gate.enter)
    return classify(entries, gate.skipped, await _is_okf_tree(tree, entries))


def classify(entries: Iterable[FileStat], skipped_folders: Iterable[Skipped] = (), is_okf: bool = False) -> Scan:
    """Sort entries into notes and skips.

    Args: is_okf: this is an OKF directory: index.md and log.md are its listings, and every other file was put there to
        be read, whatever its folder is called.
    """
    entries = tuple(entries)
    bundles = frozenset(
        layout.bundle_folder(entry.path) for entry in entries if entry.path.endswith(layout.BUNDLE_MANIFESTS)
    ) - {""}
    notes: list[Note] = []
    skipped = list(skipped_folders)
    for entry in entries:
        placeholder = leftovers.not_downloaded(entry.path)
        if not layout.is_note(placeholder or entry.path):
            continue
        bundle = layout.bundle_folder(entry.path) if bundles else ""
        bundle = bundle if bundle in bundles else ""
        reason = "not-downloaded" if placeholder else _reason_to_skip(entry, is_okf or bool(bundle))
        if reason:
            skipped.append(Skipped(placeholder or entry.path, reason))
        else:
            notes.append(Note(entry, "bundle" if bundle else layout.tier_of(entry.path), bundle))
    skipped.sort(key=lambda skip: skip.path)
    paths = tuple(entry.path for entry in entries if entry.kind == "file" and is_unicode(entry.path))
    return Scan(tuple(notes), tuple(skipped), paths)


def _reason_to_skip(entry: FileStat, is_okf: bool) -> Reason | None:
    """Why a markdown file is no note; the first rule that holds."""
    name = entry.path.rpartition("/")[2]
    if not is_unicode(entry.path):
        return "name-not-text"
    if entry.kind == "link":
        return "symbolic-link"
    if entry.kind == "other":
        return "not-regular"
    if entry.bytes > LIMITS.note_bytes:
        return "too-large"
    if leftovers.is_hidden(name):
        return "hidden"
    if leftovers.is_conflict_copy(entry.path):
        return "conflict-copy"
    if entry.path in layout.SYSTEM_FILES:
        return "system-file"
    if is_okf:
        return "listing" if name in layout.RESERVED_NAMES else None
    if leftovers.in_template_folder(entry.path):
        return "template"
    return None


class _Gate:
    """Decides which folders are walked and remembers those that are not."""

    def __init__(self, installed: frozenset[str]) -> None:
        self._installed = frozenset(f"{layout.LIBRARY}/{name}" for name in installed)
        self._reasons: dict[str, Reason] = {}

    def enter(self, folder: str) -> bool:
        name = folder.rpartition("/")[2]
        if leftovers.is_hidden(name):
            self._reasons[folder] = "hidden-folder"
        elif name in leftovers.DEPENDENCY_FOLDERS:
            self._reasons[folder] = "dependency-folder"
        return folder not in self._reasons and folder not in self._installed

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        return tuple(Skipped(folder, reason) for folder, reason in self._reasons.items())


async def _is_okf_tree(tree: FileTree, entries: Iterable[FileStat]) -> bool:
    """True when the root index.md is an OKF listing, so that index.md and log.md are listings and logs throughout."""
    root = next((entry for entry in entries if entry.path == "index.md" and entry.kind == "file"), None)
    if root is None or root.bytes > LIMITS.note_bytes:
        return False
    return is_okf_listing(await tree.read("index.md", LIMITS.note_bytes))


def is_okf_listing(index: bytes) -> bool:
    """Whether a root index.md declares an OKF version, or holds headings and lists with links and nothing else."""
    text = index.decode("utf-8-sig", errors="replace")
    if text.startswith("---"):
        return "\nokf_version:" in text.partition("\n---")[0]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return all(line.startswith(("#", "* ", "- ")) for line in lines) and any("](" in line for line in lines)
