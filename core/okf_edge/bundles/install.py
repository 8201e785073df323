"""Installs bundles into a knowledge base, and removes them.

One installation: verify everything → decide by the registry → stage all files → index → swap under the lock.
Until the swap nothing that a reader sees has changed; the swap is repaired if it is killed (`swap`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from okf_edge import __version__
from okf_edge.bundles.active import active_content
from okf_edge.bundles.contents import Contents
from okf_edge.bundles.digest import INDEX_FILE, MANIFEST, FileDigest, content_digest, digest_of
from okf_edge.bundles.edits import edits_of, files_below, would_be_lost
from okf_edge.bundles.indexer import Indexer
from okf_edge.bundles.lock import hold_lock
from okf_edge.bundles.manifest import Creator, IndexInfo, Manifest, listed_files, write_manifest
from okf_edge.bundles.names import confusable_key, derive_bundle_id, problems_of_bundle_id
from okf_edge.bundles.registry import IndexOrigin, InstalledBundle, read_registry
from okf_edge.bundles.swap import Swap, carry_out, discard, repair
from okf_edge.bundles.verify import Verified, require_digest, require_sound, verify
from okf_edge.bundles.versions import compare_versions, is_version
from okf_edge.errors import AlreadyExistsError, BundleError, InputError, NotFoundError, OkfError, UnavailableError
from okf_edge.ports import Clock, FileTree, Progress

NO_VERSION = "0.0.0"
"""The version of a bundle that states none."""


@dataclass(frozen=True, slots=True)
class InstallOptions:
    """How to install.

    `origin` is the file, folder or URL as the user gave it. `bundle_id` and `version` are for bundles that state none.
    `force` allows a downgrade and the loss of local edits, never other bytes under one version. `promised` are digests
    of files from elsewhere; `sha256` is the digest that the archive, or its content, must have. `feed` and `signer`
    name whose signature over this archive was verified, and in which feed.
    """

    origin: str
    bundle_id: str = ""
    version: str = ""
    force: bool = False
    accept_risks: bool = False
    accept_nonconformant: bool = False
    promised: Mapping[str, FileDigest] | None = None
    sha256: str = ""
    feed: str = ""
    signer: str = ""


@dataclass(frozen=True, slots=True)
class Installation:
    """What an installation did. `notes` say in words what the user should know, e.g. that the index was built here."""

    bundle: InstalledBundle
    outcome: Literal["installed", "updated", "repaired", "unchanged"]
    notes: tuple[str, ...] = ()


async def install(
    base: FileTree, contents: Contents, options: InstallOptions, *, clock: Clock, indexer: Indexer | None,
    progress: Progress,
) -> Installation:  # fmt: skip
    """Install a bundle into `Library/<id>/`.

    Raises: BundleError and its kinds: it was refused. StateFileError. UnavailableError: disk full, busy.
    Nothing that was there has changed then.
    """
    progress.step("verify", 0, 3)
    verified = await verify(contents, options.promised)
    require_digest(options.sha256, contents, verified)
    require_sound(verified, accept_risks=options.accept_risks, accept_nonconformant=options.accept_nonconformant)
    identity = _identity(verified, options)
    bundles = (await read_registry(base)).bundles
    current = bundles.get(identity.id)
    if current and _same(current, identity) and not await edits_of(base, current):
        return Installation(current, "unchanged")
    await _require_allowed(base, current, identity, options.force)
    progress.step("copy", 1, 3)
    staged = await _stage(base, contents, verified, identity, options, clock, indexer)
    progress.step("register", 2, 3)
    forced = await _forced(base, current, identity)
    staged, outcome = await _commit(base, staged, options.force, clock)
    progress.step("done", 3, 3)
    notes = (*verified.notes, *staged.notes, *_look_alikes(identity.id, bundles), *forced)
    return Installation(staged.bundle, outcome, notes)


async def uninstall(base: FileTree, bundle_id: str, *, clock: Clock, force: bool = False) -> InstalledBundle:
    """Remove a bundle and its folder. On a full disk what can be made again goes first, so that there is room to do it.

    Raises: NotFoundError: no such bundle. BundleError (`local-edits`): files in it were edited or added.
    """
    try:
        return await _uninstall(base, bundle_id, clock, force)
    except UnavailableError as error:
        if error.code != "disk-full":
            raise
    await _make_room(base, bundle_id, force)
    return await _uninstall(base, bundle_id, clock, force)


async def _uninstall(base: FileTree, bundle_id: str, clock: Clock, force: bool) -> InstalledBundle:
    async with hold_lock(base, clock):
        await repair(base)
        registry = await read_registry(base)
        if bundle_id not in registry.bundles:
            raise NotFoundError(
                f"expected an installed bundle, found none called {bundle_id!r}",
                hint=f"Installed: {', '.join(registry.bundles) or 'none'}.",
            )
        bundle = registry.bundles[bundle_id]
        await _require_no_loss(base, bundle, force)
        await carry_out(base, Swap(bundle_id))
    return bundle


async def _make_room(base: FileTree, bundle_id: str, force: bool) -> None:
    """Remove of a bundle that is to go what no person wrote: the version before it, and the index."""
    bundle = (await read_registry(base)).bundles.get(bundle_id)
    if bundle:
        await _require_no_loss(base, bundle, force)
        for path in (bundle.kept_path, f"{bundle.path}/{INDEX_FILE}"):
            with suppress(OkfError):
                await base.remove(path)


async def rollback(base: FileTree, bundle_id: str, *, clock: Clock, force: bool = False) -> InstalledBundle:
    """Go back to the version that the present one replaced; that one is kept, so a second rollback undoes the first.

    Raises: NotFoundError (`no-previous`): none is kept. BundleError (`local-edits`): files were edited or added.
    """
    async with hold_lock(base, clock):
        await repair(base)
        registry = await read_registry(base)
        current = registry.bundles.get(bundle_id)
        if current is None or current.previous is None:
            raise NotFoundError(
                f"expected an earlier version of {bundle_id}, found none that is kept",
                code="no-previous",
                hint="Only an update keeps the version that it replaced.",
            )
        await _require_no_loss(base, current, force)
        wanted = replace(current.previous, previous=replace(current, previous=None))
        stage = await _copied(base, current.kept_path)
        await carry_out(base, Swap(bundle_id, wanted, stage, keeps=True))
    return wanted


async def _copied(base: FileTree, folder: str) -> str:
    """A stage with a copy of a folder: until the swap is done, the kept version stays where it is."""
    stage = await base.stage()
    try:
        for path in await files_below(base, folder):
            await base.write(f"{stage}/{path}", await base.read(f"{folder}/{path}"))
    except OkfError:
        with suppress(OkfError):
            await base.remove(stage)
        raise
    return stage


async def recover(base: FileTree, clock: Clock) -> None:
    """Finish or undo what a killed process left half done; for every command that reads bundles.

    Costs one look when there is nothing to do, and waits for nobody: when another process holds the lock, it is at
    work, or was killed a moment ago. Where nothing can be written now, who only reads goes on with what is there.
    """
    if "swap.json" in await files_below(base, ".okf"):
        with suppress(UnavailableError):
            async with hold_lock(base, clock, wait=False):
                await repair(base)


@dataclass(frozen=True, slots=True)
class _Staged:
    folder: str
    bundle: InstalledBundle
    notes: tuple[str, ...]


def _identity(verified: Verified, options: InstallOptions) -> InstalledBundle:
    """The registry entry as far as the contents tell it."""
    bundle_id, version, title = _named(verified, options)
    if problems := problems_of_bundle_id(bundle_id):
        raise InputError(problems[0], code="bad-bundle-id", hint="Give one: --id creator.name")
    return InstalledBundle(
        bundle_id, version, title, verified.kind, _as_text(options.origin), "", verified.content_digest, "",
        "valid" if options.signer else verified.signature, feed=options.feed, signer=options.signer,
    )  # fmt: skip


def _named(verified: Verified, options: InstallOptions) -> tuple[str, str, str]:
    """Id, version and title. What a bundle states is not overridden: two names for one bundle can't be told apart."""
    if verified.manifest:
        return verified.manifest.id, verified.manifest.version, verified.manifest.title
    if verified.knowlery:
        stated = verified.knowlery
        bundle_id = derive_bundle_id("knowlery", stated.id) if problems_of_bundle_id(stated.id) else stated.id
        return bundle_id, stated.version if is_version(stated.version) else NO_VERSION, stated.title
    title = _last_name(options.origin)
    return options.bundle_id or derive_bundle_id("local", title), options.version or NO_VERSION, title


def _look_alikes(bundle_id: str, others: Iterable[str]) -> list[str]:
    key = confusable_key(bundle_id)
    return [
        f"its id looks like that of {other}, which is another bundle"
        for other in others
        if other != bundle_id and confusable_key(other) == key
    ]


def _as_text(origin: str) -> str:
    """The origin as a registry can keep it: a path may be no Unicode."""
    return origin.encode(errors="replace").decode()


def _last_name(origin: str) -> str:
    name = origin.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return name.removesuffix(".zip").removesuffix(".okf") or "bundle"


def _same(current: InstalledBundle, new: InstalledBundle) -> bool:
    return (current.version, current.content_digest, current.kind) == (new.version, new.content_digest, new.kind)


async def _require_allowed(base: FileTree, current: InstalledBundle | None, new: InstalledBundle, force: bool) -> None:
    """Decide by what is installed. Raises BundleError, AlreadyExistsError."""
    if current is None:
        if await _has_folder(base, new.path):
            raise AlreadyExistsError(
                f"expected no folder {new.path}, found one that no bundle owns",
                hint="Move it away, then install again.",
            )
        return
    order = compare_versions(new.version, current.version)
    if order == 0 and new.content_digest != current.content_digest and NO_VERSION not in (new.version, current.version):
        raise BundleError(
            f"expected version {new.version} of {new.id} with the content that is installed, found another content",
            code="version-conflict",
            hint="A version never changes. Uninstall the bundle first if you trust this one more.",
        )
    if order < 0 and not force:
        raise BundleError(
            f"expected {new.id} {current.version} or newer, found {new.version}", code="downgrade", hint="Use --force."
        )
    await _require_no_loss(base, current, force)


async def _require_no_loss(base: FileTree, bundle: InstalledBundle, force: bool) -> None:
    lost = would_be_lost(await edits_of(base, bundle))
    if lost and not force:
        raise BundleError(
            f"expected {bundle.path} as it was installed, found {len(lost)} local edits: {lost[0]}",
            code="local-edits",
            hint="Move your notes out of Library/, or use --force to lose them.",
            issues=[str(edit) for edit in lost],
        )


async def _forced(base: FileTree, current: InstalledBundle | None, new: InstalledBundle) -> tuple[str, ...]:
    """What was only allowed because it was forced, in words."""
    if current is None:
        return ()
    told = []
    if compare_versions(new.version, current.version) < 0:
        told.append(f"forced: went back from {current.version} to {new.version}")
    if lost := would_be_lost(await edits_of(base, current)):
        kept = f"; they lie in {current.kept_path}" if current.version != new.version else ""
        told.append(f"forced: {len(lost)} local edits were replaced{kept}: {', '.join(map(str, lost[:5]))}")
    return tuple(told)


async def _has_folder(base: FileTree, folder: str) -> bool:
    return bool(await files_below(base, folder))


async def _stage(
    base: FileTree, contents: Contents, verified: Verified, identity: InstalledBundle, options: InstallOptions,
    clock: Clock, indexer: Indexer | None,
) -> _Staged:  # fmt: skip
    folder = await base.stage()
    try:
        left_out = await _copy(base, contents, verified, folder)
        index, origin, notes = await _place_index(base, contents, verified, folder, indexer)
        manifest = await _place_manifest(base, contents, verified, identity, folder, index)
    except OkfError:
        with suppress(OkfError):
            await base.remove(folder)
        raise
    if left_out:
        notes = (*notes, f"{len(left_out)} files that a program could run were not installed: {', '.join(left_out)}")
    bundle = replace(
        identity, installed_at=_instant(clock.now()), manifest_sha256=digest_of(manifest).sha256, index_origin=origin,
        index=index, left_out=(*verified.left_out, *left_out),
    )  # fmt: skip
    return _Staged(folder, bundle, notes)


async def _copy(base: FileTree, contents: Contents, verified: Verified, folder: str) -> tuple[str, ...]:
    """Write every file but the index and what a program could run; return the latter."""
    left_out = []
    for path, digest in verified.digests.items():
        if path == INDEX_FILE:
            continue
        data = await contents.read(path)
        if digest_of(data) != digest:
            raise BundleError(f"expected {path!r} as it was verified, found it changed", code="hash-mismatch")
        if active_content(path, data):
            left_out.append(path)
        else:
            await base.write(f"{folder}/{path}", data)
    return tuple(left_out)


async def _place_index(
    base: FileTree, contents: Contents, verified: Verified, folder: str, indexer: Indexer | None
) -> tuple[IndexInfo | None, IndexOrigin, tuple[str, ...]]:
    """Take the shipped index as it is when it can be read here, else build one, and say so."""
    shipped = verified.manifest.index if verified.manifest else None
    target = f"{folder}/{INDEX_FILE}"
    if shipped and (indexer is None or indexer.reads(shipped)):
        await base.write(target, await contents.read(shipped.path))
        return shipped, "shipped", ()
    if indexer is None:
        return None, "none", ("no index: it is built at the first question",)
    built = await indexer.build(await contents.markdown())
    await base.write(target, built.data)
    reason = f"its index has schema {shipped.schema} and pipeline {shipped.pipeline}" if shipped else "it had no index"
    return built.info(), "built", (f"the index was built here: {reason}",)


async def _place_manifest(
    base: FileTree, contents: Contents, verified: Verified, identity: InstalledBundle, folder: str,
    index: IndexInfo | None,
) -> bytes:  # fmt: skip
    """The manifest in the folder: the bundle's own, or for other bundles one that we write, to find edits by."""
    if verified.manifest:
        return await contents.read(MANIFEST)
    digests = dict(verified.digests)
    if index:
        digests[INDEX_FILE] = FileDigest(index.bytes, index.sha256)
    stated = verified.knowlery
    manifest = Manifest(
        id=identity.id, version=identity.version, title=identity.title, content_digest=content_digest(digests),
        files=listed_files(digests), index=index, generator=f"okf-edge/{__version__}",
        creator=stated.creator if stated else Creator(), licence=stated.licence if stated else "",
        created=stated.released_at if stated else "",
    )  # fmt: skip
    data = write_manifest(manifest)
    await base.write(f"{folder}/{MANIFEST}", data)
    return data


def _outcome(current: InstalledBundle | None, new: InstalledBundle) -> Literal["installed", "updated", "repaired"]:
    if current is None:
        return "installed"
    return "repaired" if _same(current, new) else "updated"


def _with_previous(bundle: InstalledBundle, current: InstalledBundle | None, outcome: str) -> InstalledBundle:
    """The new entry with what a rollback goes back to; a repair keeps what there was."""
    if current is None or outcome == "repaired":
        return replace(bundle, previous=current.previous if current else None)
    return replace(bundle, previous=replace(current, previous=None))


async def _commit(
    base: FileTree, staged: _Staged, force: bool, clock: Clock
) -> tuple[_Staged, Literal["installed", "updated", "repaired"]]:
    """Move the staged folder into place, having decided again under the lock by what is there now."""
    bundle = staged.bundle
    try:
        async with hold_lock(base, clock):
            await repair(base)
            current = (await read_registry(base)).bundles.get(bundle.id)
            await _require_allowed(base, current, bundle, force)
            outcome = _outcome(current, bundle)
            bundle = _with_previous(bundle, current, outcome)
            await carry_out(base, Swap(bundle.id, bundle, staged.folder, keeps=outcome == "updated"))
    except OkfError:
        await discard(base, staged.folder)
        raise
    return replace(staged, bundle=bundle), outcome


def _instant(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
