"""Parts of a corpus that are searched in processes of their own rank like the corpus in one."""

from __future__ import annotations

import json
import random
from array import array
from typing import Any

import pytest

from okf_edge.errors import FormatError
from okf_edge.inmemory.embedding import HashedEmbedder
from okf_edge.inmemory.system import ManualClock
from okf_edge.retrieval import part_json, parts
from okf_edge.retrieval.answer import Answer
from okf_edge.retrieval.meaning import Question, Questions
from okf_edge.retrieval.request import Filters, SearchRequest
from okf_edge_native.duckdb_engine import DuckdbSql
from tests.unit.retrieval.corpus import KNOWN, Corpus, scores
from tests.unit.retrieval.test_one_corpus import notes_of, questions_of


async def asked_apart(corpora: list[Corpus], request: SearchRequest, note: str = "") -> Answer:
    """As functions do that only exchange messages."""
    tallies = [await parts.tally(each.engine, each.sources, request) for each in corpora]
    heard = [part_json.tally_from(travelled(part_json.tally_json(each))) for each in tallies]
    vocabularies = parts.vocabularies(request, heard)
    given = []
    for corpus, vocabulary in zip(corpora, vocabularies, strict=True):
        own = part_json.vocabulary_from(travelled(part_json.vocabulary_json(vocabulary)))
        part = await parts.contribute(corpus.engine, corpus.sources, corpus.models, request, own, KNOWN)
        trees = {source.alias: source.tree for source in corpus.sources}
        told = travelled(part_json.contribution_json(part))
        given.append(part_json.contribution_from(told, lambda source, trees=trees: trees[source["alias"]]))
    specs = await corpora[0].models.specs()
    questions = Questions({(spec.id, spec.digest): Question(spec, array("f")) for spec in specs})
    return await parts.merge(request, given, vocabularies[0], questions, ManualClock(corpora[0].now), note)


def travelled(told: Any) -> Any:
    return json.loads(json.dumps(told))


@pytest.mark.parametrize("embedder", [None, HashedEmbedder()], ids=["words", "hybrid"])
@pytest.mark.parametrize("seed", range(4))
async def test_parts_in_processes_of_their_own_rank_like_the_whole(seed: int, embedder: HashedEmbedder | None) -> None:
    chance = random.Random(seed)
    whole, count = Corpus(DuckdbSql()), chance.choice((3, 40, 200))
    apart = [Corpus(DuckdbSql()) for _ in range(3)]
    for number in range(5):
        notes = notes_of(seed * 10 + number, count, linked=True)
        given = {"path_prefix": f"Library/b.b{number}/", "bundle": f"b.b{number}", "version": "1.0.0", "tier": "bundle"}
        await whole.add(f"b{number}", notes, embedder, **given)
        await apart[chance.randrange(3)].add(f"b{number}", notes, embedder, **given)
    for question in questions_of(seed):
        for filters in ({}, {"paths": ("Library/b.b1", "Library/b.b3/n001.md")}):
            request = SearchRequest(question, k=20, filters=Filters(**filters))
            expected = await whole.ask(question, k=20, **filters)
            found = await asked_apart(apart, request)
            assert (found.verdict, found.reason, scores(found)) == (expected.verdict, expected.reason, scores(expected))
    for each in (whole, *apart):
        await each.engine.close()


async def test_a_word_inside_of_words_is_found_in_whatever_part_holds_them() -> None:
    one, other = Corpus(DuckdbSql()), Corpus(DuckdbSql())
    await one.add("one", {"a.md": "Die Donaudampfschifffahrt ruht im Winter.", "b.md": "Der Hafen."})
    await other.add("other", {"c.md": "Die Rheindampfschifffahrt faehrt.", "d.md": "Ein Kahn."})
    found = await asked_apart([one, other], SearchRequest("dampfschiff"))
    assert {each.path for each in found.candidates or found.near} == {"a.md", "c.md"}


async def test_what_is_missing_is_said() -> None:
    one = Corpus(DuckdbSql())
    await one.add("one", {"a.md": "The harbour floods."})
    found = await asked_apart([one], SearchRequest("harbour"), "1 of 2 parts did not answer in time")
    assert "1 of 2 parts did not answer in time" in found.coverage.note


@pytest.mark.parametrize("read", [part_json.tally_from, part_json.vocabulary_from])
def test_what_is_no_part_is_refused(read: Any) -> None:
    for told in ({}, {"chunks": "x"}, {"terms": [{}]}):
        with pytest.raises(FormatError):
            read(told)
