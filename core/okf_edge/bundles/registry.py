"""`.okf/bundles.json`: which bundles a knowledge base has installed. Read on the path of every query: no pydantic.

Rules:
1. The registry is the commit point: a bundle is installed when it is named here, and only then.
2. Hashes of single files are in the bundle's own manifest; the registry pins that manifest by sha256, so local edits
   of either are found.
3. Keys that we do not know are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, get_args

from okf_edge.bundles.digest import MANIFEST
from okf_edge.bundles.manifest import IndexInfo
from okf_edge.bundles.names import problems_of_bundle_id, problems_of_path
from okf_edge.ports import FileTree
from okf_edge.state import State, corrupt, read_state, write_state

REGISTRY = ".okf/bundles.json"
LIBRARY = "Library"
FORMAT = 1

BundleKind = Literal["okf", "knowlery", "plain"]
Signature = Literal["absent", "valid"]
IndexOrigin = Literal["shipped", "built", "none"]


@dataclass(frozen=True, slots=True)
class InstalledBundle:
    """One bundle of a knowledge base.

    `kind` tells whose manifest came with it. `index` is the index that lies in the folder and `index_origin` whether it
    was shipped or built here. `left_out` are files of the bundle that were not installed, e.g. programs. `feed` and
    `signer` tell where a signed bundle came from and whose signature was verified. `previous` is the version that was
    replaced; its files are kept for a rollback.
    """

    id: str
    version: str
    title: str
    kind: BundleKind
    origin: str
    installed_at: str
    content_digest: str
    manifest_sha256: str
    signature: Signature = "absent"
    index_origin: IndexOrigin = "none"
    index: IndexInfo | None = None
    left_out: tuple[str, ...] = ()
    feed: str = ""
    signer: str = ""
    previous: InstalledBundle | None = None
    unknown: Mapping[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> str:
        return f"{LIBRARY}/{self.id}"

    @property
    def kept_path(self) -> str:
        """Where the files of the previous version lie."""
        return f".okf/previous/{self.id}"

    @property
    def manifest_path(self) -> str:
        return f"{self.path}/{MANIFEST}"


@dataclass(frozen=True, slots=True)
class Registry:
    """All bundles of a knowledge base, by id."""

    bundles: Mapping[str, InstalledBundle] = field(default_factory=dict)
    unknown: Mapping[str, Any] = field(default_factory=dict)

    def with_bundle(self, bundle: InstalledBundle) -> Registry:
        return replace(self, bundles={**self.bundles, bundle.id: bundle})

    def without(self, bundle_id: str) -> Registry:
        return replace(self, bundles={key: each for key, each in self.bundles.items() if key != bundle_id})


async def read_registry(tree: FileTree) -> Registry:
    """The registry; empty when there is none.

    Raises: StateFileError: it is corrupt, and was left as it is. NewerFormatError.
    """
    state = await read_state(tree, REGISTRY, FORMAT)
    if state is None:
        return Registry()
    bundles = state.get("bundles")
    if not isinstance(bundles, dict):
        raise corrupt(REGISTRY, f"has bundles {type(bundles).__name__}, expected an object")
    unknown = {key: value for key, value in state.items() if key not in {"format", "bundles"}}
    return Registry({key: bundle_from(REGISTRY, key, value) for key, value in sorted(bundles.items())}, unknown)


async def write_registry(tree: FileTree, registry: Registry) -> None:
    bundles = {key: plain_bundle(registry.bundles[key]) for key in sorted(registry.bundles)}
    await write_state(tree, REGISTRY, {"format": FORMAT, "bundles": bundles, **registry.unknown})


async def installed(tree: FileTree) -> tuple[InstalledBundle, ...]:
    """The bundles of a knowledge base, by id. Raises StateFileError, NewerFormatError."""
    return tuple((await read_registry(tree)).bundles.values())


_TEXTS = ("version", "title", "origin", "installed_at", "content_digest", "manifest_sha256")
_LATER_TEXTS = ("feed", "signer")
_CHOICES = {"kind": BundleKind, "signature": Signature, "index_origin": IndexOrigin}
_KNOWN = frozenset(each.name for each in fields(InstalledBundle)) - {"unknown", "id"}


def bundle_from(file: str, bundle_id: str, raw: object) -> InstalledBundle:
    """One bundle as a state file describes it. Raises StateFileError: `file` is corrupt."""
    if problems := problems_of_bundle_id(bundle_id):
        raise corrupt(file, f"names a bundle that can't be: {problems[0]}")
    if not isinstance(raw, dict):
        raise corrupt(file, f"has {type(raw).__name__} for {bundle_id!r}, expected an object")
    if wrong := [name for name in _TEXTS if not isinstance(raw.get(name), str)]:
        raise corrupt(file, f"expected a text in {', '.join(wrong)} of {bundle_id!r}")
    if wrong := [name for name in _LATER_TEXTS if not isinstance(raw.get(name, ""), str)]:
        raise corrupt(file, f"expected a text in {', '.join(wrong)} of {bundle_id!r}")
    if wrong := [name for name, choice in _CHOICES.items() if raw.get(name) not in get_args(choice)]:
        raise corrupt(file, f"has an unknown value in {', '.join(wrong)} of {bundle_id!r}")
    left_out = raw.get("left_out")
    if not isinstance(left_out, list) or not all(isinstance(path, str) for path in left_out):
        raise corrupt(file, f"expected a list of paths in left_out of {bundle_id!r}")
    known = {name: raw[name] for name in (*_TEXTS, *_CHOICES)} | {name: raw.get(name, "") for name in _LATER_TEXTS}
    previous = raw.get("previous")
    unknown = {key: value for key, value in raw.items() if key not in _KNOWN}
    return InstalledBundle(
        id=bundle_id,
        **known,
        index=_index(file, bundle_id, raw.get("index")),
        left_out=tuple(left_out),
        previous=None if previous is None else bundle_from(file, bundle_id, previous),
        unknown=unknown,
    )


def _index(file: str, bundle_id: str, raw: object) -> IndexInfo | None:
    if raw is None:
        return None
    kinds = {each.name: int if each.name in {"bytes", "schema", "chunks"} else str for each in fields(IndexInfo)}
    if not isinstance(raw, dict) or any(not isinstance(raw.get(name), kind) for name, kind in kinds.items()):
        raise corrupt(file, f"has no whole description of the index of {bundle_id!r}")
    if problems_of_path(raw["path"]):
        raise corrupt(file, f"names an index outside of {bundle_id!r}")
    return IndexInfo(**{name: raw[name] for name in kinds})


def plain_bundle(bundle: InstalledBundle) -> State:
    """The bundle as a state file describes it, under its id."""
    plain = {name: value for name, value in asdict(bundle).items() if name in _KNOWN}
    previous = None if bundle.previous is None else plain_bundle(bundle.previous)
    return {**plain, "left_out": list(bundle.left_out), "previous": previous, **bundle.unknown}
