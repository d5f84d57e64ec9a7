"""One of a Kind (rules/unique.md): 2-6 seats, fewest penalties win; modes ``turns``, ``sealed`` and ``race``.

Sets of properties are whole numbers with one bit a property, so "true of the card and of no pile, and not yet used" is
three machine operations; the texts of all claims are made once, at import.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from arena.errors import BadOptions, IllegalAction
from arena.games.base import (
    CHANCE_TURN,
    SEAT_TURNS,
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
    NO_CARD,
    Submission,
    changed,
    claim_order,
    submissions,
    tick_ms_option,
    turn_list,
    window_ms_option,
)
from arena.games.number_properties import CATALOGUE, MASKS, OF_CARD, Property, find_property, require_true
from arena.games.options import choice, whole

PASS, CLAIM = "pass", "claim"
PASS_ONLY = (PASS,)
TURNS, SEALED, RACE = "turns", "sealed", "race"
PILES_MAX = 8
CLAIM_TEXTS = tuple(tuple(f"{CLAIM} {prop.name} {cover}" for cover in range(PILES_MAX)) for prop in CATALOGUE)
"""Texts of the claims of a property, by property index, then cover."""
CLAIMS = {text: (index, cover) for index, texts in enumerate(CLAIM_TEXTS) for cover, text in enumerate(texts)}
"""What a canonical claim says: (property index, cover)."""
BITS_OF_CARD = tuple(tuple((1 << prop.index, CLAIM_TEXTS[prop.index]) for prop in props) for props in OF_CARD)
"""(bit, texts of the claims) of every property of a card, by card."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the rule file, section "Players and options"."""

    mode: str = choice(TURNS, SEALED, RACE, says="turns: one seat after the other; sealed, race: all at once")
    centre: int = whole(5, 3, PILES_MAX, says="open piles")
    deck_cards: int = whole(99, 7, 99, says="cards used, centre included; at least centre + 2 x seats")
    tick_ms: int = tick_ms_option()
    window_ms: int = window_ms_option()


class State(NamedTuple):
    """One moment of a game.

    Attributes:
        played: cards of the deck that are done: decisions (``turns``) or rounds.
        card: the open card, 0 before the deal and when the game is over.
        tops: top card by pile; empty before the deal.
        deck: the cards below the open one, top first.
        out: cards that are left over, unseen.
        used: bits of the properties that were honoured.
        penalties: by seat.
        penalty_cards: by seat, in order of arrival; empty tuples but in mode ``turns``.
        block: the seats as shuffled for this block of rounds; empty while the shuffle is due, and in mode ``turns``.
        last_round: what the seats handed in for the round before, seats ascending; empty in mode ``turns``.
    """

    played: int
    card: int
    tops: tuple[int, ...]
    deck: tuple[int, ...]
    out: tuple[int, ...]
    used: int
    penalties: tuple[int, ...]
    penalty_cards: tuple[tuple[int, ...], ...]
    block: tuple[Seat, ...]
    last_round: tuple[Submission, ...]


@dataclass(frozen=True, slots=True)
class View:
    """What a seat may know of a game of One of a Kind.

    Attributes:
        seat: the viewer; None for a spectator.
        lap: laps finished in mode ``turns``, else rounds finished.
        turn_order_now: mode ``turns``: the seats of this lap in order; else empty.
        next_seats: mode ``turns``: the seats that act after this one in this lap; else empty.
        card: the open card, 0 when there is none.
        tops: top card by pile.
        penalties: penalties by seat (fewer is better).
        penalty_cards: mode ``turns``: the cards of a seat's penalties, by seat, in order of arrival; else empty.
        used: names of the properties that can be claimed no more, in the order of the catalogue.
        decisions_left: decisions of all seats (``turns``) or rounds still to come, the present one included.
        deck_count: cards below the open one.
        unseen: numbers not seen yet in this game, ascending; more than ``deck_count`` when cards are left over.
        turn_list: modes ``sealed`` and ``race``: who comes first among equal claims of this round; else empty.
        last_round: modes ``sealed`` and ``race``: what each seat handed in for the round before.
    """

    seat: Seat | None
    lap: int
    turn_order_now: tuple[Seat, ...]
    next_seats: tuple[Seat, ...]
    card: int
    tops: tuple[int, ...]
    penalties: tuple[int, ...]
    penalty_cards: tuple[tuple[int, ...], ...]
    used: tuple[str, ...]
    decisions_left: int
    deck_count: int
    unseen: tuple[int, ...]
    turn_list: tuple[Seat, ...]
    last_round: tuple[Submission, ...]


class Unique(Game[State, View]):
    """The rules of One of a Kind for a number of seats and a set of options."""

    id: ClassVar[str] = "unique"
    title: ClassVar[str] = "One of a Kind"
    seat_counts: ClassVar[range] = range(2, 7)
    fewer_is_better: ClassVar[bool] = True
    score_unit: ClassVar[str] = "penalties"
    options_type: ClassVar[type[Any]] = Options
    guide: ClassVar[Guide] = Guide(
        goal="Fewest penalties win. Each card for which you name no property of its own costs one.",
        turn=(
            "A card is turned up. Claim a property that is true of it and false of the top card of every pile, and "
            "lay it on a pile of your choice; or pass and take a penalty. Mode turns: one seat after the other, each "
            "lap one seat later. Modes sealed and race: all seats answer at once about the same card."
        ),
        actions=(
            (
                "claim PROPERTY PILE",
                "claim multiple_of(17) 3",
                "the open card alone has this property; lay it on this pile (from 0)",
            ),
            ("pass", "pass", "take a penalty; the piles stay as they are"),
        ),
        notes=(
            "Every property can be claimed once a game, by anybody; an alias counts as its canonical name.",
            "Sealed and race: if two seats claim the same property, the first in claim order gets it (race: the "
            "earlier tick, then the turn list), the other takes a penalty; the card goes where the first honoured "
            "claim said.",
        ),
    )
    options: Options

    def __init__(self, seats: int, options: Options) -> None:
        super().__init__(seats, options)
        fewest = options.centre + 2 * seats
        if options.deck_cards < fewest:
            raise BadOptions(
                f"deck_cards = {options.deck_cards}: accepted with centre = {options.centre} and {seats} seats is "
                f"{fewest}..99"
            )
        self.piles = options.centre
        self.simultaneous = options.mode != TURNS
        laps = (options.deck_cards - options.centre) // seats
        self.decisions = laps if self.simultaneous else laps * seats
        self.all_seats = SeatTurn(tuple(range(seats)))
        self.no_cards: tuple[tuple[int, ...], ...] = ((),) * seats
        blocks = -(-laps // seats) if self.simultaneous else 0
        self.spec = self._spec(1 + self.decisions + blocks)

    def initial(self) -> State:
        """Return the state before the shuffle."""
        return State(0, NO_CARD, (), (), (), 0, (0,) * self.seats, self.no_cards, (), ())

    def turn(self, state: State) -> Turn:
        """Return who decides about the open card, or a shuffle (of the deck or of a block's seats), or the end."""
        if not state.card:
            return self._over(state) if state.tops else CHANCE_TURN
        if self.simultaneous:
            return self.all_seats if state.block else CHANCE_TURN
        return SEAT_TURNS[self._actor(state.played)]

    def _over(self, state: State) -> GameOver:
        scores = tuple(-count for count in state.penalties)
        return GameOver(scores, ranks_of(scores))

    def _actor(self, played: int) -> Seat:
        """Return the seat of decision ``played`` (from 0) in mode ``turns``: every lap starts one seat later."""
        return (played // self.seats + played) % self.seats

    def sample_chance(self, state: State, stream: Source) -> Chance:
        """Shuffle the deck, or the seats at the first round of a block (rule file, "Chance")."""
        return shuffle_outcome(shuffled(self.all_seats.seats if state.tops else CARDS, stream))

    def _acts(self, state: State, seat: Seat) -> bool:
        if self.simultaneous:
            return bool(state.block and state.card) and seat in self.all_seats.seats
        return state.card != NO_CARD and seat == self._actor(state.played)

    def legal_actions(self, state: State, seat: Seat) -> tuple[Action, ...]:
        """Return the true, unique and unused claims by property index, then cover; ``pass`` is last."""
        if not self._acts(state, seat):
            return ()
        barred = _barred(state)
        piles = self.piles
        actions: list[Action] = []
        for bit, texts in BITS_OF_CARD[state.card]:
            if not bit & barred:
                actions += texts[:piles]
        actions.append(PASS)
        return tuple(actions)

    def check(self, state: State, seat: Seat, action: Action) -> Action:
        """Refuse in the order: game over, turn, fields, syntax, catalogue, used, false, not unique."""
        if not self._acts(state, seat):
            if state.tops and not state.card:
                raise IllegalAction("game_over", "the game is over", seat)
            raise IllegalAction("not_your_turn", "it is not this seat's turn", seat)
        if action == PASS:
            return PASS
        index, cover = CLAIMS.get(action) or self._read(seat, action)
        if cover >= self.piles:
            raise self._malformed(seat)
        bit = 1 << index
        if not bit & MASKS[state.card] or bit & _barred(state):
            raise self._why_barred(state, seat, CATALOGUE[index])
        return CLAIM_TEXTS[index][cover]

    def _read(self, seat: Seat, action: Action) -> tuple[int, int]:
        """Return (property index, cover) of a claim that is not in canonical form."""
        verb, *fields = action.split(" ", 3)
        if verb != CLAIM or len(fields) != 2 or not fields[0] or DIGITS.get(fields[1], PILES_MAX) >= self.piles:
            raise self._malformed(seat)
        return find_property(fields[0], seat).index, DIGITS[fields[1]]

    def _malformed(self, seat: Seat) -> IllegalAction:
        message = f"an action is pass, or claim PROPERTY PILE with a pile 0..{self.piles - 1}, such as 'claim even 0'"
        return IllegalAction("malformed_action", message, seat)

    def _why_barred(self, state: State, seat: Seat, prop: Property) -> IllegalAction:
        """Return the refusal of a property that cannot be claimed."""
        if state.used >> prop.index & 1:
            return IllegalAction("property_used", f"{prop.name} was already claimed in this game", seat)
        require_true(prop, state.card, seat)
        shared = ", ".join(str(top) for top in state.tops if prop.holds[top])
        return IllegalAction("not_unique", f"{prop.name} is also true of {shared} on the piles", seat)

    def apply(self, state: State, step: Step) -> State:
        """Return the state after a shuffle, a decision or a round."""
        if isinstance(step, Chance):
            return self._chance(state, step.outcome)
        if self.simultaneous:
            return self._round(state, step)
        ((seat, action),) = step.by_seat
        return self._decide(state, seat, self.check(state, seat, action))

    def _chance(self, state: State, outcome: str) -> State:
        if not state.tops:
            return self._deal(state, read_numbers(outcome, CARDS))
        if not self.simultaneous or state.block or not state.card:
            raise ValueError(f"chance outcome {outcome[:60]!r} where none is due")
        return state._replace(block=read_numbers(outcome, self.all_seats.seats))

    def _deal(self, state: State, order: tuple[int, ...]) -> State:
        end = self.piles + self.decisions
        tops, card, deck, out = order[: self.piles], order[self.piles], order[self.piles + 1 : end], order[end:]
        return state._replace(tops=tops, card=card, deck=deck, out=out)

    def _decide(self, state: State, seat: Seat, action: Action) -> State:
        """Return the state after one decision in mode ``turns``."""
        played, card, tops, deck, out, used, penalties, penalty_cards, block, last = state
        if action == PASS:
            penalties = changed(penalties, seat, penalties[seat] + 1)
            penalty_cards = changed(penalty_cards, seat, (*penalty_cards[seat], card))
        else:
            index, cover = CLAIMS[action]
            used |= 1 << index
            tops = changed(tops, cover, card)
        following = deck[0] if deck else NO_CARD
        return State(played + 1, following, tops, deck[1:], out, used, penalties, penalty_cards, block, last)

    def _round(self, state: State, moves: Moves) -> State:
        """Return the state after a round in which all seats handed in a claim or a pass."""
        race = self.options.mode == RACE
        entries = [
            (seat, self.check(state, seat, action), tick if race else None)
            for seat, action, tick in submissions(moves, self.seats)
        ]
        claims = {seat: CLAIMS[action] for seat, action, _ in entries if action != PASS}
        order = claim_order(
            dict.fromkeys(claims, 0), turn_list(state.block, state.played), {seat: tick for seat, _, tick in entries}
        )
        honoured = _first_claimants(claims, order)
        played, deck = state.played + 1, state.deck
        return state._replace(
            played=played,
            card=deck[0] if deck else NO_CARD,
            tops=changed(state.tops, claims[honoured[0]][1], state.card) if honoured else state.tops,
            deck=deck[1:],
            used=state.used | sum(1 << claims[seat][0] for seat in honoured),
            penalties=tuple(count + (seat not in honoured) for seat, count in enumerate(state.penalties)),
            block=state.block if deck and played % self.seats else (),
            last_round=tuple(Submission(seat, action, tick, seat in honoured) for seat, action, tick in entries),
        )

    def view(self, state: State, seat: Seat | None) -> View:
        """Return what everybody knows: all but the order of the deck and which cards are out."""
        played, card, tops, deck, out, used, penalties, penalty_cards, block, last = state
        lap, place = (played, 0) if self.simultaneous else divmod(played, self.seats)
        order = () if self.simultaneous or not card else turn_list(self.all_seats.seats, lap)
        return View(
            seat,
            lap,
            order,
            order[place + 1 :],
            card,
            tops,
            penalties,
            () if self.simultaneous else penalty_cards,
            _names(used),
            self.decisions - played,
            len(deck),
            tuple(sorted(deck + out)) if tops else CARDS,
            turn_list(block, played) if block else (),
            last,
        )

    def redact(self, before: State, step: Step, seat: Seat | None) -> Step:
        """Show of the deck's shuffle the piles and the first open card; all else is public."""
        if isinstance(step, Moves) or before.tops:
            return step
        return redact_shuffle(step.outcome, range(self.piles + 1))

    def reshuffle_unseen(self, state: State, seat: Seat | None, stream: Source) -> State:
        """Return the state with the deck and the left-over cards drawn anew."""
        cards = tuple(shuffled(sorted(state.deck + state.out), stream))
        return state._replace(deck=cards[: len(state.deck)], out=cards[len(state.deck) :])

    def imagine(self, view: View, stream: Source) -> State:
        """Place the unseen cards at random."""
        if view.seat is None:
            raise ValueError("a spectator's view cannot be imagined")
        played = self.decisions - view.decisions_left
        cards = tuple(shuffled(view.unseen, stream)) if view.tops else ()
        return State(
            played,
            view.card,
            view.tops,
            cards[: view.deck_count],
            cards[view.deck_count :],
            sum(1 << find_property(name, view.seat).index for name in view.used),
            view.penalties,
            view.penalty_cards or self.no_cards,
            self._block(view.turn_list, played),
            view.last_round,
        )

    def _block(self, order: tuple[Seat, ...], played: int) -> tuple[Seat, ...]:
        """Return the shuffled list of a block from the turn list of its present round."""
        return turn_list(order, self.seats - played % self.seats) if order else ()

    def render(self, state: State, shown: Sequence[Seat]) -> str:
        """Return the open card, the piles, the used properties and one line a seat; nothing here is private."""
        if not state.tops:
            return "before the deal"
        unit = "round" if self.simultaneous else "decision"
        head = (
            f"{unit} {state.played + 1} of {self.decisions}: card {state.card}" if state.card else "the deck is used up"
        )
        piles = "  ".join(f"{pile}: {top}" for pile, top in enumerate(state.tops))
        used = f"{state.used.bit_count()} of {len(CATALOGUE)} properties used"
        return "\n".join([head, f"piles  {piles}", used, *(self._seat_line(state, seat) for seat in range(self.seats))])

    def _seat_line(self, state: State, seat: Seat) -> str:
        mark = ">" if self._acts(state, seat) else " "
        line = f"{mark} seat {seat}  penalties {state.penalties[seat]:2}"
        if not self.simultaneous:
            return f"{line}  {' '.join(map(str, state.penalty_cards[seat]))}".rstrip()
        if not state.last_round:
            return line
        entry = state.last_round[seat]
        tick = "" if entry.tick is None else f" at tick {entry.tick}"
        return f"{line}  last round: {entry.action}{tick} ({'honoured' if entry.honoured else 'a penalty'})"

    def default_action(self, state: State, seat: Seat) -> Action:
        """Return ``pass`` (rule file, "Actions")."""
        return PASS


def _barred(state: State) -> int:
    """Return the bits of the properties that are used or true of a pile."""
    bits = state.used
    for top in state.tops:
        bits |= MASKS[top]
    return bits


def _first_claimants(claims: Mapping[Seat, tuple[int, int]], order: Iterable[Seat]) -> list[Seat]:
    """Return the seats whose claims are honoured, in claim order: each property goes to the first that names it."""
    first: dict[int, Seat] = {}
    for seat in order:
        first.setdefault(claims[seat][0], seat)
    return list(first.values())


@lru_cache(maxsize=1 << 12)
def _names(used: int) -> tuple[str, ...]:
    """Return the names of the properties with these bits; the views of all seats at one moment share them."""
    return tuple(prop.name for prop in CATALOGUE if used >> prop.index & 1)
