"""Load the files of a bot as its own process would: with its folder first on the module path."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.bots.playing import Load

PYTHON_BOTS = Path(__file__).parents[2] / "bots" / "python"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    """Return a function that loads one file of a bot, ``load("careful", "auction")``."""

    def of(bot: str, name: str) -> ModuleType:
        monkeypatch.syspath_prepend(PYTHON_BOTS / bot)
        for path in (PYTHON_BOTS / bot).glob("*.py"):
            monkeypatch.delitem(sys.modules, path.stem, raising=False)
        spec = importlib.util.spec_from_file_location(
            f"{bot}_{name}".replace("-", "_"), PYTHON_BOTS / bot / f"{name}.py"
        )
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, module)
        spec.loader.exec_module(module)
        return module

    return of
