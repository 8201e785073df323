"""Folders of pages for measuring cost: any number, the same on every run and machine, English or Chinese.

Sentences are those of the handbook, joined with words of a made vocabulary whose frequencies fall as those of real
words do, so that postings, titles and links have realistic shapes.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

HANDBOOK = Path(__file__).parents[2] / "bundles/handbook"
VOCABULARY = 20_000
ENGLISH_CHARS = 1_500
CHINESE_CHARS = 470
_ONSETS = (*"bdfghklmnprstvz", "st", "tr", "gr", "pl")
_SYLLABLES = [onset + vowel for onset in _ONSETS for vowel in "aeiou"]
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_SENTENCE = re.compile(r"(?<=[.。])\s*")


def write_pages(folder: Path, count: int, *, sections: int = 1, seed: int = 1) -> Path:
    """English pages with frontmatter, `sections` headings of about 1.5 KB each, and a link to an earlier page."""
    for number in range(count):
        path = folder / page_path(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page(number, sections, seed))
    return folder


def write_chinese_pages(folder: Path, count: int, seed: int = 1) -> Path:
    """Chinese pages of about 470 characters."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        dice = random.Random(f"{seed} zh {number}")
        title = "".join(dice.choices(_characters(), k=6))
        text = _filled(dice, _sentences("zh"), CHINESE_CHARS, "")
        (folder / f"zh-{number:05}.md").write_text(f"---\ntype: Note\ntitle: {title}\n---\n\n{text}\n")
    return folder


def questions(count: int, seed: int = 1) -> list[str]:
    """Questions in the words of the pages: a few of one sentence each."""
    dice = random.Random(f"{seed} questions")
    return [" ".join(dice.choice(_sentences("en")).rstrip(".").split()[:9]) + "?" for _ in range(count)]


def page_path(number: int) -> str:
    return f"area-{number % 97:02}/page-{number:05}.md"


def page(number: int, sections: int = 1, seed: int = 1) -> str:
    dice = random.Random(f"{seed} {number}")
    title = " ".join(_words(dice, 3)).capitalize()
    head = f"---\ntype: Note\ntitle: {title}\ndescription: About {title}.\ntags: [{_words(dice, 1)[0]}]\n---\n"
    link = f"\nSee [another](/{page_path(dice.randrange(number))}).\n" if number else ""
    return head + "".join(_section(dice) for _ in range(sections)) + link


def _section(dice: random.Random) -> str:
    heading = " ".join(_words(dice, 4)).capitalize()
    text = _filled(dice, [*_sentences("en"), *(_sentence(dice) for _ in range(200))], ENGLISH_CHARS, " ")
    return f"\n## {heading}\n\n{text}\n"


def _filled(dice: random.Random, sentences: list[str], chars: int, joint: str) -> str:
    """Sentences at random until there are enough characters, a paragraph of a few at a time."""
    out = ""
    while len(out) < chars:
        out += joint.join(dice.choices(sentences, k=3)) + "\n\n"
    return out[:chars].rstrip()


def _sentence(dice: random.Random) -> str:
    return " ".join(_words(dice, dice.randint(8, 16))).capitalize() + "."


def _words(dice: random.Random, count: int) -> list[str]:
    """Words by Zipf's law: the n-th word is as likely as 1/n."""
    return [_vocabulary()[int(VOCABULARY ** dice.random()) - 1] for _ in range(count)]


@cache
def _vocabulary() -> list[str]:
    dice = random.Random("vocabulary")
    return ["".join(dice.choices(_SYLLABLES, k=dice.randint(2, 4))) for _ in range(VOCABULARY)]


@cache
def _sentences(language: str) -> list[str]:
    """The handbook's sentences in one language, 20 to 300 characters long, in path order."""
    is_chinese = re.compile("[\u4e00-\u9fff]")
    found = [sentence for text in _texts() for sentence in _SENTENCE.split(text) if 20 <= len(sentence) <= 300]
    return [sentence for sentence in found if bool(is_chinese.search(sentence)) == (language == "zh")]


@cache
def _characters() -> str:
    return "".join(dict.fromkeys(re.findall("[\u4e00-\u9fff]", "".join(_sentences("zh")))))


def _texts() -> Iterator[str]:
    for path in sorted(HANDBOOK.rglob("*.md")):
        body = path.read_text().rpartition("\n---\n")[2]
        lines = (line for line in body.splitlines() if line.endswith((".", "。")) and line[0].isalpha())
        yield from (_LINK.sub(r"\1", line) for line in lines)
