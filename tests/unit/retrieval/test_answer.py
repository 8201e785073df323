import json
from importlib import resources
from typing import Any

import jsonschema
import pytest

from okf_edge.errors import FormatError
from okf_edge.retrieval.answer import Answer, Candidate, Coverage, from_json, to_json

SCHEMA = json.loads(resources.files("okf_edge").joinpath("schemas/answer.schema.json").read_text("utf-8"))
CANDIDATE = Candidate(
    path="a.md",
    title="A",
    heading="One > Two",
    lines=(3, 9),
    text="text",
    score=0.5,
    confidence=0.9,
    tier="bundle",
    kb="notes",
    bundle="acme.ops",
    version="1.0.0",
    uri="okf://acme.ops@1.0.0/a.md",
    trust="unverified",
    fresh=True,
    why=("holds 2 of 2 terms",),
)


def an_answer(**given: Any) -> Answer:
    known = {
        "verdict": "ok",
        "reason": "a.md answers.",
        "terms": ("pump",),
        "candidates": (CANDIDATE,),
        "near": (),
        "coverage": Coverage(read=1, found=1, problems=0, mode="hybrid"),
        "timings": {"total": 1.5},
    }
    return Answer(**{**known, **given})


def test_an_answer_is_the_json_that_the_schema_fixes() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for answer in (
        an_answer(),
        an_answer(explain={"plan": {}}),
        an_answer(verdict="no-confident-match", candidates=(), near=(CANDIDATE,)),
    ):
        shown = json.loads(json.dumps(to_json(answer)))
        jsonschema.validate(shown, SCHEMA)
        assert shown == to_json(answer)


@pytest.mark.parametrize(
    "broken",
    [
        {"verdict": "no-confident-match", "near": (CANDIDATE,)},
        {"candidates": ()},
        {"near": (CANDIDATE,)},
    ],
)
def test_a_verdict_and_its_candidates_belong_together(broken: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(to_json(an_answer(**broken)), SCHEMA)


def test_every_field_of_an_answer_is_in_the_schema_and_no_other() -> None:
    shown = to_json(an_answer(explain={}))
    assert set(shown) == set(SCHEMA["properties"])
    assert set(shown["candidates"][0]) == set(SCHEMA["$defs"]["candidate"]["properties"])
    assert set(shown["coverage"]) == set(SCHEMA["$defs"]["coverage"]["properties"])


def test_the_schema_is_frozen() -> None:
    """What others have built on stays: to change the meaning or the shape of a field is a new schema with a new id."""
    assert SCHEMA["$id"] == "urn:okf-edge:schema:answer:1"
    assert SCHEMA["required"] == ["verdict", "reason", "content", "terms", "candidates", "near", "coverage", "timings"]
    assert SCHEMA["$defs"]["candidate"]["required"] == [
        "path",
        "title",
        "heading",
        "lines",
        "text",
        "score",
        "confidence",
        "tier",
        "kb",
        "bundle",
        "version",
        "uri",
        "trust",
        "fresh",
        "why",
    ]


def test_content_is_labelled_untrusted() -> None:
    assert to_json(an_answer())["content"] == "untrusted"


def test_an_answer_survives_its_json() -> None:
    answer = Answer("ok", "because", ("a",), (CANDIDATE,), (), Coverage(1, 1, 0, "lexical"), {"total": 1.5})
    assert from_json(json.loads(json.dumps(to_json(answer)))) == answer


@pytest.mark.parametrize("damage", [{"candidates": [{}]}, {"coverage": {"x": 1}}, {"terms": None}])
def test_what_is_no_answer_is_not_read_as_one(damage: dict[str, object]) -> None:
    told = to_json(Answer("ok", "because", (), (), (), Coverage(1, 1, 0, "lexical")))
    with pytest.raises(FormatError):
        from_json({**told, **damage})
