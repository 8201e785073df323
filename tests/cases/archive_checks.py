"""Checks of archives: each is installed into a fresh knowledge base on a real disk, through the use cases."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import get_args

import pytest

from okf_edge.bundles.install import InstallOptions
from okf_edge.bundles.registry import Signature
from okf_edge.errors import BundleError, OkfError
from okf_edge_native.compose import okf_of
from tests.cases.suite import Spec
from tests.cases.vault import Vault


async def install(vault: Vault, spec: Spec) -> None:
    """`install`: rejected for a reason with nothing written, or accepted whole and under its exact names."""
    assert spec.get("never", "partial") in {"partial", "mojibake"}
    archive = (vault.folder / spec["zip"]).read_bytes()
    base = await _knowledge_base(vault.folder / "base")
    before = _tree(base)
    error = await _refusal(base, archive)
    if error:
        assert spec.get("nothing_written", True)
        assert _tree(base) == before
        assert "reject" in spec["result"], f"refused: {error.message}"
        assert error.code == spec.get("reason", error.code)
        assert error.hint or error.message
    else:
        assert spec["result"] != "reject"
        assert _installed_names(base) >= _markdown_names(vault.folder / spec["zip"])


async def verify_tristate(vault: Vault, spec: Spec) -> None:
    """`verify_tristate`: a signature is valid, absent or an error; what can't be read is never `absent`."""
    assert set(get_args(Signature)) == {"valid", "absent"}
    okf = okf_of(str(await _knowledge_base(vault.folder / "base")), quiet=True)
    for archive in sorted(vault.folder.glob("*.zip")):
        with pytest.raises(BundleError):
            await okf.verify(archive.read_bytes())


async def _knowledge_base(folder: Path) -> Path:
    folder.mkdir()
    await okf_of(str(folder), quiet=True).init()
    return folder


async def _refusal(base: Path, archive: bytes) -> OkfError | None:
    options = InstallOptions("given.zip", bundle_id="given.bundle", accept_nonconformant=True)
    try:
        await okf_of(str(base), quiet=True).install(archive, options)
    except OkfError as error:
        return error
    return None


def _tree(base: Path) -> dict[str, bytes]:
    """Everything in the base but its locks, which say who worked here."""
    files = {path.relative_to(base).as_posix(): path for path in base.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if not name.startswith(".okf/locks/")}


def _installed_names(base: Path) -> set[str]:
    root = base / "Library/given.bundle"
    return {path.relative_to(root).as_posix() for path in root.rglob("*.md")}


def _markdown_names(archive: Path) -> set[str]:
    """The names as their author meant them: UTF-8, or this fails."""
    infos = zipfile.ZipFile(archive).infolist()
    raw = [info.filename if info.flag_bits & 0x800 else info.filename.encode("cp437").decode() for info in infos]
    return {name for name in raw if name.endswith(".md")}


CHECKS = {"install": install, "verify_tristate": verify_tristate}
