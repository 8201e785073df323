"""The classes of TUF metadata and of keys, as their packages define them, without what those look for on import.

securesystemslib imports the libraries of every key service that is installed. We sign with files, and a check for
updates would spend most of its time on them.
"""

from __future__ import annotations

import sys

_UNUSED = [name for name in ("boto3", "PyKCS11", "google.cloud.kms", "azure.identity") if name not in sys.modules]
sys.modules.update(dict.fromkeys(_UNUSED))  # type: ignore[arg-type]  # None says: not to be had
try:
    from securesystemslib.signer import Key, Signature, SSlibKey
    from tuf.api.metadata import (
        DelegatedRole,
        Delegations,
        Metadata,
        MetaFile,
        Role,
        Root,
        Signed,
        Snapshot,
        TargetFile,
        Targets,
        Timestamp,
    )
finally:
    for _name in _UNUSED:
        sys.modules.pop(_name, None)

__all__ = [
    "DelegatedRole",
    "Delegations",
    "Key",
    "MetaFile",
    "Metadata",
    "Role",
    "Root",
    "SSlibKey",
    "Signature",
    "Signed",
    "Snapshot",
    "TargetFile",
    "Targets",
    "Timestamp",
]
