"""Which versions a range takes."""

from __future__ import annotations

import pytest

from okf_edge.bundles.ranges import is_within, newest_within
from okf_edge.errors import InputError

VERSIONS = ["0.2.9", "0.3.0", "1.1.0", "1.2.0", "1.2.9", "1.3.0", "2.0.0-rc.1", "2.0.0", "2.1.0-beta.1"]


@pytest.mark.parametrize(
    ("text", "newest"),
    [
        ("", "2.0.0"),
        ("*", "2.0.0"),
        ("1.2.0", "1.2.0"),
        ("=1.2.0", "1.2.0"),
        (">=1.2,<2", "1.3.0"),
        (">=1.2, <1.3", "1.2.9"),
        ("^1.1", "1.3.0"),
        ("^0.2.1", "0.2.9"),
        ("~1.2", "1.2.9"),
        ("<1", "0.3.0"),
        ("!=2.0.0", "1.3.0"),
        ("2.1.0-beta.1", "2.1.0-beta.1"),
        (">=2.0.0-rc.1,<2.0.0", "2.0.0-rc.1"),
        (">3", None),
    ],
)
def test_the_newest_version_of_a_range_is_taken(text: str, newest: str | None) -> None:
    assert newest_within(VERSIONS, [text]) == newest


def test_several_ranges_must_hold_together() -> None:
    assert newest_within(VERSIONS, [">=1.1", "<1.3"]) == "1.2.9"
    assert not is_within("1.0.0", [">=0.1", ">1"])


@pytest.mark.parametrize("text", ["latest", ">=", "1.2.x", "1 || 2", ">=1.2 <2", "01.2.3", ">=1.2,"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        newest_within(VERSIONS, [text])
