"""Files that are written as a whole: a reader sees the old content or the new, never a part."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def unfinished(path: Path) -> Path:
    """Return where a file is written before it is put in its place."""
    return path.with_name(f".{path.name}.new")


def write_whole(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write a file beside its place and put it there; what a link leads to is never written, the link is replaced.

    Raises:
        OSError: when it cannot be written; the old content stays.
    """
    new = unfinished(path)
    new.unlink(missing_ok=True)  # of a run that was killed, or what a bot's author put there for us to write through
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            new.unlink()
        raise
