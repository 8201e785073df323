"""`.okf/manifest.json`: what makes a folder a knowledge base, and its name.

The JSON Schema in `core/okf_edge/schemas/kb-manifest.schema.json` is generated from `KbManifest`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from okf_edge.ports import FileTree
from okf_edge.state import corrupt, read_state, write_state
from okf_edge.workspace import layout
from okf_edge.workspace.identity import NEWEST_FORMAT

MAX_NAME_CHARACTERS = 200
"""A name is shown in every answer."""


class KbManifest(BaseModel):
    """A knowledge base, as its state folder describes it."""

    model_config = ConfigDict(extra="allow", frozen=True, title="okf-edge knowledge base manifest")

    format: Literal[1] = 1
    name: str = Field(min_length=1, max_length=MAX_NAME_CHARACTERS, description="What people call this knowledge base.")
    created: AwareDatetime = Field(description="When `okf init` made it.")
    created_by: str = Field(min_length=1, description="The program and version that made it, e.g. okf-edge/0.1.0.")


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
    await write_state(tree, layout.MANIFEST, manifest.model_dump(mode="json"))


def _findings(error: ValidationError) -> str:
    return "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
