"""The bucket: as `BlobStore`s, and what only a bucket does, e.g. URLs that carry their own permission."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from typing import Any

from okf_edge.errors import DigestMismatchError, NotFoundError, TooLargeError
from okf_edge.limits import LIMITS
from okf_edge.ports import Blob, BlobStat, BlobStore
from okf_edge_lambda import clients, layout
from okf_edge_lambda.settings import settings
from okf_edge_native.s3 import S3Blobs, port_errors

PRESIGNED_SECONDS = 900
REMEMBERED_BYTES = 32 * 1024 * 1024
_ONCE = re.compile(r"metadata/[1-9][0-9]*\.[a-z0-9-]+\.json")


@cache
def bucket() -> S3Blobs:
    return S3Blobs(f"s3://{settings().bucket}", clients.s3())


@cache
def feed() -> BlobStore:
    """The feed's repository."""
    return Remembered(S3Blobs(f"s3://{settings().bucket}/{layout.FEED}", clients.s3()))


def forget() -> None:
    bucket.cache_clear()
    feed.cache_clear()


class Remembered:
    """A feed's store that reads what is written once only once. All names but the timestamp's are."""

    def __init__(self, store: BlobStore) -> None:
        self._store = store
        self._kept: OrderedDict[str, Blob] = OrderedDict()
        self._bytes = 0

    async def get(self, key: str, max_bytes: int) -> Blob:
        kept = self._kept.get(key)
        if kept is None:
            kept = await self._store.get(key, max_bytes)
            self._keep(key, kept)
        else:
            self._kept.move_to_end(key)
        if len(kept.data) > max_bytes:
            raise TooLargeError(f"expected at most {max_bytes} bytes in {key!r}, found {len(kept.data)}")
        return kept

    async def head(self, key: str) -> BlobStat:
        return await self._store.head(key)

    async def list(self, prefix: str) -> Sequence[BlobStat]:
        return await self._store.list(prefix)

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        return await self._store.put(key, data, if_version=if_version)

    def _keep(self, key: str, blob: Blob) -> None:
        if not _ONCE.fullmatch(key):
            return
        self._kept[key] = blob
        self._bytes += len(blob.data)
        while self._bytes > REMEMBERED_BYTES:
            self._bytes -= len(self._kept.popitem(last=False)[1].data)


def presigned_get(key: str) -> str:
    where = {"Bucket": settings().bucket, "Key": key}
    url: str = clients.s3().generate_presigned_url("get_object", Params=where, ExpiresIn=PRESIGNED_SECONDS)
    return url


def presigned_put(key: str, size: int, digest: str) -> tuple[str, dict[str, str]]:
    """A URL that takes exactly these bytes, and the headers to send with them."""
    checksum = b64encode(bytes.fromhex(digest)).decode()
    what = {"Bucket": settings().bucket, "Key": key, "ContentLength": size, "ChecksumSHA256": checksum}
    url = clients.s3().generate_presigned_url("put_object", Params=what, ExpiresIn=PRESIGNED_SECONDS)
    return url, {"content-length": str(size), "x-amz-checksum-sha256": checksum}


async def put_anyway(key: str, data: bytes) -> None:
    """Write whatever is there, for what one writer alone writes."""
    with port_errors(key):
        clients.s3().put_object(Bucket=settings().bucket, Key=key, Body=data)


async def move(key: str, to: str) -> None:
    """Move an object; one that is not there is nothing to move."""
    name = settings().bucket
    with suppress(NotFoundError), port_errors(key):
        clients.s3().copy_object(Bucket=name, Key=to, CopySource={"Bucket": name, "Key": key})
        clients.s3().delete_object(Bucket=name, Key=key)


async def remove(key: str) -> None:
    with suppress(NotFoundError), port_errors(key):
        clients.s3().delete_object(Bucket=settings().bucket, Key=key)


async def download(key: str, place: str, size: int, digest: str) -> None:
    """Fetch an object of known bytes into a new file.

    Raises: NotFoundError, UnavailableError. DigestMismatchError: it is not what was promised; nothing is left.
    """
    try:
        with port_errors(key), open(place, "xb") as file:
            found = clients.s3().get_object(Bucket=settings().bucket, Key=key)
            hashed = _copied(found["Body"], file, size)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(place)
        raise
    if hashed != digest:
        os.unlink(place)
        raise DigestMismatchError(f"expected {key!r} with sha256 {digest[:12]}…, found other bytes")


def _copied(body: Any, file: Any, most: int) -> str:
    """The digest of what was copied; empty when it was more than was promised."""
    hashed, left = sha256(), most
    for part in body.iter_chunks(LIMITS.http_part_bytes * 16):
        left -= len(part)
        if left < 0:
            return ""
        hashed.update(part)
        file.write(part)
    return hashed.hexdigest()
