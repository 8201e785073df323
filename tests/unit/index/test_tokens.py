"""Text becomes the same terms on every host, in every script that people write notes in."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import okf_edge
from okf_edge.index.tokens import MAX_TERM_CHARS, STOP_WORDS, counted_terms, terms, words

CHARACTERS = {
    16: "c818b1ef34d0d8f1d8f6c3a6ca91f897815493b8f3ffd484af7ebf75c234485b",
    1: "0c27505e04fde1e4d0b19b5f8396ab07cd3339ac140c1b420d0e7a152b78d869",
}
"""Digests of the terms of every 16th block of 64 characters of planes 0 and 1, and of all. They change with PIPELINE_ID
only."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("running runs", ["run", "run"]),
        ("the sluice and the gate", ["sluic", "gate"]),
        ("don't touch Luther's l’eau", ["touch", "luther", "l", "eau"]),
        ("snake_case", ["snake_case", "snake", "case"]),
        ("parseHTTPHeader", ["parsehttphead", "pars", "http", "header"]),
        ("URLs and PDFs", ["url", "pdf"]),
        ("v1.2", ["v1.2", "v1", "2"]),
        ("a/b_c.py", ["a/b_c.py", "b_c.py", "b_c", "b", "c", "py"]),
        ("IL-6 well-known", ["il-6", "il", "6", "well", "known"]),
        ("C# and C++ for node.js", ["c#", "c++", "node.js", "node", "js"]),
        ("café", ["café", "cafe"]),
        ("Müller", ["müller", "muller", "mueller"]),
        ("Hauptstraße", ["hauptstrass"]),
        ("備用閥", ["備", "用", "閥", "備用", "用閥"]),
        ("サンド 밸브", ["サ", "ン", "ド", "サン", "ンド", "밸", "브", "밸브"]),
        ("ｶﾞ", ["ガ"]),
        ("ไทย", ["ไท", "ทย", "ไทย"]),
        ("Ёлка новый", ["ёлка", "елка", "новый"]),
        ("كِتَاب", ["كِتَاب", "كتاب"]),
        ("٣", ["٣", "3"]),
        ("ΣΊΣΥΦΟΣ", ["σίσυφοσ", "σισυφοσ"]),
        ("a\u00adb zero\u200dwidth", ["ab", "zerowidth"]),
        ("🔄", ["🔄"]),
    ],
)
def test_a_text_gives_its_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("offnungszeiten", "Öffnungszeiten"),
        ("ÖFFNUNGSZEITEN", "O\u0308ffnungszeiten"),
        ("strasse", "Straße"),
        ("mueller", "Müller"),
        ("muller", "Müller"),
        ("istanbul", "İstanbul"),
        ("kiyisi", "kıyısı"),
        ("okf_edge", "core/okf_edge/index.py"),
        ("limit", "p137_limit"),
        ("泵", "静音泵"),
        ("静音", "存放静音泵"),
        ("ＡＢＣ", "abc"),
        ("naive", "naïve"),
        ("e-mail", "E-Mail"),
    ],
)
def test_a_question_shares_a_term_with_the_note_that_spells_it_otherwise(question: str, note: str) -> None:
    assert set(terms(question)) & set(terms(note))


def test_the_exact_spelling_shares_more_terms_than_another() -> None:
    question = set(terms("Öffnung"))
    assert len(question & set(terms("Öffnung"))) > len(question & set(terms("Offnung"))) > 0


def test_stop_words_stay_where_there_is_nothing_else() -> None:
    assert terms("The Who") == ["the", "who"]
    assert not STOP_WORDS & set(terms("The Who discography"))


def test_counting_gives_the_same_terms_as_listing() -> None:
    for text in ("The gate of the gate, don't 备用阀门 备用 a_b a_b v1.2", "the the who", "", "  \n"):
        assert counted_terms(text).terms == dict(Counter(terms(text)))


def test_words_keep_their_terms_together() -> None:
    assert [(word.text, word.terms, word.is_stop) for word in words("the Müller 泵房")] == [
        ("the", ("the",), True),
        ("Müller", ("müller", "muller", "mueller"), False),
        ("泵房", ("泵", "房", "泵房"), False),
    ]


def test_hostile_words_stay_short_and_cheap() -> None:
    for text in ("x" * 100_000, "a.b" * 30_000, "_" * 50_000, "ä" * 50_000, "a" + "\u0301" * 50_000, "::/\\" * 9_000):
        assert all(len(term) <= MAX_TERM_CHARS for term in terms(text))


def _digest_of_characters(step: int) -> str:
    digest = hashlib.sha256()
    for block in range(0, 0x20000, 64 * step):
        characters = [chr(point) for point in range(block, block + 64) if not 0xD800 <= point <= 0xDFFF]
        if characters:
            text = " ".join(f"{c} x{c}y {c}Z{c}" for c in characters) + " " + "".join(characters)
            digest.update(hashlib.sha256("\0".join(terms(text)).encode()).hexdigest().encode())
    return digest.hexdigest()


@pytest.mark.parametrize("step", [16, pytest.param(1, marks=pytest.mark.slow)])
def test_characters_give_the_terms_that_they_always_gave(step: int) -> None:
    assert _digest_of_characters(step) == CHARACTERS[step]


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.12", "3.13", "3.14"])
def test_other_pythons_give_the_same_terms_though_they_know_another_unicode(version: str) -> None:
    python = shutil.which(f"python{version}")
    if not python or subprocess.run([python, "-c", ""], capture_output=True, timeout=30).returncode:
        pytest.skip(f"no python{version} here")
    code = f"import runpy; print(runpy.run_path({__file__!r})['_digest_of_characters'](1))"
    ours = [str(Path(okf_edge.__file__).parent.parent), *(path for path in sys.path if path.endswith("site-packages"))]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(ours)}
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, env=env, timeout=300)
    assert done.stdout.strip() == CHARACTERS[1], done.stderr[-500:]


def test_the_pure_stemmer_agrees_with_the_fast_one() -> None:
    fast = pytest.importorskip("Stemmer").Stemmer("english")
    from snowballstemmer.english_stemmer import EnglishStemmer

    pure = EnglishStemmer()
    prose = "".join(path.read_text() for path in sorted(Path(okf_edge.__file__).parent.rglob("*.py")))
    ends = ("", "s", "es", "ed", "ing", "ly", "ational", "iveness", "ization", "y", "ies", "able", "ement", "'s")
    made = [
        stem + end for stem in ("run", "hop", "general", "univers", "troubl", "dy", "news", "c", "y") for end in ends
    ]
    for word in {*made, *re.findall("[a-z]+", prose.lower())}:
        assert pure.stemWord(word) == fast.stemWord(word), word
