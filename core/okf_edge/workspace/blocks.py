"""Generated blocks in files that people write: only what stands between our two marks is ever changed."""

from __future__ import annotations

from okf_edge.errors import FormatError


def block_of(name: str, body: str) -> str:
    """A block as it stands in a file, marks included."""
    return f"<!-- okf:{name} -->\n{body.strip()}\n<!-- /okf:{name} -->"


def with_block(data: bytes, name: str, body: str) -> bytes | None:
    """The file with its block renewed, in the file's own line ends; None when it has no such block to renew.

    Raises: FormatError: the marks are not one pair, in order; the file is left to the person.
    """
    first, last = f"<!-- okf:{name} -->".encode(), f"<!-- /okf:{name} -->".encode()
    counts = data.count(first), data.count(last)
    if counts == (0, 0):
        return None
    start, end = data.find(first), data.find(last)
    if counts != (1, 1) or end < start:
        raise FormatError(
            f"expected one pair of the marks okf:{name}, found {counts[0]} that open and {counts[1]} that close",
            code="broken-block",
            hint=f"Leave one `{first.decode()}` with one `{last.decode()}` below it, or remove both.",
        )
    newline = "\r\n" if b"\r\n" in data else "\n"
    block = block_of(name, body).replace("\n", newline).encode()
    return data[:start] + block + data[end + len(last) :]
