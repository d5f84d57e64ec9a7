"""One-sided likelihood bounds for players that results hold from one side only."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_expit, ndtri

from arena.ratings.fit import Fit
from arena.ratings.groups import comparable_places
from arena.ratings.results import Results
from arena.ratings.units import LN10, Floats, Ints

_DROP = float(ndtri(0.95)) ** 2 / 2
_FAR_NATS = 60.0
_SHIFT_EXACT = 1e-11


def one_sided_limits(results: Results, fitted: Fit) -> dict[int, float]:
    """Return, by player number, the rating under which (over which, for ``<``) the results become implausible.

    All players of a strong component move together while the rest stays put: the bound is where the log-likelihood of
    their comparisons with the rest has fallen 1.353 (one-sided 95 %) below its limit. Tables of more than two seats are
    taken apart into pairs for this.
    """
    bounded = [index for index, mark in enumerate(fitted.groups.bound) if mark]
    if not bounded:
        return {}
    above, below, count = _pair_counts(results)
    limits: dict[int, float] = {}
    for part in np.unique(fitted.groups.strong[bounded]):
        inside = fitted.groups.strong == part
        members = np.flatnonzero(inside)
        sign = 1.0 if fitted.groups.bound[members[0]] == ">" else -1.0
        used = (inside[above] != inside[below]) & (inside[above] if sign > 0 else inside[below])
        shift = _shift(fitted, above[used], below[used], count[used])
        for index in members:
            limits[int(index)] = float(fitted.elo[index] + sign * shift)
    return limits


def _pair_counts(results: Results) -> tuple[Ints, Ints, Floats]:
    """Return who finished ahead of whom how often."""
    players = len(results.names)
    total = np.zeros(players * players)
    for table in results.tables():
        place = comparable_places(table)
        for a in range(table.seats):
            for b in range(table.seats):
                ahead = (place[:, a] > 0) & ((place[:, b] == 0) | (place[:, a] < place[:, b]))
                key = table.player[ahead, a] * players + table.player[ahead, b]
                total += np.bincount(key, minlength=players * players)
    used = np.flatnonzero(total)
    return used // players, used % players, total[used]


def _shift(fitted: Fit, above: Ints, below: Ints, count: Floats) -> float:
    """Return how far the component moves, in Elo, until its one-way results become implausible."""
    unit = fitted.scale / LN10
    gap = (fitted.elo[above] - fitted.elo[below]) / unit

    # Newton's method; SciPy's root finders cost a third of a second to import. What has fallen rises with the shift and
    # is concave, so that from below the root no step goes beyond it.
    shift = -_FAR_NATS - float(np.abs(gap).max(initial=0.0))
    step = np.inf
    while step > _SHIFT_EXACT:
        fallen = float(count @ log_expit(gap + shift)) + _DROP
        step = -fallen / float(count @ expit(-gap - shift))
        shift += step
    return shift * unit
