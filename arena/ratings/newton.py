"""Newton's method with step halving on a concave objective, and the inverse information at its top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.lapack import dpotri

from arena.ratings.blocks import Block
from arena.ratings.layout import Layout
from arena.ratings.prior import Penalty
from arena.ratings.units import Bools, Floats, Ints

TOLERANCE_PER_GAME = 1e-9
ITERATIONS_MAX = 100
STEP_MAX_NATS = 4.0


@dataclass(frozen=True, slots=True)
class Problem:
    """What is maximised.

    Attributes:
        blocks: the games.
        layout: the parameters' columns.
        penalty: the prior.
        gauges: sets of columns whose common shift changes nothing; each set's mean is kept where it starts.
        free: which parameters may move, shape (parameters,).
        games: number of games, for the stopping rule.
        tie_min: smallest value allowed for the tie parameter.
    """

    blocks: Sequence[Block]
    layout: Layout
    penalty: Penalty
    gauges: Sequence[Ints]
    free: Bools
    games: int
    tie_min: float = -50.0

    def value(self, params: Floats) -> float:
        """Return the penalised log-likelihood."""
        return self.penalty.value(params) + sum(block.loglik(params, self.layout) for block in self.blocks)

    def derivatives(self, params: Floats) -> tuple[Floats, Floats]:
        """Return the gradient and the information, both with the prior, gauges added to the information."""
        information = np.zeros((self.layout.size, self.layout.size))
        gradient = self.penalty.derivatives(params, self.layout, information)
        for block in self.blocks:
            gradient = gradient + block.derivatives(params, self.layout, information)
        self.fix_gauges(information)
        return gradient, information

    def fix_gauges(self, information: Floats) -> None:
        """Make the information regular along shifts that the games cannot see, in place.

        The gradient has no part along them, so nothing else changes.
        """
        for columns in self.gauges:
            square = np.ix_(columns, columns)
            information[square] += max(float(np.diag(information)[columns].mean()), 1e-12) / len(columns)


@dataclass(frozen=True, slots=True)
class Optimum:
    """Where the objective is largest.

    Attributes:
        params: the estimate.
        inverse: inverse information with prior and gauges, zero for fixed parameters, shape (parameters, parameters).
        iterations: Newton steps taken.
        converged: whether the gradient met the tolerance.
    """

    params: Floats
    inverse: Floats
    iterations: int
    converged: bool


def maximise(problem: Problem, start: Floats) -> Optimum:
    """Return the top of the objective; one more step follows the last test, so the error left is far below it."""
    params = start.copy()
    tolerance = TOLERANCE_PER_GAME * max(problem.games, 1)
    free = np.flatnonzero(problem.free)
    value = problem.value(params)
    for iteration in range(ITERATIONS_MAX):
        gradient, information = problem.derivatives(params)
        factor = _factor(information[np.ix_(free, free)] if len(free) < len(params) else information)
        step = np.zeros_like(params)
        step[free] = cho_solve(factor, gradient[free])
        if np.abs(gradient[free]).max(initial=0.0) <= tolerance:
            params = params + step
            return Optimum(params, _inverse(factor, free, len(params)), iteration + 1, converged=True)
        params, value = _climb(problem, params, value, step)
    return Optimum(params, _inverse(factor, free, len(params)), ITERATIONS_MAX, converged=False)


def _climb(problem: Problem, params: Floats, value: float, step: Floats) -> tuple[Floats, float]:
    """Return the point along the step, halved until the objective does not fall."""
    step = step * min(1.0, STEP_MAX_NATS / max(float(np.abs(step).max()), 1e-300))
    for _ in range(40):
        trial = params + step
        if not problem.layout.has_tie or trial[-1] > problem.tie_min:
            trial_value = problem.value(trial)
            if trial_value >= value - 1e-12 * abs(value):
                return trial, trial_value
        step = step / 2
    return params, value


def _factor(information: Floats) -> tuple[Floats, bool]:
    """Return the Cholesky factor, with a ridge of rounding size when the matrix is singular to rounding."""
    ridge = 0.0
    scale = max(float(np.diag(information).max(initial=0.0)), 1e-300)
    while True:
        try:
            return cho_factor(information + ridge * np.eye(len(information)) if ridge else information, lower=True)
        except LinAlgError:
            ridge = max(10 * ridge, 1e-13 * scale)


def _inverse(factor: tuple[Floats, bool], free: Ints, size: int) -> Floats:
    lower, _ = dpotri(factor[0], lower=1)
    small = np.tril(lower) + np.tril(lower, -1).T
    if len(free) == size:
        return np.asarray(small)
    full = np.zeros((size, size))
    full[np.ix_(free, free)] = small
    return full
