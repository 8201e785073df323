"""A token names its caller, or nobody, and tells nobody why not."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from okf_edge.errors import InputError, PolicyError
from okf_edge.inmemory.system import ManualClock, SeededEntropy
from okf_edge.policy.authenticate import Grant, authenticate, new_token

NOW = ManualClock().now()
GRANT = Grant("laptop", frozenset({"read"}), expires=NOW + timedelta(days=1))
SHOWN, KEPT = new_token(GRANT, (), SeededEntropy(), NOW)


def test_a_token_names_its_caller() -> None:
    caller = authenticate(SHOWN, [KEPT], NOW)
    assert (caller.name, caller.scopes, caller.is_local) == ("laptop", frozenset({"read"}), False)


def test_a_token_is_kept_as_a_hash_only() -> None:
    assert SHOWN.rpartition("_")[2] not in repr(KEPT)


@pytest.mark.parametrize(
    ("shown", "kept", "now", "reason"),
    [
        ("", KEPT, NOW, "token-absent"),
        ("okf_00000000_x", KEPT, NOW, "token-unknown"),
        (SHOWN + "x", KEPT, NOW, "token-unknown"),
        (SHOWN[:-1], KEPT, NOW, "token-unknown"),
        ("\udcff", KEPT, NOW, "token-unknown"),
        (KEPT.digest, KEPT, NOW, "token-unknown"),
        (SHOWN, KEPT, NOW + timedelta(days=1), "token-expired"),
        (SHOWN, replace(KEPT, revoked="2026-01-01T00:00:00Z"), NOW, "token-revoked"),
    ],
)
def test_whatever_is_wrong_the_caller_hears_the_same(shown, kept, now, reason) -> None:
    with pytest.raises(PolicyError) as told:
        authenticate(shown, [kept], now)
    assert (told.value.message, told.value.code) == ("expected a valid bearer token", "unauthenticated")
    assert told.value.details == {"reason": reason}


def test_a_name_is_given_once() -> None:
    with pytest.raises(InputError, match="already"):
        new_token(GRANT, [KEPT], SeededEntropy("2"), NOW)
    with pytest.raises(InputError, match="expected a name"):
        new_token(replace(GRANT, name="Lap top"), (), SeededEntropy("2"), NOW)
