"""What a block of like games gives to the fit: value, gradient, information and scores, all summed over equal games.

``pairs`` (two seats) and ``orders`` (three and more) are the two kinds. Information is minus the second derivative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from arena.ratings.layout import Layout
from arena.ratings.units import Floats, Ints


@dataclass(frozen=True, slots=True)
class Scores:
    """Derivative of the log-likelihood of single outcomes by their own parameters.

    Attributes:
        row: outcome by game, shape (games,).
        game: game numbers, shape (games,).
        player: player columns, shape (outcomes, m).
        seat: seat columns, shape (outcomes, m), or None without seat effects.
        value: derivative by the strength of that player (and by the effect of that seat), shape (outcomes, m).
        tie: derivative by the tie parameter, shape (outcomes,), or None.
    """

    row: Ints
    game: Ints
    player: Ints
    seat: Ints | None
    value: Floats
    tie: Floats | None = None


class Block(Protocol):
    """A set of like games."""

    def loglik(self, params: Floats, layout: Layout) -> float:
        """Return the log-likelihood of the block."""

    def derivatives(self, params: Floats, layout: Layout, information: Floats) -> Floats:
        """Add the information to the matrix given and return the gradient, shape (parameters,)."""

    def scores(self, params: Floats, layout: Layout) -> Scores:
        """Return the score of every distinct outcome."""

    def squared_scores(self, params: Floats, layout: Layout, total: Floats) -> None:
        """Add the sum of squared scores of single games to the matrix given."""
