"""What a function is configured by: environment variables, read once when it starts.

| variable | for | meaning |
|---------------------------|----------------------------|---------|
| OKF_BUCKET | all | the bucket that holds everything that lasts |
| OKF_FEED_ROOT | all | sha256 of the feed's first root, in hex: whom to believe |
| OKF_SEARCH_FUNCTION | api, search | name or ARN (with alias) of the function `search` |
| OKF_INGEST_FUNCTION | clock | name or ARN of the function `ingest` |
| OKF_TOKENS_PARAMETER | api | SSM SecureString: the JSON of `tokens.json` (hashes only) |
| OKF_AUDIT_KEY_PARAMETER | api | SSM SecureString: 64 hex digits, the key of the audit log |
| OKF_KEYS_PARAMETER | ingest, clock | SSM SecureString: the PEM of the snapshot and timestamp keys |
| OKF_HOSTS | api | more names that the service goes by, comma separated |
| OKF_ORIGINS | api | origins of pages that may call, comma separated |
| OKF_ISSUER | api | set: the OpenID provider whose JWTs are accepted, for OKF_PUBLIC_URL |
| OKF_PUBLIC_URL | api | the address by which tokens name the service, e.g. `https://okf.example.org` |
| OKF_FEED_PUBLIC | api | `true`: the feed is read without a token; default `false` |
| OKF_INBOX_BUCKET | api | set: the tool `capture` exists and keeps notes there |
| OKF_TABLE | api | set: a DynamoDB table shares rate limits and idempotency |
| OKF_UPLOAD_BYTES | api, ingest | largest archive taken; default 67108864 |
| OKF_SHARD_BYTES | search | archive bytes that one environment answers for; default 150000000 |
| OKF_SHARD_SECONDS | search | how long one shard is waited for; default 8 |
| OKF_BELIEVE_SECONDS | api | how long believed metadata is used unasked; default 5 |
| OKF_REREAD_SECONDS | api, ingest, clock | how soon a revoked token or rotated key counts; default 10 |
| OKF_STORE_SECONDS | all | how long S3 and SSM may be silent, twice; default 8 |
| OKF_MODELS | search, ingest | ids of models in the bucket; default `minilm-l6,e5-small-cjk` |
| OKF_CACHE | search, api, ingest | folder for what can be fetched again; default `/tmp/okf` |
| OKF_CACHE_BYTES | search, api, ingest | how much of it; default 400000000 (/tmp has 512 MB) |
| OKF_WARN_DAYS | clock | warn so many days before offline metadata ends; default 30 |

What AWS itself sets or boto3 reads (AWS_REGION, AWS_ENDPOINT_URL_S3, …) is not repeated here. Logs, metrics and traces
follow POWERTOOLS_SERVICE_NAME, POWERTOOLS_METRICS_NAMESPACE (`okf-edge`) and POWERTOOLS_LOG_LEVEL.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from okf_edge.errors import InputError


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one function; what it does not need may be empty."""

    bucket: str = ""
    feed_root: str = ""
    search_function: str = ""
    ingest_function: str = ""
    tokens_parameter: str = ""
    audit_key_parameter: str = ""
    keys_parameter: str = ""
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    issuer: str = ""
    public_url: str = ""
    feed_public: bool = False
    inbox_bucket: str = ""
    table: str = ""
    upload_bytes: int = 64 * 1024 * 1024
    shard_bytes: int = 150_000_000
    shard_seconds: float = 8.0
    believe_seconds: float = 5.0
    reread_seconds: int = 10
    store_seconds: float = 8.0
    models: tuple[str, ...] = ("minilm-l6", "e5-small-cjk")
    cache: str = "/tmp/okf"
    cache_bytes: int = 400_000_000
    warn_days: int = 30


@cache
def settings() -> Settings:
    """The settings of this environment. Raises InputError: one is not what it must be; all of them at once."""
    return settings_from(os.environ)


def settings_from(environment: Mapping[str, str]) -> Settings:
    read = _Reader(environment)
    default = Settings()
    found = Settings(
        bucket=read.text("OKF_BUCKET"),
        feed_root=read.text("OKF_FEED_ROOT").removeprefix("sha256:"),
        search_function=read.text("OKF_SEARCH_FUNCTION"),
        ingest_function=read.text("OKF_INGEST_FUNCTION"),
        tokens_parameter=read.text("OKF_TOKENS_PARAMETER"),
        audit_key_parameter=read.text("OKF_AUDIT_KEY_PARAMETER"),
        keys_parameter=read.text("OKF_KEYS_PARAMETER"),
        hosts=frozenset(each.lower() for each in read.listed("OKF_HOSTS")),
        origins=frozenset(read.listed("OKF_ORIGINS")),
        issuer=read.text("OKF_ISSUER"),
        public_url=read.text("OKF_PUBLIC_URL").rstrip("/"),
        feed_public=read.text("OKF_FEED_PUBLIC").lower() == "true",
        inbox_bucket=read.text("OKF_INBOX_BUCKET"),
        table=read.text("OKF_TABLE"),
        upload_bytes=int(read.number("OKF_UPLOAD_BYTES", default.upload_bytes)),
        shard_bytes=int(read.number("OKF_SHARD_BYTES", default.shard_bytes)),
        shard_seconds=read.number("OKF_SHARD_SECONDS", default.shard_seconds),
        believe_seconds=read.number("OKF_BELIEVE_SECONDS", default.believe_seconds),
        store_seconds=read.number("OKF_STORE_SECONDS", default.store_seconds),
        reread_seconds=int(read.number("OKF_REREAD_SECONDS", default.reread_seconds)),
        models=read.listed("OKF_MODELS") or default.models,
        cache=read.text("OKF_CACHE") or default.cache,
        cache_bytes=int(read.number("OKF_CACHE_BYTES", default.cache_bytes)),
        warn_days=int(read.number("OKF_WARN_DAYS", default.warn_days)),
    )
    read.require_sound()
    return found


class _Reader:
    """Reads variables, and remembers what is wrong with them."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._issues: list[str] = []

    def text(self, name: str) -> str:
        return self._environment.get(name, "").strip()

    def listed(self, name: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in self.text(name).split(",") if part.strip())

    def number(self, name: str, default: float) -> float:
        text = self.text(name)
        try:
            value = float(text) if text else float(default)
        except ValueError:
            value = -1.0
        if not value >= 0:
            self._issues.append(f"expected a number in {name}, found {text!r}")
        return value

    def require_sound(self) -> None:
        if not self.text("OKF_BUCKET"):
            self._issues.append("expected the name of a bucket in OKF_BUCKET, found none")
        if self._issues:
            raise InputError("; ".join(self._issues), code="bad-settings", issues=self._issues)
