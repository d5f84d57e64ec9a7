"""Prime Cards (rules/prime_cards.md): 2-4 seats, one composite and operations make a prime, first to 101 points wins.

Draws use no randomness once the library is shuffled, so they happen inside ``apply``: the state after a turn already
holds the next seat's drawn card. Only an empty library stops the game for a chance event, the recycle.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from arena.errors import IllegalAction
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
    Source,
    Step,
    Turn,
    ranks_of,
)
from arena.games.cards import read_numbers, redact_shuffle, shuffle_outcome, shuffled, words
from arena.games.options import whole

COPIES = {-2: 12, 1: 12, 4: 10, 7: 12, 8: 4, 10: 4, 20: 2, 25: 2, 26: 2}
VALUES = tuple(COPIES)
DECK = tuple(value for value, copies in COPIES.items() for _ in range(copies))
OPERATIONS = frozenset((-2, 1, 7))
COMPOSITES = frozenset(VALUES) - OPERATIONS
PRIMES = frozenset(n for n in range(2, 128) if all(n % d for d in range(2, n)))
"""All primes up to 127; no trick sums to more than 122 (rule file, "Turn structure")."""
PLAY, DISCARD, LEAD = "play", "discard", "lead"
DEAL, RECYCLE, OVER = "deal", "recycle", "over"
OPERATION, COMPOSITE = "operation", "composite"
A_KIND = {OPERATION: "an operation", COMPOSITE: "a composite"}
ACTIONS = {f"{verb} {value}": (verb, value) for verb in (PLAY, DISCARD, LEAD) for value in VALUES}
NOBODY = -1


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the rule file, section "Players and options"."""

    target_score: int = whole(101, 20, 500, says="the first seat with this many points wins")
    hand_size: int = whole(7, 3, 10, says="cards in a hand between turns")
    max_rounds: int = whole(100, 10, 1000, says="turns of each seat after which the best score wins")


class State(NamedTuple):
    """One moment of a game.

    Attributes:
        phase: ``deal`` or ``recycle`` (a shuffle is due), ``play`` or ``lead`` (a seat acts), ``over``.
        turn: turns finished, from 0; the seat whose turn it is is ``turn`` modulo the seats.
        hands: cards by seat, ascending.
        drawn: the card that the seat to act has drawn, None before the deal.
        table: cards of the trick in order.
        players: seat of each table card, -1 for a turned-up starter.
        sum: sum of the table.
        needs: kind of card that the table takes next, ``operation`` or ``composite``.
        library: face-down cards, top first.
        discards: discarded cards since the last recycle, in order.
        won: cards won since the last recycle, by seat, in order.
        scores: points by seat.
        recycles: recycles so far.
    """

    phase: str
    turn: int
    hands: tuple[tuple[int, ...], ...]
    drawn: int | None
    table: tuple[int, ...]
    players: tuple[int, ...]
    sum: int
    needs: str
    library: tuple[int, ...]
    discards: tuple[int, ...]
    won: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    recycles: int


@dataclass(frozen=True, slots=True)
class View:
    """What a seat may know of a game of Prime Cards.

    Counts are nine numbers, the copies of -2, 1, 4, 7, 8, 10, 20, 25 and 26 in this order.

    Attributes:
        seat: the viewer; None for a spectator.
        phase: ``play`` (play or discard), ``lead`` (after a won trick); ``deal``, ``recycle`` or ``over`` between.
        to_act: the seat whose turn it is.
        turn: turns finished in this game, from 0.
        hand: the viewer's cards, ascending; empty for a spectator.
        drawn: the card that the viewer has just drawn, in its own turn alone.
        hand_sizes: cards by seat.
        table: cards of the trick in order.
        table_players: seat of each table card, -1 for a turned-up starter.
        sum: sum of the table.
        needs: kind of card that the table takes next, ``operation`` or ``composite``.
        discards: counts of the discarded cards since the last recycle.
        won: counts of the cards that each seat has won since the last recycle.
        scores: points by seat.
        library_size: face-down cards left to draw.
        recycles: how often the library was made anew.
        unseen: counts of the cards whose place the viewer does not know: library and other hands.
    """

    seat: Seat | None
    phase: str
    to_act: Seat
    turn: int
    hand: tuple[int, ...]
    drawn: int | None
    hand_sizes: tuple[int, ...]
    table: tuple[int, ...]
    table_players: tuple[int, ...]
    sum: int
    needs: str
    discards: tuple[int, ...]
    won: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    library_size: int
    recycles: int
    unseen: tuple[int, ...]


class PrimeCards(Game[State, View]):
    """The rules of Prime Cards for a number of seats and a set of options."""

    id: ClassVar[str] = "prime_cards"
    title: ClassVar[str] = "Prime Cards"
    seat_counts: ClassVar[range] = range(2, 5)
    options_type: ClassVar[type[Any]] = Options
    guide: ClassVar[Guide] = Guide(
        goal="Most points win: bring the cards on the table to a prime sum, and you score that sum.",
        turn=(
            "You have drawn a card. If the table holds a composite you must play an operation onto it, else a "
            "composite. Without such a card you discard one. If the table then holds a composite and its sum is "
            "prime, you win the trick and lead any card to an empty table."
        ),
        actions=(
            ("play CARD", "play -2", "put a card of the needed kind on the table"),
            ("discard CARD", "discard 4", "only without a card of the needed kind: throw one away"),
            ("lead CARD", "lead 25", "after a won trick: start the next one with any card; this never scores"),
        ),
        notes=(
            "Composites: 4 (10 copies), 8 and 10 (4 each), 20, 25, 26 (2 each). Operations: -2, 1, 7 (12 each).",
            "The game ends at once when a seat reaches target_score, or after max_rounds turns of every seat.",
            "When the library is empty, everything outside the hands is shuffled anew, the table included.",
        ),
    )
    options: Options

    def __init__(self, seats: int, options: Options) -> None:
        super().__init__(seats, options)
        self.turns_max = seats * options.max_rounds
        # At most two moves a turn, and a library made anew outlasts a turn's two draws.
        self.spec = self._spec(3 * self.turns_max + 1)

    def initial(self) -> State:
        """Return the state before the opening shuffle."""
        empty: tuple[tuple[int, ...], ...] = ((),) * self.seats
        return State(DEAL, 0, empty, None, (), (), 0, COMPOSITE, (), (), empty, (0,) * self.seats, 0)

    def turn(self, state: State) -> Turn:
        """Return the seat that decides, the shuffle that is due, or the end."""
        phase = state.phase
        if phase in (PLAY, LEAD):
            return SEAT_TURNS[state.turn % self.seats]
        if phase == OVER:
            return GameOver(state.scores, ranks_of(state.scores))
        return CHANCE_TURN

    def sample_chance(self, state: State, stream: Source) -> Chance:
        """Shuffle the deck, or at a recycle all cards outside the hands (rule file, "Chance")."""
        return shuffle_outcome(shuffled(_loose_cards(state), stream))

    def legal_actions(self, state: State, seat: Seat) -> tuple[Action, ...]:
        """Return the leads, else the plays of the needed kind, else the discards, each by ascending card."""
        if state.phase not in (PLAY, LEAD) or seat != state.turn % self.seats:
            return ()
        if state.phase == LEAD:
            return _listed(LEAD, state.hands[seat])
        return _plays_or_discards(state.hands[seat], state.needs)

    def check(self, state: State, seat: Seat, action: Action) -> Action:
        """Refuse in the order: malformed, game over, turn, phase, card in hand, must play, kind."""
        if action not in ACTIONS:
            raise IllegalAction(
                "malformed_action", "an action is play, discard or lead and one card value, such as 'play -2'", seat
            )
        verb, card = ACTIONS[action]
        if state.phase == OVER:
            raise IllegalAction("game_over", "the game is over", seat)
        if state.phase not in (PLAY, LEAD) or seat != state.turn % self.seats:
            raise IllegalAction("not_your_turn", "it is not this seat's turn", seat)
        if (verb == LEAD) != (state.phase == LEAD):
            takes = "after a won trick a card is led" if state.phase == LEAD else "leading follows a won trick only"
            raise IllegalAction("wrong_phase", takes, seat)
        if card not in state.hands[seat]:
            raise IllegalAction("card_not_in_hand", f"there is no {card} in this hand", seat)
        if verb != LEAD and action not in _plays_or_discards(state.hands[seat], state.needs):
            if verb == DISCARD:
                raise IllegalAction("must_play", f"this hand has {A_KIND[state.needs]} and must play one", seat)
            raise IllegalAction("kind_not_allowed", f"the table takes {A_KIND[state.needs]} now; {card} is none", seat)
        return action

    def apply(self, state: State, step: Step) -> State:
        """Return the state after a shuffle, a play, a discard or a lead, with the draws that follow."""
        if isinstance(step, Chance):
            return self._deal(state, step.outcome) if state.phase == DEAL else self._recycle(state, step.outcome)
        ((seat, action),) = step.by_seat
        verb, card = ACTIONS[self.check(state, seat, action)]
        hands = _with_hand(state.hands, seat, _without(state.hands[seat], card))
        if verb == PLAY:
            return self._play(state, seat, card, hands)
        phase, turn, _, drawn, table, players, total, needs, library, discards, won, scores, recycles = state
        if verb == DISCARD:
            thrown = (table, players, total, needs, library, (*discards, card), won, scores, recycles)
            return self._end_turn(State(phase, turn, hands, drawn, *thrown))
        led = ((card,), (seat,), card, _needed_after(card), library, discards, won, scores, recycles)
        return self._draw_after_lead(State(phase, turn, hands, drawn, *led))

    def _deal(self, state: State, outcome: str) -> State:
        order = read_numbers(outcome, DECK)
        size = self.options.hand_size
        dealt = self.seats * size
        hands = tuple(tuple(sorted(order[first : first + size])) for first in range(0, dealt, size))
        return self._begin(_turned_up(state._replace(hands=hands), order[dealt:]), state.turn)

    def _recycle(self, state: State, outcome: str) -> State:
        if state.phase != RECYCLE:
            raise ValueError(f"chance outcome {outcome[:60]!r} where none is due")
        order = read_numbers(outcome, _loose_cards(state))
        won: tuple[tuple[int, ...], ...] = ((),) * self.seats
        fresh = _turned_up(state._replace(discards=(), won=won, recycles=state.recycles + 1), order)
        return self._draw_after_lead(fresh) if self._owes_lead_draw(state) else self._begin(fresh, state.turn)

    def _owes_lead_draw(self, state: State) -> bool:
        """Whether the seat whose turn it is has led and not drawn since; it then misses one card."""
        return len(state.hands[state.turn % self.seats]) < self.options.hand_size

    def _play(self, state: State, seat: Seat, card: int, hands: tuple[tuple[int, ...], ...]) -> State:
        table = (*state.table, card)
        total = state.sum + card
        holds_composite = state.needs == OPERATION or card in COMPOSITES
        if holds_composite and total in PRIMES:
            return self._win(state._replace(hands=hands), seat, table, total)
        needs = OPERATION if holds_composite else COMPOSITE
        _, turn, _, drawn, _, players, _, _, library, discards, won, scores, recycles = state
        players = (*players, seat)
        played = (hands, drawn, table, players, total, needs, library, discards, won, scores, recycles)
        return self._end_turn(State(PLAY, turn, *played))

    def _win(self, state: State, seat: Seat, table: tuple[int, ...], total: int) -> State:
        score = state.scores[seat] + total
        return state._replace(
            phase=OVER if score >= self.options.target_score else LEAD,
            table=(),
            players=(),
            sum=0,
            needs=COMPOSITE,
            won=_with_hand(state.won, seat, state.won[seat] + table),
            scores=(*state.scores[:seat], score, *state.scores[seat + 1 :]),
        )

    def _draw_after_lead(self, state: State) -> State:
        """Fill the leader's hand and end its turn; the last turn needs no recycle, since no decision follows."""
        if state.library:
            seat = state.turn % self.seats
            hand = _with_card(state.hands[seat], state.library[0])
            phase, turn, hands, drawn, table, players, total, needs, library, discards, won, scores, recycles = state
            tail = (table, players, total, needs, library[1:], discards, won, scores, recycles)
            return self._end_turn(State(phase, turn, _with_hand(hands, seat, hand), drawn, *tail))
        return state._replace(phase=OVER if state.turn + 1 == self.turns_max else RECYCLE)

    def _end_turn(self, state: State) -> State:
        following = state.turn + 1
        if following == self.turns_max:
            return state._replace(phase=OVER, turn=following)
        return self._begin(state, following)

    def _begin(self, state: State, turn: int) -> State:
        """Begin a turn: draw the top card, or wait for a recycle."""
        _, _, hands, _, table, players, total, needs, library, discards, won, scores, recycles = state
        if not library:
            return state._replace(phase=RECYCLE, turn=turn)
        seat, card = turn % self.seats, library[0]
        held, rest = _with_hand(hands, seat, _with_card(hands[seat], card)), library[1:]
        return State(PLAY, turn, held, card, table, players, total, needs, rest, discards, won, scores, recycles)

    def view(self, state: State, seat: Seat | None) -> View:
        """Return what a seat may know (rule file, "Information")."""
        phase, turn, hands, drawn, table, players, total, needs, library, discards, won, scores, recycles = state
        to_act = turn % self.seats
        hand = hands[seat] if seat is not None else ()
        return View(
            seat,
            phase,
            to_act,
            turn,
            hand,
            drawn if seat == to_act and phase in (PLAY, LEAD) else None,
            tuple(map(len, hands)),
            table,
            players,
            total,
            needs,
            _counts(discards),
            tuple(map(_counts, won)),
            scores,
            len(library),
            recycles,
            _unseen(hand + table + discards, won),
        )

    def redact(self, before: State, step: Step, seat: Seat | None) -> Step:
        """Show of a shuffle the card turned up and what the seat gets of it at once; moves are public."""
        if isinstance(step, Moves):
            return step
        starter = self.seats * self.options.hand_size if before.phase == DEAL else 0
        leader = [before.turn % self.seats] if before.phase == RECYCLE and self._owes_lead_draw(before) else []
        drawers = [*leader, (before.turn + len(leader)) % self.seats]
        visible = {starter, *(starter + 1 + place for place, drawer in enumerate(drawers) if drawer == seat)}
        size = 0 if seat is None or before.phase != DEAL else self.options.hand_size
        return redact_shuffle(step.outcome, visible, range((seat or 0) * size, ((seat or 0) + 1) * size))

    def reshuffle_unseen(self, state: State, seat: Seat | None, stream: Source) -> State:
        """Return the state with the library and the other seats' hands drawn anew."""
        pool = [*state.library, *(card for place, held in enumerate(state.hands) if place != seat for card in held)]
        return self._redeal(state, seat, shuffled(sorted(pool), stream))

    def _redeal(self, state: State, seat: Seat | None, cards: list[int]) -> State:
        """Return the state with the unseen cards in this order: other hands by seat, then the library."""
        rest = iter(cards)
        hands = tuple(
            held if place == seat else tuple(sorted(next(rest) for _ in held)) for place, held in enumerate(state.hands)
        )
        acting = state.turn % self.seats
        drawn = state.drawn if acting == seat or state.drawn is None else hands[acting][0]
        return state._replace(hands=hands, drawn=drawn, library=tuple(rest))

    def imagine(self, view: View, stream: Source) -> State:
        """Spread the unseen cards at random over the other hands and the library."""
        if view.seat is None:
            raise ValueError("a spectator's view cannot be imagined")
        hands = tuple(view.hand if place == view.seat else (0,) * size for place, size in enumerate(view.hand_sizes))
        blank = State(
            view.phase,
            view.turn,
            hands,
            view.drawn,
            view.table,
            view.table_players,
            view.sum,
            view.needs,
            (),
            _cards(view.discards),
            tuple(map(_cards, view.won)),
            view.scores,
            view.recycles,
        )
        return blank if view.phase == DEAL else self._redeal(blank, view.seat, shuffled(_cards(view.unseen), stream))

    def render(self, state: State, shown: Sequence[Seat]) -> str:
        """Return the trick and one line a seat: points, cards in hand, and the hand itself where shown."""
        if state.phase == DEAL:
            return "before the deal"
        sums = f", sum {state.sum}, takes {A_KIND[state.needs]}" if state.table else ""
        head = f"turn {state.turn + 1}: table {words(state.table)}{sums}; {len(state.library)} cards in the library"
        return "\n".join([head, *(self._seat_line(state, seat, seat in shown) for seat in range(self.seats))])

    def _seat_line(self, state: State, seat: Seat, is_shown: bool) -> str:
        mark = ">" if state.phase in (PLAY, LEAD) and seat == state.turn % self.seats else " "
        hand = state.hands[seat]
        return f"{mark} seat {seat}  points {state.scores[seat]:3}  hand {words(hand) if is_shown else len(hand)}"


def _loose_cards(state: State) -> list[int]:
    """Return all cards outside the hands, ascending; before the deal that is the whole deck."""
    if state.phase == DEAL:
        return list(DECK)
    return sorted([*state.table, *state.library, *state.discards, *(card for cards in state.won for card in cards)])


def _turned_up(state: State, order: tuple[int, ...]) -> State:
    starter = order[0]
    return state._replace(
        table=(starter,), players=(NOBODY,), sum=starter, needs=_needed_after(starter), library=order[1:]
    )


def _needed_after(card: int) -> str:
    return OPERATION if card in COMPOSITES else COMPOSITE


@lru_cache(maxsize=1 << 15)
def _listed(verb: str, hand: tuple[int, ...]) -> tuple[Action, ...]:
    return tuple(f"{verb} {card}" for card in sorted(set(hand)))


@lru_cache(maxsize=1 << 16)
def _plays_or_discards(hand: tuple[int, ...], needs: str) -> tuple[Action, ...]:
    wanted = OPERATIONS if needs == OPERATION else COMPOSITES
    playable = tuple(card for card in hand if card in wanted)
    return _listed(PLAY, playable) if playable else _listed(DISCARD, hand)


@lru_cache(maxsize=1 << 12)
def _counts(cards: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(cards.count, VALUES))


def _cards(counts: Sequence[int]) -> tuple[int, ...]:
    """Return the cards of nine counts, ascending."""
    return tuple(card for card, count in zip(VALUES, counts, strict=True) for _ in range(count))


def _unseen(seen: tuple[int, ...], won: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    known = sum(won, seen)
    return tuple(copies - known.count(value) for value, copies in COPIES.items())


def _without(hand: tuple[int, ...], card: int) -> tuple[int, ...]:
    index = hand.index(card)
    return hand[:index] + hand[index + 1 :]


def _with_card(hand: tuple[int, ...], card: int) -> tuple[int, ...]:
    grown = list(hand)
    insort(grown, card)
    return tuple(grown)


def _with_hand(hands: tuple[tuple[int, ...], ...], seat: Seat, hand: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return (*hands[:seat], hand, *hands[seat + 1 :])
