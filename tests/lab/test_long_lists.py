"""How a long list is answered: what one attempt shows is named, and no machine that stands still is a bot's doing."""

from __future__ import annotations

import asyncio

import pytest

from arena.games import create
from arena.lab.findings import Report
from arena.lab.session import Session
from arena.lab.situations import SITUATIONS, Scene
from arena.players.base import Limits
from arena.seeds import derive
from tests.lab.test_check import program

NAME = "a long list"


def found(bot: str) -> dict[str, str]:
    """Return the rules that a bot breaks with a long list, and the words about each."""
    report = Report()
    session = Session(program(bot), Limits(start_s=60, move_ms=10_000), ("no_thanks",), report)
    scene = Scene(create("no_thanks", 3), "no_thanks", derive(bytes(32), "lists"), 1)

    async def ask() -> None:
        try:
            await SITUATIONS[NAME](session, scene, NAME)
        finally:
            await session.drop()

    asyncio.run(ask())
    assert report.facts["list"] == 64
    return {item.rule: item.words for item in report.findings}


@pytest.mark.parametrize("bot", ["one-by-one", "one-by-one-stalled"])
def test_answers_sent_one_by_one_are_named_though_the_machine_stood_still(bot: str) -> None:
    """A single attempt in which they come faster than the flush rule lets them is enough."""
    assert found(bot) == {"lists": "64 requests in one message were answered with 64 messages"}


def test_answers_that_are_kept_are_named_in_a_list_that_takes_long() -> None:
    """All attempts have to show it."""
    assert list(found("holds-back")) == ["flush"]


@pytest.mark.parametrize("bot", ["none", "steady"])
def test_a_bot_that_keeps_the_flush_rule_is_not_named(bot: str) -> None:
    """Also one that sends every answer alone because each takes it more than a millisecond."""
    assert found(bot) == {}
