"""How many more deals would separate neighbours on the ladder."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from arena.ratings.fit import Fit

DEALS_MAX = 10_000_000


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One neighbouring pair, the stronger first.

    Attributes:
        name: the upper player.
        below: the next one.
        difference: rating difference in Elo, not negative.
        error: its 95 % half width now.
        deals_more: deals (or blocks, or games: what the errors are clustered by) still needed; 0 when separated
            already; None when more than ``DEALS_MAX`` would be needed.
        seconds: what they take at the measured speed; None without a speed or a number of deals.
    """

    name: str
    below: str
    difference: float
    error: float
    deals_more: int | None
    seconds: float | None


def plan(fitted: Fit, seconds_per_deal: float | None = None) -> tuple[PlanRow, ...]:
    """Return, for neighbours of each group, how many more deals separate them at 95 % if the difference stays as it is.

    The error shrinks with the square root of the number of deals: with c deals and the difference d +/- e it takes
    c (e / d)² deals.

    Args:
        fitted: the fit.
        seconds_per_deal: measured time of one more deal for the whole pool.
    """
    half = fitted.difference_sd() * fitted.quantile
    rows = []
    for group in range(fitted.groups.weak_count):
        members = fitted.groups.members(group)
        order = members[np.lexsort((members, -fitted.elo[members]))]
        for upper, lower in itertools.pairwise(order):
            gap, error = float(fitted.elo[upper] - fitted.elo[lower]), float(half[upper, lower])
            more = deals_needed(gap, error, fitted.clusters.count)
            seconds = None if more is None or seconds_per_deal is None else more * seconds_per_deal
            rows.append(PlanRow(fitted.names[upper], fitted.names[lower], gap, error, more, seconds))
    return tuple(rows)


def deals_needed(difference: float, error: float, deals: int) -> int | None:
    """Return how many deals must be added until ``error`` is smaller than ``difference``, or None beyond ``DEALS_MAX``.

    Args:
        difference: Elo, not negative.
        error: 95 % half width of the difference after ``deals`` deals.
        deals: deals played.
    """
    if difference > error:
        return 0
    if difference <= 0 or deals * (error / difference) ** 2 - deals > DEALS_MAX:
        return None
    return max(1, math.ceil(deals * (error / difference) ** 2 - deals))
