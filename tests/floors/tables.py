"""Handbook tables that are written from the product: the section below a heading of a page.

`python -m tests.floors.tables` writes them anew; a test says when that is due.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import partial

from okf_edge import limits as limits_module
from okf_edge.index import weighing
from okf_edge.limits import LIMITS
from okf_edge.okf.rules import RULES
from okf_edge.retrieval import calibration, fuse
from okf_edge_cli.commands import COMMANDS, GROUPS, Argument, Command
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


def constants_of_fusion() -> str:
    weights = ((f"weight of meaning with `{model}`", of_model.weight) for model, of_model in calibration.MODELS.items())
    others = (
        ("deviations above the mean that count as 1", fuse.DEVIATIONS),
        ("share of its score that a stale page keeps", fuse.STALE_FACTOR),
        ("share of its score that a deprecated page keeps", fuse.DEPRECATED_FACTOR),
    )
    return _table(("constant", "value"), ((name, f"{value:g}") for name, value in (*weights, *others)))


def options(group: str) -> str:
    """What the commands of a page take; the first column tells them apart where there are several."""
    rows = [(command, argument) for command in commands_of(group) for argument in command.arguments]
    named = group in GROUPS
    head = ("command",) * named + ("argument", "meaning")
    return _table(head, ((f"`{each.name}`",) * named + (f"`{_shown(taken)}`", taken.help) for each, taken in rows))


def exits(group: str) -> str:
    own = {code: meaning for command in commands_of(group) for code, meaning in command.exits.items()}
    table = _table(("code", "meaning"), ((str(code), meaning) for code, meaning in sorted(own.items())))
    return f"{table}\n\nEvery command can also end with 2, 3, 70 or 130: [exit codes](/reference/exit-codes.md)."


def commands_of(group: str) -> tuple[Command, ...]:
    """The commands that `commands/okf-<group>.md` is about: one, or those of a group."""
    return tuple(command for command in COMMANDS if command.name.partition(" ")[0] == group)


COMMAND_PAGES = dict.fromkeys(command.name.partition(" ")[0] for command in COMMANDS)
TABLES: dict[tuple[str, str], Callable[[], str]] = {
    ("concepts/bm25f.md", "Fields"): fields_of_bm25f,
    ("concepts/fusion.md", "Constants"): constants_of_fusion,
    ("format/rules.md", "All rules"): rules,
    ("reference/limits.md", "All limits"): limits,
    **{(f"commands/okf-{group}.md", "Options"): partial(options, group) for group in COMMAND_PAGES},
    **{(f"commands/okf-{group}.md", "Exit codes"): partial(exits, group) for group in COMMAND_PAGES},
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


def _shown(argument: Argument) -> str:
    """An argument as it is typed."""
    if not argument.flags:
        return argument.shown or argument.name
    return argument.flags[0] if argument.takes == "nothing" else f"{argument.flags[0]} {argument.shown}"


def _cell(text: str) -> str:
    """Text that stays in its cell and makes no link."""
    return WIKILINK.sub(r"`\g<0>`", text).replace("|", r"\|")


def main() -> None:
    for (page, heading), table in TABLES.items():
        path = ROOT / page
        path.write_text(with_table(path.read_text(encoding="utf-8"), heading, table()), encoding="utf-8")


if __name__ == "__main__":
    main()
