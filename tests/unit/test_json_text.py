"""JSON from outside never costs the interpreter its stack."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from okf_edge.json_text import json_value
from okf_edge.limits import LIMITS

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(VALUES, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]))
def test_a_value_is_read_as_the_standard_library_reads_it(value: object, encoding: str) -> None:
    assert json_value(json.dumps(value).encode(encoding)) == value


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("text", ["[" * 9_000, '{"a":' * 9_000, '"∀", ' + "[" * 9_000, '["∀"' + ",[" * 9_000])
def test_what_nests_too_deep_is_refused_in_every_encoding(text: str, encoding: str) -> None:
    with pytest.raises(ValueError, match=f"at most {LIMITS.json_depth} levels"):
        json_value(text.encode(encoding))


def test_brackets_in_texts_open_nothing() -> None:
    assert json_value(json.dumps({"a": "[" * 100 + '\\"' + "{" * 100})) == {"a": "[" * 100 + '\\"' + "{" * 100}
