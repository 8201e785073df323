"""Path rules: deny beats allow, folders hold for what is below, names match in every spelling."""

from __future__ import annotations

import pytest

from okf_edge.errors import InputError
from okf_edge.policy.rules import EVERYTHING, PathRules


@pytest.mark.parametrize(
    ("allow", "deny", "path", "seen"),
    [
        (None, (), "a/b.md", True),
        ((), (), "a/b.md", False),
        (None, ("a",), "a/b.md", False),
        (None, ("a/",), "a/b/c.md", False),
        (None, ("a/**",), "a/b/c.md", False),
        (None, ("a/*",), "a/b/c.md", False),
        (None, ("a/*.md",), "a/b.md", False),
        (None, ("a/*.md",), "a/b/c.md", True),
        (None, ("**/secret*",), "x/y/secret-plan.md", False),
        (None, ("**/secret*",), "secret.md", False),
        (("a/**",), (), "b.md", False),
        (("a/**",), ("a/b.md",), "a/b.md", False),
        (("a/**",), ("a/b.md",), "a/c.md", True),
        (None, ("A",), "a/b.md", False),
        (None, ("caf\u00e9",), "cafe\u0301/x.md", False),
        (None, ("cafe\u0301",), "caf\u00e9/x.md", False),
        (None, ("a+b(c)",), "a+b(c)/x.md", False),
        (None, ("a.c",), "abc", True),
        (None, ("note?.md",), "note1.md", False),
        (None, ("note?.md",), "note/.md", True),
        (None, ("stra\u00dfe",), "STRASSE/x.md", False),
    ],
)
def test_a_rule_decides_as_it_reads(allow, deny, path, seen) -> None:
    assert PathRules(allow, deny).admits(path) is seen


def test_only_rules_that_may_hide_something_count_as_rules() -> None:
    assert not EVERYTHING
    assert PathRules(allow=())
    assert PathRules(deny=("a",))


def test_all_bad_rules_are_told_at_once() -> None:
    with pytest.raises(InputError) as told:
        PathRules(allow=("x" * 600, "/"), deny=("",))
    assert len(told.value.issues) == 3
