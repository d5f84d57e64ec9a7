"""Playing an imagined game on: the inner loop of every search."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from arena.games import ChanceTurn, Game, GameOver, Moves, Source
from arena.search.knowledge import Knowledge

SEEDS = 1 << 53


class Dice:
    """A quick source for imagined games, seeded from a stream.

    A keyed stream costs a microsecond a number and an imagined deal takes dozens; nothing here needs secrets. The
    share that rounding gives a number too much is below k / 2**53.
    """

    __slots__ = ("_random",)

    def __init__(self, seed: int) -> None:
        self._random = Random(seed).random

    @classmethod
    def of(cls, stream: Source) -> Dice:
        """Return dice that depend on the next draw of a stream alone."""
        return cls(stream.below(SEEDS))

    def below(self, k: int, /) -> int:
        """Return a whole number in 0..k-1."""
        return int(self._random() * k)


def playout(game: Game[Any, Any], state: Any, knowledge: Knowledge, dice: Source) -> Sequence[float]:
    """Play a state on by the policy, to the end or the horizon, and return its worth by seat, in 0..1."""
    left = -1 if knowledge.horizon is None else knowledge.horizon
    policy = knowledge.policy
    while not isinstance(turn := game.turn(state), GameOver):
        if isinstance(turn, ChanceTurn):
            state = game.apply(state, game.sample_chance(state, dice))
            continue
        if left == 0:
            assert knowledge.evaluate is not None
            return knowledge.evaluate(game, state)
        left -= 1
        state = game.apply(state, Moves(tuple([(seat, policy(game, state, seat, dice)) for seat in turn.seats])))
    return knowledge.utility(game, turn)
