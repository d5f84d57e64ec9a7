"""Bots that dial more often than they need to: real processes that open streams and leave them again."""

from __future__ import annotations

import json
import sys

from arena.players.base import Limits, Program
from tests.league.sittings import ROOT, job, program, run


def dialler(*flags: str) -> Program:
    """Return the bot that opens too many streams."""
    return Program("a", "1", "", (sys.executable, "-m", "tests.league.dialler", *flags), str(ROOT), (), "0" * 64)


def test_a_bot_that_only_comes_and_goes_has_not_come_back() -> None:
    """It passes, so that nothing of it is open while the others think, and no clock runs but that of its absence."""
    thinkers = [program(name, "--sleep-ms", "500", "--sleeps", "2") for name in "bc"]
    restless = dialler("--leave", "--policy", "first")
    played = run(job([restless, *thinkers], 1, Limits(move_ms=1500, margin_ms=500), in_flight=1))
    assert [played.words(seat) for seat in range(3)] == [["disconnect"], ["normal"], ["normal"]]
    (fault,) = json.loads(played.games[0].trace)["faults"]
    assert "the bot did not come back" in fault["words"]
