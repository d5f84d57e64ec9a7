"""What a game is: functions on a frozen state, with every random event a step of its own.

The referee, replays, search bots and the conformance kit (``arena.testing.check_game``) see a game through ``Game``
alone. A state holds no generator: the driver samples a chance outcome, records it and applies it, so a replay needs no
randomness and a duplicate deal is the same outcomes applied again.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

from arena.games.options import read_options

Seat: TypeAlias = int
"""Place at the table, from 0; never a player's name."""
Action: TypeAlias = str
"""One action in the game's own notation (rules/README.md), such as ``take`` or ``play 37``."""


class Source(Protocol):
    """Anything that draws uniform whole numbers: ``arena.seeds.Stream``, or a ``random.Random`` in a wrapper."""

    def below(self, k: int, /) -> int:
        """Return a uniform whole number in 0..k-1."""
        ...


@dataclass(frozen=True, slots=True)
class Chance:
    """One random event with its outcome written out: ``shuffle 13 29 ...`` (first element = top) or ``draw 1``."""

    outcome: str


@dataclass(frozen=True, slots=True)
class Moves:
    """The action of one seat, or one action from each seat of a simultaneous decision.

    Attributes:
        by_seat: (seat, action) pairs, seats ascending.
        ticks: mode ``race`` only, aligned with ``by_seat``: when each answer came (ticks), None where none came.
    """

    by_seat: tuple[tuple[Seat, Action], ...]
    ticks: tuple[int | None, ...] | None = None


Step: TypeAlias = Chance | Moves


@dataclass(frozen=True, slots=True)
class ChanceTurn:
    """A random event is due: ``sample_chance`` draws it."""


@dataclass(frozen=True, slots=True)
class SeatTurn:
    """These seats (ascending, never empty) act now, all at once."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class GameOver:
    """The end of a game.

    Attributes:
        scores: whole numbers by seat in the game's own unit, more is better.
        ranks: 1-based places by the rules, shared places repeated (1, 1, 3).
    """

    scores: tuple[int, ...]
    ranks: tuple[int, ...]


Turn: TypeAlias = ChanceTurn | SeatTurn | GameOver

CHANCE_TURN = ChanceTurn()
SEAT_TURNS = tuple(SeatTurn((seat,)) for seat in range(8))
"""The turns of a single seat, made once: ``SEAT_TURNS[seat]``."""


@dataclass(frozen=True, slots=True)
class Race:
    """How a window of mode ``race`` is timed.

    Attributes:
        tick_ms: answers within one tick count as simultaneous.
        window_ms: an answer after this is a pass.
    """

    tick_ms: int
    window_ms: int


@dataclass(frozen=True, slots=True)
class Guide:
    """What ``arena games ID`` tells the author of a bot.

    Attributes:
        goal: how the game is won, in one or two sentences.
        turn: what a seat does when it is asked, in a few sentences.
        actions: (form, example, meaning) of every action, in canonical order.
        notes: limits and traps worth knowing, one sentence each.
    """

    goal: str
    turn: str
    actions: tuple[tuple[str, str, str], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GameSpec:
    """One game with its seats and options fixed.

    Attributes:
        id: registered name, such as ``no_thanks``.
        rules_version: changes when behaviour does, never on a refactor.
        seats: number of bots.
        options: every option with its value, defaults included.
        entries: length of scores and ranks; more than ``seats`` where the rules seat a player of their own.
        steps_max: an upper bound on the steps of a game (chance steps included).
    """

    id: str
    rules_version: int
    seats: int
    options: Mapping[str, Any]
    entries: int
    steps_max: int

    @property
    def ruleset(self) -> str:
        """Canonical text of rules, seats and options: what deals, game ids and ratings are keyed by."""
        return json.dumps(
            {
                "game": self.id,
                "options": dict(self.options),
                "rules_version": self.rules_version,
                "seats": self.seats,
            },
            sort_keys=True,
            separators=(",", ":"),
        )


State = TypeVar("State")
View = TypeVar("View")


class Game(ABC, Generic[State, View]):
    """Rules of one game as functions on a frozen state; nothing here changes after construction.

    An implementer keeps these true, and ``arena.testing.check_game`` tests them: legal actions are non-empty exactly
    for the seats of a ``SeatTurn``; ``apply`` accepts every one of them and changes nothing when it refuses;
    ``view(imagine(v, stream), seat) == v``; a view and a redacted step never depend on what the seat may not know.

    Raises:
        BadOptions: when constructed with options that do not fit the seats.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    rules_version: ClassVar[int] = 1
    seat_counts: ClassVar[range]
    fewer_is_better: ClassVar[bool] = False
    """The rules count down: scores are the negated numbers, and tables print them the natural way round."""
    score_unit: ClassVar[str] = "points"
    options_type: ClassVar[type[Any]]
    """A frozen dataclass whose fields are made by ``arena.games.options``."""
    guide: ClassVar[Guide]

    spec: GameSpec

    def __init__(self, seats: int, options: Any) -> None:
        self.seats = seats
        self.options = options

    @classmethod
    def make(cls, seats: int, given: Mapping[str, Any]) -> Game[State, View]:
        """Return the game for these seats and options.

        Raises:
            BadOptions: for a number of seats or an option outside its range, naming what is accepted.
        """
        return cls(seats, read_options(cls.id, cls.seat_counts, cls.options_type, seats, given))

    def _spec(self, steps_max: int, entries: int | None = None) -> GameSpec:
        return GameSpec(self.id, self.rules_version, self.seats, asdict(self.options), entries or self.seats, steps_max)

    @abstractmethod
    def initial(self) -> State:
        """Return the state before anything has happened."""

    @abstractmethod
    def turn(self, state: State) -> Turn:
        """Return what is due: a chance event, the actions of some seats, or nothing more."""

    @abstractmethod
    def sample_chance(self, state: State, stream: Source) -> Chance:
        """Draw the chance event that is due, using ``stream.below`` alone."""

    @abstractmethod
    def legal_actions(self, state: State, seat: Seat) -> tuple[Action, ...]:
        """Return the actions of a seat in canonical order; empty when the seat is not to act."""

    @abstractmethod
    def check(self, state: State, seat: Seat, action: Action) -> Action:
        """Validate one answer and return it in canonical form.

        Raises:
            IllegalAction: with the code of the rule file; checks run in the order of rules/README.md, item 4.
        """

    @abstractmethod
    def apply(self, state: State, step: Step) -> State:
        """Return the state after a step.

        Raises:
            IllegalAction: when a move is refused.
            ValueError: when a chance outcome does not fit the state (a damaged record).
        """

    @abstractmethod
    def view(self, state: State, seat: Seat | None) -> View:
        """Return what a seat may know, built up from that; None is a spectator, who knows what all seats know."""

    @abstractmethod
    def redact(self, before: State, step: Step, seat: Seat | None) -> Step:
        """Return a step as a seat may see it; a redacted shuffle keeps its length and shows ``?``."""

    @abstractmethod
    def reshuffle_unseen(self, state: State, seat: Seat | None, stream: Source) -> State:
        """Return the state with all that the seat does not know drawn anew; for the secrecy test."""

    @abstractmethod
    def imagine(self, view: View, stream: Source) -> State:
        """Return a full state drawn at random among those that the view allows; for search bots.

        Raises:
            ValueError: for a spectator's view.
        """

    @abstractmethod
    def render(self, state: State, shown: Sequence[Seat]) -> str:
        """Return the table as plain text lines, with the private cards of the shown seats."""

    def listed_actions(self, legal: tuple[Action, ...]) -> tuple[Action, ...]:
        """Return those of a seat's legal actions that its requests list; all, unless an option hides some."""
        return legal

    @property
    def race_timing(self) -> Race | None:
        """The timing of windows in mode ``race``; None in every other mode."""
        if getattr(self.options, "mode", "") != "race":
            return None
        return Race(self.options.tick_ms, self.options.window_ms)

    def default_action(self, state: State, seat: Seat) -> Action:
        """Return what a strike or a retired seat plays (rules/README.md, item 2): the first legal action."""
        return self.legal_actions(state, seat)[0]


def ranks_of(scores: Sequence[int]) -> tuple[int, ...]:
    """Return 1-based ranks, 1 + the number of strictly better scores; equal scores share a rank."""
    return tuple(1 + sum(other > score for other in scores) for score in scores)
