"""The whole error tree of okf-edge.

    OkfError
      InputError            what was asked can't be done as asked: a bad argument, an unknown name
        NotFoundError       a path, concept, bundle or key does not exist
        AlreadyExistsError  something is there already and would have been overwritten
      FormatError           content breaks its format; carries every `issue` found, not only the first
        StateFileError      one of our own state files can't be read; it is never replaced by an empty one
        NewerFormatError    written by a later version than this one understands
      BundleError           an archive or a bundle was refused
        ArchiveError        the zip container is hostile or damaged
        DigestMismatchError bytes are not the bytes that were promised
        RiskError           content that must not leave (or enter) without a decision
        FeedError           a feed's metadata can't be trusted; the last good metadata is kept
      StoreError            a port could not do its work
        PreconditionError   a conditional write lost its race
        TooLargeError       more bytes, entries or time than `limits` allow
        UnavailableError    disk full, read-only, no network, no permission
      IndexFileError        an index file is absent, damaged or of another schema
      ModelError            an embedding model is absent, damaged or can't be built
      PolicyError           a call that may not run, or not now; `details` tell a program what to do next

Rules: every error names what was expected and what was found in its message, and what to do in `hint`. `code` is
stable: scripts may match it. Each shell maps errors once, to an exit code, an HTTP status or an MCP error.
Programmer mistakes stay ValueError and TypeError.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar


class OkfError(Exception):
    """Root of everything that okf-edge raises on purpose."""

    default_code: ClassVar[str] = "error"

    def __init__(self, message: str, *, code: str | None = None, hint: str = "", issues: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.hint = hint
        self.issues = tuple(issues)


class InputError(OkfError):
    default_code = "bad-input"


class NotFoundError(InputError):
    default_code = "not-found"


class AlreadyExistsError(InputError):
    default_code = "already-exists"


class FormatError(OkfError):
    default_code = "bad-format"


class StateFileError(FormatError):
    default_code = "state-file-corrupt"


class NewerFormatError(FormatError):
    default_code = "newer-format"


class BundleError(OkfError):
    default_code = "bundle-refused"


class ArchiveError(BundleError):
    """The code is the reason, e.g. `non-regular-entry`, `name-collision`, `trailing-data`, `truncated`."""

    default_code = "bad-archive"


class DigestMismatchError(BundleError):
    default_code = "hash-mismatch"


class RiskError(BundleError):
    default_code = "risk-found"


class FeedError(BundleError):
    """The code is the attack or fault, e.g. `signature-invalid`, `rollback`, `metadata-expired`, `mix-and-match`."""

    default_code = "feed-refused"


class StoreError(OkfError):
    default_code = "store-failed"


class PreconditionError(StoreError):
    default_code = "precondition-failed"


class TooLargeError(StoreError):
    default_code = "too-large"


class UnavailableError(StoreError):
    default_code = "unavailable"


class IndexFileError(OkfError):
    default_code = "index-unusable"


class ModelError(OkfError):
    default_code = "model-unusable"


class PolicyError(OkfError):
    """The code is the stage's finding, e.g. `forbidden`, `throttled`, `confirmation-required`, `outcome-unknown`."""

    default_code = "forbidden"

    def __init__(
        self, message: str, *, code: str | None = None, hint: str = "", details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.details = dict(details or {})
