"""Temporary folders for the sockets that bots dial and the files that they write, and their removal."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

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
    """Remove a folder if it is there, also where a bot has closed folders in it to us; what cannot be removed stays.

    A bot may nest folders deeper than Python's calls, than the longest path and than the number of files that may be
    open. So each folder is first moved up into the topmost one and emptied there. Links are never followed.
    """
    with suppress(OSError):
        top = _open_up(folder)
        try:
            _empty(top)
        finally:
            os.close(top)
        os.rmdir(folder)


def _empty(top: int) -> None:
    """Remove all that is in an open folder."""
    run = secrets.token_hex(8)  # a bot cannot have guessed it, so the names are free
    names = (f"{run}-{number}" for number in count())
    waiting = _remove_files(top)
    while waiting:
        name = waiting.pop()
        with suppress(OSError):  # it stays
            waiting += _clear(name, top, names)
            os.rmdir(name, dir_fd=top)


def _clear(name: str, top: int, names: Iterator[str]) -> list[str]:
    """Remove the files of a folder in an open one and move its folders up there; return their names there."""
    here = _open_up(name, top)
    moved = []
    try:
        for inner, free in zip(_remove_files(here), names, strict=False):
            with suppress(OSError):  # it stays, and with it the folder
                os.close(_open_up(inner, here))  # only a folder that may be written to can be moved
                os.rename(inner, free, src_dir_fd=here, dst_dir_fd=top)
                moved.append(free)
    finally:
        os.close(here)
    return moved


def _remove_files(folder: int) -> list[str]:
    """Remove what is no folder in an open folder; return the names of the folders in it."""
    folders = []
    with os.scandir(folder) as entries:
        for entry in list(entries):
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            else:
                with suppress(OSError):  # it stays, and with it the folder
                    os.unlink(entry.name, dir_fd=folder)
    return folders


def _open_up(folder: str | Path, within: int | None = None) -> int:
    """Give its owner all rights in a folder, which is no link, and open it."""
    place = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=within)
    try:
        with suppress(PermissionError):  # it is another user's, who may let us in
            os.chmod(f"/proc/self/fd/{place}", 0o700)
        return os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=place)
    finally:
        os.close(place)
