import pytest

from okf_edge.errors import InputError
from okf_edge.limits import LIMITS
from okf_edge.retrieval.request import Filters, SearchRequest
from okf_edge.retrieval.scope import passes


@pytest.mark.parametrize("question", ["", "  \n\t"])
def test_an_empty_question_is_an_error_with_a_code(question: str) -> None:
    with pytest.raises(InputError) as caught:
        SearchRequest(question)
    assert caught.value.code == "bad-question"


def test_every_problem_of_a_request_is_reported_at_once() -> None:
    with pytest.raises(InputError) as caught:
        SearchRequest("x" * (LIMITS.question_chars + 1), k=0, lexical=False, dense=False)
    assert len(caught.value.issues) == 3


def test_a_type_matches_in_any_case_and_only_whole() -> None:
    assert passes(Filters(types=("playbook",)), "a.md", "Playbook", [])
    assert not passes(Filters(types=("play",)), "a.md", "Playbook", [])


def test_a_tag_filter_finds_nested_tags() -> None:
    assert passes(Filters(tags=("ops",)), "a.md", "", ["ops/pumps"])
    assert not passes(Filters(tags=("ops",)), "a.md", "", ["opsec"])


@pytest.mark.parametrize("folder", ["notes", "notes/", "./notes", "notes/a.md", ".", ""])
def test_a_path_filter_is_a_page_or_a_folder(folder: str) -> None:
    assert passes(Filters(paths=(folder,)), "notes/a.md", "", [])


def test_a_path_filter_does_not_match_the_start_of_a_name() -> None:
    assert not passes(Filters(paths=("note",)), "notes/a.md", "", [])


def test_every_kind_of_filter_that_is_given_must_pass() -> None:
    filters = Filters(types=("Playbook", "Note"), tags=("ops",))
    assert passes(filters, "a.md", "note", ["ops"])
    assert not passes(filters, "a.md", "note", ["other"])
