"""Classification: plans the whole turn, and looks at what the next seats could do to it.

Sets of cards are whole numbers with one bit a card, so a play takes a microsecond. The plan is a beam search over the
own plays of this turn; each round then deals the unseen cards to the other seats and lets them answer the best
plans, each seat with what gains it most. Cards that stay in a hand keep a value, or the hand would be wasted on
trifles; a card in a zone is worth little, since the next play may carry it off.

Measured against greedy in all seatings of fixed deals: with 2 seats it won all 100 games of 50 deals (95 % interval:
96.4 % and more), 126 points on average against 48, 2.2 ms a decision; against three of greedy 78 ± 15 % (8 deals).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import nlargest
from itertools import combinations
from typing import Any, NamedTuple

from arena.games import Action
from arena.games.cards import shuffled
from arena.games.classification import END_TURN, KEEP, PLAY_TEXTS, ZONE_LIMIT, points
from arena.games.number_cards import CARDS, COLOUR_COUNTS
from arena.games.number_properties import OF_CARD
from arena.search import Dice

ITERATIONS = 6
"""Answers of other seats to each plan."""
ZONE_VALUE = 0.2
"""Worth of a point that lies in a zone."""
HAND_VALUE = 1.5
"""Worth of a card that stays in the hand."""
BEAM = 5
"""Positions of each depth from which the plan goes on."""
PLANS = 5
"""Plans that are tried against the other seats."""
COLOURED = tuple(sum(1 << card for card in CARDS if COLOUR_COUNTS[card] >= count) for count in (1, 2, 3))
SIX_COLOURED, MORE_THAN_THREE = 97, 3
PROPERTIES = tuple(tuple(sum(1 << member for member in prop.members) for prop in props) for props in OF_CARD)
"""Members of each property of a card, as bits, in the order of ``PLAY_TEXTS``."""


class Position(NamedTuple):
    """The table as one seat plans its turn on it; sets of cards are bits.

    Attributes:
        action: what the seat does first on the way to here.
        neutral: the neutral area.
        zones: by seat.
        hand: cards of the planning seat.
        gained: points scored on the way.
        worth: gained points, zones and hand together.
    """

    action: Action
    neutral: int
    zones: tuple[int, ...]
    hand: tuple[int, ...]
    gained: float
    worth: float


def worth_of(cards: int) -> int:
    """Return the points of a set of cards."""
    one, two, three = COLOURED
    extra = MORE_THAN_THREE if cards >> SIX_COLOURED & 1 else 0
    return (cards & one).bit_count() + (cards & two).bit_count() + (cards & three).bit_count() + extra


def bits(cards: Sequence[int]) -> int:
    """Return a set of cards as bits."""
    return sum(1 << card for card in cards)


def judged(
    action: Action, neutral: int, zones: tuple[int, ...], hand: tuple[int, ...], gained: float, seat: int
) -> Position:
    """Return a position with its worth for the planning seat."""
    own = worth_of(zones[seat])
    others = 0
    for place, zone in enumerate(zones):
        if zone and place != seat:
            others += worth_of(zone)
    worth = gained + ZONE_VALUE * (own - others / (len(zones) - 1)) + HAND_VALUE * len(hand)
    return Position(action, neutral, zones, hand, gained, worth)


def after_play(position: Position, seat: int, card: int, members: int, action: Action) -> Position:
    """Return the position after a play; of a full zone the cards of most points are scored."""
    neutral, zones = position.neutral | 1 << card, position.zones
    table = neutral
    for zone in zones:
        table |= zone
    having = table & members
    count, size = having.bit_count(), table.bit_count()
    if 2 * count == size:
        having &= ~(1 << card)
    elif 2 * count > size:
        having = table & ~members
    own = zones[seat]
    scored = own & having
    grown = (own | having) & ~scored
    gained = position.gained + worth_of(scored)
    if grown.bit_count() > ZONE_LIMIT:
        kept = cheapest(grown)
        gained += worth_of(grown & ~kept)
        grown = kept
    left = tuple([grown if place == seat else zone & ~having for place, zone in enumerate(zones)])
    hand = tuple([other for other in position.hand if other != card])
    return judged(position.action or action, neutral & ~having, left, hand, gained, seat)


def cheapest(cards: int) -> int:
    """Return the three cards of fewest points."""
    found = [card for card in CARDS if cards >> card & 1]
    return bits(sorted(found, key=COLOUR_COUNTS.__getitem__)[:ZONE_LIMIT])


def plays(position: Position, seat: int) -> Iterator[Position]:
    """Yield the positions after every play of a hand."""
    for card in position.hand:
        for members, text in zip(PROPERTIES[card], PLAY_TEXTS[card], strict=True):
            yield after_play(position, seat, card, members, text)


def starts(view: Any) -> list[Position]:
    """Return where the plans begin: the table as it is, or each choice of three cards to keep."""
    neutral, zones = bits(view.neutral), tuple(map(bits, view.zones))
    if view.phase != KEEP:
        return [judged("", neutral, zones, view.hand, 0.0, view.seat)]
    found = []
    zone = sorted(view.zones[view.seat])
    for kept in combinations(zone, ZONE_LIMIT):
        gained = points(zone) - points(kept)
        after = (*zones[: view.seat], bits(kept), *zones[view.seat + 1 :])
        found.append(judged(f"{KEEP} {kept[0]} {kept[1]} {kept[2]}", neutral, after, view.hand, gained, view.seat))
    return nlargest(BEAM, found, key=lambda position: position.worth)


def plans(view: Any) -> list[Position]:
    """Return the best ends of this turn that a beam search finds, best first."""
    level = starts(view)
    ends = list(level) if view.phase == KEEP else []
    if view.phase != KEEP and view.plays_this_turn:
        ends.append(level[0]._replace(action=END_TURN))
    while level and level[0].hand:
        found = [after for position in level for after in plays(position, view.seat)]
        level = nlargest(BEAM, found, key=lambda position: position.worth)
        ends += level
    return nlargest(PLANS, ends, key=lambda position: position.worth)


def choose(game: Any, view: Any, dice: Dice, iterations: int) -> Action:
    """Return the first step of the plan that is best after the others' answers."""
    ends = plans(view)
    if len({end.action for end in ends}) == 1:
        return ends[0].action
    worths = [0.0] * len(ends)
    for _ in range(max(1, iterations // (game.seats - 1))):
        hands = dealt(view, dice)
        for number, end in enumerate(ends):
            worths[number] += answered(end, view.seat, hands)
    return ends[max(range(len(ends)), key=worths.__getitem__)].action


def dealt(view: Any, dice: Dice) -> list[tuple[int, ...]]:
    """Return hands for the other seats from the unseen cards."""
    cards, hands = shuffled(view.unseen, dice), []
    for place, count in enumerate(view.hand_counts):
        if place == view.seat:
            hands.append(view.hand)
        else:
            hands.append(tuple(cards[:count]))
            cards = cards[count:]
    return hands


def answered(end: Position, seat: int, hands: Sequence[tuple[int, ...]]) -> float:
    """Return the worth of a plan after the other seats, in turn, have made the play that gains them most."""
    neutral, zones, lost = end.neutral, end.zones, 0.0
    others = len(zones) - 1
    for step in range(1, others + 1):
        place = (seat + step) % len(zones)
        start = judged("", neutral, zones, hands[place], 0.0, place)
        best = max(plays(start, place), key=lambda position: position.worth, default=start)
        if best.worth > start.worth:
            neutral, zones = best.neutral, best.zones
            lost += best.gained
    return judged(end.action, neutral, zones, end.hand, end.gained - lost / others, seat).worth
