"""Whole files or none: how bytes reach the disk.

Rules:
1. Bytes go to a temporary file beside their target, then one rename or link makes them visible.
2. Temporary files and stages carry names that nothing else has, so a later run recognises what a killed one left.
3. What becomes visible was flushed to the device first, so a power cut leaves the old file or the new one.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterable
from contextlib import suppress

TEMPORARY = ".okf-tmp-"
STAGE = ".okf-stage-"
LEFTOVER_AGE_S = 3600.0
"""Nothing that we write takes an hour, so an older leftover belongs to a run that was killed."""

_NO_HARD_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES}


def write_whole(target: str, data: bytes, *, flush: bool = True) -> None:
    """Replace or create the target in one step. Parents exist already."""
    temporary = _write_beside(target, data, flush)
    try:
        os.replace(temporary, target)
    except OSError:
        _forget(temporary)
        raise
    if flush:
        flush_directory(os.path.dirname(target))


def create_whole(target: str, data: bytes, *, flush: bool = True) -> None:
    """Create the target in one step. Raises FileExistsError and changes nothing when something is there."""
    temporary = _write_beside(target, data, flush)
    try:
        move_exclusively(temporary, target)
    except OSError:
        _forget(temporary)
        raise
    if flush:
        flush_directory(os.path.dirname(target))


def move_exclusively(old: str, new: str) -> None:
    """Move a file to a name that nothing has; FileExistsError when something has it.

    A hard link claims the name atomically; on file systems without links a check comes first instead.
    """
    try:
        os.link(old, new, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if os.path.lexists(new):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new) from error
        os.rename(old, new)
        return
    os.unlink(old)


def flush_tree(path: str) -> None:
    """Flush a file, or every file below a directory and the directories, to the device."""
    if not os.path.isdir(path):
        _flush(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        return
    for folder, _, names in os.walk(path):
        for name in names:
            _flush(f"{folder}/{name}", os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        flush_directory(folder)


def flush_directory(directory: str) -> None:
    """Make names in a directory durable, where the system can."""
    if hasattr(os, "O_DIRECTORY"):
        _flush(directory, os.O_RDONLY | os.O_DIRECTORY)


def sweep(directories: Iterable[str]) -> None:
    """Remove what killed runs left in these directories."""
    import shutil  # here, since it costs a query 3 ms

    for directory in directories:
        if os.path.islink(directory) or not os.path.isdir(directory):
            continue
        with os.scandir(directory) as entries:
            old = [entry for entry in entries if is_leftover(entry.name) and _age_s(entry) > LEFTOVER_AGE_S]
        for entry in old:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                _forget(entry.path)


def is_leftover(name: str) -> bool:
    """Whether a file or directory name is one of ours that should not outlive its run."""
    return name.startswith((TEMPORARY, STAGE))


def _write_beside(target: str, data: bytes, flush: bool) -> str:
    """Path of a whole temporary file in the target's directory; nothing is left when writing fails."""
    temporary = f"{os.path.dirname(target)}/{TEMPORARY}{os.urandom(8).hex()}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), _mode(target))
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if flush:
                os.fsync(file.fileno())
    except OSError:
        _forget(temporary)
        raise
    return temporary


def _mode(target: str) -> int:
    """The permissions of the file that is replaced, or those of any new file."""
    with suppress(OSError):
        status = os.lstat(target)
        if stat.S_ISREG(status.st_mode):
            return stat.S_IMODE(status.st_mode)
    return 0o666


def _flush(path: str, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _forget(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)


def _age_s(entry: os.DirEntry[str]) -> float:
    try:
        return time.time() - entry.stat(follow_symlinks=False).st_mtime
    except FileNotFoundError:  # another process swept it first
        return 0.0
