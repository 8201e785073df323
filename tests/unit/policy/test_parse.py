"""What is no message is refused before anything parses it deeply."""

from __future__ import annotations

import pytest

from okf_edge.errors import FormatError, OkfError, TooLargeError
from okf_edge.limits import LIMITS
from okf_edge.policy.parse import parse


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"\xff{}", b"NaN", b"[Infinity]", b"[" * 40 + b"]" * 40, b'{"a":' * 100_000, b"[" * 900_000,
     b'"unclosed', b'{"a":1}{"b":2}', b"\x00", b"9" * 5000],
)  # fmt: skip
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        parse(data)


def test_a_message_is_no_larger_than_allowed() -> None:
    with pytest.raises(TooLargeError):
        parse(b" " * (LIMITS.call_bytes + 1))


def test_brackets_in_texts_open_nothing() -> None:
    text = "[" * 100 + '\\"' + "{" * 100
    assert parse(f'{{"a": "{text}", "b": [[1]]}}'.encode()) == {"a": "[" * 100 + '"' + "{" * 100, "b": [[1]]}


def test_only_errors_of_ours_come_out() -> None:
    for number in range(0, 256, 7):
        for data in (bytes([number]) * 50, b'{"a": "' + bytes([number]) + b'"}'):
            try:
                parse(data)
            except OkfError:
                continue
