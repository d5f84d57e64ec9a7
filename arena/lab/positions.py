"""Positions of random play, to ask a bot about: the state, who is asked, and what the rules would take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from arena.errors import IllegalAction, Termination
from arena.games import Action, Game, Seat
from arena.players.base import FaultPolicy, Limits
from arena.protocol.convert import Bundle, SeatView
from arena.referee.clock import Key, SeatClock
from arena.referee.faults import fault_of
from arena.referee.table import Table
from arena.seeds import Stream, derive

GAMES_SEARCHED = 30
"""Games that are played in search of a seat without a choice: some games hardly have any."""
HABITS = (None, 0, -1)
"""Which of the legal actions a game's seats like to choose: any, the first, the last."""
HABIT_BREAKS = 8
"""One choice in so many is made against the habit."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an action is not taken.

    Attributes:
        word: what a league calls it.
        words: why.
    """

    word: Termination
    words: str


@dataclass(frozen=True, slots=True)
class Position:
    """One seat before one decision.

    Attributes:
        rules: the game.
        state: its state.
        seat: who is asked.
        decision: which decision of that seat it is, from 0.
        legal: legal actions.
    """

    rules: Game[Any, Any]
    state: Any
    seat: Seat
    decision: int
    legal: tuple[Action, ...]

    @property
    def listed(self) -> tuple[Action, ...]:
        """The actions that a request lists."""
        return self.rules.listed_actions(self.legal)

    def refusal(self, action: Action) -> Refusal | None:
        """Return why the referee would not take an action, None when it would."""
        if action in self.legal:
            return None
        if not action:
            return Refusal(Termination.PROTOCOL, "an answer without an action")
        try:
            self.rules.check(self.state, self.seat, action)
        except IllegalAction as error:
            return Refusal(fault_of(error), f"{error.message} ({error.code})")
        return None


@dataclass(frozen=True, slots=True)
class Asked:
    """A position that a bot is asked about, as a game of its own.

    Attributes:
        game_id: id of that game.
        position: the position.
        decision: the number that the request has.
        bot_seed: the seed that the bot is given.
        budget_ms: the time that it is told, 0 for the limit of a move.
    """

    game_id: str
    position: Position
    decision: int
    bot_seed: int
    budget_ms: int = 0

    @property
    def key(self) -> Key:
        """What names the request."""
        return self.game_id, self.decision

    def announce(self, bundle: Bundle) -> None:
        """Add the announcement of the game."""
        spec = self.position.rules.spec
        bundle.new_game(self.game_id, spec.id, self.position.seat, spec.seats, spec.options, self.bot_seed)

    def clock(self, limits: Limits) -> SeatClock:
        """Return the clock of the seat: as in a game whose bank is used up."""
        return SeatClock(replace(limits, move_ms=self.budget_ms or limits.move_ms, bank_ms=0))

    def request(self, bundle: Bundle, limits: Limits) -> None:
        """Add the request."""
        position = self.position
        view = position.rules.view(position.state, position.seat)
        times = self.clock(limits).times
        bundle.request(self.key, times, position.listed, SeatView(position.rules.spec.id), view, ())

    def next(self) -> Asked:
        """Return the same position as the next decision of the same game."""
        return replace(self, decision=self.decision + 1)

    def over(self, bundle: Bundle) -> None:
        """Add the end of the game, as of one that was stopped."""
        entries = self.position.rules.spec.entries
        words = [Termination.ABORTED] * self.position.rules.seats
        bundle.game_over(self.game_id, [0] * entries, [1] * entries, words)

    def void(self, bundle: Bundle) -> None:
        """Add the end of the game, as of one that does not count: it has no result."""
        bundle.game_over(self.game_id, (), (), [Termination.HOST] * self.position.rules.seats)


def positions(rules: Game[Any, Any], key: bytes, *, forced: bool = False) -> Iterator[Position]:
    """Yield positions of random games without end, each decision of each seat as it comes.

    Two games of three are played by habit, because hands and purses at their limits come of one-sided play.

    Args:
        rules: the game.
        key: all choices derive from it.
        forced: those instead in which a seat has a single legal action; stops after ``GAMES_SEARCHED`` games.
    """
    for number in count():
        if forced and number >= GAMES_SEARCHED:
            return
        habit = HABITS[number % len(HABITS)]
        table = Table(rules, derive(key, "deal", number), FaultPolicy(), ask_forced=forced)
        choices = Stream(derive(key, "choices", number))
        while asked := table.advance():
            for seat in asked:
                legal = table.legal(seat)
                if (len(legal) == 1) == forced:
                    yield Position(rules, table.state, seat, table.decisions[seat] - 1, legal)
            for seat in asked:
                legal = table.legal(seat)
                usual = choices.below(len(legal)) if habit is None else habit
                table.answer(seat, legal[usual if choices.below(HABIT_BREAKS) else choices.below(len(legal))])
