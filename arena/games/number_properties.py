"""The catalogue of properties of the cards 1..99 (rules/number_properties.md), shared by Unique and Classification.

A property is its extension, the set of cards that satisfy it. The catalogue is not typed in but computed, once at
import: all descriptions in the order of the rule file, each admissible extension kept the first time it appears. The
first description is the canonical name, later ones with the same extension are aliases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isqrt

from arena.errors import IllegalAction, nearest
from arena.games.base import Seat
from arena.games.number_cards import CARDS, COLOUR_COUNTS, COLOUR_NAMES

SIZES = range(5, 95)
"""Admission rule 1: how many cards may satisfy a property of the catalogue."""
_NEAREST_LENGTH = 40
"""No well-formed description is longer; a longer text is not worth looking for its nearest name."""
Parameters = Sequence[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Property:
    """One property of the catalogue.

    Attributes:
        index: position in the catalogue, from 0; the order of properties everywhere.
        name: canonical name.
        members: the cards that satisfy it, ascending.
        holds: whether a card satisfies it, by card (index 0 is no card).
    """

    index: int
    name: str
    members: tuple[int, ...]
    holds: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """One family of descriptions: ``name`` or ``name(p,q)``.

    Attributes:
        name: name of the family.
        parameters: accepted parameters in order; one empty tuple for a family without.
        holds: whether a card (1..99) satisfies the description with these parameters.
    """

    name: str
    parameters: Parameters
    holds: Callable[..., bool]

    def descriptions(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield (text form, cards that satisfy it, ascending) of every description."""
        for given in self.parameters:
            text = f"{self.name}({','.join(map(str, given))})" if given else self.name
            yield text, tuple(card for card in CARDS if self.holds(card, *given))


def _each(low: int, high: int) -> Parameters:
    return [(value,) for value in range(low, high + 1)]


def _divisors(n: int) -> int:
    return sum(n % divisor == 0 for divisor in range(1, n + 1))


def _is_squarefree(n: int) -> bool:
    return all(n % (root * root) for root in range(2, isqrt(n) + 1))


def _digit_gap(n: int) -> int | None:
    return abs(n // 10 - n % 10) if n > 9 else None


_PLAIN: Parameters = [()]
_REMAINDERS: Parameters = [(k, r) for k in (3, 4, 5) for r in range(1, k)]
FAMILIES = (
    Family("even", _PLAIN, lambda n: n % 2 == 0),
    Family("odd", _PLAIN, lambda n: n % 2 == 1),
    Family("multiple_of", _each(2, 49), lambda n, k: n % k == 0),
    Family("remainder", _REMAINDERS, lambda n, k, r: n % k == r),
    Family("prime", _PLAIN, lambda n: _divisors(n) == 2),
    Family("composite", _PLAIN, lambda n: _divisors(n) > 2),
    Family("square", _PLAIN, lambda n: isqrt(n) ** 2 == n),
    Family("cube", _PLAIN, lambda n: n in (1, 8, 27, 64)),
    Family("power_of_two", _PLAIN, lambda n: n & (n - 1) == 0),
    Family("squarefree", _PLAIN, _is_squarefree),
    Family("number_of_colours", _each(0, 6), lambda n, c: COLOUR_COUNTS[n] == c),
    Family("has_colour", [(prime,) for prime in COLOUR_NAMES], lambda n, p: n % p == 0),
    Family("divisor_count", _each(1, 12), lambda n, d: _divisors(n) == d),
    Family("has_digit", _each(0, 9), lambda n, d: str(d) in str(n)),
    Family("ones_digit", _each(0, 9), lambda n, d: n % 10 == d),
    Family("tens_digit", _each(0, 9), lambda n, d: n // 10 == d),
    Family("digit_sum", _each(1, 18), lambda n, s: n // 10 + n % 10 == s),
    Family("digit_count", _each(1, 2), lambda n, c: len(str(n)) == c),
    Family("digits_equal", _PLAIN, lambda n: n > 9 and n // 10 == n % 10),
    Family("digits_rising", _PLAIN, lambda n: n > 9 and n // 10 < n % 10),
    Family("digits_falling", _PLAIN, lambda n: n // 10 > n % 10),
    Family("digit_gap", _each(0, 9), lambda n, d: _digit_gap(n) == d),
)
"""The typed language, in the order that decides which description is canonical."""


def _catalogue() -> tuple[tuple[Property, ...], dict[str, Property | None]]:
    """Return the catalogue, and what every well-formed description means: None when its size is refused."""
    kept: dict[tuple[int, ...], Property] = {}
    meanings: dict[str, Property | None] = {}
    for family in FAMILIES:
        for text, members in family.descriptions():
            if len(members) in SIZES and members not in kept:
                holds = tuple(card in members for card in range(100))
                kept[members] = Property(len(kept), text, members, holds)
            meanings[text] = kept.get(members)
    return tuple(kept.values()), meanings


CATALOGUE, DESCRIPTIONS = _catalogue()
"""``CATALOGUE``: the 89 properties by index. ``DESCRIPTIONS``: text → property, or None where the size is refused."""
OF_CARD = tuple(tuple(prop for prop in CATALOGUE if prop.holds[card]) for card in range(100))
"""Properties that a card satisfies, by index; by card (index 0 is no card)."""
MASKS = tuple(sum(1 << prop.index for prop in properties) for properties in OF_CARD)
"""The same as a whole number whose bit i stands for property i."""


def find_property(text: str, seat: Seat) -> Property:
    """Return the property that a bot names, by canonical name or alias.

    Args:
        text: the description as it was sent.
        seat: who sent it, for the error.

    Raises:
        IllegalAction: ``property_syntax`` or ``property_not_in_catalogue``.
    """
    try:
        found = DESCRIPTIONS[text]
    except KeyError:
        hint = nearest(text, DESCRIPTIONS) if len(text) <= _NEAREST_LENGTH else ""
        message = f"that is no description of a property, such as even, multiple_of(7) or remainder(3,2){hint}"
        raise IllegalAction("property_syntax", message, seat) from None
    if found is None:
        message = (
            f"{text} is true of fewer than {SIZES.start} or more than {SIZES.stop - 1} cards, so it is not allowed"
        )
        raise IllegalAction("property_not_in_catalogue", message, seat)
    return found


def require_true(prop: Property, card: int, seat: Seat) -> None:
    """Refuse a property that is false of a card.

    Raises:
        IllegalAction: ``property_false``.
    """
    if not prop.holds[card]:
        raise IllegalAction("property_false", f"{prop.name} is not true of {card}", seat)
