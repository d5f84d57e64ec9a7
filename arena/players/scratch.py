"""Temporary folders for the sockets that bots dial and the files that they write, and their removal."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

SOCKET_PATH_BYTES = 107
"""Longest path of a socket (unix(7), ``sun_path``, without its closing zero)."""
SHORT = "/tmp"
RANDOM_CHARACTERS = 8
"""Which ``mkdtemp`` adds to a prefix."""


def make_folder(prefix: str, room: int = 16, within: Path | None = None) -> str:
    """Make a folder in whose parts sockets fit, for its owner alone: among the system's temporary files.

    Where the paths of those are too long for a socket it is made in ``/tmp``.

    Args:
        prefix: what its name begins with.
        room: how long the path of a socket below it may be.
        within: a folder with room for it, where it is made instead.
    """
    if within is not None:
        return tempfile.mkdtemp(prefix=prefix, dir=within)
    usual = tempfile.gettempdir()
    longest = len(os.fsencode(os.path.join(usual, prefix))) + RANDOM_CHARACTERS + 1 + room
    return tempfile.mkdtemp(prefix=prefix, dir=usual if longest <= SOCKET_PATH_BYTES else SHORT)


def remove_tree(folder: str | Path) -> None:
    """Remove a folder if it is there, also where a bot has closed folders in it to us."""

    def open_up(remove: Callable[[str], Any], path: str, _: object) -> None:
        with suppress(OSError):  # then it stays
            Path(path).parent.chmod(0o700)
            Path(path).chmod(0o700)
            shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else remove(path)

    shutil.rmtree(folder, onerror=open_up)
