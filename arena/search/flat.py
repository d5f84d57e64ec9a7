"""Flat Monte Carlo: every action is tried in the same imagined games, and the weaker half dropped again and again.

Dropping halves is sequential halving (Karnin, Koren, Somekh, "Almost optimal exploration in multi-armed bandits",
2013), which spends a small budget on the choices that are close. Playing all actions of a round in the same imagined
state with the same dice removes the luck of the deal from their differences.
"""

from __future__ import annotations

from typing import Any

from arena.games import Action, Game, Moves, Seat, SeatTurn, Source
from arena.search.knowledge import Knowledge
from arena.search.lines import Arm, Line
from arena.search.playout import SEEDS, Dice, playout


def flat_search(
    game: Game[Any, Any],
    view: Any,
    seat: Seat,
    stream: Source,
    *,
    iterations: int = 32,
    knowledge: Knowledge | None = None,
) -> tuple[Line, ...]:
    """Return the candidate actions of a seat, best first; those dropped later stand before those dropped earlier.

    Args:
        game: the rules.
        view: what the seat sees; it must be to act.
        seat: the seat.
        stream: the only randomness.
        iterations: imagined games to play, about; every candidate is tried once at least.
        knowledge: how to play on and judge; None knows the rules alone.

    Raises:
        ValueError: when the seat is not to act.
    """
    known = knowledge or Knowledge()
    dice = Dice.of(stream)
    ranking = list(known.actions_at(game, game.imagine(view, dice), seat))
    arms = {action: Arm() for action in ranking}
    rounds = (len(ranking) - 1).bit_length()
    alive = len(ranking)
    for _ in range(rounds):
        for _ in range(max(1, iterations // (rounds * alive))):
            _compare(game, game.imagine(view, dice), seat, ranking[:alive], arms, known, dice.below(SEEDS))
        ranking[:alive] = sorted(ranking[:alive], key=lambda action: -arms[action].mean)
        alive = (alive + 1) // 2
    return tuple(Line(action, arms[action].visits, arms[action].mean) for action in ranking)


def _compare(
    game: Game[Any, Any],
    state: Any,
    seat: Seat,
    actions: list[Action],
    arms: dict[Action, Arm],
    known: Knowledge,
    seed: int,
) -> None:
    """Try each action once in one imagined state, with the same dice after it."""
    turn = game.turn(state)
    assert isinstance(turn, SeatTurn)
    for action in actions:
        dice = Dice(seed)
        moves = Moves(
            tuple((place, action if place == seat else known.policy(game, state, place, dice)) for place in turn.seats)
        )
        arms[action].add(playout(game, game.apply(state, moves), known, dice)[seat])
