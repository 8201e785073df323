"""Failures of the page as errors of the core, and errors of the core as failures for the page."""

from __future__ import annotations

from typing import Any

from okf_edge.errors import AlreadyExistsError, ModelError, NotFoundError, OkfError, TooLargeError, UnavailableError

_HINTS = {
    "disk-full": "Free some space and try again.",
    "read-only": "Choose a folder that can be written.",
    "permission-denied": "Allow access to the folder and try again.",
}


def error_of(failure: dict[str, Any], service: str, argument: dict[str, Any]) -> OkfError:
    """The error that a failed service stands for."""
    code, message, hint = str(failure["code"]), str(failure["message"]), str(failure.get("hint", ""))
    if code == "not-found":
        return NotFoundError(message, hint=hint)
    if code == "already-exists":
        return AlreadyExistsError(message, hint=hint)
    if code == "too-large":
        return TooLargeError(message, hint=hint)
    if service == "asset":
        return ModelError(message, code=code, hint=hint)
    place = argument.get("path") or argument.get("url") or ""
    return UnavailableError(f"{place}: {message}" if place else message, code=code, hint=hint or _HINTS.get(code, ""))


def failure_of(error: OkfError) -> dict[str, Any]:
    return {"code": error.code, "message": error.message, "hint": error.hint, "issues": list(error.issues)}
