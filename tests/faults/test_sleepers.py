"""A bot that answers in 5 ms never loses by the clock, whatever else the machine does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from arena.players.base import Limits
from tests.league.sittings import play, program

TIGHT = Limits(start_s=60, move_ms=100, margin_ms=100)
"""The least limit that a league may set; the load takes the processor away for longer than that."""


@pytest.fixture
def load() -> Iterator[None]:
    """Twice as many processes that compute as there are cores, at a higher priority than bots have."""
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))]
    yield
    for hog in hogs:
        hog.kill()
        hog.wait()


def never_forfeits(games: int, decisions: int) -> None:
    """Play games; those that this machine spoiled are void, and nobody is blamed for them."""
    # As SDKs do: an answer that waits for those to the rest of a long list would be late by the bot's own doing.
    bots = [program(name, "--sleep-ms", "5", "--one-by-one") for name in "abc"]
    taken = number = 0
    while taken < decisions:
        played = play(bots, games, TIGHT)
        assert {word for seat in range(3) for word in played.words(seat)} <= {"normal"}
        assert [fault for record in played.records for fault in record.faults] == []
        taken += played.end.decisions
        number += 1
        assert number < 40, "the machine is too full to say anything"


@pytest.mark.usefixtures("load")
def test_five_hundred_decisions() -> None:
    never_forfeits(15, 500)


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("load")
def test_five_thousand_decisions() -> None:
    never_forfeits(50, 5000)
