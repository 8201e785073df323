"""Our tokenizers give the ids that the `tokenizers` package gives, on text of every kind."""

from __future__ import annotations

import random
import sys
import unicodedata
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers import models as kinds

from okf_edge.embedding import character_classes as classes
from okf_edge.embedding.models import E5, MINILM, NETWORK_FILE, Model, tokenizer_of
from okf_edge.embedding.unigram import CONTROLS, FIRST, LAST, SPACE, UNKNOWN, Unigram
from okf_edge_native.models.shelf import ModelShelf

REPOSITORY = Path(__file__).parents[2]
Encode = Callable[[str], list[int]]
NEWER = frozenset(
    point for first, last in classes.ranges_of(classes.SINCE_UNICODE_14) for point in range(first, last + 1)
)
SAMPLES = (
    "",
    " ",
    "How do I install a bundle?",
    "[CLS] and [SEP] are words here, </s> too",
    "naïve café Ångström İstanbul ΣΊΣΥΦΟΣ",
    "如何安装一个知识包，并在手机上离线搜索？",
    "日本語のテキスト カタカナ ﾊﾝｶｸ 한국어 텍스트",
    "emoji 👩‍👩‍👧‍👦 🇩🇪 1️⃣ and skin 👍🏽",
    "e\u0301 decomposed, ﬁ ligature, ℌ, ①, ㍿",
    "a\u200bb\u00adc\u2060d\ufeffe \u0000\u0007\u001f \u0085 \u2028 \x7f",
    "x" * 101 + " " + "y" * 500,
    "ไทย हिन्दी العربية עברית Ελληνικά Русский",
    "snake_case camelCase v1.2.3 https://example.org/a?b=c#d 3.14€ £5 $6",
    "`code` **bold** | table | cell |\n---\n- [ ] task #tag [[wikilink|alias]]",
)


@pytest.fixture(scope="session")
def wordpiece(models: ModelShelf) -> tuple[Encode, Encode]:
    """Ours and theirs for MiniLM."""
    files = _files(models, MINILM)
    vocabulary = {piece: number for number, piece in enumerate(files["vocabulary.txt"].decode().split("\n"))}
    theirs = Tokenizer(kinds.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    theirs.normalizer = normalizers.BertNormalizer()
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    theirs.post_processor = processors.BertProcessing(("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"]))
    theirs.enable_truncation(MINILM.spec.max_tokens)
    return tokenizer_of(MINILM, files).encode, lambda text: list(theirs.encode(text).ids)


@pytest.fixture(scope="session")
def unigram(models: ModelShelf) -> tuple[Encode, Encode]:
    """Ours and theirs for e5. Normalised text is given to theirs: the package has no normaliser of a plain table."""
    files = _files(models, E5)
    ours = tokenizer_of(E5, files)
    assert isinstance(ours, Unigram)
    names = [f"\n{at}" if at < CONTROLS else name for at, name in enumerate(files["pieces.txt"].decode().split("\n"))]
    scores = array("f", files["scores.f32"])
    theirs = Tokenizer(kinds.Unigram(list(zip(names, scores, strict=True)), unk_id=UNKNOWN, byte_fallback=False))
    metaspace = pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme="always", split=True)
    theirs.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), metaspace])
    room = E5.spec.max_tokens - 2

    def encode(text: str) -> list[int]:
        return [FIRST, *theirs.encode(" ".join(ours.words_of(text))).ids[:room], LAST]

    return ours.encode, encode


@pytest.fixture(params=["wordpiece", "unigram"])
def both(request: pytest.FixtureRequest) -> tuple[Encode, Encode]:
    pair: tuple[Encode, Encode] = request.getfixturevalue(request.param)
    return pair


def test_samples_of_many_scripts_give_equal_ids(both: tuple[Encode, Encode]) -> None:
    ours, theirs = both
    assert {text: ours(text) for text in SAMPLES} == {text: theirs(text) for text in SAMPLES}


def test_our_own_pages_give_equal_ids(both: tuple[Encode, Encode]) -> None:
    ours, theirs = both
    pages = [path.read_text("utf-8") for path in sorted((REPOSITORY / "bundles").rglob("*.md"))]
    blocks = [block for page in pages for block in page.split("\n\n")]
    assert len(blocks) > 100
    assert [block for block in blocks if ours(block) != theirs(block)] == []


@pytest.mark.parametrize("count", [3_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_texts_of_chance_characters_give_equal_ids(both: tuple[Encode, Encode], count: int) -> None:
    ours, theirs = both
    assert [text for text in _chance_texts(count) if ours(text) != theirs(text)] == []


@pytest.mark.parametrize("kind", ["wordpiece", "unigram"])
def test_texts_that_look_for_a_difference_find_none(kind: str, request: pytest.FixtureRequest) -> None:
    ours, theirs = request.getfixturevalue(kind)

    @settings(max_examples=400, deadline=None, database=None)
    @given(st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=80))
    def ids_are_equal(text: str) -> None:
        assert ours(text) == theirs(text)

    ids_are_equal()


@pytest.mark.parametrize("step", [37, pytest.param(1, marks=pytest.mark.slow)])
def test_each_character_gives_equal_words(wordpiece: tuple[Encode, Encode], step: int) -> None:
    ours, theirs = wordpiece
    texts = (f"a{char}b {char} the{char}" for char in _characters(step))
    assert [text for text in texts if ours(text) != theirs(text)] == []


def _files(models: ModelShelf, model: Model) -> dict[str, bytes]:
    return {file.name: models.read(model, file) for file in model.files if file.name != NETWORK_FILE}


def _characters(step: int) -> Iterator[str]:
    """Every character that the oldest supported Python knows."""
    for point in range(0, sys.maxunicode + 1, step):
        if point not in NEWER and unicodedata.category(chr(point)) not in {"Cs", "Cn"}:
            yield chr(point)


def _chance_texts(count: int) -> Iterator[str]:
    chance = random.Random(7)
    blocks = (
        (32, 0x7F),
        (0, 0x2FF),
        (0x2000, 0x2BFF),
        (0x3000, 0x9FFF),
        (0xAC00, 0xD7A3),
        (0, 0xD7FF),
        (0xE000, 0x10FFFF),
    )
    for _ in range(count):
        points = (chance.randint(*chance.choice(blocks)) for _ in range(chance.randrange(50)))
        yield "".join(chr(point) for point in points if point not in NEWER)
