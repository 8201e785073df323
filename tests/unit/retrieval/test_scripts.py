import pytest

from okf_edge.retrieval.scripts import shares_of, unshared


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("pump", "Latin"),
        ("阀门", "Han"),
        ("サンド", "Kana"),
        ("밸브", "Hangul"),
        ("насос", "Cyrillic"),
        ("מים", "Hebrew"),
    ],
)
def test_a_text_of_one_script_is_wholly_in_it(text: str, script: str) -> None:
    assert shares_of(text) == {script: 1.0}


def test_digits_and_signs_are_in_no_script() -> None:
    assert shares_of("1.2 + 3 = ?") == {}


def test_shares_sum_to_one() -> None:
    assert sum(shares_of("metrics API 怎么接入").values()) == pytest.approx(1)


def test_content_that_only_borrows_names_shares_no_script_with_a_question_in_letters() -> None:
    assert unshared(shares_of("what did we decide"), shares_of("我们在二月决定采用 NATS 作为消息队列")) == 1.0


def test_a_mixed_question_is_unshared_by_its_foreign_part() -> None:
    part = unshared(shares_of("pulseboard 移动端"), shares_of("The mobile client is planned."))
    assert 0 < part < 1


def test_content_without_letters_is_not_held_to_be_foreign() -> None:
    assert unshared(shares_of("when"), shares_of("20:00")) == 0.0
