"""Ends of games that race with requests and answers, on the simulated machine: nothing hangs, nobody is blamed."""

from __future__ import annotations

import asyncio
from typing import NoReturn

import pytest

from arena.testing.simulated import Machine, simulate
from tests.faults.test_simulated import assert_right

SLEPT_S = 2.0


async def cut_games(machine: Machine) -> NoReturn:
    """Let the machine sleep again and again: every game that is open then ends, whatever is under way in it."""
    while True:
        await asyncio.sleep(machine.draw.uniform(0, 0.06))
        machine.slept_s += SLEPT_S


def race(ends: int) -> None:
    """Cut games until so many have ended while bots were asked, answering, starting or leaving."""
    cut = whole = seed = 0
    while cut < ends:
        played = simulate(seed, trouble=cut_games)
        try:
            assert_right(played)
        except BaseException as error:
            raise AssertionError(f"repeat with simulate({seed}, trouble=cut_games): {error!r}") from error
        assert played.seconds < 60
        cut += len(played.voids)
        whole += len(played.finished)
        seed += 1


def test_a_game_may_end_before_or_after_its_request_is_sent_or_answered() -> None:
    race(1000)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_ten_thousand_games_end_before_or_after_their_requests_are_sent_or_answered() -> None:
    race(10_000)
