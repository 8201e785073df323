"""Clients of AWS, made at their first use and forgotten when an environment is restored from a snapshot.

What a snapshot was taken of must hold no connection, credential or randomness: `after_restore` drops it all.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from okf_edge.limits import LIMITS
from okf_edge_lambda.settings import settings

ATTEMPTS = 2
CONNECTIONS = 40
"""As many as one environment works on at once: shards of a question, parts of a file."""


@cache
def s3() -> Any:
    """Signs with the fourth version, for the region's own address: the old one binds neither size nor checksum of an
    upload, and the address for all regions redirects, which breaks a signature."""
    return _client("s3", signature_version="s3v4", s3={"addressing_style": "virtual"})


@cache
def functions() -> Any:
    """Invokes other functions. Retries are ours to decide: a search that is asked twice costs twice."""
    return _client("lambda", attempts=1, seconds=LIMITS.http_silence_seconds)


@cache
def shards(seconds: float) -> Any:
    """Invokes this function again for a part of a question, and gives up after so many seconds."""
    return _client("lambda", attempts=1, seconds=seconds)


@cache
def parameters() -> Any:
    return _client("ssm")


@cache
def secrets() -> Any:
    return _client("secretsmanager")


@cache
def table() -> Any:
    return _client("dynamodb")


def forget() -> None:
    for each in (s3, functions, shards, parameters, secrets, table):
        each.cache_clear()


def _client(service: str, attempts: int = ATTEMPTS, seconds: float = 0.0, **more: Any) -> Any:
    """Args: seconds: how long it may be silent; 0 as is configured: a function has to tell before its own time ends."""
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=min(LIMITS.http_connect_seconds, settings().store_seconds),
        read_timeout=seconds or settings().store_seconds,
        retries={"mode": "standard", "total_max_attempts": attempts},
        max_pool_connections=CONNECTIONS,
        **more,
    )
    return boto3.session.Session().client(service, config=config)
