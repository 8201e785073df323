"""A server sees at once which bases there are, however their registry changed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from okf_edge.errors import StateFileError
from okf_edge_native import bases
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
    await bases.keep((await bases.registry()).with_base("lab", str(tmp_path)))
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
