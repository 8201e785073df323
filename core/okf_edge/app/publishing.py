"""Publishing a bundle to a feed: verified, scanned, told apart from what is there, agreed to, then written.

Rules:
1. What was exported with `--local` is refused: a knowledge base leaves by its review.
2. An archive that came from elsewhere is checked as if a stranger had sent it; one that was exported just now was.
3. Where everybody can read, a person agrees, and every risk is accepted again for this target.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from okf_edge.app.choosing import require_distinct
from okf_edge.bundles.contents import open_zip
from okf_edge.bundles.digest import DERIVED
from okf_edge.bundles.export import Exported
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
from okf_edge.ports import Audience, BlobStore, Clock, Verifier

Consent = Callable[[Sequence[Finding]], Mapping[str, str] | None]
"""Asked when everybody can read a feed: reasons by the id of each risk that may leave all the same, None for no."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a publication did, or a dry run would do. `written` are the names in the store, in the order of writing.

    `unsettled` are risks that a dry run found not yet accepted for readers who can be anybody.
    """

    change: Change
    release: Release
    manifest: Manifest
    pin: str
    written: tuple[str, ...]
    findings: tuple[Finding, ...]
    dry: bool
    audience: Audience = "unknown"
    unsettled: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


def no_consent(risks: Sequence[Finding]) -> None:
    """Nobody was asked."""


class Publisher(NamedTuple):
    """A feed to publish to, and what to sign with. `is_careful`: the store is known to keep conditions of writes.

    `audience` was looked up; `consent` is asked when it is the public.
    """

    store: BlobStore
    keyring: Keyring
    verifier: Verifier
    clock: Clock
    is_careful: bool = False
    audience: Audience = "unknown"
    consent: Consent = no_consent


async def publish_archive(
    to: Publisher, archive: bytes, *, accepted: Mapping[str, str], dry: bool = False
) -> Receipt:  # fmt: skip
    """Publish an archive. Doing it again changes nothing, and finishes what was left half done.

    Raises: BundleError and its kinds: no bundle that may be published. InputError: no key, no such creator, an id that
        is taken for another. PreconditionError: others were first each time.
    """
    manifest, findings = await _checked(archive, accepted)
    unsettled = _agreed(to, findings, accepted, dry)
    receipt = await _send(to, release_from(manifest, archive), manifest, archive, dry=dry)
    return replace(receipt, findings=findings, unsettled=unsettled)


async def publish_exported(
    to: Publisher,
    exported: Exported,
    *,
    accepted: Mapping[str, str],
    dry: bool = False,
    before: Callable[[], Awaitable[None]] | None = None,
) -> Receipt:
    """Publish what was exported just now, by this process, which has verified and scanned it.

    Its index may differ from that of the same content before, so a release of the same content is the same release.

    Args: accepted: what was accepted for this target. before: done once nothing can refuse any more.
    Raises: as `publish_archive`.
    """
    manifest, archive = exported.manifest, exported.archive
    if manifest.local:
        raise _local()
    unsettled = _agreed(to, exported.findings, accepted, dry)
    release = release_from(manifest, archive)
    if before and not dry:
        await _send(to, release, manifest, archive, is_rebuilt=True, dry=True)
        await before()
    receipt = await _send(to, release, manifest, archive, is_rebuilt=True, dry=dry)
    return replace(receipt, findings=exported.findings, unsettled=unsettled, notes=exported.notes)


async def _send(
    to: Publisher, release: Release, manifest: Manifest, archive: bytes, *, is_rebuilt: bool = False, dry: bool
) -> Receipt:
    if not (dry or to.is_careful):
        await require_conditions(to.store)
    journal = WrittenBlobs(to.store, dry=dry)
    known = publish.released(await held_by(journal, to.verifier))
    require_distinct(release.id, (each.id for each in known))
    if is_rebuilt:
        release = next((each for each in known if _is_same(each, release)), release)
    writer = Writer(journal, to.keyring, to.verifier)
    change = await publish.publish(writer, release, archive, to.clock.now())
    written = tuple(journal.written)
    return Receipt(change, release, manifest, await publish.pin_of(writer), written, (), dry, to.audience)


def _agreed(
    to: Publisher, findings: Sequence[Finding], accepted: Mapping[str, str], dry: bool
) -> tuple[Finding, ...]:  # fmt: skip
    """What is not accepted for this target: a dry run tells it, otherwise it is refused.

    Raises: RiskError (`public-target`): everybody can read the feed, and nobody agreed, or not to every risk.
    """
    if to.audience != "public":
        return ()
    unsettled = _without(findings, accepted)
    if dry:
        return unsettled
    reasons = to.consent(unsettled)
    if reasons is None or (unsettled := _without(unsettled, reasons)):
        raise RiskError(
            f"expected a person's consent, since everybody can read this feed; found {len(unsettled)} risks that were"
            " not accepted for it",
            code="public-target",
            hint="Publish with --public, and with --accept ID=REASON for each risk; or make the repository private.",
            issues=[str(finding) for finding in unsettled],
        )
    return ()


def _without(findings: Sequence[Finding], accepted: Mapping[str, str]) -> tuple[Finding, ...]:
    """Risks that nobody has accepted, whether or not they stop an export."""
    return tuple(each for each in findings if each.severity != "info" and not accepted.get(each.id, "").strip())


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
    pin = await publish.pin_of(writer)
    return Receipt(change, release, manifest, pin, tuple(journal.written), findings, False, to.audience)


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
        raise _local()
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


def _local() -> BundleError:
    return BundleError(
        "expected a reviewed bundle, found one that was made with --local",
        code="local-bundle",
        hint="What leaves a knowledge base is reviewed first.",
    )
