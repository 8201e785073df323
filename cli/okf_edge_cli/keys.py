"""The keyring of a command, and where its passphrases come from: the environment, or the terminal."""

from __future__ import annotations

import os
import sys
from getpass import getpass

from okf_edge.errors import InputError
from okf_edge_native.keyring import FileKeyring

VARIABLE = "OKF_KEY_PASSPHRASE"


def keyring(folder: str = "", passphrase: bool = False) -> FileKeyring:
    """The keys at hand. New ones get a passphrase when the environment has one, or one was asked for."""
    return FileKeyring(folder, protect=lambda name: _new(name, passphrase), unlock=_known)


def _new(name: str, wanted: bool) -> str:
    given = os.environ.get(VARIABLE, "")
    if given or not wanted:
        return given
    typed = _typed(f"passphrase for {name}: ")
    if not typed or typed != _typed("once more: "):
        raise InputError("expected the same passphrase twice, found another", code="key-locked")
    return typed


def _known(name: str) -> str:
    return os.environ.get(VARIABLE, "") or _typed(f"passphrase of the key {name[:12]}…: ")


def _typed(prompt: str) -> str:
    if not sys.stdin.isatty():
        raise InputError(
            f"expected a passphrase in {VARIABLE}, found none", code="key-locked", hint="Or run it on a terminal."
        )
    return getpass(prompt, stream=sys.stderr)
