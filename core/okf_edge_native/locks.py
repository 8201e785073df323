"""One process at a time: a lock on a file beside what is changed, which ends with its process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from okf_edge_native.failures import port_errors
from okf_edge_native.places import config_place


@contextmanager
def locked(path: str, mode: int = 0o600) -> Iterator[None]:
    """Hold the lock of a file; it is free again when the process ends, however it ends.

    Args: mode: who may take it, when the file is new.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), mode)
    try:
        _lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    if os.name == "nt":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)


@contextmanager
def changing(file: str) -> Iterator[None]:
    """Hold the lock of a file in the person's configuration from reading it to writing it: else a change that was made
    in between would be lost."""
    place = config_place()
    with port_errors(file):
        os.makedirs(place, exist_ok=True)
        with locked(f"{place}/{file.removesuffix('.json')}.lock"):
            yield
