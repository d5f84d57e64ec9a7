"""Folders within folders, deeper than most programs can go, and their removal by one that can."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DEEP = 1200
"""Deeper than Python's functions may call themselves."""


@contextmanager
def removed_after(folder: Path) -> Iterator[Path]:
    """Make a folder, and remove it whatever becomes of the test: pytest itself cannot when it is deep."""
    folder.mkdir()
    try:
        yield folder
    finally:
        subprocess.run(["rm", "-rf", "--", str(folder)], check=True)


def make_deep(folder: Path, depth: int, name: str, data: bytes) -> None:
    """Make folders within a folder that exists, and a file in the last of them."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    with open(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here), "wb") as file:
        file.write(data)
    os.close(here)
