"""Bots that dial more often than they need to: real processes that open streams and leave them again."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from arena.league.seated import BREAK_S
from arena.players.base import Limits, Program
from tests.league.dialler import WELCOME
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


def test_a_bot_that_left_its_first_stream_without_a_word_plays_on_the_next_one(tmp_path: Path) -> None:
    """What is done about the first one comes a moment later, when it plays already."""
    patient = Limits(start_s=60, move_ms=60_000)
    for attempt in range(20):
        logs = tmp_path / str(attempt)
        bots = [dialler("--hurry"), *map(program, "bc")]
        played = run(job(bots, 20, patient, in_flight=1, logs=str(logs)))
        if is_quick(next((logs / "a").glob("*-1.log")).read_text()):
            assert [set(played.words(seat)) for seat in range(3)] == [{"normal"}] * 3
            assert (played.end.restarts, played.end.failures) == (0, ("", "", ""))
            return
    raise AssertionError("the machine is too full to say anything")


def is_quick(log: str) -> bool:
    """Whether the next stream was there before anything was done about the first one."""
    told = re.search(rf"{WELCOME} (\S+)", log)
    return told is not None and float(told[1]) < BREAK_S
