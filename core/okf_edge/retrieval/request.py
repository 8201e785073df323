"""What is asked: the question, how many places to return, what to leave out, and by which means to search."""

from __future__ import annotations

from dataclasses import dataclass, field

from okf_edge.errors import InputError
from okf_edge.limits import LIMITS


@dataclass(frozen=True, slots=True)
class Filters:
    """Only concepts that pass are ranked. Within one kind any value suffices; every kind that is given must pass.

    `types` match whole, in any letter case; `tags` match a tag or one nested below it; `paths` match a page, or a
    folder with everything below it.
    """

    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.types or self.tags or self.paths)


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One question. `lexical` and `dense` switch the two means off; with neither there is nothing to search by.

    Raises:
        InputError: an empty or oversized question, `k` out of range, or both means switched off; all problems at once.
    """

    question: str
    k: int = 10
    filters: Filters = field(default_factory=Filters)
    lexical: bool = True
    dense: bool = True
    explain: bool = False

    def __post_init__(self) -> None:
        issues = list(_issues_of(self))
        if issues:
            raise InputError("; ".join(issues), code="bad-question", hint="ask in a few words", issues=issues)


def _issues_of(request: SearchRequest) -> list[str]:
    issues = []
    if not request.question.strip():
        issues.append("expected a question, found an empty one")
    if len(request.question) > LIMITS.question_chars:
        issues.append(
            f"expected a question of at most {LIMITS.question_chars} characters, found {len(request.question)}"
        )
    if not 1 <= request.k <= LIMITS.answer_candidates_count:
        issues.append(f"expected k from 1 to {LIMITS.answer_candidates_count}, found {request.k}")
    if not (request.lexical or request.dense):
        issues.append("expected lexical or dense search, found both switched off")
    return issues
