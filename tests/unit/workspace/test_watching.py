"""What changed between two looks, and how long the next one waits."""

from __future__ import annotations

from okf_edge.workspace.watching import (
    LEAST_SECONDS,
    MOST_SECONDS,
    SHARE_OF_TIME,
    Event,
    events_between,
    wait_after,
)


def test_each_change_is_told_once_with_the_pages_that_lag_behind_since():
    before = {"a.md": (1, 1), "b.md": (1, 1), "c.md": (1, 1)}
    after = {"a.md": (2, 1), "c.md": (1, 1), "d.md": (1, 1)}
    cited_by = {"a.md": {"concepts/x.md", "concepts/y.md"}}
    assert events_between(before, after, cited_by, {"concepts/x.md", "concepts/z.md"}) == [
        Event("changed", "a.md", ("concepts/x.md",)),
        Event("gone", "b.md"),
        Event("new", "d.md"),
    ]
    assert events_between(after, after, cited_by, set()) == []


def test_looking_takes_a_bounded_share_of_the_time_however_large_the_folder_is():
    for look in (0.001, 0.5, 30.0):
        for is_calm in (True, False):
            wait = wait_after(look, 0.0, is_calm)
            assert look / (look + wait) <= SHARE_OF_TIME
            assert wait >= LEAST_SECONDS


def test_a_calm_folder_is_looked_at_less_and_less_often_until_it_changes():
    waits = [LEAST_SECONDS]
    for _ in range(30):
        waits.append(wait_after(0.001, waits[-1], is_calm=True))
    assert waits == sorted(waits)
    assert waits[-1] == MOST_SECONDS
    assert wait_after(0.001, waits[-1], is_calm=False) == LEAST_SECONDS
