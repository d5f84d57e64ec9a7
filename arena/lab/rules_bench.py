"""Speed of the rules: decisions per CPU-second of random play, beside PettingZoo's leduc in the same process.

A decision is one choice of one seat among two or more legal actions; what happens between two choices (chance, windows
in which nobody has a choice, forced moves) is paid for and not counted. One core, no bots, nothing sent. Choices come
from ``random.Random``, whose cost is in every row alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from random import Random
from statistics import median
from typing import Any, TypeAlias

from arena.games import ChanceTurn, Game, GameOver, Moves, Step, create, game_class
from arena.protocol.convert import SeatView
from arena.seeds import chance_stream, deal_key
from arena.v1 import arena_pb2

SECRET = bytes(32)
ROUNDS = 5
LEDUC = "leduc"
FLOORS = {
    "no_thanks": 8.0,
    "king_priam": 2.0,
    "prime_cards": 8.0,
    "prime_reversal": 8.0,
    "unique": 2.0,
    "rainbow": 2.0,
    "classification": 2.0,
}
"""Least accepted ratio of a game's rate without messages to leduc's."""
SEATS = {"no_thanks": 4}
"""Seats at which a game is measured, where 3 (or the nearest that the game takes) would not be its usual table."""

Play: TypeAlias = Callable[[int], int]
"""Plays one game (number from 0) and returns the decisions in it."""
Clock: TypeAlias = Callable[[], float]
"""CPU time of this process in seconds."""


@dataclass(frozen=True, slots=True)
class RulesRate:
    """Speed of the rules of one game.

    Attributes:
        game: id of the game, or ``leduc`` for PettingZoo's.
        seats: number of seats.
        rules: decisions per CPU-second, legal actions and apply.
        with_messages: the same, with view and request message of each deciding seat; for leduc, which always observes,
            as ``rules``.
        ratio: ``rules`` by leduc's; the median over rounds of the ratio within a round; None without leduc.
        floor: least accepted ratio; None where there is none.
    """

    game: str
    seats: int
    rules: float
    with_messages: float
    ratio: float | None
    floor: float | None

    @property
    def holds(self) -> bool:
        """Tell whether the floor is kept; a ratio that could not be measured breaks nothing."""
        return self.ratio is None or self.floor is None or self.ratio >= self.floor


def bench_rules(game_ids: Sequence[str], seconds: float, clock: Clock = time.process_time) -> tuple[RulesRate, ...]:
    """Return the rates of some games, and last leduc's when PettingZoo is installed.

    All rows are measured in turn, five times over, and ratios are taken within a round: the speed of a shared machine
    moves by a third from minute to minute.

    Args:
        game_ids: games to measure, with default options.
        seconds: CPU time for each row (once without messages, once with them), over all rounds.
        clock: CPU time; a test passes its own.
    """
    games = [create(game_id, _seats(game_id)) for game_id in game_ids]
    plays = [play for game in games for play in (random_game(game, messages=False), random_game(game, messages=True))]
    leduc = leduc_game()
    rows = [*plays, leduc] if leduc else plays
    rounds = [[decision_rate(play, seconds / ROUNDS, clock) for play in rows] for _ in range(ROUNDS)]
    middle = [median(column) for column in zip(*rounds, strict=True)]
    rates = [
        RulesRate(
            game.id,
            game.seats,
            middle[2 * i],
            middle[2 * i + 1],
            median(row[2 * i] / row[-1] for row in rounds) if leduc else None,
            FLOORS.get(game.id),
        )
        for i, game in enumerate(games)
    ]
    return (*rates, *([RulesRate(LEDUC, 2, middle[-1], middle[-1], 1.0, None)] if leduc else []))


def decision_rate(play: Play, seconds: float, clock: Clock = time.process_time) -> float:
    """Return decisions per CPU-second over as many whole games as start within some CPU time, one at least.

    Args:
        play: plays one game.
        seconds: CPU time; a tenth of it is played beforehand and not counted, so that tables are warm.
        clock: CPU time; a test passes its own.
    """
    _play_until(play, seconds / 10, clock)
    decisions, spent = _play_until(play, seconds, clock)
    return decisions / spent if spent else 0.0


def _play_until(play: Play, seconds: float, clock: Clock) -> tuple[int, float]:
    start = clock()
    number, decisions, spent = 0, 0, 0.0
    while spent < seconds or not number:
        decisions += play(number)
        number += 1
        spent = clock() - start
    return decisions, spent


def random_game(game: Game[Any, Any], *, messages: bool) -> Play:
    """Return the function that plays one random game of the rules and counts the decisions.

    Args:
        game: the rules; game number *d* is deal *d* of a fixed secret.
        messages: also build view and request message of each seat that has a choice, as the referee does.
    """

    def play(number: int) -> int:
        key, chances, decisions = deal_key(SECRET, game.spec.ruleset, number), 0, 0
        choose = Random(number).random
        written = [SeatView(game.id) for _ in range(game.spec.entries)]
        state = game.initial()
        while not isinstance(turn := game.turn(state), GameOver):
            step: Step
            if isinstance(turn, ChanceTurn):
                step = game.sample_chance(state, chance_stream(key, chances))
                chances += 1
            else:
                chosen = []
                for seat in turn.seats:
                    legal = game.legal_actions(state, seat)
                    if len(legal) > 1:
                        decisions += 1
                        if messages:
                            request = arena_pb2.Request(decision=decisions)
                            request.legal_actions.extend(game.listed_actions(legal))
                            written[seat].write(game.view(state, seat), request)
                    chosen.append((seat, legal[int(choose() * len(legal))]))
                step = Moves(tuple(chosen))
            state = game.apply(state, step)
        return decisions

    return play


def leduc_game() -> Play | None:
    """Return the function that plays one random game of PettingZoo's leduc_holdem_v4, or None without PettingZoo.

    Steps of agents that are out count nothing, as forced moves do not; only game 0 is seeded, since a new seed costs
    more than the game.
    """
    try:
        env = import_module("pettingzoo.classic.leduc_holdem_v4").env()
    except ImportError:
        return None

    def play(number: int) -> int:
        env.reset(seed=None if number else 0)
        choose, decisions = Random(number).random, 0
        for _ in env.agent_iter():
            observation, _, ended, cut, _ = env.last()
            if ended or cut:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(choose() * len(legal))]))
            decisions += 1
        return decisions

    return play


def _seats(game_id: str) -> int:
    accepted = game_class(game_id).seat_counts
    return SEATS.get(game_id, min(max(3, accepted[0]), accepted[-1]))
