"""`query`, `explain` and `read`: what a base says, with its evidence, within what the caller can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from okf_edge.app import addresses
from okf_edge.app.reading import Reading, read_concept
from okf_edge.okf.freshness import is_stale
from okf_edge.policy.call import Result
from okf_edge.policy.parse import canonical
from okf_edge.retrieval.answer import Answer, Candidate, to_json
from okf_edge.retrieval.request import Filters, SearchRequest
from okf_edge.retrieval.visible import visible
from okf_edge.tools import budget, inputs
from okf_edge.tools.host import EVERY, World
from okf_edge.tools.marking import code_of, marked, shown
from okf_edge.tools.places import told_to
from okf_edge.tools.results import ReadPage
from okf_edge.workspace import layout


async def query(world: World, asked: inputs.Query) -> Result:
    """Answer from the bases that are meant; what does not fit the budget is left for the next page."""
    start = budget.place_of(asked.cursor, _about(asked)) if asked.cursor else 0
    answer = await _answer(world, asked, start + asked.k, explain=False)
    found = (answer.candidates or answer.near)[start:]
    count = budget.fitting([each.text for each in found], asked.max_tokens)
    cursor = budget.cursor_of(start + count, _about(asked)) if count < len(found) else ""
    cut = _cut(found, count, cursor)
    page = _page(_clean(answer), tuple(map(_named, found[:count])), cut)
    return Result(to_json(page), _text(world, answer, page, cut), {"cursor": cursor} if cursor else {})


async def explain(world: World, asked: inputs.Asked) -> Result:
    """The same answer with how each step decided, and no texts."""
    answer = await _answer(world, asked, asked.k, explain=True)
    told = replace(
        _clean(answer),
        candidates=tuple(replace(_named(each), text="") for each in answer.candidates),
        near=tuple(replace(_named(each), text="") for each in answer.near),
        explain=cast(dict[str, Any], shown(answer.explain)),
    )
    return Result(to_json(told), f"{told.verdict}\n{_reason(told, code_of(world.entropy))}")


async def read(world: World, asked: inputs.Read) -> Result:
    """A page or one section of it, as many whole paragraphs as fit."""
    base = await world.base(asked.kb)
    ports = world.host.ports(base, world.caller)
    reading = await read_concept(ports.tree, asked.page)
    lines = reading.text.splitlines() or [""]
    about = f"{reading.path}\n{reading.heading}\n{reading.text}"
    start = min(budget.place_of(asked.cursor, about), len(lines) - 1)
    count = budget.lines_fitting(lines[start:], asked.max_tokens)
    end = start + count
    told = _read_page(world, base.name, reading, lines[start:end], start)
    cut = len(lines) - end
    told = told.model_copy(update={"cut": cut, "cursor": budget.cursor_of(end, about) if cut else ""})
    more = f"\n{cut} more lines; go on with the cursor {told.cursor}" if cut else ""
    about_it = {"source": told.uri, "tier": told.tier, "trust": told.trust, "fresh": str(told.fresh).lower()}
    text = marked(told.text, about_it, code_of(world.entropy))
    return Result(told.model_dump(mode="json"), f"{text}{more}")


def _about(asked: inputs.Query) -> str:
    """What a cursor of an answer is bound to."""
    return canonical([asked.question, asked.kb, asked.types, asked.tags, asked.paths, asked.means]).decode()


async def _answer(world: World, asked: inputs.Asked, k: int, *, explain: bool) -> Answer:
    request = SearchRequest(
        asked.question,
        k=min(k, 100),
        filters=Filters(tuple(asked.types), tuple(asked.tags), tuple(asked.paths)),
        lexical=asked.means != "dense",
        dense=asked.means != "lexical",
        explain=explain,
    )
    if asked.kb == EVERY:
        bases = await world.known()
        absent = {base.name: base.problem for base in bases if base.problem}
    else:
        bases, absent = (await world.base(asked.kb),), {}
    usable = [base for base in bases if not base.problem]
    answer = await world.host.searcher(usable, absent, world.caller).search(request)
    note = told_to(world.caller, answer.coverage.note)
    answer = replace(answer, coverage=replace(answer.coverage, note=note)) if note != answer.coverage.note else answer
    return replace(answer, timings={}) if world.caller.rules else answer  # they tell of hidden pages too


def _page(answer: Answer, places: tuple[Candidate, ...], cut: str) -> Answer:
    notes = "; ".join(filter(None, (answer.coverage.note, cut)))
    answers = answer.verdict == "ok"
    return replace(
        answer,
        candidates=places if answers else (),
        near=() if answers else places,
        coverage=replace(answer.coverage, note=notes),
    )


def _clean(answer: Answer) -> Answer:
    """An answer whose reason and note, which name pages, hide nothing."""
    reason, note = visible(answer.reason), visible(answer.coverage.note)
    if (reason, note) == (answer.reason, answer.coverage.note):
        return answer
    return replace(answer, reason=reason, coverage=replace(answer.coverage, note=note))


def _named(candidate: Candidate) -> Candidate:
    """A place whose names hide nothing; its address leads to the page whatever that is called."""
    path, why = visible(candidate.path), tuple(map(visible, candidate.why))
    return candidate if (path, why) == (candidate.path, candidate.why) else replace(candidate, path=path, why=why)


def _cut(found: Sequence[Candidate], count: int, cursor: str) -> str:
    """What was left out, in words; empty when nothing was."""
    if count == len(found):
        return ""
    if count == 0:
        return f"the next place alone needs max_tokens of {budget.cost_of(found[0].text)}"
    return f"{len(found) - count} more places did not fit max_tokens; go on with the cursor {cursor}"


def _text(world: World, answer: Answer, page: Answer, cut: str) -> str:
    code = code_of(world.entropy)
    head = [answer.verdict, *filter(None, (cut,)), _reason(answer, code)]
    return "\n".join([*head, *(_place(each, code) for each in page.candidates or page.near)])


def _reason(answer: Answer, code: str) -> str:
    """Why it is the answer, between marks too: names of pages are in it, and a name may say anything."""
    return marked("\n".join(filter(None, (answer.reason, answer.coverage.note))), {"about": "the answer"}, code)


def _place(candidate: Candidate, code: str) -> str:
    first, last = candidate.lines
    about = {
        "source": candidate.uri,
        "place": f"{candidate.path}:{first}-{last}",
        "kb": candidate.kb,
        "bundle": f"{candidate.bundle}@{candidate.version}" if candidate.bundle else "",
        "tier": candidate.tier,
        "trust": candidate.trust,
        "fresh": str(candidate.fresh).lower(),
        "confidence": f"{candidate.confidence:.2f}",
    }
    return marked(f"{candidate.title}\n{candidate.text}", about, code)


def _read_page(world: World, kb: str, reading: Reading, lines: Sequence[str], start: int) -> ReadPage:
    bundle = layout.bundle_folder(reading.path)
    first = reading.lines[0] + start
    return ReadPage(
        kb=kb,
        path=visible(reading.path),
        uri=addresses.address_of(kb, reading.path),
        title=visible(reading.title),
        heading=visible(reading.heading),
        lines=(first, first + len(lines) - 1),
        tier="bundle" if bundle else layout.tier_of(reading.path),
        bundle=bundle,
        trust=reading.trust,
        fresh=not is_stale(reading.stale_after, world.clock.now()),
        text=visible("\n".join(lines)),
        cut=0,
        cursor="",
    )
