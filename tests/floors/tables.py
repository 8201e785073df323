"""Handbook tables that are written from the product: the section below a heading of a page.

`python -m tests.floors.tables` writes them anew; a test says when that is due.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from dataclasses import fields

from okf_edge import limits as limits_module
from okf_edge.index import weighing
from okf_edge.limits import LIMITS
from okf_edge.okf.rules import RULES
from tests.floors.handbook import ROOT

LIMIT_FIELD = re.compile(r'^    (\w+): (?:int|float) = [^\n]+\n    """(.+?)"""', re.MULTILINE | re.DOTALL)
WIKILINK = re.compile(r'"\[\[[^\]]+\]\]"')


def rules() -> str:
    rows = (
        (
            f"`{rule.id}`",
            rule.severity,
            f"{rule.section} (silent)" if rule.silent else rule.section,
            rule.title,
            rule.fix,
        )
        for rule in RULES.values()
    )
    return _table(("id", "severity", "section", "finding", "fix"), rows)


def limits() -> str:
    reasons = _limit_reasons()
    rows = ((f"`{item.name}`", f"{getattr(LIMITS, item.name):,}", reasons[item.name]) for item in fields(LIMITS))
    return _table(("limit", "value", "what and why"), rows)


def fields_of_bm25f() -> str:
    named = {
        "title and aliases": weighing.TITLE,
        "tags": weighing.TAGS,
        "description": weighing.DESCRIPTION,
        "headings": weighing.HEADINGS,
        "body": weighing.BODY,
    }
    rows = ((name, f"{field.boost:g}", f"{field.b:g}", f"{field.usual_words:g}") for name, field in named.items())
    return _table(("field", "boost", "length counts (b)", "usual words"), rows)


TABLES = {
    ("concepts/bm25f.md", "Fields"): fields_of_bm25f,
    ("format/rules.md", "All rules"): rules,
    ("reference/limits.md", "All limits"): limits,
}


def with_table(text: str, heading: str, table: str) -> str:
    """`text` with all of the section below `heading` replaced by `table`."""
    start = text.index(f"## {heading}\n") + len(f"## {heading}\n")
    following = text.find("\n## ", start)
    rest = text[following:] if following >= 0 else ""
    return f"{text[:start]}\n{table}\n{rest}"


def _limit_reasons() -> dict[str, str]:
    """The docstring that stands below each limit; dataclasses do not keep it."""
    found = LIMIT_FIELD.findall(inspect.getsource(limits_module))
    return {name: " ".join(reason.split()) for name, reason in found}


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (head, ("---",) * len(head), *rows)
    return "\n".join(f"| {' | '.join(map(_cell, row))} |" for row in lines)


def _cell(text: str) -> str:
    """Text that stays in its cell and makes no link."""
    return WIKILINK.sub(r"`\g<0>`", text).replace("|", r"\|")


def main() -> None:
    for (page, heading), table in TABLES.items():
        path = ROOT / page
        path.write_text(with_table(path.read_text(encoding="utf-8"), heading, table()), encoding="utf-8")


if __name__ == "__main__":
    main()
