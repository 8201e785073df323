"""What calls leave behind on disk: claims and confirmations, the audit log with its key, and the tokens.

Rules:
1. Everything is readable by its owner only. Claims, confirmations and the log lie in the user's state folder, tokens
   (as hashes) in the configuration folder.
2. Processes exclude each other by a lock on a file beside; a lock ends with its process.
3. What is told of a failure names the file, not the place: callers over a network hear it too.
4. A log is only ever appended. Its last line is noted beside it under a seal, which nobody can make for an earlier
   line without the key. After a note that is gone or broken the log goes on, and will never verify again.
"""

from __future__ import annotations

import hmac
import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from hmac import compare_digest
from typing import Any, TypeVar

from okf_edge.errors import StateFileError
from okf_edge.limits import LIMITS
from okf_edge.policy.ledger import Entry
from okf_edge_native.atomic import write_whole
from okf_edge_native.failures import port_errors
from okf_edge_native.locks import locked

T = TypeVar("T")

_TAIL_BYTES = 4096
"""More than a line of the log can have."""

_LOST = b'{"n":0,"mac":"lost"}'
"""In place of the last line where the note of it is gone or broken: no line that follows on it verifies."""


class FileLedger:
    """A `Ledger` of one file a key."""

    def __init__(self, folder: str) -> None:
        self._folder = f"{folder}/calls"
        self._swept = float("-inf")

    async def change(self, key: str, decide: Callable[[Entry | None], tuple[Entry | None, T]]) -> T:
        name = f"{sha256(key.encode()).hexdigest()}.json"
        path = f"{self._folder}/{name}"
        with port_errors(name):
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            self._sweep()
            with locked(f"{self._folder}/lock"):
                entry, told = decide(_entry(path))
                _replace(path, entry)
        return told

    def _sweep(self) -> None:
        """Remove, once a day, what is too old to mean anything."""
        if time.monotonic() - self._swept < LIMITS.idempotency_seconds:
            return
        self._swept = time.monotonic()
        with os.scandir(self._folder) as found:
            for each in found:
                with suppress(FileNotFoundError):  # another process sweeps too
                    if time.time() - each.stat().st_mtime > 2 * LIMITS.idempotency_seconds and each.name != "lock":
                        os.unlink(each.path)


class FileAuditLog:
    """An `AuditLog` of one line a call. The end is read back at each append, since other processes append too.

    Args: key: that of the log.
    """

    def __init__(self, folder: str, key: bytes) -> None:
        self.path = f"{folder}/audit.jsonl"
        self._folder, self._head, self._key = folder, _head_in(folder), key

    async def append(self, extend: Callable[[bytes], bytes]) -> None:
        with port_errors(os.path.basename(self.path)), locked(f"{self._folder}/audit.lock"):
            log = _open(self.path, os.O_RDWR | os.O_APPEND)
            try:
                self._append(log, extend)
            finally:
                os.close(log)

    def _append(self, log: int, extend: Callable[[bytes], bytes]) -> None:
        head = _open(self._head, os.O_RDWR)
        try:
            line = extend(_last(log, _unsealed(os.read(head, _TAIL_BYTES), self._key)))
            os.write(log, line + b"\n")
            _rewrite(head, _sealed(line, self._key))
        finally:
            os.close(head)

    async def lines(self) -> list[bytes]:
        with port_errors(self.path):
            return _read(self.path).splitlines()

    def tail(self, count: int) -> list[bytes]:
        """The last lines, read from the end of the log: it may be large."""
        with port_errors(self.path), suppress(FileNotFoundError), open(self.path, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - count * _TAIL_BYTES))
            return file.read().splitlines()[-count:]
        return []

    async def head(self) -> bytes:
        with port_errors(self._head):
            return _unsealed(_read(self._head), self._key)


def audit_key(folder: str) -> bytes:
    """The key of the audit log; when there is none it is made, and the end of an empty log is noted."""
    path = f"{folder}/audit.key"
    with port_errors(path):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with locked(f"{folder}/audit.lock"):
            if not os.path.exists(path):
                key = os.urandom(32)
                _create(_head_in(folder), _sealed(b"", key))
                _create(path, key)
        return _read(path)


def _head_in(folder: str) -> str:
    return f"{folder}/audit.head"


def _create(path: str, data: bytes) -> None:
    file = _open(path, os.O_WRONLY | os.O_TRUNC)
    try:
        os.write(file, data)
    finally:
        os.close(file)


def _sealed(line: bytes, key: bytes) -> bytes:
    return b"%b %b\n" % (line, _seal(line, key))


def _unsealed(data: bytes, key: bytes) -> bytes:
    """The line that was noted; `_LOST` when nobody with the key noted it."""
    line, _, seal = _first_line(data).rpartition(b" ")
    return line if compare_digest(seal, _seal(line, key)) else _LOST


def _seal(line: bytes, key: bytes) -> bytes:
    return hmac.digest(key, b"the end: " + line, "sha256").hex().encode()


def _last(log: int, head: bytes) -> bytes:
    """The line to go on from: the noted one, or the one after it when a process ended before it could note that."""
    if _ends_with(log, head + b"\n"):
        return head
    tail = _tail(log).rpartition(b"\n")[2]
    return tail if head != tail and _number(tail) == _number(head) + 1 else head


def _ends_with(descriptor: int, end: bytes) -> bool:
    place = os.fstat(descriptor).st_size - len(end)
    return place >= 0 and os.lseek(descriptor, place, os.SEEK_SET) == place and os.read(descriptor, len(end)) == end


def _tail(descriptor: int) -> bytes:
    """The end of a file, without its last newline."""
    os.lseek(descriptor, max(0, os.fstat(descriptor).st_size - _TAIL_BYTES), os.SEEK_SET)
    return os.read(descriptor, _TAIL_BYTES).removesuffix(b"\n")


def _number(line: bytes) -> int:
    try:
        return int(json.loads(line)["n"]) if line else 0
    except (ValueError, TypeError, KeyError, RecursionError):
        return -1


def _entry(path: str) -> Entry | None:
    data = _read(path)
    if not data:
        return None
    try:
        entry: Any = json.loads(data)
    except ValueError:
        entry = None
    if not isinstance(entry, dict):
        raise StateFileError(
            f"{os.path.basename(path)} is not what was written there", hint="Remove it: it tells of one call only."
        )
    return entry


def _replace(path: str, entry: Entry | None) -> None:
    if entry is not None:
        write_whole(path, json.dumps(entry).encode())
        return
    with suppress(FileNotFoundError):
        os.unlink(path)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)


def _first_line(data: bytes) -> bytes:
    return data.partition(b"\n")[0]


def _rewrite(descriptor: int, line: bytes) -> None:
    """Write a line over the one before, in one go: cutting the file first costs more than all else of a call."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, line)
