"""The folders that bots of one language share by links."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from arena.league.bots import read_bot
from arena.league.sources import source_files

ROOT = Path(__file__).parents[2]
STARTERS = sorted(str(path.parent.relative_to(ROOT)) for path in (ROOT / "bots").glob("*/*/bot.toml"))


@pytest.mark.parametrize("starter", STARTERS)
def test_the_package_has_every_bot_whole(starter: str) -> None:
    """The build of the wheel follows two links to one folder only if they are in folders named one by one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    wanted = "bots/python" if starter.startswith("bots/python/") else starter
    assert included.get(wanted) == f"arena/_share/{wanted}"


@pytest.mark.parametrize("starter", STARTERS)
def test_links_lead_somewhere(starter: str) -> None:
    """No link of a bot is broken, and all that is behind it belongs to the bot."""
    home = ROOT / starter
    files = {str(path) for path in source_files(read_bot(starter, ROOT))}
    for path in home.rglob("*"):
        assert path.exists(), path
        if path.is_symlink() and path.is_dir():
            inside = f"{path.relative_to(home)}/"
            assert any(name.startswith(inside) for name in files)
