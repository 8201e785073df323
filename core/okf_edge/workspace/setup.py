"""`okf init`: make a folder a knowledge base by creating what is missing, and touching nothing that is there.

Rules:
1. Every write is an exclusive create, so what appears meanwhile is kept too.
2. The manifest is written last: a setup that was interrupted is not taken for a finished one.
3. A second run finds everything and writes nothing; so does `okf sync` after it.
4. A workspace of Knowlery is adopted: its name and agent are taken over, its files stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from okf_edge import __version__
from okf_edge.errors import AlreadyExistsError, InputError, NotFoundError
from okf_edge.ports import FileTree
from okf_edge.state import encode_state
from okf_edge.workspace import agents, knowlery, layout, managed, texts
from okf_edge.workspace.agents import Agent
from okf_edge.workspace.blocks import block_of
from okf_edge.workspace.knowlery import Adopted
from okf_edge.workspace.manifest import MAX_NAME_CHARACTERS, KbManifest, read_manifest, state_of, write_manifest

KEEP = ".gitkeep"
"""Holds an otherwise empty folder open, in git as on any host that knows files only."""

PROGRAM = f"okf-edge/{__version__}"


@dataclass(frozen=True, slots=True)
class Setup:
    """What `okf init` did: the knowledge base's name and agent, and each path as created or found there already.

    `adopted` tells that Knowlery laid the folder out; `notes` say what the person may want to do.
    """

    name: str
    agent: Agent
    created: tuple[str, ...]
    kept: tuple[str, ...]
    adopted: bool = False
    notes: tuple[str, ...] = ()


async def set_up(
    tree: FileTree, name: str | None, folder_name: str, now: datetime, agent: Agent | None = None
) -> Setup:
    """Create what a knowledge base needs and lacks.

    Args:
        name: what to call it; None keeps the name that it has, or takes that of its folder.
        agent: whom to generate skills and rules for; None keeps what was chosen, or generates none. A base that has
            none yet may get one.
    Raises:
        InputError: the name is unusable, or name or agent are others than those that the base has.
        StateFileError, NewerFormatError: a state file is there but can't be read; nothing was written.
        NotFoundError: the folder does not exist.
    """
    manifest = await read_manifest(tree)
    adopted = await knowlery.read_workspace(tree)
    name = _agreed_name(name, folder_name, manifest, adopted)
    agent = _agreed_agent(agent, manifest, adopted)
    known = await managed.read_managed(tree)
    generated = agents.generated_files(agent, adopted.disabled if adopted else ())
    created: list[str] = []
    kept: list[str] = []
    present = await _present(tree)
    for path, data in [*_layout(name, agent, adopted or Adopted()), *generated.items()]:
        is_made = not _is_there(path, present) and await _create(tree, path, data)
        (created if is_made else kept).append(_shown(path))
    for path, data in await _records(tree, name, agent, generated, known, now):
        (created if await _create(tree, path, data) else kept).append(path)
    if manifest and manifest.agent != agent:
        await write_manifest(tree, manifest.model_copy(update={"agent": agent}))
    notes = (*(adopted.problems if adopted else ()), *_notes(agent, kept))
    return Setup(name, agent, tuple(created), tuple(kept), adopted is not None, notes)


async def lacking(tree: FileTree) -> tuple[int, list[str]]:
    """How many parts the layout of a knowledge base has, and which are missing.

    A folder is there also when nothing is listed in it: Obsidian and syncs pass over the hidden file that holds it.
    """
    seen: set[str] = set()

    def enter(folder: str) -> bool:
        seen.add(f"{folder}/")
        return _enter(folder)

    seen.update(entry.path for entry in await tree.list(enter))
    parts = [path for path, _ in _layout("", "none", Adopted())]
    return len(parts), [_shown(path) for path in parts if _shown(path) not in seen]


async def _present(tree: FileTree) -> frozenset[str]:
    return frozenset(entry.path for entry in await tree.list(_enter))


def _is_there(path: str, present: frozenset[str]) -> bool:
    """A folder is there when anything is in it."""
    folder = path.removesuffix(KEEP)
    return path in present or (folder != path and any(each.startswith(folder) for each in present))


def _layout(name: str, agent: Agent, adopted: Adopted) -> Iterator[tuple[str, bytes]]:
    bundles = block_of(agents.BUNDLES_BLOCK, agents.bundles_text(adopted.bundles))
    yield layout.GUIDE, texts.GUIDE.format(name=name, bundles=bundles).encode()
    yield layout.SCHEMA, texts.SCHEMA.encode()
    yield layout.BASES_INDEX, texts.BASES_INDEX.encode()
    for folder in layout.COMPILED:
        yield f"{folder}/{KEEP}", b""
    yield layout.IGNORE, texts.IGNORE.encode()
    if rules := agents.shared_rules(agent):
        yield rules, agents.rules_file()


async def _records(
    tree: FileTree, name: str, agent: Agent, generated: dict[str, bytes], known: dict[str, str], now: datetime
) -> list[tuple[str, bytes]]:
    """The state files, the manifest last."""
    files = managed.recorded(await managed.compare(tree, generated, known), known)
    record = [(layout.MANAGED, encode_state(managed.state_of(files)))] if files else []
    manifest = KbManifest(name=name, created=now, created_by=PROGRAM, agent=agent, synced_by=PROGRAM)
    return [*record, (layout.MANIFEST, encode_state(state_of(manifest)))]


def _notes(agent: Agent, kept: list[str]) -> Iterator[str]:
    rules = agents.shared_rules(agent)
    if rules and rules in kept:
        yield (
            f"{rules} is yours and stays as it is; for our rules in it, add the lines "
            f"`<!-- okf:{agents.RULES_BLOCK} -->` and `<!-- /okf:{agents.RULES_BLOCK} -->`, then run `okf sync`"
        )


def _agreed_name(wanted: str | None, folder_name: str, manifest: KbManifest | None, adopted: Adopted | None) -> str:
    if wanted is None:
        return manifest.name if manifest else (adopted and adopted.name) or folder_name
    name = " ".join(wanted.split())
    if not name or not name.isprintable() or len(name) > MAX_NAME_CHARACTERS:
        raise InputError(
            f"the name {wanted!r} is unusable, expected 1 to {MAX_NAME_CHARACTERS} printable characters",
            hint="Pass another --name.",
        )
    if manifest and name != manifest.name:
        raise InputError(
            f"this knowledge base is already named {manifest.name!r}, not {name!r}",
            hint=f"Leave the name out, or edit `name` in {layout.MANIFEST}.",
        )
    return name


def _agreed_agent(wanted: Agent | None, manifest: KbManifest | None, adopted: Adopted | None) -> Agent:
    if wanted is None:
        return manifest.agent if manifest else adopted.agent if adopted else "none"
    if manifest and manifest.agent not in ("none", wanted):
        raise InputError(
            f"this knowledge base is set up for the agent {manifest.agent!r}, not {wanted!r}",
            hint=f"Edit `agent` in {layout.MANIFEST}, then run `okf sync`.",
        )
    return wanted


async def _create(tree: FileTree, path: str, data: bytes) -> bool:
    """True when the file was created, False when something was there, or its folder is a link that leads elsewhere."""
    try:
        await tree.create(path, data)
    except (AlreadyExistsError, NotFoundError):
        return False
    return True


def _enter(folder: str) -> bool:
    return folder.partition("/")[0] in (*layout.COMPILED, layout.STATE) and "/" not in folder


def _shown(path: str) -> str:
    return path.removesuffix(KEEP)
