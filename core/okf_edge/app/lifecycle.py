"""The use cases that keep a base in order: sync, staleness, health and its repairs, map, capture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256

from okf_edge.app.cache import Cache
from okf_edge.app.ports import Config, Ports, everything
from okf_edge.bundles.names import problems_of_path
from okf_edge.bundles.registry import InstalledBundle, read_registry
from okf_edge.errors import FormatError, InputError
from okf_edge.limits import LIMITS
from okf_edge.okf.reader import read_document
from okf_edge.okf.writer import edited
from okf_edge.state import write_state
from okf_edge.workspace import compiled, layout, setup, sync
from okf_edge.workspace.agents import BundleLine
from okf_edge.workspace.compiled import Records
from okf_edge.workspace.facts import PageFacts
from okf_edge.workspace.health import Configuration, Finding, Health, health_of
from okf_edge.workspace.identity import identify
from okf_edge.workspace.knowlery import read_workspace
from okf_edge.workspace.orientation import Orientation, orientation_of
from okf_edge.workspace.staleness import Staleness, staleness_of
from okf_edge.workspace.survey import Survey, survey
from okf_edge.workspace.sync import Base, Plan

TYPES = {"entities": "Entity", "concepts": "Concept", "comparisons": "Comparison", "queries": "Query"}
"""What a page in a compiled folder is, when it does not say so."""


@dataclass(frozen=True, slots=True)
class Synced:
    """What a sync wrote, what it left to the person, and how many pages have a new record of their sources."""

    written: tuple[str, ...]
    left: tuple[str, ...]
    recorded: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Repaired:
    """The health after the repairs, what was mended, and what could not be."""

    health: Health
    mended: tuple[str, ...]
    left: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Seen:
    """A folder, looked at. `base` is None when it is no knowledge base."""

    survey: Survey
    base: Base | None
    staleness: Staleness


async def synchronise(ports: Ports, config: Config) -> Synced:
    """Bring a base up to date. Raises InputError: it is none. NewerFormatError. StateFileError. StoreError."""
    from okf_edge.app.asking import finish_interrupted_install  # with all that answers questions

    await finish_interrupted_install(ports)
    base = await sync.read_base(ports.tree)
    sync.refuse_newer(base)
    records = sync.records_now(await _look(ports), base.records, ports.clock.now())
    plan = await _plan(ports, config, base, records)
    written = await sync.apply(ports.tree, plan)
    return Synced(written, plan.left, plan.recorded, plan.notes)


async def stale(ports: Ports) -> Staleness:
    return (await _see(ports)).staleness


async def health(ports: Ports, config: Config) -> Health:
    """The health of what may be seen. Who sees a part is not told of the setup: it is made from all pages."""
    seen = await _see(ports)
    configuration = await _configuration(ports, config, seen) if ports.sees is everything else None
    return health_of(seen.survey, seen.staleness, configuration)


async def repair(ports: Ports, config: Config) -> Repaired:
    """Mend what is safe: missing parts of the setup, generated files, and types that a page's folder tells."""
    before = await _see(ports)
    mended: list[str] = []
    left: list[str] = []
    if before.base:
        sync.refuse_newer(before.base)
        made = await setup.set_up(ports.tree, None, config.folder_name, ports.clock.now())
        mended += made.created
    for page in before.survey.compiled:
        if not page.type:
            (mended if await _with_type(ports, page) else left).append(page.path)
    if before.base:
        mended += [path for path in (await synchronise(ports, config)).written if path not in mended]
    return Repaired(await health(ports, config), tuple(mended), tuple(left))


async def orientation(ports: Ports, config: Config) -> Orientation:
    seen = await _see(ports)
    name = (await identify(ports.tree, config.folder_name)).name
    return orientation_of(name, seen.survey, seen.staleness, await _bundles(ports, seen.base))


async def look_at(ports: Ports) -> tuple[Survey, Staleness]:
    """The folder as reports see it now."""
    seen = await _see(ports)
    return seen.survey, seen.staleness


async def _see(ports: Ports) -> _Seen:
    found = await _look(ports)
    base = await _base_of(ports)
    records = base.records if base else await compiled.read_records(ports.tree)
    ignored = base.manifest.need_no_citing if base and base.manifest else ()
    return _Seen(found, base, staleness_of(found, records, ports.clock.now(), ignored))


async def _look(ports: Ports) -> Survey:
    async with ports.turn:
        return await survey(ports.tree, Cache(ports), ports.progress)


async def _base_of(ports: Ports) -> Base | None:
    """The base, also one that a newer version synced: reports only read."""
    try:
        return await sync.read_base(ports.tree)
    except InputError:
        return None


async def _bundles(ports: Ports, base: Base | None) -> list[BundleLine]:
    """The installed bundles: ours, and those that Knowlery installed."""
    registry = await read_registry(ports.tree)
    ours = {each.id: BundleLine(each.id, each.version, each.title) for each in registry.bundles.values()}
    theirs = {each.id: each for each in (base.adopted.bundles if base else ())}
    return [line for _, line in sorted({**theirs, **ours}.items())]


async def _plan(ports: Ports, config: Config, base: Base, records: Records) -> Plan:
    lines = await _bundles(ports, base)
    return await sync.plan_sync(ports.tree, base, records, lines, config.folder_name, ports.clock.now())


async def _configuration(ports: Ports, config: Config, seen: _Seen) -> Configuration | None:
    """What the setup of a base lacks: parts of its layout, and generated files that are not up to date."""
    if seen.base is None:
        return None
    parts, missing = await setup.lacking(ports.tree)
    plan = await _plan(ports, config, seen.base, seen.base.records)
    states = (layout.MANAGED, layout.MANIFEST)
    outdated = [write.path for write in plan.writes if write.path not in (*states, *missing)]
    findings = [
        *(Finding("configuration", path, None, "is missing", fixable=True) for path in missing),
        *(Finding("configuration", path, None, "is not up to date: run `okf sync`", fixable=True) for path in outdated),
    ]
    return Configuration(parts + len(outdated), tuple(findings))


async def _with_type(ports: Ports, page: PageFacts) -> bool:
    """Give a page the type of its folder, when its frontmatter can be edited without touching anything else.

    What it was compiled from stays recorded: adding a type is no compiling.
    """
    document = read_document(page.path, await ports.tree.read(page.path, LIMITS.note_bytes))
    try:
        data = edited(document, {"type": TYPES[page.path.partition("/")[0]]})
    except FormatError:
        return False
    await ports.tree.write(page.path, data)
    await _keep_record(ports, page, data)
    return True


async def _keep_record(ports: Ports, page: PageFacts, data: bytes) -> None:
    records = await compiled.read_records(ports.tree)
    record = records.get(page.path)
    if record and record.sha256 == page.sha256:
        records[page.path] = replace(record, sha256=sha256(data).hexdigest())
        await write_state(ports.tree, layout.COMPILED_RECORD, compiled.state_of(records))


async def installed_bundles(ports: Ports) -> tuple[InstalledBundle, ...]:
    """The bundles of the folder by id. Those of Knowlery are told as its own list says, which nobody verified."""
    known = dict((await read_registry(ports.tree)).bundles)
    adopted = await read_workspace(ports.tree)
    for each in adopted.bundles if adopted else ():
        if not problems_of_path(each.id):
            kept = InstalledBundle(each.id, each.version, each.title or each.id, "knowlery", "Knowlery", "", "", "")
            known.setdefault(each.id, kept)
    return tuple(known[each] for each in sorted(known))
