"""Private keys as files: one a key, named by its digest, readable by their owner only.

Rules:
1. They lie in the user's configuration folder, never in a knowledge base; keys that sign once a year may lie in a
   folder of the owner's choice, e.g. on a stick.
2. With a passphrase they are encrypted (PKCS #8); without one the mode 0600 is their protection.
3. A key whose mode lets others read it is refused.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from okf_edge.errors import InputError, UnavailableError
from okf_edge.feed.keys import key_id
from okf_edge.ports import Signer
from okf_edge_native.failures import port_errors
from okf_edge_native.places import config_place

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

Passphrase = Callable[[str], str]
"""Asked for the passphrase of what is named; empty for none."""


class FileSigner:
    """A `Signer` whose key was read from a file."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public_key = key.public_key().public_bytes_raw()

    async def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)


class FileKeyring:
    """A `Keyring` of key files. `offline` is the folder for keys that are taken out once a year."""

    def __init__(self, offline: str = "", *, protect: Passphrase, unlock: Passphrase) -> None:
        self._online = f"{config_place()}/keys"
        self._offline = os.path.abspath(offline) if offline else self._online
        self._protect = protect
        self._unlock = unlock
        self._opened: dict[bytes, FileSigner] = {}

    async def create(self, *, offline: bool = False) -> Signer:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        signer = FileSigner(key := Ed25519PrivateKey.generate())
        folder = self._offline if offline else self._online
        with port_errors(folder):
            os.makedirs(folder, mode=0o700, exist_ok=True)
            _write(f"{folder}/{_name(signer.public_key)}", _encoded(key, self._protect("a new key")))
        self._opened[signer.public_key] = signer
        return signer

    async def signers(self, public_keys: Sequence[bytes]) -> Sequence[Signer]:
        found = [self._opened.get(key) or self._read(key) for key in public_keys]
        return [signer for signer in found if signer]

    def _read(self, public_key: bytes) -> FileSigner | None:
        for folder in dict.fromkeys((self._online, self._offline)):
            path = f"{folder}/{_name(public_key)}"
            if os.path.isfile(path):
                self._opened[public_key] = self._load(path)
                return self._opened[public_key]
        return None

    def _load(self, path: str) -> FileSigner:
        with port_errors(path), open(path, "rb") as file:
            if os.name != "nt" and os.fstat(file.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise UnavailableError(
                    f"expected a key that only its owner can read, found {path}",
                    code="key-exposed",
                    hint="If nobody took it: chmod 600. If somebody may have: rotate it.",
                )
            data = file.read(16_384)
        return FileSigner(self._decoded(path, data))

    def _decoded(self, path: str, data: bytes) -> Ed25519PrivateKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        is_encrypted = b"ENCRYPTED" in data
        passphrase = self._unlock(os.path.basename(path)) if is_encrypted else ""
        try:
            key = load_pem_private_key(data, passphrase.encode() if is_encrypted else None)
        except (ValueError, TypeError) as error:
            raise InputError(
                f"expected a key that the passphrase opens, found another at {path}",
                code="key-locked",
                hint="Set OKF_KEY_PASSPHRASE, or run it on a terminal and type the passphrase.",
            ) from error
        if not isinstance(key, Ed25519PrivateKey):
            raise InputError(f"expected an Ed25519 key, found another kind at {path}", code="bad-key")
        return key


def signer_from(pem: bytes) -> FileSigner:
    """The signer of a key that is not encrypted. Raises InputError: it is none."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(pem, None)
    except (ValueError, TypeError) as error:
        raise InputError("expected a private key in PEM, found something else", code="bad-key") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError("expected an Ed25519 key, found another kind", code="bad-key")
    return FileSigner(key)


def _encoded(key: Ed25519PrivateKey, passphrase: str) -> bytes:
    from cryptography.hazmat.primitives import serialization as form

    lock = form.BestAvailableEncryption(passphrase.encode()) if passphrase else form.NoEncryption()
    return key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, lock)


def _write(path: str, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _name(public_key: bytes) -> str:
    return f"{key_id(public_key)}.pem"
