"""Port paths: POSIX, relative to a root, and never outside of it.

Every adapter that turns a path or key into a place of its host passes it through `require_relative` first.
"""

from __future__ import annotations

from okf_edge.errors import InputError


def is_relative(path: str) -> bool:
    """Whether the path names something below a root and says so in one way only."""
    return bool(path) and "\0" not in path and not {"", ".", ".."} & set(path.split("/"))


def is_unicode(text: str) -> bool:
    """Whether a path, or any text of the host, is Unicode: hosts pass on other bytes as halves of characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def require_relative(path: str) -> str:
    """The path itself.

    Raises: InputError: it is empty, absolute, or has an empty, `.` or `..` segment or a NUL.
    """
    if not is_relative(path):
        raise InputError(
            f"expected a path below the root, found {path!r}",
            code="path-outside",
            hint="Use a relative path with forward slashes and without '.' or '..'.",
        )
    return path


def parents(path: str) -> tuple[str, ...]:
    """The directories above a path, outermost first, without the root: `a/b/c` -> `a`, `a/b`."""
    parts = path.split("/")
    return tuple("/".join(parts[:end]) for end in range(1, len(parts)))
