"""Prints the figures of the questions over the handbook: `python -m tests.floors.measure lexical|<model> [--misses]`.

Misses are told of the development half only, as PROTOCOL.md asks.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from okf_edge.errors import UnavailableError
from okf_edge.ports import Models
from okf_edge_native.compose import NoModels
from okf_edge_native.models.shelf import ModelShelf
from tests.floors.asked import answers, handbook_with
from tests.floors.questions import SPLITS, Question, figures_of, misses, questions
from tests.models_fixture import FOLDER as MODELS_FOLDER


def main(mode: str, tell_misses: bool) -> None:
    asked = [question for split in SPLITS for question in questions(split)]
    none: Models = NoModels(UnavailableError("no model is wanted"))
    models, embedder = (none, "") if mode == "lexical" else (ModelShelf(MODELS_FOLDER), mode)
    with tempfile.TemporaryDirectory() as folder:
        answered = answers(handbook_with(models, Path(folder), embedder), asked)
    for split in SPLITS:
        print(f"{split:<14}{figures_of(questions(split), answered)}")
        for name, part in _parts(questions(split)):
            print(f"  {name:<12}{figures_of(part, answered)}")
    if tell_misses:
        print("\n".join(misses(questions("dev"), answered)))


def _parts(asked: Sequence[Question]) -> list[tuple[str, list[Question]]]:
    """The answerable questions of each language and kind, each with all that are not answerable."""
    others = [question for question in asked if not question.expect]
    answerable = [question for question in asked if question.expect]
    names = sorted({question.lang for question in answerable}) + sorted({question.kind for question in answerable})
    return [(name, [each for each in answerable if name in (each.lang, each.kind)] + others) for name in names]


if __name__ == "__main__":
    main(sys.argv[1], "--misses" in sys.argv)
