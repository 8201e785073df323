"""One YAML on every host: libyaml, where it is there, changes nothing but the speed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from okf_edge.okf import yaml12
from okf_edge.okf.frontmatter import find_block
from okf_edge.okf.lines import unix_newlines

# fmt: off
FRAGMENTS = (
    'a', 'b: ', 'key: ', '- ', '[', ']', '{', '}', ', ', ',', ':', ' ',
    '\n', '\n  ', '\n- ', '"', "'", '#', ' #c', '>', '\n  x', '&a ', '*a', '!',
    '!!str ', '%', '@', '`', '~', 'no', '1.10', '2026', '[[Ada]]', '{{t}}', '\t', '\\',
    '?', '? ', '...', '---', '<<: *a', 'é', '中文', '😀', '<% x %>', '--', '::', '"x"',
    "'y'", '=', ';', '"a": ', '[a, b]', '{a: b}', '{a:b}', 'null', '.', '>-', ' - ', ' :',
    '\n\n', '\n    ', 'http://x.y/z?a=b&c', '12:30', 'a:b', ' ?', '?a', ',a', 'a]', '}a', '#x', '|',
    '|+', '|2', '||',
)
# fmt: on


def outcome(text: str, *, pure: bool) -> Any:
    try:
        parsed = yaml12.parse(text, pure=pure)
    except yaml12.YamlProblem as problem:
        return problem.message, problem.line, problem.too_much
    return repr(parsed.value), parsed.lines, parsed.notes


def random_texts(count: int) -> list[str]:
    chance = random.Random(20_26)
    return [
        chance.choice(["", "k: "]) + "".join(chance.choices(FRAGMENTS, k=chance.randint(1, 14))) for _ in range(count)
    ]


@pytest.mark.parametrize("count", [3_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_libyaml_and_pure_python_agree_on_random_texts(count: int) -> None:
    differing = [text for text in random_texts(count) if outcome(text, pure=True) != outcome(text, pure=False)]
    assert differing == []


def test_libyaml_and_pure_python_agree_on_real_frontmatter() -> None:
    vaults = Path(__file__).parents[4] / "shared" / "corpora"
    if not vaults.is_dir():
        pytest.skip("needs the corpora beside the checkout")
    compared = 0
    for path in sorted(vaults.rglob("*.md")):
        text = path.read_text("utf-8", "replace")
        block = find_block(text)
        if block:
            source = unix_newlines(text[block.start : block.end])
            assert outcome(source, pure=True) == outcome(source, pure=False), path
            compared += 1
    assert compared > 100


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        (r"\ud83d\ude00", "\U0001f600"),
        (r"a\ud83d", "a\ufffd"),
        (r"\udc00\ud800b", "\ufffd\ufffdb"),
        (r"\U0001F600", "\U0001f600"),
    ],
)
def test_escaped_halves_of_characters_become_text(typed: str, read: str) -> None:
    assert yaml12.parse(f'"{typed}": ["{typed}"]').value == {read: [read]}


@pytest.mark.parametrize("beyond", [r"\U00110000", r"\UFFFFFFFF"])
def test_an_escape_beyond_the_last_character_is_a_problem_of_its_line(beyond: str) -> None:
    with pytest.raises(yaml12.YamlProblem) as caught:
        yaml12.parse(f'a: 1\nb: "{beyond}"\n')
    assert caught.value.line == 2
