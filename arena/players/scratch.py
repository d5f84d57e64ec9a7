"""Temporary folders that bots write to, and their removal."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any


def remove_tree(folder: str | Path) -> None:
    """Remove a folder if it is there, also where a bot has closed folders in it to us."""

    def open_up(remove: Callable[[str], Any], path: str, _: object) -> None:
        with suppress(OSError):  # then it stays
            Path(path).parent.chmod(0o700)
            Path(path).chmod(0o700)
            shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else remove(path)

    shutil.rmtree(folder, onerror=open_up)
