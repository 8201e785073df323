"""Phrases that address an assistant are found quickly: what is looked for first hides none of them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from okf_edge.bundles.risks import instructions as scanning
from okf_edge.bundles.risks.phrases import LATIN, OTHER_SCRIPTS
from okf_edge.bundles.risks.views import View

PHRASES = (*LATIN, *OTHER_SCRIPTS)
AROUND = st.sampled_from(["", "The harbour floods: ", "Read this, then\n\n", "<b>", "A system of rules:\n"])


def every_line_with_every_pattern(text: str) -> list[str]:
    """What the patterns alone find, the first of a line."""
    lines, at = [], 0
    for line in text.split("\n"):
        lines.append((at, at + len(line)))
        at += len(line) + 1
    told: dict[int, str] = {}
    for phrases in PHRASES:
        pattern = re.compile(phrases.pattern, re.I | re.M)
        for start, end in lines:
            for match in pattern.finditer(text, start, end):
                told.setdefault(text.rfind("\n", 0, match.end()), match[0].strip())
    return sorted(told.values())


@pytest.mark.parametrize("phrases", PHRASES, ids=lambda each: f"{each.reason}, {each.needs[:12]}")
def test_what_is_looked_for_first_hides_no_phrase(phrases) -> None:
    @settings(max_examples=20, deadline=None, derandomize=True, database=None)
    @given(phrase=st.from_regex(re.compile(phrases.pattern, re.I | re.M)), before=AROUND, after=AROUND)
    def check(phrase: str, before: str, after: str) -> None:
        text = before + phrase + after
        found = sorted(hit.value for hit in scanning.instructions(View(text), is_prose=False))
        assert found == every_line_with_every_pattern(text)

    check()


def test_a_text_for_readers_is_looked_through_once() -> None:
    text = "The system of the harbour has rules for its users: each model of a boat is told apart by its agent.\n" * 9
    assert scanning.rules_for(text) == []
