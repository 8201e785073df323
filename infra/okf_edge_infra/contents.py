"""What each package of the service carries: whose code, which dependencies, and what of them is left out, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
"""The checkout."""

PYTHON: Final = "3.13"
MEGABYTE: Final = 1_000_000

OURS: Final = ("core/okf_edge", "core/okf_edge_native", "lambda/okf_edge_lambda")


@dataclass(frozen=True, slots=True)
class Package:
    """One zip. `without` are distributions that the code in it never imports; `most_bytes` is its size unpacked."""

    name: str
    without: frozenset[str]
    most_bytes: int
    model: str = ""

    @property
    def lock(self) -> Path:
        return ROOT / "infra/locks" / f"{self.name}.txt"


_SHELLS = {"rich", "uvicorn"}
"""Of the command line and its server."""

_HEAVY = {"duckdb", "onnxruntime", "numpy", "pystemmer"}
"""Of reading an index and embedding: `api` asks `search` to do that."""

PACKAGES: Final = (
    Package("api", frozenset(_SHELLS | _HEAVY), 60 * MEGABYTE),
    Package("search", frozenset(_SHELLS), 240 * MEGABYTE, model="minilm-l6"),
)

ARCHITECTURES: Final[Mapping[str, str]] = {"arm64": "aarch64", "x86_64": "x86_64"}
"""As AWS calls them, and as wheels do."""

GLIBC_MINORS: Final = (17, 24, 26, 27, 28, 31, 34)
"""Of manylinux tags that Amazon Linux 2023 runs (its glibc is 2.34)."""

BOTOCORE_SERVICES: Final = frozenset({"dynamodb", "lambda", "s3", "secretsmanager", "ssm", "sts", "xray"})

LEFT_OUT: Final[Mapping[str, str]] = {
    "bin": "console scripts: nobody has a shell there",
    "*.dist-info/RECORD": "names what was pruned",
    "*.dist-info/INSTALLER": "says who installed it",
    "*.dist-info/REQUESTED": "says what was asked for",
    "*.dist-info/sboms": "lists for auditors; the locks name the same",
    "**/*.pyi": "types, which nothing reads at run time",
    "**/tests": "tests of others",
    "**/py.typed": "types",
    "_duckdb-stubs": "types",
    "adbc_driver_duckdb": "another door to DuckDB, which needs pyarrow",
    "onnxruntime/capi/libonnxruntime.so.*": "the library once more: the Python module links it statically",
    "onnxruntime/transformers": "tools for making models",
    "onnxruntime/quantization": "tools for making models",
    "onnxruntime/tools": "tools for making models",
    "onnxruntime/datasets": "examples",
    "numpy/f2py": "a compiler of Fortran",
    "numpy/_core/include": "for those who compile against it",
    "numpy/_core/lib": "for those who compile against it",
    "numpy/random/lib": "for those who compile against it",
    "numpy/typing/mypy_plugin.py": "types",
    "boto3/data": "models of resources; we call clients",
    "boto3/examples": "manuals",
    "aws_lambda_powertools/event_handler": "a router; ours is another",
    "aws_lambda_powertools/utilities/parser": "models of events that we do not take",
    "securesystemslib/_vendor/ed25519/test_data": "tests of others",
    "cffi": "builds bindings; to load them its backend is enough, which stays",
    "cffi-*.dist-info": "as cffi",
    "pycparser": "as cffi",
    "pycparser-*.dist-info": "as cffi",
}
"""Patterns below the tree of a package, and why what matches is left out."""


def left_out(tree: Path) -> Iterator[tuple[Path, str]]:
    """What of an installed tree does not go into the package, and the rule that says so."""
    for pattern in LEFT_OUT:
        yield from ((path, pattern) for path in sorted(tree.glob(pattern)))
    for service in sorted((tree / "botocore/data").glob("*/")):
        if service.name not in BOTOCORE_SERVICES:
            yield service, "botocore/data"
