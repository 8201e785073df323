"""What the suites take from the host where Python alone has no part: the stripped DuckDB, and Node's Ed25519 keys."""

import asyncio
import functools
import sys
import types

import native_only
import okf_edge_host
import securesystemslib.signer._key as keys
from pyodide.ffi import to_js

from okf_edge_wasm.sql import Database, DuckdbWasmSql

ASYMMETRIC = "cryptography.hazmat.primitives.asymmetric"


class OneDatabase(Database):
    """Who wants a name that another engine of the test holds would wait without an end."""

    async def claim(self, alias):
        if (found := self.attached.get(alias)) and found.held:
            raise RuntimeError(native_only.ONE_DATABASE)


DATABASE = OneDatabase(okf_edge_host.database)


class DuckdbSql(DuckdbWasmSql):
    """In the place of the native engine."""

    def __init__(self, threads=1):
        super().__init__(DATABASE)


def drop_what_a_test_left():
    """All engines share one database: what a test did not close would be in the way of the next."""
    for alias in list(DATABASE.attached):
        DATABASE.drop(alias)
    DATABASE.released = asyncio.Event()


class Ed25519PrivateKey:
    """In the place of that of `cryptography`, which no browser has: tests sign with it, the core only verifies."""

    def __init__(self, seed):
        self._seed = to_js(seed)

    from_private_bytes = classmethod(lambda cls, seed: cls(seed))

    def public_key(self):
        return self

    def public_bytes_raw(self):
        return okf_edge_host.publicKey(self._seed).to_bytes()

    def sign(self, message):
        return okf_edge_host.sign(self._seed, to_js(message)).to_bytes()


def put_in_place():
    """From now on tests that import the native parts get these."""
    keys.checkvalid = functools.cache(keys.checkvalid)  # pure Python is slow, and tests verify the same again and again
    _module("okf_edge_native.duckdb_engine").DuckdbSql = DuckdbSql
    for name in ("cryptography", "cryptography.hazmat", "cryptography.hazmat.primitives", ASYMMETRIC):
        _module(name).__path__ = []
    _module(f"{ASYMMETRIC}.ed25519").Ed25519PrivateKey = Ed25519PrivateKey


def _module(name):
    made = sys.modules[name] = types.ModuleType(name)
    return made
