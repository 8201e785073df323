"""The public retrieval sets and pulseboard as folders of notes, with their questions and judgements."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

REPOSITORY = Path(__file__).parents[2]
CORPORA = REPOSITORY.parent / "shared" / "corpora"

_HAN = re.compile("[\u4e00-\u9fff]")

EMBEDDERS = {
    "scifact": "minilm-l6",
    "cranfield": "minilm-l6",
    "xquad_en": "minilm-l6",
    "xquad_zh": "e5-small-cjk",
    "cmrc_zh": "e5-small-cjk",
    "xquad_zh2en": "e5-small-cjk",
}


@dataclass(frozen=True, slots=True)
class Question:
    """One question; `grades` gives each relevant note's grade, and is empty when nothing answers."""

    id: str
    text: str
    grades: dict[str, int]


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """Notes by path, as bytes, and the questions that are asked of them."""

    name: str
    embedder: str
    notes: dict[str, bytes]
    questions: tuple[Question, ...]


def names() -> list[str]:
    return [*EMBEDDERS, "pulseboard"]


def load(name: str) -> RetrievalSet:
    return _pulseboard() if name == "pulseboard" else _public(name)


def language_of(name: str, question: Question) -> str:
    """In which language it is asked, and of which, where that is another."""
    if name == "xquad_zh2en":
        return "zh to en"
    return "zh" if _HAN.search(question.text) else "en"


def halves(questions: tuple[Question, ...]) -> tuple[tuple[Question, ...], tuple[Question, ...]]:
    """Development and test questions: every other one by id, so that nobody picks."""
    ordered = sorted(questions, key=lambda question: question.id)
    return tuple(ordered[::2]), tuple(ordered[1::2])


def _public(name: str) -> RetrievalSet:
    folder = CORPORA / "ir" / name
    grades: dict[str, dict[str, int]] = {}
    for line in _lines(folder / "qrels.tsv.gz"):
        question, document, grade = line.split("\t")
        if int(grade) > 0:
            grades.setdefault(question, {})[_path(document)] = int(grade)
    questions = (json.loads(line) for line in _lines(folder / "queries.jsonl.gz"))
    documents = (json.loads(line) for line in _lines(folder / "corpus.jsonl.gz"))
    return RetrievalSet(
        name,
        EMBEDDERS[name],
        {_path(document["id"]): _note(document) for document in documents},
        tuple(Question(item["id"], item["text"], grades[item["id"]]) for item in questions if item["id"] in grades),
    )


def _pulseboard() -> RetrievalSet:
    folder = CORPORA / "vaults" / "pulseboard"
    listed = yaml.safe_load((CORPORA / "vaults" / "pulseboard-questions.yaml").read_text("utf-8"))
    questions = (Question(item["id"], item["question"], dict.fromkeys(item["expected"]["must"], 1)) for item in listed)
    notes = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.md"))}
    return RetrievalSet("pulseboard", "e5-small-cjk", notes, tuple(questions))


def _note(document: dict[str, Any]) -> bytes:
    title = document.get("title") or ""
    head = f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\n---\n" if title else ""
    return f"{head}{document['text']}\n".encode()


def _path(document: str) -> str:
    return f"{document}.md"


def _lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as opened:
        yield from (line.rstrip("\n") for line in opened if line.strip())
