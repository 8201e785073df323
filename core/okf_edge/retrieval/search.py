"""One question over any number of indexes as one corpus: plan, lexical, dense, graph, fuse, gate, pack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from okf_edge.errors import IndexFileError, ModelError
from okf_edge.ports import Clock, Models, SqlEngine
from okf_edge.retrieval import dense, explain, graph, lexical
from okf_edge.retrieval.answer import Answer, Coverage, Mode
from okf_edge.retrieval.calibration import calibration_of
from okf_edge.retrieval.dense import Nearest
from okf_edge.retrieval.evidence import Evidence, evidence_of
from okf_edge.retrieval.explain import Trace
from okf_edge.retrieval.fuse import Hit, Ranked, concepts_of, rank
from okf_edge.retrieval.gate import JUDGED, confidence, judge, reading_of
from okf_edge.retrieval.hits import hits_of
from okf_edge.retrieval.lexical import Vocabulary
from okf_edge.retrieval.meaning import Questions, questions_of
from okf_edge.retrieval.pack import candidate_of
from okf_edge.retrieval.plan import Plan, plan_of
from okf_edge.retrieval.pool import Found
from okf_edge.retrieval.request import SearchRequest
from okf_edge.retrieval.scope import Scope, scope_of
from okf_edge.retrieval.source import Source


@dataclass(frozen=True, slots=True)
class Recall:
    """The question, and the concepts that may answer it, each by its best chunk, best first."""

    plan: Plan
    scopes: tuple[Scope, ...]
    vocabulary: Vocabulary
    questions: Questions
    concepts: tuple[Hit, ...]


async def search(
    request: SearchRequest,
    sources: Sequence[Source],
    engine: SqlEngine,
    models: Models,
    clock: Clock,
    coverage: Coverage,
) -> Answer:
    """The answer to a question, or a refusal that says why.

    Args:
        request: what is asked.
        sources: the attached indexes, searched as one corpus.
        models: the embedders at hand. A source whose embedder is absent is searched by words alone, and the answer's
            `coverage` says so.
        coverage: how many notes were found and read and had problems; `mode` and `note` are completed here.

    Raises:
        IndexFileError: there is no index to search: that is never a refusal.
        ModelError: a search by meaning alone is asked for, and there is nothing to do it with.
    """
    if not sources:
        raise IndexFileError("expected an index to search, found none", hint="build one with `okf index build`")
    trace = Trace(clock, request.explain)
    found = await recall(request, sources, engine, models, trace)
    credits = await graph.credits(engine, found.scopes, found.concepts)
    trace.step("graph", lambda: explain.credits(credits))
    ranked = rank(found.concepts, credits, clock.now())
    trace.step("fuse", lambda: explain.ranking(ranked))
    return await answer_of(request, found, ranked, coverage, trace)


async def recall(
    request: SearchRequest, sources: Sequence[Source], engine: SqlEngine, models: Models, trace: Trace
) -> Recall:
    """Steps 1 to 3: what may answer, by words and by meaning."""
    plan = plan_of(request)
    scopes = [await scope_of(engine, source, request.filters) for source in sources]
    vocabulary = await lexical.vocabulary_of(engine, scopes, plan)
    trace.step("plan", lambda: explain.plan(plan, vocabulary, scopes))

    worded = [await lexical.best(engine, scope, vocabulary, at, plan) for at, scope in enumerate(scopes)]
    trace.step("lexical", lambda: explain.found(scopes, worded))

    questions = await questions_for(engine, models, sources, request, plan)
    require_means(request, questions)
    trace.step("embed", lambda: explain.questions(questions))

    near = [await near_of(engine, scope, questions, found, plan) for scope, found in zip(scopes, worded, strict=True)]
    hits = await hits_of(engine, scopes, vocabulary, questions, worded, near, plan)
    trace.step("dense", lambda: explain.found(scopes, [part.best for part in near]))
    return Recall(plan, tuple(scopes), vocabulary, questions, tuple(concepts_of(hits)))


async def questions_for(
    engine: SqlEngine, models: Models, sources: Sequence[Source], request: SearchRequest, plan: Plan
) -> Questions:
    """The question for each embedder; none when meaning is not asked for, or the engine can't multiply vectors."""
    if not request.dense:
        return Questions({})
    if engine.dialect == "sqlite":
        return Questions({}, ("searched by words alone: this engine has no vectors",))
    return await questions_of(models, sources, plan.question)


async def near_of(
    engine: SqlEngine, scope: Scope, questions: Questions, worded: Sequence[Found], plan: Plan
) -> Nearest:
    question = questions.of(scope.source)
    if question is None or scope.empty:
        return Nearest()
    return await dense.nearest(engine, scope, question.vector, [chunk for chunk, _, _ in worded], plan)


def require_means(request: SearchRequest, questions: Questions) -> None:
    if not request.lexical and not questions.by_identity:
        raise ModelError(
            "expected vectors and their model for a search by meaning alone; " + "; ".join(questions.notes),
            hint="run `okf model build`, then `okf index build`, or leave out --dense",
        )


async def answer_of(
    request: SearchRequest, found: Recall, ranked: Sequence[Ranked], coverage: Coverage, trace: Trace
) -> Answer:
    """Steps 6 and 7: what is shown of the ranking, and whether it answers."""
    evidence, changed = await _evidence(ranked, found.vocabulary, max(request.k, JUDGED))
    shown = [item for item in ranked if item.path in evidence]
    readings = [reading_of(item.hit, found.plan, found.vocabulary, evidence[item.path].text) for item in shown]
    confidences = [
        confidence(item.hit, calibration_of(item.hit.model).gate, reading)
        for item, reading in zip(shown, readings, strict=True)
    ]
    judgement = judge(shown, confidences, readings, found.vocabulary)
    trace.step("gate", lambda: explain.gate(judgement, shown, confidences, readings))

    candidates = tuple(
        candidate_of(item, evidence[item.path], value, found.vocabulary)
        for item, value in zip(shown[: request.k], confidences, strict=False)
    )
    trace.step("pack", lambda: {"candidates": len(candidates), "changed": changed})
    answers = judgement.verdict == "ok"
    return Answer(
        verdict=judgement.verdict,
        reason=judgement.reason,
        terms=tuple(term.text for term in found.vocabulary.terms),
        candidates=candidates if answers else (),
        near=() if answers else candidates,
        coverage=_completed(coverage, request, found, changed),
        timings=trace.timings,
        explain=trace.explain,
    )


async def _evidence(
    ranked: Sequence[Ranked], vocabulary: Vocabulary, wanted: int
) -> tuple[dict[str, Evidence], list[str]]:
    """The evidence of the first `wanted` concepts whose files are as they were indexed, and the paths of the others."""
    terms = {term.text for term in vocabulary.terms}
    evidence: dict[str, Evidence] = {}
    changed: list[str] = []
    for item in ranked:
        if len(evidence) == wanted:
            break
        quoted = await evidence_of(item.hit.place, terms)
        if quoted is None:
            changed.append(item.path)
        else:
            evidence[item.path] = quoted
    return evidence, changed


def _completed(coverage: Coverage, request: SearchRequest, found: Recall, changed: Sequence[str]) -> Coverage:
    """The coverage with the means that were used, and with what could not be done."""
    notes = [coverage.note, *found.questions.notes]
    if found.vocabulary.dropped:
        notes.append(f"only the {len(found.vocabulary.terms)} most telling terms of the question were searched for")
    if changed:
        notes.append(f"left out, since they changed after they were indexed: {', '.join(changed)}")
    by_meaning = bool(found.questions.by_identity)
    mode: Mode = "lexical" if not by_meaning else "hybrid" if request.lexical else "dense"
    return replace(coverage, mode=mode, note="; ".join(filter(None, notes)))
