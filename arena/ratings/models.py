"""Likelihoods of one two-seat game as functions of the strength difference, with first and second derivatives.

``d`` is strength of the first seat minus that of the second plus the difference of their seat effects, in nats.
Outcomes are in the order first wins, tie, second wins. Sources: Bradley and Terry 1952 (half wins as a
quasi-likelihood); Rao and Kupper 1967; Davidson 1970.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from scipy.special import expit, log_expit

from arena.ratings.units import Floats

TieModelName = Literal["half-win", "rao-kupper", "davidson"]


@dataclass(frozen=True, slots=True)
class Sums:
    """Log-likelihood of all games of each pair and its derivatives; every array has the shape (pairs,).

    The names are those of ``Curves``, but ``value`` is the total over all pairs.
    """

    value: float
    d: Floats
    dd: Floats
    t: Floats | None = None
    dt: Floats | None = None
    tt: Floats | None = None


@dataclass(frozen=True, slots=True)
class Curves:
    """Log-likelihood of the three outcomes and its derivatives; every array has the shape (3, pairs).

    Attributes:
        value: log-likelihood.
        d: first derivative by the strength difference.
        dd: second derivative by the difference.
        t: first derivative by the tie parameter; None without one, as are the next two.
        dt: mixed derivative.
        tt: second derivative by the tie parameter.
    """

    value: Floats
    d: Floats
    dd: Floats
    t: Floats | None = None
    dt: Floats | None = None
    tt: Floats | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """Games of every ordered pair.

    Attributes:
        outcome: first wins, ties, second wins, shape (3, pairs).
        points: of the first, shape (pairs,).
        games: all, shape (pairs,).
    """

    outcome: Floats
    points: Floats
    games: Floats

    @classmethod
    def of(cls, outcome: Floats) -> Counts:
        """Return the counts with their sums."""
        return cls(outcome, outcome[0] + outcome[1] / 2, outcome.sum(axis=0))


class TwoSeatModel(Protocol):
    """A model of win, tie and loss."""

    has_tie: bool
    tie_start: float

    def curves(self, d: Floats, tie: float) -> Curves:
        """Return the log-likelihoods and derivatives at differences ``d``, shape (pairs,)."""

    def sums(self, d: Floats, tie: float, count: Counts) -> Sums:
        """Return the same, summed over outcomes with their counts."""

    def squares(self, d: Floats, tie: float, count: Counts) -> Floats:
        """Return the sum of squared first derivatives by ``d`` of single games, shape (pairs,)."""

    def expected_score(self, d: Floats, tie: float) -> Floats:
        """Return the expected score of the stronger-by-``d`` player on neutral seats, shape of ``d``."""


class HalfWin:
    """A tie is half a win: right for expected scores whatever the ties, so the errors must be clustered ones."""

    has_tie = False
    tie_start = 0.0

    def curves(self, d: Floats, tie: float) -> Curves:
        """Return the quasi-likelihood; the tie parameter is not used."""
        p = expit(d)
        win, loss = log_expit(d), log_expit(-d)
        return Curves(
            value=np.stack([win, (win + loss) / 2, loss]),
            d=np.stack([1 - p, 0.5 - p, -p]),
            dd=np.broadcast_to(-p * (1 - p), (3, len(p))),
        )

    def sums(self, d: Floats, tie: float, count: Counts) -> Sums:
        """Return the sums from one exponential per pair: this is the inner loop of large pools."""
        points, games = count.points, count.games
        small = np.exp(-np.abs(d))
        q = 1 / (1 + small)
        p = np.where(d >= 0, q, small * q)
        value = float(points @ d - games @ (np.maximum(d, 0.0) + np.log1p(small)))
        return Sums(value, d=points - games * p, dd=-games * small * q * q)

    def squares(self, d: Floats, tie: float, count: Counts) -> Floats:
        """Return the sum over games of (score - p)², multiplied out."""
        p = expit(d)
        return np.asarray(count.points - count.outcome[1] / 4 - p * (2 * count.points - count.games * p))

    def expected_score(self, d: Floats, tie: float) -> Floats:
        """Return the logistic of ``d``."""
        return np.asarray(expit(d))


class RaoKupper:
    """A tie is a difference inside a threshold: P(win) = logistic(d - t), P(loss) = logistic(-d - t), t > 0."""

    has_tie = True
    tie_start = 0.5

    def curves(self, d: Floats, tie: float) -> Curves:
        """Return minus infinity nowhere as long as ``tie`` > 0."""
        p, q = expit(d - tie), expit(-d - tie)
        pp, qq = p * (1 - p), q * (1 - q)
        # log P(tie) = log(1 - p) + log(1 - q) + log(e^2t - 1), up to the constant -2t + 2t.
        value = np.stack([log_expit(d - tie), log_expit(tie - d) + log_expit(d + tie), log_expit(-d - tie)])
        value[1] += np.log(-np.expm1(-2 * tie))
        slope = 2 / np.expm1(2 * tie)
        bend = -4 * np.exp(2 * tie) / np.expm1(2 * tie) ** 2
        return Curves(
            value=value,
            d=np.stack([1 - p, q - p, q - 1]),
            dd=np.stack([-pp, -pp - qq, -qq]),
            t=np.stack([p - 1, p + q + slope, q - 1]),
            dt=np.stack([pp, pp - qq, -qq]),
            tt=np.stack([-pp, -pp - qq + bend, -qq]),
        )

    def sums(self, d: Floats, tie: float, count: Counts) -> Sums:
        """Return the curves weighted with the counts."""
        return _weighted(self.curves(d, tie), count.outcome)

    def squares(self, d: Floats, tie: float, count: Counts) -> Floats:
        """Return the squared curve weighted with the counts."""
        return np.asarray((count.outcome * self.curves(d, tie).d ** 2).sum(axis=0))

    def expected_score(self, d: Floats, tie: float) -> Floats:
        """Return P(win) + P(tie) / 2."""
        return np.asarray((1 + expit(d - tie) - expit(-d - tie)) / 2)


class Davidson:
    """Weights e^(d/2) : e^t : e^(-d/2) for win, tie and loss; t is the log of Davidson's nu."""

    has_tie = True
    tie_start = 0.0

    def curves(self, d: Floats, tie: float) -> Curves:
        """Return a multinomial logit's log-likelihood."""
        logits = np.stack([d / 2, np.full_like(d, tie), -d / 2])
        top = logits.max(axis=0)
        value = logits - top - np.log(np.exp(logits - top).sum(axis=0))
        win, draw, loss = np.exp(value)
        mean = (win - loss) / 2
        same = np.ones((3, 1))
        return Curves(
            value=value,
            d=np.array([[0.5], [0.0], [-0.5]]) - mean,
            dd=same * ((win - loss) ** 2 - win - loss) / 4,
            t=np.array([[0.0], [1.0], [0.0]]) - draw,
            dt=same * (draw * mean),
            tt=same * (-draw * (1 - draw)),
        )

    def sums(self, d: Floats, tie: float, count: Counts) -> Sums:
        """Return the curves weighted with the counts."""
        return _weighted(self.curves(d, tie), count.outcome)

    def squares(self, d: Floats, tie: float, count: Counts) -> Floats:
        """Return the squared curve weighted with the counts."""
        return np.asarray((count.outcome * self.curves(d, tie).d ** 2).sum(axis=0))

    def expected_score(self, d: Floats, tie: float) -> Floats:
        """Return P(win) + P(tie) / 2."""
        half = np.exp(-np.abs(d) / 2)
        stronger = (1 + np.exp(tie) * half / 2) / (1 + np.exp(tie) * half + half**2)
        return np.asarray(np.where(d >= 0, stronger, 1 - stronger))


def _weighted(curves: Curves, count: Floats) -> Sums:
    def total(part: Floats | None) -> Floats | None:
        return None if part is None else np.asarray((count * part).sum(axis=0))

    return Sums(
        value=float((count * curves.value).sum()),
        d=(count * curves.d).sum(axis=0),
        dd=(count * curves.dd).sum(axis=0),
        t=total(curves.t),
        dt=total(curves.dt),
        tt=total(curves.tt),
    )


def two_seat_model(name: TieModelName) -> TwoSeatModel:
    """Return the model of this name."""
    models: dict[str, TwoSeatModel] = {
        "half-win": HalfWin(),
        "rao-kupper": RaoKupper(),
        "davidson": Davidson(),
    }
    return models[name]
