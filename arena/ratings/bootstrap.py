"""The bootstrap by cluster: a check of the errors that draws whole deals again; seeded, so that it can be repeated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from arena.ratings.fit import ModelName, fit
from arena.ratings.prior import Prior
from arena.ratings.results import Results, cluster_games
from arena.ratings.units import Floats


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Scatter of the ratings over drawn sets of clusters.

    Attributes:
        rounds: number of draws.
        covariance: of the ratings, Elo², shape (players, players).
        error: 95 % half width of each rating against its group's mean, shape (players,).
    """

    rounds: int
    covariance: Floats
    error: Floats


def bootstrap(
    results: Results,
    *,
    rounds: int,
    seed: int,
    model: ModelName = "plackett-luce",
    prior: Prior | None = None,
    seats: bool = True,
    anchor: Mapping[str, float] | None = None,
    scale: float = 400.0,
    cluster_by: str = "deal",
) -> Bootstrap:
    """Return the scatter of refits on clusters drawn with replacement; report the estimate itself, not their median.

    Args:
        results: the games.
        rounds: number of draws, at least 2.
        seed: of the draws; the same seed gives the same numbers.
        model: as in ``fit``, like the other arguments; keep the prior, so that no draw explodes.
        prior: as in ``fit``.
        seats: as in ``fit``.
        anchor: as in ``fit``.
        scale: as in ``fit``.
        cluster_by: as in ``fit``.

    Raises:
        ValueError: for fewer than two rounds.
    """
    if rounds < 2:
        raise ValueError(f"{rounds} rounds: a bootstrap needs two or more")
    clusters = cluster_games(results, cluster_by)
    games = np.argsort(clusters.code, kind="stable")
    count = np.bincount(clusters.code, minlength=clusters.count)
    start = np.cumsum(count) - count
    draws = np.random.default_rng(seed)
    ratings = np.empty((rounds, len(results.names)))
    for row in range(rounds):
        drawn = np.sort(draws.integers(0, clusters.count, clusters.count))
        size = count[drawn]
        within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        chosen = games[np.repeat(start[drawn], size) + within]
        fitted = fit(
            results.select(chosen), model=model, prior=prior, seats=seats, anchor=anchor, scale=scale, errors="model"
        )
        ratings[row] = fitted.elo
    covariance = np.atleast_2d(np.cov(ratings.T))
    return Bootstrap(rounds, covariance, 1.959963984540054 * np.sqrt(np.diag(covariance)))
