"""`okf sync`: bring everything generated up to date, and record what pages were compiled from. Twice changes nothing.

Rules:
1. What is to be written is decided first; a base that is as it should be is not written to.
2. Files that the person changed or brought are left as they are, and named.
3. A base that a newer version synced is refused before anything is written.
4. The manifest comes last: a sync that was killed is simply done again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from okf_edge.errors import AlreadyExistsError, FormatError, InputError, NewerFormatError, NotFoundError
from okf_edge.limits import LIMITS
from okf_edge.ports import FileTree
from okf_edge.state import encode_state
from okf_edge.workspace import agents, compiled, knowlery, layout, managed, texts
from okf_edge.workspace.agents import BundleLine
from okf_edge.workspace.blocks import with_block
from okf_edge.workspace.compiled import Records
from okf_edge.workspace.knowlery import Adopted
from okf_edge.workspace.manifest import KbManifest, read_manifest, state_of
from okf_edge.workspace.setup import PROGRAM
from okf_edge.workspace.staleness import cited_by, staleness_of
from okf_edge.workspace.survey import Survey


@dataclass(frozen=True, slots=True)
class Write:
    """One file to be written. `is_new` files are created exclusively, so what appears meanwhile is kept."""

    path: str
    data: bytes
    is_new: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """What a sync will do. `left` are files that are the person's; `recorded` counts pages with a new record."""

    writes: tuple[Write, ...]
    left: tuple[str, ...] = ()
    recorded: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Base:
    """A knowledge base as its state files describe it. Without a `manifest` Knowlery set it up."""

    manifest: KbManifest | None
    adopted: Adopted
    managed: dict[str, str]
    records: Records


async def read_base(tree: FileTree) -> Base:
    """The state of a knowledge base.

    Raises:
        InputError: the folder is none. StateFileError, NewerFormatError: a state file can't be read.
    """
    manifest = await read_manifest(tree)
    adopted = await knowlery.read_workspace(tree)
    if manifest is None and adopted is None:
        raise InputError("this folder is no knowledge base", code="no-base", hint="Run `okf init` first.")
    return Base(manifest, adopted or Adopted(), await managed.read_managed(tree), await compiled.read_records(tree))


async def plan_sync(
    tree: FileTree, base: Base, records: Records, bundles: Sequence[BundleLine], folder_name: str, now: datetime
) -> Plan:
    """Decide what a sync has to write; writes nothing.

    Args:
        records: what is to be recorded, see `records_now`.
        bundles: those that we installed.
        folder_name: the name of a base that has none.
    """
    manifest = _renewed(base, folder_name, now)
    disabled = {*manifest.disabled_skills, *base.adopted.disabled}
    files = await managed.compare(tree, agents.generated_files(manifest.agent, disabled), base.managed)
    blocks, notes = await _blocks(tree, manifest, [*bundles, *base.adopted.bundles])
    ignore = await _absent(tree, layout.IGNORE, texts.IGNORE.encode())
    states = [
        (layout.MANAGED, managed.recorded(files, base.managed), base.managed, managed.state_of),
        (layout.COMPILED_RECORD, records, base.records, compiled.state_of),
    ]
    return Plan(
        writes=(
            *ignore,
            *(Write(file.path, file.data, file.standing == "absent") for file in files if file.needs_writing),
            *blocks,
            *(Write(path, encode_state(state(new)), False) for path, new, old, state in states if new != old),  # type: ignore[operator]
            *([] if manifest == base.manifest else [Write(layout.MANIFEST, encode_state(state_of(manifest)), False)]),
        ),
        left=tuple(file.path for file in files if not file.is_ours),
        recorded=sum(records[path] != base.records.get(path) for path in records),
        notes=(*base.adopted.problems, *notes),
    )


async def apply(tree: FileTree, plan: Plan) -> tuple[str, ...]:
    """Write what was planned, in order; the paths that were written."""
    written: list[str] = []
    for write in plan.writes:
        if not write.is_new:
            await tree.write(write.path, write.data)
        elif not await _created(tree, write):
            continue
        written.append(write.path)
    return tuple(written)


def records_now(survey: Survey, known: Records, now: datetime) -> dict[str, compiled.Record]:
    """What is to be recorded of each page that cites files.

    A page that was written since the last record, and of which dates say that a source changed after that, gets none:
    to record today's source would say that the page knows it. A page that can't be read just now, e.g. since it is not
    downloaded, keeps the record that it has.
    """
    outdated = {page.path for page in staleness_of(survey, known, now).stale if page.changed}
    citing = {path: page.sha256 for path, page in survey.pages.items() if page.citations}
    kept = {path for path, sha256 in citing.items() if path in known and known[path].sha256 == sha256}
    cited = {path: _digests(survey, path) for path in citing}
    pages = {path: citing[path] for path in citing if path in kept or (cited[path] and path not in outdated)}
    away = {*survey.unread, *survey.scan.skipped_for("not-downloaded")}
    return {
        **{path: known[path] for path in known if path in away},
        **compiled.recorded(pages, cited, known, now),
    }


def _digests(survey: Survey, path: str) -> dict[str, str]:
    found = ((cited, survey.source(cited)) for cited in cited_by(survey, path))
    return {cited: source.sha256 for cited, source in found if source}


def _renewed(base: Base, folder_name: str, now: datetime) -> KbManifest:
    if base.manifest:
        return base.manifest.model_copy(update={"synced_by": PROGRAM})
    name = base.adopted.name or folder_name
    return KbManifest(name=name, created=now, created_by=PROGRAM, agent=base.adopted.agent, synced_by=PROGRAM)


async def _blocks(tree: FileTree, manifest: KbManifest, bundles: Sequence[BundleLine]) -> tuple[list[Write], list[str]]:
    """The files whose generated block is not as it should be, and why some can't be renewed."""
    listed = tuple({each.id: each for each in bundles}.values())
    wanted = [(layout.GUIDE, agents.BUNDLES_BLOCK, agents.bundles_text(sorted(listed, key=lambda each: each.id)))]
    if rules := agents.shared_rules(manifest.agent):
        wanted.append((rules, agents.RULES_BLOCK, agents.rules()))
    writes: list[Write] = []
    notes: list[str] = []
    for path, name, body in wanted:
        try:
            old = await tree.read(path, LIMITS.note_bytes)
            new = with_block(old, name, body)
        except NotFoundError:
            writes += [Write(path, agents.rules_file(), True)] if name == agents.RULES_BLOCK else []
        except FormatError as error:
            notes.append(f"{path}: {error.message}. {error.hint}")
        else:
            writes += [Write(path, new, False)] if new is not None and new != old else []
    return writes, notes


async def _absent(tree: FileTree, path: str, data: bytes) -> list[Write]:
    try:
        await tree.stat(path)
    except NotFoundError:
        return [Write(path, data, True)]
    return []


async def _created(tree: FileTree, write: Write) -> bool:
    try:
        await tree.create(write.path, write.data)
    except (AlreadyExistsError, NotFoundError):
        return False
    return True


def refuse_newer(base: Base) -> None:
    """Raises: NewerFormatError: a newer version synced the base, and this one would take back what it did."""
    if base.manifest is None or not base.manifest.synced_by:
        return
    from semver import Version

    program, _, version = base.manifest.synced_by.partition("/")
    mine = Version.parse(PROGRAM.partition("/")[2])
    if program == "okf-edge" and Version.is_valid(version) and Version.parse(version) > mine:
        raise NewerFormatError(
            f"this knowledge base was synced by okf-edge {version}, this is {mine}",
            code="newer-version",
            hint="Upgrade okf-edge; nothing was written.",
        )
