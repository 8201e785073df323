import pytest

from okf_edge.retrieval.visible import visible


def test_zero_width_characters_can_not_hide_words() -> None:
    assert visible("\u200bI\u200bg\u200bn\u2060o\ufeffre") == "Ignore"


def test_text_in_tag_characters_is_gone() -> None:
    assert visible("ok\U000e0068\U000e0069") == "ok"


def test_bidirectional_overrides_are_shown_by_code() -> None:
    assert visible("a\u202eb\u2066c\u2069") == "a<U+202E>b<U+2066>c<U+2069>"


def test_terminal_controls_are_shown_by_code() -> None:
    assert visible("\x1b[31mred\x07\x9b") == "<U+001B>[31mred<U+0007><U+009B>"


@pytest.mark.parametrize("text", ["👩‍💻 writes", "می‌خواهم", "क्‍ष", "tab\tand\nnewline", "naïve 阀门 Öl", "❤️ ok"])
def test_text_that_a_reader_needs_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_joiners_between_plain_letters_are_removed() -> None:
    assert visible("i\u200dg\u200cn\u200dore") == "ignore"


def test_every_newline_becomes_one_kind() -> None:
    assert visible("a\r\nb\rc\nd") == "a\nb\nc\nd"
