from hashlib import sha256

from okf_edge.inmemory.files import MemoryTree
from okf_edge.retrieval.evidence import evidence_of, quote
from tests.unit.retrieval.values import a_place, a_source

NOTE = b"---\ntitle: Boiler\n---\nFirst line.\r\nSecond line.\n\nLast.\n"


def place_of(data: bytes, first: int = 0, lines: tuple[int, int] = (1, 1), tree: MemoryTree | None = None):
    source = a_source(tree=tree or MemoryTree({"a.md": data}))
    digest = sha256(data).hexdigest()
    return a_place(source=source, bytes=(first, len(data)), lines=lines, sha256=digest, file_bytes=len(data))


async def test_evidence_is_the_chunk_as_written_with_its_lines() -> None:
    first = NOTE.index(b"First")
    evidence = await evidence_of(place_of(NOTE, first, (4, 7)), ())
    assert evidence is not None
    assert evidence.text == "First line.\nSecond line.\n\nLast."
    assert evidence.lines == (4, 7)


async def test_a_file_that_changed_is_never_quoted() -> None:
    for changed in (NOTE + b"more", NOTE[:-1], NOTE.replace(b"First", b"Other")):
        assert await evidence_of(place_of(NOTE, tree=MemoryTree({"a.md": changed})), ()) is None


async def test_a_file_that_is_gone_is_never_quoted() -> None:
    assert await evidence_of(place_of(NOTE, tree=MemoryTree({})), ()) is None


def test_a_chunk_beyond_the_limit_is_cut_to_the_lines_around_the_best_match() -> None:
    rows = [f"line {n} says nothing" for n in range(100)]
    rows[60] = "the pump leaks here"
    evidence = quote(
        "\n".join(rows).encode(), place_of("\n".join(rows).encode(), lines=(11, 110)), {"pump", "leak"}, 200
    )
    assert "the pump leaks here" in evidence.text
    assert len(evidence.text) <= 200
    first, last = evidence.lines
    assert evidence.text.split("\n") == rows[first - 11 : last - 10]


def test_one_enormous_line_is_cut() -> None:
    data = b"x" * 10_000
    assert len(quote(data, place_of(data), (), 100).text) == 100


def test_rows_of_a_table_keep_its_header() -> None:
    table = b"| part | torque |\n|---|---|\n| bolt | 9 |\n| nut | 7 |\n"
    data = b"# Torques\n\n" + table
    evidence = quote(data, place_of(data, data.index(b"| nut"), (6, 6)), ())
    assert evidence.text == "| part | torque |\n|---|---|\n| nut | 7 |"
    assert evidence.lines == (6, 6)


def test_a_table_quoted_from_its_start_is_not_given_a_second_header() -> None:
    data = b"| part |\n|---|\n| bolt |\n"
    assert quote(data, place_of(data, 0, (1, 3)), ()).text.count("part") == 1


def test_hidden_characters_do_not_reach_the_quote() -> None:
    data = "safe\u200b\u202e text".encode()
    assert quote(data, place_of(data), ()).text == "safe<U+202E> text"


def test_an_empty_chunk_is_quoted_as_nothing() -> None:
    assert quote(b"", place_of(b""), ()).text == ""


def test_lines_are_counted_as_an_editor_counts_them() -> None:
    data = "one\x0cstill one\u2028and so\r\ntwo\rthree\n".encode()
    assert quote(data, place_of(data, 0, (1, 3)), ()).lines == (1, 3)


def test_a_file_in_another_encoding_is_quoted_as_it_was_read() -> None:
    for encoding in ("utf-16-le", "utf-16-be"):
        data = "\ufeffDie Pumpe läuft.\n".encode(encoding)
        assert quote(data, place_of(data), ()).text == "Die Pumpe läuft."


def test_a_table_does_not_get_the_header_of_the_table_before_it() -> None:
    first = b"| part |\n|---|\n| bolt |\n\n"
    second = b"| tool |\n|---|\n| key |\n"
    assert quote(first + second, place_of(first + second, len(first), (5, 7)), ()).text == second.decode().rstrip()
