"""One contract per port: what every adapter must do, in a form that any host can run.

A contract is a class whose public async methods are its clauses. A clause takes one fresh adapter and raises
AssertionError, explicitly, since bare asserts vanish under `python -O`. There is no pytest here: Pyodide runs
these too, with `run`.
"""

from okf_edge.contracts.blob_store import BlobReaderContract, BlobStoreContract
from okf_edge.contracts.checks import clauses, run
from okf_edge.contracts.embedder import EmbedderContract, ModelsContract
from okf_edge.contracts.file_tree import FileTreeContract
from okf_edge.contracts.sql_engine import EngineAndTree, SqlEngineContract
from okf_edge.contracts.system import ClockContract, EntropyContract, ProgressContract
from okf_edge.contracts.verifier import VerifierContract

__all__ = [
    "BlobReaderContract",
    "BlobStoreContract",
    "ClockContract",
    "EmbedderContract",
    "EngineAndTree",
    "EntropyContract",
    "FileTreeContract",
    "ModelsContract",
    "ProgressContract",
    "SqlEngineContract",
    "VerifierContract",
    "clauses",
    "run",
]
