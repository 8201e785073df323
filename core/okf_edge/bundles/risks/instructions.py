"""Text that addresses an assistant instead of a reader: prompt injection, in several languages and disguises.

A hit inside quotation marks or inline code talks about such text and is information; one in a comment, in metadata or
in hidden letters is meant for nobody but a machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from okf_edge.bundles.risks.finding import Hit, Severity
from okf_edge.bundles.risks.phrases import LATIN, OTHER_SCRIPTS, Phrases
from okf_edge.bundles.risks.views import View, beyond_ascii, has_any, lowered


@dataclass(frozen=True, slots=True)
class _Rule:
    """`needs` are groups of texts: a line with a phrase of the rule has one of each, and `after` behind the first."""

    reason: str
    needs: tuple[tuple[str, ...], ...]
    pattern: re.Pattern[str]
    after: re.Pattern[str]

    def may_be_in(self, lowered: str) -> bool:
        return all(has_any(lowered, group) for group in self.needs)


Rules = list[tuple[_Rule, tuple[str, ...]]]
"""Rules whose phrases a text may hold, each with the texts of its first group that are there."""


def _rule(phrases: Phrases) -> _Rule:
    needs = tuple(tuple(group.replace("*", "").split(";")) for group in phrases.needs.split(" & "))
    return _Rule(phrases.reason, needs, re.compile(phrases.pattern, re.I | re.M), re.compile(phrases.after))


_RULES = tuple(map(_rule, LATIN))
_ALL_RULES = (*_RULES, *map(_rule, OTHER_SCRIPTS))
_OTHER_LETTERS = re.compile("[\u0400-\u052f\u0600-\u06ff\u0900-\u097f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def _one_of(texts: Iterable[str]) -> str:
    """A pattern for one of some texts, the longest that fits; told apart by their first letter, which is cheap."""
    groups = groupby(sorted(texts, reverse=True), key=lambda text: text[0])
    return "|".join(f"{first}(?:{'|'.join(re.escape(text[1:]) for text in group)})" for first, group in groups)


def _spaced(text: str) -> str:
    """A text in lower case with a space for whatever is no letter of ASCII."""
    return text.encode("ascii", "replace").translate(_SPACES).decode("ascii")


_SPACES = bytes(code if chr(code).islower() and code < 128 else 32 for code in range(256))
_WORDS = frozenset(text for phrases in LATIN for text in re.split(";| & ", phrases.needs) if text[0].islower())
_SHOWN_WORDS = re.compile(f" (?=({_one_of({_spaced(text) for text in _WORDS})}))")
_WITHIN = {shown: tuple(text for text in _WORDS if shown.startswith(_spaced(text))) for shown in map(_spaced, _WORDS)}
_NONE = dict.fromkeys(_WORDS, False)
# A line break inside a paragraph reads as a space, so a sentence that is wrapped is one sentence.
_SOFT_BREAK = re.compile(r"\n(?<=[^\s|`]\n)(?=[^\s>#*+|`~<-])")
_QUOTED = re.compile(
    r"`[^`\n]{1,400}`|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|「[^」\n]{1,400}」|『[^』\n]{1,400}』"
    r"|«[^»\n]{1,400}»|‘[^’\n]{1,400}’"
)


def instructions(view: View, rules: Rules | None = None, *, is_prose: bool = True) -> Iterator[Hit]:
    """Every instruction-like place of one view of a text; the first of a line.

    In prose a wrapped sentence is one, and what is quoted is talked about; in metadata neither holds.

    Args: rules: those for the whole of which this is a part, when they are known.
    """
    rules = rules_for(view.text) if rules is None else rules
    if not rules:
        return
    text = _SOFT_BREAK.sub(" ", view.text) if is_prose else view.text
    folded = lowered(text)
    told: set[int] = set()
    for rule, marks in rules:
        for start, end in _lines_for(rule, marks, folded):
            for match in rule.pattern.finditer(text, start, end):
                line = view.text.rfind("\n", 0, match.end())
                if line not in told:
                    told.add(line)
                    yield _hit(view, match, text[start:end], start, rule.reason, is_prose)


def rules_for(text: str) -> Rules:
    """The rules whose phrases a text may hold, as prose or not, and which texts are there that they need.

    Most texts are for readers, and for them this is quick.
    """
    flat = _SOFT_BREAK.sub(" ", lowered(text))
    is_latin = not _OTHER_LETTERS.search(beyond_ascii(text))
    known = dict(_NONE)
    for shown in {*_SHOWN_WORDS.findall(f" {_spaced(flat)}")}:
        known.update(dict.fromkeys(_WITHIN[shown], True))
    found = []
    for rule in _RULES if is_latin else _ALL_RULES:
        if _has_all(rule.needs, flat, known):
            marks = tuple(mark for mark in rule.needs[0] if known[mark])
            if any(True for _ in _lines_for(rule, marks, flat)):
                found.append((rule, marks))
    return found


def _has_all(needs: tuple[tuple[str, ...], ...], text: str, known: dict[str, bool]) -> bool:
    """Whether a text has one of each group. What is not known yet is looked for, and known from then on."""
    for group in needs:
        is_there = False
        for mark in group:
            if mark not in known:
                known[mark] = mark in text
            is_there = is_there or known[mark]
        if not is_there:
            return False
    return True


def _lines_for(rule: _Rule, marks: tuple[str, ...], lowered: str) -> Iterator[tuple[int, int]]:
    """The lines with one of these texts that may hold a phrase of a rule."""
    for mark in marks:
        at = lowered.find(mark)
        while at != -1:
            end = at + len(mark)
            if rule.after.match(lowered, end):
                start, end = _line_of(lowered, at)
                if len(rule.needs) == 1 or rule.may_be_in(lowered[start:end]):
                    yield start, end
            at = lowered.find(mark, end)


def _line_of(text: str, at: int) -> tuple[int, int]:
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end == -1 else end


def _hit(view: View, match: re.Match[str], line: str, line_start: int, reason: str, is_prose: bool) -> Hit:
    start, end = match.start() - line_start, match.end() - line_start
    quoted = is_prose and any(each.start() < start and end < each.end() for each in _QUOTED.finditer(line))
    severity: Severity = "info" if quoted else "blocking"
    suffix = ": quoted, so talked about" if quoted else ""
    return Hit("instruction-like text", *view.span(*match.span()), match[0].strip(), severity, reason + suffix)
