"""The reference adapter of every port: what a port means, without a disk, a network or a real clock."""

from okf_edge.inmemory.blobs import MemoryBlobs
from okf_edge.inmemory.embedding import HashedEmbedder, MemoryModels
from okf_edge.inmemory.files import MemoryTree
from okf_edge.inmemory.progress import RecordedProgress
from okf_edge.inmemory.sql import SqliteSql
from okf_edge.inmemory.system import ManualClock, SeededEntropy

__all__ = [
    "HashedEmbedder",
    "ManualClock",
    "MemoryBlobs",
    "MemoryModels",
    "MemoryTree",
    "RecordedProgress",
    "SeededEntropy",
    "SqliteSql",
]
