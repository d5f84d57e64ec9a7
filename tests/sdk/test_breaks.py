"""Bots of the SDK whose stream ends while they think: they come back, or hear what was said to them before."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from arena.games import create
from arena.lab.driver import Driver
from arena.lab.findings import Report
from arena.lab.positions import Asked
from arena.lab.session import Session
from arena.lab.situations import Scene
from arena.players.base import Limits
from arena.protocol.convert import Bundle
from arena.seeds import derive
from tests.commands import PATIENCE_S
from tests.league.sittings import play
from tests.sdk.test_sdk import FIRSTS, bot

LIMITS = Limits(start_s=60, move_ms=10_000)
Then = Callable[[Session, Driver, list[Asked]], Awaitable[None]]


def while_it_thinks(games: int, then: Then) -> Report:
    """Ask a bot about some games, and do something once it thinks about the first; return what was found."""
    report = Report()
    session = Session(bot("thinker"), LIMITS, ("no_thanks",), report)
    scene = Scene(create("no_thanks", 3), "no_thanks", derive(bytes(32), "breaks"), 1)

    async def run() -> None:
        asked, bundle = scene.draw(session, games), Bundle()
        driver = await session.bot("a break")
        for item in asked:
            item.announce(bundle)
        for item in asked:
            item.request(bundle, LIMITS)
        driver.post(bundle)
        try:
            while "thinking" not in driver.printed():
                await asyncio.sleep(0.01)
            await then(session, driver, asked)
        finally:
            await session.drop()

    asyncio.run(asyncio.wait_for(run(), PATIENCE_S))
    return report


@pytest.mark.parametrize("games", [1, 6])
def test_a_bot_whose_stream_breaks_while_it_thinks_dials_again(games: int) -> None:
    """What it has thought of meets a stream that is no more; it is asked again, and its process lives on."""

    async def cut(session: Session, driver: Driver, asked: list[Asked]) -> None:
        assert await driver.break_stream(), (driver.death, driver.printed())
        assert "; dialling again" in driver.printed()
        reply = await session.ask("after the break", asked)
        assert (reply.missing, reply.death, len(reply.answers)) == ([], "", games)
        assert (await driver.goodbye(Bundle(), PATIENCE_S))[1] == "exit status 0"

    assert while_it_thinks(games, cut).findings == []


def test_a_bot_that_thinks_longer_than_its_games_last_takes_the_goodbye() -> None:
    """Its answer meets a stream that has ended in order: that is no failure, and nobody reads of one."""

    async def end(_: Session, driver: Driver, asked: list[Asked]) -> None:
        last = Bundle()
        for item in asked:
            item.void(last)
        assert (await driver.goodbye(last, PATIENCE_S))[1] == "exit status 0"
        assert driver.printed().splitlines() == [f"thinking about decision {asked[0].decision}"]

    assert while_it_thinks(6, end).findings == []


def test_the_author_of_a_slow_bot_reads_of_no_failed_stream() -> None:
    """In a game, too: it is late, its seat is retired, the game is over, and only then does its answer come."""
    played = play([bot("thinker"), *FIRSTS], 1, Limits(start_s=60, move_ms=100, margin_ms=50))
    assert "thinking" in played.end.logs[0]
    assert "failed" not in played.end.logs[0]
