"""`make lambda`: the zips of the service, the same bytes from the same sources and locks.

    install what is locked → add our code and its model → leave out what never runs → compile → zip

Rules:
1. Order, times and modes in a zip are fixed.
2. Bytecode is shipped, since the folder of a function is read-only and would be compiled at every start. It is never
   checked against its source, and names the paths that it will have. Without a Python of that version at hand, none.
3. A tree above its limit is an error: nothing is written.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from okf_edge_infra.contents import ARCHITECTURES, MEGABYTE, OURS, PACKAGES, PYTHON, ROOT, Package, left_out
from okf_edge_infra.wheels import UnreachableError, install, lock
from okf_edge_native.places import cache_place

OUT = ROOT / "dist/lambda"
TASK_ROOT = "/var/task"
_WHEN = (1980, 1, 1, 0, 0, 0)
_MODE_FILE, _MODE_PROGRAM = 0o644, 0o755
_COMPILE = ("-m", "compileall", "-q", "-f", "--invalidation-mode", "unchecked-hash")


@dataclass(frozen=True, slots=True)
class Built:
    """A tree that is ready to be zipped. `notes` tell what it lacks, `rules` are those that left something out."""

    package: Package
    architecture: str
    tree: Path
    notes: tuple[str, ...]
    rules: frozenset[str]

    @property
    def bytes(self) -> int:
        return sum(path.stat().st_size for path in files_of(self.tree))


def build(package: Package, architecture: str, tree: Path, models: Path, checkout: Path = ROOT) -> Built:
    """The tree of a package, in an empty folder. Raises UnreachableError, OversizeError."""
    install(package, architecture, tree)
    for source in OURS:
        _copy_code(checkout / source, tree)
    notes = _add_model(package, models, tree)
    rules = prune(tree)
    notes += compile_code(tree)
    built = Built(package, architecture, tree, notes, rules)
    if built.bytes > package.most_bytes:
        raise OversizeError(
            f"expected {package.name} of at most {package.most_bytes:,} bytes unpacked, found {built.bytes:,}:\n"
            + "\n".join(f"  {size:>12,}  {name}" for name, size in largest(tree))
        )
    return built


class OversizeError(Exception):
    """A package is larger than a function may be."""


def prune(tree: Path) -> frozenset[str]:
    """Remove what does not belong into the package; the rules that something matched."""
    found = list(left_out(tree))
    for path, _ in found:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return frozenset(rule for _, rule in found)


def compile_code(tree: Path) -> tuple[str, ...]:
    """Compile for the Python of the service, if it is at hand; else why not."""
    python = python_of_the_service()
    if not python:
        return (f"no bytecode: Python {PYTHON} is not at hand; a start takes about twice as long",)
    environment = {**os.environ, "PYTHONHASHSEED": "0"}  # sets of constants are written in its order
    places = ("-s", str(tree), "-p", TASK_ROOT, str(tree))
    subprocess.run([python, "-sS", *_COMPILE, *places], check=True, env=environment)
    return ()


def write_zip(tree: Path, target: Path) -> None:
    """The files of a tree as a zip whose bytes depend on nothing else."""
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_suffix(".part")
    with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path in files_of(tree):
            entry = zipfile.ZipInfo(path.relative_to(tree).as_posix(), _WHEN)
            mode = _MODE_PROGRAM if path.stat().st_mode & 0o100 else _MODE_FILE
            entry.create_system, entry.external_attr = 3, (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    fresh.replace(target)


def files_of(tree: Path) -> list[Path]:
    return sorted(path for path in tree.rglob("*") if path.is_file())


def largest(tree: Path, count: int = 12) -> list[tuple[str, int]]:
    """The parts of a tree by size, the largest first."""
    sizes: dict[str, int] = {}
    for path in files_of(tree):
        part = path.relative_to(tree).parts[0]
        sizes[part] = sizes.get(part, 0) + path.stat().st_size
    return sorted(sizes.items(), key=lambda each: (-each[1], each[0]))[:count]


def _copy_code(source: Path, tree: Path) -> None:
    shutil.copytree(source, tree / source.name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))


def _add_model(package: Package, models: Path, tree: Path) -> tuple[str, ...]:
    if not package.model:
        return ()
    source = models / package.model
    if not source.is_dir():
        return (f"no model: {package.model} is not in {models}; `make models` puts it there",)
    shutil.copytree(source, tree / "models" / package.model)
    return ()


def python_of_the_service() -> str:
    """A Python of the version that the service runs on; empty when there is none."""
    if f"{sys.version_info.major}.{sys.version_info.minor}" == PYTHON:
        return sys.executable
    for found in _candidates(f"python{PYTHON}"):
        says = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
        if says.returncode == 0 and says.stdout.startswith(f"Python {PYTHON}."):
            return found
    return ""


def _candidates(name: str) -> Iterator[str]:
    versions = sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(f"versions/{PYTHON}.*/bin"))
    for folder in (*os.get_exec_path(), *versions):
        if os.access(f"{folder}/{name}", os.X_OK):
            yield f"{folder}/{name}"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="make lambda", description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--lock", action="store_true", help="resolve and lock the dependencies anew, and build nothing")
    parser.add_argument("--models", type=Path, default=Path(cache_place()) / "models", help="where built models lie")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--architecture", action="append", choices=list(ARCHITECTURES), default=[])
    asked = parser.parse_args(arguments)
    try:
        _lock_all() if asked.lock else _build_all(asked.architecture or list(ARCHITECTURES), asked.models, asked.out)
    except (UnreachableError, OversizeError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _lock_all() -> None:
    for package in PACKAGES:
        package.lock.write_text(lock(package))
        print(f"locked {package.lock.relative_to(ROOT)}")


def _build_all(architectures: Sequence[str], models: Path, out: Path) -> None:
    for architecture in architectures:
        for package in PACKAGES:
            with TemporaryDirectory(prefix="okf-lambda-") as folder:
                built = build(package, architecture, Path(folder), models)
                target = out / architecture / f"{package.name}.zip"
                write_zip(built.tree, target)
                print(_told(built, target.stat().st_size))


def _told(built: Built, zipped: int) -> str:
    share = built.bytes / built.package.most_bytes
    sizes = f"{built.bytes / MEGABYTE:6.1f} MB unpacked ({share:.0%} of its limit), {zipped / MEGABYTE:5.1f} MB zipped"
    notes = (f"  note: {note}" for note in built.notes)
    return "\n".join([f"{built.architecture:<7} {built.package.name:<7} {sizes}", *notes])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
