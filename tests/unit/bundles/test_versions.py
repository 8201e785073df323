"""Versions are ordered as semver.org orders them, and what is none is refused."""

from __future__ import annotations

from itertools import pairwise

import pytest

from okf_edge.bundles.versions import compare_versions, is_version, next_version, offered_version, parse_version
from okf_edge.errors import InputError

ASCENDING = [
    "0.0.0",
    "1.0.0-0",
    "1.0.0-2",
    "1.0.0-11",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.2.0",
    "1.9.0",
    "1.10.0",
    "2.0.0-0",
    "2.0.0",
    "10.0.0",
]


def test_the_order_is_that_of_the_specification():
    assert [compare_versions(left, right) for left, right in pairwise(ASCENDING)] == [-1] * (len(ASCENDING) - 1)


def test_build_metadata_does_not_count():
    assert compare_versions("1.2.0", "1.2.0+b1") == compare_versions("1.2.0+b2", "1.2.0+b1") == 0


@pytest.mark.parametrize(
    "junk",
    ["1.2", "01.2.3", "1.02.3", "latest", "1.2.3.4", "", "1.2.3-", "1.2.3-01", "v1.2.3", "1.2.3 ", "１.2.3",
     "2026.11.030", "1.2.3+", "1.2.3-a..b", "-1.2.3", "1.2.x", "9" * 80 + ".0.0"],
)  # fmt: skip
def test_what_is_no_version_is_refused_and_never_ordered(junk):
    assert not is_version(junk)
    with pytest.raises(InputError) as caught:
        parse_version(junk)
    assert caught.value.code == "bad-version"


@pytest.mark.parametrize(
    ("released", "following"),
    [
        ([], "1.0.0"),
        (["1.0.0"], "1.1.0"),
        (["1.9.0", "1.10.2", "1.2.0"], "1.11.0"),
        (["1.0.0", "2.0.0-rc.1"], "2.0.0"),
    ],
)
def test_the_next_version_follows_the_newest(released, following):
    assert next_version(released) == following


@pytest.mark.parametrize(
    ("installed", "available", "offer"),
    [
        ("2.0.0-0", ["1.10.0"], None),
        ("1.2.0", ["1.3.0-rc.1"], None),
        ("1.3.0-rc.1", ["1.3.0"], "1.3.0"),
        ("1.3.0-rc.1", ["1.3.0-rc.2", "1.2.9"], "1.3.0-rc.2"),
        ("1.9.0", ["1.10.0", "1.9.9"], "1.10.0"),
        ("1.2.0", ["1.2.0+b9"], None),
        ("1.2.0", [], None),
    ],
)
def test_only_what_is_newer_and_as_stable_is_offered(installed, available, offer):
    assert offered_version(installed, available) == offer
