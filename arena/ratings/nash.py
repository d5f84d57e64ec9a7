"""Nash averaging: how good players are against the hardest mix of all players, for pools that go in circles.

Source: Balduzzi et al. 2018, "Re-evaluating evaluation": the maximum-entropy equilibrium of the symmetric zero-sum game
whose payoff is the excess score of row over column.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp, softmax

from arena.ratings.units import Bools, Floats, Ints

PLAYERS_MAX = 100
_SUPPORT_MIN = 1e-7


@dataclass(frozen=True, slots=True)
class NashAverage:
    """The equilibrium and what each player scores against it.

    Attributes:
        mass: probability of each player in the mix, shape (players,).
        value: payoff of each player against the mix, at most 0, 0 for the players in it, shape (players,).
    """

    mass: Floats
    value: Floats


def nash_average(payoff: Floats) -> NashAverage:
    """Return the maximum-entropy equilibrium of an antisymmetric payoff.

    Args:
        payoff: such as the score of row against column minus 1/2, shape (players, players), at most ``PLAYERS_MAX``.

    Raises:
        ValueError: if the payoff is not antisymmetric, empty or too large.
    """
    players = len(payoff)
    if not 1 <= players <= PLAYERS_MAX or not np.allclose(payoff, -payoff.T, atol=1e-9):
        raise ValueError(f"Nash averaging needs an antisymmetric payoff of 1 to {PLAYERS_MAX} players")
    scale = max(float(np.abs(payoff).max()), 1e-300)
    used, inner = _support(payoff / scale)
    mass = np.zeros(players)
    mass[used] = _spread(payoff / scale, used, inner)
    return NashAverage(mass, np.minimum(payoff @ mass, 0.0) + 0.0)


def _support(payoff: Floats) -> tuple[Ints, Floats]:
    """Return the players that some equilibrium uses, and an equilibrium that uses them all."""
    from scipy.optimize import linprog  # costs a third of a second to import, and few pools go in circles

    players = len(payoff)
    total = np.zeros(players)
    used: Bools = np.zeros(players, dtype=np.bool_)
    for player in range(players):
        if used[player]:
            continue
        goal = np.zeros(players)
        goal[player] = -1.0
        answer = linprog(
            goal, A_ub=payoff, b_ub=np.full(players, 1e-10), A_eq=np.ones((1, players)), b_eq=[1.0], method="highs"
        )
        if answer.x is not None and answer.x[player] > _SUPPORT_MIN:
            total += answer.x
            used |= answer.x > _SUPPORT_MIN
    chosen = np.flatnonzero(used)
    return chosen, total[chosen] / total[chosen].sum()


def _spread(payoff: Floats, used: Ints, inner: Floats) -> Floats:
    """Return the equilibrium of largest entropy on its support, by the dual of the entropy problem.

    Inside the support every payoff is 0; outside it is at most 0. The dual has one multiplier per condition.
    """
    from scipy.optimize import minimize  # as above

    outside = np.setdiff1d(np.arange(len(payoff)), used)
    conditions = payoff[np.concatenate([used, outside])][:, used]
    rank = int(np.linalg.matrix_rank(payoff[np.ix_(used, used)], tol=1e-7))
    if rank >= len(used) - 1:
        return inner  # the equilibrium is the only one

    def dual(multiplier: Floats) -> tuple[float, Floats]:
        exponent = -conditions.T @ multiplier
        return float(logsumexp(exponent)), -conditions @ softmax(exponent)

    limits = [(None, None)] * len(used) + [(0.0, None)] * len(outside)
    answer = minimize(
        dual,
        np.zeros(len(conditions)),
        jac=True,
        bounds=limits,
        method="L-BFGS-B",
        options={"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-10},
    )
    return np.asarray(softmax(-conditions.T @ answer.x))
