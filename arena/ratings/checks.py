"""Do the ratings move between the halves of a league, and do strengths from all pairs agree with the fit's?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import chdtrc

from arena.ratings.fit import Fit, fit
from arena.ratings.pairwise import as_two_seat_results
from arena.ratings.results import Results, cluster_games
from arena.ratings.units import Bools


@dataclass(frozen=True, slots=True)
class Drift:
    """The first half of the games against the second.

    Attributes:
        chi2: squared distance of the two sets of ratings, in their joint covariance.
        df: players in both halves, minus 1.
        p: probability of a larger distance without drift.
        changes: rating in the second half minus that in the first with its z, by name, largest |z| first.
    """

    chi2: float
    df: int
    p: float
    changes: tuple[tuple[str, float, float], ...]


def check_drift(results: Results, **options: object) -> Drift | None:
    """Return whether ratings moved between the halves (by deal where all games have one, else in the order given).

    None when the halves cannot be compared: fewer than two players play in both, or a half falls apart into groups.

    Args:
        results: the games.
        **options: keyword arguments of ``fit``.
    """
    order = results.deal if len(results) and (results.deal >= 0).all() else np.arange(len(results))
    early: Bools = order < np.median(order)
    if early.all() or not early.any():
        return None
    fits = [fit(results.select(np.flatnonzero(half)), **options) for half in (early, ~early)]  # type: ignore[arg-type]
    both = np.flatnonzero(_has_played(results, early) & _has_played(results, ~early))
    if len(both) < 2 or any(len(set(half.groups.weak[both])) > 1 for half in fits):
        return None
    centring = np.eye(len(both)) - 1 / len(both)
    change = centring @ (fits[1].elo[both] - fits[0].elo[both])
    covariance = centring @ sum(half.covariance[np.ix_(both, both)] for half in fits) @ centring
    distance = float(change @ np.linalg.pinv(covariance, hermitian=True) @ change)
    z = change / np.sqrt(np.maximum(np.diag(covariance), 1e-12))
    rows = [(results.names[both[i]], float(change[i]), float(z[i])) for i in np.argsort(-np.abs(z), kind="stable")]
    return Drift(distance, len(both) - 1, float(chdtrc(len(both) - 1, distance)), tuple(rows))


def _has_played(results: Results, games: Bools) -> Bools:
    entry = np.repeat(games, np.diff(results.starts))
    return np.bincount(results.player[entry], minlength=len(results.names)) > 0


def all_pairs_slope(results: Results, fitted: Fit) -> float | None:
    """Return the slope of strengths from all pairs on the fit's strengths: near 1 when Plackett-Luce holds.

    None for two-seat games only (both are the same there), when all strengths are equal, or when nobody was compared
    with anybody: all seats of all games were retired.
    """
    if int(np.diff(results.starts).max(initial=2)) == 2:
        return None
    broken, game = as_two_seat_results(results)
    if not len(broken):
        return None
    deals = cluster_games(results).code[game]
    other = fit(replace(broken, deal=deals), prior=fitted.prior, seats=False, scale=fitted.scale)
    centred = fitted.elo - fitted.elo.mean()
    spread = float(centred @ centred)
    return float(centred @ other.elo) / spread if spread > 1e-12 else None
