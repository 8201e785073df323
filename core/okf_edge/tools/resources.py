"""Pages as resources: `okf://{kb}/{+path}`, of the curated surface of a base only, and its live map as `okf://{kb}/map`.

Rules:
1. Curated are KNOWLEDGE.md, the compiled folders and `Library/`; notes of a person, drafts and state are not.
2. An address is decoded once. What it names is looked up among the files that the caller sees, and the decision is
   made on that file's own path, whatever the address spells.
3. What is no plain file, has a second name (a hard link), or may not be seen is not found, in the same words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from okf_edge.app import addresses, lifecycle
from okf_edge.app.ports import Config
from okf_edge.errors import NotFoundError
from okf_edge.limits import LIMITS
from okf_edge.okf.concept import concept_of
from okf_edge.okf.freshness import is_stale
from okf_edge.okf.outline import outline_of
from okf_edge.okf.reader import read_document
from okf_edge.policy.parse import canonical
from okf_edge.ports import FileStat
from okf_edge.retrieval.visible import visible
from okf_edge.tools.host import Base, World
from okf_edge.tools.marking import code_of, marked, shown
from okf_edge.workspace import layout, leftovers
from okf_edge.workspace.reports import orientation_json

TEMPLATE = "okf://{kb}/{+path}"
MAP = "map"


@dataclass(frozen=True, slots=True)
class Resource:
    """What is told of a resource in a list."""

    uri: str
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Content:
    """A resource, read: marked as what it is."""

    uri: str
    type: str
    text: str


def is_curated(path: str) -> bool:
    """Whether a file belongs to what is offered as a resource."""
    top, slash, _ = path.partition("/")
    has_hidden_part = any(leftovers.is_hidden(part) for part in path.split("/"))
    in_surface = path == layout.GUIDE or (bool(slash) and top in (*layout.COMPILED, layout.LIBRARY))
    return in_surface and layout.is_note(path) and not has_hidden_part


async def listed(world: World) -> list[Resource]:
    """The guide and the map of each base; pages are found by `query`, `map` and completion."""
    found = []
    for base in await world.known():
        if base.problem:
            continue
        found.append(Resource(addresses.address_of(base.name, MAP), f"{base.name}: map", "application/json"))
        if layout.GUIDE in [entry.path for entry in await _curated(world, base)]:
            uri = addresses.address_of(base.name, layout.GUIDE)
            found.append(Resource(uri, f"{base.name}: {layout.GUIDE}", "text/markdown"))
    return found


async def read(world: World, uri: str) -> Content:
    """Raises: NotFoundError: there is no such resource for this caller."""
    base, wanted = await _meant(world, uri)
    if wanted == MAP:
        found = await lifecycle.orientation(world.host.ports(base, world.caller), Config(base.name))
        return Content(uri, "application/json", canonical(shown(orientation_json(found))).decode())
    path = _same_name(wanted, await _curated(world, base))
    if path is None or not world.host.is_single(base, path):
        raise _absent(uri)
    document = read_document(path, await world.host.ports(base, world.caller).tree.read(path, LIMITS.note_bytes))
    concept, bundle = concept_of(document, outline_of(document)), layout.bundle_folder(path)
    about = {
        "source": addresses.address_of(base.name, path),
        "kb": base.name,
        "tier": "bundle" if bundle else layout.tier_of(path),
        "bundle": bundle,
        "trust": concept.trust,
        "fresh": str(not is_stale(concept.stale_after, world.clock.now())).lower(),
    }
    return Content(uri, "text/markdown", marked(document.text, about, code_of(world.entropy)))


async def completions(world: World, name: str, begun: str, kb: str) -> list[str]:
    """How an argument of the template may go on."""
    known = [base for base in await world.known() if not base.problem]
    if name == "kb":
        names: Iterable[str] = (base.name for base in known)
    else:
        bases = [base for base in known if base.name == kb]
        names = [entry.path for base in bases for entry in await _curated(world, base)]
    return [each for each in names if each.startswith(begun)]


async def _meant(world: World, uri: str) -> tuple[Base, str]:
    """The base and the path that an address names; the id of an installed bundle stands for its folder."""
    parsed = addresses.parse(uri)
    if parsed is None:
        raise _absent(uri)
    owner, path, _ = parsed
    usable = [base for base in await world.known() if not base.problem]
    for base in usable:
        if base.name == owner:
            return base, path
    for base in usable:
        place = f"{layout.LIBRARY}/{owner}/"
        if any(entry.path.startswith(place) for entry in await _curated(world, base)):
            return base, f"{place}{path}"
    raise _absent(uri)


async def _curated(world: World, base: Base) -> Sequence[FileStat]:
    entries = await world.host.ports(base, world.caller).tree.list(_enter)
    return [entry for entry in entries if entry.kind == "file" and is_curated(entry.path)]


def _enter(folder: str) -> bool:
    top, _, rest = folder.partition("/")
    return top in (*layout.COMPILED, layout.LIBRARY) and not leftovers.is_hidden(rest.rpartition("/")[2])


def _same_name(wanted: str, entries: Sequence[FileStat]) -> str | None:
    """The file that a path names under NFC and either slash; in another letter case only when it is the only one."""
    wanted = unicodedata.normalize("NFC", wanted.replace("\\", "/"))
    plain = {entry.path: unicodedata.normalize("NFC", entry.path) for entry in entries}
    exact = [path for path, name in plain.items() if name == wanted]
    loose = [path for path, name in plain.items() if name.casefold() == wanted.casefold()]
    found = exact or loose
    return found[0] if len(found) == 1 else None


def _absent(uri: str) -> NotFoundError:
    return NotFoundError(f"no resource {visible(uri)[:200]!r}", code="no-resource", hint="See the list of resources.")
