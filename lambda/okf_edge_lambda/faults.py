"""Errors between functions and on HTTP: the same code and words on every way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from okf_edge import errors
from okf_edge.errors import (
    AlreadyExistsError,
    BundleError,
    FeedError,
    FormatError,
    InputError,
    NotFoundError,
    OkfError,
    PolicyError,
    PreconditionError,
    StoreError,
    TooLargeError,
)

_BY_CODE = {
    "unauthenticated": 401,
    "throttled": 429,
    "version-conflict": 409,
    "precondition-failed": 409,
    "idempotency-in-flight": 409,
    "idempotency-mismatch": 409,
    "outcome-unknown": 409,
    "overflow": 413,
    "no-base": 404,
    "too-slow": 504,
}
_BY_KIND: tuple[tuple[type[OkfError], int], ...] = (
    (NotFoundError, 404),
    (AlreadyExistsError, 409),
    (InputError, 400),
    (FormatError, 400),
    (FeedError, 503),
    (BundleError, 422),
    (PolicyError, 403),
    (PreconditionError, 409),
    (TooLargeError, 413),
    (StoreError, 503),
)


def status_of(error: OkfError) -> int:
    """The HTTP status of an error."""
    if error.code in _BY_CODE:
        return _BY_CODE[error.code]
    return next((status for kind, status in _BY_KIND if isinstance(error, kind)), 503)


def told(error: OkfError) -> dict[str, Any]:
    """The error as JSON. `kind` is its class, for whoever raises it again."""
    return {
        "error": {
            "kind": type(error).__name__,
            "code": error.code,
            "message": error.message,
            "hint": error.hint,
            "issues": list(error.issues),
        }
    }


def raised(what: Mapping[str, Any]) -> OkfError:
    """The error that `told` told; one of a kind that we don't know is an OkfError."""
    kind = getattr(errors, str(what.get("kind")), OkfError)
    kind = kind if isinstance(kind, type) and issubclass(kind, OkfError) else OkfError
    error = kind(str(what.get("message", "")), code=str(what.get("code", "")) or None, hint=str(what.get("hint", "")))
    error.issues = tuple(map(str, what.get("issues", ())))
    return error
