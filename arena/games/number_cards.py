"""The deck 1..99 with its colours, and simultaneous claims (rules/number_cards.md).

Shared by Unique, Rainbow and Classification. A colour is named by its prime; the tables are computed once, at import.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from arena.games.base import Action, Moves, Seat
from arena.games.options import whole

Item = TypeVar("Item")
CARDS = tuple(range(1, 100))
"""One card of each number, ascending."""
NO_CARD = 0
COLOUR_NAMES = {
    2: "red",
    3: "blue",
    5: "yellow",
    7: "green",
    11: "orange",
    13: "purple",
    17: "cyan",
    19: "pink",
    23: "brown",
    29: "lime",
    31: "navy",
    37: "teal",
    41: "maroon",
    43: "olive",
    47: "gold",
    53: "lavender",
    59: "coral",
    61: "turquoise",
    67: "beige",
    71: "magenta",
    73: "mint",
    79: "peach",
    83: "grey",
    89: "black",
    97: "six",
}
"""Display name of every colour by its prime, ascending."""
COLOURS = tuple(tuple(prime for prime in COLOUR_NAMES if card and card % prime == 0) for card in range(100))
"""Primes that divide a card, ascending, by card (index 0 is no card)."""
SIX_COLOURED = 97
COLOUR_COUNTS = tuple(6 if card == SIX_COLOURED else len(primes) for card, primes in enumerate(COLOURS))
"""Number of colours that a card shows, by card: 97 shows six, 1 none."""
DIGITS = {str(number): number for number in range(100)}
"""The only accepted writing of the numbers 0..99: ASCII digits without sign or leading zero."""


def tick_ms_option() -> Any:
    """Return the options field ``tick_ms``, common to the games with mode ``race``."""
    return whole(100, 10, 1000, says="race only: answers within one tick of so many milliseconds count as simultaneous")


def window_ms_option() -> Any:
    """Return the options field ``window_ms``, common to the games with mode ``race``."""
    return whole(5000, 500, 60000, says="race only: milliseconds after which an answer is a pass")


@dataclass(frozen=True, slots=True)
class Submission:
    """What one seat handed in for a simultaneous round, and what became of it.

    Attributes:
        seat: who handed it in.
        action: the claim, or ``pass``.
        tick: mode ``race`` only: when the answer came, in units of ``tick_ms``; None for a pass without an answer.
        honoured: whether the claim took effect; False for a pass.
    """

    seat: Seat
    action: Action
    tick: int | None
    honoured: bool


def changed(items: tuple[Item, ...], place: int, item: Item) -> tuple[Item, ...]:
    """Return the items with another one at this place (index from 0)."""
    return (*items[:place], item, *items[place + 1 :])


def turn_list(block: tuple[Seat, ...], index: int) -> tuple[Seat, ...]:
    """Return the turn list of a round.

    Args:
        block: the seats as they were shuffled at the first round of the block.
        index: number of the round in the game, from 0; every block has as many rounds as seats.
    """
    lead = index % len(block)
    return block[lead:] + block[:lead]


def submissions(moves: Moves, seats: int) -> tuple[tuple[Seat, Action, int | None], ...]:
    """Return (seat, action, tick) of every seat, seats ascending; ticks are None where the moves carry none.

    Raises:
        ValueError: when a seat is missing or there twice, or the ticks are not aligned with the seats.
    """
    if [seat for seat, _ in moves.by_seat] != list(range(seats)):
        raise ValueError(f"a round takes one submission of each of the seats 0..{seats - 1}")
    ticks: Sequence[int | None] = moves.ticks or (None,) * seats
    if len(ticks) != seats:
        raise ValueError(f"{len(ticks)} ticks for {seats} submissions")
    return tuple((seat, action, tick) for (seat, action), tick in zip(moves.by_seat, ticks, strict=True))


def claim_order(weights: Mapping[Seat, int], order: Iterable[Seat], ticks: Mapping[Seat, int | None]) -> list[Seat]:
    """Return the seats with a valid claim in the order in which their claims are resolved.

    Args:
        weights: weight of the claim by seat, claims alone; the game defines it.
        order: the turn list of the round.
        ticks: tick by seat in mode ``race``, where a missing one counts 0; empty in mode ``sealed``.

    Source: rules/number_cards.md, "Simultaneous claims", item 4: ascending (tick, -weight, place in the turn list).
    """
    claimants = [seat for seat in order if seat in weights]
    return sorted(claimants, key=lambda seat: (ticks.get(seat) or 0, -weights[seat]))
