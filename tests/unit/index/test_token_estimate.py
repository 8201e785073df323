"""Chunks fit the models that they are embedded with, although no model is asked."""

from __future__ import annotations

import gzip
import json
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from okf_edge.embedding.unigram import Unigram
from okf_edge.embedding.wordpiece import WordPiece
from okf_edge.index.chunks import chunks_of
from okf_edge.index.token_estimate import TokenMap, estimate_tokens
from okf_edge.okf.concept import concept_of
from okf_edge.okf.outline import outline_of
from okf_edge.okf.reader import read_document

ROOT = Path(__file__).parents[3]
MODELS = ROOT / ".build" / "models"
CORPORA = ROOT.parent / "shared" / "corpora"
MODEL_TOKENS = 256


def test_a_map_estimates_parts_like_the_text_alone() -> None:
    text = "The sluice_keeper's 12 notes, 备用阀门 and donaudampfschifffahrt: see https://example.org/a?b=1\n" * 3
    tokens = TokenMap(text)
    for start in range(0, len(text), 7):
        while start and text[start - 1].isalnum() and text[start].isalnum():
            start += 1
        assert tokens.tokens(start, len(text)) == estimate_tokens(text[start:])


def test_hostile_words_are_estimated_by_their_length() -> None:
    assert estimate_tokens("x" * 10_000) == 5_000
    assert estimate_tokens("") == 0


def _tokenizers() -> dict[str, Callable[[str], list[int]]]:
    minilm, e5 = MODELS / "minilm-l6", MODELS / "e5-small-cjk"
    if not (minilm / "vocabulary.txt").exists() or not (e5 / "pieces.txt").exists():
        pytest.skip("the models are not built: `make models`")
    scores = array("f")
    scores.frombytes((e5 / "scores.f32").read_bytes())
    unigram = Unigram((e5 / "pieces.txt").read_text("utf8"), scores, (e5 / "normaliser.txt").read_text("utf8"), 10_000)
    return {
        "minilm-l6": WordPiece((minilm / "vocabulary.txt").read_text("utf8"), 10_000).encode,
        "e5-small-cjk": lambda text: unigram.encode(f"passage: {text}"),
    }


def _embedding_texts(path: str, data: bytes) -> Iterator[str]:
    document = read_document(path, data)
    outline = outline_of(document)
    return (chunk.embedding_text for chunk in chunks_of(document, concept_of(document, outline), outline))


def _samples() -> Iterator[tuple[str, list[str]]]:
    if not CORPORA.is_dir():
        pytest.skip("the corpora are not beside the repository")
    for vault in sorted((CORPORA / "vaults").iterdir()):
        files = sorted(vault.rglob("*.md"))[::4]
        yield vault.name, [text for file in files for text in _embedding_texts(file.name, file.read_bytes())]
    for corpus in sorted((CORPORA / "ir").iterdir()):
        lines = gzip.decompress((corpus / "corpus.jsonl.gz").read_bytes()).splitlines()[:150]
        entries = [json.loads(line) for line in lines]
        pages = [(entry["id"] + ".md", f"# {entry['title']}\n\n{entry['text']}".encode()) for entry in entries]
        yield corpus.name, [text for page in pages for text in _embedding_texts(*page)]


def test_at_most_one_chunk_in_a_hundred_is_longer_than_models_read() -> None:
    tokenizers = _tokenizers()
    for name, texts in _samples():
        for model, encode in tokenizers.items():
            longer = sum(len(encode(text)) > MODEL_TOKENS for text in texts[:400])
            assert longer <= 0.01 * len(texts[:400]), (name, model)
