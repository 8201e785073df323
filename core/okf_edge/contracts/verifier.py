"""What every `Verifier` must do, by the test vectors of the standard."""

from __future__ import annotations

from okf_edge.contracts.checks import true
from okf_edge.ports import Verifier

VECTORS = (
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe246"
        "55141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb"
        "00d291612bb0c00",
    ),
)
"""Public key, message and signature in hex. Source: RFC 8032, section 7.1."""


class VerifierContract:
    async def the_signatures_of_the_standard_are_valid(self, verifier: Verifier) -> None:
        for key, message, signature in _vectors():
            true(verifier.verifies(key, signature, message), f"expected the signature by {key.hex()[:8]} to be valid")

    async def one_changed_bit_makes_a_signature_invalid(self, verifier: Verifier) -> None:
        for key, message, signature in _vectors():
            for at in (0, 31, 32, 63):
                changed = signature[:at] + bytes([signature[at] ^ 1]) + signature[at + 1 :]
                true(not verifier.verifies(key, changed, message), f"expected a changed byte {at} to be found")
            true(not verifier.verifies(key, signature, message + b"!"), "expected another message to be found")

    async def the_signature_of_another_key_is_invalid(self, verifier: Verifier) -> None:
        (key, _, _), (_, message, signature) = _vectors()
        true(not verifier.verifies(key, signature, message), "expected another key to be found")

    async def what_has_the_wrong_length_is_invalid(self, verifier: Verifier) -> None:
        key, message, signature = _vectors()[0]
        for bad in (b"", key[:31], key + b"\0"):
            true(not verifier.verifies(bad, signature, message), f"expected a key of {len(bad)} bytes to be refused")
        for bad in (b"", signature[:63], signature + b"\0"):
            true(not verifier.verifies(key, bad, message), f"expected a signature of {len(bad)} bytes to be refused")


def _vectors() -> list[tuple[bytes, bytes, bytes]]:
    return [(bytes.fromhex(key), bytes.fromhex(message), bytes.fromhex(signed)) for key, message, signed in VECTORS]
