"""Every example bot is a folder that can be copied as it is."""

from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path

import pytest

PYTHON_BOTS = Path(__file__).parents[2] / "bots" / "python"
THINKER_MAY = ("arena.sdk.", "arena.games.", "arena.search.", "arena.protocol.convert.")
FOLDERS = sorted(path.parent for path in PYTHON_BOTS.glob("*/bot.toml"))


def test_the_bots_are_there() -> None:
    """The demo league and the README name these."""
    assert {"random", "always-take", "margin", "careful", "greedy", "thinker", "biggest"} <= {
        folder.name for folder in FOLDERS
    }


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.name))
def test_manifest(folder: Path) -> None:
    """The manifest names the bot as its folder and starts a file that exists."""
    manifest = tomllib.loads((folder / "bot.toml").read_text())
    assert manifest["name"] == folder.name
    assert manifest["version"]
    program, script, *_ = manifest["command"]
    assert program == "{python}"
    assert (folder / script).is_file()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.name))
def test_imports_only_the_standard_library_and_the_sdk(folder: Path) -> None:
    """A bot must run without the rest of the arena, on nothing but its SDK; thinker needs rules and search, too."""
    packages = THINKER_MAY if folder.name == "thinker" else ("arena.sdk.",)
    own = {path.stem for path in folder.glob("*.py")}
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                top = name.partition(".")[0]
                assert f"{name}.".startswith(packages) or top in sys.stdlib_module_names | own, (path, name)


def test_a_complete_random_bot_has_ten_lines() -> None:
    """The first bot that a newcomer reads is short."""
    assert len((PYTHON_BOTS / "random" / "bot.py").read_text().splitlines()) <= 10
