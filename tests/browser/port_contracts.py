"""Runs in the worker: every contract over the adapters of the browser. The value is JSON: contract -> clause -> fault.

`given` is a dict of what the test passes: `models` are the ids whose embedders are tried.
"""

import json

import okf_edge_bridge

from okf_edge import contracts
from okf_edge.feed.keys import SslibVerifier
from okf_edge.inmemory.sql import SqliteSql
from okf_edge_wasm.bridge import Page
from okf_edge_wasm.files import PageTree
from okf_edge_wasm.models import PageModels, Slot
from okf_edge_wasm.sql import Database, DuckdbWasmSql
from okf_edge_wasm.system import PageProgress, WorkerClock, WorkerEntropy


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

    async def engine_and_tree():
        for alias in list(database.attached):
            database.drop(alias)
        return contracts.EngineAndTree(DuckdbWasmSql(database), await empty_tree())

    async def safe_engine_and_tree():
        return contracts.EngineAndTree(SqliteSql(), await empty_tree())

    found = {
        "FileTree": await contracts.run(contracts.FileTreeContract(), empty_tree),
        "SqlEngine over DuckDB": await contracts.run(contracts.SqlEngineContract(), engine_and_tree),
        "SqlEngine of safe mode": await contracts.run(contracts.SqlEngineContract(), safe_engine_and_tree),
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
