"""What an operator hands over: the keys that sign online, whole or not at all, and models by their digest."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from okf_edge.embedding.models import MODELS
from okf_edge.errors import InputError, NotFoundError
from okf_edge.feed.publish import create_feed
from okf_edge.feed.writer import Writer
from okf_edge.inmemory.blobs import MemoryBlobs
from okf_edge.inmemory.system import DEFAULT_NOW
from okf_edge_infra import operate
from okf_edge_infra.operate import online_keys, put_models
from okf_edge_native.keyring import FileKeyring
from tests.feed_kit import VERIFIER

END = "-----END PRIVATE KEY-----\n"


def feed_with_keys(home: Path, passphrase: str = "") -> tuple[MemoryBlobs, Path]:
    store = MemoryBlobs()
    keyring = FileKeyring(protect=lambda name: passphrase, unlock=lambda name: passphrase)
    asyncio.run(create_feed(Writer(store, keyring, VERIFIER), 1, 1, DEFAULT_NOW))
    return store, home / ".config/okf/keys"


async def told_by(store: MemoryBlobs) -> list[str]:
    return [line async for line in put_models(store)]


def test_the_two_online_keys_are_handed_over_and_not_the_offline_one(home: Path) -> None:
    store, folder = feed_with_keys(home)
    handed = asyncio.run(online_keys(store, folder)).split(END)[:-1]
    kept = [path.read_text() for path in folder.glob("*.pem")]
    assert (len(handed), len(kept)) == (2, 3)
    assert all(f"{each}{END}" in kept for each in handed)


def test_a_key_with_a_passphrase_needs_it(home: Path, monkeypatch) -> None:
    store, folder = feed_with_keys(home, "tide and time")
    with pytest.raises(InputError) as caught:
        asyncio.run(online_keys(store, folder))
    assert caught.value.code == "key-locked"
    monkeypatch.setenv("OKF_KEY_PASSPHRASE", "tide and time")
    assert asyncio.run(online_keys(store, folder)).count(END) == 2


def test_where_the_keys_are_not_the_error_says_where_they_may_be(home: Path, tmp_path: Path) -> None:
    store, _ = feed_with_keys(home)
    with pytest.raises(NotFoundError) as caught:
        asyncio.run(online_keys(store, tmp_path))
    assert "where the feed was made" in caught.value.hint


def test_private_keys_never_go_to_a_terminal(home: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert operate.main(["keys", str(home / "nowhere")]) == 1
    assert "found a terminal" in capsys.readouterr().err


async def test_models_lie_under_their_digests_and_are_put_once(models, monkeypatch) -> None:
    monkeypatch.setattr(operate, "shelf", lambda: models)
    store = MemoryBlobs()
    told = [await told_by(store) for _ in range(2)]
    assert told[0] == told[1]
    stored = {stat.key: stat.bytes for stat in await store.list("models/")}
    assert stored == {f"models/{file.sha256}": file.bytes for model in MODELS for file in model.files}


async def test_a_model_that_is_not_at_hand_is_told() -> None:
    assert all("okf model build" in line for line in await told_by(MemoryBlobs()))
