"""Games that fail, as those that come with another package may: the sitting ends, says why, and scores nobody."""

from __future__ import annotations

import asyncio

import pytest

from arena.games import Action, Seat
from arena.games.base import Step
from arena.games.no_thanks import NoThanks, State, View
from arena.league.sitting import Sitting
from arena.players.base import Limits
from arena.players.process import marked
from tests.league.sittings import job, program

HOUR = Limits(start_s=60, move_ms=3_600_000, game_s=100_000)


class FailsAtTheTenthStep(NoThanks):
    """Meets its failure while an answer is taken."""

    steps = 0

    def apply(self, state: State, step: Step) -> State:
        self.steps += 1
        assert self.steps < 10, "the game failed"
        return super().apply(state, step)


class HasNoDefault(NoThanks):
    """Meets its failure when a bot dies, and something must be played for it."""

    def default_action(self, state: State, seat: Seat) -> Action:
        raise AssertionError("the game failed")


class ShowsNothingTwice(NoThanks):
    """Meets its failure when a bot dials again, and is asked again what was open."""

    shown: State | None = None

    def view(self, state: State, seat: Seat | None) -> View:
        assert state is not self.shown, "the game failed"
        self.shown = state
        return super().view(state, seat)


@pytest.mark.parametrize(
    ("game", "flags"),
    [
        (FailsAtTheTenthStep, ()),
        (HasNoDefault, ("--fault", "crash", "--at", "1")),
        (ShowsNothingTwice, ("--fault", "cut", "--at", "1")),
    ],
)
def test_a_game_that_fails_ends_its_sitting_and_is_scored_against_nobody(
    game: type[NoThanks], flags: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    """Wherever that happens; nothing of it is on the operator's terminal but what the sitting raises."""
    sitting = job([program("a", *flags), program("b"), program("c")], 1, HOUR, in_flight=1)
    found: list[object] = []

    async def play() -> None:
        async for item in Sitting(sitting, game=game.make(3, {"rounds": 1})).play():
            found.append(item)

    with pytest.raises(AssertionError, match="the game failed"):
        asyncio.run(asyncio.wait_for(play(), 30))
    assert found == []
    assert list(marked(sitting.mark)) == []
    assert capfd.readouterr().err == ""
