"""The zips of the service: the same bytes each time, within their limits, and nothing left out that runs."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from okf_edge.embedding.models import model_of
from okf_edge_infra import package as packaging
from okf_edge_infra.contents import BOTOCORE_SERVICES, LEFT_OUT, OURS, PACKAGES, ROOT, Package
from okf_edge_infra.package import Built, OversizeError, build, files_of, write_zip
from okf_edge_infra.wheels import UnreachableError, wanted
from tests.models_fixture import FOLDER as MODELS

API, SEARCH = PACKAGES
HANDLERS = {"api": ("api", "clock"), "search": ("search", "ingest")}
"""The functions that each package is for."""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our sources as they are now: whoever edits them meanwhile changes no package."""
    folder = tmp_path_factory.mktemp("checkout")
    for source in OURS:
        shutil.copytree(ROOT / source, folder / source, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def built(package: Package, architecture: str, folder: Path, checkout: Path = ROOT) -> Built:
    folder.mkdir()
    try:
        return build(package, architecture, folder, MODELS, checkout)
    except UnreachableError as error:
        pytest.skip(f"the registry of packages can't be reached: {str(error)[-200:]}")


def with_model(each: Built) -> int:
    """The bytes of a package, its model counted whether or not it was at hand."""
    model = each.package.model
    is_absent = bool(model) and not (each.tree / "models" / model).is_dir()
    return each.bytes + (model_of(model).bytes if is_absent else 0)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory, checkout: Path) -> Iterator[Built]:
    folder = tmp_path_factory.mktemp("api")
    yield built(API, "arm64", folder / "tree", checkout)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    folder = tmp_path_factory.mktemp("search")
    yield built(SEARCH, "x86_64", folder / "tree")
    shutil.rmtree(folder)


def test_both_functions_stay_below_their_size_unpacked(api: Built, search: Built) -> None:
    assert (API.most_bytes, SEARCH.most_bytes) == (60_000_000, 240_000_000)
    assert with_model(api) <= API.most_bytes
    assert with_model(search) <= SEARCH.most_bytes


@pytest.mark.slow
def test_both_functions_stay_below_their_size_on_the_other_architecture_too(tmp_path: Path) -> None:
    assert with_model(built(API, "x86_64", tmp_path / "api")) <= API.most_bytes
    assert with_model(built(SEARCH, "arm64", tmp_path / "search")) <= SEARCH.most_bytes


@pytest.mark.slow
def test_a_package_that_is_built_twice_has_the_same_bytes(api: Built, checkout: Path, tmp_path: Path) -> None:
    again = built(API, "arm64", tmp_path / "again", checkout)
    assert zipped(api, tmp_path / "0.zip") == zipped(again, tmp_path / "1.zip")


def test_our_part_of_a_package_that_is_built_twice_has_the_same_bytes(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is installed beside it comes from wheels that are locked by hash."""
    monkeypatch.setattr(packaging, "install", lambda *_: None)
    once, again = (built(API, "arm64", tmp_path / name, checkout) for name in ("once", "again"))
    assert zipped(once, tmp_path / "0.zip") == zipped(again, tmp_path / "1.zip")


def zipped(each: Built, target: Path) -> bytes:
    write_zip(each.tree, target)
    return target.read_bytes()


def test_a_zip_depends_on_names_bytes_and_what_may_run_only(tmp_path: Path) -> None:
    for name, order in (("one", ["b.py", "a/c.so"]), ("two", ["a/c.so", "b.py"])):
        for file in order:
            path = tmp_path / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file)
        (tmp_path / name / "a/c.so").chmod(0o755 if name == "one" else 0o700)
        write_zip(tmp_path / name, tmp_path / f"{name}.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        modes = {entry.filename: oct(entry.external_attr >> 16 & 0o777) for entry in archive.infolist()}
    assert modes == {"a/c.so": "0o755", "b.py": "0o644"}


def test_a_tree_above_its_limit_is_refused_with_its_largest_parts(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(packaging, "install", lambda *_: None)
    tight = Package("api", frozenset(), 1_000)
    with pytest.raises(OversizeError, match="of at most 1,000 bytes unpacked") as caught:
        build(tight, "arm64", tmp_path, MODELS)
    assert "okf_edge\n" in f"{caught.value}\n"


def test_every_rule_of_what_is_left_out_leaves_something_out(api: Built, search: Built) -> None:
    """A rule that matches nothing any more hides that a dependency moved what it meant."""
    assert api.rules | search.rules == {*LEFT_OUT, "botocore/data"}
    for each in (api, search):
        assert [pattern for pattern in LEFT_OUT if any(each.tree.glob(pattern))] == []
        assert {path.name for path in (each.tree / "botocore/data").glob("*/")} == BOTOCORE_SERVICES


def test_bytecode_is_shipped_unchecked_and_names_the_place_where_it_will_run(api: Built) -> None:
    if api.notes:
        pytest.skip(api.notes[0])
    compiled = next((api.tree / "okf_edge/__pycache__").glob("errors.*.pyc")).read_bytes()
    assert compiled[4:8] == b"\x01\0\0\0", "flags: by hash, unchecked"
    assert b"/var/task/okf_edge/errors.py" in compiled
    sources = [path for path in files_of(api.tree) if path.suffix == ".py"]
    assert all(any((path.parent / "__pycache__").glob(f"{path.stem}.*.pyc")) for path in sources)


@pytest.mark.slow
def test_every_handler_imports_from_its_package_alone_as_the_runtime_would(search: Built, tmp_path: Path) -> None:
    """On the architecture of this machine, with a Python of the version of the service, and traces on."""
    python = packaging.python_of_the_service()
    if not python:
        pytest.skip("no Python of the version of the service is at hand")
    environment = {"AWS_XRAY_DAEMON_ADDRESS": "127.0.0.1:2000", "AWS_REGION": "eu-central-1", "OKF_BUCKET": "b"}
    for each in (built(API, "x86_64", tmp_path / "api"), search):
        program = (
            f"import sys; sys.path.insert(0, {str(each.tree)!r})\nimport importlib, boto3\n"
            f"for name in {HANDLERS[each.package.name]!r}: importlib.import_module(f'okf_edge_lambda.{{name}}')\n"
            f"for name in {sorted(BOTOCORE_SERVICES)!r}: boto3.client(name, region_name='eu-central-1')\n"
        )
        command = [python, "-s", "-S", "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)
        assert done.returncode == 0, done.stderr


def test_no_model_but_the_small_one_is_in_a_package(api: Built, search: Built) -> None:
    assert not (api.tree / "models").exists()
    assert {path.name for path in (search.tree / "models").glob("*")} <= {"minilm-l6"}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda each: each.name)
def test_a_lock_pins_by_hash_what_the_product_asks_for(package: Package) -> None:
    pinned = {}
    for block in package.lock.read_text().split("\n\n")[-1].replace("\\\n", " ").splitlines():
        if not block.startswith("#"):
            name, _, rest = block.partition("==")
            version, *hashes = rest.split()
            assert hashes and all(each.startswith("--hash=sha256:") for each in hashes)
            pinned[name] = version
    for text in wanted(package):
        requirement = Requirement(text)
        name = requirement.name.lower().replace(".", "-").replace("_", "-")
        assert requirement.specifier.contains(pinned[name]), f"{text}: run `make lambda-lock`"
    assert not set(pinned) & package.without


def test_what_a_package_goes_without_is_a_dependency_of_the_product() -> None:
    """So that a name that was mistyped leaves nothing in by accident."""
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {Requirement(each).name.lower() for each in stated}
    assert [each for package in PACKAGES for each in package.without if each not in names] == []
