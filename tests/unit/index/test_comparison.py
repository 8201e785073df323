"""A file counts as unchanged by size, time and tier, also where one side tells its time in whole milliseconds."""

from __future__ import annotations

import pytest

from okf_edge.index.comparison import Known, compare
from okf_edge.ports import FileStat

THEN = 1_764_526_000_123_456_789
CUT = 1_764_526_000_123_000_000


@pytest.mark.parametrize(
    ("indexed", "now", "read"),
    [
        pytest.param(THEN, THEN, 0, id="the-same-time"),
        pytest.param(THEN, CUT, 0, id="indexed-on-a-computer-asked-on-a-phone"),
        pytest.param(CUT, THEN, 0, id="indexed-on-a-phone-asked-on-a-computer"),
        pytest.param(THEN, THEN + 1, 1, id="a-nanosecond-later-where-both-tell-them"),
        pytest.param(THEN, CUT + 1_000_000, 1, id="a-millisecond-later"),
    ],
)
def test_a_time_that_was_cut_to_milliseconds_is_the_same_time(indexed: int, now: int, read: int) -> None:
    known = {"a.md": Known(1, 10, indexed, "user")}
    assert len(compare(known, [(FileStat("a.md", 10, now), "user")]).to_read) == read
    assert len(compare(known, [(FileStat("a.md", 11, now), "user")]).to_read) == 1, "another size is another content"
