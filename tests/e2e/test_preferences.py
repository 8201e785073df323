"""What a person chooses for all folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import validate

SCHEMA = Path(__file__).parents[2] / "core" / "okf_edge" / "schemas" / "user-config.schema.json"


@pytest.fixture
def config(environment) -> Path:
    return Path(environment["HOME"]) / ".config/okf/config.json"


def test_a_choice_is_kept_and_taken_back(okf, config):
    assert okf("model", "list", "--json").json["use"] == "auto"
    assert okf("model", "use", "e5-small-cjk", "--json").json == {"use": "e5-small-cjk"}
    validate(json.loads(config.read_text()), json.loads(SCHEMA.read_text()))
    assert okf("model", "list", "--json").json["use"] == "e5-small-cjk"
    okf("model", "use", "auto")
    assert okf("model", "list", "--json").json["use"] == "auto"


def test_keys_of_a_later_version_are_kept(okf, config):
    config.parent.mkdir(parents=True)
    config.write_text('{"format": 1, "colour": "blue"}')
    okf("model", "use", "minilm-l6")
    assert json.loads(config.read_text()) == {"format": 1, "colour": "blue", "embedder": "minilm-l6"}


@pytest.mark.parametrize("content", ["{", "[]", '{"format": 1, "embedder": 5}'])
def test_a_corrupt_choice_is_an_error_that_names_its_file(okf, config, content):
    config.parent.mkdir(parents=True)
    config.write_text(content)
    done = okf("model", "list", "--json")
    assert (done.code, done.error["code"]) == (3, "state-file-corrupt")
    assert "config.json" in done.error["message"]
    assert config.read_text() == content


def test_okf_home_holds_everything_when_it_is_set(okf, tmp_path):
    okf("model", "use", "minilm-l6", env={"OKF_HOME": str(tmp_path / "own")})
    assert (tmp_path / "own/config/config.json").is_file()


def test_a_choice_holds_for_new_indexes(okf, notes, models_at_hand):
    okf("model", "use", "e5-small-cjk", env=models_at_hand)
    assert okf("index", "build", "--dir", notes, "--json", env=models_at_hand).json["embedder"] == "e5-small-cjk"
