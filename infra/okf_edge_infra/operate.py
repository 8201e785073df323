"""What an operator does that no command of AWS does: hand the online keys over, and put the models into the bucket.

python -m okf_edge_infra.operate keys s3://BUCKET/feed >online-keys.pem
python -m okf_edge_infra.operate models s3://BUCKET
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from okf_edge.embedding.models import MODELS
from okf_edge.errors import InputError, NotFoundError, OkfError, PreconditionError
from okf_edge.feed.holding import held_by
from okf_edge.feed.keys import SslibVerifier, key_id, public_keys
from okf_edge.feed.names import SNAPSHOT, TIMESTAMP
from okf_edge_native.compose import open_store, shelf, store_address
from okf_edge_native.places import config_place

if TYPE_CHECKING:
    from okf_edge.ports import BlobStore


async def online_keys(store: BlobStore, folder: Path) -> str:
    """The private keys of snapshot and timestamp in PEM, one behind the other, as the functions read them.

    Raises: NotFoundError (`key-absent`): one is not in the folder. InputError (`key-locked`).
    """
    root = (await held_by(store, SslibVerifier())).root.signed
    found = dict.fromkeys(key for role in (SNAPSHOT, TIMESTAMP) for key in public_keys(root, role).values())
    return "".join(_private_pem(folder / f"{key_id(key)}.pem") for key in found)


async def put_models(store: BlobStore) -> AsyncIterator[str]:
    """Put every model that is at hand into the bucket, each file under its digest; what is there already stays."""
    at_hand = shelf()
    for model in MODELS:
        if not at_hand.has(model):
            yield f"{model.id}: not at hand, run `okf model build {model.id}`"
            continue
        for file in model.files:
            with suppress(PreconditionError):
                await store.put(f"models/{file.sha256}", at_hand.read(model, file), if_version=None)
        yield f"{model.id}: {len(model.files)} files, {model.bytes:,} bytes"


def _private_pem(path: Path) -> str:
    from cryptography.hazmat.primitives import serialization as form

    passphrase = os.environ.get("OKF_KEY_PASSPHRASE", "")
    try:
        data = path.read_bytes()
        key = form.load_pem_private_key(data, passphrase.encode() if b"ENCRYPTED" in data else None)
    except FileNotFoundError as error:
        raise NotFoundError(
            f"expected a key of snapshot or timestamp at {path}, found none",
            code="key-absent",
            hint="Run it where the feed was made, or where the role was rotated.",
        ) from error
    except (ValueError, TypeError) as error:
        raise InputError(f"the key at {path} needs OKF_KEY_PASSPHRASE", code="key-locked") from error
    return key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()).decode()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="okf_edge_infra.operate", description=__doc__)
    parser.add_argument("what", choices=["keys", "models"])
    parser.add_argument("address", help="the feed, or the bucket, as s3://bucket/prefix")
    asked = parser.parse_args(arguments)
    try:
        asyncio.run(_keys(asked.address) if asked.what == "keys" else _models(asked.address))
    except OkfError as error:
        print(f"{error.message}\n{error.hint}".strip(), file=sys.stderr)
        return 1
    return 0


async def _keys(address: str) -> None:
    if sys.stdout.isatty():
        raise InputError("expected a file or a pipe for private keys, found a terminal", hint="Add: >online-keys.pem")
    sys.stdout.write(await online_keys(open_store(store_address(address)), Path(config_place()) / "keys"))


async def _models(address: str) -> None:
    async for told in put_models(open_store(store_address(address))):
        print(told)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
