"""One game at one table: what is due, what the seats do, what goes into the record.

A table knows neither time nor transport: it is handed answers and rulings and says who must be asked next. So the same
table serves bot processes, a simulated clock and tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.errors import IllegalAction, Termination
from arena.games import Action, ChanceTurn, Game, GameOver, Moves, Seat, Step
from arena.players.base import FaultPolicy
from arena.records.record import DEFAULT, RETIRE, Entry, Fault
from arena.referee.faults import fault_of
from arena.seeds import chance_stream

EMPTY_ANSWER = "an answer without an action"


@dataclass(frozen=True, slots=True)
class Refused:
    """Why an answer was not taken.

    Attributes:
        word: ``illegal`` or ``protocol``.
        code: error code of the rules, or ``empty``.
        words: for a person.
    """

    word: Termination
    code: str
    words: str


class Table:
    """One game from its first deal to its end.

    Args:
        game: the rules.
        deal_key: key of the deal (32 bytes): chance event j is drawn from its stream j.
        policy: what faults cost.
        ask_forced: ask seats that have no choice, too.

    Attributes:
        state: the present state.
        entries: the steps so far.
        faults: the faults so far.
        terminations: one word a seat so far.
        over: the result, once the game has ended.
        decisions: requests so far, by seat.
    """

    def __init__(self, game: Game[Any, Any], deal_key: bytes, policy: FaultPolicy, *, ask_forced: bool = False) -> None:
        self.game = game
        self.state = game.initial()
        self.entries: list[Entry] = []
        self.faults: list[Fault] = []
        self.terminations = [Termination.NORMAL] * game.seats
        self.over: GameOver | None = None
        self.decisions = [0] * game.seats
        self._deal_key = deal_key
        self._events = 0
        self._policy = policy
        self._ask_forced = ask_forced
        self._strikes = [0] * game.seats
        self._legal: dict[Seat, tuple[Action, ...]] = {}
        self._taken: dict[Seat, Action] = {}
        self._ticks: dict[Seat, int] = {}
        self._race = game.race_timing is not None
        self._defaulted: list[Seat] = []
        self._before: list[Any] = []
        self._told = [0] * game.seats

    def advance(self) -> tuple[Seat, ...]:
        """Play on until somebody must be asked; return those seats, none when the game is over or seats are open."""
        while not self._legal:
            turn = self.game.turn(self.state)
            if isinstance(turn, GameOver):
                self.over = turn
                return ()
            if isinstance(turn, ChanceTurn):
                stream = chance_stream(self._deal_key, self._events)
                self._events += 1
                self._apply(Entry(self.game.sample_chance(self.state, stream)))
            else:
                asked = self._ask(turn.seats)
                if asked:
                    return asked
        return ()

    def _ask(self, seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
        """Collect what needs no asking; return the seats that must be asked."""
        legal = {seat: self.game.legal_actions(self.state, seat) for seat in seats}
        bots = self.game.seats  # a seat beyond is the rules' own, and its moves are forced
        asked = {s: actions for s, actions in legal.items() if s < bots and (len(actions) > 1 or self._ask_forced)}
        forced = not asked
        self._taken = {seat: actions[0] for seat, actions in legal.items() if seat not in asked}
        self._defaulted, self._ticks = [], {}
        for seat in [seat for seat in asked if self.retired(seat)]:
            del asked[seat]
            self._default(seat)
        for seat in asked:
            self.decisions[seat] += 1
        self._legal = asked
        if not asked:
            self._play(forced=forced)
        return tuple(asked)

    def retired(self, seat: Seat) -> bool:
        """Whether a seat is asked no more."""
        return self.terminations[seat] is not Termination.NORMAL

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """Return the legal actions of a seat that is asked."""
        return self._legal[seat]

    def listed(self, seat: Seat) -> tuple[Action, ...]:
        """Return the legal actions that a request lists for a seat that is asked."""
        return self.game.listed_actions(self._legal[seat])

    def is_asked(self, seat: Seat) -> bool:
        """Whether a seat has been asked and not answered."""
        return seat in self._legal

    def answer(self, seat: Seat, action: Action, tick: int = 0) -> Refused | None:
        """Take the answer of a seat that is asked; return why not, and change nothing, when the rules refuse it.

        Args:
            seat: a seat that is asked.
            action: what it sent.
            tick: mode ``race``: when the answer came, in ticks of the game.
        """
        if action not in self._legal[seat]:
            try:
                action = self._checked(seat, action)
            except IllegalAction as error:
                empty = not action
                return Refused(
                    fault_of(error), "empty" if empty else error.code, EMPTY_ANSWER if empty else error.message
                )
        self._ticks[seat] = tick
        self._take(seat, action)
        return None

    def default(self, seat: Seat) -> None:
        """Close the decision of a seat that is asked with the default action, without a fault."""
        self._default(seat)

    def _checked(self, seat: Seat, action: Action) -> Action:
        if not action:
            raise IllegalAction("malformed_action", EMPTY_ANSWER, seat)
        return self.game.check(self.state, seat, action)

    def rule(self, seat: Seat, word: Termination) -> str:
        """Rule a fault of a seat; return what it cost: ``default`` (a strike) or ``retire``.

        An open decision of the seat is closed with the default action.
        """
        cost = self._policy.cost(word)
        if cost == DEFAULT:
            self._strikes[seat] += 1
            if self._strikes[seat] >= self._policy.strikes:
                cost = RETIRE
        self.faults.append(Fault(len(self.entries), seat, word, cost))
        if cost == RETIRE:
            self.terminations[seat] = word
        if seat in self._legal:
            self._default(seat)
        return cost

    def retire(self, seat: Seat, word: Termination) -> None:
        """Retire a seat for a fault, whatever the policy says of strikes."""
        self.faults.append(Fault(len(self.entries), seat, word, RETIRE))
        self.terminations[seat] = word
        if seat in self._legal:
            self._default(seat)

    def _default(self, seat: Seat) -> None:
        self._defaulted.append(seat)
        self._take(seat, self.game.default_action(self.state, seat))

    def _take(self, seat: Seat, action: Action) -> None:
        self._taken[seat] = action
        if self._legal.pop(seat, None) is not None and not self._legal:
            self._play(forced=False)

    def _play(self, *, forced: bool) -> None:
        ticks = tuple(self._ticks.get(seat) for seat in sorted(self._taken)) if self._race and not forced else None
        moves = Moves(tuple(sorted(self._taken.items())), ticks)
        self._apply(Entry(moves, forced, tuple(sorted(self._defaulted))))

    def _apply(self, entry: Entry) -> None:
        self._before.append(self.state)
        self.state = self.game.apply(self.state, entry.step)
        self.entries.append(entry)

    def view(self, seat: Seat) -> Any:
        """Return what a seat may know now."""
        return self.game.view(self.state, seat)

    def news(self, seat: Seat) -> list[Step]:
        """Return the steps since the last call for this seat, as it may see them."""
        start, self._told[seat] = self._told[seat], len(self.entries)
        return [
            self.game.redact(self._before[number], self.entries[number].step, seat)
            for number in range(start, len(self.entries))
        ]

    def open_seats(self) -> Mapping[Seat, tuple[Action, ...]]:
        """Return the seats that are asked, with their legal actions."""
        return self._legal
