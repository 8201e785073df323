"""A text is embedded once, whatever happens to the process that embedded it."""

from __future__ import annotations

from okf_edge.index.passages import PassageVectors
from okf_edge.index.quantise import Quantised, quantised
from okf_edge.index.vector_cache import FOLDER, VectorCache, key_of
from okf_edge.inmemory import HashedEmbedder, MemoryTree
from okf_edge.inmemory.embedding import HASHED_SPEC

DIMS = HASHED_SPEC.dims


def _vector(seed: int) -> Quantised:
    return Quantised(0.5 + seed, bytes((seed * 7 + at) % 256 for at in range(DIMS)))


async def test_a_flushed_vector_is_there_for_the_next_process() -> None:
    tree = MemoryTree()
    cache = VectorCache(tree, HASHED_SPEC)
    await cache.add({key_of("a"): _vector(1), key_of("b"): _vector(2)})
    await cache.flush()
    later = VectorCache(tree, HASHED_SPEC)
    assert await later.get(key_of("a")) == _vector(1)
    assert await later.get(key_of("b")) == _vector(2)
    assert await later.get(key_of("c")) is None


async def test_two_processes_keep_what_both_found() -> None:
    tree = MemoryTree()
    one, other = VectorCache(tree, HASHED_SPEC), VectorCache(tree, HASHED_SPEC)
    assert await one.get(key_of("a")) is None
    assert await other.get(key_of("a")) is None
    await one.add({key_of("a"): _vector(1)})
    await other.add({key_of("b"): _vector(2)})
    await one.flush()
    await other.flush()
    later = VectorCache(tree, HASHED_SPEC)
    assert [await later.get(key_of(text)) for text in "ab"] == [_vector(1), _vector(2)]


async def test_compacting_keeps_what_is_used_in_one_file() -> None:
    tree = MemoryTree()
    cache = VectorCache(tree, HASHED_SPEC)
    for number, text in enumerate("abc"):
        await cache.add({key_of(text): _vector(number)})
        await cache.flush()
    assert len(tree.files) == 3
    await cache.compact([key_of("a"), key_of("c")])
    assert len(tree.files) == 1
    assert [await cache.get(key_of(text)) for text in "abc"] == [_vector(0), None, _vector(2)]


async def test_a_damaged_file_and_another_model_count_as_nothing() -> None:
    tree = MemoryTree()
    for text in "ab":
        cache = VectorCache(tree, HASHED_SPEC)
        await cache.add({key_of(text): _vector(1)})
        await cache.flush()
    first, second = sorted(tree.files)
    assert first.startswith(FOLDER)
    data = bytearray(tree.files[first])
    for damage in (data[:-1], data[:10], b"", data[:-1] + bytes([data[-1] ^ 1])):
        tree.files[first] = bytes(damage)
        later = VectorCache(tree, HASHED_SPEC)
        assert [await later.get(key_of(text)) for text in "ab"] == [None, _vector(1)]
    tree.files[second] = bytes(data).replace(bytes(data[8:40]), bytes(32))
    assert await VectorCache(tree, HASHED_SPEC).get(key_of("b")) is None


async def test_equal_texts_are_embedded_once() -> None:
    embedder = HashedEmbedder()
    vectors = PassageVectors(embedder, None)
    one, other, third = await vectors.of(["sluice", "keeper", "sluice"])
    assert (one, embedder.calls) == (third, 2)
    assert one != other


def test_a_quantised_vector_is_the_vector_within_half_a_level() -> None:
    vector = [0.6, -0.8, 0.001, 0.0]
    made = quantised(vector)
    signed = [value - 256 if value > 127 else value for value in made.data]
    assert all(abs(made.scale * level - value) <= made.scale / 2 for level, value in zip(signed, vector, strict=True))
    assert quantised([0.0] * 4).data == bytes(4)
