"""One bot against another at tables of any size: the mean difference of points a game, tested deal by deal."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from arena.ratings.sprt import NELO_PER_T
from arena.ratings.units import Floats

_Z95 = float(ndtri(0.975))


@dataclass(frozen=True, slots=True)
class DifferenceScore:
    """What the deals of a match say, from the candidate's side.

    Attributes:
        deals: complete deals.
        games: games in them.
        difference: mean share of the place points minus the base's, a game, in -1..1.
        error: its 95 % half width over deals (t quantile); None with fewer than two deals or without spread.
        nelo: normalised Elo, per game; None without spread.
        nelo_error: its 95 % half width.
        los: probability of being the stronger one; 1/2 without spread and difference.
    """

    deals: int
    games: int
    difference: float
    error: float | None
    nelo: float | None
    nelo_error: float | None
    los: float


def difference_score(differences: Floats, games_per_deal: int) -> DifferenceScore:
    """Return the statistics of per-deal differences, as ``matches.deal_differences`` gives them.

    Args:
        differences: mean points of the candidate minus those of the base, one a deal.
        games_per_deal: games behind each.

    Raises:
        ValueError: without any deal.
    """
    deals = len(differences)
    if not deals:
        raise ValueError("a match needs one complete deal or more")
    mean, spread = float(np.mean(differences)) + 0.0, float(np.std(differences))
    games = deals * games_per_deal
    if deals < 2 or spread < 1e-12:
        los = 0.5 if abs(mean) < 1e-12 else float(mean > 0)
        return DifferenceScore(deals, games, mean, None, None, None, los)
    return DifferenceScore(
        deals=deals,
        games=games,
        difference=mean,
        error=float(stdtrit(deals - 1, 0.975)) * spread / math.sqrt(deals - 1),
        nelo=mean / spread * NELO_PER_T / math.sqrt(games_per_deal),
        nelo_error=_Z95 * NELO_PER_T / math.sqrt(games),
        los=float(ndtr(mean * math.sqrt(deals) / spread)),
    )


def difference_lines(name: str, other: str, score: DifferenceScore) -> tuple[str, ...]:
    """Return the lines for a match at a larger table, from the first bot's side."""
    error = "" if score.error is None else f" +/- {100 * score.error:.2f}"
    nelo = "--" if score.nelo is None else f"{score.nelo:.2f} +/- {score.nelo_error:.2f}"
    return (
        f"Results of {name} against {other}, from {name}'s side, as differences a deal:",
        f"Place points: {100 * score.difference:+.2f}{error} % of the most, nElo: {nelo}",
        f"LOS: {100 * score.los:.2f} %",
        f"Games: {score.games}, Deals: {score.deals}",
    )
