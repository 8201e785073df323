"""What a folder is called, read without the border's models: every query asks, and pydantic costs a phone a second."""

from __future__ import annotations

from dataclasses import dataclass

from okf_edge.errors import NotFoundError
from okf_edge.ports import FileTree
from okf_edge.state import corrupt, read_state
from okf_edge.workspace import layout

NEWEST_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Identity:
    """The name of a folder that is asked, and whether `okf init` made it a knowledge base."""

    name: str
    is_base: bool


KNOWLERY = ".knowlery/manifest.json"


async def identify(tree: FileTree, folder_name: str) -> Identity:
    """Name a folder by its manifest, or else by its own name. Raises StateFileError, NewerFormatError."""
    state = await read_state(tree, layout.MANIFEST, NEWEST_FORMAT)
    if state is None:
        return Identity(await _name_by_knowlery(tree) or folder_name, is_base=False)
    name = state.get("name")
    if not isinstance(name, str) or not name:
        raise corrupt(layout.MANIFEST, f"has name {name!r}, expected a text")
    return Identity(name, is_base=True)


async def _name_by_knowlery(tree: FileTree) -> str:
    """What Knowlery calls a workspace that it laid out; empty where it is none."""
    try:
        await tree.stat(KNOWLERY)
    except NotFoundError:
        return ""
    from okf_edge.workspace.knowlery import read_workspace

    adopted = await read_workspace(tree)
    return adopted.name if adopted else ""
