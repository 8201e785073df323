"""What holds for every test: a home of its own, no network but this machine, and a place for whole-loop tests."""

from __future__ import annotations

import ipaddress
import socket
from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ("models_fixture", "seaweed", "tests.e2e.lambda_fixtures")

REPOSITORY = Path(__file__).parents[1]
SHARED = REPOSITORY.parent / "shared"
XDG_FOLDERS = {"CONFIG": ".config", "CACHE": ".cache", "DATA": ".local/share", "STATE": ".local/state"}


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, so that no test reads or writes what belongs to a person."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name, folder in (
        ("CONFIG", ".config"),
        ("CACHE", ".cache"),
        ("DATA", ".local/share"),
        ("STATE", ".local/state"),
    ):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / folder))
    return home


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket to another machine is an error of the test that opens it."""
    connect = socket.socket.connect

    def connect_here(self: socket.socket, address: Any) -> None:
        if self.family in {socket.AF_INET, socket.AF_INET6} and not _is_loopback(address[0]):
            raise AssertionError(f"a test asked the network for {address[0]}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_here)


def _is_loopback(host: str) -> bool:
    return host == "localhost" or ((host[:1].isdigit() or ":" in host) and ipaddress.ip_address(host).is_loopback)


@pytest.fixture
def shared() -> Path:
    """The folder of public corpora beside the checkout, where there is one."""
    if not SHARED.is_dir():
        pytest.skip("needs the public corpora beside the checkout")
    return SHARED
