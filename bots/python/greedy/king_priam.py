"""King Priam: always claim the highest prime.

Measured: 99.4 ± 0.5 % against random play (2 seats, 400 deals in both seatings).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from random import Random
from typing import Any


def choose(view: Any, legal_actions: Sequence[str], rng: Random) -> str:
    """Return a claim for the highest open target, ties at random; ``pass`` if there is none.

    With ``list_claims = false`` the true claims are not among the legal actions and are looked for in the row.
    """
    claims = [action for action in legal_actions if action != "pass"] or list(true_claims(view))
    if not claims:
        return "pass"
    highest = max(map(target_of, claims))
    return rng.choice([action for action in claims if target_of(action) == highest])


def target_of(action: str) -> int:
    """Return the prime that a claim is for."""
    return int(action.split()[1])


def true_claims(view: Any) -> Iterator[str]:
    """Yield every true claim a*b+c or a*b-c that the row allows; cards are written such as ``S8``."""
    row = [(card[0], int(card[1:]), card) for card in view.row]
    open_targets = set(view.open_targets)
    for (suit, low, a), (other_suit, high, b), (_, rank, c) in permutations(row, 3):
        if suit == other_suit and low < high:
            for sign, value in (("+", low * high + rank), ("-", low * high - rank)):
                if value in open_targets:
                    yield f"claim {value} {a}*{b}{sign}{c}"
