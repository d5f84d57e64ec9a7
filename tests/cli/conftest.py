"""Running a command in this process, as a user types it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli.main import arena
from tests.cli.stored import write_league

Run = Callable[..., str]


@pytest.fixture
def run() -> Run:
    """Return a function that runs a command and returns what it prints on stdout; its errors are raised."""

    def invoke(*words: object) -> str:
        done = CliRunner().invoke(arena, [str(word) for word in words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    return invoke


@pytest.fixture(scope="session")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stored league of four bots, one of them broken."""
    return write_league(tmp_path_factory.mktemp("results") / "spring")
