"""The handbook's source tree as the tests see it: its pages, and the command lines that they show."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2] / "bundles" / "handbook"
RESERVED = frozenset({"index.md", "log.md"})
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(okf(?:-edge)? [^`\n]+)`")


@dataclass(frozen=True, slots=True)
class Page:
    """One concept page. `path` is bundle-relative, with `/` and without a leading one."""

    path: str
    meta: dict[str, Any]
    body: str

    @property
    def language(self) -> str:
        return "zh" if self.path.startswith("zh/") else "en"

    @property
    def prose(self) -> str:
        """The body without fences and code spans."""
        return re.sub(r"`[^`\n]*`", "", FENCE.sub("", self.body))


@dataclass(frozen=True, slots=True)
class CommandLine:
    """An `okf …` line as a page shows it; `mentioned` when it stands in running text and may leave arguments out."""

    page: str
    words: tuple[str, ...]
    mentioned: bool = False

    def __str__(self) -> str:
        return f"{self.page}: {shlex.join(self.words)}"


def pages() -> tuple[Page, ...]:
    """Every concept page, in path order."""
    paths = sorted(path for path in ROOT.rglob("*.md") if path.name not in RESERVED)
    return tuple(_page(path) for path in paths)


def files() -> dict[str, bytes]:
    """Every file of the source tree by its bundle-relative path, without the index that a question leaves there."""
    paths = (path.relative_to(ROOT) for path in sorted(ROOT.rglob("*")) if path.is_file())
    return {path.as_posix(): (ROOT / path).read_bytes() for path in paths if path.parts[0] != ".okf"}


def command_lines() -> Iterator[CommandLine]:
    """The `okf …` lines of all `sh` fences, and those in code spans."""
    for page in pages():
        for language, code in FENCE.findall(page.body):
            if language == "sh":
                yield from (CommandLine(page.path, _words(line)) for line in code.splitlines() if _is_ours(line))
        for span in INLINE.findall(FENCE.sub("", page.body)):
            yield CommandLine(page.path, _words(span), mentioned=True)


def _page(path: Path) -> Page:
    _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
    return Page(path.relative_to(ROOT).as_posix(), yaml.safe_load(head), body)


def _is_ours(line: str) -> bool:
    return line.strip().startswith(("okf ", "okf-edge "))


def _words(line: str) -> tuple[str, ...]:
    command, _, _ = line.strip().partition(" > ")
    return tuple(shlex.split(command))
