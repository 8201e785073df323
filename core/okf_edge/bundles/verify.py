"""Proves that the files of a bundle are those that its manifest promises, before any of them is written anywhere.

Every file is unpacked and hashed once, piece by piece. All deviations are reported together; the code of the error is
that of the gravest: other bytes, then a missing file, then one too many.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from okf_edge.bundles.contents import Contents, is_markdown, open_zip
from okf_edge.bundles.digest import KNOWLERY_MANIFEST, MANIFEST, FileDigest, content_digest
from okf_edge.bundles.indexer import Indexer
from okf_edge.bundles.knowlery import KnowleryManifest, problems_of_knowlery, read_knowlery
from okf_edge.bundles.manifest import Manifest, read_manifest
from okf_edge.bundles.registry import BundleKind, Signature
from okf_edge.bundles.texts import TextReport, look_at
from okf_edge.errors import BundleError, DigestMismatchError, InputError, RiskError

_SHA256 = re.compile(r"[0-9a-f]{64}")
_GRAVEST_FIRST = ("hash-mismatch", "missing-file", "extra-file")


class Deviation(NamedTuple):
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Verified:
    """Contents that are what they claim to be.

    `manifest` is None for a bundle of another tool. `signature` is `absent`: a signature is looked for in the feed.
    `texts` tells what was found in the text; it is no reason to refuse by itself: `require_sound` decides.
    """

    kind: BundleKind
    digests: Mapping[str, FileDigest]
    content_digest: str
    manifest: Manifest | None = None
    knowlery: KnowleryManifest | None = None
    signature: Signature = "absent"
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    texts: TextReport = field(default_factory=TextReport)


async def verify_archive(
    data: bytes, *, sha256: str = "", indexer: Indexer | None = None, rebuild: bool = False
) -> Verified:
    """Verify a bundle archive without writing anything.

    Args:
        sha256: the digest that the archive, or its content, must have; empty for any.
        rebuild: also build the index again from the text and compare its rows; needs an `indexer`.

    Raises: ArchiveError, DigestMismatchError, BundleError, FormatError, NewerFormatError.
    """
    contents = open_zip(data)
    verified = await verify(contents)
    require_digest(sha256, contents, verified)
    if rebuild:
        await _require_equal_index(contents, verified, indexer)
    return verified


async def verify(contents: Contents, promised: Mapping[str, FileDigest] | None = None) -> Verified:
    """Verify contents against their own manifest, and against `promised` digests from elsewhere when there are some.

    Raises: DigestMismatchError, BundleError, FormatError, NewerFormatError.
    """
    verified = await verify_files(contents, promised)
    return replace(verified, texts=look_at(await contents.markdown()))


async def verify_files(contents: Contents, promised: Mapping[str, FileDigest] | None = None) -> Verified:
    """As `verify`, for whoever knows the text already: nothing is told of what it holds."""
    digests = {path: await contents.digest(path) for path in contents.sizes}
    if promised is not None:
        _refuse(deviations(digests, promised))
    return await _by_kind(contents, digests)


async def _by_kind(contents: Contents, digests: Mapping[str, FileDigest]) -> Verified:
    if MANIFEST in digests:
        return await _verify_okf(contents, digests)
    if KNOWLERY_MANIFEST in digests:
        return await _verify_knowlery(contents, digests)
    if not any(is_markdown(path) for path in digests):
        raise BundleError("expected a bundle, found no markdown file in it", code="no-concepts")
    return Verified("plain", digests, content_digest(digests), left_out=contents.left_out)


def require_sound(verified: Verified, *, accept_risks: bool, accept_nonconformant: bool) -> None:
    """Decide by what the text holds. Raises BundleError (`not-conformant`), RiskError."""
    texts = verified.texts
    if texts.breaches and not accept_nonconformant:
        raise BundleError(
            f"expected a bundle that conforms to OKF, found {len(texts.breaches)} breaches: {texts.breaches[0]}",
            code="not-conformant",
            hint="Install it all the same with --accept-nonconformant.",
            issues=texts.breaches,
        )
    if texts.risks and not accept_risks:
        first = texts.risks[0]
        raise RiskError(
            f"expected text for readers, found {len(texts.risks)} places that an assistant may take for instructions, "
            f"or that are not seen: {first.kind} in {first.path} line {first.line}",
            hint="Read them; then install with --accept-risks if they are harmless.",
            issues=[str(finding) for finding in texts.risks],
        )


def deviations(found: Mapping[str, FileDigest], promised: Mapping[str, FileDigest]) -> list[Deviation]:
    """Where files differ from what was promised of them."""
    told = [
        Deviation("hash-mismatch", f"{path}: expected {_shown(promised[path])}, found {_shown(found[path])}")
        for path in sorted(found.keys() & promised.keys())
        if found[path] != promised[path]
    ]
    told += [Deviation("missing-file", f"{path}: promised and not there") for path in sorted(promised.keys() - found)]
    told += [Deviation("extra-file", f"{path}: there and not promised") for path in sorted(found.keys() - promised)]
    return told


def require_digest(wanted: str, contents: Contents, verified: Verified) -> None:
    """Check what was fetched against a digest that the user gave: of the archive's bytes, or of its content.

    The content's digest holds for every archive and folder of the same files, whatever packed them.

    Raises: DigestMismatchError, InputError.
    """
    if not wanted:
        return
    digest = wanted.removeprefix("sha256:").removeprefix("sha256-").lower()
    if not _SHA256.fullmatch(digest):
        raise InputError(f"expected sha256: and 64 hex digits, found {wanted!r}", code="bad-digest")
    if digest not in (contents.archive_sha256, verified.content_digest):
        raise DigestMismatchError(
            f"expected sha256 {digest}, found {contents.archive_sha256 or 'no'} archive and content"
            f" {verified.content_digest}",
            hint="It is not what was published, or it was damaged on its way: nothing was installed.",
        )


async def _verify_okf(contents: Contents, digests: Mapping[str, FileDigest]) -> Verified:
    manifest = read_manifest(await contents.read(MANIFEST))
    hidden = [Deviation("extra-file", f"{path}: there and not promised") for path in contents.left_out]
    _refuse([*deviations({path: digests[path] for path in digests if path != MANIFEST}, manifest.digests), *hidden])
    return Verified("okf", digests, manifest.content_digest, manifest)


async def _verify_knowlery(contents: Contents, digests: Mapping[str, FileDigest]) -> Verified:
    manifest = read_knowlery(await contents.read(KNOWLERY_MANIFEST))
    _refuse([Deviation(*each) for each in problems_of_knowlery(manifest, await contents.markdown(), digests)])
    return Verified(
        "knowlery", digests, content_digest(digests), knowlery=manifest, left_out=contents.left_out,
        notes=("made by Knowlery: its content hash was verified",),
    )  # fmt: skip


def _refuse(found: Sequence[Deviation]) -> None:
    if not found:
        return
    gravest = next(code for code in _GRAVEST_FIRST if any(each.code == code for each in found))
    kind = DigestMismatchError if gravest == "hash-mismatch" else BundleError
    raise kind(
        f"expected the files that the manifest promises, found {len(found)} deviations: {found[0].message}",
        code=gravest,
        hint="The bundle was changed after it was made. Get it again from its publisher.",
        issues=[each.message for each in found],
    )


async def _require_equal_index(contents: Contents, verified: Verified, indexer: Indexer | None) -> None:
    info = verified.manifest.index if verified.manifest else None
    if info is None:
        raise BundleError("expected a bundle with an index to compare, found none in it", code="no-index")
    if indexer is None or not indexer.reads(info):
        raise BundleError(
            f"expected an index that can be rebuilt here, found schema {info.schema}, pipeline {info.pipeline}",
            code="index-unknown",
            hint="Use the version of okf-edge that wrote it.",
        )
    differences = await indexer.differences(await contents.markdown(), await contents.read(info.path), info)
    if differences:
        raise DigestMismatchError(
            f"expected the index to equal a rebuild, found {len(differences)} differences: {differences[0]}",
            code="index-differs",
            hint="The index was not made from this text; do not use the bundle.",
            issues=differences,
        )


def _shown(digest: FileDigest) -> str:
    return f"{digest.bytes:,} bytes with sha256 {digest.sha256[:12]}…"
