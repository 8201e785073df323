"""Where what lies in the bucket. Everything but `feed/` is derived, temporary, or told about."""

from __future__ import annotations

from okf_edge.index.schema import SCHEMA_VERSION
from okf_edge.index.tokens import PIPELINE_ID

FEED = "feed"
"""The repository of the feed, as a folder or web server would hold it."""

INCOMING = "incoming/"
REQUEST = "request.json"


def upload_key(upload: str) -> str:
    """Where the archive of a publication is uploaded to."""
    return f"{INCOMING}{upload}/archive.okf.zip"


def intent_key(upload: str) -> str:
    """What step 1 of a publication promised."""
    return f"{INCOMING}{upload}/intent.json"


def request_key(upload: str) -> str:
    """Step 2 of a publication; writing it starts `ingest`."""
    return f"{INCOMING}{upload}/{REQUEST}"


def upload_of(key: str) -> str:
    """The upload whose request a key is; empty when it is none."""
    folder, _, name = key.removeprefix(INCOMING).rpartition("/")
    return folder if key.startswith(INCOMING) and name == REQUEST and "/" not in folder else ""


def outcome_key(upload: str) -> str:
    return f"outcomes/{upload}.json"


def quarantine_key(upload: str, name: str) -> str:
    return f"quarantine/{upload}/{name}"


def served_key(archive_sha256: str, name: str) -> str:
    """The derived form of a release in the format that this version reads: after an upgrade it is made anew."""
    return f"served/{SCHEMA_VERSION}-{PIPELINE_ID}/{archive_sha256}/{name}"


def model_key(sha256: str) -> str:
    return f"models/{sha256}"


def ledger_key(name: str) -> str:
    return f"ledger/{name}.json"
