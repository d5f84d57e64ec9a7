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
REACH_MAX_NATS = 60.0
"""Parameters that go further (10,423 Elo) have no finite optimum."""


@dataclass(frozen=True, slots=True)
class Point:
    """The objective at one set of parameters.

    Attributes:
        params: where, shape (parameters,).
        value: penalised log-likelihood.
        loglik: the same without the prior.
        gradient: shape (parameters,).
        information: minus the second derivative, gauges added, shape (parameters, parameters).
    """

    params: Floats
    value: float
    loglik: float
    gradient: Floats
    information: Floats


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

    def evaluate(self, params: Floats) -> Point:
        """Return the objective with its gradient and its information, gauges added."""
        information = np.zeros((self.layout.size, self.layout.size))
        prior, gradient = self.penalty.evaluate(params, self.layout, information)
        loglik = 0.0
        for block in self.blocks:
            more, slope = block.evaluate(params, self.layout, information)
            loglik += more
            gradient = gradient + slope
        self.fix_gauges(information)
        return Point(params, prior + loglik, loglik, gradient, information)

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
        loglik: log-likelihood there, without the prior.
        inverse: inverse information with prior and gauges, zero for fixed parameters, shape (parameters, parameters).
        iterations: Newton steps taken.
        converged: whether the gradient met the tolerance.
        diverged: whether the search was given up because a parameter went beyond ``REACH_MAX_NATS``.
    """

    params: Floats
    loglik: float
    inverse: Floats
    iterations: int
    converged: bool
    diverged: bool = False


def maximise(problem: Problem, start: Floats) -> Optimum:
    """Return the top of the objective; one more step follows the last test, so the error left is far below it."""
    tolerance = TOLERANCE_PER_GAME * max(problem.games, 1)
    free = np.flatnonzero(problem.free)
    point = problem.evaluate(start)
    for iteration in range(ITERATIONS_MAX):
        factor = _factor(point.information, free)
        step = np.zeros_like(start)
        step[free] = cho_solve(factor, point.gradient[free], check_finite=False)
        if np.abs(point.gradient[free]).max(initial=0.0) <= tolerance:
            return Optimum(
                point.params + step, point.loglik, _inverse(factor, free, len(start)), iteration + 1, converged=True
            )
        point = _climb(problem, point, step)
        if np.abs(point.params - start).max() > REACH_MAX_NATS:
            return Optimum(point.params, point.loglik, np.zeros_like(point.information), iteration + 1, False, True)
    factor = _factor(point.information, free)
    return Optimum(point.params, point.loglik, _inverse(factor, free, len(start)), ITERATIONS_MAX, converged=False)


def _climb(problem: Problem, point: Point, step: Floats) -> Point:
    """Return the point along the step, halved until the objective does not fall."""
    step = step * min(1.0, STEP_MAX_NATS / max(float(np.abs(step).max()), 1e-300))
    for _ in range(40):
        if not problem.layout.has_tie or point.params[-1] + step[-1] > problem.tie_min:
            trial = problem.evaluate(point.params + step)
            if trial.value >= point.value - 1e-12 * abs(point.value):
                return trial
        step = step / 2
    return point


def _factor(information: Floats, free: Ints) -> tuple[Floats, bool]:
    """Return the Cholesky factor, with a ridge of rounding size when the matrix is singular to rounding."""
    matrix = information if len(free) == len(information) else information[np.ix_(free, free)]
    ridge = 0.0
    scale = max(float(np.diag(matrix).max(initial=0.0)), 1e-300)
    while True:
        try:
            regular = matrix + ridge * np.eye(len(matrix)) if ridge else matrix
            return cho_factor(regular, lower=True, check_finite=False)
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
