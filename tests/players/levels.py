"""Sandbox levels as parameters of tests: one that does not work here is skipped, with the reason."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from arena.players.levels import LEVELS, why_not

REQUIRE_ALL = "ARENA_REQUIRE_ALL"


def need_level(level: str) -> None:
    """Skip the test, or let it fail where all levels are required, when a level does not work here."""
    if why := why_not(level):
        words = f"sandbox level {level} does not work here: {why}"
        if os.environ.get(REQUIRE_ALL) == "1":
            pytest.fail(words)
        pytest.skip(words)


def at_each(*levels: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test at each of some levels; without words at all three."""
    return pytest.mark.parametrize("level", levels or LEVELS, indirect=True)
