"""Does one number per player explain who beats whom? Pair residuals, cycles, and Nash averaging when it does not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, expit

from arena.ratings.fit import Fit
from arena.ratings.nash import PLAYERS_MAX, NashAverage, nash_average
from arena.ratings.pairwise import Comparisons, comparisons, score_matrix
from arena.ratings.results import Clusters, Results, cluster_games
from arena.ratings.units import LN10, Floats, Ints

WARN_BELOW = 0.01
"""The p-value under which a pool is called non-transitive."""
CYCLES_SHOWN = 5
_CYCLE_PLAYERS_MAX = 80
_EXACT_CELLS = 20_000_000
_EXACT_PAIRS = 3000


@dataclass(frozen=True, slots=True)
class PairResidual:
    """One pair's score against the model.

    Attributes:
        name: the first player.
        other: the second.
        games: comparisons.
        score: mean score of ``name``, 0..1.
        expected: what the fit expects, 0..1.
        z: difference in standard errors (clustered, one dispersion for the pool).
    """

    name: str
    other: str
    games: int
    score: float
    expected: float
    z: float


@dataclass(frozen=True, slots=True)
class Cycle:
    """Three players of whom each scores over one half against the next.

    Attributes:
        names: in that order.
        scores: of each against the next.
        z: the weakest of the three differences from 1/2, in standard errors.
    """

    names: tuple[str, str, str]
    scores: tuple[float, float, float]
    z: float


@dataclass(frozen=True, slots=True)
class Transitivity:
    """Whether one number per player explains who beats whom.

    Attributes:
        chi2: sum of squared pair residuals.
        df: number of free cycles; matched (not whole) where clusters hold several pairs.
        p: probability of a larger sum if the fit's strengths were all there is.
        is_violated: whether p is under ``WARN_BELOW``.
        pairs: all pairs, largest |z| first.
        cycles: the strongest cycles; empty unless violated.
        nash: Nash averaging of the score matrix; None unless violated, or for more than ``PLAYERS_MAX`` players.
    """

    chi2: float
    df: float
    p: float
    is_violated: bool
    pairs: tuple[PairResidual, ...]
    cycles: tuple[Cycle, ...]
    nash: NashAverage | None


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Comparisons summed by pair of players; every array has the shape (pairs,) unless said.

    Attributes:
        one: the player with the smaller number.
        two: the other.
        games: comparisons.
        points: of ``one``.
        residual: points minus expected points.
        variance: binomial variance of the points.
        cluster: cluster of each cell (one pair in one cluster), shape (cells,).
        pair: pair of each cell, shape (cells,).
        cell: residual of each cell, shape (cells,).
    """

    one: Ints
    two: Ints
    games: Ints
    points: Floats
    residual: Floats
    variance: Floats
    cluster: Ints
    pair: Ints
    cell: Floats


def check_transitivity(results: Results, fitted: Fit, cluster_by: str = "deal") -> Transitivity:
    """Return the test of the pairs' scores against the fit.

    A pair's variance is the binomial one times one dispersion for the pool (under 1 with ties), estimated by clusters.
    Where a cluster holds several pairs (shared deals, larger tables), their residuals hang together: the sum of
    squares then has the chi-square's mean and variance matched by clusters, as Rao and Scott 1981 (second order) do.
    """
    pairs = comparisons(results)
    clusters = cluster_games(results, cluster_by)
    summed = _sum_pairs(pairs, expected_scores(pairs, fitted), len(results.names), clusters)
    free = len(summed.one) - (len(results.names) - fitted.groups.weak_count)
    dispersion = max(float((summed.cell**2 / summed.variance[summed.pair]).sum()) / max(len(summed.one), 1), 1e-12)
    total, df = float((summed.residual**2 / summed.variance).sum()) / dispersion, float(max(free, 0))
    is_shared = len(np.unique(summed.cluster)) < len(summed.cell)
    if free > 0 and is_shared and clusters.count * len(summed.one) <= _EXACT_CELLS and len(summed.one) <= _EXACT_PAIRS:
        total, df = _matched(summed, len(results.names), clusters.count)
    p = float(chdtrc(df, total)) if free > 0 else 1.0
    violated = p < WARN_BELOW
    return Transitivity(
        chi2=total,
        df=df,
        p=p,
        is_violated=violated,
        pairs=_residual_rows(results.names, summed, dispersion),
        cycles=strongest_cycles(results, dispersion) if violated else (),
        nash=nash_of(results) if violated and len(results.names) <= PLAYERS_MAX else None,
    )


def _sum_pairs(pairs: Comparisons, expected: Floats, players: int, clusters: Clusters) -> _Pairs:
    label, pair = np.unique(pairs.one * players + pairs.two, return_inverse=True)
    cell_label, cell = np.unique(clusters.code[pairs.game] * len(label) + pair, return_inverse=True)
    width = max(len(label), 1)

    def total(value: Floats) -> Floats:
        return np.bincount(pair, value, len(label)).astype(np.float64)

    return _Pairs(
        one=label // players,
        two=label % players,
        games=np.bincount(pair, minlength=len(label)),
        points=total(pairs.score),
        residual=total(pairs.score - expected),
        variance=total(expected * (1 - expected)),
        cluster=cell_label // width,
        pair=cell_label % width,
        cell=np.bincount(cell, pairs.score - expected, len(cell_label)).astype(np.float64),
    )


def _matched(summed: _Pairs, players: int, clusters: int) -> tuple[float, float]:
    """Return the sum of squares, without the part that strengths explain, scaled to a chi-square, and that one's df."""
    root = np.sqrt(summed.variance)
    row = np.arange(len(root))
    design = np.zeros((len(root), players))
    design[row, summed.one], design[row, summed.two] = root, -root
    explained = design @ np.linalg.pinv(design.T @ design, hermitian=True)
    z = summed.residual / root
    z = z - explained @ (design.T @ z)
    rows = np.zeros((clusters, len(root)))
    rows[summed.cluster, summed.pair] = summed.cell / root[summed.pair]
    rows -= (rows @ design) @ explained.T
    own = (rows**2).sum(axis=1)
    gram = rows.T @ rows if len(root) < clusters else rows @ rows.T
    mean = float(own.sum())
    # Products of different clusters alone: a cluster's product with itself is noise, not covariance.
    square = (float((gram**2).sum()) - float(own @ own)) * clusters / max(clusters - 1, 1)
    df = float(np.clip(mean**2 / max(square, 1e-300), 1.0, len(root)))
    return float(z @ z) * df / max(mean, 1e-300), df


def _residual_rows(names: tuple[str, ...], summed: _Pairs, dispersion: float) -> tuple[PairResidual, ...]:
    z = summed.residual / np.sqrt(summed.variance * dispersion)
    score = summed.points / summed.games
    expected = score - summed.residual / summed.games
    return tuple(
        PairResidual(
            name=names[summed.one[index]],
            other=names[summed.two[index]],
            games=int(summed.games[index]),
            score=float(score[index]),
            expected=float(expected[index]),
            z=float(z[index]) + 0.0,
        )
        for index in np.argsort(-np.abs(z), kind="stable")
    )


def expected_scores(pairs: Comparisons, fitted: Fit) -> Floats:
    """Return the score of ``one`` that the fit expects in every comparison, shape (comparisons,).

    Plackett-Luce makes every pair of a table a Bradley-Terry pair, so the same formula serves all table sizes.
    """
    unit = fitted.scale / LN10
    gap = (fitted.elo[pairs.one] - fitted.elo[pairs.two]) / unit
    for effect in fitted.seat_effects:
        here = pairs.seats == effect.table
        sign = (here & (pairs.one_seat == effect.seat - 1)).astype(np.float64)
        sign -= here & (pairs.two_seat == effect.seat - 1)
        gap = gap + sign * effect.elo / unit
    return np.asarray(expit(gap))


def nash_of(results: Results) -> NashAverage:
    """Return Nash averaging of the scores; pairs that never met count as level."""
    points, count = score_matrix(results)
    return nash_average(np.where(count > 0, points / np.maximum(count, 1) - 0.5, 0.0))


def strongest_cycles(results: Results, dispersion: float) -> tuple[Cycle, ...]:
    """Return the three-player cycles whose weakest link is strongest, at most ``CYCLES_SHOWN``."""
    points, count = score_matrix(results)
    busiest = np.sort(np.argsort(-count.sum(axis=1), kind="stable")[:_CYCLE_PLAYERS_MAX])
    points, count = points[np.ix_(busiest, busiest)], count[np.ix_(busiest, busiest)]
    mean = np.where(count > 0, points / np.maximum(count, 1), 0.5)
    z = (mean - 0.5) * np.sqrt(4 * count / dispersion)
    found: list[tuple[float, int, int, int]] = []
    for i in range(len(busiest)):
        weakest = np.minimum(np.minimum(z[i][:, None], z), z[:, i][None, :])
        weakest[: i + 1] = 0.0  # each cycle once, from its smallest number
        weakest[:, : i + 1] = 0.0
        for flat in np.argsort(-weakest, axis=None, kind="stable")[:CYCLES_SHOWN]:
            j, k = divmod(int(flat), len(busiest))
            if weakest[j, k] > 0:
                found.append((float(weakest[j, k]), i, j, k))
    found.sort(key=lambda entry: (-entry[0], entry[1:]))
    names = [results.names[index] for index in busiest]
    return tuple(
        Cycle((names[i], names[j], names[k]), (float(mean[i, j]), float(mean[j, k]), float(mean[k, i])), strength)
        for strength, i, j, k in found[:CYCLES_SHOWN]
    )
