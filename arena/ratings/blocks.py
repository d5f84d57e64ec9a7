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
    """Derivatives of the log-likelihood of single games by their own parameters.

    Attributes:
        game: game numbers, shape (games,).
        player: player columns by position, shape (games, m).
        seat: seat columns by position, shape (games, m), or (m,) when alike in all games, or None without seat effects.
        value: derivative by that player's strength (and that seat's effect), sum 0 in each game, shape (games, m).
        tie: derivative by the tie parameter, shape (games,), or None.
    """

    game: Ints
    player: Ints
    seat: Ints | None
    value: Floats
    tie: Floats | None = None


class Block(Protocol):
    """A set of like games."""

    def evaluate(self, params: Floats, layout: Layout, information: Floats) -> tuple[float, Floats]:
        """Add the information to the matrix given; return the log-likelihood and its gradient, shape (parameters,)."""

    def scores(self, params: Floats, layout: Layout) -> Scores:
        """Return the score of every game that compares somebody."""

    def squared_scores(self, params: Floats, layout: Layout, total: Floats) -> None:
        """Add the sum of squared scores of single games to the matrix given."""
