"""What a person chose for all folders, in `config.json` of their configuration folder.

The model to embed with, and the knowledge base that a tool's call means when it names none.
"""

from __future__ import annotations

from dataclasses import dataclass

from okf_edge.embedding.models import model_of
from okf_edge.errors import UnavailableError
from okf_edge.ports import FileTree
from okf_edge.state import State, corrupt, read_state, write_state
from okf_edge_native.disk import DiskTree
from okf_edge_native.places import config_place

FILE = "config.json"
NEWEST_FORMAT = 1
AUTOMATIC = "auto"


@dataclass(frozen=True, slots=True)
class Preferences:
    """`embedder` is a model id, or empty when the content decides. `kb` is the name of a base; empty for none."""

    embedder: str = ""
    kb: str = ""


async def read_preferences() -> Preferences:
    """The person's choices; the defaults where there is no home to keep any. Raises StateFileError."""
    try:
        tree = _tree()
    except UnavailableError:
        return Preferences()
    state = await _read(tree)
    for name in ("embedder", "kb"):
        if not isinstance(state.get(name, ""), str):
            raise corrupt(f"{tree.locate(FILE)}", f"has {name} {state[name]!r}, expected a text")
    return Preferences(state.get("embedder", ""), state.get("kb", ""))


async def choose_embedder(model_id: str) -> Preferences:
    """Keep a choice. Raises ModelError: unknown model. UnavailableError: there is no place to keep it."""
    embedder = "" if model_id == AUTOMATIC else model_of(model_id).id
    return await _keep("embedder", embedder)


async def choose_kb(name: str) -> Preferences:
    """Keep which base a call means that names none; empty for none."""
    return await _keep("kb", name)


async def _keep(name: str, value: str) -> Preferences:
    tree = _tree()
    await write_state(tree, FILE, {**await _read(tree), "format": NEWEST_FORMAT, name: value})
    return await read_preferences()


async def _read(tree: FileTree) -> State:
    return await read_state(tree, FILE, NEWEST_FORMAT) or {}


def _tree() -> DiskTree:
    return DiskTree(config_place())
