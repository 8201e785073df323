"""Which scripts a text is written in, by share; frozen ranges, so that every host sees the same."""

from __future__ import annotations

import re
from collections.abc import Mapping

# A Han character carries about as much as three letters of an alphabet.
_SCRIPTS: dict[str, tuple[re.Pattern[str], int]] = {
    "Latin": (re.compile("[A-Za-zÀ-ÖØ-öø-ɏḀ-ỿＡ-Ｚａ-ｚ]"), 1),
    "Han": (re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]"), 3),
    "Kana": (re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f]"), 2),
    "Hangul": (re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]"), 3),
    "Cyrillic": (re.compile("[\u0400-\u052f]"), 1),
    "Greek": (re.compile("[\u0370-\u03ff\u1f00-\u1fff]"), 1),
    "Arabic": (re.compile("[\u0600-\u06ff\u0750-\u077f]"), 1),
    "Hebrew": (re.compile("[\u0590-\u05ff]"), 1),
    "Devanagari": (re.compile("[\u0900-\u097f]"), 1),
    "Thai": (re.compile("[\u0e00-\u0e7f]"), 1),
}


def shares_of(text: str) -> dict[str, float]:
    """Each script's share of the text, summing to 1; empty for a text without letters."""
    counts = {name: weight * len(letters.findall(text)) for name, (letters, weight) in _SCRIPTS.items()}
    total = sum(counts.values())
    return {name: count / total for name, count in counts.items() if count}


def unshared(question: Mapping[str, float], content: Mapping[str, float]) -> float:
    """The part of the question that is in scripts which the content hardly uses: 0 same script, 1 none shared."""
    if not question or not content:
        return 0.0
    return sum(share for script, share in question.items() if content.get(script, 0.0) < _HARDLY)


_HARDLY = 0.2
"""Below this share of a script, a text only borrows names and terms from it."""
