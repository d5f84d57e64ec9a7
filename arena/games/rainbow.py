"""Rainbow (rules/rainbow.md): 2-6 seats, simultaneous claims of equations, most cards win.

Every equation of the deck is written once, at import; the claims of a table are kept, since all seats of a round, and
the check for the end of the game, ask for them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from arena.errors import IllegalAction
from arena.games.base import (
    CHANCE_TURN,
    Action,
    Chance,
    Game,
    GameOver,
    Guide,
    Moves,
    Seat,
    SeatTurn,
    Source,
    Step,
    Turn,
    ranks_of,
)
from arena.games.cards import read_numbers, redact_shuffle, shuffle_outcome, shuffled
from arena.games.number_cards import (
    CARDS,
    DIGITS,
    Submission,
    changed,
    claim_order,
    submissions,
    tick_ms_option,
    turn_list,
    window_ms_option,
)
from arena.games.options import choice, whole

SEALED, RACE = "sealed", "race"
CLAIM, PASS = "claim", "pass"
CORNERS = (2, 3, 5, 7)
DECK = tuple(card for card in CARDS if card not in CORNERS)
HIGHEST = CARDS[-1]
_NUMBER = re.compile(r"[1-9][0-9]?")


class Claim(NamedTuple):
    """A true equation with at least one card of the deck.

    Attributes:
        text: the action.
        cards: its numbers that are no corners, ascending; their count is the claim's weight and its points.
    """

    text: Action
    cards: tuple[int, ...]


def _equations() -> dict[tuple[int, int], tuple[Claim, ...]]:
    """Return the claims by their two lower numbers x < y: x + y = z, then x * y = z (which is never the same z)."""
    found = {}
    for x in CARDS:
        for y in range(x + 1, HIGHEST + 1):
            claims = (_claim(x, y, z) for z in (x + y, x * y) if y < z <= HIGHEST)
            found[x, y] = tuple(claim for claim in claims if claim.cards)
    return found


def _claim(x: int, y: int, z: int) -> Claim:
    return Claim(f"{CLAIM} {x} {y} {z}", tuple(number for number in (x, y, z) if number not in CORNERS))


EQUATIONS = _equations()
CLAIMS = {claim.text: claim for claims in EQUATIONS.values() for claim in claims}


@lru_cache(maxsize=1 << 12)
def legal_claims(table: tuple[int, ...]) -> tuple[Claim, ...]:
    """Return the claims that are legal with these open cards, ascending by (x, y, z)."""
    numbers = sorted((*table, *CORNERS))
    held = set(table)
    found: list[Claim] = []
    for i, x in enumerate(numbers):
        for y in numbers[i + 1 :]:
            found += [claim for claim in EQUATIONS[x, y] if held.issuperset(claim.cards)]
    return tuple(found)


@lru_cache(maxsize=1 << 12)
def legal_texts(table: tuple[int, ...]) -> tuple[Action, ...]:
    """Return the legal actions with these open cards: the claims, then ``pass``."""
    return (*(claim.text for claim in legal_claims(table)), PASS)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the rule file, section "Players and options"."""

    table: int = whole(9, 6, 12, says="open cards; more lie open while they allow no claim")
    mode: str = choice(SEALED, RACE, says="sealed: all claims are simultaneous; race: the earlier tick comes first")
    tick_ms: int = tick_ms_option()
    window_ms: int = window_ms_option()


class State(NamedTuple):
    """One moment of a game.

    Attributes:
        round: rounds finished.
        open: a legal claim exists, so a round is played; False before the deal and when the game is over.
        table: open cards in order of arrival.
        deck: cards to come, top first.
        piles: cards won by seat, in order of arrival.
        discarded: cards that the stall rule has taken out, in order.
        block: the seats as shuffled for this block of rounds; empty while the shuffle is due.
        last_round: what the seats handed in for the round before, seats ascending.
    """

    round: int
    open: bool
    table: tuple[int, ...]
    deck: tuple[int, ...]
    piles: tuple[tuple[int, ...], ...]
    discarded: tuple[int, ...]
    block: tuple[Seat, ...]
    last_round: tuple[Submission, ...]


@dataclass(frozen=True, slots=True)
class View:
    """What a seat may know of a game of Rainbow: all but the order of the deck. The corners are 2, 3, 5 and 7.

    Attributes:
        seat: the viewer; None for a spectator.
        round: rounds finished.
        table: open cards in order of arrival; the first is discarded when nobody wins anything.
        piles: cards won by seat, in order of arrival.
        scores: cards won by seat, as a number.
        discarded: cards that nobody won and that are out, in order.
        deck_count: cards to come.
        unseen: numbers of the cards to come, ascending.
        turn_list: who comes first among claims of equal tick and weight in this round; empty when no round is played.
        last_round: what each seat handed in for the round before, seats ascending; empty before the second round.
    """

    seat: Seat | None
    round: int
    table: tuple[int, ...]
    piles: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    discarded: tuple[int, ...]
    deck_count: int
    unseen: tuple[int, ...]
    turn_list: tuple[Seat, ...]
    last_round: tuple[Submission, ...]


class Rainbow(Game[State, View]):
    """The rules of Rainbow for a number of seats and a set of options."""

    id: ClassVar[str] = "rainbow"
    title: ClassVar[str] = "Rainbow"
    seat_counts: ClassVar[range] = range(2, 7)
    score_unit: ClassVar[str] = "cards"
    options_type: ClassVar[type[Any]] = Options
    guide: ClassVar[Guide] = Guide(
        goal="Most cards win. Take cards that make an equation: a sum x+y=z or a product x*y=z with x < y < z.",
        turn=(
            "All seats answer at once about the same open cards: claim an equation or pass. The corners 2, 3, 5 and 7 "
            "may be used and stay; at least one number must be an open card. Heavier claims (more open cards) come "
            "first, then the turn list; a claim whose cards are gone wins nothing and costs nothing."
        ),
        actions=(
            ("claim X Y Z", "claim 2 19 38", "X < Y < Z, and X+Y=Z or X*Y=Z; you get its open cards"),
            ("pass", "pass", "hand in nothing"),
        ),
        notes=(
            "If nobody wins a card in a round, the card that has lain longest is discarded.",
            "The game ends when the deck is empty and the open cards allow no claim.",
            "Mode race: the earlier tick comes first, before the weight.",
        ),
    )
    options: Options

    def __init__(self, seats: int, options: Options) -> None:
        super().__init__(seats, options)
        self.all_seats = SeatTurn(tuple(range(seats)))
        self.race = options.mode == RACE
        blocks = -(-len(DECK) // seats)
        self.spec = self._spec(1 + len(DECK) + blocks)

    def initial(self) -> State:
        """Return the state before the shuffle."""
        return State(0, False, (), (), ((),) * self.seats, (), (), ())

    def turn(self, state: State) -> Turn:
        """Return all seats, or a shuffle (of the deck or of a block's seats), or the end."""
        if state.open:
            return self.all_seats if state.block else CHANCE_TURN
        if not _dealt(state):
            return CHANCE_TURN
        scores = tuple(map(len, state.piles))
        return GameOver(scores, ranks_of(scores))

    def sample_chance(self, state: State, stream: Source) -> Chance:
        """Shuffle the deck, or the seats at the first round of a block (rule file, "Chance")."""
        return shuffle_outcome(shuffled(self.all_seats.seats if state.open else DECK, stream))

    def legal_actions(self, state: State, seat: Seat) -> tuple[Action, ...]:
        """Return the claims ascending by (x, y, z), ``pass`` last."""
        return legal_texts(state.table) if self._acts(state, seat) else ()

    def _acts(self, state: State, seat: Seat) -> bool:
        return state.open and bool(state.block) and 0 <= seat < self.seats

    def check(self, state: State, seat: Seat, action: Action) -> Action:
        """Refuse in the order: game over, turn, fields, ascending, available, table card, equation."""
        if not self._acts(state, seat):
            if _dealt(state) and not state.open:
                raise IllegalAction("game_over", "the game is over", seat)
            raise IllegalAction("not_your_turn", "it is not this seat's turn", seat)
        if action == PASS:
            return PASS
        claim = CLAIMS.get(action)
        if claim is None or not set(state.table).issuperset(claim.cards):
            raise _why_refused(state.table, seat, action)
        return action

    def apply(self, state: State, step: Step) -> State:
        """Return the state after a shuffle or a round."""
        return self._chance(state, step.outcome) if isinstance(step, Chance) else self._round(state, step)

    def _chance(self, state: State, outcome: str) -> State:
        if not _dealt(state):
            return self._refilled(state, (), read_numbers(outcome, DECK))
        if not state.open or state.block:
            raise ValueError(f"chance outcome {outcome[:60]!r} where none is due")
        return state._replace(block=read_numbers(outcome, self.all_seats.seats))

    def _refilled(self, state: State, table: tuple[int, ...], deck: tuple[int, ...]) -> State:
        """Return the state with cards turned up until the table is full and allows a claim (rule file, "Refill")."""
        missing = max(0, self.options.table - len(table))
        table, deck = table + deck[:missing], deck[missing:]
        while deck and not legal_claims(table):
            table, deck = (*table, deck[0]), deck[1:]
        return state._replace(open=bool(legal_claims(table)), table=table, deck=deck)

    def _round(self, state: State, moves: Moves) -> State:
        entries = [
            (seat, self.check(state, seat, action), tick) for seat, action, tick in submissions(moves, self.seats)
        ]
        claims = {seat: CLAIMS[action].cards for seat, action, _ in entries if action != PASS}
        ticks = {seat: tick for seat, _, tick in entries} if self.race else {}
        weights = {seat: len(cards) for seat, cards in claims.items()}
        won = _honoured(claims, claim_order(weights, turn_list(state.block, state.round), ticks))
        piles, taken = state.piles, set[int]()
        for seat, cards in won.items():
            piles = changed(piles, seat, piles[seat] + cards)
            taken.update(cards)
        after = state._replace(
            round=state.round + 1,
            piles=piles,
            discarded=state.discarded if won else (*state.discarded, state.table[0]),
            block=state.block if (state.round + 1) % self.seats else (),
            last_round=tuple(Submission(seat, action, ticks.get(seat), seat in won) for seat, action, _ in entries),
        )
        left = tuple(card for card in state.table if card not in taken) if won else state.table[1:]
        return self._refilled(after, left, state.deck)

    def default_action(self, state: State, seat: Seat) -> Action:
        """Return ``pass`` (rule file, "Actions")."""
        return PASS

    def view(self, state: State, seat: Seat | None) -> View:
        """Return what everybody knows: all but the order of the deck."""
        index, _, table, deck, piles, discarded, block, last = state
        return View(
            seat,
            index,
            table,
            piles,
            tuple(map(len, piles)),
            discarded,
            len(deck),
            tuple(sorted(deck)),
            turn_list(block, index) if block and state.open else (),
            last,
        )

    def redact(self, before: State, step: Step, seat: Seat | None) -> Step:
        """Show of the deck's shuffle the cards of the first table; all else is public."""
        if isinstance(step, Moves) or _dealt(before):
            return step
        return redact_shuffle(step.outcome, range(len(self._chance(before, step.outcome).table)))

    def reshuffle_unseen(self, state: State, seat: Seat | None, stream: Source) -> State:
        """Return the state with the deck in another order."""
        return state._replace(deck=tuple(shuffled(sorted(state.deck), stream)))

    def imagine(self, view: View, stream: Source) -> State:
        """Put the cards to come in random order."""
        if view.seat is None:
            raise ValueError("a spectator's view cannot be imagined")
        block = turn_list(view.turn_list, self.seats - view.round % self.seats) if view.turn_list else ()
        return State(
            view.round,
            bool(legal_claims(view.table)),
            view.table,
            tuple(shuffled(view.unseen, stream)),
            view.piles,
            view.discarded,
            block,
            view.last_round,
        )

    def render(self, state: State, shown: Sequence[Seat]) -> str:
        """Return the open cards and one line a seat: cards won and the last claim; nothing here is private."""
        if not _dealt(state):
            return "before the deal"
        order = f"turn list {_words(turn_list(state.block, state.round))}" if state.block else ""
        head = f"round {state.round + 1}: {len(state.deck)} cards to come  {order}".rstrip()
        table = f"table  {_words(state.table)}   corners {_words(CORNERS)}   discarded {len(state.discarded)}"
        return "\n".join([head, table, *(self._seat_line(state, seat) for seat in range(self.seats))])

    def _seat_line(self, state: State, seat: Seat) -> str:
        line = f"  seat {seat}  cards {len(state.piles[seat]):2}"
        if not state.last_round:
            return line
        entry = state.last_round[seat]
        tick = "" if entry.tick is None else f" at tick {entry.tick}"
        result = "" if entry.action == PASS else " (honoured)" if entry.honoured else " (beaten)"
        return f"{line}  last round: {entry.action}{tick}{result}"


def _dealt(state: State) -> bool:
    """Tell whether the deck was shuffled: its 95 cards never leave table, piles and discards all at once."""
    return bool(state.table or state.discarded or any(state.piles))


def _honoured(claims: Mapping[Seat, tuple[int, ...]], order: Sequence[Seat]) -> dict[Seat, tuple[int, ...]]:
    """Return the cards won by seat, in claim order: a claim is honoured if all its cards are still there."""
    won: dict[Seat, tuple[int, ...]] = {}
    taken = set[int]()
    for seat in order:
        if taken.isdisjoint(claims[seat]):
            won[seat] = claims[seat]
            taken.update(claims[seat])
    return won


def _why_refused(table: tuple[int, ...], seat: Seat, action: Action) -> IllegalAction:
    """Return the refusal of an action that is neither ``pass`` nor a legal claim."""
    verb, *fields = action.split(" ", 4)
    if verb != CLAIM or len(fields) != 3 or not all(map(_NUMBER.fullmatch, fields)):
        message = f"an action is pass, or claim X Y Z with numbers 1..{HIGHEST}, such as 'claim 2 19 38'"
        return IllegalAction("malformed_action", message, seat)
    x, y, z = (DIGITS[field] for field in fields)
    if not x < y < z:
        return IllegalAction("not_canonical", f"the numbers of a claim must ascend; {x} {y} {z} do not", seat)
    missing = [number for number in (x, y, z) if number not in table and number not in CORNERS]
    if missing:
        return IllegalAction("number_not_available", f"{missing[0]} is no open card and no corner", seat)
    if z in CORNERS:
        return IllegalAction("no_table_card", "a claim needs an open card; these are all corners", seat)
    return IllegalAction("equation_false", f"{x}+{y} is {x + y} and {x}*{y} is {x * y}, not {z}", seat)


def _words(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers)) or "-"
