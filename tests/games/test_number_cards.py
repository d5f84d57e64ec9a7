"""The deck 1..99, its colours, and the order of simultaneous claims (rules/number_cards.md)."""

from __future__ import annotations

from collections import Counter

import pytest

from arena.games.base import Moves
from arena.games.number_cards import (
    CARDS,
    COLOUR_COUNTS,
    COLOUR_NAMES,
    COLOURS,
    DIGITS,
    claim_order,
    submissions,
    turn_list,
)


@pytest.mark.parametrize(("card", "colours"), [(1, 0), (2, 1), (10, 2), (16, 1), (30, 3), (50, 2), (60, 3), (97, 6)])
def test_colours_of_the_rule_file(card: int, colours: int) -> None:
    """The test values of the rule file."""
    assert COLOUR_COUNTS[card] == colours


def test_deck_by_number_of_colours() -> None:
    """How many cards show how many colours, and what the whole deck is worth."""
    assert Counter(COLOUR_COUNTS[card] for card in CARDS) == {0: 1, 1: 34, 2: 55, 3: 8, 6: 1}
    assert [card for card in CARDS if COLOUR_COUNTS[card] == 3] == [30, 42, 60, 66, 70, 78, 84, 90]
    assert sum(COLOUR_COUNTS[card] for card in CARDS) == 174


def test_colour_names_cover_every_prime_once() -> None:
    """25 primes, 25 different names; a card shows the colours of its distinct prime divisors."""
    assert len(COLOUR_NAMES) == len(set(COLOUR_NAMES.values())) == 25
    assert all(prime % factor for prime in COLOUR_NAMES for factor in range(2, prime))
    assert COLOURS[12] == (2, 3)
    assert COLOURS[97] == (97,)
    assert COLOURS[1] == COLOURS[0] == ()


def test_numbers_have_one_writing() -> None:
    """Signs, leading zeros, spaces and digits of other scripts are no numbers of this deck."""
    assert DIGITS["0"] == 0
    assert DIGITS["99"] == 99
    assert not {"07", "+7", "-1", " 7", "100", "٣", "7.0", ""} & set(DIGITS)


def test_every_seat_leads_once_a_block() -> None:
    """In round j of a block the shuffled list is rotated left by j; the next block starts over."""
    assert [turn_list((2, 0, 1), index) for index in range(4)] == [(2, 0, 1), (0, 1, 2), (1, 2, 0), (2, 0, 1)]


@pytest.mark.parametrize(
    ("weights", "ticks", "expected"),
    [
        ({0: 0, 1: 0, 2: 0}, {}, [1, 2, 0]),
        ({0: 3, 1: 1, 2: 3}, {}, [2, 0, 1]),
        ({0: 1, 2: 3}, {0: 4, 1: 1, 2: 5}, [0, 2]),
        ({0: 1, 1: 1, 2: 1}, {0: 2, 1: 2, 2: None}, [2, 1, 0]),
        ({}, {}, []),
    ],
)
def test_claim_order(weights: dict[int, int], ticks: dict[int, int | None], expected: list[int]) -> None:
    """Tick, then weight, then place in the turn list; a missing tick counts 0, and who passed is left out."""
    assert claim_order(weights, (1, 2, 0), ticks) == expected


def test_submissions_of_every_seat() -> None:
    """A round is complete or it is refused; ticks go with their seats."""
    both = ((0, "pass"), (1, "claim even 0"))
    assert submissions(Moves(both), 2) == ((0, "pass", None), (1, "claim even 0", None))
    assert submissions(Moves(both, (None, 3)), 2) == ((0, "pass", None), (1, "claim even 0", 3))
    for moves in (Moves(both[:1]), Moves((both[1], both[0])), Moves((both[0], both[0])), Moves(both, (1,))):
        with pytest.raises(ValueError, match=r"seats 0..1|1 ticks"):
            submissions(moves, 2)
