"""The prior: what keeps ratings finite when results go one way, stated in Elo and printed with every ladder."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from scipy.special import expit, log_expit

from arena.ratings.layout import Edges, Layout
from arena.ratings.results import Results
from arena.ratings.units import ELO_PER_NAT, Floats, Ints

DEFAULT_SD_ELO = 350.0


@dataclass(frozen=True, slots=True)
class Prior:
    """A weak belief about strengths, inside one connected group at a time.

    Attributes:
        kind: ``normal`` (each strength about the mean of its group), ``none``, or ``draws`` (virtual ties against the
            opponents really met).
        value: standard deviation in Elo (points per factor 10 of odds: 400), or number of virtual ties per player.
    """

    kind: Literal["normal", "none", "draws"] = "normal"
    value: float = DEFAULT_SD_ELO

    @classmethod
    def parse(cls, text: str) -> Prior:
        """Return the prior written as ``0``, a standard deviation in Elo, or ``draws:N``.

        Raises:
            ValueError: for other text, a negative or an infinite number.
        """
        kind, _, number = text.rpartition(":")
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        if kind not in ("", "draws") or not 0 <= value < float("inf"):
            raise ValueError(f"prior {text!r}: accepted are 0, a standard deviation in Elo such as 350, or draws:2")
        if value == 0:
            return cls("none", 0.0)
        return cls("draws" if kind else "normal", value)

    def __str__(self) -> str:
        if self.kind == "none":
            return "no prior"
        return f"prior N(0, {self.value:g})" if self.kind == "normal" else f"prior {self.value:g} virtual ties a player"

    @property
    def precision(self) -> float:
        """Return the normal prior's precision per strength in 1/nat², 0 for the other kinds."""
        return (ELO_PER_NAT / self.value) ** 2 if self.kind == "normal" else 0.0


@dataclass(frozen=True, slots=True)
class Penalty:
    """The prior as a term of the objective.

    Attributes:
        precision: by parameter, in 1/nat², shape (parameters,).
        centre: mean by parameter, in nats, shape (parameters,).
        ties: virtual ties between pairs of players, as comparisons with a number of games for weight.
    """

    precision: Floats
    centre: Floats
    ties: Edges | None = field(default=None)

    def evaluate(self, params: Floats, layout: Layout, information: Floats) -> tuple[float, Floats]:
        """Add the prior's information to the matrix given; return the log of the prior and its gradient."""
        information[np.diag_indices_from(information)] += self.precision
        gradient: Floats = -self.precision * (params - self.centre)
        value = -0.5 * float(self.precision @ (params - self.centre) ** 2)
        if self.ties is not None:
            i, j, weight = self.ties.i, self.ties.j, self.ties.weight
            d = params[i] - params[j]
            p = expit(d)
            pull = weight * (0.5 - p)
            gradient = gradient + np.bincount(i, pull, layout.size) - np.bincount(j, pull, layout.size)
            value += float(weight @ (log_expit(d) + log_expit(-d))) / 2
            Edges(i, j, weight * p * (1 - p)).add_to(information, layout)
        return value, gradient


def virtual_ties(results: Results, ties: float) -> Edges:
    """Return virtual ties, spread over the opponents that were met in proportion to the games together.

    A pair with g games together gets ties / 2 * (g / g_i + g / g_j), where g_i counts all meetings of i: a player whose
    opponents are as busy as it is gets ``ties`` in all. Groups that did not meet stay apart.

    Source: the prior of BayesElo, which spreads its virtual draws in this way.
    """
    players = len(results.names)
    together = np.zeros((players, players))
    for table in results.tables():
        for a in range(table.seats):
            for b in range(a + 1, table.seats):
                key = table.player[:, a] * players + table.player[:, b]
                together += np.bincount(key, minlength=players**2).reshape(players, players)
    together += together.T
    busy = np.maximum(together.sum(axis=1), 1.0)
    spread = ties / 2 * (together / busy[:, None] + together / busy[None, :])
    i, j = np.nonzero(np.triu(spread))
    return Edges(_ints(i), _ints(j), spread[i, j])


def _ints(values: Ints) -> Ints:
    return values.astype(np.int64)
