"""Runs in the worker: every contract over the adapters of the browser. The value is JSON: contract -> clause -> fault.

`given` is a dict of what the test passes: `models` are the ids whose embedders are tried, below `url` lies the seed of
the contract for blobs.
"""

import json

import okf_edge_bridge
from pyodide.ffi import to_js

from okf_edge import contracts
from okf_edge.feed.keys import SslibVerifier
from okf_edge.index.sql import insert_statements
from okf_edge.inmemory.sql import SqliteSql
from okf_edge_wasm.bridge import Page
from okf_edge_wasm.files import PageTree
from okf_edge_wasm.http import PageBlobs
from okf_edge_wasm.models import PageModels, Slot
from okf_edge_wasm.sql import Database, DuckdbWasmSql, _translated, _values
from okf_edge_wasm.system import PageProgress, WorkerClock, WorkerEntropy


class PreparedSql(DuckdbWasmSql):
    """The same engine, with every statement prepared that has parameters which DuckDB-Wasm binds: texts and numbers."""

    async def query(self, sql, parameters=()):
        if not parameters or any(isinstance(each, bytes) for each in parameters):
            return await super().query(sql, parameters)
        return self._prepared(sql, parameters)

    async def load(self, alias, table, columns):
        for statement, parameters in insert_statements(f"{alias}.{table}", columns):
            self._prepared(statement, parameters)

    def _prepared(self, sql, parameters):
        try:
            columns = self._database.bridge.runPrepared(sql, to_js([_number(each) for each in parameters]))
        except Exception as error:
            raise _translated(error) from error
        return list(zip(*map(_values, columns), strict=True))


def _number(value):
    """JavaScript's own number, not a BigInt."""
    return float(value) if isinstance(value, int) else value


async def checked(given):
    page = Page(okf_edge_bridge)
    entropy = WorkerEntropy()
    database = Database(okf_edge_bridge.database)
    slot = Slot(page, okf_edge_bridge.encoder, given["models"])

    async def empty_tree():
        tree = PageTree(page, "spare", entropy)
        for entry in await page.ask("tree.list", {"tree": "spare", "folders": [""]}):
            await page.ask("tree.remove", {"tree": "spare", "path": entry[0]})
        return tree

    async def given_engine(make):
        for alias in list(database.attached):
            database.drop(alias)
        return contracts.EngineAndTree(make(database), await empty_tree())

    async def safe_engine_and_tree():
        return contracts.EngineAndTree(SqliteSql(), await empty_tree())

    found = {
        "FileTree": await contracts.run(contracts.FileTreeContract(), empty_tree),
        "BlobStore": await contracts.run(contracts.BlobReaderContract(), lambda: PageBlobs(page, given["url"])),
        "SqlEngine": await contracts.run(contracts.SqlEngineContract(), lambda: given_engine(DuckdbWasmSql)),
        "SqlEngine, prepared": await contracts.run(contracts.SqlEngineContract(), lambda: given_engine(PreparedSql)),
        "SqlEngine, safe mode": await contracts.run(contracts.SqlEngineContract(), safe_engine_and_tree),
        "Verifier": await contracts.run(contracts.VerifierContract(), SslibVerifier),
        "Clock": await contracts.run(contracts.ClockContract(), WorkerClock),
        "Entropy": await contracts.run(contracts.EntropyContract(), WorkerEntropy),
        "Progress": await contracts.run(contracts.ProgressContract(), lambda: PageProgress(page, 0)),
        "Models": await contracts.run(contracts.ModelsContract(), lambda: PageModels(slot)),
    }
    for model in given["models"]:
        embedder = await PageModels(slot).embedder(model)
        found[f"Embedder {model}"] = await contracts.run(contracts.EmbedderContract(), lambda one=embedder: one)
    return json.dumps(found)
