"""Stage 2, authenticate: a bearer token names its caller. Tokens are kept as hashes only.

Rules:
1. A token is `okf_<id>_<secret>` with 32 random bytes; its hash needs no salt, since nobody can guess it.
2. Every kept token is compared, in constant time, so that the time tells nothing about which one nearly matched.
3. Whatever is wrong with a token, its caller hears the same; only the audit log knows the reason.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from hmac import compare_digest

from okf_edge.errors import InputError, PolicyError
from okf_edge.okf.freshness import format_instant, instant, is_stale
from okf_edge.policy.caller import Caller
from okf_edge.policy.rules import EVERYTHING, PathRules
from okf_edge.ports import Entropy

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_BASE = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9-]+)*")
_ID_BYTES, _SECRET_BYTES = 4, 32


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is kept. `expires` and `revoked` are instants, empty for never."""

    name: str
    id: str
    digest: str
    scopes: frozenset[str]
    created: str
    bases: frozenset[str] | None = None
    rules: PathRules = EVERYTHING
    expires: str = ""
    revoked: str = ""

    @property
    def caller(self) -> Caller:
        return Caller(self.name, self.scopes, self.bases, self.rules)

    def refusal_at(self, now: datetime) -> str:
        """Why it is not accepted; empty when it is."""
        if self.revoked:
            return "token-revoked"
        return "token-expired" if is_stale(instant(self.expires).value, now) else ""


@dataclass(frozen=True, slots=True)
class Grant:
    """What a new token is to allow."""

    name: str
    scopes: frozenset[str]
    bases: frozenset[str] | None = None
    rules: PathRules = EVERYTHING
    expires: datetime | None = None


def new_token(grant: Grant, others: Iterable[Token], entropy: Entropy, now: datetime) -> tuple[str, Token]:
    """A token as its holder gets it, once, and as it is kept.

    Raises: InputError: the name is taken, or none; what it is for can be the name of nothing.
    """
    if not _NAME.fullmatch(grant.name):
        raise InputError(
            f"expected a name of up to 64 of a-z, 0-9, '.', '-' and '_', found {grant.name!r}", code="bad-name"
        )
    if any(each.name == grant.name for each in others):
        raise InputError(
            f"there is a token named {grant.name} already", code="token-exists", hint="Revoke it, or take another name."
        )
    if unmeant := sorted(each for each in grant.bases or () if not _BASE.fullmatch(each)):
        raise InputError(
            f"expected names of bases, or first segments of ids of bundles, found {', '.join(map(repr, unmeant))}",
            code="bad-name",
            hint="e.g. `ada` or `ada.notes`, which has all below it: `ada.notes.harbour`, not `ada.notes-old`.",
        )
    token_id = entropy.token(_ID_BYTES).hex()
    secret = urlsafe_b64encode(entropy.token(_SECRET_BYTES)).decode().rstrip("=")
    shown = f"okf_{token_id}_{secret}"
    expires = format_instant(grant.expires) if grant.expires else ""
    kept = Token(
        grant.name, token_id, digest_of(shown), grant.scopes, format_instant(now), grant.bases, grant.rules, expires
    )
    return shown, kept


def digest_of(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def is_jwt(shown: str) -> bool:
    """Whether a token has the form of those that an issuer signs, which none of ours has."""
    return shown.count(".") == 2


def authenticate(shown: str, tokens: Sequence[Token], now: datetime) -> Caller:
    """The caller whose token it is.

    Raises: PolicyError: it is nobody's, expired or revoked; `details` tell the log which, and must not be shown.
    """
    digest = digest_of(shown)
    found = [token for token in tokens if compare_digest(token.digest, digest)]
    reason = "token-absent" if not shown else found[0].refusal_at(now) if found else "token-unknown"
    if reason:
        raise PolicyError(
            "expected a valid bearer token",
            code="unauthenticated",
            hint="Create one: `okf token create NAME`.",
            details={"reason": reason},
        )
    return found[0].caller
