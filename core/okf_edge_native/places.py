"""The user's own places: where caches and configuration lie, decided here and nowhere else.

Rules:
1. `OKF_HOME` holds everything when it is set; else the XDG folders, else their defaults below the home directory.
2. A relative value in the environment is ignored, as the XDG specification asks.
3. Nothing is created here, and a process without a home directory gets a clear error only when it needs one.

Source: XDG Base Directory Specification 0.8.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from okf_edge.errors import UnavailableError


def cache_place(environment: Mapping[str, str] = os.environ) -> str:
    """Where what can be made again lies: models, and indexes of folders that can't be written."""
    return _place(environment, "cache", "XDG_CACHE_HOME", _default_cache())


def config_place(environment: Mapping[str, str] = os.environ) -> str:
    """Where a person's choices lie, e.g. the model to use."""
    return _place(environment, "config", "XDG_CONFIG_HOME", ".config")


def state_place(environment: Mapping[str, str] = os.environ) -> str:
    """Where what this device alone keeps lies: the metadata of feeds that it has verified."""
    return _place(environment, "state", "XDG_STATE_HOME", ".local/state")


def _place(environment: Mapping[str, str], name: str, variable: str, below_home: str) -> str:
    own = environment.get("OKF_HOME", "")
    if os.path.isabs(own):
        return f"{own}/{name}"
    shared = environment.get(variable, "")
    if os.path.isabs(shared):
        return f"{shared}/okf"
    return f"{_home(environment)}/{below_home}/okf"


def _default_cache() -> str:
    return "Library/Caches" if sys.platform == "darwin" else ".cache"


def _home(environment: Mapping[str, str]) -> str:
    variable = "USERPROFILE" if sys.platform == "win32" else "HOME"
    home = environment.get(variable, "") or os.path.expanduser("~")
    if not os.path.isabs(home):
        raise UnavailableError(
            "no home directory is known",
            code="no-home",
            hint="Set HOME, or set OKF_HOME to an absolute path of a folder for okf's caches and configuration.",
        )
    return home.rstrip("/\\")
