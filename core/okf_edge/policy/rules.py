"""Which pages a caller may see: allow and deny by glob, decided on the real path and before anything is counted.

Rules:
1. What is denied stays denied, whatever is allowed. Without an allow list everything is allowed; an empty one allows
   nothing.
2. A rule that matches a folder holds for everything below it. `**` spans folders, `*` and `?` stay within one name,
   every other character means itself.
3. Names match under NFC and in any letter case: a file system may know two spellings as one file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from okf_edge.errors import InputError
from okf_edge.limits import LIMITS
from okf_edge.paths import parents

_WILD = re.compile(r"(\*\*/?|\*|\?)")
_MEANS = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}


@dataclass(frozen=True, slots=True)
class PathRules:
    """Raises: InputError: a rule is too long, empty, or there are too many; all problems at once."""

    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        issues = _issues_of([*(self.allow or ()), *self.deny])
        if issues:
            raise InputError("; ".join(issues), code="bad-path-rule", hint="e.g. `journal/**`", issues=issues)

    def __bool__(self) -> bool:
        """Whether anything may be hidden."""
        return self.allow is not None or bool(self.deny)

    def admits(self, path: str) -> bool:
        """Whether the page or folder at a path may be seen."""
        if not self:
            return True
        places = _places(path)
        is_allowed = self.allow is None or _any(self.allow, places)
        return is_allowed and not _any(self.deny, places)


def _issues_of(rules: Sequence[str]) -> list[str]:
    issues = [
        f"expected at most {LIMITS.path_rule_chars} characters in a path rule, found {len(rule)}"
        for rule in rules
        if len(rule) > LIMITS.path_rule_chars
    ]
    issues += [f"expected a path rule, found {rule!r}" for rule in rules if not rule.strip("/ ")]
    if len(rules) > LIMITS.path_rules_count:
        issues.append(f"expected at most {LIMITS.path_rules_count} path rules, found {len(rules)}")
    return issues


def _any(rules: Sequence[str], places: Sequence[str]) -> bool:
    return any(_pattern(rule).fullmatch(place) for rule in rules for place in places)


def _places(path: str) -> list[str]:
    """A path and the folders above it, as they are matched."""
    plain = _plain(path)
    return [plain, *parents(plain)]


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).strip("/")


@lru_cache(maxsize=1024)
def _pattern(rule: str) -> re.Pattern[str]:
    parts = _WILD.split(_plain(rule))
    return re.compile("".join(_MEANS.get(part, re.escape(part)) for part in parts), re.DOTALL)


EVERYTHING = PathRules()
"""Nothing is hidden."""
