"""Classification (rules/classification.md): 2-4 seats, with and without the one-colour draw, most points win."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice
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
    Source,
    Step,
    Turn,
    ranks_of,
)
from arena.games.cards import read_numbers, redact_shuffle, shuffle_outcome, shuffled
from arena.games.number_cards import CARDS, COLOUR_COUNTS, DIGITS, NO_CARD, changed
from arena.games.number_properties import OF_CARD, Property, find_property, require_true
from arena.games.options import flag, whole

NEUTRAL_AT_START = 3
HAND_SIZE = 3
ZONE_LIMIT = 3
PLAY, KEEP, END_TURN = "play", "keep", "end_turn"
VERBS = (PLAY, KEEP, END_TURN)
DEAL, OVER = "deal", "over"
"""Phases beside ``play`` and ``keep``."""
PLAY_TEXTS = tuple(tuple(f"{PLAY} {card} {prop.name}" for prop in props) for card, props in enumerate(OF_CARD))
"""Texts of the plays of a card, by card, then property index."""
PLAYS = {
    text: (card, prop) for card, props in enumerate(OF_CARD) for text, prop in zip(PLAY_TEXTS[card], props, strict=True)
}
"""What a canonical play of a true property says."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the rule file, section "Players and options"."""

    deck_cards: int = whole(99, 11, 99, says="cards used; at least 3 + 4 x seats, the others are removed unseen")
    one_colour_draw: bool = flag(False, says="whoever plays a card of exactly one colour draws a card at once")


@dataclass(frozen=True, slots=True)
class LastPlay:
    """The play before.

    Attributes:
        seat: who played.
        card: the card.
        property: canonical name of the property.
        pulled: the cards of the smaller class, which moved, in order of arrival; those of the player's own zone were
            scored, the others came into that zone.
    """

    seat: Seat
    card: int
    property: str
    pulled: tuple[int, ...]


class State(NamedTuple):
    """One moment of a game.

    Attributes:
        phase: ``deal``, ``play``, ``keep`` or ``over``.
        seat: whose turn it is.
        plays: plays made in this turn.
        neutral: cards of the neutral area in order of arrival.
        zones: zone cards by seat, in order of arrival.
        hands: by seat, ascending.
        piles: score piles by seat, in order of arrival.
        deck: top first.
        removed: cards that are out of the game, unseen.
        last_play: the play before, None at the start.
    """

    phase: str
    seat: Seat
    plays: int
    neutral: tuple[int, ...]
    zones: tuple[tuple[int, ...], ...]
    hands: tuple[tuple[int, ...], ...]
    piles: tuple[tuple[int, ...], ...]
    deck: tuple[int, ...]
    removed: tuple[int, ...]
    last_play: LastPlay | None


@dataclass(frozen=True, slots=True)
class View:
    """What a seat may know of a game of Classification.

    Attributes:
        seat: the viewer; None for a spectator.
        turn_seat: whose turn it is.
        phase: what that seat does: ``play`` or ``keep``; ``deal`` before the first turn, ``over`` at the end.
        plays_this_turn: plays made in this turn.
        neutral: cards of the neutral area in order of arrival.
        zones: zone cards by seat, in order of arrival.
        piles: score piles by seat, in order of arrival.
        scores: points so far by seat: the colours of the cards in the pile.
        hand: the viewer's cards, ascending; empty for a spectator.
        hand_counts: cards in hand by seat.
        deck_count: cards in the deck.
        removed_count: cards out of the game, unseen.
        unseen: cards of the deck, the other hands and those removed, ascending.
        last_play: the play before; None at the start.
    """

    seat: Seat | None
    turn_seat: Seat
    phase: str
    plays_this_turn: int
    neutral: tuple[int, ...]
    zones: tuple[tuple[int, ...], ...]
    piles: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    hand: tuple[int, ...]
    hand_counts: tuple[int, ...]
    deck_count: int
    removed_count: int
    unseen: tuple[int, ...]
    last_play: LastPlay | None


class Classification(Game[State, View]):
    """The rules of Classification for a number of seats and a set of options."""

    id: ClassVar[str] = "classification"
    title: ClassVar[str] = "Classification"
    seat_counts: ClassVar[range] = range(2, 5)
    options_type: ClassVar[type[Any]] = Options
    guide: ClassVar[Guide] = Guide(
        goal="Most points win. A card in your score pile is worth its colours: its distinct prime divisors (97: six).",
        turn=(
            "Play a hand card with a property that is true of it. The card joins the neutral area; then all cards of "
            "the neutral area and of all zones are divided into those with and those without the property. The "
            "smaller class moves: into your zone, or, if it lay there already, into your score pile. Equal classes: "
            "those with the property move, but for the played card. With more than 3 cards in your zone keep 3 and "
            "score the others. Then play again or end the turn, which draws a card."
        ),
        actions=(
            ("play CARD PROPERTY", "play 16 multiple_of(4)", "play a hand card with a property that it has"),
            ("keep CARD CARD CARD", "keep 1 5 25", "keep these three in your zone, ascending; the others score"),
            ("end_turn", "end_turn", "draw a card and let the next seat play; after at least one play"),
        ),
        notes=(
            "Properties may be used again and again.",
            "A turn ends by itself when the hand is empty.",
            "At the end of the game every zone goes to its seat's score pile; the neutral area counts for nobody.",
        ),
    )
    options: Options

    def __init__(self, seats: int, options: Options) -> None:
        super().__init__(seats, options)
        fewest = NEUTRAL_AT_START + (HAND_SIZE + 1) * seats
        if options.deck_cards < fewest:
            raise BadOptions(f"deck_cards = {options.deck_cards}: accepted with {seats} seats is {fewest}..99")
        self.no_cards: tuple[tuple[int, ...], ...] = ((),) * seats
        starts = [NEUTRAL_AT_START + HAND_SIZE * seat for seat in range(seats)]
        self.dealt = [range(start, start + HAND_SIZE) for start in starts]
        plays = options.deck_cards - NEUTRAL_AT_START
        self.spec = self._spec(1 + 3 * plays)

    def initial(self) -> State:
        """Return the state before the shuffle."""
        return State(DEAL, 0, 0, (), self.no_cards, self.no_cards, self.no_cards, (), (), None)

    def turn(self, state: State) -> Turn:
        """Return the seat that plays or keeps, or the shuffle, or the end."""
        if state.phase == DEAL:
            return CHANCE_TURN
        if state.phase == OVER:
            scores = tuple(map(points, state.piles))
            return GameOver(scores, ranks_of(scores))
        return SEAT_TURNS[state.seat]

    def sample_chance(self, state: State, stream: Source) -> Chance:
        """Shuffle the deck, once a game."""
        return shuffle_outcome(shuffled(CARDS, stream))

    def legal_actions(self, state: State, seat: Seat) -> tuple[Action, ...]:
        """Return the plays by card, then property index, then ``end_turn``; or the three cards to keep, ascending."""
        if seat != state.seat or state.phase in (DEAL, OVER):
            return ()
        if state.phase == KEEP:
            return tuple(f"{KEEP} {a} {b} {c}" for a, b, c in combinations(sorted(state.zones[seat]), ZONE_LIMIT))
        actions: list[Action] = []
        for card in state.hands[seat]:
            actions += PLAY_TEXTS[card]
        if state.plays:
            actions.append(END_TURN)
        return tuple(actions)

    def check(self, state: State, seat: Seat, action: Action) -> Action:
        """Refuse in the order: turn, verb, phase, fields, ascending, card, syntax, catalogue, false."""
        verb = self._check_phase(state, seat, action)
        if verb == KEEP:
            self._check_keep(state, seat, action)
            return action
        if verb == PLAY:
            card, prop = PLAYS.get(action) or self._read_play(state, seat, action)
            if card not in state.hands[seat]:
                raise self._not_held(seat, card)
            return f"{PLAY} {card} {prop.name}"
        if action != END_TURN:
            raise IllegalAction("malformed_action", "end_turn stands alone", seat)
        return END_TURN

    def _check_phase(self, state: State, seat: Seat, action: Action) -> str:
        """Return the verb of an action that is due."""
        if state.phase == OVER:
            raise IllegalAction("game_over", "the game is over", seat)
        if seat != state.seat or state.phase == DEAL:
            raise IllegalAction("not_your_turn", "it is not this seat's turn", seat)
        verb = action.partition(" ")[0]
        if verb not in VERBS:
            message = "an action is play CARD PROPERTY, keep CARD CARD CARD, or end_turn"
            raise IllegalAction("malformed_action", message, seat)
        if state.phase == KEEP and verb != KEEP:
            message = f"the zone holds more than {ZONE_LIMIT} cards; say which three to keep first"
            raise IllegalAction("keep_required", message, seat)
        if state.phase == PLAY and verb == KEEP:
            message = f"the zone holds no more than {ZONE_LIMIT} cards, so all are kept"
            raise IllegalAction("nothing_to_keep", message, seat)
        if verb == END_TURN and not state.plays:
            raise IllegalAction("must_play_first", "a turn ends after at least one play", seat)
        return verb

    def _read_play(self, state: State, seat: Seat, action: Action) -> tuple[int, Property]:
        """Return card and property of a play that is not in canonical form, or not true."""
        _, *fields = action.split(" ", 3)
        card = DIGITS.get(fields[0]) if len(fields) == 2 and fields[1] else None
        if not card:
            message = "play takes a card, 1..99, and a property, such as 'play 16 multiple_of(4)'"
            raise IllegalAction("malformed_action", message, seat)
        if card not in state.hands[seat]:
            raise self._not_held(seat, card)
        prop = find_property(fields[1], seat)
        require_true(prop, card, seat)
        return card, prop

    def _not_held(self, seat: Seat, card: int) -> IllegalAction:
        return IllegalAction("card_not_held", f"{card} is not in this seat's hand", seat)

    def _check_keep(self, state: State, seat: Seat, action: Action) -> None:
        fields = action.split(" ", ZONE_LIMIT + 1)[1:]
        cards = [DIGITS.get(field, NO_CARD) for field in fields]
        if len(cards) != ZONE_LIMIT or NO_CARD in cards:
            message = "keep takes exactly three cards of the zone, such as 'keep 1 5 25'"
            raise IllegalAction("malformed_action", message, seat)
        if not cards[0] < cards[1] < cards[2]:
            raise IllegalAction("not_canonical", "the cards to keep must be ascending", seat)
        if missing := [card for card in cards if card not in state.zones[seat]]:
            raise IllegalAction("card_not_in_zone", f"{missing[0]} is not in this seat's zone", seat)

    def apply(self, state: State, step: Step) -> State:
        """Return the state after the shuffle, a play, a keep or the end of a turn."""
        if isinstance(step, Chance):
            return self._deal(state, step.outcome)
        ((seat, action),) = step.by_seat
        action = self.check(state, seat, action)
        if action == END_TURN:
            return self._end_turn(state)
        if state.phase == KEEP:
            return self._keep(state, seat, action)
        return self._play(state, seat, *PLAYS[action])

    def _deal(self, state: State, outcome: str) -> State:
        if state.phase != DEAL:
            raise ValueError(f"chance outcome {outcome[:60]!r} where none is due")
        order = read_numbers(outcome, CARDS)
        first, end, used = NEUTRAL_AT_START, self.dealt[-1].stop, self.options.deck_cards
        hands = tuple(tuple(sorted(order[place] for place in places)) for places in self.dealt)
        return state._replace(
            phase=PLAY, neutral=order[:first], hands=hands, deck=order[end:used], removed=order[used:]
        )

    def _play(self, state: State, seat: Seat, card: int, prop: Property) -> State:
        areas = ((*state.neutral, card), *state.zones)
        smaller = _smaller_class(areas, prop.holds, card)
        moved = [tuple(other for other in cards if other in smaller) for cards in areas]
        neutral, *zones = [_without(cards, smaller) for cards in areas]
        scored = moved[seat + 1]
        zones[seat] += tuple(chain(*moved[: seat + 1], *moved[seat + 2 :]))
        hand, deck = _without(state.hands[seat], (card,)), state.deck
        if deck and self.options.one_colour_draw and COLOUR_COUNTS[card] == 1:
            hand, deck = tuple(sorted((*hand, deck[0]))), deck[1:]
        after = state._replace(
            phase=KEEP if len(zones[seat]) > ZONE_LIMIT else PLAY,
            plays=state.plays + 1,
            neutral=neutral,
            zones=tuple(zones),
            hands=changed(state.hands, seat, hand),
            piles=changed(state.piles, seat, state.piles[seat] + scored),
            deck=deck,
            last_play=LastPlay(seat, card, prop.name, tuple(chain(*moved))),
        )
        return self._end_turn(after) if after.phase == PLAY and not hand else after

    def _keep(self, state: State, seat: Seat, action: Action) -> State:
        kept = [DIGITS[field] for field in action.split(" ")[1:]]
        zone = state.zones[seat]
        scored = _without(zone, kept)
        after = state._replace(
            phase=PLAY,
            zones=changed(state.zones, seat, _without(zone, scored)),
            piles=changed(state.piles, seat, state.piles[seat] + scored),
        )
        return after if state.hands[seat] else self._end_turn(after)

    def _end_turn(self, state: State) -> State:
        """Return the state after the seat has drawn: the next seat with cards plays, or all zones are banked."""
        hands, deck = state.hands, state.deck
        if deck:
            hand = tuple(sorted((*hands[state.seat], deck[0])))
            hands, deck = changed(hands, state.seat, hand), deck[1:]
        for step in range(1, self.seats + 1):
            following = (state.seat + step) % self.seats
            if hands[following]:
                return state._replace(seat=following, plays=0, hands=hands, deck=deck)
        piles = tuple(pile + zone for pile, zone in zip(state.piles, state.zones, strict=True))
        return state._replace(phase=OVER, plays=0, zones=self.no_cards, piles=piles, hands=hands, deck=deck)

    def view(self, state: State, seat: Seat | None) -> View:
        """Return what a seat may know: all but the other hands, the order of the deck and the removed cards."""
        phase, turn_seat, plays, neutral, zones, hands, piles, deck, removed, last = state
        hand = () if seat is None else hands[seat]
        return View(
            seat,
            turn_seat,
            phase,
            plays,
            neutral,
            zones,
            piles,
            tuple(map(points, piles)),
            hand,
            tuple(map(len, hands)),
            len(deck),
            len(removed),
            CARDS if phase == DEAL else tuple(sorted(_hidden(state, seat))),
            last,
        )

    def redact(self, before: State, step: Step, seat: Seat | None) -> Step:
        """Show of the shuffle the neutral area and the seat's own hand; moves are public."""
        if isinstance(step, Moves):
            return step
        own = range(0) if seat is None else self.dealt[seat]
        return redact_shuffle(step.outcome, range(NEUTRAL_AT_START), own=own)

    def reshuffle_unseen(self, state: State, seat: Seat | None, stream: Source) -> State:
        """Return the state with the other hands, the deck and the removed cards drawn anew."""
        return _redealt(state, seat, shuffled(sorted(_hidden(state, seat)), stream))

    def imagine(self, view: View, stream: Source) -> State:
        """Place the unseen cards at random."""
        if view.seat is None:
            raise ValueError("a spectator's view cannot be imagined")
        if view.phase == DEAL:
            return self.initial()
        hands = tuple((NO_CARD,) * count for count in view.hand_counts)
        blank = State(
            view.phase,
            view.turn_seat,
            view.plays_this_turn,
            view.neutral,
            view.zones,
            changed(hands, view.seat, view.hand),
            view.piles,
            (NO_CARD,) * view.deck_count,
            (),
            view.last_play,
        )
        return _redealt(blank, view.seat, shuffled(view.unseen, stream))

    def render(self, state: State, shown: Sequence[Seat]) -> str:
        """Return the neutral area, the play before and one line a seat: points, zone, and the hand where shown."""
        if state.phase == DEAL:
            return "before the deal"
        lines = [f"neutral {_words(state.neutral)}  deck {len(state.deck)}"]
        if last := state.last_play:
            lines.append(f"seat {last.seat} played {last.card} {last.property}: moved {_words(last.pulled)}")
        return "\n".join([*lines, *(self._seat_line(state, seat, shown) for seat in range(self.seats))])

    def _seat_line(self, state: State, seat: Seat, shown: Sequence[Seat]) -> str:
        mark = ">" if seat == state.seat and state.phase != OVER else " "
        hand = _words(state.hands[seat]) if seat in shown else f"{len(state.hands[seat])} cards"
        return (
            f"{mark} seat {seat}  points {points(state.piles[seat]):3}  zone {_words(state.zones[seat])}  hand {hand}"
        )

    def default_action(self, state: State, seat: Seat) -> Action:
        """Return ``end_turn`` if it is legal, else the first legal action (rule file, "Actions")."""
        legal = self.legal_actions(state, seat)
        return END_TURN if legal[-1] == END_TURN else legal[0]


def points(cards: Iterable[int]) -> int:
    """Return what cards are worth in a score pile: their colours."""
    return sum(COLOUR_COUNTS[card] for card in cards)


def _smaller_class(areas: Sequence[tuple[int, ...]], holds: Sequence[bool], played: int) -> set[int]:
    """Return the cards that move.

    Args:
        areas: the neutral area with the played card, then the zones.
        holds: whether a card has the property, by card.
        played: the played card.

    Source: rules/classification.md, "Split and pull".
    """
    cards = set(chain(*areas))
    having = {card for card in cards if holds[card]}
    if 2 * len(having) == len(cards):
        return having - {played}
    return having if 2 * len(having) < len(cards) else cards - having


def _hidden(state: State, seat: Seat | None) -> tuple[int, ...]:
    """Return the cards whose place the seat does not know."""
    others = (cards for place, cards in enumerate(state.hands) if place != seat)
    return tuple(chain(state.deck, state.removed, *others))


def _redealt(state: State, seat: Seat | None, cards: Iterable[int]) -> State:
    """Return the state with the hidden cards in this order: the other hands, then deck, then removed."""
    rest = iter(cards)
    hands = tuple(
        held if place == seat else tuple(sorted(islice(rest, len(held)))) for place, held in enumerate(state.hands)
    )
    deck = tuple(islice(rest, len(state.deck)))
    return state._replace(hands=hands, deck=deck, removed=tuple(rest))


def _without(cards: tuple[int, ...], gone: Collection[int]) -> tuple[int, ...]:
    return tuple(card for card in cards if card not in gone)


def _words(cards: Iterable[int]) -> str:
    return " ".join(map(str, cards)) or "-"
