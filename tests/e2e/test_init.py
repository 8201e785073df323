"""`okf init` as people run it."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema

from e2e.conftest import snapshot

SCHEMA = json.loads((files("okf_edge") / "schemas" / "init.schema.json").read_text("utf-8"))


def test_init_makes_a_knowledge_base_and_a_second_run_changes_nothing(okf, tmp_path):
    folder = tmp_path / "lab"
    folder.mkdir()
    first = okf("init", folder, "--name", "River lab", "--json")
    assert first.code == 0
    jsonschema.validate(first.json, SCHEMA)
    before = snapshot(folder)
    again = okf("init", folder, "--json")
    assert again.json == {**first.json, "created": [], "kept": first.json["created"]}
    assert snapshot(folder) == before


def test_init_without_a_folder_means_here_even_below_a_knowledge_base(okf, tmp_path):
    okf("init", tmp_path)
    inner = tmp_path / "inner"
    inner.mkdir()
    okf("init", cwd=inner)
    assert (inner / ".okf" / "manifest.json").exists()


def test_a_corrupt_manifest_stops_init_and_is_left_as_it_is(okf, tmp_path):
    (tmp_path / ".okf").mkdir()
    (tmp_path / ".okf" / "manifest.json").write_text("{")
    before = snapshot(tmp_path)
    done = okf("init", tmp_path, "--json")
    assert done.code == 3
    assert done.error["code"] == "state-file-corrupt"
    assert ".okf/manifest.json" in done.error["message"]
    assert snapshot(tmp_path) == before


def test_a_fresh_base_conforms_to_the_format(okf, tmp_path):
    okf("init", tmp_path)
    assert okf("validate", tmp_path).code == 0
