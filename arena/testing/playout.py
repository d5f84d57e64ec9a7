"""Random play of any game for the conformance kit: every choice comes from keyed streams, so a failure repeats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from arena.games import ChanceTurn, Game, GameOver, Moves, SeatTurn, Step
from arena.games.base import Turn
from arena.seeds import Stream, chance_stream, derive

RACE_TICKS = 4
"""Ticks drawn in mode ``race``: 0..3, so that equal ones are common."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One state of one game under test, and what is needed to name it in a failure.

    Attributes:
        game: the rules under test.
        state: the state.
        turn: what is due there.
        number: number of the game in the run, from 0.
        seed: seed of the run.
        step: number of steps before the state.
        cards: words of the chance outcomes so far, as material for probe actions.
        stream: randomness of the checks, apart from that of the game.
    """

    game: Game[Any, Any]
    state: Any
    turn: Turn
    number: int
    seed: int
    step: int
    cards: tuple[str, ...]
    stream: Stream

    def fail(self, rule: str, words: str) -> NoReturn:
        """Raise the failure of a rule, with everything that finds it again."""
        spec = self.game.spec
        where = f"{spec.ruleset}, game {self.number} of seed {self.seed}, step {self.step}"
        raise AssertionError(f"{rule}: {words} ({where})")

    def require(self, holds: bool, rule: str, words: str) -> None:
        """Fail unless a condition holds."""
        if not holds:
            self.fail(rule, words)

    def acting(self) -> tuple[int, ...]:
        """Return the seats that act now."""
        return self.turn.seats if isinstance(self.turn, SeatTurn) else ()

    def moves_with(self, seat: int, action: str) -> Moves:
        """Return the step in which a seat plays an action and every other acting seat its default."""
        return Moves(
            tuple(
                (other, action if other == seat else self.game.default_action(self.state, other))
                for other in self.acting()
            )
        )


def key_of(game: Game[Any, Any], number: int, seed: int) -> bytes:
    """Return the key from which all choices of one game of a run derive."""
    return derive(b"arena.testing", game.spec.ruleset, seed, number)


def moments(game: Game[Any, Any], number: int, seed: int) -> Iterator[tuple[Moment, Step | None]]:
    """Play a game at random and yield (moment, step taken there); the last step is None.

    Raises:
        AssertionError: when the game does not end within ``spec.steps_max``.
    """
    key = key_of(game, number, seed)
    state, chances = game.initial(), 0
    cards: tuple[str, ...] = ()
    for count in range(game.spec.steps_max + 1):
        turn = game.turn(state)
        moment = Moment(game, state, turn, number, seed, count, cards, Stream(derive(key, "checks", count)))
        if isinstance(turn, GameOver):
            yield moment, None
            return
        step: Step
        if isinstance(turn, ChanceTurn):
            step = game.sample_chance(state, chance_stream(key, chances))
            chances += 1
            cards = tuple(step.outcome.split(" ")[1:])
        else:
            step = random_moves(game, state, turn.seats, Stream(derive(key, "moves", count)))
        yield moment, step
        state = game.apply(state, step)
    moment.fail("steps_max", f"the game is not over after {game.spec.steps_max} steps")


def random_moves(game: Game[Any, Any], state: Any, seats: tuple[int, ...], stream: Stream) -> Moves:
    """Return a random legal action of every acting seat; with ticks in mode ``race`` if anyone has a choice."""
    by_seat, free = [], False
    for seat in seats:
        legal = game.legal_actions(state, seat)
        if not legal:
            raise AssertionError(f"legal_actions: seat {seat} is to act and has none ({game.spec.ruleset})")
        free = free or len(legal) > 1
        by_seat.append((seat, legal[stream.below(len(legal))]))
    race = free and game.spec.options.get("mode") == "race"
    return Moves(tuple(by_seat), tuple(stream.below(RACE_TICKS) for _ in seats) if race else None)


def play_on(game: Game[Any, Any], state: Any, steps: int, stream: Stream) -> None:
    """Play some random steps from a state, or to its end; whatever the rules raise comes out."""
    for _ in range(steps):
        turn = game.turn(state)
        if isinstance(turn, GameOver):
            return
        if isinstance(turn, ChanceTurn):
            state = game.apply(state, game.sample_chance(state, stream))
        else:
            state = game.apply(state, random_moves(game, state, turn.seats, stream))
