"""The two steps of a publication as `api` takes them: a promise and an upload, then what the creator signed."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from okf_edge.bundles.names import problems_of_bundle_id
from okf_edge.bundles.versions import parse_version
from okf_edge.errors import BundleError, FeedError, InputError, NotFoundError, PolicyError, TooLargeError
from okf_edge.feed.admitting import changed, next_releases, require_nothing_new
from okf_edge.feed.holding import held_by
from okf_edge.feed.keys import SslibVerifier
from okf_edge.feed.metadata import Targets
from okf_edge.feed.names import creator_of
from okf_edge.feed.release import Release
from okf_edge.feed.trusted import creators_of
from okf_edge.policy.caller import Caller
from okf_edge_lambda import environment, layout, outcomes, store
from okf_edge_lambda.outcomes import Intent, Outcome, Request
from okf_edge_lambda.settings import settings
from okf_edge_native.system import SystemClock

_SHA256 = re.compile(r"[0-9a-f]{64}")
_UPLOAD = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Upload:
    """Where to put an archive, with exactly these headers."""

    upload: str
    url: str
    headers: Mapping[str, str]
    expires_seconds: int


async def begin(
    caller: Caller, bundle_id: str, version: str, sha256: str, size: int, accepted: Mapping[str, str]
) -> Upload | None:
    """Step 1. None: these bytes are published already.

    Raises: PolicyError: not this caller's to publish. InputError, TooLargeError. BundleError (`version-conflict`).
    """
    _require_own(caller, bundle_id)
    _require_well_formed(bundle_id, version, sha256, size)
    creator = creator_of(bundle_id)
    _require_creator(creator, (await environment.believed().now()).targets)
    if await _is_published(bundle_id, version, sha256):
        return None
    upload = secrets.token_hex(16)
    intent = Intent(bundle_id, version, sha256, size, creator, caller.name, dict(accepted))
    await store.put_anyway(layout.intent_key(upload), json.dumps(asdict(intent)).encode())
    url, headers = store.presigned_put(layout.upload_key(upload), size, sha256)
    return Upload(upload, url, headers, store.PRESIGNED_SECONDS)


async def finish(caller: Caller, upload: str, metadata: str) -> None:
    """Step 2.

    Raises: InputError (`precondition-failed`): signed for a version that is taken. PolicyError: more than the caller's
        bundles is changed. NotFoundError.
    """
    intent = await _own_intent(caller, upload)
    await _signed_changes(caller, intent.creator, metadata)
    await outcomes.write_request(upload, Request(intent, metadata))


async def finish_list(caller: Caller, creator: str, metadata: str) -> str:
    """Both steps of what releases nothing: versions withdrawn, or the list signed anew.

    Returns: the name of the publication. Raises: as `finish`; InputError (`release-differs`): it releases something.
    """
    changes = await _signed_changes(caller, creator, metadata, releases=False)
    first = changes[0] if changes else None
    bundle_id, version = (first.id, first.version) if first else (creator, "")
    _require_own(caller, bundle_id)
    upload = secrets.token_hex(16)
    intent = Intent(bundle_id, version, "", 0, creator, caller.name)
    await store.put_anyway(layout.intent_key(upload), json.dumps(asdict(intent)).encode())
    await outcomes.write_request(upload, Request(intent, metadata))
    return upload


async def standing(caller: Caller, upload: str) -> Outcome:
    """How a publication stands. Raises NotFoundError: there is none of that name for this caller."""
    _require_upload(upload)
    blobs = store.bucket()
    settled, _ = await outcomes.read_outcome(blobs, upload)
    if settled is not None and not caller.may_use_bundle(settled.id):
        raise _absent(upload)
    try:
        _, digest = await outcomes.read_request(blobs, upload)
    except NotFoundError:
        if settled is not None:
            return settled
        intent = await _own_intent(caller, upload)
        return Outcome("waiting", intent.creator, intent.id, intent.version)
    if settled is not None and settled.request == digest:
        return settled
    intent = await _own_intent(caller, upload)
    return Outcome("accepted", intent.creator, intent.id, intent.version)


async def _signed_changes(
    caller: Caller, creator: str, metadata: str, *, releases: bool = True
) -> tuple[Release, ...]:  # fmt: skip
    """What a list changes that can be the creator's next, and only of bundles that the caller may use."""
    holding = await held_by(store.feed(), SslibVerifier())
    before = holding.creators.get(creator)
    try:
        _require_creator(creator, holding.targets.signed if holding.targets else None)
        following = next_releases(holding, creator, metadata.encode(), SslibVerifier(), SystemClock().now())
        if not releases:
            require_nothing_new(creator, before or holding.stale.get(creator), following)
    except FeedError as error:
        raise InputError(error.message, code=error.code, hint=error.hint) from error
    found = changed(creator, before, following)
    for each in found:
        _require_own(caller, each.id)
    return found


async def _own_intent(caller: Caller, upload: str) -> Intent:
    _require_upload(upload)
    try:
        intent = await outcomes.read_intent(store.bucket(), upload)
    except NotFoundError as error:
        raise _absent(upload) from error
    if not caller.may_use_bundle(intent.id):
        raise _absent(upload)
    return intent


async def _is_published(bundle_id: str, version: str, sha256: str) -> bool:
    for each in await environment.believed().releases():
        if (each.id, each.version) != (bundle_id, version):
            continue
        if each.sha256 == sha256 and not each.yanked:
            return True
        raise BundleError(
            f"expected {bundle_id} {version} to be new, found it {'withdrawn' if each.yanked else 'published'}",
            code="version-conflict",
            hint="A version never changes. Publish the change under the next version.",
        )
    return False


def _require_creator(creator: str, targets: Targets | None) -> None:
    if targets is None or creator not in creators_of(targets):
        raise InputError(
            f"expected a creator who may publish here, found {creator[:100]!r}",
            code="unknown-creator",
            hint="The feed's owner lets a creator in with `okf feed add-creator`.",
        )


def _require_own(caller: Caller, bundle_id: str) -> None:
    if not caller.may_use_bundle(bundle_id) or caller.rules:
        raise PolicyError(
            f"this token does not publish {bundle_id[:200]!r}", code="forbidden", hint="Ask whoever runs the service."
        )


def _require_well_formed(bundle_id: str, version: str, sha256: str, size: int) -> None:
    parse_version(version)
    issues = list(problems_of_bundle_id(bundle_id))
    if not _SHA256.fullmatch(sha256):
        issues.append("expected 64 lower-case hex digits in sha256")
    if size < 1:
        issues.append(f"expected bytes, found {size}")
    if issues:
        raise InputError("; ".join(issues), code="bad-arguments", issues=issues)
    if size > settings().upload_bytes:
        raise TooLargeError(f"expected an archive of at most {settings().upload_bytes:,} bytes, found {size:,}")


def _require_upload(upload: str) -> None:
    if not _UPLOAD.fullmatch(upload):
        raise _absent(upload)


def _absent(upload: str) -> NotFoundError:
    return NotFoundError(f"no publication is called {upload[:40]!r}", code="no-upload", hint="Begin it again.")
