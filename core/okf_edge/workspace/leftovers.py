"""What in a folder is no note although it looks like one: other tools' leftovers, by name alone.

Source: the naming rules of Dropbox, Nextcloud, ownCloud, Syncthing, Obsidian Sync and iCloud for conflicts and
placeholders; the usual names of template and dependency folders.
"""

from __future__ import annotations

import re

CONFLICT_COPY = re.compile(
    r"""\( [^()]* (?: conflicted\ copy | case\ conflict ) [^()]* \)   # Dropbox, Nextcloud, Obsidian Sync
      | [._-]sync-conflict-\d{8}-\d{6}                              # Syncthing
      | _conflict-\d{8}-\d{6}                                       # ownCloud
    """,
    re.VERBOSE | re.IGNORECASE,
)
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
    return "conflict" in name.casefold() and CONFLICT_COPY.search(name) is not None


def in_template_folder(path: str) -> bool:
    path = path.casefold()
    return "template" in path and not TEMPLATE_FOLDERS.isdisjoint(path.split("/")[:-1])


def is_hidden(name: str) -> bool:
    return name.startswith(".")
