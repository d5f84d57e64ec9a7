"""What a fit gives: strengths, seat effects and their covariance, with the errors and probabilities that follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr

from arena.ratings.groups import Groups
from arena.ratings.prior import Prior
from arena.ratings.results import Clusters
from arena.ratings.units import Floats

ModelName = Literal["plackett-luce", "half-win", "rao-kupper", "davidson"]


@dataclass(frozen=True, slots=True)
class SeatEffect:
    """How much a seat is worth at tables of one size; the effects of one size sum to 0.

    Attributes:
        table: seats at the table.
        seat: from 1.
        elo: effect in Elo.
        error: half width of its 95 % interval, Elo.
    """

    table: int
    seat: int
    elo: float
    error: float


@dataclass(frozen=True, slots=True)
class Fit:
    """Strengths with their covariance.

    Attributes:
        names: the players, sorted.
        model: the likelihood.
        elo: ratings in the units of ``scale``, shape (players,).
        strength: strengths in the model's own unit, nats times scale / ln 10, mean 0 in each group, shape (players,).
        covariance: of ``elo`` and, after the players, the seat effects; Elo²; relative to the group's mean, or to the
            anchors when several are fixed.
        seat_effects: by table size and seat; empty when not fitted.
        advantage: seat 1 minus seat 2 at two-seat tables with its 95 % half width, or None.
        tie: the tie parameter (t of Rao-Kupper, log nu of Davidson) in nats, or None.
        groups: connected groups and open sides.
        clusters: what the errors are clustered by, and how many clusters there are.
        quantile: 95 % two-sided quantile in use (normal, or t with few clusters).
        is_clustered: whether the errors are clustered (False: the model's own).
        anchors: player numbers with a fixed rating.
        prior: the prior in words.
        scale: Elo per factor 10 of odds.
        games: number of games.
        loglik: log-likelihood at the estimate, without the prior.
        notes: what a reader must know, in plain sentences.
    """

    names: tuple[str, ...]
    model: ModelName
    elo: Floats
    strength: Floats
    covariance: Floats
    seat_effects: tuple[SeatEffect, ...]
    advantage: tuple[float, float] | None
    tie: float | None
    groups: Groups
    clusters: Clusters
    quantile: float
    is_clustered: bool
    anchors: tuple[int, ...]
    prior: Prior
    scale: float
    games: int
    loglik: float
    notes: tuple[str, ...]

    def difference_sd(self) -> Floats:
        """Return the standard deviation of every difference of two ratings in Elo, shape (players, players).

        Players of different groups are not comparable: their entries are infinite.
        """
        players = len(self.names)
        own = np.diag(self.covariance)[:players]
        variance = own[:, None] + own[None, :] - 2 * self.covariance[:players, :players]
        sd = np.sqrt(np.maximum(variance, 0.0))
        return np.where(self.groups.weak[:, None] == self.groups.weak[None, :], sd, np.inf)

    def errors(self) -> Floats:
        """Return the 95 % half width of every rating, against its group's mean or its anchor, shape (players,).

        An anchor's own entry is 0, and so is that of a player without any comparison.
        """
        players = len(self.names)
        variance = np.diag(self.covariance)[:players].copy()
        for group in range(self.groups.weak_count):
            members = self.groups.members(group)
            anchor = [index for index in self.anchors if self.groups.weak[index] == group]
            if len(anchor) == 1:
                variance[members] = self.difference_sd()[anchor[0], members] ** 2
        return np.asarray(self.quantile * np.sqrt(np.maximum(variance, 0.0)))

    def los(self) -> Floats:
        """Return the probability that row is stronger than column, one pair at a time, shape (players, players).

        One-sided, and not corrected for picking the best of many; 1/2 for players of different groups.
        """
        sd = self.difference_sd()
        gap = self.elo[:, None] - self.elo[None, :]
        sure = np.where(gap > 0, 1.0, np.where(gap < 0, 0.0, 0.5))
        z = np.divide(gap, sd, out=np.zeros_like(gap), where=sd > 0)
        return np.asarray(np.where(sd > 0, ndtr(z), sure))
