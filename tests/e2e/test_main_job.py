"""The main job on the command line: ask a folder, pack it, install it elsewhere, ask again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jsonschema import validate

from e2e.conftest import snapshot

SCHEMAS = Path(__file__).parents[2] / "core" / "okf_edge" / "schemas"
PEARS, WATERING = "When do the russet pears ripen?", "果园灌溉"
OFF_TOPIC = "Which football club won the cup in 1987?"
CONCEPTS = {
    "metrics/apdex.md": "---\ntype: Metric\ntitle: Apdex\ndescription: A score of satisfaction.\n---\n\n"
    "Apdex counts requests faster than the threshold as satisfied. See [tail latency](/ideas/tail-latency.md).\n",
    "ideas/tail-latency.md": "---\ntype: Concept\ntitle: Tail latency\ndescription: The slowest requests.\n---\n\n"
    "# Definition\n\nTail latency is what the slowest one percent of requests take.\n",
    "ideas/灌溉.md": "---\ntype: Concept\ntitle: 灌溉\ndescription: 何时浇水。\n---\n\n"
    "果园每周二和周五早上六点灌溉。\n",
}


@pytest.fixture
def concepts(tmp_path: Path) -> Path:
    folder = tmp_path / "concepts"
    for path, text in CONCEPTS.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return folder


@pytest.fixture
def archive(okf, concepts, tmp_path) -> Path:
    path = tmp_path / "out.okf.zip"
    done = okf("export", concepts, "--id", "acme.ops", "--version", "1.0.0", "--out", path)
    assert done.code == 0, done.err
    return path


@pytest.fixture
def base(okf, tmp_path) -> Path:
    folder = tmp_path / "base"
    folder.mkdir()
    assert okf("init", folder).code == 0
    return folder


def test_a_plain_folder_answers_with_the_place_and_the_words(okf, notes):
    done = okf("query", PEARS, "--dir", notes, "--json")
    assert (done.code, done.err) == (0, "")
    validate(done.json, json.loads((SCHEMAS / "answer.schema.json").read_text("utf-8")))
    best = done.json["candidates"][0]
    assert done.json["verdict"] == "ok"
    assert best["path"] == "orchard/pears.md"
    assert "second week of October" in best["text"]
    first, last = best["lines"]
    shown = (notes / best["path"]).read_text("utf-8").splitlines()[first - 1 : last]
    assert "The russet pears ripen in the second week of October." in shown


def test_for_people_the_verdict_comes_first_then_the_place_and_why(okf, notes):
    lines = okf("query", PEARS, "--dir", notes).out.splitlines()
    assert lines[0].startswith("ok: ")
    assert lines[2].startswith("1. orchard/pears.md:1-")
    assert any("confidence" in line and "user" in line for line in lines)
    assert any(line.strip().startswith("why: ") for line in lines)


def test_unlikely_places_are_named_in_one_line_each_and_only_likely_ones_are_quoted(okf, notes):
    (notes / "kitchen.md").write_text("# Kitchen\n\nPears go well with cheese.\n", "utf-8")
    answer = okf("query", PEARS, "--dir", notes, "--json").json
    lines = okf("query", PEARS, "--dir", notes).out.splitlines()
    unlikely = [each["path"] for each in answer["candidates"][1:] if each["confidence"] < 0.5]
    assert unlikely == ["kitchen.md"]
    below = lines[lines.index("less likely:") + 1 :][: len(unlikely)]
    assert [line.split()[1].rpartition(":")[0] for line in below] == unlikely
    assert sum(line.strip().startswith("confidence") for line in lines) == len(answer["candidates"]) - len(unlikely)


def test_a_chinese_question_finds_the_chinese_note(okf, notes):
    assert okf("query", WATERING, "--dir", notes, "--json").json["candidates"][0]["path"] == "灌溉.md"


def test_an_off_topic_question_is_refused_and_that_is_no_failure(okf, notes):
    done = okf("query", OFF_TOPIC, "--dir", notes, "--json")
    assert done.code == 0
    assert done.json["verdict"] == "no-confident-match"
    assert done.json["candidates"] == []
    assert okf("query", OFF_TOPIC, "--dir", notes).out.startswith("no confident match: ")


def test_without_a_model_the_answer_says_that_it_went_by_words(okf, notes):
    coverage = okf("query", PEARS, "--dir", notes, "--json").json["coverage"]
    assert coverage["mode"] == "lexical"
    assert "words alone" in coverage["note"]
    assert (coverage["read"], coverage["found"]) == (4, 4)


def test_no_command_changes_a_note(okf, notes):
    before = snapshot(notes)
    for command in (["query", PEARS], ["index", "build"], ["index", "status"], ["read", "pears"], ["query", "x"]):
        okf(*command, "--dir", notes)
    after = snapshot(notes)
    assert {path: data for path, data in after.items() if not path.startswith(".okf")} == before


def test_an_edit_an_addition_and_a_removal_are_answered_at_once(okf, notes):
    okf("query", PEARS, "--dir", notes)
    (notes / "bees.md").write_text("# Hives\n\nThe hives moved to the meadow by the weir.\n")
    (notes / "weir.md").write_text("# Weir\n\nThe sluice of the weir opens at dawn.\n")
    (notes / "orchard/pears.md").unlink()
    asked = {
        question: okf("query", question, "--dir", notes, "--json").json for question in ("hives meadow", "sluice dawn")
    }
    assert asked["hives meadow"]["candidates"][0]["path"] == "bees.md"
    assert "meadow" in asked["hives meadow"]["candidates"][0]["text"]
    assert asked["sluice dawn"]["candidates"][0]["path"] == "weir.md"
    gone = okf("query", "russet pears cellar", "--dir", notes, "--json").json
    assert "orchard/pears.md" not in [each["path"] for each in gone["candidates"] + gone["near"]]


def test_filters_narrow_the_answer(okf, notes):
    def paths(*filters: str) -> list[str]:
        answer = okf("query", "orchard pears cider apples", "--dir", notes, "--json", *filters).json
        return [each["path"] for each in answer["candidates"] + answer["near"]]

    assert set(paths("--tag", "cider")) == {"orchard/apples.md"}
    assert set(paths("--path", "orchard")) <= {"orchard/apples.md", "orchard/pears.md"}
    assert paths("--path", "nowhere") == []
    assert len(paths("-k", "1")) <= 1


def test_a_note_is_read_by_path_name_address_and_heading(okf, notes):
    whole = okf("read", "orchard/pears.md", "--dir", notes)
    assert whole.out == (notes / "orchard/pears.md").read_text("utf-8")
    assert okf("read", "pears", "--dir", notes).out == whole.out
    section = okf("read", "pears#Storage", "--dir", notes, "--json").json
    assert section["text"].startswith("## Storage")
    assert section["lines"] == [5, 7]
    best = okf("query", PEARS, "--dir", notes, "--json").json["candidates"][0]
    assert okf("read", best["uri"], "--dir", notes, "--json").json["path"] == best["path"]


def test_a_bundle_answers_elsewhere_as_its_source_did(okf, concepts, archive, base):
    installed = okf("install", archive, "--dir", base, "--json")
    assert installed.code == 0, installed.err
    assert installed.json["bundle"]["index"] == "shipped"
    for question in ("what do the slowest requests take", "satisfied requests threshold", "果园灌溉"):
        here = okf("query", question, "--dir", concepts, "--json").json
        there = okf("query", question, "--dir", base, "--json").json
        assert here["verdict"] == there["verdict"] == "ok"
        expected = [(each["path"], each["lines"], each["text"]) for each in here["candidates"]]
        found = [
            (each["path"].removeprefix("Library/acme.ops/"), each["lines"], each["text"])
            for each in there["candidates"]
        ]
        assert found == expected
    best = there["candidates"][0]
    assert (best["tier"], best["bundle"], best["version"]) == ("bundle", "acme.ops", "1.0.0")
    assert (base / best["path"]).is_file()
    assert okf("read", best["uri"], "--dir", base, "--json").json["path"] == best["path"]


def test_pages_and_bundles_are_one_corpus(okf, archive, base):
    okf("install", archive, "--dir", base)
    (base / "entities/gauge.md").write_text("# Gauge\n\nThe gauge reports tail latency of the sluice controller.\n")
    answer = okf("query", "tail latency", "--dir", base, "--json").json
    assert {each["tier"] for each in answer["candidates"]} == {"agent", "bundle"}
    assert answer["coverage"]["read"] == answer["coverage"]["found"] == 4


def test_exporting_twice_gives_the_same_content_and_an_index_that_equals_a_rebuild(okf, concepts, archive, tmp_path):
    again = tmp_path / "again.okf.zip"
    done = okf("export", concepts, "--id", "acme.ops", "--version", "1.0.0", "--out", again, "--json")
    assert done.json["content_digest"] == okf("verify", archive, "--json").json["content_digest"]
    verified = okf("verify", again, "--rebuild", "--json")
    assert (verified.code, verified.json["index"]) == (0, "rebuilt-equal")


def test_an_installed_bundle_is_listed_and_uninstalled_without_a_trace(okf, archive, base):
    before = snapshot(base)
    okf("install", archive, "--dir", base)
    assert [each["id"] for each in okf("list", "--dir", base, "--json").json["bundles"]] == ["acme.ops"]
    assert okf("uninstall", "acme.ops", "--dir", base, "--json").json["bundle"]["id"] == "acme.ops"
    assert okf("list", "--dir", base, "--json").json == {"bundles": []}
    after = snapshot(base)
    assert {path for path in after if not path.startswith(".okf/")} == {
        path for path in before if not path.startswith(".okf/")
    }


def test_a_plain_okf_folder_installs_too_and_gets_its_index_here(okf, concepts, base):
    done = okf("install", concepts, "--dir", base, "--id", "plain.ops", "--version", "0.1.0", "--json")
    assert done.json["bundle"]["index"] == "built"
    assert okf("query", "slowest requests", "--dir", base, "--json").json["verdict"] == "ok"


def test_a_knowledge_base_is_exported_only_as_local(okf, base):
    (base / "entities/gauge.md").write_text("---\ntype: Entity\ntitle: Gauge\n---\n\nThe gauge.\n")
    refused = okf("export", base, "--id", "a.b", "--version", "1.0.0", "--json")
    assert (refused.code, refused.error["code"]) == (2, "knowledge-base")
    done = okf("export", base, "--id", "a.b", "--version", "1.0.0", "--local", "--json")
    assert done.json["local"] is True


def test_validate_says_conformant_or_not_by_its_exit_code(okf, concepts, notes):
    assert okf("validate", concepts).code == 0
    done = okf("validate", notes, "--json")
    assert (done.code, done.json["conformant"]) == (1, False)
    assert okf("validate", notes, "--sarif").json["version"] == "2.1.0"
    assert okf("validate", notes, "--github").out.startswith("::")
    assert okf("validate", notes, "--json", "--sarif").code == 2


def test_the_index_tells_what_it_holds_and_what_changed(okf, notes):
    assert okf("index", "status", "--dir", notes, "--json").json["place"] == "none"
    built = okf("index", "build", "--dir", notes, "--json").json
    assert built["built"]["concepts"] == built["concepts"] == 4
    (notes / "new.md").write_text("# New\n")
    (notes / "broken.md").write_bytes(b"# Caf\xe9\n")
    status = okf("index", "status", "--dir", notes, "--json").json
    assert status["changes"] == {"added": 2, "touched": 0, "removed": 0}
    okf("index", "build", "--dir", notes)
    problems = okf("index", "status", "--dir", notes, "--json").json["problems"]
    assert [(each["path"], each["rule"]) for each in problems] == [("broken.md", "OKF-D01")]


def test_with_a_model_a_question_crosses_languages(okf, notes, models_at_hand):
    question = ["query", "梨什么时候成熟", "--dir", notes, "--json", "--embedder", "e5-small-cjk"]
    done = okf(*question, env=models_at_hand)
    assert done.code == 0, done.err
    assert done.json["coverage"]["mode"] == "hybrid"
    assert "orchard/pears.md" in [each["path"] for each in done.json["candidates"] + done.json["near"]]


def test_an_index_that_was_made_without_a_model_gets_vectors_once_there_is_one(okf, notes, models_at_hand):
    def mode(*options: str, env: dict[str, str] | None = None) -> str:
        return okf("query", PEARS, "--dir", notes, "--json", *options, env=env).json["coverage"]["mode"]

    assert mode() == "lexical"
    assert mode("--lexical", env=models_at_hand) == "lexical"
    assert mode(env=models_at_hand) == "hybrid"


def test_a_time_that_another_device_cut_to_milliseconds_is_no_change(okf, notes):
    page = notes / "orchard/pears.md"
    os.utime(page, ns=(1_700_000_000_123_456_789,) * 2)
    okf("index", "build", "--dir", notes)
    os.utime(page, ns=(1_700_000_000_123_000_000,) * 2)
    assert okf("index", "status", "--dir", notes, "--json").json["changes"] == {"added": 0, "touched": 0, "removed": 0}
