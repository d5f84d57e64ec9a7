"""Sequential test of two hypotheses about a match: the generalised log-likelihood ratio and Wald's bounds.

The unit is a game (win, tie, loss) or a pair of games of one deal with seats swapped (five values); pairs are right
when a deal helps one seat. Source of the ratio: Van den Bergh's generalised likelihood ratio for multinomial data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import brentq

from arena.ratings.units import ELO_PER_NAT, Floats, expected_score

NELO_PER_T = 2 * ELO_PER_NAT
"""347.44: normalised Elo per unit of (mean score - 1/2) / standard deviation of one game."""
EMPTY_CELL = 0.001
"""An outcome that did not happen counts this often, so that no hypothesis is impossible."""

SprtModel = Literal["logistic", "normalised"]
State = Literal["H0", "H1", "continue"]


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test that stops at ``lower`` (accept elo0) or ``upper`` (accept elo1).

    Attributes:
        elo0: the null hypothesis, in Elo of the model.
        elo1: the alternative, above elo0.
        alpha: probability of accepting elo1 when elo0 holds.
        beta: probability of accepting elo0 when elo1 holds.
        model: ``logistic`` Elo, or ``normalised`` Elo (per standard deviation of a game).

    Raises:
        ValueError: if elo0 is not below elo1, or alpha or beta is outside (0, 1/2).
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: SprtModel = "logistic"

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 = {self.elo0} must be below elo1 = {self.elo1}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"alpha = {self.alpha} and beta = {self.beta} must lie between 0 and 0.5")

    @property
    def lower(self) -> float:
        """Return log(beta / (1 - alpha))."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """Return log((1 - beta) / alpha)."""
        return math.log((1 - self.beta) / self.alpha)

    def state(self, llr: float) -> State:
        """Return which hypothesis is accepted at this ratio, if any."""
        if llr <= self.lower:
            return "H0"
        return "H1" if llr >= self.upper else "continue"

    def llr(self, counts: Sequence[float]) -> float:
        """Return the log-likelihood ratio of elo1 against elo0.

        Args:
            counts: 3 numbers (losses, ties, wins), or 5 numbers of pairs with the score 0, 1/2, 1, 3/2, 2.

        Raises:
            ValueError: for another number of counts, or a negative one.
        """
        if len(counts) not in (3, 5) or min(counts) < 0:
            raise ValueError("an SPRT needs 3 counts of games or 5 counts of pairs, none negative")
        if not sum(counts):
            return 0.0
        full = np.maximum(np.array(counts, dtype=np.float64), EMPTY_CELL)
        score = np.linspace(0.0, 1.0, len(full))
        share = full / full.sum()
        if self.model == "logistic":
            likely = [mean_fit(share, score, expected_score(elo)) for elo in (self.elo0, self.elo1)]
        else:
            games = 1 if len(full) == 3 else 2
            likely = [t_fit(share, score, elo / NELO_PER_T * math.sqrt(games)) for elo in (self.elo0, self.elo1)]
        return float(full.sum() * (share @ np.log(likely[1] / likely[0])))

    def llr_of_differences(self, differences: Floats, games_per_deal: int) -> float:
        """Return the ratio for any number of seats, from one difference per deal (a t-test as an SPRT).

        Args:
            differences: mean points of the candidate minus those of the base, one per complete deal.
            games_per_deal: games behind each difference: normalised Elo is per game.

        Source: the closed form of the generalised ratio for a t-value.
        """
        deals = len(differences)
        spread = float(np.std(differences)) if deals else 0.0
        if spread == 0.0:
            return 0.0
        value = float(np.mean(differences)) / spread
        t0, t1 = (elo / NELO_PER_T * math.sqrt(games_per_deal) for elo in (self.elo0, self.elo1))
        return deals / 2 * math.log((1 + (value - t0) ** 2) / (1 + (value - t1) ** 2))


def mean_fit(share: Floats, score: Floats, mean: float) -> Floats:
    """Return the most likely distribution on the scores that has this mean.

    Args:
        share: observed shares, positive, sum 1, shape (outcomes,).
        score: value of each outcome, ascending, shape (outcomes,).
        mean: strictly between the first and the last score.
    """
    gap = score - mean
    return np.asarray(share / (1 + _multiplier(share, gap) * gap))


def t_fit(share: Floats, score: Floats, t_value: float) -> Floats:
    """Return the most likely distribution with (mean - 1/2) / standard deviation = ``t_value``.

    The constraint is made linear at the last answer until that no longer moves.
    """
    fitted = np.full(len(share), 1 / len(share))
    for _ in range(100):
        mean = float(fitted @ score)
        sigma = math.sqrt(float(fitted @ (score - mean) ** 2))
        gap = score - 0.5 - t_value * sigma * (1 + ((score - mean) / sigma) ** 2) / 2
        fresh = share / (1 + _multiplier(share, gap) * gap)
        if np.abs(fresh - fitted).max() < 1e-13:
            break
        fitted = fresh
    return np.asarray(fresh)


def _multiplier(share: Floats, gap: Floats) -> float:
    """Return x with sum of share gap / (1 + x gap) = 0, all denominators positive."""
    low, high = -1 / float(gap.max()), -1 / float(gap.min())
    margin = 1e-12 * (high - low)

    def slope(x: float) -> float:
        return float((share * gap / (1 + x * gap)).sum())

    return float(brentq(slope, low + margin, high - margin, xtol=1e-14, rtol=1e-14))
