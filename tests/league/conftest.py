"""Folders of bots for the tests of leagues."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.league import bots

MakeBot = Callable[..., Path]


@pytest.fixture
def make_bot(tmp_path: Path) -> MakeBot:
    """Return a function that makes a bot's folder with a ``bot.toml`` and a ``bot.py``."""

    def make(name: str, manifest: str = "", folder: Path = tmp_path) -> Path:
        home = folder / name
        home.mkdir(parents=True)
        command = "" if "command" in manifest else 'command = ["{python}", "bot.py"]\n'
        title = "" if manifest.startswith("name") else f'name = "{name}"\n'
        (home / "bot.toml").write_text(f"{title}{command}{manifest}", encoding="utf-8")
        (home / "bot.py").write_text("print('a bot')\n")
        return home

    return make


@pytest.fixture
def built_in(tmp_path: Path, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two bots, ``random`` and ``careful``, in the place of those that come with the arena."""
    share = tmp_path / "share"
    for name in ("random", "careful"):
        make_bot(name, folder=share / "bots/python")
    monkeypatch.setattr(bots, "shipped", lambda path: share / path)
    return share
