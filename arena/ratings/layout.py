"""Where each parameter lives: players first, then the seat effects of every table size, then the tie parameter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.ratings.units import Floats, Ints


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns of the parameter vector.

    Attributes:
        players: number of players; their columns are 0..players-1.
        seat_start: first seat column by table size; sizes without seat effects are missing.
        has_tie: whether the last column is a tie parameter.
    """

    players: int
    seat_start: dict[int, int]
    has_tie: bool = False

    @classmethod
    def of(cls, players: int, sizes: tuple[int, ...], has_tie: bool = False) -> Layout:
        """Return the layout with seat effects for these table sizes."""
        starts, column = {}, players
        for seats in sizes:
            starts[seats] = column
            column += seats
        return cls(players, starts, has_tie)

    @property
    def seat_end(self) -> int:
        """Return the column after the last seat effect."""
        return self.players + sum(self.seat_start)

    @property
    def size(self) -> int:
        """Return the number of parameters."""
        return self.seat_end + int(self.has_tie)

    def seat_columns(self, seats: int) -> Ints:
        """Return the columns of one table size's seat effects; empty when there are none."""
        start = self.seat_start.get(seats)
        return np.arange(0) if start is None else np.arange(start, start + seats)

    def seat_effects(self, params: Floats, seats: int) -> Floats:
        """Return the seat effects of one table size, zeros when they are not fitted, shape (seats,)."""
        start = self.seat_start.get(seats)
        return np.zeros(seats) if start is None else params[start : start + seats]


@dataclass(frozen=True, slots=True)
class Edges:
    """Weighted comparisons: each adds ``weight`` times the outer square of e_i - e_j + e_a - e_b to a matrix.

    Every matrix of the fit (information, sum of squared scores of single games) has this form, because only differences
    of strengths are seen. All columns have one shape; ``a`` and ``b`` are seat columns, or None without seat effects.
    """

    i: Ints
    j: Ints
    weight: Floats
    a: Ints | None = None
    b: Ints | None = None

    def add_to(self, matrix: Floats, layout: Layout) -> None:
        """Add these comparisons to a symmetric matrix of shape (parameters, parameters), in place."""
        n, end = layout.players, layout.seat_end
        one_way = np.bincount(self.i * n + self.j, self.weight, minlength=n * n).reshape(n, n)
        both_ways = one_way + one_way.T
        matrix[:n, :n] -= both_ways
        matrix[np.arange(n), np.arange(n)] += both_ways.sum(axis=1)
        if self.a is None or self.b is None:
            return
        width = end - n
        a, b = self.a - n, self.b - n
        cross = _signed_counts(self.i, self.j, a, b, self.weight, n, width)
        matrix[:n, n:end] += cross
        matrix[n:end, :n] += cross.T
        matrix[n:end, n:end] += _signed_counts(a, b, a, b, self.weight, width, width)


def _signed_counts(i: Ints, j: Ints, a: Ints, b: Ints, weight: Floats, rows: int, columns: int) -> Floats:
    """Return the sum of weight (e_i - e_j)(e_a - e_b)', shape (rows, columns)."""

    def count(row: Ints, column: Ints) -> Floats:
        return np.asarray(np.bincount(row * columns + column, weight, minlength=rows * columns), dtype=np.float64)

    total: Floats = count(i, a) - count(i, b) - count(j, a) + count(j, b)
    return total.reshape(rows, columns)
