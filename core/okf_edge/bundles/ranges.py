"""Ranges of versions, as dependencies and people write them: `>=1.2,<2`, `^1.2`, `~1.2.3`, `1.2.0`.

Rules:
1. All clauses must hold. An empty range, or `*`, takes any version that is no pre-release.
2. A pre-release is taken only by a range that names one.
3. `^1.2` is below the next major, `~1.2` below the next minor; `^0.x` moves in its minor.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from operator import eq, ge, gt, le, lt, ne

from semver import Version

from okf_edge.bundles.versions import parse_version
from okf_edge.errors import InputError

_CLAUSE = re.compile(r"(\^|~|>=|<=|==|!=|=|>|<)?\s*([0-9][0-9A-Za-z.+-]*)")
_SHORT = re.compile(r"\d+(?:\.\d+)?")
_COMPARE: dict[str, Callable[[Version, Version], bool]] = {
    "": eq, "=": eq, "==": eq, "!=": ne, ">=": ge, "<=": le, ">": gt, "<": lt,
}  # fmt: skip


def newest_within(versions: Iterable[str], ranges: Iterable[str]) -> str | None:
    """The newest version that all ranges take, or None. Raises InputError: a range that is none."""
    clauses = [clause for text in ranges for clause in _clauses(text)]
    takes_prereleases = any(bound.prerelease for _, bound in clauses)
    parsed = [each for each in map(parse_version, versions) if takes_prereleases or not each.prerelease]
    taken = [each for each in parsed if all(_holds(operator, each, bound) for operator, bound in clauses)]
    return str(max(taken)) if taken else None


def is_within(version: str, ranges: Iterable[str]) -> bool:
    return newest_within([version], ranges) is not None


def _clauses(text: str) -> list[tuple[str, Version]]:
    if text.strip() in {"", "*"}:
        return []
    return [_clause(part.strip(), text) for part in text.split(",")]


def _clause(part: str, text: str) -> tuple[str, Version]:
    found = _CLAUSE.fullmatch(part)
    if not found:
        raise InputError(
            f"expected a range of versions such as '>=1.2,<2' or '^1.2', found {text[:80]!r}", code="bad-range"
        )
    return found[1] or "", parse_version(_whole(found[2]))


def _whole(version: str) -> str:
    """`1` and `1.2` as the versions that they begin."""
    return version + ".0" * (2 - version.count(".")) if _SHORT.fullmatch(version) else version


def _holds(operator: str, version: Version, bound: Version) -> bool:
    if operator not in {"^", "~"}:
        return _COMPARE[operator](version, bound)
    minor = operator == "~" or bound.major == 0
    end = Version(bound.major, bound.minor + 1) if minor else Version(bound.major + 1)
    return bound <= version < end
