from collections.abc import Sequence

from okf_edge.retrieval.pool import Found, pooled, widened
from tests.unit.retrieval.values import a_place, a_plan


async def test_a_long_page_can_not_crowd_out_the_others() -> None:
    rows: list[Found] = [(n, 0, 1.0) for n in range(10)] + [(10, 1, 0.5), (11, 2, 0.4)]
    limits: list[int] = []

    async def fetch(limit: int) -> Sequence[Found]:
        limits.append(limit)
        return rows[:limit]

    found = await widened(fetch, chunks=3, concepts=2)
    assert {concept for _, concept, _ in found} == {0, 1, 2}
    assert limits == [3, 12]


async def test_nothing_is_fetched_twice_when_there_is_no_more() -> None:
    calls = 0

    async def fetch(limit: int) -> Sequence[Found]:
        nonlocal calls
        calls += 1
        return [(0, 0, 1.0)]

    await widened(fetch, chunks=3, concepts=2)
    assert calls == 1


def test_the_pool_of_two_sources_is_that_of_one_with_all_chunks() -> None:
    places = [a_place(f"{name}.md", chunk=n) for n, name in enumerate("abcdef")]
    scores = [0.9, 0.5, 0.8, 0.5, 0.7, 0.5]
    whole = pooled(
        {(0, n): score for n, score in enumerate(scores)}, {(0, n): place for n, place in enumerate(places)}, a_plan()
    )
    halves = {(n % 2, n): score for n, score in enumerate(scores)}
    split = pooled(halves, {(n % 2, n): place for n, place in enumerate(places)}, a_plan())
    assert {chunk for _, chunk in split} == {chunk for _, chunk in whole} == {0, 2, 4}


def test_the_pool_grows_until_enough_pages_are_in_it() -> None:
    places = {(0, n): a_place("long.md", chunk=n, ordinal=n) for n in range(5)}
    places[0, 5] = a_place("short.md", chunk=5)
    assert pooled({key: 1.0 - key[1] / 10 for key in places}, places, a_plan()) == set(places)
