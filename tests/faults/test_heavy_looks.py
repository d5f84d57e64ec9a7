"""What the referee reads of a bot takes long if the bot will have it so: that is no excuse for the bot."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from arena.players.base import Limits
from arena.players.levels import LEVELS
from tests.league.sittings import play_until_whole, program
from tests.players.levels import need_level

LIMITS = Limits(start_s=60, move_ms=500, margin_ms=150, memory_mb=1024)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.timeout(300)
def test_a_bot_with_much_to_count_is_late_like_any_other(level: str) -> None:
    """It is not the machine that stood still, so its game counts, and the others' games with it."""
    need_level(level)
    heavy = replace(program("heavy"), command=(sys.executable, "-m", "tests.faults.heavy"))
    limits = replace(LIMITS, sandbox=level)
    played = play_until_whole([heavy, program("b"), program("c")], 1, limits, in_flight=1)
    assert played.words(0) == ["timeout"]
    assert played.words(1) == played.words(2) == ["normal"]
