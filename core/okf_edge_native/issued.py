"""Callers whose tokens somebody else issued: JWTs, checked by the keys that their issuer publishes.

Rules:
1. A token counts when its issuer, this server as its audience, its expiry and its subject are there and right, and an
   asymmetric signature holds. What it may is its `scope`, cut to ours; nothing in it widens what the server allows.
2. Keys are found by the issuer's metadata, over https (or on loopback), and kept. They are fetched anew when a token
   names one that is not known, and after an hour; never twice within half a minute, whoever sends what.
3. Whatever is wrong with a token, its caller hears the same; only the log of calls knows the reason.

Source: RFC 8414, RFC 8725, RFC 9068, OpenID Connect Discovery 1.0.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from okf_edge.errors import InputError, OkfError, PolicyError, UnavailableError
from okf_edge.limits import LIMITS
from okf_edge.policy.caller import SCOPES, Caller
from okf_edge.policy.rules import PathRules
from okf_edge.ports import Clock
from okf_edge_native.http import fetch

ALGORITHMS: Mapping[str, tuple[str, ...]] = {
    "RSA": ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    "EC": ("ES256", "ES384", "ES512"),
    "OKP": ("EdDSA",),
}
"""What a key of each kind may have signed with: none of them can be forged by who knows the public key."""

KBS, ALLOW, DENY = "okf_kbs", "okf_allow_paths", "okf_deny_paths"
"""Claims that narrow a token to some bases and pages; lists of texts."""

_WELL_KNOWN = "/.well-known/"
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(slots=True)
class Issuer:
    """Names the caller of a token of one issuer. `audiences` are the names of this server in tokens."""

    url: str
    audiences: Sequence[str]
    clock: Clock
    _keys: Mapping[str, Any] = field(default_factory=dict)
    _fetched: float = float("-inf")
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def ready(self) -> None:
        """Raises: InputError: its address can't be trusted. UnavailableError: PyJWT is absent, or no keys are found."""
        _jwt()
        _require_safe(self.url)
        await self._fetch()

    async def __call__(self, shown: str) -> Caller:
        """Raises: PolicyError: the token does not count. UnavailableError: its keys can't be fetched at present."""
        jwt = _jwt()
        try:
            header = jwt.get_unverified_header(shown)
        except jwt.PyJWTError as error:
            raise _refusal("jwt-malformed") from error
        key = await self._key(str(header.get("kid", "")))
        if header.get("alg") not in ALGORITHMS.get(key.key_type, ()) or "crit" in header:
            raise _refusal("jwt-algorithm")
        try:
            claims = jwt.decode(
                shown,
                key.key,
                algorithms=[header["alg"]],
                audience=list(self.audiences),
                issuer=self.url,
                leeway=LIMITS.clock_skew_seconds,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError) as error:
            raise _refusal(f"jwt-{type(error).__name__}") from error
        return _caller(claims, self.url)

    async def _key(self, name: str) -> Any:
        async with self._lock:
            age = self.clock.monotonic() - self._fetched
            is_known = _pick(self._keys, name) is not None
            if age > LIMITS.keys_seconds or (not is_known and age > LIMITS.keys_pause_seconds):
                await self._refresh()
        key = _pick(self._keys, name)
        if key is None:
            raise _refusal("jwt-key-unknown")
        return key

    async def _refresh(self) -> None:
        """Fetch the keys; those that are known stay in force when the issuer does not answer."""
        try:
            await self._fetch()
        except UnavailableError:
            if not self._keys:
                raise

    async def _fetch(self) -> None:
        self._fetched = self.clock.monotonic()
        try:
            async with asyncio.timeout(LIMITS.keys_fetch_seconds):
                metadata = await self._metadata()
                address = _text(metadata, "jwks_uri")
                _require_safe(address)
                self._keys = _keys(await _object_at(address))
        except (OkfError, TimeoutError) as error:
            raise UnavailableError(
                f"no keys of {self.url}: {error}", code="no-issuer", hint="See whether it answers, and --issuer."
            ) from error

    async def _metadata(self) -> Mapping[str, Any]:
        """What the issuer says of itself. Raises OkfError: nothing, or it is another."""
        parts = urlsplit(self.url)
        root, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
        try:
            found = await _object_at(f"{root}{path}{_WELL_KNOWN}openid-configuration")
        except OkfError:
            found = await _object_at(f"{root}{_WELL_KNOWN}oauth-authorization-server{path}")
        if found.get("issuer") != self.url:
            raise InputError(f"expected the issuer {self.url}, found {str(found.get('issuer'))[:200]!r}")
        return found


def _caller(claims: Mapping[str, Any], issuer: str) -> Caller:
    """Who a token names, and what it may; texts and lists of another form than expected refuse it."""
    subject, scope = claims["sub"], claims.get("scope", claims.get("scp", ""))
    if not (isinstance(subject, str) and subject.isprintable() and 0 < len(subject) <= LIMITS.subject_chars):
        raise _refusal("jwt-subject")
    granted = scope.split() if isinstance(scope, str) else _texts(scope)
    kbs, allow, deny = (claims.get(name) for name in (KBS, ALLOW, DENY))
    try:
        rules = PathRules(None if allow is None else tuple(_texts(allow)), tuple(_texts(deny or [])))
    except InputError as error:
        raise _refusal("jwt-path-rules") from error
    bases = None if kbs is None else frozenset(_texts(kbs))
    return Caller(f"{subject}@{urlsplit(issuer).netloc}", frozenset(granted) & frozenset(SCOPES), bases, rules)


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise _refusal("jwt-claims")
    return value


def _keys(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """The signing keys by their ids; what is no such key is left out."""
    jwt, keys, listed = _jwt(), {}, found.get("keys")
    for number, each in enumerate(listed[: LIMITS.keys_count] if isinstance(listed, list) else ()):
        if not isinstance(each, dict) or each.get("use", "sig") != "sig" or each.get("kty") not in ALGORITHMS:
            continue
        try:
            key = jwt.PyJWK.from_dict(each)
        except (jwt.PyJWTError, ValueError, TypeError, KeyError):
            continue
        keys[str(each.get("kid", f"#{number}"))] = key
    if not keys:
        raise InputError("expected keys that sign, found none")
    return keys


def _pick(keys: Mapping[str, Any], name: str) -> Any:
    """The key of a name; the only one for a token that names none."""
    return keys.get(name) if name else next(iter(keys.values())) if len(keys) == 1 else None


async def _object_at(url: str) -> Mapping[str, Any]:
    try:
        found = json.loads((await fetch(url, LIMITS.keys_bytes)).data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"expected JSON at {url}, found something else") from error
    if not isinstance(found, dict):
        raise InputError(f"expected an object at {url}, found a {type(found).__name__}")
    return found


def _text(found: Mapping[str, Any], name: str) -> str:
    value = found.get(name)
    if not isinstance(value, str):
        raise InputError(f"expected {name} in the issuer's metadata, found none")
    return value


def _require_safe(url: str) -> None:
    parts = urlsplit(url)
    if not parts.hostname or not (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)):
        raise InputError(f"expected an https address, found {url[:200]}", code="not-https", hint="Use https.")


def _refusal(reason: str) -> PolicyError:
    return PolicyError("expected a valid bearer token", code="unauthenticated", details={"reason": reason})


def _jwt() -> Any:
    try:
        import jwt
    except ImportError as error:
        raise UnavailableError(
            "expected the package PyJWT, found none", code="no-pyjwt", hint="Run `pip install 'okf-edge[jwt]'`."
        ) from error
    return jwt
