"""A workspace that Knowlery laid out, as far as it concerns us: read, never written.

Rules:
1. Its manifest gives the name and the agent, its bundle list what lies in `Library/`, its lock which skills are off.
2. A file of it that can't be read is told as a problem; it is Knowlery's, so nothing here depends on it being whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from okf_edge.errors import NotFoundError, StoreError
from okf_edge.json_text import json_value
from okf_edge.limits import LIMITS
from okf_edge.ports import FileTree
from okf_edge.workspace.agents import AGENTS, Agent, BundleLine
from okf_edge.workspace.identity import KNOWLERY as MANIFEST

BUNDLES = ".knowlery/bundles.json"
SKILLS_LOCK = "skills-lock.json"


@dataclass(frozen=True, slots=True)
class Adopted:
    """What is taken over. `disabled` are skills that the person turned off; `problems` say what could not be read."""

    name: str = ""
    agent: Agent = "none"
    bundles: tuple[BundleLine, ...] = ()
    disabled: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()


async def read_workspace(tree: FileTree) -> Adopted | None:
    """What Knowlery says of a folder; None when it never was there."""
    problems: list[str] = []
    manifest = await _object(tree, MANIFEST, problems)
    bundles = await _object(tree, BUNDLES, problems)
    lock = await _object(tree, SKILLS_LOCK, problems)
    if manifest is None and bundles is None:
        return None
    return Adopted(
        name=_text((manifest or {}).get("kbName")),
        agent=next((agent for agent in AGENTS if agent == (manifest or {}).get("platform")), "none"),
        bundles=tuple(_bundles((bundles or {}).get("bundles"))),
        disabled=frozenset(
            name for name, entry in _mapping((lock or {}).get("skills")).items() if _mapping(entry).get("disabled")
        ),
        problems=tuple(problems),
    )


async def _object(tree: FileTree, path: str, problems: list[str]) -> dict[str, Any] | None:
    try:
        value = json_value(await tree.read(path, LIMITS.state_file_bytes))
    except NotFoundError:
        return None
    except (StoreError, ValueError, RecursionError) as error:
        problems.append(f"{path} could not be read: {error}")
        return {}
    if not isinstance(value, dict):
        problems.append(f"{path} holds {type(value).__name__}, expected an object")
        return {}
    return value


def _bundles(listed: Any) -> list[BundleLine]:
    entries = sorted(_mapping(listed).items())
    return [
        BundleLine(name, _text(_mapping(each).get("version")), _text(_mapping(each).get("title")))
        for name, each in entries
    ]


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return " ".join(value.split())[:200] if isinstance(value, str) else ""
