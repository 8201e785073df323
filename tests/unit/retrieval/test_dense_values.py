import pytest

from okf_edge.retrieval.dense import REFERENCE_CHUNKS, Moments, pool


def moments_of(values: list[float], stands_for: int | None = None) -> Moments:
    return Moments(len(values), sum(values), sum(value * value for value in values), stands_for or len(values))


def test_a_corpus_without_vectors_is_held_to_the_reference_values_of_the_model() -> None:
    assert pool([Moments()], 0.1, 0.05) == pool([], 0.1, 0.05)
    assert pool([], 0.1, 0.05).mean == 0.1


def test_the_smaller_a_corpus_the_more_it_leans_on_the_reference() -> None:
    means = [pool([moments_of([0.5] * count)], 0.1, 0.05).mean for count in (1, REFERENCE_CHUNKS, 100_000)]
    assert means == pytest.approx([0.104, 0.3, 0.5], abs=1e-3)


def test_the_moments_of_parts_are_those_of_the_whole() -> None:
    values = [n / 500 for n in range(400)]
    whole = pool([moments_of(values)], 0, 1)
    parts = pool([moments_of(values[:123]), moments_of(values[123:]), Moments()], 0, 1)
    assert parts.mean == pytest.approx(whole.mean)
    assert parts.deviation == pytest.approx(whole.deviation)


def test_a_sample_counts_for_all_chunks_that_it_stands_for() -> None:
    sampled = pool([moments_of([0.0] * 100, stands_for=900), moments_of([1.0] * 100)], 0, 1)
    scanned = pool([moments_of([0.0] * 900), moments_of([1.0] * 100)], 0, 1)
    assert (sampled.mean, sampled.deviation) == pytest.approx((scanned.mean, scanned.deviation))


def test_equal_cosines_leave_no_division_by_zero() -> None:
    assert pool([moments_of([0.5] * 300)], 0.1, 0.05).deviation > 0
