"""`.okf/manifest.json`: what makes a folder a knowledge base, and its name.

The JSON Schema in `core/okf_edge/schemas/kb-manifest.schema.json` is generated from `KbManifest`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from okf_edge.ports import FileTree
from okf_edge.state import State, corrupt, read_state, write_state
from okf_edge.workspace import layout
from okf_edge.workspace.agents import Agent
from okf_edge.workspace.identity import NEWEST_FORMAT

MAX_NAME_CHARACTERS = 200
"""A name is shown in every answer."""


_OPTIONAL = frozenset({"agent", "synced_by", "disabled_skills", "need_no_citing"})


class KbManifest(BaseModel):
    """A knowledge base, as its state folder describes it."""

    model_config = ConfigDict(extra="allow", frozen=True, title="okf-edge knowledge base manifest")

    format: Literal[1] = 1
    name: str = Field(min_length=1, max_length=MAX_NAME_CHARACTERS, description="What people call this knowledge base.")
    created: AwareDatetime = Field(description="When `okf init` made it.")
    created_by: str = Field(min_length=1, description="The program and version that made it, e.g. okf-edge/0.1.0.")
    agent: Agent = Field(default="none", description="The coding agent that skills and rules are generated for.")
    synced_by: str = Field(
        default="", description="The program and version that last synced it; an older one refuses to."
    )
    disabled_skills: tuple[str, ...] = Field(default=(), description="Skills that `okf sync` does not generate.")
    need_no_citing: tuple[str, ...] = Field(
        default=(),
        description="Patterns of notes that need not be cited by a page, e.g. `Meetings/*`; daily notes never need.",
    )


async def read_manifest(tree: FileTree) -> KbManifest | None:
    """The manifest, or None where there is none. Raises StateFileError, NewerFormatError."""
    state = await read_state(tree, layout.MANIFEST, NEWEST_FORMAT)
    if state is None:
        return None
    try:
        return KbManifest.model_validate(state)
    except ValidationError as error:
        raise corrupt(layout.MANIFEST, _findings(error)) from error


async def write_manifest(tree: FileTree, manifest: KbManifest) -> None:
    await write_state(tree, layout.MANIFEST, state_of(manifest))


def state_of(manifest: KbManifest) -> State:
    """The manifest as it is written: what nobody chose is left out."""
    values = manifest.model_dump(mode="json")
    return {key: value for key, value in values.items() if key not in _OPTIONAL or value not in ("", "none", [])}


def _findings(error: ValidationError) -> str:
    return "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
