"""What every `FileTree` must do."""

from __future__ import annotations

from okf_edge.contracts.checks import equal, raises, true
from okf_edge.errors import AlreadyExistsError, InputError, NotFoundError, TooLargeError
from okf_edge.ports import FileTree

ODD_NAMES = ("a b.md", "Größe.md", "Gro\u0308ße.md", "会议/周报.md", "C#.md", "v1.2.md", "100%.md", "-x.md", "~.md")
OUTSIDE = ("", "/etc/passwd", "..", "../x", "a/../../x", "a//b", "./a", "a/.", "a\0b")


class FileTreeContract:
    """Each clause starts with an empty tree."""

    async def an_empty_tree_lists_nothing(self, tree: FileTree) -> None:
        equal(list(await tree.list()), [], "entries of an empty tree")

    async def what_was_written_is_read(self, tree: FileTree) -> None:
        await tree.write("a/b/note.md", b"one")
        equal(await tree.read("a/b/note.md"), b"one", "content")
        await tree.write("a/b/note.md", b"twenty")
        equal(await tree.read("a/b/note.md"), b"twenty", "content after a second write")
        equal((await tree.stat("a/b/note.md")).bytes, 6, "size")

    async def an_empty_file_is_a_file(self, tree: FileTree) -> None:
        await tree.write("empty.md", b"")
        equal(await tree.read("empty.md", 0), b"", "content")

    async def names_are_kept_exactly(self, tree: FileTree) -> None:
        for number, name in enumerate(ODD_NAMES):
            await tree.write(name, str(number).encode())
        equal([each.path for each in await tree.list()], sorted(ODD_NAMES), "names")
        for number, name in enumerate(ODD_NAMES):
            equal(await tree.read(name), str(number).encode(), f"content of {name!r}")

    async def a_listing_is_sorted_by_path_and_leaves_directories_out(self, tree: FileTree) -> None:
        for path in ("b.md", "a/z.md", "a.md", "a-b.md", "a/b/c.md"):
            await tree.write(path, b"x")
        found = [each.path for each in await tree.list()]
        equal(found, ["a-b.md", "a.md", "a/b/c.md", "a/z.md", "b.md"], "paths")
        true(all(each.kind == "file" and each.bytes == 1 for each in await tree.list()), "expected files of 1 byte")

    async def directories_that_are_not_entered_are_not_listed(self, tree: FileTree) -> None:
        for path in (".git/config", "a/.git/config", "a/b.md", "c.md"):
            await tree.write(path, b"x")
        asked: list[str] = []

        def enter(directory: str) -> bool:
            asked.append(directory)
            return not directory.endswith(".git")

        equal([each.path for each in await tree.list(enter)], ["a/b.md", "c.md"], "paths")
        true({".git", "a", "a/.git"} <= set(asked), f"expected whole directory paths, found {asked}")

    async def a_listing_and_a_stat_agree(self, tree: FileTree) -> None:
        await tree.write("a/b.md", b"four")
        equal(list(await tree.list()), [await tree.stat("a/b.md")], "entries")

    async def what_is_absent_is_not_found(self, tree: FileTree) -> None:
        await tree.write("a/b.md", b"x")
        for path in ("c.md", "a/c.md", "x/y.md", "a", "a/b.md/c"):
            await raises(NotFoundError, tree.read(path), f"read {path!r}")
            await raises(NotFoundError, tree.stat(path), f"stat {path!r}")
        await raises(NotFoundError, tree.remove("c.md"), "remove")
        await raises(NotFoundError, tree.rename("c.md", "d.md"), "rename")
        await raises(NotFoundError, tree.replace("c.md", "d.md"), "replace")

    async def paths_outside_the_root_are_refused(self, tree: FileTree) -> None:
        await tree.write("a.md", b"x")
        for path in OUTSIDE:
            for work in (
                tree.read(path),
                tree.stat(path),
                tree.write(path, b"x"),
                tree.create(path, b"x"),
                tree.remove(path),
                tree.rename("a.md", path),
                tree.rename(path, "b.md"),
                tree.replace("a.md", path),
            ):
                error = await raises(InputError, work, f"path {path!r}")
                equal(error.code, "path-outside", f"code for {path!r}")
        equal([each.path for each in await tree.list()], ["a.md"], "paths")

    async def a_read_beyond_its_limit_is_refused(self, tree: FileTree) -> None:
        await tree.write("a.md", b"12345")
        await raises(TooLargeError, tree.read("a.md", 4), "read of 5 bytes with a limit of 4")
        equal(await tree.read("a.md", 5), b"12345", "content at the limit")

    async def create_never_overwrites(self, tree: FileTree) -> None:
        await tree.create("a/b.md", b"first")
        await raises(AlreadyExistsError, tree.create("a/b.md", b"second"), "second create")
        await raises(AlreadyExistsError, tree.create("a", b"x"), "create where a directory is")
        equal(await tree.read("a/b.md"), b"first", "content")

    async def a_file_has_no_room_below_or_in_place_of_something_else(self, tree: FileTree) -> None:
        await tree.write("a/b.md", b"x")
        await raises(AlreadyExistsError, tree.write("a", b"y"), "write over a directory")
        await raises(AlreadyExistsError, tree.write("a/b.md/c.md", b"y"), "write below a file")
        equal([each.path for each in await tree.list()], ["a/b.md"], "paths")

    async def rename_moves_files_and_directories_and_never_overwrites(self, tree: FileTree) -> None:
        await tree.write("a/b.md", b"b")
        await tree.write("a/c/d.md", b"d")
        await tree.rename("a", "x/y")
        equal([each.path for each in await tree.list()], ["x/y/b.md", "x/y/c/d.md"], "paths")
        await tree.rename("x/y/b.md", "b.md")
        equal(await tree.read("b.md"), b"b", "content")
        await raises(AlreadyExistsError, tree.rename("b.md", "x/y/c/d.md"), "rename onto a file")
        await raises(AlreadyExistsError, tree.rename("b.md", "x"), "rename onto a directory")
        await raises(AlreadyExistsError, tree.rename("x", "b.md"), "rename of a directory onto a file")
        equal([each.path for each in await tree.list()], ["b.md", "x/y/c/d.md"], "paths")

    async def replace_moves_a_file_over_another(self, tree: FileTree) -> None:
        await tree.write("old.md", b"old")
        await tree.write("a/new.md", b"new")
        await tree.replace("a/new.md", "old.md")
        equal([each.path for each in await tree.list()], ["old.md"], "paths")
        equal(await tree.read("old.md"), b"new", "content")

    async def remove_takes_a_directory_with_all_below_it(self, tree: FileTree) -> None:
        for path in ("a/b.md", "a/c/d.md", "ab.md", "e.md"):
            await tree.write(path, b"x")
        await tree.remove("a")
        await tree.remove("e.md")
        equal([each.path for each in await tree.list()], ["ab.md"], "paths")

    async def a_stage_is_fresh_and_becomes_a_directory_by_one_rename(self, tree: FileTree) -> None:
        first, second = await tree.stage(), await tree.stage()
        true(first != second, f"expected two stages, found {first!r} twice")
        await tree.write(f"{first}/a/b.md", b"x")
        await tree.rename(first, "Library/acme")
        equal(await tree.read("Library/acme/a/b.md"), b"x", "content")
        await tree.remove(second)
        equal([each.path for each in await tree.list()], ["Library/acme/a/b.md"], "paths")

    async def an_exchange_swaps_two_directories_or_changes_nothing(self, tree: FileTree) -> None:
        stage = await tree.stage()
        await tree.write(f"{stage}/new.md", b"new")
        await tree.write("Library/acme/a/old.md", b"old")
        if await tree.exchange(stage, "Library/acme"):
            equal(await tree.read("Library/acme/new.md"), b"new", "content")
            equal(await tree.read(f"{stage}/a/old.md"), b"old", "content")
        else:
            equal(await tree.read("Library/acme/a/old.md"), b"old", "content")
        await raises(NotFoundError, tree.exchange(stage, "absent"), "exchange with nothing")

    async def a_write_changes_what_a_stat_tells(self, tree: FileTree) -> None:
        await tree.write("a.md", b"one")
        before = await tree.stat("a.md")
        await tree.write("a.md", b"three")
        true(before != await tree.stat("a.md"), "expected another size or time after a write")
