"""No note, however it was made, costs more than in proportion to its length."""

from __future__ import annotations

import pytest

from effort import cpu_seconds
from okf_edge.okf.conformance import check

SMALL, LARGE = 6_000, 48_000
GROWTH = LARGE / SMALL
# A quadratic step would grow 64-fold here, and the constant part of a run makes small texts look dearer, not cheaper.
MOST = 3 * GROWTH

BODIES = [
    "`a``a```a````a",
    "[",
    "]",
    "[[",
    "[[a",
    "[[a|",
    "![[",
    "[x](",
    "[x](<",
    "[x](a ",
    '[x]("',
    "[a](b(",
    "![",
    "[x][y",
    "[a]: b\n",
    "[x]\n",
    "[^a",
    "[^a]: ",
    "<code>",
    "<!--",
    "<!-- ",
    "%%",
    "%% %",
    "%%a\n",
    "$a",
    "$$",
    "$$\n",
    "\\",
    "\\[",
    " ",
    "\t",
    "> ",
    ">",
    "> > >\n",
    "- ",
    "- a\n",
    "  - a\n",
    "1. ",
    "# ",
    "# a\n",
    "#a ",
    "#",
    "* * ",
    "***",
    "***a",
    "_",
    "~~~\n",
    "```\n",
    "`",
    "```a`\n",
    "| a ",
    "| a |\n|---|\n",
    "|",
    "|-",
    "a\n",
    "a\n===\n",
    "^a ",
    "^a\n",
    "- a ^b\n",
    "<div>\n",
    "<a ",
    "</code>",
    "{{x",
    "<% ",
    "---\n",
    "a\r",
    "é",
    "中",
    "[a](b.md) ",
    "[[a]] ",
    "[[a#b#",
    "#" * 7 + " ",
    "::",
    "a  \n",
    "-\n",
    ">-",
]
BLOCKS = [
    "a: b\n",
    "a: ",
    "k: [",
    "k: {",
    "{{x",
    "[[a",
    "- ",
    "- a\n",
    " - a\n",
    "? ",
    "& ",
    "&a ",
    "*a\n",
    "!",
    '"',
    "'",
    "a: 'b\n",
    "# c\n",
    ": ",
    "k: |\n",
    "k: |\n  x\n",
    "\t",
    "a:\tb\n",
    "a: b: c\n",
    "k: @\n",
    "x y z\n",
    "\n",
    "\n\nprose\n",
    "k: [[a]], [[b]]\n",
    "%",
    ", ",
    "k: 1" + "0" * 40 + "\n",
    "a: &a [*a]\n",
    "<<: x\n",
    "k: {a: b}\n",
    "k: <% x %>\n",
    "- k: v: w\n",
]


def seconds(text: str) -> float:
    files = {"note.md": text.encode()}
    return cpu_seconds(lambda: check(files))


def assert_linear(head: str, piece: str, tail: str) -> None:
    def text(length: int) -> str:
        return head + piece * (length // len(piece)) + tail

    check({"note.md": text(SMALL).encode()})
    ratios = []
    for _ in range(3):
        ratios.append(seconds(text(LARGE)) / max(seconds(text(SMALL)), 1e-4))
        if ratios[-1] <= MOST:
            return
    raise AssertionError(f"{piece!r} eight times as often costs {min(ratios):.0f} times as much")


@pytest.mark.parametrize("piece", BODIES)
def test_a_repeated_piece_of_markdown_costs_in_proportion(piece: str) -> None:
    assert_linear("", piece, "")


@pytest.mark.parametrize("piece", BLOCKS)
def test_a_repeated_piece_of_yaml_costs_in_proportion(piece: str) -> None:
    assert_linear("---\ntype: T\n", piece, "\n---\nbody")


@pytest.mark.parametrize(
    "piece", ["[x{n}](y)\n", "# h{n}\n", "- a ^b{n}\n", "[[a{n}#b]]\n", "#t{n} ", "[r{n}]: x\n[r{n}]\n\n"]
)
def test_many_different_things_cost_in_proportion(piece: str) -> None:
    def text(count: int) -> str:
        return "".join(piece.replace("{n}", str(number)) for number in range(count))

    check({"note.md": text(500).encode()})
    assert min(seconds(text(6_400)) / max(seconds(text(800)), 1e-4) for _ in range(5)) <= MOST


def test_nesting_without_end_is_bounded() -> None:
    for body in (">" * 5_000 + "a", "- " * 5_000 + "a", "".join(" " * (2 * n) + "- a\n" for n in range(400))):
        check({"note.md": body.encode()})
    for block in (
        "a: " + "[" * 5_000,
        "- " * 5_000,
        "".join(" " * n + "a:\n" for n in range(1_500)),
        "k: " + "{a: " * 5_000,
    ):
        assert not check({"note.md": f"---\n{block}\n---\n".encode()}).conformant
