"""The labelled sets are what their protocol says."""

from __future__ import annotations

import pytest

from tests.floors.handbook import RESERVED, ROOT
from tests.floors.questions import SPLITS, Split, questions

ALL = tuple(question for split in SPLITS for question in questions(split))
ANSWERABLE = tuple(question for question in ALL if question.expect)


def test_no_question_is_asked_twice() -> None:
    assert len({question.id for question in ALL}) == len(ALL)
    assert len({question.text.casefold() for question in ALL}) == len(ALL)


def test_there_are_enough_of_each_kind() -> None:
    assert len(ANSWERABLE) >= 80
    assert sum(question.lang == "zh" for question in ANSWERABLE) >= 30
    assert sum(question.kind == "cross" for question in ANSWERABLE) >= 12
    assert sum(not question.expect for question in ALL) >= 24


@pytest.mark.parametrize("split", SPLITS)
def test_each_half_has_every_kind(split: Split) -> None:
    assert {question.kind for question in questions(split)} == {question.kind for question in ALL}


def test_every_expected_page_is_there_and_is_a_concept() -> None:
    expected = {path for question in ALL for path in question.expect}
    assert [path for path in sorted(expected) if not (ROOT / path).is_file() or (ROOT / path).name in RESERVED] == []


def test_a_question_that_crosses_languages_expects_the_other_language() -> None:
    for question in ANSWERABLE:
        if question.kind == "cross":
            assert any(path.startswith("zh/") == (question.lang == "en") for path in question.expect), question
