"""The check breaks the stream of a bot, also while it thinks: who comes back is sound, and who does not is named."""

from __future__ import annotations

import asyncio

import pytest

from arena.games import create
from arena.lab.findings import Finding, Report
from arena.lab.process_checks import broken_stream
from arena.lab.session import Session
from arena.lab.situations import Scene
from arena.players.base import Limits, Program
from arena.seeds import derive
from tests.lab.test_check import program
from tests.sdk.test_sdk import bot

THINKING = "a broken stream while it thinks"


def found(played: Program) -> tuple[list[Finding], dict[str, bool]]:
    """Return what is found of a bot whose stream is broken, and the situations that were tried."""
    report = Report()
    session = Session(played, Limits(start_s=60, move_ms=10_000), ("no_thanks",), report)
    scene = Scene(create("no_thanks", 3), "no_thanks", derive(bytes(32), "broken"), 1)

    async def try_it() -> None:
        try:
            await broken_stream(session, scene)
        finally:
            await session.drop()

    asyncio.run(try_it())
    return report.findings, report.situations


@pytest.mark.parametrize(
    "played", [program("none"), bot("first"), bot("sleepy"), bot("thinker")], ids=lambda it: it.name
)
def test_a_bot_that_comes_back_is_sound(played: Program) -> None:
    """Whether its answer is quicker than the break or not, with the SDK or without."""
    assert found(played) == ([], {"a broken stream": True, THINKING: True})


def test_a_bot_that_dies_of_an_answer_into_a_broken_stream_is_named() -> None:
    """It dials again when its stream breaks while it waits, which is how most breaks are tried by hand."""
    findings, _ = found(program("dies-of-a-write"))
    assert [(item.rule, item.situation, item.also) for item in findings] == [("reconnect", THINKING, 0)]
    assert findings[0].words == "the process ended with exit status 1: the break costs it a game"


def test_a_bot_that_never_comes_back_is_named_once() -> None:
    findings, situations = found(program("gives-up"))
    assert [(item.rule, item.situation) for item in findings] == [("reconnect", "a broken stream")]
    assert THINKING not in situations
