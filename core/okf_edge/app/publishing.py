"""Publishing a bundle archive to a feed: verified, scanned, told apart from what is there, then written.

Nothing of a knowledge base leaves by this way: what was exported with `--local` is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from okf_edge.app.choosing import require_distinct
from okf_edge.bundles.contents import open_zip
from okf_edge.bundles.digest import DERIVED
from okf_edge.bundles.manifest import Manifest
from okf_edge.bundles.risks import Finding, blocking, scan
from okf_edge.bundles.verify import require_sound, verify
from okf_edge.errors import BundleError, RiskError
from okf_edge.feed import publish
from okf_edge.feed.holding import held_by
from okf_edge.feed.keys import Keyring
from okf_edge.feed.publish import Change
from okf_edge.feed.release import Release
from okf_edge.feed.trusted import creators_of
from okf_edge.feed.writer import Writer, require_conditions
from okf_edge.feed.written import WrittenBlobs
from okf_edge.ports import BlobStore, Clock, Verifier


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a publication did, or a dry run would do. `written` are the names in the store, in the order of writing."""

    change: Change
    release: Release
    pin: str
    written: tuple[str, ...]
    findings: tuple[Finding, ...]
    dry: bool


class Publisher(NamedTuple):
    """A feed to publish to, and what to sign with."""

    store: BlobStore
    keyring: Keyring
    verifier: Verifier
    clock: Clock


async def publish_archive(
    to: Publisher, archive: bytes, *, accepted: Mapping[str, str], is_rebuilt: bool = False, dry: bool = False
) -> Receipt:
    """Publish an archive. Doing it again changes nothing, and finishes what was left half done.

    Args:
        is_rebuilt: the archive was exported just now. Its index may differ from that of the same content before, so a
            release of the same content is the same release.

    Raises: BundleError and its kinds: no bundle that may be published. InputError: no key, no such creator, an id that
        is taken for another. PreconditionError: others were first each time.
    """
    manifest, findings = await _checked(archive, accepted)
    if not dry:
        await require_conditions(to.store)
    journal = WrittenBlobs(to.store, dry=dry)
    release = release_from(manifest, archive)
    known = publish.released(await held_by(journal, to.verifier))
    require_distinct(release.id, (each.id for each in known))
    if is_rebuilt:
        release = next((each for each in known if _is_same(each, release)), release)
    writer = Writer(journal, to.keyring, to.verifier)
    change = await publish.publish(writer, release, archive, to.clock.now())
    return Receipt(change, release, await publish.pin_of(writer), tuple(journal.written), findings, dry)


async def admit_archive(to: Publisher, archive: bytes, metadata: bytes, *, accepted: Mapping[str, str]) -> Receipt:
    """Publish an archive that its creator has signed for elsewhere; it is checked like any other.

    Args: metadata: the next releases of the creator, as they were signed.
    Raises: as `publish_archive`; FeedError: the signed metadata can't be the next.
    """
    manifest, findings = await _checked(archive, accepted)
    release = release_from(manifest, archive)
    journal = WrittenBlobs(to.store)
    require_distinct(release.id, (each.id for each in publish.released(await held_by(journal, to.verifier))))
    writer = Writer(journal, to.keyring, to.verifier)
    change = await publish.admit(writer, release, archive, metadata, to.clock.now())
    return Receipt(change, release, await publish.pin_of(writer), tuple(journal.written), findings, False)


def _is_same(known: Release, release: Release) -> bool:
    return (known.path, known.content_digest) == (release.path, release.content_digest) and not known.yanked


async def let_in(writer: Writer, creator: str, keys: Sequence[bytes], now: datetime) -> Change:
    """Let a creator publish. Raises InputError (`confusable-id`): readers may take the name for another creator's."""
    held = await held_by(writer.store, writer.verifier)
    require_distinct(creator, creators_of(held.targets.signed) if held.targets else ())
    return await publish.add_creator(writer, creator, keys, now)


def release_from(manifest: Manifest, archive: bytes) -> Release:
    """What a feed says of a bundle."""
    return Release(
        id=manifest.id,
        version=manifest.version,
        title=manifest.title,
        bytes=len(archive),
        sha256=sha256(archive).hexdigest(),
        content_digest=manifest.content_digest,
        description=manifest.description,
        licence=manifest.licence,
        dependencies=tuple((each.id, each.version) for each in manifest.dependencies),
    )


async def _checked(archive: bytes, accepted: Mapping[str, str]) -> tuple[Manifest, tuple[Finding, ...]]:
    contents = open_zip(archive)
    verified = await verify(contents)
    manifest = verified.manifest
    if manifest is None:
        raise BundleError(
            f"expected a bundle with our manifest, found a {verified.kind} one",
            code="no-manifest",
            hint="Export it first: okf export.",
        )
    if manifest.local:
        raise BundleError(
            "expected a reviewed bundle, found one that was made with --local",
            code="local-bundle",
            hint="What leaves a knowledge base is reviewed first.",
        )
    require_sound(verified, accept_risks=True, accept_nonconformant=False)
    findings = scan({path: await contents.read(path) for path in contents.sizes if path not in DERIVED})
    if stopping := blocking(findings, accepted):
        raise RiskError(
            f"expected nothing that must not leave, found {len(stopping)}: {stopping[0].kind} in {stopping[0].path}"
            f" line {stopping[0].line}",
            hint="Remove them, or accept each by its id with a reason.",
            issues=[str(finding) for finding in stopping],
        )
    return manifest, findings
