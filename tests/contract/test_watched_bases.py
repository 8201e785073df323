"""A server sees at once which bases there are, however their registry changed."""

from __future__ import annotations

import asyncio
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from okf_edge.errors import StateFileError
from okf_edge.policy.authenticate import Grant
from okf_edge_native import bases, tokens
from okf_edge_native.bases import Watched


async def test_every_change_of_the_registry_is_seen_by_the_next_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OKF_HOME", str(tmp_path))
    watched, place = Watched(), tmp_path / "config/registry.json"

    async def names() -> list[str]:
        return [each.name for each in await watched.registered()]

    def entry(name: str) -> str:
        return json.dumps({"format": 1, "bases": {name: {"path": str(tmp_path)}}})

    assert await names() == await names() == []
    await bases.change(lambda registry: registry.with_base("lab", str(tmp_path)))
    assert await names() == await names() == ["lab"]
    for name in ("pond", "lake", "weir"):  # of one size, within one moment
        place.write_text(entry(name))
        assert await names() == [name]
    os.utime(place, (1, 1))
    assert await names() == await names() == ["weir"]
    place.write_text("{")
    for _ in range(2):
        with pytest.raises(StateFileError):
            await names()
    place.unlink()
    assert await names() == []


def test_changes_at_once_are_all_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OKF_HOME", str(tmp_path))
    names = [f"n{number}" for number in range(8)]

    def both(name: str) -> None:
        asyncio.run(bases.change(lambda registry: registry.with_base(name, f"/{name}")))
        asyncio.run(tokens.create(Grant(name, frozenset({"read"}))))
        asyncio.run(tokens.revoke(name))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(both, names))
    assert sorted(asyncio.run(bases.registry()).bases) == names
    kept = asyncio.run(tokens.read_tokens())
    assert sorted(token.name for token in kept if token.revoked) == names
    assert (tmp_path / "config/tokens.json").stat().st_mode & 0o077 == 0
