"""A bucket of S3, or of anything that speaks its protocol, as a `BlobStore`.

Rules:
1. Every write is conditional. A store that ignores conditions is found out by `feed.writer.require_conditions`.
2. The version of a blob is its ETag: a word to compare, never a digest. What bytes are is told by sha256, elsewhere.
3. Credentials, region and endpoint come from the environment and files that all AWS tools read; OKF_S3_ENDPOINT or
   AWS_ENDPOINT_URL name another server. None of them is ever part of an error.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from okf_edge.errors import InputError, NotFoundError, PreconditionError, TooLargeError, UnavailableError
from okf_edge.limits import LIMITS
from okf_edge.paths import require_relative
from okf_edge.ports import Blob, BlobStat

_ABSENT = frozenset({"404", "NoSuchKey", "NotFound"})
_LOST = frozenset({"412", "PreconditionFailed"})
_CONFLICT = frozenset({"409", "ConditionalRequestConflict", "OperationAborted"})
_CONFLICTS_COUNT = 5
"""How often a write is made again that met another one in flight."""


class S3Blobs:
    """What lies below `s3://bucket/prefix`."""

    def __init__(self, address: str, client: Any = None) -> None:
        parts = urlsplit(address)
        if parts.scheme != "s3" or not parts.netloc:
            raise InputError(f"expected s3://bucket/prefix, found {address!r}", code="bad-url")
        self._bucket = parts.netloc
        self._prefix = f"{parts.path.strip('/')}/" if parts.path.strip("/") else ""
        self._made = client

    async def get(self, key: str, max_bytes: int) -> Blob:
        return await asyncio.to_thread(self._get, key, max_bytes)  # several may be on their way

    def _get(self, key: str, max_bytes: int) -> Blob:
        with port_errors(key):
            found = self._client.get_object(Bucket=self._bucket, Key=self._key(key))
            data = b"" if found["ContentLength"] > max_bytes else found["Body"].read(max_bytes + 1)
        if found["ContentLength"] > max_bytes or len(data) > max_bytes:
            raise TooLargeError(f"expected at most {max_bytes} bytes in {key!r}, found more")
        return Blob(data, found["ETag"])

    async def head(self, key: str) -> BlobStat:
        with port_errors(key):
            found = self._client.head_object(Bucket=self._bucket, Key=self._key(key))
        return BlobStat(key, found["ContentLength"], found["ETag"])

    async def list(self, prefix: str) -> Sequence[BlobStat]:
        with port_errors(prefix):
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=self._prefix + prefix
            )
            found = [each for page in pages for each in page.get("Contents", [])]
        stats = (BlobStat(each["Key"].removeprefix(self._prefix), each["Size"], each["ETag"]) for each in found)
        return sorted(stats, key=lambda stat: stat.key)

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        place = self._key(key)
        condition = {"IfNoneMatch": "*"} if if_version is None else {"IfMatch": if_version}

        def write() -> str:
            done = self._client.put_object(Bucket=self._bucket, Key=place, Body=data, **condition)
            return str(done["ETag"])

        try:
            with port_errors(key):
                return _despite_conflicts(write)
        except NotFoundError as error:  # a condition on what is gone: some say 404, some 412
            raise _lost(key) from error

    @property
    def _client(self) -> Any:
        if self._made is None:
            self._made = _client()
        return self._made

    def _key(self, key: str) -> str:
        return self._prefix + require_relative(key)


def _client() -> Any:
    try:
        import boto3
        from botocore.config import Config
    except ImportError as error:
        raise UnavailableError(
            "expected the package boto3, found none", code="no-boto3", hint="Run `pip install boto3`."
        ) from error
    config = Config(
        connect_timeout=LIMITS.http_connect_seconds,
        read_timeout=LIMITS.http_silence_seconds,
        retries={"mode": "standard", "total_max_attempts": 4},
    )
    return boto3.client("s3", endpoint_url=os.environ.get("OKF_S3_ENDPOINT") or None, config=config)


def _despite_conflicts(write: Callable[[], str]) -> str:
    from botocore.exceptions import ClientError

    for attempt in range(_CONFLICTS_COUNT):
        try:
            return write()
        except ClientError as error:
            if _code(error) not in _CONFLICT or attempt == _CONFLICTS_COUNT - 1:
                raise
    raise AssertionError("unreachable")


@contextmanager
def port_errors(key: str) -> Iterator[None]:
    """Raises: the port's error in place of what the client library raises."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        raise _as_port_error(_code(error), key) from error
    except (BotoCoreError, OSError) as error:
        raise UnavailableError(
            f"no answer from the bucket for {key!r}: {type(error).__name__}",
            hint="Check the endpoint, the region, the credentials and the network.",
        ) from error


def _code(error: Any) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _as_port_error(code: str, key: str) -> Exception:
    if code in _ABSENT:
        return NotFoundError(f"expected a blob {key!r}, found none")
    if code in _LOST or code in _CONFLICT:
        return _lost(key)
    if code == "NoSuchBucket":
        return NotFoundError("expected a bucket, found none of that name", code="no-bucket")
    return UnavailableError(f"the bucket refused {key!r}: {code}", hint="Check the credentials and their permissions.")


def _lost(key: str) -> PreconditionError:
    return PreconditionError(
        f"expected {key!r} as it was read, found that somebody wrote it first", hint="Read again and decide anew."
    )
