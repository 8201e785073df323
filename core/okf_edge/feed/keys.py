"""Keys, signatures and thresholds. Ed25519 only: a key of another kind never counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Protocol

from securesystemslib.exceptions import UnverifiedSignatureError

from okf_edge.errors import FeedError, InputError
from okf_edge.feed.metadata import Key, Metadata, Role, Root, Signature, SSlibKey, Targets
from okf_edge.ports import Signer, Verifier

_ED25519 = ("ed25519", "ed25519")
_KEY_BYTES = 32
_HEX = re.compile(r"[0-9a-f]{64}")


class Keyring(Protocol):
    """The private keys that are at hand."""

    async def create(self, *, offline: bool = False) -> Signer:
        """A new key, kept by the ring: beside the others, or where keys are kept that are taken out once a year."""

    async def signers(self, public_keys: Sequence[bytes]) -> Sequence[Signer]:
        """Those of the keys that are at hand, in order. Raises InputError: a key needs a passphrase, or another."""


class SslibVerifier:
    """The `Verifier` of securesystemslib: with `cryptography` where that is installed, else in pure Python."""

    def verifies(self, public_key: bytes, signature: bytes, message: bytes) -> bool:
        if len(public_key) != _KEY_BYTES:
            return False
        try:
            key_of(public_key).verify_signature(Signature(key_id(public_key), signature.hex()), message)
        except UnverifiedSignatureError:
            return False
        return True


def key_of(public_key: bytes) -> SSlibKey:
    return SSlibKey(key_id(public_key), *_ED25519, {"public": public_key.hex()})


def key_id(public_key: bytes) -> str:
    """What a key is called in metadata: the sha256 of its bytes."""
    return sha256(public_key).hexdigest()


def public_key_from(text: str) -> bytes:
    """Raises: InputError: no 64 hex digits."""
    if not _HEX.fullmatch(text.lower()):
        raise InputError(
            f"expected a public key of 64 hex digits, found {text[:80]!r}",
            code="bad-key",
            hint="Its holder prints it with `okf feed key`.",
        )
    return bytes.fromhex(text)


def public_keys(delegator: Root | Targets, role: str) -> dict[str, bytes]:
    """The Ed25519 keys that may sign for a role, by the name that the metadata gives them."""
    delegations = delegator.delegations if isinstance(delegator, Targets) else None
    known = delegator.keys if isinstance(delegator, Root) else delegations.keys if delegations else {}
    found = {name: _public(known.get(name)) for name in role_of(delegator, role).keyids}
    return {name: key for name, key in found.items() if key}


def role_of(delegator: Root | Targets, role: str) -> Role:
    try:
        return delegator.get_delegated_role(role)
    except ValueError as error:
        raise FeedError(f"expected somebody to be trusted for {role!r}, found nobody", code="unknown-role") from error


def require_signed(delegator: Root | Targets, role: str, metadata: Metadata[Any], verifier: Verifier) -> None:
    """Raises: FeedError: fewer distinct keys signed than the delegator asks for (`signature-absent`, `-invalid`)."""
    threshold = role_of(delegator, role).threshold
    valid = signed_by(public_keys(delegator, role), metadata, verifier)
    if len(valid) >= threshold:
        return
    raise FeedError(
        f"expected {role} metadata signed by {threshold} trusted keys, found {len(valid)} valid signatures",
        code="signature-invalid" if metadata.signatures else "signature-absent",
        hint="It is not from whom you trust, or was changed on its way. What you had before stays in force.",
    )


def signed_by(keys: Mapping[str, bytes], metadata: Metadata[Any], verifier: Verifier) -> frozenset[bytes]:
    """Which of the keys signed. One key counts once, under however many names it is listed."""
    message = metadata.signed_bytes
    return frozenset(key for name, key in keys.items() if _has_signed(name, key, metadata, message, verifier))


async def signed(content: Any, signers: Iterable[Signer]) -> Metadata[Any]:
    """The content with a signature of each signer."""
    metadata: Metadata[Any] = Metadata(content)
    for signer in signers:
        name = key_id(signer.public_key)
        metadata.signatures[name] = Signature(name, (await signer.sign(metadata.signed_bytes)).hex())
    return metadata


def _has_signed(name: str, key: bytes, metadata: Metadata[Any], message: bytes, verifier: Verifier) -> bool:
    signature = metadata.signatures.get(name)
    try:
        return signature is not None and verifier.verifies(key, bytes.fromhex(signature.signature), message)
    except ValueError:  # no hex digits
        return False


def _public(key: Key | None) -> bytes | None:
    if key is None or (key.keytype, key.scheme) != _ED25519:
        return None
    text = key.keyval.get("public")
    return bytes.fromhex(text) if isinstance(text, str) and _HEX.fullmatch(text) else None
