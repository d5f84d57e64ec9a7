"""From a model's strengths to Elo, which always means expected score on neutral seats."""

from __future__ import annotations

import numpy as np

from arena.ratings.groups import Groups
from arena.ratings.layout import Layout
from arena.ratings.models import TwoSeatModel
from arena.ratings.units import Floats

_H = 1e-5


def to_elo(
    params: Floats, covariance: Floats, layout: Layout, groups: Groups, model: TwoSeatModel | None, unit: float
) -> tuple[Floats, Floats]:
    """Return the players' ratings, mean 0 in each group unless held, and the covariance in Elo².

    Plackett-Luce and half-win strengths are on the scale already. A tie model's strengths are not: each becomes the Elo
    difference at which the expected score equals that of the player against one of the group's mean strength.

    Args:
        params: strengths relative to the group's mean, seat effects, tie parameter, in nats.
        covariance: of the parameters, nats².
        layout: the parameters' columns.
        groups: connected groups.
        model: the tie model, or None when strengths are Elo in nats.
        unit: Elo per nat.
    """
    n = layout.players
    if model is None:
        return params[:n] * unit, covariance * unit**2
    tie = float(params[-1])
    centre = np.array([params[groups.members(int(group))].mean() for group in groups.weak])
    d = params[:n] - centre
    slope = (_logit(model, d + _H, tie) - _logit(model, d - _H, tie)) / (2 * _H)
    by_tie = (_logit(model, d, tie + _H) - _logit(model, d, tie - _H)) / (2 * _H)
    jacobian = np.eye(layout.size)
    jacobian[np.arange(n), np.arange(n)] = slope
    jacobian[:n, -1] = by_tie
    elo = (centre + _logit(model, d, tie)) * unit
    return elo, jacobian @ covariance @ jacobian.T * unit**2


def _logit(model: TwoSeatModel, d: Floats, tie: float) -> Floats:
    score = model.expected_score(d, tie)
    return np.asarray(np.log(score) - np.log1p(-score))
