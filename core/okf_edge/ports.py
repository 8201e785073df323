"""Everything the core asks of the world, as async protocols.

Rules:
1. Paths are POSIX, relative to the tree's root, spelled exactly as the host spells them (no normalisation).
2. A port owns its error contract: an adapter raises `okf_edge.errors` only, never what its host raised.
3. Every read that comes from outside takes a byte limit.
4. Nothing here decides; adapters hold no policy.

Each protocol has a contract in `okf_edge.contracts` and a reference adapter in `okf_edge.inmemory`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

# --- files -----------------------------------------------------------------------------------------------------------

EntryKind = Literal["file", "link", "other"]


@dataclass(frozen=True, slots=True)
class FileStat:
    """One entry below a tree's root. `link` is any symbolic link, `other` a device, socket or pipe."""

    path: str
    bytes: int
    mtime_ns: int
    kind: EntryKind = "file"


class FileTree(Protocol):
    """A directory that can be read and written, e.g. a vault."""

    async def list(self, enter: Callable[[str], bool] | None = None) -> Sequence[FileStat]:
        """Every entry that is no directory, sorted by path. `enter(directory)` decides which directories are walked.

        Symbolic links are listed with kind `link` and never followed.
        Raises NotFoundError when the root itself does not exist.
        """

    async def stat(self, path: str) -> FileStat:
        """Raises NotFoundError; a directory is not found."""

    async def read(self, path: str, max_bytes: int | None = None) -> bytes:
        """Raises NotFoundError, TooLargeError (before reading more than `max_bytes`), UnavailableError."""

    async def write(self, path: str, data: bytes) -> None:
        """Replace or create atomically: afterwards the file is whole, old or new. Parents are created."""

    async def create(self, path: str, data: bytes) -> None:
        """Create exclusively. Raises AlreadyExistsError and writes nothing when the path exists."""

    async def rename(self, old: str, new: str) -> None:
        """Move a file or directory in one step. Raises AlreadyExistsError when `new` is there; parents are created."""

    async def replace(self, old: str, new: str) -> None:
        """Move a file over another in one step."""

    async def exchange(self, one: str, other: str) -> bool:
        """Swap two directories in one step. False, with nothing changed, on a host that can't; raises NotFoundError."""

    async def remove(self, path: str) -> None:
        """Remove a file, or a directory with all below it; a link is removed, never followed. Raises NotFoundError."""

    async def stage(self) -> str:
        """Path of a fresh, empty, private directory inside the tree, on the same device as its content."""

    def locate(self, path: str) -> str:
        """The address by which the host's SqlEngine opens this file (natively an absolute path)."""


# --- blobs -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Blob:
    data: bytes
    version: str


Audience = Literal["private", "public", "unknown"]
"""Who can read what a store holds: those who were let in, everybody, or nobody knows."""


@dataclass(frozen=True, slots=True)
class BlobStat:
    key: str
    bytes: int
    version: str


class BlobStore(Protocol):
    """A flat store of named bytes that many may write: a directory, S3, a web server (read only), GitHub releases."""

    async def get(self, key: str, max_bytes: int) -> Blob:
        """Raises NotFoundError, TooLargeError (while streaming), UnavailableError."""

    async def head(self, key: str) -> BlobStat:
        """Raises NotFoundError, UnavailableError."""

    async def list(self, prefix: str) -> Sequence[BlobStat]:
        """Sorted by key."""

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        """Write when the current version is `if_version` (None: when the key does not exist); return the new version.

        Raises PreconditionError and writes nothing when somebody else was first.
        """


class HasAudience(Protocol):
    """A store that can be asked who reads it."""

    async def audience(self) -> Audience:
        """Looked up, not assumed. Raises UnavailableError."""


# --- signatures ------------------------------------------------------------------------------------------------------


class Verifier(Protocol):
    def verifies(self, public_key: bytes, signature: bytes, message: bytes) -> bool:
        """Whether an Ed25519 signature was made by the holder of the key. Keys and signatures of wrong form: False."""


class Signer(Protocol):
    """Whoever holds one Ed25519 key, e.g. a file or a device; the key itself is never handed out."""

    @property
    def public_key(self) -> bytes: ...

    async def sign(self, message: bytes) -> bytes:
        """The Ed25519 signature. Raises UnavailableError: the key can't be used now."""


# --- SQL -------------------------------------------------------------------------------------------------------------

Value = str | int | float | bytes | None
Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Vectors:
    """A column of int8 vectors. `data` holds n * dims signed bytes, row by row."""

    dims: int
    data: bytes


Column = Sequence[str | None] | Sequence[int | None] | Sequence[float | None] | array | Vectors  # type: ignore[type-arg]
Dialect = Literal["duckdb", "sqlite"]


class SqlEngine(Protocol):
    """One connection that attaches index files and answers SQL. No extensions, no network, one thread when asked.

    The SQL that the core writes is the common subset of DuckDB and SQLite, except where `dialect` is asked first.
    """

    @property
    def dialect(self) -> Dialect: ...

    async def attach(self, alias: str, tree: FileTree, path: str) -> None:
        """Attach a finished file READ_ONLY. Raises NotFoundError; IndexFileError when it is no database of ours."""

    async def create(self, alias: str, tree: FileTree | None = None, path: str = "", small: bool = False) -> None:
        """Attach a new, empty, writable database: in memory without a tree, else a file that must not exist.

        `small` says that some hundred rows a table are expected, for an engine that lays files out by size.
        """

    async def load(self, alias: str, table: str, columns: Mapping[str, Column]) -> None:
        """Append rows given by column, all of one length, in order, in bulk."""

    async def query(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """Run one statement. `?` marks positional parameters."""

    async def detach(self, alias: str) -> None:
        """Flush a created file and let it go; afterwards it is complete and no side file is left."""

    async def close(self) -> None: ...


# --- embedding -------------------------------------------------------------------------------------------------------

Purpose = Literal["query", "passage"]


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """What identifies an embedder: equal specs give comparable vectors.

    `digest` is the sha256 of the model file. `cosine_mean` and `cosine_sd` are the reference values for small corpora
    (DESIGN section 7). `scripts` are the scripts that it was made for, e.g. ("Latin",) or ("Latin", "Han", "Kana").
    """

    id: str
    digest: str
    dims: int
    max_tokens: int
    cosine_mean: float
    cosine_sd: float
    scripts: tuple[str, ...]


class Embedder(Protocol):
    @property
    def spec(self) -> EmbedderSpec: ...

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> array[float]:
        """Unit vectors. Shapes: n texts -> array('f') of n * dims, row by row. Texts beyond max_tokens are cut."""


class Models(Protocol):
    """The embedders at hand. Loading one is lazy: `spec` costs no model load."""

    async def specs(self) -> Sequence[EmbedderSpec]: ...

    async def embedder(self, model_id: str) -> Embedder:
        """Raises ModelError when the model is absent or damaged."""


# --- time, chance, progress ------------------------------------------------------------------------------------------


class Clock(Protocol):
    def now(self) -> datetime:
        """The present instant, timezone-aware, in UTC."""

    def monotonic(self) -> float:
        """Seconds, for measuring durations only."""


class Entropy(Protocol):
    def token(self, count: int) -> bytes:
        """`count` unpredictable bytes."""


class Progress(Protocol):
    """Told about long work. May raise `asyncio.CancelledError` to stop it between two steps."""

    def step(self, label: str, done: int, total: int | None = None) -> None: ...

    def message(self, text: str) -> None: ...
