"""What every `BlobStore` must do. A store that can't be written keeps the reader's part only."""

from __future__ import annotations

from okf_edge.contracts.checks import equal, raises, true
from okf_edge.errors import InputError, NotFoundError, PreconditionError, TooLargeError
from okf_edge.ports import BlobStore

SEED = {"a.json": b"{}", "targets/acme/a b.zip": b"12345", "targets/acme/会议.zip": b"x"}


class BlobReaderContract:
    """Each clause starts with a store that holds `SEED`."""

    async def a_blob_is_read_whole_with_its_version(self, store: BlobStore) -> None:
        for key, data in SEED.items():
            blob, stat = await store.get(key, 5), await store.head(key)
            equal(blob.data, data, f"content of {key!r}")
            equal((stat.key, stat.bytes, stat.version), (key, len(data), blob.version), f"head of {key!r}")

    async def what_is_absent_is_not_found(self, store: BlobStore) -> None:
        for key in ("b.json", "targets/none/x", "targets"):
            await raises(NotFoundError, store.get(key, 100), f"get {key!r}")
            await raises(NotFoundError, store.head(key), f"head {key!r}")

    async def a_read_beyond_its_limit_is_refused(self, store: BlobStore) -> None:
        await raises(TooLargeError, store.get("targets/acme/a b.zip", 4), "get of 5 bytes with a limit of 4")

    async def keys_outside_the_store_are_refused(self, store: BlobStore) -> None:
        for key in ("", "/a", "../a", "a/../b", "a//b", "a\0"):
            await raises(InputError, store.get(key, 10), f"get {key!r}")
            await raises(InputError, store.head(key), f"head {key!r}")


class BlobStoreContract(BlobReaderContract):
    """The same store, written too."""

    async def a_listing_is_sorted_and_limited_to_its_prefix(self, store: BlobStore) -> None:
        equal([each.key for each in await store.list("")], sorted(SEED), "all keys")
        equal([each.key for each in await store.list("targets/ac")], sorted(SEED)[1:], "keys of a prefix")
        equal(list(await store.list("none/")), [], "keys of a prefix that nothing has")
        stats = await store.list("a")
        equal(list(stats), [await store.head("a.json")], "entry in a listing")

    async def create_only_lets_the_first_win(self, store: BlobStore) -> None:
        version = await store.put("new/1.json", b"one", if_version=None)
        await raises(PreconditionError, store.put("new/1.json", b"two", if_version=None), "second create")
        blob = await store.get("new/1.json", 10)
        equal((blob.data, blob.version), (b"one", version), "blob")

    async def a_conditional_put_lets_the_first_win(self, store: BlobStore) -> None:
        seen = (await store.head("a.json")).version
        mine = await store.put("a.json", b"mine", if_version=seen)
        true(mine != seen, "expected another version after a put")
        await raises(PreconditionError, store.put("a.json", b"theirs", if_version=seen), "put on an old version")
        equal((await store.get("a.json", 10)).data, b"mine", "content")
        await store.put("a.json", b"next", if_version=mine)
        equal((await store.get("a.json", 10)).data, b"next", "content")

    async def a_conditional_put_of_an_absent_key_writes_nothing(self, store: BlobStore) -> None:
        seen = (await store.head("a.json")).version
        await raises(PreconditionError, store.put("b.json", b"x", if_version=seen), "put on a version of nothing")
        await raises(NotFoundError, store.head("b.json"), "head")

    async def keys_outside_the_store_are_not_written(self, store: BlobStore) -> None:
        for key in ("", "/a", "../a", "a/../b", "a//b"):
            await raises(InputError, store.put(key, b"x", if_version=None), f"put {key!r}")
