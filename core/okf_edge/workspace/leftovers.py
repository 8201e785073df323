"""What in a folder is no note although it looks like one: other tools' leftovers, by name alone.

Source: the naming rules of Dropbox (in its languages), Nextcloud, ownCloud, Seafile, Syncthing, Synology Drive,
Obsidian Sync and iCloud for conflicts and placeholders; the usual names of template and dependency folders.
"""

from __future__ import annotations

import re

CONFLICT_COPY = re.compile(
    r"""\( [^()]* (?: conflicted\ copy | case\ conflict | SFConflict ) [^()]* \)   # Dropbox, Nextcloud, Seafile
      | \( [^()]* (?: in\ konflikt\ stehende | copie\ en\ conflit | copia\ en\ conflicto | copia\ in\ conflitto
               | 冲突副本 | 衝突的?[複复][本件] | 競合コピー ) [^()]* \)
      | [._-]sync-conflict-\d{8}-\d{6}                                            # Syncthing
      | _conflict-\d{8}-\d{6}                                                     # ownCloud
      | _[A-Z][a-z]{2}-\d{2}-\d{4}-\d{4}_Conflict                                 # Synology Drive
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TELLING = ("conflict", "konflikt", "conflit", "冲突", "衝突", "競合")
"""One of them is in the name of every conflict copy: most names are not looked at further."""

PLACEHOLDER = re.compile(r"\.(?P<name>.+)\.icloud")
TEMPLATE_FOLDERS = frozenset({"template", "templates", "_template", "_templates"})
DEPENDENCY_FOLDERS = frozenset(
    {"node_modules", "bower_components", "site-packages", "__pycache__", "__pypackages__", "venv", "virtualenv"}
)


def not_downloaded(path: str) -> str:
    """The path that an iCloud placeholder stands for, or an empty string when `path` is no placeholder."""
    if not path.endswith(".icloud"):
        return ""
    folder, slash, name = path.rpartition("/")
    found = PLACEHOLDER.fullmatch(name)
    return f"{folder}{slash}{found['name']}" if found else ""


def is_conflict_copy(path: str) -> bool:
    name = path.rpartition("/")[2]
    folded = name.casefold()
    return any(word in folded for word in _TELLING) and CONFLICT_COPY.search(name) is not None


def in_template_folder(path: str) -> bool:
    path = path.casefold()
    return "template" in path and not TEMPLATE_FOLDERS.isdisjoint(path.split("/")[:-1])


def is_hidden(name: str) -> bool:
    return name.startswith(".")
