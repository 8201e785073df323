"""A directory from which nothing can be imported but the packages that the core declares, and what those need."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

REPOSITORY = Path(__file__).parents[1]
IN_PYODIDE = {"sys_platform": "emscripten", "platform_system": "Emscripten", "extra": ""}


def declared() -> list[Requirement]:
    """The requirements that hold in Pyodide: those of the core."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    requirements = map(Requirement, project["dependencies"])
    return [each for each in requirements if each.marker is None or each.marker.evaluate(IN_PYODIDE)]


def closure() -> set[str]:
    """Names of the declared packages and of all that they need."""
    found: set[str] = set()
    pending = [requirement.name for requirement in declared()]
    while pending:
        name = re.sub(r"[-_.]+", "-", pending.pop()).lower()
        if name not in found:
            found.add(name)
            needs = map(Requirement, distribution(name).requires or [])
            pending += [each.name for each in needs if each.marker is None or each.marker.evaluate(IN_PYODIDE)]
    return found


def link_into(directory: Path) -> None:
    """Make the closure importable from a directory, by links to what is installed."""
    for name in closure():
        installed = distribution(name)
        tops = {path.parts[0] for path in installed.files or [] if path.parts[0] not in {"..", "__pycache__"}}
        for top in tops:
            link = directory / top
            if not link.exists():
                link.symlink_to(Path(str(installed.locate_file(top))))
