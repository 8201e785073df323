"""The listings that a bundle lacks: `index.md` of each folder and `log.md`, made from what is in it and no more."""

from __future__ import annotations

from collections.abc import Mapping

from okf_edge.okf.concept import Concept
from okf_edge.okf.listings import OKF_VERSION, Day, Entry, Group, Log, write_index, write_log
from okf_edge.okf.spelling import encoded_path


def missing_listings(
    concepts: Mapping[str, Concept], present: frozenset[str], *, title: str, version: str, created: str
) -> dict[str, bytes]:
    """Bytes of each listing that is not `present`, by path.

    There is no log without a date in the content: the day of the run would make two exports differ.
    """
    folders = {"", *(folder for path in concepts for folder in _folders(path))}
    made = {}
    for folder in sorted(folders):
        path = f"{folder}/index.md" if folder else "index.md"
        if path not in present:
            made[path] = _index(folder, folders, concepts, title).encode()
    if "log.md" not in present and created:
        entry = f"**Release**: Version {version} of {title}, {len(concepts)} concepts."
        made["log.md"] = write_log(Log("Update log", (Day(created[:10], (entry,)),))).encode()
    return made


def _index(folder: str, folders: set[str], concepts: Mapping[str, Concept], title: str) -> str:
    here = [path for path in sorted(concepts) if path.rpartition("/")[0] == folder]
    below = sorted(each for each in folders if each and each.rpartition("/")[0] == folder)
    pages = tuple(Entry(_title(concepts[path]), f"/{encoded_path(path)}", concepts[path].description) for path in here)
    groups = [Group(title if not folder else folder.rpartition("/")[2], pages)]
    if below:
        entries = (
            Entry(each.rpartition("/")[2], f"/{encoded_path(each)}/index.md", _count(each, concepts)) for each in below
        )
        groups.append(Group("Folders", tuple(entries)))
    return write_index(groups, okf_version="" if folder else OKF_VERSION)


def _title(concept: Concept) -> str:
    return concept.title or concept.path.rpartition("/")[2].removesuffix(".md")


def _count(folder: str, concepts: Mapping[str, Concept]) -> str:
    count = sum(path.startswith(f"{folder}/") for path in concepts)
    return f"{count} concept{'s' if count != 1 else ''}"


def _folders(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]
